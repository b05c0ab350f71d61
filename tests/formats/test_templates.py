"""Templates of roles and modules: what holds whatever the variables are, and nothing else."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import SKIPPED, Document
from kcheck.settings import Settings

ROLE = "ansible/roles/kafka/templates/server.properties.j2"
MODULE = "modules/kafka/templates/server.properties.erb"

JINJA = """\
# {{ ansible_managed }}
broker.id={{ broker_id }}
log.dirs=/data
num.io.threads=8
{% if tls %}
listeners=SSL://:9093
num.network.threads=3
{% else %}
listeners=PLAINTEXT://:9092
{% endif %}
{# one per line #}
zookeeper.connect={% for item in groups['zookeeper'] %}
{{ item }}:2181{% if not loop.last %},{% endif %}
{% endfor %}

{%- set size = 1024 %}
{% for name, value in more.items() %}
{{ name }}={{ value }}
{% endfor %}
message.max.bytes={{ max_bytes | default(1048588) }}
log.retention.hours=168
"""
ERB = """\
broker.id=<%= @id %>
log.dirs=/data
<% if @tls -%>
listeners=SSL://:9093
<%- else -%>
listeners=PLAINTEXT://:9092
<%- end -%>
<% @more.each do |key, value| -%>
<%= key %>=<%= value %>
<% end -%>
<%# a note %>
zookeeper.connect=<%= @zookeepers.map { |z|
  z + ":2181" }.join(",") %>
log.retention.hours=168
"""


def read(path: str, text: str) -> Document:
    return formats.read(path, text.encode(), {}.get)


def settings(document: Document) -> dict[str, tuple[str | None, int]]:
    (resource,) = document.resources
    return {key: (made.text, made.at[0]) for key, made in resource.settings.items()}


def test_jinja() -> None:
    document = read(ROLE, JINJA)
    assert document.format == "ansible"
    assert settings(document) == {
        "broker.id": (None, 2),
        "log.dirs": ("/data", 3),
        "num.io.threads": ("8", 4),
        # Without a pair in ``more`` message.max.bytes would go on in the line of zookeeper.connect.
        "log.retention.hours": ("168", 21),
    }
    (broker,) = document.resources
    assert (broker.kind, broker.traits.deployer, broker.path) == ("broker", "ansible", ROLE)


def test_a_role_may_be_a_repository() -> None:
    document = read("ansible-kafka/templates/server.properties.j2", JINJA)
    assert document.format == "ansible"
    assert settings(document)["log.retention.hours"] == ("168", 21)


def test_erb() -> None:
    document = read(MODULE, ERB)
    assert document.format == "puppet-hiera"
    assert settings(document) == {
        "broker.id": (None, 1),
        "log.dirs": ("/data", 2),
        "zookeeper.connect": (None, 12),
        "log.retention.hours": ("168", 14),
    }
    assert document.resources[0].traits.deployer == "puppet"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a={{ x }}\nnum.io.threads=8\n", {"a", "num.io.threads"}),
        ("{% if x %}\nnum.io.threads=8\n", set()),  # never ends
        ("{% if x %}num.io.threads=8{% endif %}\n\nlog.dirs=/d\n", {"log.dirs"}),
        ("num.io.threads={% if x %}8{% else %}4{% endif %}\n\nlog.dirs=/d\n", {"log.dirs"}),
        # Ansible removes the line break after a statement, and so the next line goes on in this one.
        ("num.io.threads={% if x %}8{% else %}4{% endif %}\nlog.dirs=/d\n", set()),
        ("num.io.threads={% if x %}8{% else %}4{% endif +%}\nlog.dirs=/d\n", {"log.dirs"}),
        # Jinja removes all white space next to a dash.
        ("listeners=\n{%- for x in y -%}\n{{ x }}\n{%- endfor %}\n\nlog.dirs=/d\n", {"log.dirs"}),
        ("listeners=\n\n  {{- x }}\nlog.dirs=/d\n", {"listeners", "log.dirs"}),
        ("listeners={{ x -}}\n\n:9092\nlog.dirs=/d\n", {"listeners", "log.dirs"}),
        ("listeners={# one #}\nPLAINTEXT://:{{ x }}\nlog.dirs=/d\n", {"listeners", "log.dirs"}),
        ("num.io.threads=8\n{%- set y = 1 %}\n\nlog.dirs=/d\n", {"num.io.threads", "log.dirs"}),
        ("{% set y = 1 -%}\nnum.io.threads=8\n  {% set y = 1 %}\nlog.dirs=/d\n", {"num.io.threads", "log.dirs"}),
        ("num.io.threads={{ x }}\n-}}\nlog.dirs=/d\n", {"num.io.threads", "log.dirs", "-}}"}),
        ("{% if x %}{% if y %}\na=1\n{% endif %}\nb=2\n{% endif %}\nlog.dirs=/d\n", {"log.dirs"}),
        ("log.dirs=/a,\\\n{% if x %}\n/b,\\\n{% endif %}\n/c\nnum.io.threads=8\n", {"num.io.threads"}),
        ("{% raw %}\na=1\n{% endraw %}\nlog.dirs=/d\n", {"log.dirs"}),
        ("{{ x\n| y }}\nlog.dirs=/d\n", {"log.dirs"}),
    ],
)  # fmt: skip
def test_what_is_certain(text: str, kept: set[str]) -> None:
    document = read(ROLE, "broker.id=1\nzookeeper.connect=z:2181\n" + text)
    assert settings(document).keys() - {"broker.id", "zookeeper.connect"} == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("listeners=<%= x -%>\n:9092\nlog.dirs=/d\n", {"listeners", "log.dirs"}),
        ("num.io.threads=8\n<%- x = 1 -%>\nlog.dirs=/d\n", {"num.io.threads", "log.dirs"}),
    ],
)
def test_what_is_certain_of_erb(text: str, kept: set[str]) -> None:
    document = read(MODULE, "broker.id=1\nzookeeper.connect=z:2181\n" + text)
    assert settings(document).keys() - {"broker.id", "zookeeper.connect"} == kept


def test_it_draws_findings_where_they_stand_and_none_for_what_is_in_doubt() -> None:
    fault = JINJA.replace("hours=168", "hours=many").replace("threads=3", "threads=few")
    project = lint_project([(ROLE, fault.encode())], Settings())
    found = [(f.code, f.at) for f in project.findings if f.severity == "error"]
    assert found == [("KC0103", (21, 21, 21, 25))]


def test_one_template_is_any_number_of_brokers() -> None:
    """Nothing is known of how many hosts it is rendered for, nor of what it leaves out."""
    topics = "topics:\n  - {name: orders, partitions: 6, replication_factor: 3}\n"
    sources = [
        (ROLE, JINJA.encode()),
        ("ansible/roles/kafka/templates/kcheck.yaml", topics.encode()),
    ]
    project = lint_project(sources, Settings())
    assert [str(f) for f in project.findings if f.severity != "info"] == []


@pytest.mark.parametrize(
    "path",
    [
        "templates/log4j.properties.j2",
        "roles/kafka/templates/kafka.service.j2",
        "roles/kafka/templates/log4j.properties.j2",
        "modules/kafka/templates/profile.sh.erb",
    ],
)
def test_other_templates_are_skipped(path: str) -> None:
    document = read(path, "# kafka\nrootLogger={{ level }}\nkafka=<%= @x %>\n")
    assert (document.status, document.resources) == (SKIPPED, [])


FILES = {
    "ansible/roles/kafka/defaults/main.yml": b"""\
data: /srv/kafka
log_dirs: ["{{ data }}/a", "{{ data }}/b"]
name: BROKER
port: 9092
sasl: true
mechanisms: [SCRAM-SHA-256, SCRAM-SHA-512]
delete: no
tier: gold
extra:
  num.io.threads: 16
  log.cleaner.enable: yes
  message.max.bytes: "{{ max_bytes }}"
""",
    "ansible/group_vars/all.yml": b"port: 9095\ntier: silver\n",
    "ansible/group_vars/kafka.yml": b"tier: bronze\n",
    "ansible/roles/kafka/vars/main.yml": b"name: OUTER\n",
}
FILLED = """\
{{ ansible_managed | comment }}
broker.id={{ broker_id }}
zookeeper.connect=z:2181
log.dirs={{ log_dirs | join(',') }}
ssl.keystore.location={{ data }}/{{ name | lower }}.jks
socket.send.buffer.bytes={{ port }}
inter.broker.listener.name={{ name }}
delete.topic.enable={{ delete | lower }}
broker.rack={{ tier }}
compression.type={{ tier }}
{% if sasl and name == 'OUTER' %}
sasl.enabled.mechanisms={{ mechanisms | join(',') }}
{% elif tier is defined %}
log.flush.interval.ms=1
{% else %}
log.flush.interval.ms=2
{% endif %}
{% if not sasl %}
log.retention.hours=1
{% else %}
log.retention.hours=2
{% endif %}
{% if tier == 'silver' %}
log.segment.bytes=1
{% endif %}
{% for key, value in extra | dictsort %}
{{ key }}={{ value }}
{% endfor %}
"""


def test_variables_of_a_role_and_of_groups() -> None:
    document = formats.read(ROLE, FILLED.encode(), FILES.get)
    (broker,) = document.resources
    assert {key: made.text for key, made in broker.settings.items()} == {
        "broker.id": None,
        "zookeeper.connect": "z:2181",
        "log.dirs": "/srv/kafka/a,/srv/kafka/b",
        "ssl.keystore.location": "/srv/kafka/outer.jks",
        "socket.send.buffer.bytes": "9095",
        "inter.broker.listener.name": "OUTER",
        "delete.topic.enable": "false",
        "broker.rack": None,
        "compression.type": None,  # groups differ
        "sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512",
        "log.retention.hours": "2",
        "num.io.threads": "16",
        "log.cleaner.enable": "true",
        "message.max.bytes": None,
    }
    places = {key: (made.path, made.at[0]) for key, made in broker.settings.items()}
    assert places["socket.send.buffer.bytes"] == ("ansible/group_vars/all.yml", 1)
    assert places["ssl.keystore.location"] == (ROLE, 5)
    assert places["num.io.threads"] == ("ansible/roles/kafka/defaults/main.yml", 10)


@pytest.mark.parametrize(
    "loop",
    [
        "{% for key, value in unknown.items() %}\n{{ key }}: {{ value }}\n{% endfor %}",
        "{% if max_bytes %}{% for k, v in extra.items() %}\n{{ k }}={{ v }}\n{% endfor %}{% endif %}",
        "{% for k, v in extra.items() if v %}\n{{ k }}={{ v }}\n{% endfor %}",
        "{% for k, v in nothing.items() %}\n{{ k }}={{ v }}\n{% endfor %}",
    ],
)
def test_loops_that_are_not_read(loop: str) -> None:
    text = f"broker.id=1\nzookeeper.connect=z:2181\n{loop}\n"
    (broker,) = formats.read(ROLE, text.encode(), FILES.get).resources
    assert broker.settings.keys() == {"broker.id", "zookeeper.connect"}


def test_a_template_of_ansible_may_keep_its_line_breaks() -> None:
    text = "#jinja2: trim_blocks:False\nbroker.id={% if a %}1{% endif %}\nlog.dirs=/data\nnum.io.threads=8\n"
    for kept, keys in ((text, ["log.dirs"]), (text.partition("\n")[2], [])):
        document = formats.read(ROLE, kept.encode(), lambda _: None)
        assert [*document.resources[0].settings] == [*keys, "num.io.threads"]


def test_a_template_of_a_program_around_kafka() -> None:
    text = (
        "listeners=http://:8081\nkafkastore.bootstrap.servers={{ brokers }}\n"
        "{% if secured %}\nkafkastore.security.protocol=SASL_SSL\n{% endif %}\n"
        "kafkastore.topic=_schemas\n"
    )
    (client,) = read("roles/registry/templates/schema-registry.properties.j2", text).resources
    assert client.kind == "client"
    assert client.settings["bootstrap.servers"].text is None
    assert "security.protocol" not in client.settings
    # What says whose it is, is in doubt itself: it may be anybody's.
    doubtful = text.replace("{% if", "x=1\n{% if").replace("kafkastore.topic", "a")
    doubtful = doubtful.replace("kafkastore.bootstrap", "bootstrap")
    assert not read("roles/registry/templates/schema.properties.j2", doubtful).resources


def test_templates_that_include_each_other_end() -> None:
    part = ROLE.replace("server", "part")
    files = {
        part: b"{% include 'other.j2' %}\n" * 50,
        ROLE.replace("server.properties", "other"): b"{% include 'part.properties.j2' %}\n" * 50,
    }
    text = b"broker.id=1\nlog.dirs=/d\n" + b"{% include 'part.properties.j2' %}\n" * 2_000
    document = formats.read(ROLE, text, files.get)
    assert [one.traits.partial for one in document.resources] == [True]


INCLUDING = """\
{% include './parts/base.properties.j2' %}

listeners=PLAINTEXT://:9092
"""
BASE = """\
broker.id=1
log.dirs={{ data }}
{% for key, value in kafka.settings.items() %}
{{ key }}={{ value }}
{% endfor %}
"""
DEFAULTS = """\
data: /data
kafka:
  settings:
    num.io.threads: 8
    min.insync.replicas: two
"""


def test_another_template_stands_in_the_place_of_its_include() -> None:
    files = {
        ROLE: INCLUDING.encode(),
        ROLE.replace("server", "parts/base"): BASE.encode(),
        "ansible/roles/kafka/defaults/main.yml": DEFAULTS.encode(),
    }
    document = formats.read(ROLE, files[ROLE], files.get)
    (broker,) = document.resources
    told = {key: (one.text, one.path, one.at[0]) for key, one in broker.settings.items()}
    defaults = "ansible/roles/kafka/defaults/main.yml"
    assert told == {
        "broker.id": ("1", ROLE, 1),
        "log.dirs": ("/data", defaults, 1),
        "listeners": ("PLAINTEXT://:9092", ROLE, 3),
        "num.io.threads": ("8", defaults, 4),
        "min.insync.replicas": ("two", defaults, 5),
    }
    project = lint_project(list(files.items()), Settings(), files.get)
    # The part is no second broker.
    assert [(one.code, one.path, one.at[0]) for one in project.findings] == [
        ("KC0103", defaults, 5)
    ]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {ROLE.replace("server", "parts/base"): b"{% if tls %}\nlog.dirs=/data\n{% endif %}\n"},
        {ROLE.replace("server", "parts/base"): b"{% include 'parts/base.properties.j2' %}\n"},
    ],
)
def test_what_an_include_leaves_open_nobody_knows(files: dict[str, bytes]) -> None:
    text = b"broker.id=1\nzookeeper.connect=z:2181\n" + INCLUDING.encode()
    document = formats.read(ROLE, text, files.get)
    (broker,) = document.resources
    assert broker.traits.partial
    assert broker.settings.keys() == {"broker.id", "zookeeper.connect", "listeners"}


@pytest.mark.parametrize(
    ("loop", "pair"),
    [
        ("key, value in kafka.settings.items()", "{{ key }}={{ value }}"),
        ("key, value in kafka.settings | dictsort", "{{key}}={{ value | lower }}"),
        ("item in kafka.settings | dict2items", "{{ item.key }}={{ item.value }}"),
    ],
)
def test_a_loop_over_a_map_inside_of_a_variable(loop: str, pair: str) -> None:
    text = f"broker.id=1\n\n{{% for {loop} %}}\n{pair}\n{{% endfor %}}\n"
    files = {"ansible/roles/kafka/defaults/main.yml": DEFAULTS.encode()}
    document = formats.read(ROLE, text.encode(), files.get)
    (broker,) = document.resources
    assert broker.settings["num.io.threads"].text == "8"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("cookbooks/kafka/attributes/default.rb", "default['kafka']['version'] = '2.8.1'", "2.8.1"),
        ("cookbooks/kafka/attributes/default.rb", "default[:bus][:kafka][:version] = \"3.4.0\"", "3.4.0"),
        ("cookbooks/kafka/attributes/default.rb", "default['kafka']['url'] = 'x/kafka_2.13-3.1.0.tgz'", "3.1.0"),
        ("cookbooks/kafka/attributes/default.rb", "default['kafka']['scala_version'] = '2.13'", ""),
        ("cookbooks/kafka/attributes/default.rb", "# default['kafka']['version'] = '2.8.1'", ""),
        ("cookbooks/kafka/manifests/params.pp", "class kafka {\n  $version = '2.8.1'\n}", "2.8.1"),
        ("cookbooks/kafka/manifests/init.pp", "class kafka (\n  String $kafka_version = '3.0.0',\n)", "3.0.0"),
        ("cookbooks/kafka/manifests/init.pp", "class kafka ($version = $kafka::params::version)", ""),
    ],
)  # fmt: skip
def test_what_a_cookbook_or_module_installs(name: str, text: str, told: str) -> None:
    template = b"broker.id=1\nlog.dirs=/data\nzookeeper.connect=z:2181\n"
    path = "cookbooks/kafka/templates/default/server.properties.erb"
    template += b"port=<%= node[:kafka][:port] %>\n"
    document = formats.read(path, template, {name: text.encode()}.get)
    found = [(one.told.text, one.told.path) for one in document.extent.releases]
    assert found == ([(told, name)] if told else [])


@pytest.mark.parametrize("empty", ["[]", '""', "null"])
def test_what_the_defaults_of_a_role_leave_empty_its_users_fill_in(empty: str) -> None:
    sources = {
        "templates/server.properties.j2": b"broker.id={{ k_id | default(1) }}\n"
        b"zookeeper.connect=z:2181\nlog.dirs=/data\n"
        b"inter.broker.listener.name={{ k_names | default([]) | join(',') }}\n"
        b"listeners={{ k_listeners | default('') }}\n",
        "defaults/main.yml": f"k_names: {empty}\nk_listeners: ''\n".encode(),
        "tasks/main.yml": b"- template: {src: server.properties.j2, dest: /etc/k/server.properties}\n",
        "meta/main.yml": b"galaxy_info: {role_name: kafka}\n",
    }
    project = lint_project(sources.items(), Settings(), sources.get)
    assert [one.code for one in project.findings if one.severity == "error"] == []
    host = {"hosts.ini": b"[kafka]\nk1\n", "site.yml": b"- {hosts: kafka, roles: [kafka]}\n"}
    placed = {f"roles/kafka/{path}": data for path, data in sources.items()} | host
    project = lint_project(placed.items(), Settings(), placed.get)
    assert "KC0104" in {one.code for one in project.findings if one.severity == "error"}

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
        "message.max.bytes": (None, 20),
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
        ("listeners=\n\n  {{- x }}\nlog.dirs=/d\n", {"log.dirs"}),
        ("listeners={{ x -}}\n\n:9092\nlog.dirs=/d\n", {"log.dirs"}),
        ("listeners={# one #}\nPLAINTEXT://:{{ x }}\nlog.dirs=/d\n", {"log.dirs"}),
        ("num.io.threads=8\n{%- set y = 1 %}\n\nlog.dirs=/d\n", {"num.io.threads", "log.dirs"}),
        ("{% set y = 1 -%}\nnum.io.threads=8\n  {% set y = 1 %}\nlog.dirs=/d\n", {"num.io.threads", "log.dirs"}),
        ("num.io.threads={{ x }}\n-}}\nlog.dirs=/d\n", {"num.io.threads", "log.dirs", "-}}"}),
        ("{% if x %}{% if y %}\na=1\n{% endif %}\nb=2\n{% endif %}\nlog.dirs=/d\n", {"log.dirs"}),
        ("log.dirs=/a,\\\n{% if x %}\n/b,\\\n{% endif %}\n/c\nnum.io.threads=8\n", {"/c", "num.io.threads"}),
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
        ("listeners=<%= x -%>\n:9092\nlog.dirs=/d\n", {"log.dirs"}),
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

"""Ansible as projects use it: inventories, variables of groups and hosts, plays, templates and tasks."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.files import Files
from kcheck.folder_names import FolderNames
from kcheck.formats.ansible import inventories
from kcheck.model import PASSED_OVER, READ, SKIPPED, Document, Resource
from kcheck.settings import Settings

TEMPLATE = "deploy/roles/kafka/templates/server.properties.j2"
SERVER = """\
process.roles={{ kafka_roles }}
node.id={{ kafka_node }}
broker.rack={{ kafka_rack | default('none') }}
controller.quorum.voters={% for h in groups['quorum'] -%}
{{ hostvars[h].kafka_node }}@{{ hostvars[h]['ansible_host'] }}:{{ kafka_ports.controller }}
{%- if not loop.last %},{% endif %}
{%- endfor %}

controller.listener.names=CONTROLLER
inter.broker.listener.name=BROKER
listener.security.protocol.map=BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT
listeners=BROKER://:{{ kafka_ports.broker }},CONTROLLER://:{{ kafka_ports.controller }}
advertised.listeners=BROKER://{{ inventory_hostname }}:{{ kafka_ports.broker }}
log.dirs={{ kafka_disks | map('regex_replace', '$', '/kafka') | join(',') }}
num.io.threads={{ kafka_disks | length * 4 }}
default.replication.factor={{ [groups['quorum'] | length, 3] | first }}
min.insync.replicas={{ kafka_rf | int - 1 }}
{% if kafka_tls | bool %}
ssl.client.auth=required
{% endif %}
{% for name in kafka_listeners_with_login %}
listener.name.{{ name | lower }}.sasl.enabled.mechanisms=PLAIN
{% endfor %}
message.max.bytes={{ kafka_max_bytes | default(1048588) }}
ssl.keystore.password={{ vault_keystore | default('changeit') }}
"""
PROJECT = {
    "deploy/ansible.cfg": "[defaults]\nroles_path = roles\ninventory = ./inventory/production\n",
    "deploy/inventory/production/hosts": """\
        # three in a rack each
        [quorum]
        kafka[1:3].example.com kafka_tls=True

        [quorum:vars]
        kafka_roles = broker,controller
        [tools]
        kafka1.example.com
        tool.example.com

        [everything:children]
        quorum
        tools
        """,
    "deploy/inventory/production/group_vars/all/kafka.yml": "kafka_rf: 3\nkafka_version: '3.9.1'\n",
    "deploy/inventory/production/group_vars/quorum.yml": """\
        kafka_disks: [/srv/a, /srv/b]
        kafka_max_bytes: 2000000
        """,
    "deploy/inventory/production/host_vars/kafka1.example.com.yml": "kafka_node: 11\nansible_host: 10.0.0.11\n",
    "deploy/inventory/production/host_vars/kafka2.example.com.yml": "kafka_node: 12\nansible_host: 10.0.0.12\n",
    "deploy/inventory/production/host_vars/kafka3.example.com.yml": "kafka_node: 13\nansible_host: 10.0.0.13\nkafka_max_bytes: 3000000\n",
    "deploy/roles/kafka/defaults/main.yml": """\
        kafka_node: 1
        kafka_rf: 1
        kafka_version: 3.3.0
        kafka_disks: [/data]
        kafka_ports: {broker: 9092, controller: 9093}
        kafka_listeners_with_login: [BROKER, CONTROLLER]
        """,
    "deploy/playbooks/brokers.yml": """\
        - name: brokers
          hosts: quorum:!tools[1]
          become: true
          roles:
            - {role: common}
            - role: kafka
              when: "'quorum' in group_names"
        """,
    TEMPLATE: SERVER,
}


def sources(files: dict[str, str]) -> dict[str, bytes]:
    return {path: dedent(text).encode() for path, text in files.items()}


def lookup_in(files: dict[str, str]) -> formats.Lookup:
    found = sources(files)
    folders = FolderNames(found)
    return lambda path: folders.of(path[:-1]) if path.endswith("/") else found.get(path)


def read(path: str, files: dict[str, str]) -> Document:
    return formats.read(path, sources(files)[path], lookup_in(files))


def lint(files: dict[str, str]) -> Project:
    project = lint_project(sources(files).items(), Settings(), lookup_in(files))
    assert project.failures == []
    return project


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: made.text for key, made in resource.settings.items()}


def test_a_template_is_a_broker_for_each_host_of_the_inventory() -> None:
    document = read(TEMPLATE, PROJECT)
    assert (document.format, document.status) == ("ansible", READ)
    assert [one.name for one in document.resources] == [f"kafka{n}.example.com" for n in (1, 2, 3)]
    one, _, three = document.resources
    assert texts(one) == {
        "process.roles": "broker,controller",
        "node.id": "11",
        "broker.rack": "none",
        "controller.quorum.voters": "11@10.0.0.11:9093,12@10.0.0.12:9093,13@10.0.0.13:9093",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "BROKER",
        "listener.security.protocol.map": "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "listeners": "BROKER://:9092,CONTROLLER://:9093",
        "advertised.listeners": "BROKER://kafka1.example.com:9092",
        "log.dirs": "/srv/a/kafka,/srv/b/kafka",
        "num.io.threads": "8",
        "default.replication.factor": "3",
        "min.insync.replicas": "2",
        "ssl.client.auth": "required",
        "listener.name.broker.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
        "message.max.bytes": "2000000",
        # What a repository does not hold is not its default.
        "ssl.keystore.password": None,
    }
    assert (texts(three)["node.id"], texts(three)["message.max.bytes"]) == ("13", "3000000")
    place = three.settings["message.max.bytes"]
    assert (place.path.rpartition("/")[2], place.at) == ("kafka3.example.com.yml", (3, 18, 3, 25))
    login = one.settings["listener.name.broker.sasl.enabled.mechanisms"]
    assert (login.path, login.at[0], login.key_at[0]) == (TEMPLATE, 22, 22)
    assert one.facts["replicas"].path == "deploy/inventory/production/hosts"
    (release,) = document.extent.releases
    assert (release.told.text, release.told.at) == ("3.9.1", (2, 16, 2, 23))


def test_the_brokers_of_an_inventory_are_one_cluster_of_that_size_and_version() -> None:
    topics = "topics:\n  - {name: orders, partitions: 6, replication_factor: 5}\n"
    project = lint({**PROJECT, "deploy/topics.yaml": topics})
    (cluster,) = project.clusters
    assert (len(cluster.brokers), cluster.broker_count.number) == (3, 3)
    assert cluster.version.text == "3.9.1"
    assert [f.code for f in project.findings if f.severity == "error"] == ["KC0304"]


def test_what_is_wrong_in_a_template_is_told_once() -> None:
    files = {**PROJECT, TEMPLATE: SERVER + "log.retention.hours=many\n"}
    found = [f for f in lint(files).findings if f.code == "KC0103"]
    assert [(f.path, f.at) for f in found] == [(TEMPLATE, (26, 21, 26, 25))]


def test_inventories_of_several_environments_are_clusters_of_their_own() -> None:
    files = {path: text for path, text in PROJECT.items() if "ansible.cfg" not in path}
    files["deploy/inventory/staging/hosts.yml"] = """\
        quorum:
          hosts:
            test1: {kafka_node: 1, kafka_tls: false}
          vars: {kafka_roles: "broker,controller", kafka_max_bytes: lots}
        """
    document = read(TEMPLATE, files)
    assert [(one.cluster, one.name) for one in document.resources] == [
        *(("production", f"kafka{n}.example.com") for n in (1, 2, 3)),
        ("staging", "test1"),
    ]
    staged = texts(document.resources[-1])
    assert (staged["message.max.bytes"], "ssl.client.auth" in staged) == ("lots", False)
    assert {one.name for one in lint(files).clusters} == {"production", "staging"}


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        # Nothing tells the hosts: one broker, of whatever name.
        ({"deploy/playbooks/brokers.yml": "- hosts: '{{ where }}'\n  roles: [kafka]\n"}, []),
        ({"deploy/playbooks/brokers.yml": "- hosts: 'k*'\n  roles: [kafka]\n"}, []),
        ({"deploy/playbooks/brokers.yml": "- hosts: quorum\n  roles: [other]\n"}, []),
        ({"deploy/inventory/production/hosts": "#!/bin/sh\n[quorum]\nkafka1\n"}, []),
        ({"deploy/inventory/production/hosts": "[quorum]\nkafka[1:99999].example.com\n"}, []),
        ({"deploy/inventory/production/hosts": "[a:children]\nb\n[b:children]\na\n"}, []),
        (
            {
                "deploy/playbooks/brokers.yml": "- hosts: '{{ w | default(\"quorum\") }}'\n  roles: [kafka]\n"
            },
            ["kafka1.example.com", "kafka2.example.com", "kafka3.example.com"],
        ),
        (
            {"deploy/playbooks/brokers.yml": "- hosts: all:!tools\n  roles: [acme.kafka]\n"},
            ["kafka2.example.com", "kafka3.example.com"],
        ),
        (
            {
                "deploy/playbooks/brokers.yml": "- hosts: quorum[0]\n  tasks:\n"
                "    - block:\n        - ansible.builtin.include_role: {name: kafka}\n"
            },
            ["kafka1.example.com"],
        ),
    ],
)
def test_which_hosts_a_play_means(changed: dict[str, str], names: list[str]) -> None:
    document = read(TEMPLATE, PROJECT | changed)
    found = [one.name for one in document.resources]
    assert found == (names or [TEMPLATE])


def test_what_a_play_gives_to_a_role_goes_over_all() -> None:
    files = PROJECT | {
        "deploy/playbooks/brokers.yml": """\
            - hosts: quorum
              vars: {kafka_rf: 7, kafka_max_bytes: 7}
              roles:
                - role: kafka
                  kafka_node: "{{ groups['quorum'].index(inventory_hostname) + 101 }}"
                  vars: {kafka_max_bytes: 8}
            """,
        "deploy/roles/kafka/vars/main.yml": "kafka_rf: 9\n",
    }
    found = [texts(one) for one in read(TEMPLATE, files).resources]
    assert [one["node.id"] for one in found] == ["101", "102", "103"]
    assert {one["message.max.bytes"] for one in found} == {"8"}
    assert {one["min.insync.replicas"] for one in found} == {"8"}


def test_what_tasks_set_and_encrypted_files_hold_is_unknown() -> None:
    tasks = "- set_fact:\n    kafka_rf: 2\n  when: x\n- command: x\n  register: kafka_max_bytes\n"
    files = PROJECT | {
        "deploy/roles/kafka/tasks/main.yml": tasks,
        "deploy/inventory/production/group_vars/all/vault.yml": "$ANSIBLE_VAULT;1.1;AES256\n61\n",
    }
    one = texts(read(TEMPLATE, files).resources[0])
    assert (one["min.insync.replicas"], one["message.max.bytes"], one["broker.rack"]) == (
        (None,) * 3
    )


@pytest.mark.parametrize(
    ("tasks", "found"),
    [
        ("- ansible.builtin.set_fact:\n    kafka_rf: 5\n    cacheable: true\n", "4"),
        ("- block:\n    - set_fact: {kafka_rf: '{{ kafka_low }}'}\n", "1"),
        ("- import_tasks: facts.yml\n", "6"),
        ("- include_tasks: facts.yml\n  when: x\n", None),
        ("- set_fact: {kafka_rf: 5}\n  loop: [1]\n", None),
        ("- set_fact: {kafka_rf: 5}\n  tags: [never]\n", None),
        ("- set_fact: {kafka_rf: 5}\n- set_fact: {kafka_rf: 6}\n", None),
        ("- block:\n    - set_fact: {kafka_rf: 5}\n  rescue: [{debug: {}}]\n", None),
        ("- set_fact: {kafka_rf: '{{ found.stdout }}'}\n- command: x\n  register: found\n", None),
        ("- set_fact: kafka_rf=5\n", None),
    ],
)
def test_what_tasks_set_for_sure(tasks: str, found: str | None) -> None:
    files = PROJECT | {"deploy/roles/kafka/tasks/main.yml": tasks}
    files["deploy/roles/kafka/vars/main.yml"] = "kafka_low: 2\n"
    if "import_tasks" in tasks or "include_tasks" in tasks:
        files["deploy/roles/kafka/tasks/facts.yml"] = "- set_fact: {kafka_rf: 7}\n"
    one = texts(read(TEMPLATE, files).resources[0])
    assert one["min.insync.replicas"] == found


def test_a_number_that_is_the_same_for_all_hosts_is_none_of_theirs() -> None:
    files = {path: text for path, text in PROJECT.items() if "host_vars" not in path}
    files[TEMPLATE] = "broker.id=1\nnode.id={{ kafka_node }}\nzookeeper.connect=z:2181\n"
    assert [texts(one)["broker.id"] for one in read(TEMPLATE, files).resources] == [None] * 3
    assert [texts(one)["node.id"] for one in read(TEMPLATE, files).resources] == [None] * 3


def test_templates_beside_plays() -> None:
    files = {
        "site.yml": "- hosts: kafka\n  tasks:\n    - template:\n        src: templates/kafka.properties.j2\n        dest: /opt/k\n",
        "hosts.ini": "[kafka]\nk1 rack=a\nk2 rack='b c' # a note\n",
        "group_vars/kafka.yml": "retention: 24\n",
        "templates/kafka.properties.j2": "broker.id={{ id }}\nzookeeper.connect=z:2181\nbroker.rack={{ rack }}\nlog.retention.hours={{ retention }}\n",
    }
    found = [texts(one) for one in read("templates/kafka.properties.j2", files).resources]
    assert [one["broker.rack"] for one in found] == ["a", "b c"]
    assert [one["log.retention.hours"] for one in found] == ["24", "24"]


def test_units_are_rendered() -> None:
    unit = "[Service]\nExecStart={{ home }}/bin/kafka-server-start.sh x\n{% if limit %}\nLimitNOFILE={{ limit }}\n{% endif %}\n"
    files = {
        "roles/kafka/defaults/main.yml": "limit: 4096\n",
        "roles/kafka/templates/kafka.service.j2": unit,
    }
    (host,) = read("roles/kafka/templates/kafka.service.j2", files).resources
    assert (host.facts["nofile"].text, host.facts["nofile"].at) == ("4096", (4, 13, 4, 24))


def test_files_of_a_folder_of_templates_are_rendered_whatever_they_are_called() -> None:
    path = "roles/kafka/templates/server.properties"
    files = {
        "roles/kafka/defaults/main.yml": "threads: 8\n",
        path: "broker.id={{ id }}\nzookeeper.connect=z:2181\nnum.io.threads={{ threads }}\n",
    }
    (broker,) = read(path, files).resources
    assert texts(broker)["num.io.threads"] == "8"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "server.properties.tftpl",
            "broker.id=${id}\nzookeeper.connect=z:2181\n%{ if tls ~}\nssl.client.auth=none\n%{ endif ~}\nnum.io.threads=8\n",
            {"broker.id": None, "zookeeper.connect": "z:2181", "num.io.threads": "8"},
        ),
        (
            "server.properties.ctmpl",
            'broker.id={{ key "id" }}\nzookeeper.connect={{ range service "z" }}{{ .Address }},{{ end }}\nlog.dirs=/d\n',
            {"broker.id": None, "log.dirs": "/d"},
        ),
        (
            "server.properties.gotmpl",
            "broker.id={{ .Id }}\nlog.dirs=/d\n{{- if .Tls }}\nssl.client.auth=none\n{{- else }}\nssl.client.auth=required\n{{- end }}\n{{ .More }}\nnum.io.threads=8\n",
            {"broker.id": None, "log.dirs": "/d", "num.io.threads": "8"},
        ),
    ],
)
def test_other_templates_as_far_as_they_are_literal(
    name: str, text: str, expected: dict[str, str | None]
) -> None:
    document = formats.read(f"conf/{name}", text.encode(), {}.get)
    (broker,) = document.resources
    assert texts(broker) == expected
    assert broker.traits.partial


def test_plays_that_include_files_of_tasks() -> None:
    """A template with all its lines known is whole: what it does not set has Kafka's default."""
    files = {
        "playbook.yaml": "- hosts: brokers\n  tasks:\n    - include_tasks: tasks/configure.yaml\n",
        "tasks/configure.yaml": "- template: src=templates/config/server.properties dest={{ conf }}/server.properties\n",
        "inventory.ini": "[brokers]\nk1\nk2\n",
        "templates/config/server.properties": "broker.id={{ groups['brokers'].index(inventory_hostname) }}\n"
        "zookeeper.connect={% for h in groups['brokers'] | map('extract', hostvars, ['inventory_hostname']) %}"
        "{{ h }}:2181{{ '' if loop.last else ',' }}{% endfor %}\n\nnum.io.threads={{ threads }}\n",
    }
    one, two = read("templates/config/server.properties", files).resources
    assert texts(one) == {
        "broker.id": "0",
        "zookeeper.connect": "k1:2181,k2:2181",
        "num.io.threads": None,
    }
    assert texts(two)["broker.id"] == "1"
    assert not one.traits.partial and one.traits.deployer == "ansible"
    files["playbook.yaml"] = files["playbook.yaml"].replace("configure", "other")
    (alone,) = read("templates/config/server.properties", files).resources
    assert alone.traits.partial


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "roles/kafka/templates/kafka-properties.j2",
            "broker.id={{ id }}\nzookeeper.connect=z:2181\nlog.dirs=/data\n",
        ),
        (
            "files/server.properties-01.j2",
            "broker.id=1\nzookeeper.connect={{ zookeeper }}\nlog.dirs=/data\n",
        ),
    ],
)
def test_templates_of_other_names(path: str, text: str) -> None:
    (broker,) = read(path, {path: text}).resources
    assert (broker.kind, texts(broker)["log.dirs"]) == ("broker", "/data")


# -- inventories --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("k[1:3]", ["k1", "k2", "k3"]),
        ("k[08:10].x", ["k08.x", "k09.x", "k10.x"]),
        ("k-[a:c]", ["k-a", "k-b", "k-c"]),
        ("r[1:2]-k[1:2]", ["r1-k1", "r1-k2", "r2-k1", "r2-k2"]),
        ("k1", ["k1"]),
        ("k[1:2:3]", ["k[1:2:3]"]),
        ("k[3:1]", None),
        ("k[1:900]", None),
        ("k[1:99][1:99][1:99]", None),
        ("k[" + "9" * 400 + ":1]", ["k[" + "9" * 400 + ":1]"]),
    ],
)
def test_ranges_of_hosts(pattern: str, names: list[str] | None) -> None:
    assert inventories.expanded(pattern) == names


def test_groups_go_over_each_other_from_the_widest_to_the_narrowest() -> None:
    text = """\
    all:
      vars: {x: all}
      children:
        outer:
          vars: {x: outer}
          children:
            inner: {vars: {x: inner}, hosts: {k1: , k2: {x: own}}}
        another: {vars: {x: another}, hosts: {k1: }}
    """
    made = inventories.read("hosts.yml", dedent(text).encode())
    assert made is not None
    assert made.groups_of("k1") == ["all", "another", "outer", "inner"]
    assert made.members("outer") == ["k1", "k2"]


@pytest.mark.parametrize(
    "text",
    ["", "plain text\n", "\0[a]\nb\n", "[a]\n=x\n", "a: 1\n", "[unclosed\n", "[a:vars]\nx=1\n"],
)
def test_files_that_are_no_inventory(text: str) -> None:
    assert inventories.read("hosts", text.encode()) is None


def test_an_inventory_of_circles_and_depths_ends() -> None:
    deep = "a:\n" + "".join(f"{'  ' * n}children:\n{'  ' * n} g{n}:\n" for n in range(1, 60))
    assert inventories.read("hosts.yml", deep.encode()) is None
    circle = inventories.read("hosts", b"[a:children]\nb\n[b:children]\na\n[a]\nk1\n")
    assert circle is not None and circle.members("b") == ["k1"]


# -- tasks --------------------------------------------------------------------------------------

BOOK = """\
- hosts: quorum
  vars:
    wanted:
      - {name: orders, partitions: 6, options: {retention.ms: 1000, cleanup.policy: compacted}}
      - name: bills
        partitions: 3
        options: {min.insync.replicas: 5}
  post_tasks:
    - name: topics
      kafka_topic:
        name: "{{ item.name }}"
        partitions: "{{ item.partitions }}"
        replica_factor: 3
        options: "{{ item.options | default({}) }}"
        bootstrap_servers: kafka1.example.com:9092
      loop: "{{ wanted }}"
    - acme.admin.kafka_topics:
        topics:
          - {name: audit, partitions: 1, replica_factor: 1, options: {retention.ms: two}}
          - {name: gone, state: absent}
          - {name: "{{ unknown }}", partitions: 1}
    - kafka_lib: {resource: topic, name: audit, partitions: 2, replica_factor: 1}
    - kafka_acls:
        acls:
          - name: orders
            acl_resource_type: topic
            acl_principal: User:billing
            acl_operations: [read, describe]
            acl_pattern_type: prefixed
          - {name: x, acl_principal: User:gone, acl_operation: read, state: absent}
      when: acls
    - kafka_acl: {name: a, acl_resource_type: group, acl_principal: billing, acl_operation: read}
      when: false
"""


def test_topics_and_acls_that_tasks_make() -> None:
    document = read("topics.yml", {"topics.yml": BOOK})
    assert (document.format, document.status) == ("ansible-tasks", READ)
    orders, bills, audit, user = document.resources
    assert texts(orders) == {"retention.ms": "1000", "cleanup.policy": "compacted"}
    assert {key: fact.text for key, fact in bills.facts.items()} == {
        "partitions": "3",
        "replication.factor": "3",
    }
    assert [one.text for one in orders.traits.asks] == ["kafka1.example.com:9092"]
    # A later task changes what an earlier one made.
    assert (audit.name, audit.facts["partitions"].text, texts(audit)) == ("audit", "2", {})
    assert user.name == "billing"
    assert [str(right) for right in user.traits.rights] == [
        "Read on topic orders*",
        "Describe on topic orders*",
    ]


def test_topics_meet_the_brokers_of_the_inventory() -> None:
    found = lint({**PROJECT, "deploy/topics.yml": BOOK}).findings
    codes = {(f.code, f.path, f.at[0]) for f in found}
    assert ("KC0104", "deploy/topics.yml", 4) in codes
    assert ("KC0302", "deploy/topics.yml", 7) in codes


FILES_OF_TASKS = """\
- name: all of it
  ansible.builtin.copy:
    dest: "{{ home }}/config/server.properties"
    content: |
      node.id={{ kafka_node }}
      process.roles=broker,controller
      {% if kafka_tls | bool %}
      ssl.client.auth=required
      {% endif %}
      controller.listener.names=CONTROLLER
      num.io.threads=few
- name: a part
  lineinfile:
    path: /opt/kafka/config/producer.properties
    line: "{{ item.key }}={{ item.value }}"
  loop:
    - {key: acks, value: "0"}
    - {key: linger.ms, value: many}
- lineinfile: {path: /etc/hosts.properties, line: "a=b"}
- blockinfile:
    path: /opt/kafka/config/connect-distributed.properties
    block: |
      group.id=connect
      offset.flush.interval.ms=two
"""


def test_files_that_tasks_write() -> None:
    path = "deploy/roles/kafka/tasks/main.yml"
    document = read(path, {**PROJECT, path: FILES_OF_TASKS})
    kinds = [(one.kind, one.name.partition(".")[0]) for one in document.resources]
    assert kinds[:3] == [("broker", "kafka1"), ("broker", "kafka2"), ("broker", "kafka3")]
    broker, producer, worker = document.resources[0], *document.resources[3:]
    assert texts(broker) == {
        "node.id": "11",
        "process.roles": "broker,controller",
        "ssl.client.auth": "required",
        "controller.listener.names": "CONTROLLER",
        "num.io.threads": "few",
    }
    assert broker.settings["num.io.threads"].at == (11, 22, 11, 25)
    assert texts(producer) == {"acks": "0", "linger.ms": "many"}
    assert texts(worker) == {"group.id": "connect", "offset.flush.interval.ms": "two"}
    assert producer.traits.fragment and worker.traits.fragment and not broker.traits.fragment


def test_a_line_in_a_file_that_a_template_makes_is_left_to_that() -> None:
    path = "deploy/roles/kafka/tasks/main.yml"
    task = "- lineinfile:\n    path: /opt/kafka/config/server.properties\n    line: num.io.threads=few\n"
    assert read(path, {**PROJECT, path: task}).status == PASSED_OVER
    (broker,) = read("roles/k/tasks/main.yml", {"roles/k/tasks/main.yml": task}).resources
    assert texts(broker) == {"num.io.threads": "few"}


def test_the_older_form_of_parameters() -> None:
    path = "install.yml"
    text = """\
    - hosts: kafka
      tasks:
        - lineinfile: regexp='^broker.id=(.*)' line='broker.id={{ random }}' dest={{ home }}/conf/server.properties
        - lineinfile: regexp='^log.dirs=(.*)' line='log.dirs=/srv/\\\\1' dest=/opt/conf/server.properties backrefs=yes
        - lineinfile: path=/opt/conf/server.properties line=num.io.threads=few
    """
    document = read(path, {path: text})
    (broker,) = document.resources
    assert texts(broker) == {"broker.id": None, "log.dirs": None, "num.io.threads": "few"}
    assert broker.settings["num.io.threads"].at == (5, 72, 5, 75)


def test_topics_among_variables() -> None:
    text = """\
    kafka_version: 3.9.0
    kafka_topics:
      - name: orders
        partitions: 6
        replica_factor: 3
        options: {retention.ms: 1000}
    """
    document = read("group_vars/kafka.yml", {"group_vars/kafka.yml": text})
    (topic,) = document.resources
    assert (document.format, topic.name, texts(topic)) == (
        "topics-yaml",
        "orders",
        {"retention.ms": "1000"},
    )
    assert topic.facts["replication.factor"].text == "3"


def test_connectors_of_templates() -> None:
    path = "roles/connect/templates/sink.json.j2"
    text = """\
    {"name": "sink", "config": {
      "connector.class": "io.confluent.connect.s3.S3SinkConnector",
      "topics": "{{ topics | join(',') }}",
      "tasks.max": "{{ tasks }}",
      "flush.size": "many",
      "s3.bucket.name": "{{ bucket }}"}}
    """
    files = {path: text, "roles/connect/defaults/main.yml": "topics: [a, b]\ntasks: 4\n"}
    document = read(path, files)
    (sink,) = document.resources
    assert (document.format, sink.kind, sink.name) == ("ansible", "connector", "sink")
    assert texts(sink) == {
        "connector.class": "io.confluent.connect.s3.S3SinkConnector",
        "topics": "a,b",
        "tasks.max": "4",
        "flush.size": "many",
        "s3.bucket.name": None,
    }
    assert sink.settings["flush.size"].at == (5, 18, 5, 22)
    assert read(path, {path: text.replace('"{{ tasks }}"', "{{ tasks }}")}).status == SKIPPED


# -- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{% if x %}" * 3000 + "broker.id=1\n",
        "{{" * 50_000,
        "{%" * 50_000 + "\nbroker.id=1\nzookeeper.connect=z\n",
        "broker.id=1\nzookeeper.connect=z\n" + "{% for a in b %}" * 500 + "x={{ a }}\n" + "{% endfor %}" * 500,
        "broker.id=1\nzookeeper.connect={{ " + "(" * 5000 + ")" * 5000 + " }}\n",
        "{% for a in l %}{% for b in l %}{% for c in l %}{% for d in l %}x{{ a }}={{ d }}\n"
        "{% endfor %}{% endfor %}{% endfor %}{% endfor %}\n\nbroker.id=1\nzookeeper.connect=z\n",
        "broker.id={{ c1 }}\nzookeeper.connect={{ big }}\n",
        "{% set x = [] %}{% for a in l %}{% set _ = x.append(x) %}{% endfor %}\n\nbroker.id=1\nlog.dirs={{ x | join(',') }}\n",
        "{% set x = 'ab' %}" + "{% set x = x ~ x %}" * 200 + "\nbroker.id=1\nlog.dirs={{ x }}\n",
        "{% set x = [1] %}{% set y = [1] %}"
        + "{% set x = [x, x] %}{% set y = [y, y] %}" * 60
        + "{% if x == y %}\na=1\n{% endif %}\nbroker.id=1\nlog.dirs=/a\n",
        "{% set x = [1] %}" + "{% set x = x + x %}" * 60 + "\nbroker.id=1\nlog.dirs={{ x | join }}\n",
        "{% set x = [[1]] %}" + "{% set _ = x.append(x) %}" * 60 + "\nbroker.id=1\nlog.dirs={{ x | join }}\n",
    ],
)  # fmt: skip
def test_hostile_templates_end(text: str) -> None:
    rows = [f"v{n}: '{{{{ v{n + 1} }}}}{{{{ v{n + 1} }}}}'" for n in range(60)]
    variables = [
        "l: [" + ",".join("x" * 300) + "]",
        "c1: '{{ c2 }}'",
        "c2: '{{ c1 }}'",
        "big: '{{ v0 }}'",
        *rows,
    ]
    files = {
        "roles/k/defaults/main.yml": "\n".join(variables) + "\n",
        "roles/k/templates/server.properties.j2": text,
    }
    document = read("roles/k/templates/server.properties.j2", files)
    assert document.status in (READ, SKIPPED, PASSED_OVER)
    assert all(
        len(made.text or "") < 3_000_000
        for one in document.resources
        for made in one.settings.values()
    )


@pytest.mark.parametrize(
    "text",
    [
        "- hosts: [1, {a: b}]\n  roles: {kafka: x}\n  tasks: [kafka_topic, {kafka_topic: }, {kafka_topic: [a]}]\n",
        "- kafka_topic:\n    name: [a]\n    partitions: {}\n    options: [1]\n- kafka_topics:\n    topics: orders\n",
        "- hosts: a\n  tasks:\n" + "".join(f"{'  ' * n}- block:\n" for n in range(2, 60)) + "- kafka_topic:\n    name: a\n",
        "- copy:\n    dest: server.properties\n    content: [a]\n- lineinfile:\n    path: server.properties\n    line: =\n- kafka_acl:\n    acl_principal: {}\n",
    ],
)  # fmt: skip
def test_other_shapes_of_tasks_are_survived(text: str) -> None:
    project = lint({"tasks.yml": text})
    assert project.documents[0].status in (READ, PASSED_OVER, "error")


def test_folders_are_listed_as_the_disk_has_them(tmp_path: object) -> None:
    root = str(tmp_path)
    import pathlib

    for name in ("a/b.yml", "a/c/d.yml"):
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x: 1\n")
    files = Files(root, root)
    assert files.lookup("a/") == b"b.yml\nc" == FolderNames(["a/b.yml", "a/c/d.yml"]).of("a")
    assert files.lookup("./") == b"a" == FolderNames(["a/b.yml"]).of(".")
    assert files.lookup("none/") is None is FolderNames([]).of("none")


def test_a_role_has_the_variables_of_the_roles_that_it_needs() -> None:
    files = {
        "roles/kafka/meta/main.yml": "dependencies:\n  - role: shared\n  - other.name\n  - {src: x}\n",
        "roles/shared/meta/main.yml": "dependencies: [base, kafka]\n",
        "roles/base/defaults/main.yml": "tls: true\nretention: 1\n",
        "roles/shared/defaults/main.yml": "retention: 2\nthreads: 2\n",
        "roles/kafka/defaults/main.yml": "threads: 3\n",
        "roles/kafka/templates/server.properties.j2": (
            "broker.id=1\nlog.retention.hours={{ retention }}\nnum.io.threads={{ threads }}\n"
            "{% if tls %}\nssl.client.auth=required\n{% endif %}\n"
        ),
    }
    (broker,) = read("roles/kafka/templates/server.properties.j2", files).resources
    assert texts(broker) == {
        "broker.id": "1",
        "log.retention.hours": "2",
        "num.io.threads": "3",
        "ssl.client.auth": "required",
    }
    assert broker.settings["log.retention.hours"].path == "roles/shared/defaults/main.yml"


def test_listeners_of_an_unknown_protocol_are_no_sign_of_a_broker() -> None:
    text = (
        "listeners={{ p }}://0.0.0.0:8082\nbootstrap.servers=a:9092\nclient.security.protocol=SSL\n"
    )
    files = {"roles/rest/templates/kafka-rest.properties.j2": text}
    document = read("roles/rest/templates/kafka-rest.properties.j2", files)
    assert [one.kind for one in document.resources if one.kind == "broker"] == []


_TEMPLATE = "broker.id={{ node_id }}\nzookeeper.connect=zk:2181\nlisteners=PLAINTEXT://:9092\nlog.dirs=/data\n"
_INVENTORY = """\
all:
  children:
    cluster:
      children:
        brokers: {hosts: {b1: {node_id: 1}, b2: {node_id: 2}}}
        tools: {hosts: {t1: {node_id: 7}}}
"""


@pytest.mark.parametrize(
    ("tasks", "names"),
    [
        ("- template: {src: server.properties.j2, dest: /k}\n", ["b1", "b2", "t1"]),
        (
            "- template: {src: server.properties.j2, dest: /k}\n  when: \"'brokers' in group_names\"\n",
            ["b1", "b2"],
        ),
        (
            "- when: inventory_hostname in groups['tools']\n  block:\n"
            "    - template: {src: templates/server.properties.j2, dest: /k}\n",
            ["t1"],
        ),
        (
            "- set_fact: {chosen: \"{{ 'server' if 'brokers' in group_names else 'tools' }}.properties.j2\"}\n"
            '- template: {src: "{{ chosen }}", dest: /k}\n',
            ["b1", "b2"],
        ),
        (
            "- set_fact: {chosen: \"{{ (group_names | difference(['cluster', 'all']))[0] }}\"}\n"
            "- template: {src: server.properties.j2, dest: /k}\n  when: chosen == 'brokers'\n",
            ["b1", "b2"],
        ),
        ('- template: {src: "{{ item }}", dest: /k}\n  loop: [a.j2]\n', ["b1", "b2", "t1"]),
    ],
)
def test_tasks_tell_which_hosts_get_a_template(tasks: str, names: list[str]) -> None:
    files = {
        "site.yml": "- hosts: all\n  roles: [kafka]\n",
        "inventory/hosts.yml": _INVENTORY,
        "roles/kafka/tasks/main.yml": tasks,
        "roles/kafka/templates/server.properties.j2": _TEMPLATE,
    }
    document = read("roles/kafka/templates/server.properties.j2", files)
    assert [one.name for one in document.resources] == names

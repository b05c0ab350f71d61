"""Variables that roles of Ansible have from each other, and from files that tasks include."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.folder_names import FolderNames

TEMPLATE = "roles/kafka/templates/server.properties.j2"
SERVER = """\
broker.id={{ kafka_id }}
log.dirs={{ kafka_dirs }}
min.insync.replicas={{ kafka_isr }}
default.replication.factor={{ kafka_rf | default(3) }}
"""
PROJECT = {
    TEMPLATE: SERVER,
    "hosts.ini": "[kafka]\nk1 kafka_id=1\nk2 kafka_id=2\n",
    "site.yml": "- hosts: kafka\n  roles: [kafka]\n",
    "roles/kafka/defaults/main.yml": "kafka_isr: 2\nkafka_dirs: /data\n",
}
ROLES = "roles/kafka/"


def values(files: dict[str, str]) -> list[str | None]:
    """Directories, min.insync.replicas and default.replication.factor of the first broker."""
    held = {name: text.encode() for name, text in {**PROJECT, **files}.items()}
    names = FolderNames(held)

    def lookup(path: str) -> bytes | None:
        return names.of(path[:-1]) if path.endswith("/") else held.get(path)

    document = formats.read(TEMPLATE, held[TEMPLATE], lookup)
    assert [one.name for one in document.resources] == ["k1", "k2"]
    settings = document.resources[0].settings
    keys = ("log.dirs", "min.insync.replicas", "default.replication.factor")
    return [settings[key].text for key in keys]


def test_alone() -> None:
    assert values({}) == ["/data", "2", "3"]


def test_a_role_that_others_depend_on_has_what_they_give() -> None:
    meta = "dependencies:\n  - role: kafka\n    vars: {kafka_isr: 1}\n    kafka_dirs: /mnt\n"
    site = "- hosts: kafka\n  roles: [platform]\n"
    files = {"site.yml": site, "roles/platform/meta/main.yml": meta}
    assert values(files) == ["/mnt", "1", "3"]
    # By a role between them, and with what the play gives to the outer one.
    files["roles/outer/meta/main.yml"] = "dependencies: [platform]\n"
    files["site.yml"] = "- hosts: kafka\n  roles: [{role: outer, kafka_rf: 4}]\n"
    assert values(files) == ["/mnt", "1", "4"]


@pytest.mark.parametrize(
    ("site", "meta"),
    [
        ("- hosts: kafka\n  roles: [kafka]\n", "dependencies: [common]\n"),
        ("- hosts: kafka\n  roles: [common, kafka]\n", ""),
        ("- hosts: kafka\n  roles: [kafka, {role: common}]\n", ""),
    ],
)
def test_a_role_sees_the_variables_of_others_below_its_own(site: str, meta: str) -> None:
    files = {
        "site.yml": site,
        "roles/kafka/meta/main.yml": meta,
        "roles/common/defaults/main.yml": "kafka_rf: 1\nkafka_isr: 7\n",
    }
    assert values(files) == ["/data", "2", "1"]
    files["roles/common/vars/main.yml"] = "kafka_isr: 8\n"
    assert values(files) == ["/data", "8", "1"]


INCLUDED = {ROLES + "vars/prod.yml": "kafka_isr: 1\nkafka_rf: 5\n"}


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("- include_vars: prod.yml\n", ["/data", "1", "5"]),
        ("- ansible.builtin.include_vars: {file: prod.yml}\n", ["/data", "1", "5"]),
        ('- include_vars: "{{ role_path }}/vars/prod.yml"\n', ["/data", "1", "5"]),
        # Under a condition or by a name that is not written, it may be so or not.
        ("- include_vars: prod.yml\n  when: x\n", ["/data", None, None]),
        ("- when: x\n  block: [{include_vars: prod.yml}]\n", ["/data", None, None]),
        ('- include_vars: "{{ env }}.yml"\n', ["/data", None, None]),
        ("- include_vars: {file: prod.yml, name: other}\n", ["/data", "2", "3"]),
        ("- include_vars: absent.yml\n", ["/data", None, None]),
    ],
)
def test_what_tasks_include_goes_over_the_roles_own(task: str, expected: list[str | None]) -> None:
    assert values({**INCLUDED, ROLES + "tasks/main.yml": task}) == expected


def test_what_other_files_of_tasks_include_is_of_some_hosts() -> None:
    assert values({**INCLUDED, ROLES + "tasks/debian.yml": "- include_vars: prod.yml\n"}) == [
        "/data",
        None,
        None,
    ]


def test_what_tasks_of_the_play_include() -> None:
    site = "- hosts: kafka\n  pre_tasks: [{include_vars: vars/x.yml}]\n  roles: [kafka]\n"
    assert values({"site.yml": site, "vars/x.yml": "kafka_isr: 3\n"}) == ["/data", "3", "3"]


def test_roles_that_need_each_other_end() -> None:
    files = {
        "roles/kafka/meta/main.yml": "dependencies: [common, kafka]\n",
        "roles/common/meta/main.yml": "dependencies: [kafka]\n",
    }
    assert values(files) == ["/data", "2", "3"]
    assert values({"roles/kafka/meta/main.yml": "dependencies: [[], {}, 1]\n"}) == [
        "/data",
        "2",
        "3",
    ]


MAPS = """\
kafka_low: {log.dirs: /low, min.insync.replicas: 2}
kafka_high: {min.insync.replicas: 1, default.replication.factor: 3}
kafka_none: {}
kafka_all: "{{ kafka_low | combine(kafka_none, kafka_high) }}"
"""
LOOPS = (
    "{% for k, v in kafka_all.items() %}\n{{ k }}={{ v }}\n{% endfor %}\n",
    "{% for e in kafka_all | dict2items %}\n{{ e.key }}={{ e.value }}\n{% endfor %}\n",
    "{% for k in kafka_all.keys() %}\n{{ k }}={{ kafka_all[k] }}\n{% endfor %}\n",
)


@pytest.mark.parametrize("loop", LOOPS)
def test_maps_over_each_other(loop: str) -> None:
    files = {TEMPLATE: "broker.id={{ kafka_id }}\n" + loop, f"{ROLES}defaults/main.yml": MAPS}
    assert values(files) == ["/low", "1", "3"]


def test_maps_over_each_other_stand_where_they_are() -> None:
    held = {
        TEMPLATE: f"broker.id=1\n{LOOPS[0]}".encode(),
        f"{ROLES}defaults/main.yml": MAPS.encode(),
    }
    (broker,) = formats.read(TEMPLATE, held[TEMPLATE], held.get).resources
    places = {key: (one.path, one.at[0]) for key, one in broker.settings.items()}
    assert places["log.dirs"] == (f"{ROLES}defaults/main.yml", 1)
    assert places["min.insync.replicas"] == (f"{ROLES}defaults/main.yml", 2)


@pytest.mark.parametrize(
    "told",
    [
        "kafka_low | combine(kafka_high, elsewhere)",
        "elsewhere | combine(kafka_high)",
        "kafka_low | combine(kafka_high | default({}))",
        "kafka_low | combine(kafka_all)",
        "kafka_low | combine(kafka_high, list_merge='append')",
        "kafka_low | combine('text')",
    ],
)
def test_maps_of_which_one_is_not_known_tell_nothing(told: str) -> None:
    maps = MAPS.partition("kafka_all")[0] + f'kafka_all: "{{{{ {told} }}}}"\n'
    for loop in LOOPS[:2]:
        held = {
            TEMPLATE: f"broker.id=1\n{loop}".encode(),
            f"{ROLES}defaults/main.yml": maps.encode(),
        }
        (broker,) = formats.read(TEMPLATE, held[TEMPLATE], held.get).resources
        assert {one.text for key, one in broker.settings.items() if key != "broker.id"} <= {None}

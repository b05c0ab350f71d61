"""Profiles, groups and imports of Spring Boot: what holds together, and which file tells it.

What wins was asked of Spring Boot 3.4.1 itself (SpringApplication over such files, 2026-11-30): the
answers are in the comments.
"""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.formats.spring import profiles as spring_profiles
from kcheck.model import PASSED_OVER, READ, Document

ACKS = "spring.kafka.producer.acks"


def documents(files: dict[str, str]) -> dict[str, Document]:
    sources = {path: dedent(text).encode() for path, text in files.items()}
    return {path: formats.read(path, data, sources.get) for path, data in sources.items()}


def told(files: dict[str, str], key: str = "acks") -> list[tuple[str, str, str | None]]:
    """(file, profile, text of the key) of each client."""
    return [
        (path, one.traits.profile, one.settings[key].text if key in one.settings else None)
        for path, document in documents(files).items()
        for one in document.resources
    ]


def base(*documents: str) -> str:
    return "---\n".join(documents)


def when(condition: str, acks: str) -> str:
    return f"spring.config.activate.on-profile: {condition}\n{ACKS}: {acks}\n"


def test_a_condition_of_several_profiles_holds_in_each_and_is_told_once() -> None:
    # -Dspring.profiles.active=b over "a | b", c over [c, d]: the document holds.
    text = base(f"{ACKS}: 0\n", when('"a | b"', "1"), when("[c, d]", "all"))
    assert told({"application.yml": text}) == [
        ("application.yml", "", "0"),
        ("application.yml", "a,b", "1"),
        ("application.yml", "c,d", "all"),
    ]


def test_a_negated_condition_holds_where_nothing_is_active() -> None:
    text = base(f"{ACKS}: 0\n", when('"!prod"', "1"))
    assert told({"application.yml": text}) == [
        ("application.yml", "", "1"),
        ("application.yml", "prod", "0"),
    ]


def test_profiles_that_have_to_be_active_together_are_one_world() -> None:
    text = base(f"{ACKS}: 0\n", when('"(prod & eu) & !test"', "1"))
    assert told({"application.yml": text}) == [
        ("application.yml", "", "0"),
        ("application.yml", "prod & eu", "1"),
    ]


def test_a_profile_s_file_goes_over_the_profile_s_document_and_tells_both() -> None:
    # m: proddoc, k: prodfile: documents of the main file hold below the profile's file.
    files = {
        "application.yml": base(
            f"{ACKS}: 0\nspring.kafka.bootstrap-servers: a:1\n",
            when("prod", "1") + "spring.kafka.bootstrap-servers: b:1\n",
        ),
        "application-prod.yml": f"{ACKS}: all\n",
    }
    assert told(files) == [("application.yml", "", "0"), ("application-prod.yml", "prod", "all")]
    assert told(files, "bootstrap.servers")[1] == ("application-prod.yml", "prod", "b:1")


def test_included_profiles_hold_below_the_active_one() -> None:
    # include: inc, active: prod: k=prod, l=inc.
    files = {
        "application.yml": f"spring.profiles.include: inc\n{ACKS}: 0\n",
        "application-inc.yml": f"{ACKS}: 1\nspring.kafka.bootstrap-servers: inc:1\n",
        "application-prod.yml": f"{ACKS}: all\n",
    }
    assert told(files) == [
        ("application-inc.yml", "", "1"),
        ("application-prod.yml", "prod", "all"),
    ]
    assert told(files, "bootstrap.servers")[1][2] == "inc:1"
    main = documents(files)["application.yml"]
    assert (main.status, main.reason) == (PASSED_OVER, "read together with application-inc.yml")


def test_members_of_a_group_go_over_their_leader_in_their_order() -> None:
    # group prod: x,y: k=y, l=x, active is prod, x, y.
    files = {
        "application.yml": f"spring.profiles.group.prod: x,y\n{ACKS}: 0\n",
        "application-prod.yml": f"{ACKS}: 1\nspring.kafka.bootstrap-servers: prod:1\n",
        "application-x.yml": "spring.kafka.bootstrap-servers: x:1\n",
        "application-y.yml": f"{ACKS}: all\n",
    }
    prod = [one for one in told(files, "bootstrap.servers") if one[1] == "prod"]
    assert prod == [("application-y.yml", "prod", "x:1")]
    assert ("application-y.yml", "prod", "all") in told(files)
    leader = documents(files)["application-prod.yml"]
    assert leader.reason == "read together with application-y.yml"


def test_groups_in_properties_are_lists() -> None:
    files = {
        "application.properties": dedent(f"""\
            spring.profiles.group.prod[0]=x
            spring.profiles.group.prod[1]=y
            {ACKS}=0
            #---
            spring.config.activate.on-profile=x
            {ACKS}=1
            #---
            spring.config.activate.on-profile=y
            {ACKS}=all
            """)
    }
    assert {(p, a) for _, p, a in told(files)} == {
        ("", "0"),
        ("x", "1"),
        ("y", "all"),
        ("prod", "all"),
    }


def test_properties_go_over_yaml_of_the_same_name() -> None:
    files = {"application.yml": f"{ACKS}: 0\n", "application.properties": f"{ACKS}=1\n"}
    assert told(files) == [("application.properties", "", "1")]


def test_an_import_goes_over_its_document_and_under_the_next() -> None:
    # k=extra, l=second: the first document imports, the second sets l.
    files = {
        "app/application.yml": base(
            f'spring.config.import: "classpath:kafka/extra.yml"\n{ACKS}: 0\n',
            "spring.kafka.bootstrap-servers: second:1\n",
        ),
        "app/kafka/extra.yml": f"{ACKS}: 1\nspring.kafka.bootstrap-servers: extra:1\n",
    }
    assert told(files)[0] == ("app/application.yml", "", "1")
    assert told(files, "bootstrap.servers")[0][2] == "second:1"


def test_an_imported_file_beside_the_application_is_told_with_it() -> None:
    files = {
        "application.yml": f"spring.config.import: [kafka.yml, other.yml]\n{ACKS}: 0\n",
        "kafka.yml": f"{ACKS}: 1\n",
    }
    assert told(files) == [("application.yml", "", "1")]
    kafka = documents(files)["kafka.yml"]
    assert (kafka.status, kafka.reason) == (PASSED_OVER, "read together with application.yml")


def test_an_imported_file_is_read_alone_where_the_application_has_nothing_of_kafka() -> None:
    files = {
        "application.yml": "spring.config.import: [kafka.properties]\nserver.port: 8080\n",
        "kafka.properties": f"{ACKS}=1\n",
    }
    assert told(files) == [("kafka.properties", "", "1")]


@pytest.mark.parametrize(
    "place",
    ["configtree:/etc/config/", "optional:configserver:http://c:8888", "file:/etc/a.yml", "no.yml"],
)
def test_what_is_imported_from_elsewhere_is_told_and_leaves_defaults_open(place: str) -> None:
    text = f'spring.config.import: "{place}"\n{ACKS}: 0\n'
    document = documents({"application.yml": text})["application.yml"]
    assert (document.status, document.reason) == (READ, f"imports {place}, not read")
    assert document.resources[0].traits.partial


def test_files_that_import_each_other_come_to_an_end() -> None:
    files = {
        "application.yml": f"spring.config.import: a.yml\n{ACKS}: 0\n",
        "a.yml": f"spring.config.import: b.yml\n{ACKS}: 1\n",
        "b.yml": "spring.config.import: a.yml\n",
    }
    assert ("application.yml", "", "1") in told(files)


@pytest.mark.parametrize(
    ("condition", "active", "expected"),
    [
        ("a", {"a"}, True),
        ("!a", set(), True),
        ("a & !b", {"a", "b"}, False),
        ("a & (b | c)", {"a", "c"}, True),
        ("a, b", {"b"}, True),
        ("a |", {"a"}, False),
        ("(a", {"a"}, False),
        ("a)", {"a"}, False),
        ("", set(), False),
        ("!!a", {"a"}, True),
    ],
)
def test_expressions_of_profiles(condition: str, active: set[str], expected: bool) -> None:
    assert spring_profiles.holds(condition, frozenset(active)) is expected


def test_very_many_profiles_end_soon_and_are_told() -> None:
    text = base(f"{ACKS}: 0\n", *(when(f"p{n}", "1") for n in range(3_000)))
    document = documents({"application.yml": text})["application.yml"]
    assert len(document.resources) == spring_profiles.MOST
    assert document.reason == "2,801 of its profiles not read: p199 …"


@pytest.mark.parametrize("condition", ["(" * 5_000, "!" * 5_000 + "a", "a & " * 3_000, "|" * 9_000])
def test_hostile_conditions_are_no_crash(condition: str) -> None:
    text = base(f"{ACKS}: 0\n", when(f'"{condition}"', "1"))
    document = documents({"application.yml": text})["application.yml"]
    assert document.resources or document.problems

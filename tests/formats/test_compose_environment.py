"""How compose puts an environment together, and where each value is written."""

from __future__ import annotations

import pytest
from composing import document, project, resource, service, written

IMAGE = "confluentinc/cp-kafka:7.5.0"


def one(*lines: str) -> str:
    """A file with one service whose definition ends in these lines."""
    head = ["services:", "  kafka:", f"    image: {IMAGE}"]
    return "\n".join([*head, *(f"    {line}" for line in lines)]) + "\n"


@pytest.mark.parametrize(
    ("lines", "text", "raw"),
    [
        (["environment: {KAFKA_LOG_DIRS: /data}"], "/data", "/data"),
        (["environment:", '  KAFKA_LOG_DIRS: "/data"'], "/data", '"/data"'),
        (["environment:", "  - KAFKA_LOG_DIRS=/data"], "/data", "/data"),
        (["environment:", "  - 'KAFKA_LOG_DIRS=/data'"], "/data", "/data"),
        (["environment:", '- "KAFKA_LOG_DIRS=/da ta=x"'], "/da ta=x", "/da ta=x"),
        (["environment:", "- KAFKA_LOG_DIRS="], "", ""),
        (["environment: [ KAFKA_LOG_DIRS=/data ]  # note"], "/data", "/data"),
        (["environment:", "  KAFKA_LOG_DIRS: ${D:-/data}"], "/data", "${D:-/data}"),
    ],
)
def test_maps_and_lists(lines: list[str], text: str, raw: str) -> None:
    main = one(*lines)
    setting = resource(main).settings["log.dirs"]
    assert setting.text == text
    assert setting.name == "KAFKA_LOG_DIRS"
    assert written(setting, project(main)) == raw


def test_the_name_has_a_place_of_its_own() -> None:
    listed = resource(one("environment:", "- KAFKA_LOG_DIRS=/data")).settings["log.dirs"]
    assert listed.key_at == (5, 7, 5, 21)
    mapped = resource(one("environment:", "  KAFKA_LOG_DIRS: /data")).settings["log.dirs"]
    assert mapped.key_at == (5, 7, 5, 21)


@pytest.mark.parametrize(
    ("written_as", "text"),
    [
        ("3", "3"),
        ("1_000_000", "1000000"),
        ("+5", "5"),
        ("true", "true"),
        ("True", "true"),
        ("yes", "yes"),
        ("0.5", "0.5"),
        ("3.0", None),
        ("0644", None),
        ("1e3", None),
        ("'3.0'", "3.0"),
        ("2.8.1", "2.8.1"),
        ("PLAINTEXT://:9092", "PLAINTEXT://:9092"),
        ("'a$$b'", "a$b"),
        ("${GONE}", None),
        ("x${GONE:-}y", "xy"),
        ("'{{ value }}'", None),
    ],
)
def test_scalars(written_as: str, text: str | None) -> None:
    found = resource(one("environment:", f"  KAFKA_NUM_PARTITIONS: {written_as}"))
    assert found.settings["num.partitions"].text == text


def test_merged_anchors_keep_their_places() -> None:
    main = """\
        x-kafka: &kafka
          image: apache/kafka:4.1.0
        x-env: &env
          KAFKA_NUM_PARTITIONS: 3
          KAFKA_LOG_DIRS: /a
        services:
          kafka:
            <<: *kafka
            environment:
              <<: *env
              KAFKA_LOG_DIRS: /b
        """
    found = resource(main)
    assert found.settings["log.dirs"].at[0] == 11
    assert found.settings["num.partitions"].at[0] == 4
    assert not found.earlier
    assert found.facts["kafka_version"].at[0] == 2


def test_a_later_duplicate_wins_and_the_earlier_one_is_told() -> None:
    found = resource(one("environment:", "- KAFKA_NUM_PARTITIONS=1", "- KAFKA_NUM_PARTITIONS=2"))
    ((old, new),) = found.earlier
    assert (old.key, old.text, new.text) == ("num.partitions", "1", "2")
    assert found.settings["num.partitions"] is new


def test_dot_env_fills_in() -> None:
    files = {".env": "VERSION=7.9.0\nHOST=k1\nURL=${HOST}:9092\nRAW='a$HOST'\n"}
    main = service(
        "confluentinc/cp-kafka:${VERSION}",
        "KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://${URL}",
        "KAFKA_BROKER_RACK=${RAW}",
    )
    found = resource(main, files)
    assert found.facts["kafka_version"].text == "3.9.0"
    assert found.settings["advertised.listeners"].text == "PLAINTEXT://k1:9092"
    assert found.settings["broker.rack"].text == "a$HOST"
    below = resource(main, {"deploy/.env": files[".env"]}, "deploy/compose.yml")
    assert below.settings["advertised.listeners"].text == "PLAINTEXT://k1:9092"
    elsewhere = resource(main, {".env": files[".env"]}, "deploy/compose.yml")
    assert elsewhere.settings["advertised.listeners"].text is None
    assert "kafka_version" not in elsewhere.facts


def test_a_name_without_value_comes_from_dot_env_or_nobody_knows() -> None:
    files = {".env": "A=1\nKAFKA_NUM_PARTITIONS=6\n"}
    for lines in (["- KAFKA_NUM_PARTITIONS"], ["  KAFKA_NUM_PARTITIONS:"]):
        known = resource(one("environment:", *lines), files).settings["num.partitions"]
        assert (known.text, known.path, known.at) == ("6", ".env", (2, 22, 2, 23))
        unknown = resource(one("environment:", *lines)).settings["num.partitions"]
        assert unknown.text is None


@pytest.mark.parametrize(
    "lines",
    [
        ["env_file: kafka.env"],
        ["env_file:", "  - other.env", "  - ./kafka.env"],
        ["env_file:", "  - path: kafka.env", "    required: true"],
    ],
)
def test_env_files(lines: list[str]) -> None:
    files = {
        "other.env": "KAFKA_NUM_PARTITIONS=1\n",
        "kafka.env": "# sizes\nKAFKA_NUM_PARTITIONS=12 # note\nKAFKA_BROKER_RACK=a\n",
    }
    main = one(*lines, "environment:", "  KAFKA_BROKER_RACK: b")
    found = resource(main, files)
    assert found.settings["num.partitions"].text == "12"
    assert written(found.settings["num.partitions"], project(main, files)) == "12"
    assert found.settings["broker.rack"].text == "b"


def test_an_env_file_that_is_not_there_leaves_everything_open() -> None:
    assert document(one("env_file: secret.env", "environment: {KAFKA_NODE_ID: 1}")).resources == []


def test_extends_and_override() -> None:
    base = "services:\n  base:\n    image: bitnami/kafka:3.7.0\n    environment:\n      KAFKA_CFG_LOG_DIRS: /d\n"
    main = """\
        services:
          kafka:
            extends: {file: common/base.yml, service: base}
            environment:
              KAFKA_CFG_NODE_ID: 4
        """
    found = resource(main, {"common/base.yml": base})
    assert found.settings["log.dirs"].path == "common/base.yml"
    assert found.settings["node.id"].text == "4"
    assert found.facts["image"].path == "common/base.yml"
    assert document(main).resources == []

    over = {"docker-compose.override.yml": one("environment: {KAFKA_LOG_DIRS: /over}")}
    found = resource(one("environment: {KAFKA_LOG_DIRS: /own, KAFKA_BROKER_ID: 1}"), over)
    assert found.settings["log.dirs"].text == "/over"
    assert found.settings["log.dirs"].path == "docker-compose.override.yml"
    alone = document(
        over["docker-compose.override.yml"],
        {"docker-compose.yml": one("environment: {KAFKA_BROKER_ID: 1}")},
        "docker-compose.override.yml",
    )
    assert alone.resources == [] and "overrides" in alone.reason


def test_an_override_may_extend_what_nobody_has() -> None:
    over = {"docker-compose.override.yml": one("extends: {file: gone.yml, service: kafka}")}
    assert document(one("environment: {KAFKA_BROKER_ID: 1}"), over).resources == []


def test_extends_in_a_circle_ends() -> None:
    main = "services:\n  a: {image: apache/kafka, extends: b}\n  b: {image: apache/kafka, extends: a}\n"
    assert document(main).resources == []


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("|\n        A://a:1,\n        B://b:2", "A://a:1,"),
        (">\n        A://a:1,\n        B://b:2", "A://a:1, B://b:2"),
        ("|\n        A://a:1,B://b:2", "A://a:1,B://b:2"),
        ("|\n        A://a:1,\\\n        B://b:2", "A://a:1,B://b:2"),
        (r"'C:\kafka'", "C:kafka"),
    ],
)
def test_values_are_what_a_properties_file_makes_of_them(block: str, text: str) -> None:
    found = resource(one("environment:", f"  KAFKA_LISTENERS: {block}"))
    assert found.settings["listeners"].text == text

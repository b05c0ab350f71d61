"""Which release of Connect's plug-ins a project installs, and what takes a value in it."""

from __future__ import annotations

import pytest

from kcheck import connect_plugins, formats
from kcheck.engine import lint_project
from kcheck.formats import releases
from kcheck.settings import Settings
from kcheck.version import Version

POSTGRES = "io.debezium.connector.postgresql.PostgresConnector"
CONNECTOR = (
    f'{{"name": "shop", "config": {{"connector.class": "{POSTGRES}", "topic.prefix": "shop", '
    '"database.hostname": "db", "snapshot.mode": "never"}}'
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("FROM quay.io/debezium/connect:2.4.0.Final\n", [("debezium", "2.4.0")]),
        ("FROM debezium/connect-base:3.0\n", [("debezium", "3.0")]),
        (
            "FROM confluentinc/cp-kafka-connect:7.5.0\n"
            "RUN confluent-hub install --no-prompt debezium/debezium-connector-postgresql:2.4.2\n",
            [("debezium", "2.4.2")],
        ),
        (
            "FROM confluentinc/cp-kafka-connect:7.5.0\n"
            "RUN curl https://repo1.maven.org/maven2/io/debezium/debezium-connector-mysql/1.9.7.Final/\n"
            "RUN confluent-hub install mongodb/kafka-connect-mongodb:1.13.0\n",
            [("debezium", "1.9.7"), ("mongodb", "1.13.0")],
        ),
        ("FROM a\n# debezium/connect:2.4\nRUN echo debezium-connector-x\n", []),
        ("FROM debezium/connect:latest\n", []),
    ],
)
def test_what_installs_them_tells_their_release(text: str, told: list[tuple[str, str]]) -> None:
    document = formats.read("Dockerfile", text.encode(), {}.get)
    found = [(one.product, one.told.text) for one in document.extent.releases]
    assert [pair for pair in found if pair[0] != "kafka"] == told


@pytest.mark.parametrize(
    ("version", "asked"),
    [
        ("2.4.0", ("2.4",)),
        ("2.5", ("2.4", "2.7")),
        ("1.2", ("1.9",)),
        ("9.0", ("3.5",)),
        ("", ("1.9", "2.1", "2.4", "2.7", "3.0", "3.3", "3.5")),
    ],
)
def test_the_release_or_its_neighbours_decide(version: str, asked: tuple[str, ...]) -> None:
    plugin = connect_plugins.plugin(POSTGRES)
    assert plugin is not None
    assert plugin.possible(Version(version)) == asked


@pytest.mark.parametrize(
    ("dockerfiles", "told"),
    [
        ({"Dockerfile": "2.4"}, False),
        ({"Dockerfile": "3.5"}, True),
        ({"Dockerfile": "3.1"}, True),
        # The nearest one counts; two that are as near say nothing.
        ({"Dockerfile": "3.5", "connect/Dockerfile": "2.4"}, False),
        ({"connect/a/Dockerfile": "3.5", "connect/b/Dockerfile": "2.4"}, True),
    ],
)
def test_a_value_that_the_release_takes_is_not_told(
    dockerfiles: dict[str, str], told: bool
) -> None:
    sources = {path: f"FROM debezium/connect:{tag}\n".encode() for path, tag in dockerfiles.items()}
    sources["connect/shop.json"] = CONNECTOR.encode()
    found = lint_project([*sources.items()], Settings(), sources.get).findings
    assert ("KC1492" in {one.code for one in found}) is told


def test_variables_that_name_each_other_over_and_over_stay_short() -> None:
    lines = ["a=xxxxxxxxxx", *(["a=" + "${a}" * 100] * 30), "V=3.6.1"]
    fetched = "curl -O https://archive.apache.org/dist/kafka/$V/kafka_2.13-$V.tgz # $a"
    told = [*releases._archives("get.sh", [*lines, fetched])]
    assert [(one.text, one.at[0]) for one in told] == [("3.6.1", len(lines))]

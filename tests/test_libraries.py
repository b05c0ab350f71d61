"""One owner for client libraries: the rows are sound, and nobody else compares their names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from trees import nodes

from kcheck import libraries
from kcheck.catalogue import oldest
from kcheck.data import rows
from kcheck.graph.clients import Client
from kcheck.lexicon.upgrades import oldest_clients
from kcheck.libraries import LIBRDKAFKA, ROWS, ClientLibrary
from kcheck.model import DEFAULT, Resource, Value
from kcheck.partition.partitioners import PARTITIONERS
from kcheck.version import parse
from kcheck.wording import origin

PACKAGE = Path(__file__).resolve().parent.parent / "kcheck"
NAMES = {row.name for row in ROWS}


def test_names_and_packages_are_each_of_one_library() -> None:
    packages = [package for row in ROWS for package in (row.name, *row.packages, *row.wrappers)]
    assert len(packages) == len(set(packages))
    assert packages == [package.lower() for package in packages]
    assert libraries.UNKNOWN not in packages


def test_a_package_tells_its_library_and_whose_versions_it_has() -> None:
    assert libraries.binding("Confluent-Kafka") == ("librdkafka", True)
    assert libraries.binding("kcat") == ("librdkafka", False)
    assert libraries.binding("Sarama") == ("sarama", True)
    assert libraries.binding("Java") == ("java", True)
    assert libraries.binding("somebody/kafka") == ("somebody/kafka", True)


def test_a_library_without_a_row_says_nothing() -> None:
    made = libraries.of("somebody/kafka")
    assert made.name == made.default_of == "somebody/kafka"
    told = {name: getattr(made, name) for name in ClientLibrary.__slots__}
    assert {name: value for name, value in told.items() if value} == {
        "name": made.name,
        "separator": ".",
        "no_host_check": ("",),
        "request_limit": "max.request.size",
        "splits_batches": True,
    }
    assert libraries.of(libraries.UNKNOWN).default_of == ""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_is_sound(row: ClientLibrary) -> None:
    released = [cells for cells in rows("clients/releases.tsv") if cells[0] == row.name]
    assert row.catalogue == bool(released)
    assert not (row.java and row.catalogue)
    # What is told of unknown keys is looked up in the table.
    assert not row.refuses_unknown_keys or row.catalogue
    for version in (row.assumed, row.consumer_protocol, row.least):
        assert not version or parse(version)
    assert (row.name in PARTITIONERS) == bool(row.partitioner)
    assert row.spelled("linger.ms") == f"linger{row.separator}ms"
    assert row.dotted(row.spelled("linger.ms")) == "linger.ms"
    assert oldest_clients().get(row.name, "") == row.least


def test_java_is_kafkas_own() -> None:
    assert [row.name for row in ROWS if row.java] == [Resource("producer", "a", "b").dialect]
    assert parse(libraries.JAVA.least or "") < parse(oldest())  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("java", " (default)"),
        (libraries.UNKNOWN, " (default)"),
        ("librdkafka", " (default of librdkafka)"),
    ],
)
def test_whose_default_it_is(name: str, said: str) -> None:
    resource = Resource("producer", "a", "b")
    resource.dialect = name
    assert origin(Value("linger.ms", resource, DEFAULT, "5", 5, True)) == said


def compared(path: Path) -> list[str]:
    """The names of libraries that a module writes as texts of their own, with their lines.

    What a rule says of its versions is prose, as its docstring is.
    """
    prose = {
        id(word.value)
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        for word in decorator.keywords
        if word.arg == "versions"
    }
    return [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.value}"
        for node in nodes(path)
        if isinstance(node, ast.Constant) and node.value in NAMES and id(node) not in prose
    ]


@pytest.mark.parametrize("room", ["rules", "graph", "lexicon", "limits", "explain", "editor"])
def test_nobody_compares_names_of_libraries(room: str) -> None:
    found = [line for path in sorted((PACKAGE / room).rglob("*.py")) for line in compared(path)]
    assert found == [], "ask the row of the library (node.library), and add what it lacks"


def test_a_node_has_the_row_of_its_library() -> None:
    made = Client.__new__(Client)
    made.resource = Resource("producer", "a", "b")
    assert made.library is libraries.JAVA and made.java
    made.resource.dialect = "librdkafka"
    assert made.library is LIBRDKAFKA and not made.java

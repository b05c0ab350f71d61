"""The keys of each plane as Kafka's own ConfigDefs declare them, and those that its code reads besides.

Read from the tables in ``schemas/kafka``, which come from the jars, and from ``read.tsv``, without
a line of kcheck: what is drawn from here knows nothing of what kcheck checks.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
_KAFKA = HERE.parents[1] / "schemas" / "kafka"

_BROKERS = ("zookeeper", "broker", "controller", "combined")
_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?")


class Key:
    """One key of a plane with all that any release declares of it.

    ``type`` is the newest release's; ``ends`` are the bounds of all releases, ``words`` the texts
    or elements that a validator names, ``samples`` texts that ``read.tsv`` gives.
    """

    __slots__ = ("defaults", "ends", "name", "samples", "type", "words")

    def __init__(self, name: str) -> None:
        self.name = name
        self.type = ""
        self.defaults: list[str] = []
        self.ends: list[str] = []
        self.words: list[str] = []
        self.samples: list[str] = []

    def learn(self, kind: str, default: str, valid: str) -> None:
        self.type = kind
        if default.startswith("="):
            _add(self.defaults, [default[1:]])
        for word in valid.split(" "):
            name, colon, rest = word.partition(":")
            if colon and name in ("enum", "enum-ci", "list", "list-ci", "word"):
                _add(self.words, rest.split("|"))
            bounds = _RANGE.fullmatch(word)
            if bounds:
                _add(self.ends, [end for end in bounds.groups() if end])

    def __repr__(self) -> str:
        return f"Key({self.name} {self.type})"


def _add(into: list[str], texts: list[str]) -> None:
    into += [text for text in texts if text not in into]


def table_of(plane: str) -> str:
    """The table that declares the plane's keys."""
    if plane in _BROKERS:
        return "broker"
    return "consumer" if plane == "share-consumer" else plane


@cache
def declared(plane: str) -> dict[str, Key]:
    """Key → what the ConfigDefs of all releases say of it, by name."""
    found: dict[str, Key] = {}
    for name, _versions, kind, default, valid, *_ in _rows(_KAFKA / f"{table_of(plane)}.tsv"):
        if not name.startswith("internal."):
            found.setdefault(name, Key(name)).learn(kind, default, valid)
    return dict(sorted(found.items()))


@cache
def read(plane: str) -> dict[str, Key]:
    """Key → the same of those that Kafka's code reads without a ConfigDef, or behind a name."""
    found: dict[str, Key] = {}
    for planes, name, kind, samples in _rows(HERE / "read.tsv"):
        if plane in planes.split(" ") or table_of(plane) in planes.split(" "):
            key = found.setdefault(name, Key(name))
            key.type = kind
            key.samples = samples.split("|") if samples else []
    return found


@cache
def of_librdkafka(role: str) -> dict[str, Key]:
    """Key → what the tables of all releases of librdkafka say of it, for one of its clients."""
    found: dict[str, Key] = {}
    path = HERE.parents[1] / "schemas" / "clients" / "librdkafka.tsv"
    for name, _versions, scope, kind, default, valid, *_ in _rows(path):
        if scope in ("*", role) and kind not in ("callback", "code"):
            found.setdefault(name, Key(name)).learn(kind, default, valid)
    return dict(sorted(found.items()))


@cache
def transformations() -> dict[str, dict[str, Key]]:
    """Transformation or predicate of Connect's → its keys."""
    found: dict[str, dict[str, Key]] = {}
    for both, _versions, kind, default, valid, *_ in _rows(_KAFKA / "transforms.tsv"):
        owner, _, name = both.partition(" ")
        found.setdefault(owner, {}).setdefault(name, Key(name)).learn(kind, default, valid)
    return found


@cache
def classes() -> dict[str, tuple[str, ...]]:
    """Class of Kafka's → the interfaces that it implements in any release."""
    found: dict[str, list[str]] = {}
    for name, _versions, kinds in _rows(_KAFKA / "classes.tsv"):
        _add(found.setdefault(name, []), kinds.split(" "))
    return {name: tuple(kinds) for name, kinds in sorted(found.items())}


@cache
def types() -> tuple[str, ...]:
    """All types of the packages that hold such classes: interfaces and enumerations as well."""
    names = dict.fromkeys(name for name, _versions in _rows(_KAFKA / "types.tsv"))
    return tuple(name for name in names if not name.endswith("."))


@cache
def packages() -> frozenset[str]:
    """Kafka's own packages."""
    return frozenset(n[:-1] for n, _ in _rows(_KAFKA / "types.tsv") if n.endswith("."))


def _rows(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("# ")][1:]

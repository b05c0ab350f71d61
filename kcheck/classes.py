"""Kafka's own classes that settings name: which versions have them, and what they can be."""

from __future__ import annotations

from kcheck import catalogue, data
from kcheck.version import Version

#: class → (first minor, last minor, the names of the interfaces that it implements).
_classes: dict[str, list[tuple[str, str, frozenset[str]]]] = {}
#: The names in small letters → the names.
_folded: dict[str, str] = {}
#: Packages in which every class that a setting can name is in the table.
_OWN = tuple(
    f"org.apache.kafka.{package}"
    for package in (
        *("common.serialization", "clients.consumer", "clients.producer"),
        *("connect.converters", "connect.json", "connect.storage"),
        *("connect.transforms", "connect.transforms.predicates"),
    )
)


def _load() -> None:
    for name, versions, kinds in data.rows("kafka/classes.tsv"):
        since, dash, until = versions.partition("-")
        last = (until or catalogue.newest()) if dash else since
        _classes.setdefault(name, []).append((since, last, frozenset(kinds.split(" "))))


def known(name: str) -> bool:
    """Whether some version of Kafka has a class of that name for settings to name."""
    if not _classes:
        _load()
    return name in _classes


def spans(name: str) -> list[tuple[str, str]]:
    """(first, last) minor of each range of versions that have the class."""
    return [(since, until) for since, until, _ in _classes.get(name, ())] if known(name) else []


def kinds(name: str, version: Version) -> frozenset[str]:
    """The interfaces of the class in that version, or in any where it is unknown; empty if none."""
    if not known(name):
        return frozenset()
    (first, last), order = catalogue.stretch(version), catalogue.minors()
    found: frozenset[str] = frozenset()
    for since, until, names in _classes[name]:
        inside = order.index(since) <= last and first <= order.index(until)
        found |= names if inside else frozenset()
    return found


def ours(name: str) -> bool:
    """Whether Kafka alone has classes in the package of that name, so that others do not exist."""
    return name.rpartition(".")[0] in _OWN


def nested(name: str) -> str:
    """``Serdes$StringSerde`` for ``Serdes.StringSerde``, where Kafka has that class; else ""."""
    outer, _, inner = name.rpartition(".")
    spelt = f"{outer}${inner}"
    return spelt if known(spelt) else ""


def spelt(name: str) -> str:
    """Kafka's class of that name in whatever capitals; "" where there is none."""
    if known(name):
        return name
    if not _folded:
        _folded.update((own.lower(), own) for own in _classes)
    return _folded.get(name.lower(), "")

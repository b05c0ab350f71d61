"""Kafka's own classes that settings name: which versions have them, and what they can be."""

from __future__ import annotations

from kcheck import catalogue, data
from kcheck.version import Version

#: class → (first minor, last minor, the names of the interfaces that it implements).
_classes: dict[str, list[tuple[str, str, frozenset[str]]]] = {}
#: The names in small letters → the names.
_folded: dict[str, str] = {}
#: Packages (with a dot at the end) and the names in some of them → (first minor, last minor); those
#: packages.
_names: dict[str, list[tuple[str, str]]] = {}
_complete: set[str] = set()
#: Those of them whose nested classes are there, too.
_with_nested: set[str] = set()
_KAFKA = "org.apache.kafka."
#: Interfaces that no class in the jars of 2.8 to 4.4 implements: these are for others.
_NONE = ("ProducerInterceptor", "ConsumerInterceptor")
#: Packages of jars of Kafka's that are not in the tables.
_BESIDE = (
    "org.apache.kafka.connect.file",
    "org.apache.kafka.connect.rest.basic.auth.extension",
    "org.apache.kafka.log4jappender",
)
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
        ends = _ends(versions)
        _classes.setdefault(name, []).append((*ends, frozenset(kinds.split(" "))))


def _ends(versions: str) -> tuple[str, str]:
    since, dash, until = versions.partition("-")
    return since, (until or catalogue.newest()) if dash else since


def known(name: str) -> bool:
    """Whether some version of Kafka has a class of that name for settings to name."""
    if not _classes:
        _load()
    return name in _classes


def spans(name: str) -> list[tuple[str, str]]:
    """(first, last) minor of each range of versions that have the class, interface or the like."""
    if known(name):
        return [(since, until) for since, until, _ in _classes[name]]
    return _all().get(name, [])


def absent(name: str, version: Version) -> bool:
    """Whether Kafka has the class, interface or the like in other versions than that one alone."""
    spans_of = spans(name)
    (first, last), order = catalogue.stretch(version), catalogue.minors()
    return bool(spans_of) and not any(
        order.index(since) <= last and first <= order.index(until) for since, until in spans_of
    )


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


def exists(name: str) -> bool:
    """Whether some version of Kafka has a class, an interface or the like of that name."""
    return known(name) or name in _all()


def ours(name: str) -> bool:
    """Whether Kafka alone has classes in the package of that name, so that others do not exist."""
    return name.rpartition(".")[0] in _OWN


def foreign(name: str) -> bool:
    """Whether a name looks like Kafka's, but no version has it: in an unknown package, or in one all
    of whose classes are in the table. Somebody else may have put a class there, which is rare.
    """
    if not name.startswith(_KAFKA) or exists(name):
        return False
    package = name.rpartition(".")[0]
    return complete(name) or ours(name) or (f"{package}." not in _all() and package not in _BESIDE)


def complete(name: str) -> bool:
    """Whether the tables hold all classes of the package of that name, and none of this one."""
    if exists(name):
        return False
    package, (outer, nested, _) = name.rpartition(".")[0], name.partition("$")
    return package in (_with_nested if nested and exists(outer) else _complete)


def candidates(kind: str = "", nested: bool = False) -> list[str]:
    """Classes that a setting may name and that implement that interface, if one is known.

    Where the table tells of no class of that kind, all names are given; ``nested`` are given if
    asked for.
    """
    if not _classes:
        _load()
    if not kind or not covered(kind):
        names = dict.fromkeys((*_classes, *_all()))
        return [own for own in names if own[-1] != "." and (nested or "$" not in own)]
    return [
        own
        for own, rows in _classes.items()
        if (nested or "$" not in own) and (not kind or any(kind in kinds for _, _, kinds in rows))
    ]


def covered(kind: str) -> bool:
    """Whether the table tells of each class of Kafka's whether it implements that interface."""
    if not _classes:
        _load()
    if kind in _NONE:
        return True
    return any(kind in kinds for rows in _classes.values() for _, _, kinds in rows)


def _all() -> dict[str, list[tuple[str, str]]]:
    if not _names:
        for name, versions in data.rows("kafka/types.tsv"):
            _names.setdefault(name, []).append(_ends(versions))
            if not name.endswith("."):
                package = name.rpartition(".")[0]
                _complete.add(package)
                if "$" in name:
                    _with_nested.add(package)
    return _names


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

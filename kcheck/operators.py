"""Keys that an operator keeps for itself: what Strimzi does not pass on to Kafka.

From ``schemas/strimzi``, which is made from the operator's own API.
"""

from __future__ import annotations

from kcheck import data


class Dropped:
    """Why a key is not passed on: it begins with ``prefix``, or is ``prefix`` where ``exact``.

    ``since`` is the first version of the operator that drops it, "" where all in the table do;
    ``instead`` the field that has its task, "" where there is none.
    """

    __slots__ = ("exact", "instead", "prefix", "since")

    def __init__(self, prefix: str, exact: bool, since: str, instead: str) -> None:
        self.prefix = prefix
        self.exact = exact
        self.since = since
        self.instead = instead


#: (rule, key, first version, last version or "") of what is forbidden in one resource's config.
_Row = tuple[str, str, str, str]

_resources: dict[str, list[_Row]] = {}
_oldest: list[str] = []
_instead: list[tuple[str, str, str]] = []
#: Version of the operator → that of Kafka which it takes where a resource names none.
_defaults: dict[str, str] = {}
#: And those that it runs.
_supported: dict[str, tuple[str, ...]] = {}


def dropped(resource: str, key: str, version: str = "") -> Dropped | None:
    """Why Strimzi drops the key of ``spec.kafka.config`` (``Kafka``) and the like.

    None where it passes the key on. Where no ``version`` of the operator is known, the newest one
    is meant, and a key that one of its versions passes on by way of exception is passed on.
    """
    if not _resources:
        _load()
    rows = _resources.get(resource, [])
    if any(rule == "except" and name == key for rule, name, *_ in _held(rows, version, True)):
        return None
    lowered = key.lower()
    found: Dropped | None = None
    for rule, name, since, _ in _held(rows, version, False):
        first = "" if since == _oldest[0] else since
        if rule == "exact" and name == key:
            return Dropped(key, True, first, "")
        # As the operator does: the key in lower case, the prefix as it stands.
        if rule == "prefix" and found is None and lowered.startswith(name):
            field = next((f for r, p, f in _instead if r == resource and lowered.startswith(p)), "")
            found = Dropped(name, False, first, field)
    return found


def kafka_of(version: str) -> str:
    """The Kafka that an operator of that version runs where a resource names none; else ""."""
    _load_versions()
    return _defaults.get(version, "")


def kafkas_of(version: str) -> tuple[str, ...]:
    """The versions of Kafka that an operator of that version runs; () where they are unknown."""
    _load_versions()
    return _supported.get(version, ())


def _load_versions() -> None:
    if not _defaults:
        for release, supported, default in data.rows("strimzi/kafka.tsv"):
            _defaults[release] = default
            _supported[release] = tuple(supported.split())


def _held(rows: list[_Row], version: str, exceptions: bool) -> list[_Row]:
    """The rows of a version; of the unknown one those of the newest, or any exception."""
    if not version:
        return rows if exceptions else [row for row in rows if not row[3]]
    at = _number(version)[:2]
    return [row for row in rows if _number(row[2]) <= at and (not row[3] or at <= _number(row[3]))]


def _load() -> None:
    rows = data.rows("strimzi/forbidden.tsv")
    _oldest.append(min((versions.partition("-")[0] for _, versions, *_ in rows), key=_number))
    for name, versions, rule, key, _constant in rows:
        since, dash, until = versions.partition("-")
        last = until if dash else since
        _resources.setdefault(name, []).append((rule, key, since, last))
    _instead.extend(
        (resource, prefix, field) for resource, prefix, field in data.rows("strimzi/instead.tsv")
    )


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))

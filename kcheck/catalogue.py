"""What Kafka itself says of its keys, per version: types, defaults, bounds, fallbacks.

The facts are extracted by machine from the released jars (``schemas/kafka/generate.py``). A
table is read when its plane is first asked for, a row is parsed when its key is.
"""

from __future__ import annotations

from kcheck import data
from kcheck.bounded_cache import BoundedCache
from kcheck.version import Version, parse

REQUIRED = "required"
NULL = "null"
PLATFORM = "platform"


class Fact:
    """One key of one plane over a contiguous range of versions (minors, both ends included).

    ``default`` is the table's text: ``required``, ``null``, ``platform`` or ``=`` and the value.
    """

    __slots__ = ("default", "flags", "importance", "key", "mode", "since", "type", "until", "valid")

    def __init__(self, cells: list[str]) -> None:
        self.key, versions, self.type, self.default, self.valid, self.importance, self.mode = cells[
            :7
        ]
        self.flags = cells[7].split() if len(cells) > 7 and cells[7] else []
        self.since, dash, until = versions.partition("-")
        self.until = (until or newest()) if dash else self.since

    def covers(self, minor: str) -> bool:
        order = minors()
        return order.index(self.since) <= order.index(minor) <= order.index(self.until)

    def meets(self, first: int, last: int) -> bool:
        """Whether some minor of that stretch of ``minors()``, both ends included, has the fact."""
        order = minors()
        return order.index(self.since) <= last and first <= order.index(self.until)

    @property
    def default_text(self) -> str | None:
        """The default as text; None where there is none, it is null or the platform's."""
        return self.default[1:] if self.default.startswith("=") else None


class Plane:
    """All facts of one table, by key."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lines: dict[str, list[str]] = {}
        self._facts: dict[str, tuple[Fact, ...]] = {}
        for line in data.read(f"kafka/{name}.tsv").split("\n"):
            if line and not line.startswith("# "):
                self._lines.setdefault(line[: line.index("\t")], []).append(line)
        self._lines.pop("key", None)

    def __contains__(self, key: str) -> bool:
        return key in self._lines

    def keys(self) -> list[str]:
        return list(self._lines)

    def history(self, key: str) -> tuple[Fact, ...]:
        """The key's facts in the order of versions; empty for a key that no version knows."""
        found = self._facts.get(key)
        if found is None:
            lines = self._lines.get(key)
            if lines is None:
                # Of those that inputs make up there is no end.
                return ()
            found = self._facts[key] = tuple(Fact(line.split("\t")) for line in lines)
        return found


_planes: dict[str, Plane] = {}
_minors: list[str] = []
_patches: dict[str, str] = {}


#: Kinds of resources whose keys stand in another plane's table.
_TABLES = {
    "cluster": "broker",
    "controller": "broker",
    "worker": "connect-distributed",
    "connector": "source-connector",
    # A client file that does not say which client it is for: what all clients share.
    "client": "consumer",
    "user": "quota",
}


def plane(name: str) -> Plane:
    """The table of one plane (or of a resource kind), read once per process."""
    found = _planes.get(name)
    if found is None:
        found = _planes[name] = Plane(_TABLES.get(name, name))
    return found


def minors() -> list[str]:
    """The supported minors from the oldest to the newest."""
    if not _minors:
        for minor, patch in data.rows("kafka/releases.tsv"):
            _minors.append(minor)
            _patches[minor] = patch
    return _minors


def newest() -> str:
    return minors()[-1]


def oldest() -> str:
    return minors()[0]


_clamped: dict[str, str] = BoundedCache(1000)


def clamp(version: Version) -> str | None:
    """The catalogue's minor for a version: the nearest one where it is outside; None if unknown."""
    if version.minor is None:
        return None
    found = _clamped.get(version.minor)
    if found is None:
        order = minors()
        older = [m for m in order if (parse(m) or ()) <= (version.numbers or ())[:2]]
        found = _clamped[version.minor] = older[-1] if older else order[0]
    return found


def moving(row: Fact) -> bool:
    """Whether each release has a default of its own for the key, which is that release's name."""
    return parse(row.default_text or "") == parse(row.since) and bool(row.default_text)


_stretches: dict[str, tuple[int, int]] = BoundedCache(1000)


def stretch(version: Version) -> tuple[int, int]:
    """The first and the last place in ``minors()`` that the version may have, both included.

    One where it is known, all where nothing is; bounds outside the catalogue are its own ends.
    """
    order = minors()
    if version.identity is None:
        return 0, len(order) - 1
    found = _stretches.get(version.identity)
    if found is None:
        found = _stretches[version.identity] = _stretch(version, order)
    return found


def _stretch(version: Version, order: list[str]) -> tuple[int, int]:
    minor = clamp(version)
    if minor is not None:
        return order.index(minor), order.index(minor)
    low = version.least.text if version.least is not None else order[0]
    least = (parse(low) or ())[:2]
    first = max((at for at, one in enumerate(order) if (parse(one) or ()) <= least), default=0)
    inside = [at for at, one in enumerate(order) if at >= first and not version.below(one)]
    return first, inside[-1] if inside else first


def span(version: Version) -> str:
    """The minors that the version may have, as a table writes them: ``3.9-4.4``."""
    first, last = stretch(version)
    order = minors()
    return order[first] if first == last else f"{order[first]}-{order[last]}"


def held(version: Version) -> bool:
    """Whether the catalogue has facts of a known version itself, not of the nearest one only."""
    return version.minor is not None and version.minor in minors()


def source(version: Version) -> str:
    """The version, or the range of them, that facts are quoted from: one that the catalogue has."""
    if held(version):
        return version.text or ""
    return clamp(version) or span(version)


_found: dict[tuple[str, str, str | None], Fact | None] = BoundedCache(50_000)


def fact(plane_name: str, key: str, version: Version) -> Fact | None:
    """The key's fact in that version; of a range or the unknown one, the newest that has it."""
    asked = (plane_name, key, version.identity)
    if asked in _found:
        return _found[asked]
    rows = possible(plane_name, key, version)
    found = _found[asked] = rows[-1] if rows else None
    return found


_possible: dict[tuple[str, str, str], tuple[Fact, ...]] = BoundedCache(50_000)


def possible(plane_name: str, key: str, version: Version) -> tuple[Fact, ...]:
    """All facts that may hold: one where the version is known, the whole history where not.

    Of a range, the facts of the minors in it.
    """
    if version.identity is None:
        return plane(plane_name).history(key)
    asked = (plane_name, key, version.identity)
    found = _possible.get(asked)
    if found is None:
        first, last = stretch(version)
        history = plane(plane_name).history(key)
        found = _possible[asked] = tuple(row for row in history if row.meets(first, last))
    return found


class Fallback:
    """A broker key that a topic key falls back to; ``factor`` turns its unit into the topic's."""

    __slots__ = ("factor", "key", "since", "until")

    def __init__(self, key: str, factor: int, versions: str) -> None:
        self.key = key
        self.factor = factor
        self.since, dash, until = versions.partition("-")
        self.until = (until or newest()) if dash else self.since


_fallbacks: dict[str, list[Fallback]] = {}
#: The same by the stretch of minors that is possible.
_fallbacks_in: dict[tuple[int, int], dict[str, tuple[Fallback, ...]]] = {}


def topic_fallbacks(topic_key: str, version: Version) -> tuple[Fallback, ...]:
    """The broker keys that a topic inherits this key from, the first set one wins."""
    return _all_fallbacks(stretch(version)).get(topic_key, ())


def topic_keys_with_fallback() -> list[str]:
    return list(_all_fallbacks((0, len(minors()) - 1)))


def _all_fallbacks(asked: tuple[int, int]) -> dict[str, tuple[Fallback, ...]]:
    found = _fallbacks_in.get(asked)
    if found is None:
        if not _fallbacks:
            for key, versions, _order, broker_key, factor in data.rows("kafka/topic-fallback.tsv"):
                _fallbacks.setdefault(key, []).append(Fallback(broker_key, int(factor), versions))
        found = {key: _in_force(entries, asked) for key, entries in _fallbacks.items()}
        _fallbacks_in[asked] = found
    return found


def _in_force(entries: list[Fallback], asked: tuple[int, int]) -> tuple[Fallback, ...]:
    """Those of the minors in that stretch, each key once."""
    order = minors()
    first, last = asked
    found: dict[str, Fallback] = {}
    for entry in entries:
        if order.index(entry.since) <= last and first <= order.index(entry.until):
            found.setdefault(entry.key, entry)
    return tuple(found.values())


_constants: dict[str, list[tuple[str, int]]] = {}
_constants_of: dict[tuple[str, str | None], int | None] = BoundedCache(1000)


def constant(name: str, version: Version) -> int | None:
    """A number that is compiled into Kafka (``time-index-entry-size``), which no key moves.

    None where that version has no such constant. Where the version is unknown, the number that
    all versions with such a constant share: whether the constant exists is for the caller to ask.
    """
    wanted = (name, version.identity)
    if wanted in _constants_of:
        return _constants_of[wanted]
    found = _constants_of[wanted] = _constant(name, *stretch(version))
    return found


def _constant(name: str, earliest: int, latest: int) -> int | None:
    if not _constants:
        for row, versions, text, _class, _field in data.rows("kafka/constants.tsv"):
            _constants.setdefault(row, []).append((versions, int(text)))
    order = minors()
    found: set[int] = set()
    for versions, value in _constants.get(name, ()):
        since, dash, until = versions.partition("-")
        last = (until or newest()) if dash else since
        if order.index(since) <= latest and earliest <= order.index(last):
            found.add(value)
    return found.pop() if len(found) == 1 else None

"""What clients of other languages take and what holds in them, by library and version.

The tables are made from the released libraries (``schemas/clients/generate.py``). One is read when
a client of its library is first met, a row is parsed when its key is.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import configdef, data, libraries
from kcheck.bounded_cache import BoundedCache
from kcheck.version import Version, parse

#: The libraries that have a table.
LIBRARIES = tuple(row.name for row in libraries.ROWS if row.catalogue)

#: How a key of a library relates to Java's: see schemas/clients/names.tsv.
SAME, LIKE, NONE = "same", "like", "none"


class Property:
    """One key of one library over a range of its minors; the cells are schemas/clients' own.

    ``type`` is ``int``, ``double``, ``boolean``, ``string``, ``list``, ``callback``, ``code`` or ""
    (nobody can tell); ``alias`` the key that this one is another name of.
    """

    __slots__ = (
        "alias",
        "default",
        "flags",
        "importance",
        "key",
        "scope",
        "since",
        "type",
        "until",
        "valid",
    )

    def __init__(self, cells: list[str], newest: str) -> None:
        self.key, versions, self.scope, self.type, self.default, self.valid, self.importance = (
            cells[:7]
        )
        self.flags = cells[7].split()
        self.alias = next((f[6:] for f in self.flags if f.startswith("alias=")), "")
        self.since, dash, until = versions.partition("-")
        self.until = (until or newest) if dash else self.since

    @property
    def default_text(self) -> str | None:
        """The default as text; None where it is nothing, or made by the program."""
        return self.default[1:] if self.default.startswith("=") else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the greatest number that it takes."""
        for word in self.valid.split():
            low, dots, high = word.partition("..")
            if dots:
                return float(low), float(high)
        return None

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it takes, and no others; empty where it takes any text."""
        for word in self.valid.split():
            kind, colon, rest = word.partition(":")
            if colon and kind != "word":
                return tuple(rest.split("|"))
        return ()

    def takes(self, role: str) -> bool:
        """Whether a client in that role (``producer`` …; "" for any) heeds it."""
        return not role or self.scope in ("*", role)


class Library:
    """The table of one library."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.row = libraries.of(name)
        minors = [row[1] for row in data.rows("clients/releases.tsv") if row[0] == name]
        self.oldest, self.newest = minors[0], minors[-1]
        self._assumed = parse(self.row.assumed or self.oldest) or ()
        self._minors = [(parse(minor) or (), minor) for minor in minors]
        self._cells: dict[str, list[list[str]]] = {}
        for cells in data.rows(f"clients/{name}.tsv"):
            self._cells.setdefault(cells[0], []).append(cells)
        self._histories: dict[str, tuple[Property, ...]] = {}
        self._aliases: dict[str, list[str]] | None = None
        self._groups: dict[str, tuple[str, ...]] = BoundedCache(5000)
        #: Java's key → (relation, keys here, note).
        self.java: dict[str, tuple[str, tuple[str, ...], str]] = {}
        for library, key, relation, here, note in data.rows("clients/names.tsv"):
            if library == name:
                self.java[key] = (relation, tuple(here.split(",")) if here else (), note)

    def __contains__(self, key: str) -> bool:
        return key in self._cells

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def history(self, key: str) -> tuple[Property, ...]:
        """All rows of a key, the oldest first; empty for a key that no release knows."""
        found = self._histories.get(key)
        if found is None:
            rows = self._cells.get(key)
            if rows is None:
                # Of those that inputs make up there is no end.
                return ()
            found = self._histories[key] = tuple(Property(cells, self.newest) for cells in rows)
        return found

    def possible(self, key: str, version: Version, role: str = "") -> tuple[Property, ...]:
        """The rows that may hold for that role: of the one version, or of all that are likely."""
        rows = [row for row in self.history(key) if row.takes(role)]
        minor = self.clamp(version)
        if minor is None:
            likely = tuple(r for r in rows if (parse(r.until) or ()) >= self._assumed)
            return tuple(r for r in likely if not version.below(r.since))
        at = parse(minor) or ()
        return tuple(r for r in rows if (parse(r.since) or ()) <= at <= (parse(r.until) or ()))

    def clamp(self, version: Version) -> str | None:
        """The table's minor for a version: the one before it where it has none; None if unknown."""
        if version.numbers is None:
            return None
        older = [minor for at, minor in self._minors if at <= version.numbers[:2]]
        return older[-1] if older else self.oldest

    def names(self, key: str) -> tuple[str, ...]:
        """Every name of what Java calls ``key``: that name first, and those that the library has."""
        found = self._groups.get(key)
        if found is None:
            found = self._groups[key] = self._named(key)
        return found

    def _named(self, key: str) -> tuple[str, ...]:
        relation, here, _ = self.java.get(key, ("", (), ""))
        own = here[0] if relation == SAME else self.row.spelled(key)
        if relation in (LIKE, NONE):
            return (key,)
        rows = self.history(own)
        canonical = rows[-1].alias or own if rows else own
        return tuple(dict.fromkeys((key, own, canonical, *self._aliases_of(canonical))))

    def _aliases_of(self, key: str) -> list[str]:
        """The other names of a key in the newest release that has them."""
        if self._aliases is None:
            self._aliases = {}
            for other, cells in self._cells.items():
                if cells[-1][7].startswith("alias="):
                    alias = self.history(other)[-1].alias
                    self._aliases.setdefault(alias, []).append(other)
        return self._aliases.get(key, [])

    def convert(self, kind: str, text: str) -> tuple[object, str]:
        """Text → (typed value, "") as the library reads it, or (None, what is wrong)."""
        if not self.row.reads_as_c:
            return configdef.convert({"int": "long", "": "string"}.get(kind, kind), text)
        return _read(kind, text)

    def refusal(self, row: Property, text: str) -> str:
        """Why the library does not take the text for the key; "" where it does, or nobody knows."""
        return _refusal(row, text) if self.row.reads_as_c else ""


# -- librdkafka's own reading of texts --------------------------------------------------------

_TRUE, _FALSE = ("true", "t", "1"), ("false", "f", "0")


def _read(kind: str, text: str) -> tuple[object, str]:
    """As ``rd_kafka_conf_set`` does: numbers as C reads them, so that ``10KB`` is 10."""
    if kind == "boolean":
        lowered = text.lower()
        if lowered in _TRUE or lowered in _FALSE:
            return lowered in _TRUE, ""
        return None, "is neither true nor false"
    if kind == "int":
        number = _integer(text)
        return (number, "") if number is not None else (None, "is not a whole number")
    if kind == "double":
        value = _decimal(text)
        if value is None or abs(value) == float("inf"):
            # Every bound excludes what is infinite.
            return None, "is not a number"
        return (
            int(value) if value == value and abs(value) < 2**53 and value % 1 == 0 else value
        ), ""
    if kind == "list":
        return ([item.strip() for item in text.split(",")] if text else []), ""
    return text, ""


def _integer(text: str) -> int | None:
    """``strtol`` with base 0: the number that the text begins with, of 64 bits, cut to an int's 32."""
    bare = text.lstrip()
    sign, bare = (bare[0], bare[1:]) if bare[:1] in ("+", "-") else ("", bare)
    base, digits = 10, "0123456789"
    if bare[:2] in ("0x", "0X") and bare[2:3] in set("0123456789abcdefABCDEF"):
        base, digits, bare = 16, "0123456789abcdefABCDEF", bare[2:]
    elif bare[:1] == "0":
        base, digits = 8, "01234567"
    length = 0
    while length < len(bare) and bare[length] in digits:
        length += 1
    if not length:
        return None
    number = int(bare[: min(length, 40)], base)
    number = max(-(2**63), min(2**63 - 1, -number if sign == "-" else number))
    return (number + 2**31) % 2**32 - 2**31


def _decimal(text: str) -> float | None:
    """``strtod``: the number that the text begins with."""
    bare = text.strip()
    for end in range(min(len(bare), 40), 0, -1):
        try:
            if "_" not in bare[:end]:
                return float(bare[:end])
        except ValueError:
            continue
    return None


#: Properties that take one mechanism, though their name may be in the plural.
_SINGLE = ("sasl.mechanism", "sasl.mechanisms")


def _listed(kind: str, allowed: str, text: str) -> bool:
    """Whether a value, or each element of one, is among those of the documentation."""
    given = [item.strip() for item in text.split(",")] if kind == "list-ci" else [text]
    names = allowed.split("|")
    folded = [] if kind == "enum" else allowed.lower().split("|")
    return all(item in names or item.lower() in folded for item in given)


def _refusal(row: Property, text: str) -> str:
    """As ``rd_kafka_conf_set`` does."""
    if row.type in ("callback", "code", ""):
        return ""
    value, wrong = _read(row.type, text)
    if row.key in _SINGLE and (not text or set(text.strip()) & {",", " "}):
        return "is not one mechanism"
    for word in row.valid.split():
        kind, colon, rest = word.partition(":")
        if colon and kind == "word" and text.lower() == rest:
            return ""
        if colon and kind in ("enum", "enum-ci", "list-ci") and not _listed(kind, rest, text):
            return f"is not one of {rest.replace('|', ', ')}"
    if wrong:
        return wrong
    if row.bounds and isinstance(value, (int, float)):
        low, high = row.bounds
        if value < low:
            return f"is below the minimum {low:.0f}"
        if value > high:
            return f"is above the maximum {high:.0f}"
    return ""


# -- libraries by name ------------------------------------------------------------------------

_libraries: dict[str, Library] = {}


def library(name: str) -> Library | None:
    """The table of a library; None where there is none."""
    found = _libraries.get(name)
    if found is None and name in LIBRARIES:
        found = _libraries[name] = Library(name)
    return found


def tables() -> list[Library]:
    """The tables of all libraries that have one."""
    return [found for name in LIBRARIES if (found := library(name)) is not None]

"""What a key is that is not in force, and the keys that took the place of those that are gone."""

from __future__ import annotations

from kcheck import catalogue, configdef, data
from kcheck.lexicon import suggest
from kcheck.lexicon.planes import FAMILIES, Place, place
from kcheck.version import Version

#: What a name is, where it is no key in force: unknown everywhere; another plane's; known to
#: older versions; known to newer ones; read only as a dynamic value.
UNKNOWN, FOREIGN, GONE, FUTURE, DYNAMIC = "unknown", "foreign", "gone", "future", "dynamic"


class Name:
    """The verdict on a key that is not in force.

    ``right`` holds the keys to write instead, best first. ``owner`` is the plane that a foreign
    key, or one like an unknown key, belongs to. ``version`` is the first version without a key
    that is gone, the first with one of the future.
    """

    __slots__ = ("every", "key", "kind", "like", "note", "owner", "place", "right", "version")

    def __init__(
        self,
        kind: str,
        key: str,
        place: Place,
        right: tuple[str, ...] = (),
        owner: str = "",
        note: str = "",
        version: str = "",
        like: str = "",
        every: bool = False,
    ) -> None:
        self.kind = kind
        self.key = key
        self.place = place
        self.right = right
        self.owner = owner
        self.note = note
        self.version = version
        #: The other plane's key that an unknown one reads like.
        self.like = like
        #: Whether ``right`` are all to be written, not one of them.
        self.every = every

    def __repr__(self) -> str:
        return f"Name({self.kind} {self.key} {self.right} {self.owner} {self.version})"


#: Families whose unknown keys Kafka refuses instead of ignoring them.
STRICT = ("topic", "quota", "group")


_renames: dict[tuple[str, str], tuple[str, tuple[str, ...], str]] = {}


def rename(where: Place) -> tuple[str, tuple[str, ...], str] | None:
    """(the first version without the key, what took its place, note)."""
    if not _renames:
        for plane, key, gone, now, note in data.rows("keys/renames.tsv"):
            _renames[plane, key] = (gone, tuple(now.split(",")) if now else (), note)
    for plane in (where.plane, FAMILIES[where.plane], *where.tables):
        found = _renames.get((plane, where.key))
        if found is not None:
            return found
    return None


def successors(where: Place) -> tuple[str, ...]:
    """The keys that took the place of a deprecated or removed one, with its prefix."""
    found = rename(where)
    return tuple(where.prefix + key for key in found[1]) if found else ()


_kept: dict[tuple[str, str], tuple[str, ...]] = {}


def goes_without(where: Place, text: str | None) -> bool:
    """Whether Kafka does what the value of a removed key says without the key, too.

    That is so where the value is the default of the one key that took its place.
    """
    if text is None:
        return False
    if not _kept:
        for plane, key, value in data.rows("keys/kept.tsv"):
            _kept[plane, key] = tuple(value.split("|"))
    for plane in (where.plane, FAMILIES[where.plane], *where.tables):
        found = _kept.get((plane, where.key))
        if found is not None:
            return text.lower() in (value.lower() for value in found)
    _, now, _ = rename(where) or ("", (), "")
    return len(now) == 1 and is_default(where, now[0], text)


def is_default(where: Place, key: str, text: str) -> bool:
    """Whether a text is what a key of the same plane has by default, in every version."""
    fact = catalogue.fact(where.tables[0], key, Version())
    if fact is None or fact.default_text is None or catalogue.moving(fact):
        return False
    return configdef.convert(fact.type, text) == configdef.convert(fact.type, fact.default_text)


def default_of(plane: str, key: str, text: str) -> bool:
    """The same of a key that is another plane's."""
    where = place(plane, key)
    return where is not None and is_default(where, where.key, text)


def of_old(where: Place) -> list[str]:
    """What took the place of an old key that this is a slip of."""
    planes = (where.plane, FAMILIES[where.plane], *where.tables)
    rename(where)  # reads the table
    old = [key for plane, key in _renames if plane in planes and key != where.key]
    slips = suggest.sure(where.key, old)
    found = [
        now
        for plane in planes
        for key in slips
        for now in _renames.get((plane, key), ("", (), ""))[1]
    ]
    return list(dict.fromkeys(found))

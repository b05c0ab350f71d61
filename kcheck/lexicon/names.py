"""Whether a plane of some version knows a key; if not, whose it is or which one was meant."""

from __future__ import annotations

from kcheck import catalogue, data
from kcheck.lexicon.name_faults import DYNAMIC, FOREIGN, FUTURE, GONE, STRICT, Name, rename
from kcheck.lexicon.planes import FAMILIES, Place, place
from kcheck.version import Version


def verdict(
    plane: str,
    key: str,
    version: Version,
    *,
    storage: str = "",
    metadata: str = "",
    static: bool = True,
) -> Name | None:
    """What is wrong with the name; None where it is in force, or nobody but a plug-in can tell.

    ``storage`` and ``metadata``: see ``planes.place``. ``static`` says that the key stands in a
    file, not among the dynamic values.
    """
    if key.startswith(_DISABLING):
        return None
    wrong = _behind_another_prefix(plane, key)
    if wrong is not None:
        return wrong
    where = place(plane, key, storage, metadata)
    if where is None:
        return None
    histories = where.facts()
    if not histories and where.plane == "admin" and any(map(where.known_to, _PROGRAMS)):
        # One map of settings for all clients of a program: an admin client does not read those.
        return None
    if histories:
        dynamic = histories[0][-1].mode == "dynamic-only"
        if dynamic and static:
            return Name(DYNAMIC, key, where)
        return _dated(key, where, histories, version)
    renamed = _renamed(key, where, version)
    if renamed is not None:
        return renamed
    from kcheck.lexicon.unknown_names import foreign, unknown  # nearly all keys are known

    return foreign(key, where) or unknown(key, where, version)


_PROGRAMS = ("producer", "consumer")
#: What people put before a key to take it out where a format has no comments (JSON), or a tool drops
#: them.
_DISABLING = ("_", "#", "//", ";", "!", "~")

# -- behind another program's prefix ---------------------------------------------------------

_prefixes: dict[str, list[tuple[str, str, str]]] = {}
#: In the place of the right prefix: nobody has the client whose keys these are.
_NOBODY = "-"
_OTHER = {"producer": "consumer", "consumer": "producer"}


def _behind_another_prefix(plane: str, key: str) -> Name | None:
    """A client's key behind a prefix that programs of another kind read, but not this one."""
    if not _prefixes:
        for one, prefix, here, table, _evidence in data.rows("keys/prefixes.tsv"):
            _prefixes.setdefault(one, []).append((prefix, here, table))
    found: Name | None = None
    longest = 0
    for prefix, here, table in _prefixes.get(plane, ()):
        if not key.startswith(prefix) or len(prefix) < longest:
            continue
        longest, found, rest = len(prefix), None, key[len(prefix) :]
        if here == _NOBODY:
            # Keys of connections may be for the clients that read and write offsets and dead letters.
            if rest in catalogue.plane(table) and rest not in catalogue.plane(_OTHER[table]):
                note = f"the tasks of a {plane.replace('-', ' ')} have no {table}"
                found = Name(FOREIGN, key, Place(plane, key), note=note)
        elif rest in catalogue.plane(table):
            right = tuple(one + rest for one in here.split("|"))
            found = Name(FOREIGN, key, Place(plane, key), right, every=len(right) > 1)
    return found


# -- known to other versions -----------------------------------------------------------------


def _dated(
    key: str, where: Place, histories: list[tuple[catalogue.Fact, ...]], version: Version
) -> Name | None:
    low, high = catalogue.stretch(version)
    last = max((history[-1].until for history in histories), key=_position)
    first = min((history[0].since for history in histories), key=_position)
    if not version.known and last == catalogue.oldest():
        # Gone in every release since 3.0: whoever runs 2.8 will meet it with the next upgrade.
        return _gone(key, where, last)
    newest = len(catalogue.minors()) - 1
    refused = FAMILIES[where.plane] in STRICT and not where.prefix
    if refused and not version.known and low <= _position(last) < high == newest:
        # Some versions in question refuse the key: the next upgrade meets it.
        return _gone(key, where, last)
    since = first_read(where.key, where.tables)
    if any(fact.meets(low, high) for history in histories for fact in history):
        return Name(FUTURE, key, where, version=since) if since and version.below(since) else None
    if high < _position(first):
        # Kafka may have read the key before it was in a table.
        first = since or first
        return Name(FUTURE, key, where, version=first) if version.below(first) else None
    return _gone(key, where, last) if low > _position(last) else None


_firsts: dict[tuple[str, str], str] = {}


def first_read(key: str, tables: tuple[str, ...]) -> str:
    """The first version that reads a key where the catalogue does not tell; else empty."""
    if not _firsts:
        for plane, read, since, _kip in data.rows("keys/since.tsv"):
            _firsts[plane, read] = since
    return _firsts.get((tables[0], key), "")


def _position(minor: str) -> int:
    return catalogue.minors().index(minor)


def _gone(key: str, where: Place, last: str) -> Name:
    _, now, note = rename(where) or ("", (), "")
    gone = catalogue.minors()[_position(last) + 1]
    return Name(GONE, key, where, tuple(where.prefix + k for k in now), note=note, version=gone)


def _renamed(key: str, where: Place, version: Version) -> Name | None:
    found = rename(where)
    if found is None or not found[0]:
        return None
    gone, now, note = found
    if version.below(gone):
        return None
    return Name(GONE, key, where, tuple(where.prefix + k for k in now), note=note, version=gone)

"""Whether a plane of some version knows a key; if not, whose it is or which one was meant."""

from __future__ import annotations

from kcheck import catalogue, configdef, data
from kcheck.lexicon import suggest
from kcheck.lexicon.planes import FAMILIES, METADATA_PREFIX, TABLES, Place, is_open, place
from kcheck.version import Version, parse

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

#: First words of broker keys that nobody but Kafka uses: an unknown key among them is a fault.
_KAFKAS_OWN = frozenset(
    {
        "advertised",
        "auto",
        "controlled",
        "controller",
        "delegation",
        "inter",
        "leader",
        "listener",
        "listeners",
        "log",
        "num",
        "offsets",
        "queued",
        "replica",
        "replication",
        "socket",
        "telemetry",
        "transaction",
        "transactional",
        "unclean",
        "zookeeper",
    }
)

#: Where to look for the owner of a key, by the plane that it is set in.
_ELSEWHERE: dict[str, tuple[str, ...]] = {
    "broker": (
        "topic",
        "producer",
        "consumer",
        "admin",
        "streams",
        "connect-distributed",
        "connect-standalone",
        "remote-metadata",
        "group",
    ),
    "topic": ("broker", "producer", "consumer"),
    "producer": ("consumer", "topic", "broker"),
    "consumer": ("producer", "topic", "broker"),
    "admin": ("topic", "broker"),
    "client": ("topic", "broker"),
    "streams": ("topic", "broker"),
    "connect-distributed": (
        "connect-standalone",
        "producer",
        "consumer",
        "source-connector",
        "sink-connector",
        "topic",
        "broker",
    ),
    "connect-standalone": (
        "connect-distributed",
        "producer",
        "consumer",
        "source-connector",
        "sink-connector",
        "topic",
        "broker",
    ),
}


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
    return _renamed(key, where, version) or _foreign(key, where) or _unknown(key, where, version)


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
    _, now, note = _rename(where) or ("", (), "")
    gone = catalogue.minors()[_position(last) + 1]
    return Name(GONE, key, where, tuple(where.prefix + k for k in now), note=note, version=gone)


# -- keys older than the catalogue -----------------------------------------------------------

_renames: dict[tuple[str, str], tuple[str, tuple[str, ...], str]] = {}


def _rename(where: Place) -> tuple[str, tuple[str, ...], str] | None:
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
    found = _rename(where)
    return tuple(where.prefix + key for key in found[1]) if found else ()


def _renamed(key: str, where: Place, version: Version) -> Name | None:
    found = _rename(where)
    if found is None or not found[0]:
        return None
    gone, now, note = found
    if version.below(gone):
        return None
    return Name(GONE, key, where, tuple(where.prefix + k for k in now), note=note, version=gone)


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
    _, now, _ = _rename(where) or ("", (), "")
    if len(now) != 1:
        return False
    fact = catalogue.fact(where.tables[0], now[0], Version())
    if fact is None or fact.default_text is None or catalogue.moving(fact):
        return False
    return configdef.convert(fact.type, text) == configdef.convert(fact.type, fact.default_text)


# -- another plane's key ---------------------------------------------------------------------

_counterparts: dict[tuple[str, str], tuple[tuple[str, ...], bool, str]] = {}


def _counterpart(where: Place) -> tuple[tuple[str, ...], bool, str] | None:
    """(the keys to write instead, whether all of them, note)."""
    if not _counterparts:
        for family, key, here, note in data.rows("keys/counterparts.tsv"):
            keys = tuple(here.replace("|", ",").split(",")) if here else ()
            _counterparts[family, key] = (keys, "," in here, note)
    behind_listener = where.prefix and FAMILIES[where.plane] == "broker"
    families = ("listener",) if behind_listener else (where.plane, FAMILIES[where.plane])
    for family in families:
        found = _counterparts.get((family, where.key))
        if found is not None:
            return found
    return None


def _foreign(key: str, where: Place) -> Name | None:
    known = _counterpart(where)
    owners = [p for p in _ELSEWHERE.get(where.plane, ()) if where.key in catalogue.plane(p)]
    if known is None and not owners:
        return None
    if FAMILIES[where.plane] == "worker" and owners[:2] == ["producer", "consumer"]:
        # The worker's own clients read it too.
        return None
    owner = "client" if {"producer", "consumer"} <= set(owners) else owners[0] if owners else ""
    if owner == "group" and where.key in catalogue.plane("sink-connector"):
        # Dead letters were the connectors' for years before share groups had any.
        owner = "sink-connector"
    if known is not None:
        right, every, note = known
        prefix = "" if FAMILIES[where.plane] == "broker" else where.prefix
        keys = tuple(prefix + k for k in right)
        return Name(FOREIGN, key, where, keys, owner, note, every=every)
    return Name(FOREIGN, key, where, _translated(where, owner), owner)


def _translated(where: Place, owner: str) -> tuple[str, ...]:
    """What the owner's key is called in the plane where it was set."""
    family = FAMILIES[where.plane]
    if where.prefix in ("producer.", "consumer.") and owner in ("producer", "consumer"):
        return (f"{owner}.{where.key}",)
    if where.prefix:
        return ()
    if family == "broker" and owner == "topic":
        return tuple(f.key for f in catalogue.topic_fallbacks(where.key, Version()))[:1]
    if family == "topic" and owner == "broker":
        for topic_key in catalogue.topic_keys_with_fallback():
            if where.key in [f.key for f in catalogue.topic_fallbacks(topic_key, Version())]:
                return (topic_key,)
    if family == "broker" and owner == "remote-metadata":
        return (METADATA_PREFIX[1] + where.key,)
    if family == "worker" and owner in ("producer", "consumer"):
        return (f"{owner}.{where.key}",)
    if where.plane == "streams" and owner == "topic":
        return (f"topic.{where.key}",)
    return ()


# -- nobody's key ----------------------------------------------------------------------------

#: Whose keys are the ones that slip in among a client's.
_COUNTERROLES = {"producer": "consumer", "consumer": "producer"}


def _meant(where: Place, strict: bool) -> list[str]:
    """The keys of the same plane that an unknown one is a slip of."""
    known = _public(where.tables)
    right = suggest.sure(where.key, known) or _of_old(where)
    if not right and (strict or (FAMILIES[where.plane] == "broker" and not where.prefix)):
        right = suggest.guesses(where.key, known)
        if not strict and right and _prefixed(where.key, right[0]):
            return []
    return right


def _of_others(key: str, where: Place) -> Name | None:
    """A broker's key that is nearly one of a client's or a topic's."""
    for owner in ("consumer", "producer", "topic"):
        like = suggest.sure(where.key, _public((owner,)))
        like = like or suggest.guesses(where.key, _public((owner,)))
        if len(like) == 1 and not _prefixed(where.key, like[0]):
            return Name(UNKNOWN, key, where, owner=owner, like=like[0])
    return None


def _unknown(key: str, where: Place, version: Version) -> Name | None:
    family = FAMILIES[where.plane]
    if family == "connector":
        return _unknown_to_connectors(key, where)
    strict = family in STRICT and not where.prefix
    if family == "client" and not _javas(where.key):
        return None
    right = _meant(where, strict)
    if right:
        return Name(UNKNOWN, key, where, tuple(where.prefix + k for k in right))
    if strict:
        return Name(UNKNOWN, key, where)
    other = _COUNTERROLES.get(where.plane)
    if other is not None:
        like = suggest.sure(where.key, _public((other,)))
        return Name(UNKNOWN, key, where, owner=other, like=like[0]) if len(like) == 1 else None
    if family != "broker" or where.prefix:
        return None
    owned = _of_others(key, where)
    if owned is not None:
        return owned
    supported = not version.below(catalogue.oldest()) and not _newer(version)
    if where.key.partition(".")[0] in _KAFKAS_OWN and supported:
        return Name(UNKNOWN, key, where)
    return None


def _of_old(where: Place) -> list[str]:
    """What took the place of an old key that this is a slip of."""
    planes = (where.plane, FAMILIES[where.plane], *where.tables)
    _rename(where)  # reads the table
    old = [key for plane, key in _renames if plane in planes and key != where.key]
    slips = suggest.sure(where.key, old)
    found = [
        now
        for plane in planes
        for key in slips
        for now in _renames.get((plane, key), ("", (), ""))[1]
    ]
    return list(dict.fromkeys(found))


#: The tables of MirrorMaker's connectors, which get the same keys and take what they know.
_MIRRORS = ("mirror-source", "mirror-checkpoint", "mirror-heartbeat")


def _unknown_to_connectors(key: str, where: Place) -> Name | None:
    """A slip of a key that Connect itself reads; a plug-in may have other keys of any name."""
    if where.plane in _MIRRORS:
        known = _public((*_MIRRORS, "source-connector"))
        right = suggest.sure(where.key, known)
        if not right and f"{where.key}.replication.factor" in known:
            return Name(UNKNOWN, key, where)
    elif "." in key:
        # Keys of topics are what plug-ins have too.
        known = tuple(k for k in _public(where.tables) if not k.startswith("topic"))
        right = suggest.sure(where.key, known)
    else:
        right = []
    return Name(UNKNOWN, key, where, tuple(where.prefix + k for k in right)) if right else None


def _javas(key: str) -> bool:
    """Whether a client's key is spelt as Java's are; other libraries write ``like_this``."""
    return "_" not in key and ("." in key or ("-" not in key and key.islower()))


def underscored(plane: str, key: str) -> Name | None:
    """The verdict on a client's key that is one of Java's but for its dots: ``group_id``, ``group-id``.

    Other libraries spell theirs so; it is for those to ask who know that Java's client reads it.
    """
    right = key.replace("_", ".").replace("-", ".")
    where = place(plane, key, "", "") if right != key and "." not in key else None
    if where is None:
        return None
    known = right in _public(where.tables)
    return Name(UNKNOWN, key, where, (right,)) if known else None


def _prefixed(key: str, candidate: str) -> bool:
    """Whether the key is a known one behind somebody's own first word: ``my.log.dirs``."""
    return suggest.tokens(key)[1:] == suggest.tokens(candidate) and not key.startswith("kafka.")


def _newer(version: Version) -> bool:
    """Whether the version is newer than all that the catalogue knows."""
    return version.numbers is not None and version.numbers[:2] > (parse(catalogue.newest()) or ())


_known: dict[tuple[str, ...], tuple[str, ...]] = {}


def _public(tables: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of the tables that a person is meant to set, without those of 2.8 alone."""
    found = _known.get(tables)
    if found is None:
        names: dict[str, None] = {}
        for table in tables:
            known = catalogue.plane(table)
            for key in list(known.keys()):
                last = known.history(key)[-1]
                if "internal" not in last.flags and last.until != catalogue.oldest():
                    names[key] = None
        if "broker" in tables:
            names.update(dict.fromkeys(("super.users", "allow.everyone.if.no.acl.found")))
        found = _known[tables] = tuple(names)
    return found


__all__ = [
    "DYNAMIC",
    "FOREIGN",
    "FUTURE",
    "GONE",
    "STRICT",
    "TABLES",
    "UNKNOWN",
    "Name",
    "is_open",
    "underscored",
    "verdict",
]

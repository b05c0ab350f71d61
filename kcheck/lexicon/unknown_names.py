"""Keys that a plane knows in no version: another plane's, slips, and nobody's."""

from __future__ import annotations

from kcheck import catalogue, data
from kcheck.lexicon import suggest
from kcheck.lexicon.name_faults import FOREIGN, STRICT, UNKNOWN, Name, of_old
from kcheck.lexicon.planes import FAMILIES, METADATA_PREFIX, Place, place
from kcheck.version import Version, parse

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


def foreign(key: str, where: Place) -> Name | None:
    """The verdict on a key that another plane has; None where none does."""
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
    right = suggest.sure(where.key, known) or of_old(where)
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


def unknown(key: str, where: Place, version: Version) -> Name | None:
    """The verdict on a key that no plane has; None where it may be somebody else's."""
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

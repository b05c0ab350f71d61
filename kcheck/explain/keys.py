"""All that kcheck's tables say of one key: by plane and version, who gives it to whom, who reads it."""

from __future__ import annotations

from itertools import pairwise

from kcheck import catalogue, data, images, operators
from kcheck.catalogue import Fact
from kcheck.dialects import NONE, tables
from kcheck.graph.resolve import STAND_INS
from kcheck.lexicon.planes import TABLES, place
from kcheck.lexicon.upgrades import NONE as NOTHING

#: The tables in the order in which they are told. Others hold the keys of the same planes.
PLANES = (
    *("topic", "broker", "producer", "consumer", "admin", "streams"),
    *("connect-distributed", "connect-standalone", "source-connector", "sink-connector"),
    *("topic-creation", "mirror", "mirror-source", "mirror-checkpoint", "mirror-heartbeat"),
    *("group", "client-metrics", "quota", "remote-metadata"),
)
#: What a factor between a broker's key and a topic's says of the broker's unit.
_UNITS = {60_000: "in minutes", 3_600_000: "in hours"}
#: Whose settings an operator's resource holds.
_RESOURCES = (
    ("broker", "Kafka", "spec.kafka.config of a Kafka"),
    ("connect-distributed", "KafkaConnect", "spec.config of a KafkaConnect"),
    ("connect-distributed", "KafkaMirrorMaker2", "the config of a KafkaMirrorMaker2's cluster"),
)
_SPRING = "spring.kafka."
#: Prefixes of connectors, whose other keys are their plug-ins'.
_OVERRIDES = (
    ("producer.override.", "producer", "source-connector"),
    ("consumer.override.", "consumer", "sink-connector"),
    ("admin.override.", "admin", "sink-connector"),
    ("errors.deadletterqueue.producer.", "producer", "sink-connector"),
)
_ROLES = (("broker", images.BROKER), ("connect-distributed", images.WORKER))


class Change:
    """What another version made of a key; ``effect`` is what it does to who never set it."""

    __slots__ = ("effect", "now", "since", "source", "was", "what")

    def __init__(self, since: str, what: str, was: str, now: str) -> None:
        self.since = since
        self.what = what
        self.was = was
        self.now = now
        self.effect = self.source = ""


class InPlane:
    """A key in the planes that know it alike; ``history`` as the catalogue has it."""

    __slots__ = ("changes", "history", "planes", "since")

    def __init__(self, plane: str, history: tuple[Fact, ...]) -> None:
        self.planes = [plane]
        self.history = history
        #: The first version with the key, also where that is older than the catalogue; else "".
        self.since = ""
        self.changes: list[Change] = []

    @property
    def fact(self) -> Fact:
        """The newest fact."""
        return self.history[-1]

    @property
    def gone(self) -> str:
        """The first version without the key; "" where the newest one has it."""
        minors = catalogue.minors()
        last = minors.index(self.fact.until) + 1
        return minors[last] if last < len(minors) else ""


class Heir:
    """A key that another one gives its value to, or takes it from: ``unit`` where theirs differ."""

    __slots__ = ("factor", "key", "plane", "unit", "versions")

    def __init__(self, key: str, plane: str, factor: int = 1, versions: str = "") -> None:
        self.key = key
        self.plane = plane
        self.factor = factor
        self.unit = _UNITS.get(factor, "")
        self.versions = versions


class Key:
    """A key as asked for. ``key`` is how the tables call it where it stands behind ``prefix``."""

    def __init__(self, key: str, prefix: str = "", outer: str = "") -> None:
        self.key = key
        self.prefix = prefix
        #: The plane in which the prefix leads to this key's.
        self.outer = outer
        self.planes: list[InPlane] = []
        self.takes_from: list[Heir] = []
        self.gives_to: list[Heir] = []
        #: What took its place, and what is said about that.
        self.successors: list[tuple[str, str]] = []
        #: (plane where people put it too, the key to set there, note).
        self.elsewhere: list[tuple[str, str, str]] = []
        #: Images by the variable that sets it.
        self.variables: dict[str, list[str]] = {}
        #: (image, value) of images that set it unless told otherwise.
        self.preset: list[tuple[str, str]] = []
        #: (where an operator does not pass it on, since which version or "", where to say it).
        self.dropped: list[tuple[str, str, str]] = []
        #: (library, its names, how they relate, note).
        self.libraries: list[tuple[str, tuple[str, ...], str, str]] = []
        self.spring: list[str] = []
        #: What it does, beyond what types and bounds tell, and the invariants that this covers.
        self.note = ""
        self.covers: tuple[str, ...] = ()
        self.denied = ""


def known() -> list[str]:
    """Every key of every plane."""
    found: dict[str, None] = {}
    for plane in PLANES:
        found.update(dict.fromkeys(catalogue.plane(plane).keys()))
    for row in data.rows("keys/renames.tsv"):
        found.setdefault(row[1])
    return list(found)


def explained(word: str) -> Key | None:
    """The key that the word is, by itself or behind one of Kafka's prefixes; else None."""
    if any(word in catalogue.plane(plane) for plane in PLANES) or _renamed(word):
        return _described(Key(word))
    for prefix, inner, outer in _OVERRIDES:
        if word.startswith(prefix) and word.removeprefix(prefix) in catalogue.plane(inner):
            return _described(Key(word.removeprefix(prefix), prefix, outer))
    for plane in TABLES:
        where = place(plane, word)
        if where is not None and where.prefix and where.facts():
            return _described(Key(where.key, where.prefix, plane))
    return None


def _described(key: Key) -> Key:
    key.planes = _planes(key.key)
    key.successors = _renamed(key.key)
    _inheritance(key)
    for name, note, covers in data.rows("keys/notes.tsv"):
        if name == key.key:
            key.note, key.covers = note, tuple(covers.split())
    for family, name, here, note in data.rows("keys/counterparts.tsv"):
        if name == key.key:
            key.elsewhere.append((family, here, note))
    planes = {plane for found in key.planes for plane in found.planes}
    for plane, role in _ROLES:
        if plane in planes:
            _in_images(key, role)
    for plane, resource, where in _RESOURCES:
        found = operators.dropped(resource, key.key) if plane in planes else None
        if found is not None:
            key.dropped.append((where, found.since, found.instead))
    if planes & {"producer", "consumer", "admin"}:
        _in_libraries(key)
    key.spring = [
        f"{_SPRING}{row[0]}"
        for row in data.rows("spring/boot.tsv")
        if row[4] == key.key and "unbound" not in row[5]
    ]
    denied = catalogue.plane("share-consumer").history(key.key)
    key.denied = denied[0].since if denied else ""
    return key


# -- versions ---------------------------------------------------------------------------------


def _planes(key: str) -> list[InPlane]:
    found: list[InPlane] = []
    for plane in PLANES:
        history = catalogue.plane(plane).history(key)
        if not history:
            continue
        made = InPlane(plane, history)
        made.since = _since(plane, key) or (
            "" if history[0].since == catalogue.oldest() else history[0].since
        )
        made.changes = _changes(plane, history)
        same = next((other for other in found if _alike(other, made)), None)
        if same is not None:
            same.planes.append(plane)
        else:
            found.append(made)
    return found


def _alike(one: InPlane, other: InPlane) -> bool:
    return (one.since, [_cells(f) for f in one.history]) == (
        other.since,
        [_cells(f) for f in other.history],
    ) and [c.effect for c in one.changes] == [c.effect for c in other.changes]


def _cells(fact: Fact) -> tuple[str, ...]:
    return (fact.since, fact.until, fact.type, fact.default, fact.valid, fact.mode, *fact.flags)


def _changes(plane: str, history: tuple[Fact, ...]) -> list[Change]:
    """What each row has otherwise than the row before it."""
    found: list[Change] = []
    effects = {
        (row[1], row[2]): (row[5], row[6])
        for row in data.rows("upgrade/defaults.tsv")
        if row[3] != NOTHING
        and (
            row[0] == plane
            or (row[0] == "client" and plane in ("producer", "consumer", "admin", "streams"))
        )
    }
    for old, new in pairwise(history):
        for what in ("type", "default", "valid", "mode"):
            was, now = getattr(old, what), getattr(new, what)
            if was != now:
                change = Change(new.since, what, was, now)
                if what == "default":
                    change.effect, change.source = effects.get((new.key, new.since), ("", ""))
                found.append(change)
        for flag in ("deprecated", "internal"):
            if (flag in old.flags) != (flag in new.flags):
                was, now = (flag if flag in fact.flags else "" for fact in (old, new))
                found.append(Change(new.since, "flag", was, now))
    return found


def _since(plane: str, key: str) -> str:
    """The first version of a key that is older than the catalogue."""
    return next((row[2] for row in data.rows("keys/since.tsv") if row[:2] == [plane, key]), "")


def _renamed(key: str) -> list[tuple[str, str]]:
    """(what took its place, in words where that is no key) of keys that are gone or going."""
    return [
        (", ".join(now.split(",")), note)
        for _plane, old, _gone, now, note in data.rows("keys/renames.tsv")
        if old == key
    ]


# -- who gives it to whom ---------------------------------------------------------------------


def _inheritance(key: Key) -> None:
    for topic_key, versions, _order, broker_key, factor in data.rows("kafka/topic-fallback.tsv"):
        held = "" if versions == f"{catalogue.oldest()}-" else versions
        if topic_key == key.key:
            _add(key.takes_from, Heir(broker_key, "broker", int(factor), held))
        if broker_key == key.key:
            _add(key.gives_to, Heir(topic_key, "topic", int(factor), held))
    for name, others in STAND_INS.items():
        for other, times in others:
            if name == key.key:
                _add(key.takes_from, Heir(other, "broker", times))
            if other == key.key:
                _add(key.gives_to, Heir(name, "broker", times))


def _add(heirs: list[Heir], heir: Heir) -> None:
    """Add a key once: of several version ranges the first is told."""
    if heir.key not in [h.key for h in heirs if h.plane == heir.plane]:
        heirs.append(heir)


# -- who else reads it ------------------------------------------------------------------------


def _in_images(key: Key, role: str) -> None:
    presets: dict[str, list[str]] = {}
    for id, _when, name, value, _versions, source in data.rows("images/base.tsv"):
        if name == key.key and value != "?" and source != images.UNVERIFIED:
            presets.setdefault(id, []).append(value)
    for family in images.families().values():
        if family.role != role:
            continue
        variable = family.variable(key.key)
        if variable is not None:
            key.variables.setdefault(variable, []).append(family.name)
        key.preset += [(family.name, value) for value in dict.fromkeys(presets.get(family.id, ()))]


def _in_libraries(key: Key) -> None:
    """What other libraries call it, told where that is not plain Java's name."""
    for library in tables():
        relation, here, note = library.java.get(key.key, ("", (), ""))
        names = tuple(n for n in library.names(key.key) if n in library)
        if relation == NONE:
            names = ()
        elif relation and here:
            names = here
        if names or note:
            key.libraries.append((library.name, names, relation, note))


def other_names(word: str) -> list[tuple[str, str]]:
    """(Kafka's key, whose word it is) of a name that Spring or another library has for a key."""
    found: list[tuple[str, str]] = []
    if word.startswith(_SPRING):
        for name, _versions, _type, _default, kafka, _flags in data.rows("spring/boot.tsv"):
            if name == word.removeprefix(_SPRING) and kafka:
                found.append((kafka, "Spring Boot"))
    for library in tables():
        if word not in library:
            continue
        own = {word, library.history(word)[-1].alias} - {""}
        found += [(k, library.name) for k, (_, here, _) in library.java.items() if own & set(here)]
        dotted = {library.row.dotted(other) for other in own}
        found += [(key, library.name) for key in sorted(dotted) if _in_client(key)]
    return found


def _in_client(key: str) -> bool:
    return any(key in catalogue.plane(plane) for plane in ("producer", "consumer", "admin"))


def other_meanings(word: str) -> list[tuple[str, str]]:
    """(Kafka's key, whose word it is) where a library has the name of a key for another one."""
    return [] if _in_client(word) else [pair for pair in other_names(word) if pair[0] != word]

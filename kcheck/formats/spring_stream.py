"""Spring Cloud Stream on Kafka: the message binder's bindings, and the Kafka Streams binder.

A binding is a consumer or a producer of its destination. It gets what Boot gives to its clients,
then the binder's configuration, then its own. A binder with a name has an environment of its own,
which goes over the application's. The Streams binder has a tree of its own and reads nothing of the
other's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.application import Layer, misnamed
from kcheck.formats.pairs import Pair, elements, relaxed
from kcheck.model import START, Creation, Note, Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.spring import Reader

_PREFIX = "spring.cloud.stream."
#: The end of a binding's name where it is made of its function's.
_FUNCTION = re.compile(r"-(?:in|out)-\d+$")
#: Typed properties of a binding and Kafka's keys for them.
_TYPED = {
    ("consumer", "startoffset"): "auto.offset.reset",
    ("producer", "compressiontype"): "compression.type",
    ("producer", "buffersize"): "batch.size",
    ("producer", "batchtimeout"): "linger.ms",
}
_MAPS = {
    "configuration": "",
    "consumerproperties": "consumer",
    "producerproperties": "producer",
}
#: What both binders have, each in a tree of its own: how they make topics.
_OF_TOPICS = ("replicationfactor", "autocreatetopics", "autoaddpartitions", "minpartitioncount")
#: The properties of a binding that all binders have (ConsumerProperties, ProducerProperties of
#: spring-cloud-stream), and those of the Kafka binder alone (KafkaConsumerProperties,
#: KafkaProducerProperties), by side.
_CORE = {
    "consumer": frozenset(
        {
            *("autostartup", "concurrency", "partitioned", "instancecount", "instanceindex"),
            *("instanceindexlist", "maxattempts", "backoffinitialinterval", "backoffmaxinterval"),
            *("backoffmultiplier", "defaultretryable", "retryableexceptions", "headermode"),
            *("usenativedecoding", "multiplex", "retrytemplatename", "batchmode"),
        }
    ),
    "producer": frozenset(
        {
            *("autostartup", "partitionkeyexpression", "partitionkeyextractorname"),
            *("partitionselectorexpression", "partitionselectorname", "partitioncount"),
            *("requiredgroups", "headermode", "usenativeencoding", "errorchannelenabled", "poller"),
            "dynamicpartitionupdatesenabled",
        }
    ),
}
_KAFKAS = {
    "consumer": frozenset(
        {
            *("ackeachrecord", "ackmode", "autorebalanceenabled", "autocommitoffset"),
            *("autocommitonerror", "startoffset", "resetoffsets", "enabledlq", "dlqname"),
            *("dlqpartitions", "dlqproducerproperties", "recoveryinterval", "trustedpackages"),
            *("standardheaders", "converterbeanname", "idleeventinterval", "destinationispattern"),
            *("topic", "configuration", "polltimeout", "transactionmanager", "txcommitrecovered"),
            *("commonerrorhandlerbeanname", "reactiveautocommit", "reactiveatmostonce"),
        }
    ),
    "producer": frozenset(
        {
            *("buffersize", "sync", "sendtimeoutexpression", "batchtimeout", "headerpatterns"),
            *("messagekeyexpression", "configuration", "topic", "usetopicheader"),
            *("recordmetadatachannel", "transactionmanager", "compressiontype", "closetimeout"),
            "allownontransactional",
        }
    ),
}
_DEFINITIONS = ("spring.cloud.function.definition", "spring.cloud.stream.function.definition")
#: Names below the prefix that give the message binder something to do beside functions.
_OTHER_WORK = (
    *("source", "pollablesource", "outputbindings", "inputbindings"),
    *("dynamicdestinations", "defaultbinder"),
)


class _Binding:
    """What is said of one binding, in whichever of the trees."""

    def __init__(self, name: str, first: Pair) -> None:
        self.name = name
        self.first = first
        self.plain: dict[str, Pair] = {}
        self.sides: set[str] = set()
        self.layers: dict[str, Layer] = {}
        self.topic: Layer = {}
        #: Its own replication factor.
        self.copies: Pair | None = None
        self.streams = False
        #: Whether its destination is a pattern of names.
        self.pattern = False
        self.notes: list[Note] = []

    def misplaced(self, pair: Pair, right: str) -> None:
        """Note a property that the level on which it stands does not have."""
        self.notes.append(
            misnamed(
                "KC0160",
                pair,
                f"{pair.written} is not a property of that level",
                "Spring ignores it",
                f"set {right}",
                pair.text,
            )
        )

    @property
    def side(self) -> str:
        """``consumer`` or ``producer``; "" where nobody says which."""
        if len(self.sides) == 1:
            return next(iter(self.sides))
        if "group" in self.plain or "-in-" in self.name:
            return "consumer"
        return "producer" if "-out-" in self.name else ""


class _Binders:
    """The trees of both binders, sorted out."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.binder: dict[str, Layer] = {"": {}, "consumer": {}, "producer": {}}
        self.streams: Layer = {}
        self.applications: dict[str, Layer] = {}
        self.bindings: dict[str, _Binding] = {}
        self.types: dict[str, str] = {}
        #: What binders with a name have for themselves, as the pairs that it would be outside.
        self.elsewhere: dict[str, list[Pair]] = {}
        self.alone: set[str] = set()
        self.default: Pair | None = None
        self._inner: dict[str, _Binders] = {}
        self.group: Pair | None = None
        #: How many instances the application has, and consumers each binding: told for all.
        self.counts: dict[str, Pair] = {}
        self.brokers: Pair | None = None
        self.streams_first: Pair | None = None
        #: The application's id that all processors of the Streams binder have.
        self.shared: Pair | None = None
        #: The input bindings of the Streams binder.
        self.inputs: set[str] = set()
        #: How the message binder is told to make topics, and what the Streams binder is told.
        self.of_topics: dict[str, Pair] = {}
        self.told_streams: set[str] = set()
        #: The functions, as the application lists them.
        self.definition: Pair | None = None
        self.other_work = False
        port = reader.texts.of(f"{_PREFIX}kafka.binder.default-broker-port") or "9092"
        for pair in reader.pairs:
            parts = elements(pair.name)
            if ".".join(map(relaxed, parts)) in _DEFINITIONS:
                self.definition = pair
            if len(parts) > 3 and ".".join(map(relaxed, parts[:3])) + "." == _PREFIX:
                self._pair(pair, parts[3:], port)

    def _pair(self, pair: Pair, parts: list[str], port: str) -> None:
        words = list(map(relaxed, parts))
        self.other_work = self.other_work or words[0].partition("[")[0] in _OTHER_WORK
        if words[0] == "bindings" and len(parts) > 2:
            binding = self._binding(parts[1], pair)
            binding.plain[".".join(words[2:])] = pair
            if words[2] in ("consumer", "producer"):
                binding.sides.add(words[2])
                if words[3:] and words[3] in _KAFKAS[words[2]] - _CORE[words[2]]:
                    binding.misplaced(pair, f"{_PREFIX}kafka.bindings.{'.'.join(parts[1:])}")
        elif words[:2] == ["default", "group"]:
            self.group = pair
        elif words in (["default", "consumer", "concurrency"], ["instancecount"]):
            self.counts[words[-1]] = pair
        elif words[0] == "binders" and len(parts) > 2:
            self._named(parts[1], pair, parts[2:], words[2:])
        elif words == ["defaultbinder"]:
            self.default = pair
        elif words[:2] == ["kafka", "streams"]:
            self._of_streams(pair, parts[2:], words[2:])
        elif words[0] == "kafka":
            self._of_messages(pair, parts[1:], words[1:], port)

    def _named(self, name: str, pair: Pair, parts: list[str], words: list[str]) -> None:
        """What is told of a binder with a name."""
        if words[0] == "type":
            self.types[name] = pair.text or ""
            return
        own = self.elsewhere.setdefault(name, [])
        if words[0] == "environment" and len(parts) > 1:
            outside = ".".join(f"[{part}]" if "." in part else part for part in parts[1:])
            made = Pair(outside, pair.text, pair.path, pair.at, pair.key_at, pair.written)
            made.literal = pair.literal
            own.append(made)
        elif words[0] == "inheritenvironment" and pair.text == "false":
            self.alone.add(name)

    def _of_streams(self, pair: Pair, parts: list[str], words: list[str]) -> None:
        """The tree of the Kafka Streams binder."""
        if words[:1] == ["binder"] and len(parts) > 1:
            self.streams_first = self.streams_first or pair
            self._streams(pair, parts[1:], words[1:])
        elif words[:1] == ["bindings"] and len(parts) > 3:
            self.streams_first = self.streams_first or pair
            self._binding(parts[1], pair).streams = True
            if words[2] == "consumer":
                self.inputs.add(parts[1])
            if words[3] == "applicationid":
                self._application(parts[1], pair)

    def _of_messages(self, pair: Pair, parts: list[str], words: list[str], port: str) -> None:
        """The tree of the message binder."""
        if words[:1] == ["binder"] and len(parts) > 1:
            self._message(pair, parts[1:], words[1:], port)
        elif words[:1] == ["bindings"] and len(parts) > 3:
            self._own(self._binding(parts[1], pair), pair, words[2], parts[3:])
        elif words[:1] == ["default"] and words[2:3] == ["configuration"] and parts[3:]:
            self._put(self.binder.setdefault(words[1], {}), pair, ".".join(parts[3:]))

    def _binding(self, name: str, first: Pair) -> _Binding:
        return self.bindings.setdefault(name, _Binding(name, first))

    def _put(self, layer: Layer, pair: Pair, key: str, text: str | None = None) -> None:
        filled = self.reader.texts.filled(pair.text) if text is None else text
        layer[key] = pair.setting(key, filled)

    def _message(self, pair: Pair, parts: list[str], words: list[str], port: str) -> None:
        if words[0] in _MAPS and len(parts) > 1:
            self._put(self.binder[_MAPS[words[0]]], pair, ".".join(parts[1:]))
        elif words[0] == "brokers":
            self.brokers = pair
            text = self.reader.texts.filled(pair.text)
            hosts = text and ",".join(_with_port(host.strip(), port) for host in text.split(","))
            self._put(self.binder[""], pair, "bootstrap.servers", hosts)
        elif words == ["requiredacks"]:
            self._put(self.binder["producer"], pair, "acks")
        elif words == ["transaction", "transactionidprefix"]:
            self._put(self.binder["producer"], pair, "transactional.id")
        elif words[:3] == ["transaction", "producer", "configuration"] and len(parts) > 3:
            self._put(self.binder["producer"], pair, ".".join(parts[3:]))
        elif words[0] in _OF_TOPICS:
            self.of_topics[words[0]] = pair

    def _own(self, binding: _Binding, pair: Pair, side: str, parts: list[str]) -> None:
        if side not in ("consumer", "producer"):
            return
        binding.sides.add(side)
        layer = binding.layers.setdefault(side, {})
        word = relaxed(parts[0])
        if word in _CORE[side] - _KAFKAS[side]:
            right = f"{_PREFIX}bindings.{binding.name}.{side}.{'.'.join(parts)}"
            binding.misplaced(pair, right)
        if word == "configuration" and len(parts) > 1:
            self._put(layer, pair, ".".join(parts[1:]))
        elif word == "destinationispattern":
            binding.pattern = (pair.text or "").strip().lower() != "false"
        elif (side, word) in _TYPED and len(parts) == 1:
            self._put(layer, pair, _TYPED[side, word])
        elif word == "topic" and [*map(relaxed, parts)][1:2] == ["properties"] and len(parts) > 2:
            self._put(binding.topic, pair, ".".join(parts[2:]))
        elif [*map(relaxed, parts)] == ["topic", "replicationfactor"]:
            binding.copies = pair

    def _streams(self, pair: Pair, parts: list[str], words: list[str]) -> None:
        self.told_streams.add(words[0])
        if words[0] == "configuration" and len(parts) > 1:
            self._put(self.streams, pair, ".".join(parts[1:]))
        elif words == ["brokers"]:
            self._put(self.streams, pair, "bootstrap.servers")
        elif words == ["applicationid"]:
            self.shared = pair
            self._put(self.streams, pair, "application.id")
        elif words[0] == "functions" and len(parts) > 2:
            if words[2] == "applicationid":
                self._application(parts[1], pair)
            elif words[2] == "configuration" and len(parts) > 3:
                self._put(self.applications.setdefault(parts[1], {}), pair, ".".join(parts[3:]))

    def _application(self, name: str, pair: Pair) -> None:
        self._put(self.applications.setdefault(name, {}), pair, "application.id")

    def name_of(self, binding: _Binding) -> str:
        """The name of the binder that the binding has; "" where nobody gives it one."""
        told = binding.plain.get("binder") or self.default
        if told is not None:
            return told.text or ""
        named = {*self.types, *self.elsewhere}
        only = next(iter(named)) if len(named) == 1 else ""
        return only if self.for_kafka(only) else ""

    def of(self, name: str) -> _Binders:
        """What holds for the bindings of a binder, whose environment goes over the application's."""
        if name not in self.elsewhere:
            return self
        if name not in self._inner:
            reader = self.reader.within(self.elsewhere[name], name in self.alone)
            self._inner[name] = _Binders(reader)
        return self._inner[name]

    def for_kafka(self, name: str) -> bool:
        """Whether a binder of that name is Kafka's for messages."""
        kind = self.types.get(name, name)
        return "kafka" in kind and kind not in ("kstream", "ktable", "globalktable")

    def foreign(self, binding: _Binding) -> bool:
        """Whether the binding belongs to another binder than Kafka's for messages, or may do so."""
        if binding.streams:
            return True
        name = self.name_of(binding)
        if not name:
            own = bool(binding.layers or binding.topic)
            return not own and (self.streams_first is not None or "rabbit" in self.types.values())
        return not self.for_kafka(name)


def _with_port(host: str, port: str) -> str:
    return host if ":" in host or not host else f"{host}:{port}"


def clients(reader: Reader) -> list[Resource]:
    """The clients of all bindings, and the applications of the Streams binder."""
    binders = _Binders(reader)
    made = [r for b in binders.bindings.values() if (r := _bound(reader, binders, b)) is not None]
    made += _applications(reader, binders)
    for one in () if made else _asking(binders):
        layers = [*one.reader.layers(""), (one.binder[""], True)]
        at = one.brokers.key_at if one.brokers is not None else START
        made.append(reader.application.client("client", at, layers))
    return made


def _asking(binders: _Binders) -> list[_Binders]:
    """The binders that are told brokers, of an application whose bindings nobody lists."""
    named = [binders.of(name) for name in sorted(binders.elsewhere) if binders.for_kafka(name)]
    found = [one for one in named or [binders] if one.brokers is not None]
    return found if len({id(one.brokers) for one in found}) == len(found) else found[:1]


def _bound(reader: Reader, binders: _Binders, binding: _Binding) -> Resource | None:
    side = binding.side
    if not side or binders.foreign(binding):
        return None
    mine = binders.of(binders.name_of(binding))
    layers = mine.reader.layers(side)
    layers += [(mine.binder[""], True), (mine.binder[side], False)]
    own = dict(binding.layers.get(side, {}))
    group = binding.plain.get("group") or binders.group
    if side == "consumer" and group is not None:
        own["group.id"] = group.setting("group.id", reader.texts.filled(group.text))
    layers.append((own, False))
    topics = _destinations(reader, binding)
    if not any(layer for layer, _ in layers):
        return None
    at = binding.first.key_at
    if binding.topic and topics:
        topic = Resource("topic", topics[0], reader.path, at)
        topic.settings.update(binding.topic)
        topic.traits.application = reader.application.owner
        reader.application.document.resources.append(topic)
    client = reader.application.client(side, at, layers, topics=topics)
    client.notes.extend(binding.notes)
    made = _provisioned(mine, binding)
    if made is not None:
        client.traits.creates = (made,)
    if side == "consumer":
        for word, name in (("concurrency", "concurrency"), ("instancecount", "instances")):
            pair = binding.plain.get(f"consumer.{word}") or binders.counts.get(word)
            if pair is not None:
                count = pair.setting(name, reader.texts.filled(pair.text))
                setattr(client.traits, name, count)
    return client


def _provisioned(binders: _Binders, binding: _Binding) -> Creation | None:
    """How the binder creates the destination, where its properties say with how many replicas."""
    if (told := binders.of_topics.get("autocreatetopics")) and (told.text or "") != "true":
        return None
    pair = binding.copies or binders.of_topics.get("replicationfactor")
    if pair is None:
        return None
    factor = pair.setting("replication.factor", binders.reader.texts.filled(pair.text))
    # -1 is the brokers' default.
    return Creation("its destination", factor.key, factor, -1)


def _destinations(reader: Reader, binding: _Binding) -> list[str] | None:
    """The topics of a binding, which has its own name for one; None where they are not known."""
    destination = binding.plain.get("destination")
    names = reader.texts.filled(destination.text) if destination else binding.name
    return [name.strip() for name in names.split(",")] if names and not binding.pattern else None


def _flows(reader: Reader, binders: _Binders, streams: Resource) -> None:
    """The topics that the one Streams application reads and writes, where all of them are told."""
    for part, direction in (("-in-", "topics"), ("-out-", "writes")):
        bindings = [
            b for b in binders.bindings.values() if part in b.name and not _others(binders, b)
        ]
        topics = [_destinations(reader, binding) for binding in bindings]
        if topics and None not in topics:
            told = tuple(name for names in topics for name in names or ())
            setattr(streams.traits, direction, told)


def _others(binders: _Binders, binding: _Binding) -> bool:
    """Whether the message binder has the binding, or another binder than Kafka's."""
    told = binding.plain.get("binder")
    if told is None:
        return bool(binding.layers or binding.topic) and not binding.streams
    kind = binders.types.get(told.text or "", told.text or "")
    return kind not in ("kstream", "ktable", "globalktable")


def _one_id(binders: _Binders) -> Iterator[Note]:
    """A note where several processors of the Streams binder have one application's id.

    Inputs of one function are told by their names; of other bindings nobody knows which processor
    they belong to.
    """
    shared = binders.shared or binders.group
    processors = {name.partition("-in-")[0] for name in binders.inputs}
    if shared is None or not shared.text or binders.applications or len(processors) < 2:
        return
    names = sorted(processors)
    key = "application.id" if shared is binders.shared else "spring.cloud.stream.default.group"
    yield Note(
        "KC1509",
        Setting(key, shared.text, shared.path, shared.at, shared.key_at, shared.name),
        f"{', '.join(names[:-1])} and {names[-1]} share {shared.name}={shared.text} as their "
        "application.id",
        "if they are separate processors, each is assigned partitions of topics that it does not "
        "read: only one of them gets records",
        "set a unique applicationId for each processor",
    )


def _only_function(binders: _Binders) -> str:
    """The one function that the application has; "" where it may have others, or other bindings.

    With one function, one of the two binders has nothing to bind.
    """
    definition = binders.definition
    told = binders.reader.texts.filled(definition.text) if definition else ""
    if told is None or any(sign in told for sign in ",;|"):
        return ""
    if binders.types or binders.elsewhere or binders.other_work:
        return ""
    names = {_FUNCTION.sub("", name) for name in binders.bindings if _FUNCTION.search(name)}
    if told.strip():
        names.add(told.strip())
    alike = all(
        _FUNCTION.search(name)
        and binding.plain.get("binder") is None
        and not binding.layers
        and not binding.topic
        for name, binding in binders.bindings.items()
    )
    return names.pop() if alike and len(names) == 1 else ""


def _of_the_other(binders: _Binders) -> Iterator[Note]:
    """Notes on how topics are to be made, told to the binder that the application does not use."""
    function = _only_function(binders)
    for word, pair in binders.of_topics.items() if function else ():
        if word in binders.told_streams:
            continue
        right = pair.name.replace(".binder", ".streams.binder")
        yield Note(
            "KC0134",
            Setting(pair.name, pair.text, pair.path, pair.at, pair.key_at, pair.name),
            f"{pair.name} is read only by the message binder, but {function}, the only function of "
            "this application, uses the Kafka Streams binder",
            "the Streams binder creates its topics with its own default",
            f"set {right}",
        )


def _applications(reader: Reader, binders: _Binders) -> list[Resource]:
    first = binders.streams_first
    if first is None:
        return []
    base = [*reader.layers("streams"), (binders.streams, False)]
    made = [
        reader.application.client("streams", first.key_at, [*base, (layer, False)])
        for layer in binders.applications.values()
    ] or [reader.application.client("streams", first.key_at, base)]
    if len(made) == 1:
        _flows(reader, binders, made[0])
    made[0].notes.extend(_one_id(binders))
    made[0].notes.extend(_of_the_other(binders))
    if binders.brokers is not None and all("bootstrap.servers" not in r.settings for r in made):
        pair = binders.brokers
        right = f"{_PREFIX}kafka.streams.binder.brokers"
        spot = Setting(pair.name, pair.text, pair.path, pair.key_at, pair.key_at, pair.name)
        made[0].notes.append(
            Note(
                "KC0132",
                spot,
                f"{pair.name} is read only by the message binder, so the Kafka Streams binder of this "
                "application has no brokers",
                "the Streams application connects to localhost:9092",
                f"set {right}",
            )
        )
    return made

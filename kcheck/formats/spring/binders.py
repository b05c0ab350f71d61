"""The properties of Spring Cloud Stream, sorted by binder and binding."""

from __future__ import annotations

from kcheck import catalogue
from kcheck.formats.clients.application import Layer
from kcheck.formats.pairs import Pair, relaxed
from kcheck.formats.spring.binder_levels import CORE, KAFKAS, PREFIX, SIDES, below_side, configured
from kcheck.formats.spring.bindings import FUNCTION, TYPED, Binding, misplaced_note
from kcheck.model import Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.spring.clients import Reader

_MAPS = {
    "configuration": "",
    "consumerproperties": "consumer",
    "producerproperties": "producer",
}
#: What both binders have, each in a tree of its own: how they make topics.
_OF_TOPICS = ("replicationfactor", "autocreatetopics", "autoaddpartitions", "minpartitioncount")
_DEFINITIONS = ("spring.cloud.function.definition", "spring.cloud.stream.function.definition")
#: Names below the prefix that give the message binder something to do beside functions.
_OTHER_WORK = (
    *("source", "pollablesource", "outputbindings", "inputbindings"),
    *("dynamicdestinations", "defaultbinder"),
)


#: The types of the binder for Kafka Streams.
_STREAMS = ("kstream", "ktable", "globalktable")


def function_of(binding: str) -> str:
    """The name of a binding's function, where the binding has its name from one."""
    return binding.partition("-in-")[0]


class Binders:
    """The trees of both binders, sorted out."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.binder: dict[str, Layer] = {"": {}, "consumer": {}, "producer": {}}
        self.streams: Layer = {}
        self.applications: dict[str, Layer] = {}
        self.bindings: dict[str, Binding] = {}
        self.types: dict[str, str] = {}
        #: What binders with a name have for themselves, as the pairs that it would be outside.
        self.elsewhere: dict[str, list[Pair]] = {}
        self.alone: set[str] = set()
        self.default: Pair | None = None
        self._inner: dict[str, Binders] = {}
        self.group: Pair | None = None
        #: How many instances the application has, and consumers each binding: told for all.
        self.counts: dict[str, Pair] = {}
        #: What is told for all bindings, of the core and of the binder: ``consumer.maxattempts``.
        self.defaults: dict[str, Pair] = {}
        self.own_defaults: dict[str, Pair] = {}
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
        #: What goes wrong in the binder's own properties.
        self.notes: list[Note] = []
        for pair in reader.pairs:
            if pair.form in _DEFINITIONS:
                self.definition = pair
            if len(pair.parts) > 3 and pair.form.startswith(PREFIX):
                self._pair(pair, pair.parts[3:])

    def _pair(self, pair: Pair, parts: list[str]) -> None:
        words = pair.words[3:]
        self._default(pair, words)
        self.other_work = self.other_work or words[0].partition("[")[0] in _OTHER_WORK
        if words[0] == "bindings" and len(parts) > 2:
            self._of_all(pair, parts[1:], words[1:])
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
            self._of_messages(pair, parts[1:], words[1:])

    def _of_all(self, pair: Pair, parts: list[str], words: list[str]) -> None:
        """What a binding is told on the level of all binders."""
        binding = self._binding(parts[0], pair)
        if self._nested(binding, pair, parts[1:], f"{PREFIX}bindings."):
            return
        binding.plain[".".join(words[1:])] = pair
        side, key = words[1], ".".join(parts[2:])
        if side not in SIDES:
            self._beside(binding, pair, parts[1:])
            return
        binding.sides.add(side)
        if words[2:] and words[2] in KAFKAS[side] - CORE[side]:
            binding.misplaced(pair, f"{PREFIX}kafka.bindings.{'.'.join(parts)}")
        elif key in catalogue.plane(side):
            binding.misplaced(pair, configured(parts[0], side, key))

    def _nested(self, binding: Binding, pair: Pair, parts: list[str], tree: str) -> bool:
        """Note a binding within another one, once; whether it is one: by a function's name, which no
        property has."""
        if not FUNCTION.search(parts[0]) or len(parts) < 2:
            return False
        if parts[0] not in binding.nested:
            binding.nested.add(parts[0])
            binding.misplaced(pair, tree + ".".join(parts))
        return True

    def _default(self, pair: Pair, words: list[str]) -> None:
        """What is told for all bindings, of the core or of the binder."""
        if words[0] == "default":
            self.defaults[".".join(words[1:])] = pair
        elif words[:2] == ["kafka", "default"]:
            self.own_defaults[".".join(words[2:])] = pair

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
        elif words[:1] == ["bindings"] and len(parts) > 2:
            self.streams_first = self.streams_first or pair
            binding = self._binding(parts[1], pair)
            binding.streams = True
            self._beside(binding, pair, parts[2:], True)
            if words[2] == "consumer":
                self.inputs.add(parts[1])
            if words[3:4] == ["applicationid"]:
                self._application(function_of(parts[1]), pair)
            elif words[2:4] == ["consumer", "configuration"] and len(parts) > 4:
                layer = self.applications.setdefault(function_of(parts[1]), {})
                self._put(layer, pair, ".".join(parts[4:]))

    def _of_messages(self, pair: Pair, parts: list[str], words: list[str]) -> None:
        """The tree of the message binder."""
        if words[:1] == ["binder"] and len(parts) > 1:
            self._message(pair, parts[1:], words[1:])
        elif words[:1] == ["bindings"] and len(parts) > 2:
            binding = self._binding(parts[1], pair)
            if self._nested(binding, pair, parts[2:], f"{PREFIX}kafka.bindings."):
                return
            self._own(binding, pair, words[2], parts[3:])
            self._beside(binding, pair, parts[2:])
        elif words[:1] == ["default"] and words[2:3] == ["configuration"] and parts[3:]:
            self._put(self.binder.setdefault(words[1], {}), pair, ".".join(parts[3:]))

    def _beside(
        self, binding: Binding, pair: Pair, parts: list[str], streams: bool = False
    ) -> None:
        """Note a property that stands beside ``consumer`` and ``producer``, and belongs below one."""
        if relaxed(parts[0]) in (*SIDES, "binder", "destination", "group", "contenttype"):
            return
        key = ".".join(parts)
        roles = [role for role in SIDES if key in catalogue.plane(role)] if not streams else []
        if roles:
            side = roles[0] if len(roles) == 1 else binding.side or roles[0]
            binding.misplaced(pair, configured(binding.name, side, key))
        elif right := below_side(binding.name, binding.side, parts, streams):
            binding.misplaced(pair, right)

    def _binding(self, name: str, first: Pair) -> Binding:
        return self.bindings.setdefault(name, Binding(name, first))

    def _put(self, layer: Layer, pair: Pair, key: str, text: str | None = None) -> None:
        filled = self.reader.texts.filled(pair.text) if text is None else text
        layer[key] = pair.setting(key, filled)

    def _put_servers(self, layer: Layer, pair: Pair, binder: str) -> None:
        """The brokers of a binder, which adds its port to each that has none."""
        port = self.reader.texts.of(f"{PREFIX}{binder}.default-broker-port") or "9092"
        text = self.reader.texts.filled(pair.text)
        hosts = text and ",".join(_with_port(host.strip(), port) for host in text.split(","))
        self._put(layer, pair, "bootstrap.servers", hosts)

    def _message(self, pair: Pair, parts: list[str], words: list[str]) -> None:
        if words[0] in _MAPS and len(parts) > 1:
            self._put(self.binder[_MAPS[words[0]]], pair, ".".join(parts[1:]))
        elif words[0] == "brokers":
            self.brokers = pair
            self._put_servers(self.binder[""], pair, "kafka.binder")
        elif words == ["requiredacks"]:
            self._put(self.binder["producer"], pair, "acks")
        elif words == ["transaction", "transactionidprefix"]:
            self._put(self.binder["producer"], pair, "transactional.id")
        elif words[:3] == ["transaction", "producer", "configuration"] and len(parts) > 3:
            self._put(self.binder["producer"], pair, ".".join(parts[3:]))
        elif words[0] in _OF_TOPICS:
            self.of_topics[words[0]] = pair
        elif (key := ".".join(parts)) in catalogue.plane("admin"):
            self.notes.append(misplaced_note(pair, f"{PREFIX}kafka.binder.configuration.{key}"))

    def _own(self, binding: Binding, pair: Pair, side: str, parts: list[str]) -> None:
        if side not in SIDES or not parts:
            return
        binding.sides.add(side)
        binding.own[".".join((side, *map(relaxed, parts)))] = pair
        layer = binding.layers.setdefault(side, {})
        word = relaxed(parts[0])
        if word in CORE[side] - KAFKAS[side]:
            right = f"{PREFIX}bindings.{binding.name}.{side}.{'.'.join(parts)}"
            binding.misplaced(pair, right)
        elif word not in KAFKAS[side] and (key := ".".join(parts)) in catalogue.plane(side):
            binding.misplaced(pair, configured(binding.name, side, key))
        if word == "configuration" and len(parts) > 1:
            self._put(layer, pair, ".".join(parts[1:]))
        elif word == "destinationispattern":
            binding.pattern = (pair.text or "").strip().lower() != "false"
        elif (side, word) in TYPED and len(parts) == 1:
            self._put(layer, pair, TYPED[side, word])
        elif word == "topic" and [*map(relaxed, parts)][1:2] == ["properties"] and len(parts) > 2:
            self._put(binding.topic, pair, ".".join(parts[2:]))
        elif [*map(relaxed, parts)] == ["topic", "replicationfactor"]:
            binding.copies = pair

    def _streams(self, pair: Pair, parts: list[str], words: list[str]) -> None:
        self.told_streams.add(words[0])
        if words[0] in ("consumerproperties", "producerproperties") and len(parts) > 1:
            prefix = f"{PREFIX}kafka.streams.binder.configuration.{words[0][:8]}."
            self.notes.append(misplaced_note(pair, prefix + ".".join(parts[1:])))
        if words[0] == "configuration" and len(parts) > 1:
            self._put(self.streams, pair, ".".join(parts[1:]))
        elif words == ["brokers"]:
            self._put_servers(self.streams, pair, "kafka.streams.binder")
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

    def name_of(self, binding: Binding) -> str:
        """The name of the binder that the binding has; "" where nobody gives it one."""
        told = binding.plain.get("binder") or self.default
        if told is not None:
            return told.text or ""
        named = {*self.types, *self.elsewhere}
        only = next(iter(named)) if len(named) == 1 else ""
        return only if self.for_kafka(only) else ""

    def of(self, name: str) -> Binders:
        """What holds for the bindings of a binder, whose environment goes over the application's."""
        if name not in self.elsewhere:
            return self
        if name not in self._inner:
            reader = self.reader.within(self.elsewhere[name], name in self.alone)
            self._inner[name] = Binders(reader)
        return self._inner[name]

    @property
    def names(self) -> list[str]:
        """The binders with a name."""
        return sorted({**self.types, **self.elsewhere})

    def runs_streams(self, name: str) -> bool:
        """Whether a binder of that name is the one of Kafka Streams."""
        return self.types.get(name, name) in _STREAMS

    def for_kafka(self, name: str) -> bool:
        """Whether a binder of that name is Kafka's for messages."""
        kind = self.types.get(name, name)
        return "kafka" in kind and kind not in _STREAMS

    def foreign(self, binding: Binding) -> bool:
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

"""Programs that carry logs, metrics and streams: what their options are of Kafka's clients'.

Telegraf, Beats, Vector, Fluent Bit, the OpenTelemetry Collector, Redpanda Connect (Benthos), Flink's
tables and Spark's streams have names of their own for Kafka's keys, and hand raw keys on behind a prefix. The table is
``schemas/names/agents.tsv``; the modules of the formats bring the options.
"""

from __future__ import annotations

import re

from kcheck import data
from kcheck.formats import demands, unknown_fields, unknown_words
from kcheck.formats.agents import protocols, texts
from kcheck.formats.options import meant
from kcheck.formats.text import templated
from kcheck.lexicon import fields
from kcheck.model import Derived, Document, Framed, Position, Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TELEGRAF, BEATS, VECTOR, FLUENT_BIT = "telegraf", "beats", "vector", "fluent-bit"
COLLECTOR, FLINK, SPARK = "otel-collector", "flink", "spark"
LOGSTASH = "logstash"
#: Its plugins kafka, and kafka_franz and redpanda.
CONNECT, CONNECT_FRANZ = "redpanda-connect", "redpanda-connect-franz"
KEDA, DAPR, KNATIVE, CLICKHOUSE = "keda", "dapr", "knative", "clickhouse"
FLUENTD, PROMTAIL = "fluentd", "promtail"
CONSUMER, PRODUCER, CLIENT = "consumer", "producer", "client"

#: What each is called, and how its plugins are; the client library inside.
_CALLED = {
    TELEGRAF: (
        "Telegraf",
        {CONSUMER: "inputs.kafka_consumer", PRODUCER: "outputs.kafka"},
        "sarama",
    ),
    BEATS: ("Beats", {CONSUMER: "kafka input", PRODUCER: "output.kafka"}, "sarama"),
    VECTOR: ("Vector", {CONSUMER: "kafka source", PRODUCER: "kafka sink"}, "librdkafka"),
    FLUENT_BIT: ("Fluent Bit", {CONSUMER: "kafka input", PRODUCER: "kafka output"}, "librdkafka"),
    COLLECTOR: (
        "the OpenTelemetry Collector",
        {CONSUMER: "kafka receiver", PRODUCER: "kafka exporter"},
        "unknown",
    ),
    FLINK: ("Flink", {CONSUMER: "table", PRODUCER: "table"}, "java"),
    SPARK: ("Spark", {CONSUMER: "kafka source", PRODUCER: "kafka sink"}, "java"),
    CONNECT: (
        "Redpanda Connect",
        {CONSUMER: "kafka input", PRODUCER: "kafka output"},
        "sarama",
    ),
    CONNECT_FRANZ: (
        "Redpanda Connect",
        {CONSUMER: "kafka_franz input", PRODUCER: "kafka_franz output"},
        "franz-go",
    ),
    KEDA: ("KEDA", {CLIENT: "kafka trigger"}, "unknown"),
    DAPR: ("Dapr", {CLIENT: "kafka component"}, "unknown"),
    KNATIVE: ("Knative", {CONSUMER: "KafkaSource", PRODUCER: "KafkaSink"}, "unknown"),
    CLICKHOUSE: ("ClickHouse", {CONSUMER: "Kafka table"}, "librdkafka"),
    FLUENTD: ("Fluentd", {CONSUMER: "kafka source", PRODUCER: "kafka output"}, "unknown"),
    PROMTAIL: ("Promtail", {CONSUMER: "kafka target"}, "sarama"),
    LOGSTASH: ("Logstash", {CONSUMER: "kafka input", PRODUCER: "kafka output"}, "java"),
}
#: What a program sets itself where its file does not.
_DEFAULTS = {
    (TELEGRAF, CONSUMER): {"group.id": "telegraf_metrics_consumers", "encoding": "influx"},
    (TELEGRAF, PRODUCER): {"encoding": "influx"},
    (BEATS, PRODUCER): {"encoding": "json"},
    (VECTOR, CONSUMER): {"encoding": "bytes"},
    (FLUENT_BIT, CONSUMER): {"encoding": "none"},
    (FLUENT_BIT, PRODUCER): {"encoding": "json"},
    (COLLECTOR, CONSUMER): {"group.id": "otel-collector", "encoding": "otlp_proto"},
    (COLLECTOR, PRODUCER): {"encoding": "otlp_proto"},
    (PROMTAIL, CONSUMER): {"group.id": "promtail", "auto.offset.reset": "earliest"},
    (CONNECT, CONSUMER): {"auto.offset.reset": "earliest", "session.timeout.ms": "10000"},
    (CONNECT, PRODUCER): {"acks": "1"},
    (CONNECT_FRANZ, CONSUMER): {"auto.offset.reset": "earliest"},
    (CONNECT_FRANZ, PRODUCER): {"acks": "all"},
    # KafkaSinkBuilder.DEFAULT_KAFKA_TRANSACTION_TIMEOUT
    (FLINK, PRODUCER): {"transaction.timeout.ms": "3600000"},
}
REQUIRED = demands.NEEDED
_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)(ms|s|m|h)")
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
#: What Kafka takes for a topic.
_TOPIC = re.compile(r"[\w.-]{1,249}", re.ASCII)


class Option:
    """One option of a plugin. ``text`` is None where it is no plain value or list of them."""

    __slots__ = ("at", "frame", "name", "name_at", "number", "rounded", "text")

    def __init__(self, name: str, text: str | None, name_at: Position, at: Position) -> None:
        #: What is left of a text that a reader of the format takes for a number; "" where nothing is lost.
        self.rounded = ""
        #: Whether the format takes it for a number or a truth value.
        self.number = False
        self.name = name
        filled = text is not None and (templated(text) or "${" in text)
        self.text = None if filled else text
        #: What the file writes where something else fills in a part of it.
        self.frame = (text or "") if filled else ""
        self.name_at = name_at
        self.at = at


class _Row:
    """What an option is: Kafka's key, and how its words or its unit differ from Kafka's."""

    __slots__ = ("key", "words")

    def __init__(self, key: str, words: str) -> None:
        self.key = key
        self.words = words

    def text(self, text: str | None) -> str | None:
        """The value as Kafka has it."""
        if text is None or text.startswith("{"):
            return None  # of an object, say of offsets by partition, Kafka has no word
        if self.words == "ms":
            found = _DURATION.fullmatch(text)
            return str(round(float(found[1]) * _MILLISECONDS[found[2]])) if found else None
        for pair in self.words.split():
            word, _, right = pair.partition("=")
            if text.lower() == word:
                return None if right == "?" else right
        return None if self.words.endswith("*") else text


_tables: dict[tuple[str, str], dict[str, _Row]] = {}


def _table(program: str, role: str) -> dict[str, _Row]:
    if not _tables:
        for agent, side, option, key, words, _ in data.rows("names/agents.tsv"):
            _tables.setdefault((agent, side), {})[option] = _Row(key, words)
    return _tables.get((program, role), {})


def client(
    document: Document,
    program: str,
    role: str,
    options: list[Option],
    at: Position,
    form: str = "",
) -> Resource:
    """Add the client that a plugin's options make, and report what the program does not take.

    ``form`` names the object's options where that is not the role.
    """
    called, plugins, library = _CALLED[program]
    made = Resource(role, document.path, document.path, at)
    made.dialect = library
    made.traits.application = f"{document.path}:{at[0]}"
    made.traits.language = f"agent {program} {role}"
    table = _table(program, role)
    encodings: list[Setting] = []
    for option in options:
        row, key = meant(table, option.name)
        if row is None:
            continue
        text = row.text(option.text)
        place = (document.path, option.at, option.name_at, option.name)
        kind = Setting if text == option.text else Derived  # in Kafka's unit or words
        setting = Framed(key, option.frame, *place) if option.frame else kind(key, text, *place)
        if key == "topics":
            _name_topics(made, option.text)
        elif key == "encoding":
            setting.key = option.name
            encodings.append(setting)
        elif text is not None or key not in made.settings:
            made.settings[key] = setting
    for key, text in _DEFAULTS.get((program, role), {}).items():
        if key != "encoding":
            made.image[key] = Setting(key, text, document.path, at)
        elif not any(option.name.partition(".")[0] == "codec" for option in options):
            first = next((n for n, row in table.items() if row.key == "encoding"), "codec")
            encodings = encodings or [Setting(first, text, document.path, at)]
    if len(encodings) == 1 and made.traits.topics is not None:
        made.traits.encoding = (program, encodings[0])
    protocols.secure(made, program, options, at)
    layers = (made.settings, made.image)
    own = next((one[k] for k in ("group.id", "client.id") for one in layers if k in one), None)
    made.name = (own.text if own is not None else "") or document.path
    document.resources.append(made)
    owner = f"{_whose(called)} {plugins[role]}"
    _names(document, program, form or role, owner, table, options)
    document.problems += texts.faults(document.path, program, called, owner, options)
    require(document, program, form or role, options, at, role)
    return made


def _names(
    document: Document,
    program: str,
    holder: str,
    owner: str,
    table: dict[str, _Row],
    options: list[Option],
) -> None:
    """Report names and words that the plugin of ``owner`` does not have; ``holder`` is what has them."""
    known = fields.of(program, holder)
    given = [
        (
            o.name.partition(".")[0]
            if known and o.name.partition(".")[0] in known.known
            else o.name,
            o,
        )
        for o in options
        if not templated(o.name)
    ]
    prefixes = tuple(name for name in (known.known if known else ()) if name.endswith("."))
    strange = [(name, o.name_at) for name, o in given if not name.startswith(prefixes or "\0")]
    unknown_fields.of_names(document, program, holder, owner, "option", strange)
    nested: dict[str, list[tuple[str, Position]]] = {}
    for option in options:
        path, dot, name = option.name.rpartition(".")
        if dot and not templated(name):
            nested.setdefault(path, []).append((name, option.name_at))
    for path, inside in nested.items():
        of = f"{holder} {path}"
        unknown_fields.of_names(document, program, of, owner, "option", inside, f"{path}.")
    _strays(document, program, owner, table, known, [o for name, o in given if o.name == name])
    words = [(o.name, _spelt(program, holder, o.name, o.text), o.at) for o in options if o.text]
    unknown_words.words_of_names(document, program, holder, owner, words)


def _spelt(program: str, holder: str, name: str, text: str) -> str:
    """A word in the letters of the plugin's own, whose case does not matter."""
    known = fields.words_of(program, f"{holder} {name}")
    return next((word for word in known if word.lower() == text.lower()), text)


def _strays(
    document: Document,
    program: str,
    owner: str,
    table: dict[str, _Row],
    known: fields.Names | None,
    options: list[Option],
) -> None:
    """Report raw keys of the client that lack the prefix behind which the program hands them on."""
    prefix = next((name for name, row in table.items() if row.key == "*"), "")
    if not prefix or known is None:
        return
    for option in options:
        name = option.name
        raw = "." in name and not name.startswith(known.known) and not known.instead.get(name)
        if raw and unknown_fields.is_raw_key(name):
            unknown_fields.of_prefix(
                document, program, owner, name, f"{prefix}{name}", option.name_at
            )


def _name_topics(made: Resource, text: str | None) -> None:
    names = tuple(name.strip() for name in (text or "").split(",") if name.strip())
    if names and all(map(_TOPIC.fullmatch, names)):
        made.traits.topics = (*(made.traits.topics or ()), *names)


def _whose(called: str) -> str:
    return f"{called}'" if called.endswith("s") else f"{called}'s"


def require(
    document: Document,
    program: str,
    holder: str,
    options: Iterable[demands.Stated],
    at: Position,
    role: str = "",
) -> None:
    """Report what the options of a plugin demand of each other; ``role`` where the holder is not that."""
    called, plugins, _ = _CALLED[program]
    role = role or {"input": CONSUMER, "output": PRODUCER}.get(holder, holder)
    owner = f"{_whose(called)} {plugins[role]}"
    effect = (
        f"{called} {'reject the' if called.endswith('s') else 'rejects its'} configuration at start"
    )
    demands.tell(document, program, (holder, role), owner, options, at, effect)

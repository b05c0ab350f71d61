"""Beats, Vector, Fluent Bit, the OpenTelemetry Collector, Promtail, Redpanda Connect and Spark's options in YAML.

Their plugins are found wherever they stand, for charts and custom resources hold whole files of
these programs.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.agents import options as agents
from kcheck.formats.options import text_of
from kcheck.formats.scalars import documents, nothing
from kcheck.model import Document
from kcheck.syntax import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_OUTPUT = "output.kafka"
_SPARK = "kafka.bootstrap.servers"
#: Redpanda Connect's plugins: the name of their brokers, and the program in our tables.
_CONNECTS = {
    "kafka": ("addresses", agents.CONNECT),
    "kafka_franz": ("seed_brokers", agents.CONNECT_FRANZ),
    "redpanda": ("seed_brokers", agents.CONNECT_FRANZ),
}
#: Telegraf's plugins in the values of its chart, by the list that each is in.
_TELEGRAFS = {("outputs", "kafka"): agents.PRODUCER, ("inputs", "kafka_consumer"): agents.CONSUMER}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        search(document, node)
    nothing(document, "contains no Kafka input or output")


def search(document: Document, node: yaml.Node, holder: str = "") -> None:
    """Make the clients in a node; ``holder`` is the key that it is the value of."""
    if isinstance(node, yaml.SequenceNode):
        for item in yaml.items(node):
            search(document, item, holder)
        return
    members = yaml.pairs(node)
    names = {key for key, _, _ in members}
    if _SPARK in names:
        role = agents.PRODUCER if "topic" in names else agents.CONSUMER
        _client(document, agents.SPARK, role, node)
        return
    if _is_plugin(document, node, holder, names):
        return
    for key, _, value in members:
        program = _connects(key, value)
        if program:
            _connect(document, program, value)
        elif key == _OUTPUT or (key == "kafka" and holder == "output"):
            _client(document, agents.BEATS, agents.PRODUCER, value, beside=_outputs(node, key))
        else:
            _member(document, key, value, holder)


def _outputs(node: yaml.Node, own: str) -> list[agents.Option]:
    """The outputs of a beat beside its own, unless they are switched off."""
    prefix = "" if "." in own else "output."
    return [
        agents.Option(f"{prefix}{key}", "", yaml.position(name), yaml.position(name))
        for key, name, value in yaml.pairs(node)
        if key != own
        and f"{prefix}{key}".startswith("output.")
        and yaml.pairs(value)
        and yaml.text(yaml.child(value, "enabled")) in (None, "true")
        and yaml.text(yaml.child(yaml.child(node, own), "enabled")) in (None, "true")
    ]


def _member(document: Document, key: str, value: yaml.Node, holder: str) -> None:
    """Make the clients in a member of a mapping that ``holder`` names."""
    if holder in ("receivers", "exporters") and key.partition("/")[0] == "kafka":
        role = agents.CONSUMER if holder == "receivers" else agents.PRODUCER
        if names_of(value):
            _client(document, agents.COLLECTOR, role, value)
    elif holder in ("sources", "sinks") and yaml.text(yaml.child(value, "type")) == "kafka":
        role = agents.CONSUMER if holder == "sources" else agents.PRODUCER
        _client(document, agents.VECTOR, role, value)
    elif (holder, key) in _TELEGRAFS and "brokers" in names_of(value):
        _client(document, agents.TELEGRAF, _TELEGRAFS[holder, key], value)
    elif key == "kafka" and holder == "scrape_configs" and "brokers" in names_of(value):
        _client(document, agents.PROMTAIL, agents.CONSUMER, value)
    elif holder == "outputs" and yaml.text(yaml.child(value, "type")) == "kafka":
        # Elastic Agent's outputs have names of their own.
        _client(document, agents.BEATS, agents.PRODUCER, value, form="agent")
    else:
        search(document, value, key)


def _connects(key: str, value: yaml.Node) -> str:
    """The program of a plugin of Redpanda Connect's; "" where it is none."""
    brokers, program = _CONNECTS.get(key, ("", ""))
    return program if brokers in names_of(value) else ""


def _is_plugin(document: Document, node: yaml.Node, holder: str, names: set[str]) -> bool:
    """Make the client of a plugin that says itself which it is; whether the node is one."""
    kind = next((yaml.text(value) for key, _, value in yaml.pairs(node) if key == "type"), None)
    named = next(
        (yaml.text(value) for key, _, value in yaml.pairs(node) if key.lower() == "name"), None
    )
    if kind == "kafka" and holder in ("filebeat.inputs", "inputs") and "hosts" in names:
        _client(document, agents.BEATS, agents.CONSUMER, node)
        return True
    if named == "kafka" and holder in ("inputs", "outputs"):
        role = agents.CONSUMER if holder == "inputs" else agents.PRODUCER
        _client(document, agents.FLUENT_BIT, role, node, lower=True)
        return True
    return False


def _connect(document: Document, program: str, node: yaml.Node) -> None:
    """The client of a plugin of Redpanda Connect's: what reads has topics, what writes has one."""
    names = names_of(node)
    if not {"topic", "topics"} & {*names}:
        return  # the block that plugins share
    role = agents.CONSUMER if "topics" in names else agents.PRODUCER
    options: list[agents.Option] = []
    _flatten(options, "", node, False)
    for key, _, value in yaml.pairs(node):
        logins = yaml.items(value)
        if key == "sasl" and len(logins) == 1:
            _flatten(options, "sasl.", logins[0], False)
    told = {option.name: option.text for option in options}
    if told.get("sasl.mechanism", "") in ("none", ""):
        options = [one for one in options if not one.name.startswith("sasl")]
    if told.get("tls.enabled") == "false":
        options = [one for one in options if not one.name.startswith("tls.")]
    agents.client(document, program, role, options, yaml.position(node))


def names_of(node: yaml.Node) -> list[str]:
    """The keys of a mapping."""
    return [key for key, _, _ in yaml.pairs(node)]


def _client(
    document: Document,
    program: str,
    role: str,
    node: yaml.Node,
    lower: bool = False,
    beside: Iterable[agents.Option] = (),
    form: str = "",
) -> None:
    options = [*beside]
    _flatten(options, "", node, lower)
    agents.client(document, program, role, options, yaml.position(node), form)


def _is_number(node: yaml.ScalarNode) -> bool:
    """Whether this is a plain number or truth value, which readers do not take for a text."""
    text = node.value.removeprefix("-")
    return not node.style and (text in ("true", "false") or text.replace(".", "", 1).isdecimal())


def _flatten(options: list[agents.Option], path: str, node: yaml.Node, lower: bool) -> None:
    """The scalars below a node, and its lists of scalars, each with its dotted name."""
    for key, key_node, value in yaml.pairs(node):
        name = f"{path}{key.lower() if lower else key}"
        at, value_at = yaml.position(key_node), yaml.position(value)
        if isinstance(value, yaml.MappingNode):
            if yaml.pairs(value):
                _flatten(options, f"{name}.", value, lower)
            else:
                options.append(agents.Option(name, None, at, value_at))
            continue
        text = text_of(value)
        made = agents.Option(name, text, at, value_at)
        made.rounded = yaml.rounded(value)
        made.number = isinstance(value, yaml.ScalarNode) and _is_number(value)
        options.append(made)

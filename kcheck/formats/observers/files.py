"""YAML of programs that watch clusters: kafka-ui, AKHQ, Redpanda Console, KMinion, lag exporters.

Their sections are found wherever they stand, for charts hold whole files of these programs.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import Lookup, requirements
from kcheck.formats.observers import clients as observers
from kcheck.formats.observers.clients import (
    AKHQ,
    CONSOLE,
    KAFKA_UI,
    KMINION,
    LAG_EXPORTER,
    LAG_EXPORTER_ADMIN,
    Option,
)
from kcheck.formats.options import text_of
from kcheck.formats.scalars import documents, nothing
from kcheck.model import Document, Resource
from kcheck.syntax import yaml

#: How charts and files nest the sections at most.
_DEEPEST = 12
#: Before raw keys, which the files write without it.
_ADMIN = ("adminClientProperties.", "admin-client-properties.")
_RAW = ("properties.", "consumerProperties.", "consumer-properties.", *_ADMIN)
#: AKHQ's section; its name was KafkaHQ up to 0.14.
_AKHQ = ("akhq", "kafkahq")
_LISTS = {
    "bootstrapServers": KAFKA_UI,
    "bootstrap-servers": KAFKA_UI,
    "bootstrap_servers": KAFKA_UI,
    "bootstrapBrokers": LAG_EXPORTER,
    "bootstrap-brokers": LAG_EXPORTER,
}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        search(document, node)
    nothing(document, "contains no cluster that the program watches")


def search(document: Document, node: yaml.Node, name: str = "") -> list[Resource]:
    """Add the clients of the sections in a node; they are called after their clusters, else ``name``."""
    before = len(document.resources)
    _search(document, node, "", name, 0)
    return document.resources[before:]


def _search(document: Document, node: yaml.Node, holder: str, name: str, depth: int) -> None:
    """The same; ``holder`` is the key that the node is the value of."""
    if depth > _DEEPEST:
        return
    if isinstance(node, yaml.SequenceNode):
        for item in yaml.items(node):
            _search(document, item, holder, name, depth + 1)
        return
    members = yaml.pairs(node)
    for key, _, value in members:
        # In HOCON a key keeps its dots.
        if key.rpartition(".")[2] == "clusters" and isinstance(value, yaml.SequenceNode):
            _clusters(document, value, holder)
        elif holder in _AKHQ and key == "connections":
            requirements.of_node(document, AKHQ, "AKHQ", node, "AKHQ", holder)
            for cluster, _, told in yaml.pairs(value):
                _client(document, AKHQ, cluster, told)
        elif key == "kafka" and yaml.items(yaml.child(value, "brokers")):
            program = KMINION if any(other == "minion" for other, _, _ in members) else CONSOLE
            options = [*_options(value, "kafka.")]
            minion = yaml.child(node, "minion")
            options += _options(minion, "minion.") if minion is not None else ()
            requirements.of_node(document, program, name or program, node, program)
            observers.client(document, program, name or program, options, yaml.position(value))
        elif isinstance(value, (yaml.MappingNode, yaml.SequenceNode)):
            _search(document, value, key, name, depth + 1)


def _clusters(document: Document, node: yaml.Node, holder: str) -> None:
    """A list of clusters: of kafka-ui below ``kafka``, of the lag exporter anywhere."""
    for item in yaml.items(node):
        keys = [key for key, _, _ in yaml.pairs(item)]
        program = next((_LISTS[key] for key in keys if key in _LISTS), "")
        if program == LAG_EXPORTER or (program and holder == "kafka"):
            _client(document, program, yaml.text(yaml.child(item, "name")) or "", item)
    if holder == "kafka" and yaml.items(node):
        requirements.of_node(document, KAFKA_UI, "kafka-ui", node, "kafka-ui")
        for item in yaml.items(node):
            own = yaml.text(yaml.child(item, "name")) or "a cluster"
            requirements.of_node(document, f"{KAFKA_UI} cluster", own, item, "kafka-ui")


def _client(document: Document, program: str, cluster: str, node: yaml.Node) -> None:
    options, at = [*_options(node, "")], yaml.position(node)
    observers.client(document, program, cluster or program, options, at)
    if program == LAG_EXPORTER and any(one.name.startswith(_ADMIN) for one in options):
        # It asks for the groups and their offsets with a client of its own.
        admin = observers.client(document, LAG_EXPORTER_ADMIN, cluster or program, options, at)
        if admin is not None:
            admin.kind = admin.plane = "admin"


def _options(node: yaml.Node, prefix: str, depth: int = 0) -> Iterator[Option]:
    """The scalars below a node, and its lists of scalars, each with its dotted name."""
    for key, key_node, value in yaml.pairs(node):
        name, at, value_at = f"{prefix}{key}", yaml.position(key_node), yaml.position(value)
        if isinstance(value, yaml.MappingNode):
            if depth < _DEEPEST:
                yield from _options(value, f"{name}.", depth + 1)
            continue
        text = text_of(value)
        written = next((name.removeprefix(one) for one in _RAW if name.startswith(one)), name)
        yield Option(name, text, at, value_at, written)

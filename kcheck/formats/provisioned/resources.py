"""One resource of infrastructure as code → a topic, connector, worker, quota or consumer of the graph.

What a block is, of Terraform's language or of a tree of JSON or YAML, its reader knows; ``provisioned`` says
where in it everything stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.connect.connectors import finish
from kcheck.formats.provisioned.table import (
    BROKER,
    CONNECTOR,
    CONSUMER,
    ENUM,
    PAIRS,
    QUOTA,
    SNAKE,
    TEXT,
    WORKER,
    Place,
    Row,
    types,
)
from kcheck.formats.scalars import take
from kcheck.formats.terraform.entries import fact, listed, mapped, put, put_text, setting
from kcheck.formats.text import templated
from kcheck.model import MSK, Derived, Document, Resource, Setting
from kcheck.syntax.hcl_values import Entry, Open, Scalar
from kcheck.units import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.provisioned.tree_blocks import TreeBlock
    from kcheck.syntax.hcl import Block as HclBlock

    Block = HclBlock | TreeBlock

#: The facts of a quota by the types of entities.
_ENTITIES = {"client-id": "client_id", "user": "user", "ip": "ip"}
#: Words for Kafka's enumerations in lower case with underscores.
_WORDS = {"create_time": "CreateTime", "log_append_time": "LogAppendTime"}
#: Where a provider parts a name's words otherwise than Kafka.
_RENAMED = {"message.down.conversion.enable": "message.downconversion.enable"}
#: What connectors are that a type of resource, or a block in it, is for; None for a class that the
#: service keeps to itself.
_MIRROR = "org.apache.kafka.connect.mirror.MirrorSourceConnector"
_CLASSES = {
    "aiven_mirrormaker_replication_flow": _MIRROR,
    "connector_config_mirrormaker": _MIRROR,
    "connector_config_s3_sink": None,
    "connector_config_iceberg_sink": None,
}
#: Attributes beside the keys where all attributes of a resource are keys.
_BESIDE = frozenset(("id", "name", "project", "service_name", "cluster_id", "depends_on", "count"))


def found(block: Block, path: tuple[str, ...]) -> Entry | None:
    """The attribute at the end of a path of blocks and objects."""
    *outer, last = path
    for holder in _holders(block, tuple(outer)):
        entries = holder.attributes() if not isinstance(holder, list) else _by_key(holder)
        if last in entries:
            return entries[last]
    return None


def _by_key(entries: list[Entry]) -> dict[str, Entry]:
    return {entry.key: entry for entry in entries}


def _holders(block: Block, path: tuple[str, ...]) -> Iterator[Block | list[Entry]]:
    """The blocks, and the objects of attributes, to which a path leads."""
    if not path:
        yield block
        return
    first, *rest = path
    for one in block.blocks():
        if one.type == first:
            yield from _holders(one, tuple(rest))
    entry = block.attributes().get(first)
    held = mapped(entry) if entry is not None else None
    for value in held if isinstance(held, tuple) else (held,):
        if isinstance(value, list):
            yield from _objects(value, tuple(rest))


def _objects(entries: list[Entry], path: tuple[str, ...]) -> Iterator[list[Entry]]:
    if not path:
        yield entries
        return
    inner = _by_key(entries).get(path[0])
    if inner is not None and isinstance(inner.value, list):
        yield from _objects(inner.value, path[1:])


def fill(resource: Resource, block: Block, row: Row) -> None:
    """Take all keys and facts of a resource from where its row says that they stand."""
    for place in row.keys:
        _keys(resource, block, place)
    for place in row.facts:
        entry = found(block, place.path)
        if entry is not None:
            fact(resource, place.key, entry)


def _keys(resource: Resource, block: Block, place: Place) -> None:
    if place.key:
        entry = found(block, place.path)
        if entry is not None:
            _scaled(resource, place, entry)
        return
    if place.style == TEXT:
        entry = found(block, place.path)
        if entry is not None:
            put_text(resource, entry)
        return
    for holder in _holders(block, place.path):
        entries = holder if isinstance(holder, list) else list(holder.attributes().values())
        if isinstance(holder, Open):
            resource.traits.partial = True
        if place.style == PAIRS:
            _pair(resource, _by_key(entries))
            continue
        for entry in entries:
            if place.path or entry.key not in _BESIDE:
                _put(resource, entry, place.style)


def _put(resource: Resource, entry: Entry, style: str) -> None:
    if style not in (SNAKE, ENUM):
        put(resource, entry.key, entry)
        return
    key = entry.key.replace("_", ".")
    made = listed(_RENAMED.get(key, key), entry)
    text = _word(made.text, entry.key) if made.text is not None else None
    if text != made.text:
        made = Derived(made.key, text, made.path, made.at, made.key_at, made.name)
    take(resource, made)


def _word(text: str, name: str) -> str | None:
    """A word as Kafka has it; None for one of a provider's own that is not known here."""
    if text in _WORDS:
        return _WORDS[text]
    if "_" not in text or not text.isupper():
        return text
    prefix = name.upper() + "_"
    return text[len(prefix) :].lower().replace("_and_", ",") if text.startswith(prefix) else None


def _pair(resource: Resource, entries: dict[str, Entry]) -> None:
    """A block of a key and its value."""
    key, value = entries.get("key"), entries.get("value")
    named = key.value if key is not None else None
    if isinstance(named, Scalar) and value is not None and not templated(named.text):
        made = setting(named.text, value)
        made.key_at, made.name = named.at, named.text
        take(resource, made)


def _scaled(resource: Resource, place: Place, entry: Entry) -> None:
    """One attribute, in Kafka's unit."""
    made = listed(place.key, entry)
    number = whole(made.text)
    if number is not None and place.factor != 1:
        text = str(int(number * place.factor)) if number >= 0 else made.text
        made = Derived(place.key, text, made.path, made.at, made.key_at, made.name)
    take(resource, made)


class Resources:
    """Makes the resources of one document; ``folder`` is where the labels in it mean something.

    ``at`` and ``path`` are where a resource is said to be, in place of its block, where another
    file's ``module`` makes it.
    """

    def __init__(self, document: Document, folder: str, label: Block | None = None) -> None:
        self.document = document
        self.folder = folder
        self._label = label

    def make(self, kind: str, block: Block, row: Row) -> Resource:
        """A new resource with what its row says; it is not the document's yet."""
        entry = next((one for path in row.names if (one := found(block, path))), None)
        value = entry.value if entry is not None else None
        at = self._label.at if self._label is not None else block.at
        made = Resource(kind, block.labels[-1], self.document.path, at)
        if isinstance(value, Scalar):
            made.name = value.text
            if value.path == made.path and not value.made:
                made.at = value.at
        elif entry is not None and kind == "topic":
            # As it is written, in the form that stands for any name.
            source = entry.source
            made.name = source if source.startswith("${") else "${" + source + "}"
            if self._label is None:
                made.at = entry.at
        elif kind == "topic":
            made.name = "?"
        made.traits.service = row.service
        label, folder = cluster_of(block, row)
        made.cluster = label or None
        made.traits.namespace = self.folder if folder is None else folder
        fill(made, block, row)
        return made

    def quota(self, block: Block, row: Row) -> Resource | None:
        """The limits of a user, client id or address."""
        quota = self.make("quota", block, row)
        kind = found(block, ("entity_type",))
        if kind is not None:
            value = kind.value
            entity = _ENTITIES.get(value.text, "") if isinstance(value, Scalar) else ""
            if not entity or not quota.settings:
                return None
            name = found(block, ("entity_name",))
            if name is not None:
                fact(quota, entity, name)
            else:
                quota.facts[entity] = Setting(entity, None, quota.path, block.at)
        return quota if quota.settings else None

    def consumer(self, block: Block, row: Row) -> Resource | None:
        """What polls topics for a function, and commits for it."""
        listed = found(block, ("topics",))
        topics = listed.value if listed is not None else None
        if listed is None or found(block, ("queues",)) is not None:
            return None
        consumer = self.make("consumer", block, row)
        texts = topics if isinstance(topics, tuple) else ()
        names = [one.text for one in texts if isinstance(one, Scalar) and not templated(one.text)]
        consumer.facts.pop("topics", None)
        if names and len(names) == len(texts):
            consumer.traits.topics = tuple(names)
        # The service has its own values for all that the mapping does not say.
        consumer.traits.partial = True
        stream = found(block, row.clusters[0])
        if stream is not None and re.search(r"aws_msk_|:kafka:", stream.source):
            consumer.traits.service = MSK
        return consumer

    def connector(self, block: Block, row: Row) -> Resource | None:
        """A connector, unless something tells whether it is there at all."""
        connector = self.make("connector", block, row)
        _classed(connector, block)
        own = connector.settings.get("name")
        if not row.names and own is not None and own.text:
            connector.name, connector.at = own.text, own.at
        if templated(connector.name):
            connector.name = block.labels[-1]
        # What is secret stands in a map of its own, whose names nobody repeats.
        secret = found(block, ("config_sensitive",)) is not None
        if secret or row.type == "confluent_connector":
            connector.traits.partial = True
        if "connector.class" not in connector.settings:
            return None
        finish(connector)
        servers = found(block, row.clusters[0]) if row.clusters else None
        if servers is not None and servers.key == "bootstrap_servers" and not connector.cluster:
            asked = setting("bootstrap.servers", servers)
            connector.traits.asks = (asked,) if asked.text else ()
        return connector


def resource(makes: Resources, block: Block, row: Row) -> Resource | None:
    """What a block makes that stands by itself; None where it makes nothing that is known."""
    if row.kind == CONNECTOR:
        return makes.connector(block, row)
    if row.kind == QUOTA:
        return makes.quota(block, row)
    if row.kind == CONSUMER:
        return makes.consumer(block, row)
    made = makes.make(row.kind, block, row)
    if row.kind == WORKER:
        made.traits.partial = True  # the service adds what its workers need
        return made if made.settings else None
    return made


#: What may name a cluster by its id in so many words.
_ID = ("kafka_cluster", "id")


def _classed(connector: Resource, block: Block) -> None:
    """Let a connector have the class that its block stands for, and be off where that says so."""
    for kind in (block.labels[0], *(inner.type for inner in block.blocks())):
        if kind in _CLASSES:
            made = Derived("connector.class", _CLASSES[kind], block.file.path, block.at)
            connector.settings.setdefault(made.key, made)
            connector.traits.partial = True
    switch = found(block, ("enable",))
    value = switch.value if switch is not None else None
    connector.traits.halted = isinstance(value, Scalar) and value.text == "false"


def cluster_of(block: Block, row: Row) -> tuple[str, str | None]:
    """Which cluster of a service's a resource is of: the label of its resource, or its id; and the
    folder in which the label means it, None for the block's own."""
    for path in row.clusters:
        entry = found(block, path)
        if entry is None:
            continue
        origin = entry.origin()
        label = referred(origin.source) or _alone(origin.source)
        if label and (label in block.file.clusters or referred(origin.source)):
            return label, None if origin is entry else origin.path.rpartition("/")[0]
        value = entry.value
        if path == _ID and isinstance(value, Scalar) and not templated(value.text):
            return value.text, None
    return "", None


def _alone(source: str) -> str:
    """The first name of an expression, ``cluster`` in ``${cluster.id}``."""
    match = re.match(r"(?:\$\{)?([\w-]+)", source)
    return match[1] if match is not None else ""


def referred(source: str) -> str:
    """The label of the cluster's resource that an expression asks for; "" where it asks for none."""
    match = _reference().match(source)
    return match[1] if match is not None else ""


def _reference() -> re.Pattern[str]:
    words = "|".join(map(re.escape, types(BROKER)))
    return re.compile(
        rf'"?(?:\$\{{\s*)?(?:data\.)?(?:{words})\.([\w-]+)(?:\[[^\]]*\])?(?=\.|\}}|$)'
    )

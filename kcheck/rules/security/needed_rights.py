"""What clients, workers and connectors must be allowed to do, as their settings tell."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.text import templated
from kcheck.graph.clients import STORAGE_TOPIC_KEYS, Client, Connector, Consumer, Streams, Worker
from kcheck.model import START, Right, Setting, Value

#: What a client must be allowed to do, with the setting that tells.
Need = tuple[Right, Value | None]

#: Where a need stands: in no file.
_NOWHERE = Setting("acls", None, "", START)


def needs(node: Client | Connector) -> Iterator[Need]:
    """What a client must be allowed to do, as far as its settings tell."""
    if isinstance(node, Connector):
        yield from _of_sink(node)
        yield from _of_source(node)
    elif isinstance(node, Worker):
        yield from _of_group(node)
        if node.eos:
            # The leader's, for the topic of configurations (KIP-618).
            yield from _each(("Write",), "transactionalId", node["group.id"], before=_LEADER)
        for key in STORAGE_TOPIC_KEYS:
            yield from _each(("Read", "Write"), "topic", node[key])
    else:
        yield from _of_streams(node) if isinstance(node, Streams) else _of_group(node)
        if node.resource.kind == "producer":
            own = node["transactional.id"]
            # A framework appends the number of the producer to a prefix.
            grows = own.setting is not None and own.setting.name.lower().endswith("prefix")
            yield from _each(("Write",), "transactionalId", own, prefix=grows)
        yield from _of_topics(node)
        yield from _of_failed(node)
        yield from _of_registry(node)


def _of_sink(connector: Connector) -> Iterator[Need]:
    if connector.resource.plane != "sink-connector":
        return
    own = connector.resource.settings.get("consumer.override.group.id")
    group = own.text if own is not None else f"connect-{connector.name}"
    at = connector["topics"]
    if group and "?" not in group and not templated(group):
        yield _right("Read", "group", group), at
    for topic in connector.resource.traits.topics or ():
        yield _right("Read", "topic", topic), at
    overrides = any(
        key.startswith("producer.override.sasl.") for key in connector.resource.settings
    )
    if connector["errors.tolerance"].value == "all" and not overrides:
        # Of what it cannot process; its producer logs in as the worker does.
        yield from _each(("Write",), "topic", connector["errors.deadletterqueue.topic.name"])


def _of_source(connector: Connector) -> Iterator[Need]:
    """The transactional ids of a source's tasks, on workers that write exactly once (KIP-618)."""
    worker = connector.worker
    if worker is None or not worker.eos or connector.resource.plane != "source-connector":
        return
    group, settings = worker["group.id"], connector.resource.settings
    if group.text and not any(key.startswith("producer.override.") for key in settings):
        name = f"{group.text}-{connector.name}-"
        yield _right("Write", "transactionalId", name, True), group


def _of_failed(client: Client) -> Iterator[Need]:
    """Write on the topic of the records that a framework cannot process."""
    failed = client.resource.traits.failed
    if failed is not None and failed.topic.text:
        text, at = failed.topic.text, failed.topic
        yield (
            _right("Write", "topic", text),
            Value(at.key, client.resource, "set", text, text, True, at),
        )


def _of_registry(client: Client) -> Iterator[Need]:
    """The topic of Schema Registry, and the group in which its instances elect one."""
    for told, resource, operations in zip(
        client.resource.traits.registry or (),
        ("group", "topic"),
        (("Read",), ("Read", "Write")),
        strict=False,
    ):
        own = Value(told.key, client.resource, "set", told.text, told.text, True, told)
        yield from _each(operations, resource, own)


def _of_group(client: Client) -> Iterator[Need]:
    if isinstance(client, (Consumer, Worker)):
        yield from _each(("Read",), "group", client["group.id"])


def _of_streams(client: Streams) -> Iterator[Need]:
    service = client.resource.traits.service_id
    if service is not None and service.text:
        # ksqlDB's command topic and the applications of its queries.
        own = Value(service.key, client.resource, "set", service.text, service.text, True, service)
        name = f"_confluent-ksql-{service.text}"
        for need in (_right("Read", "group", name, True), _right("Read", "topic", name, True)):
            yield need, own
        yield _right("Write", "topic", name, True), own
        return
    application = client["application.id"]
    yield from _each(("Read",), "group", application)
    yield from _each(("Read", "Write"), "topic", application, "-")
    if client.eos:
        yield from _each(("Write",), "transactionalId", application, "-")


def _of_topics(client: Client) -> Iterator[Need]:
    traits, kind = client.resource.traits, client.resource.kind
    reads = traits.topics if kind in ("consumer", "streams") else ()
    writes = traits.topics if kind == "producer" else traits.writes
    for operation, names in (("Read", reads), ("Write", writes)):
        for topic in names or ():
            yield _right(operation, "topic", topic.rstrip("*"), topic.endswith("*")), None


def _each(
    operations: tuple[str, ...],
    resource: str,
    name: Value,
    ending: str = "",
    *,
    before: str = "",
    prefix: bool = False,
) -> Iterator[Need]:
    """The operations on what a setting names, ``before`` in front, if it is known; with an ``ending`` on
    all behind it.
    """
    for operation in operations if name.text else ():
        named = f"{before}{name.text}{ending}"
        yield _right(operation, resource, named, prefix or bool(ending)), name


#: Before the group of a Connect cluster in the transactional id of its leader.
_LEADER = "connect-cluster-"


def _right(operation: str, resource: str, name: str, prefix: bool = False) -> Right:
    return Right(_NOWHERE, operation, resource, name, prefix)

"""What a file of properties stands for: a node, a client, a Streams application, a worker or a connector."""

from __future__ import annotations

from kcheck import libraries
from kcheck.formats.properties.kinds import client_kind, is_link, named_kind
from kcheck.formats.properties.signs import (
    BROKER,
    CONNECT,
    CREDENTIALS,
    LIBRDKAFKA,
    STREAMS,
    WORKER_SIGNS,
)
from kcheck.formats.text import templated
from kcheck.model import START, Document, Resource
from kcheck.syntax.entry import Entry


def resource_of(document: Document, entries: dict[str, Entry]) -> Resource | str:
    """The resource that the file stands for, or why it stands for none."""
    path = document.path
    name = path.rsplit("/", 1)[-1].lower()
    if document.format == BROKER:
        roles = {role.strip() for role in _value(entries, "process.roles").split(",")}
        kind = "controller" if roles == {"controller"} else "broker"
        identity = _value(entries, "node.id") or _value(entries, "broker.id")
        return _named(kind, identity, path, "broker")
    if document.format == CONNECT:
        return _of_connect(path, name, entries)
    if document.format == STREAMS:
        return _named("streams", _value(entries, "application.id"), path, "streams")
    kind = client_kind(name, set(entries))
    identity = _value(entries, "group.id") if kind == "consumer" else ""
    resource = _named(kind, identity or _value(entries, "client.id"), path, kind)
    if is_link(entries.keys()):
        resource.traits.links = True
    if document.format == LIBRDKAFKA:
        resource.dialect = libraries.LIBRDKAFKA.name
        told = named_kind(name)
        if told:
            resource.traits.role = told
    elif entries.keys() & CREDENTIALS and "sasl.jaas.config" not in entries:
        resource.dialect = libraries.UNKNOWN
    return resource


def _of_connect(path: str, name: str, entries: dict[str, Entry]) -> Resource | str:
    """The connector or worker that the file stands for, or why it stands for none."""
    if "connector.class" in entries and not entries.keys() >= _WORKERS:
        if entries.keys() <= _BARE:
            return "the class of a connector without any setting of it"
        return _named("connector", _value(entries, "name"), path, "source-connector")
    if "offset.storage" in entries:
        return "the settings of an embedded Debezium, which kcheck does not support"
    if not (entries.keys() & WORKER_SIGNS or "bootstrap.servers" in entries):
        return "converters without a Connect worker, which kcheck does not support"
    plane = _worker_plane(name, entries)
    return _named("worker", _value(entries, "group.id"), path, plane)


#: Of a worker, whatever else is in its file. Debezium's engine has offsets in a topic, too, and people
#: put the topics of the worker into the files of connectors.
_WORKERS = {"bootstrap.servers", "config.storage.topic", "status.storage.topic"}
#: What a file says that names a plug-in, and runs nothing.
_BARE = {"connector.class"}


def _worker_plane(name: str, entries: dict[str, Entry]) -> str:
    """What starts a worker: a standalone one requires the file of offsets, and ignores topics that are
    left of a distributed one.
    """
    alone = "offset.storage.file.filename" in entries and "distributed" not in name
    return "connect-standalone" if alone or "standalone" in name else "connect-distributed"


def _named(kind: str, identity: str, path: str, plane: str) -> Resource:
    name = path if not identity or templated(identity) else identity
    return Resource(kind, name, path, START, plane)


def _value(entries: dict[str, Entry], key: str) -> str:
    return entries[key].value.strip() if key in entries else ""

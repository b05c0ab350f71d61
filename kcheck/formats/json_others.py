"""JSON of the Kafka world: connectors, clients of other languages, ECS task definitions.

Told apart by bytes alone where that is certain; the modules that read them are loaded when their
first file comes.
"""

from __future__ import annotations

from importlib import import_module

from kcheck.formats import Lookup
from kcheck.model import PASSED_OVER, Document

#: The modules that read a format, loaded when its first file comes.
_READERS = {
    "ecs-json": "ecs",
    "connector-json": "connector_json",
    "librdkafka": "client_json",
    "client-other": "client_json",
}
#: One of these is in every file with a client: names of the brokers' list in all languages.
_CLIENTS = (
    b'"bootstrap.servers"',
    b'"metadata.broker.list"',
    b'"bootstrap_servers"',
    b'"BootstrapServers"',
    b'"kafkajs"',
)


def recognise(path: str, data: bytes) -> str | None:
    if b'"connector.class"' in data:
        return "connector-json"
    # A list of containers, or a whole task definition that has one.
    if b'"essential"' in data and b'"image"' in data and b"KAFKA_" in data:
        return "ecs-json"
    if any(mark in data for mark in _CLIENTS):
        client_json = import_module("kcheck.formats.client_json")
        found: str | None = client_json.recognise(path, data)
        return found
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    reader = _READERS.get(document.format or "")
    if reader is not None:
        import_module(f"kcheck.formats.{reader}").read(document, data, lookup)
        return
    document.status = PASSED_OVER
    document.reason = "kcheck does not read this format yet"

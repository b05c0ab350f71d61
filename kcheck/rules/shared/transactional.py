"""Producers that use transactions."""

from __future__ import annotations

from kcheck.graph.clients import Client, Connector, Inner, Streams, Worker
from kcheck.graph.nodes import Node
from kcheck.model import Value


def transactional(client: Client) -> Value | None:
    """The setting by which the client is known to write in transactions."""
    if isinstance(client, Streams):
        return client["processing.guarantee"] if client.eos else None
    if isinstance(client, Worker):
        return client["exactly.once.source.support"] if client.eos else None
    if isinstance(client, Inner):
        by_host = _by_host(client.outer)
        if by_host is not None:
            return by_host
    identity = client["transactional.id"]
    if not identity.explicit or identity.text == "":
        return None
    return identity


def _by_host(host: Node) -> Value | None:
    """The setting that makes a program's producers write in transactions."""
    if isinstance(host, Connector):
        worker = host.worker
        sink = host.resource.plane == "sink-connector"
        return None if worker is None or sink else transactional(worker)
    return transactional(host) if isinstance(host, Client) else None

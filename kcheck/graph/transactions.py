"""Who of a cluster's clients uses transactions."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.graph.clients import Client, Connector
from kcheck.model import FACT, Resource, Value

#: Values of keys on transactions that ask for none.
_NO_TRANSACTIONS = ("", "at_least_once", "disabled", "preparing", "requested")


def transactional(
    nodes: Iterable[Resource], clients: list[Client], connectors: Iterable[Connector]
) -> Value | None:
    """The setting by which one of the clients of a cluster with those nodes is known to use
    transactions."""
    for client in clients:
        for key in ("transactional.id", "processing.guarantee", "exactly.once.source.support"):
            value = client[key] if client.sets(key) else None
            if value is None:
                continue
            # An id that something else fills in is an id.
            filled = key == "transactional.id" and value.text is None
            if filled or (value.known and value.value not in _NO_TRANSACTIONS):
                return value
    for node in (*nodes, *(client.resource for client in clients)):
        if (program := node.traits.transactional) is not None:
            return Value(program.key, node, FACT, program.text, program.text, True, program)
    for connector in connectors:
        for key in ("exactly.once.support", "producer.override.transactional.id"):
            value = connector[key]
            if value.explicit and value.text not in _NO_TRANSACTIONS:
                return value
    return None

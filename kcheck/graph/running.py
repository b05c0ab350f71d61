"""How many of a client run: processes, and the clients of each.

A declaration counts all there are. Elsewhere the replicas of a workload count processes, and its
program says how many consumers each of them runs; what nobody tells is one, so that the product is
the least that runs.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import configdef
from kcheck.graph.clients import Client, Streams
from kcheck.model import ABSENT, FACT, NAN, Resource, Setting, Value

INSTANCES, CONCURRENCY = "instances", "concurrency"
#: More of one client is nobody's plan.
_MOST = 10_000_000


class Running:
    """The number of clients, NaN where nobody tells it, and the values that it is made of."""

    __slots__ = ("number", "said")

    def __init__(self, number: float, said: list[Value]) -> None:
        self.number = number
        self.said = said


def instances(client: Client) -> Value:
    """How many processes run the client: declared, else by the replicas of its workload."""
    if INSTANCES in client.resource.facts:
        return client.fact(INSTANCES)
    return _count(INSTANCES, client.resource, client.resource.traits.instances)


def running(client: Client) -> Running:
    """How many clients these processes run at least."""
    processes = instances(client)
    if INSTANCES in client.resource.facts:
        return Running(processes.number, [processes])
    if isinstance(client, Streams):
        threads = client["num.stream.threads"]
        each = threads if threads.explicit else Value(CONCURRENCY, client.resource, ABSENT)
    else:
        each = _count(CONCURRENCY, client.resource, client.resource.traits.concurrency)
    said = [value for value in (processes, each) if value.number >= 0]
    number = 1.0
    for value in said:
        number *= value.number
    return Running(number if said else NAN, said)


def counted(clients: Iterable[Client]) -> list[Running]:
    """Those of the clients whose number is known and that may run at the same time.

    Profiles of one program, and files that speak of one client under one name, are its forms: only
    the largest of them counts. What is declared is meant as it stands.
    """
    declared: list[Running] = []
    forms: dict[object, dict[object, list[Running]]] = {}
    for client in clients:
        one, resource = running(client), client.resource
        if not one.number > 0:
            continue
        if INSTANCES in resource.facts:
            declared.append(one)
            continue
        form = resource.path, resource.traits.profile
        forms.setdefault((resource.kind, client.name), {}).setdefault(form, []).append(one)
    for alternatives in forms.values():
        declared += max(alternatives.values(), key=lambda form: sum(one.number for one in form))
    return declared


def together(clients: Iterable[Client]) -> Running:
    """How many of the clients run at the same time, at least; NaN where nobody tells any number."""
    found = counted(clients)
    said = [value for one in found for value in one.said]
    return Running(sum(one.number for one in found) if found else NAN, said)


def _count(name: str, resource: Resource, setting: Setting | None) -> Value:
    """A count that some file tells; unknown where it tells none, or no number of clients."""
    number, wrong = configdef.convert("int", (setting.text if setting else None) or "")
    if setting is None or wrong or not isinstance(number, int) or not 0 <= number <= _MOST:
        return Value(name, resource, ABSENT)
    return Value(name, resource, FACT, setting.text, number, True, setting, setting.name)

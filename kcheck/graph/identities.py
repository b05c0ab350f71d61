"""What may be there only once: names and addresses of which each process needs one of its own.

A key is the same in all replicas of a workload, and in all files that have it. ``OF_PROCESS`` tells
which keys need a value per process; the replicas of the client multiply them.
"""

from __future__ import annotations

from kcheck.graph.clients import Client, Streams, Worker
from kcheck.model import DEFAULT, SET, Derived, Resource, Setting, Value

#: By the kind of client: the keys that each of its processes needs a value of its own for.
OF_PROCESS = {
    "consumer": ("group.instance.id",),
    "streams": ("application.server",),
    "worker": ("rest.advertised.host.name",),
}
MEMBER, PRODUCER = "group.instance.id", "transactional.id"


def of_process(client: Client) -> list[Value]:
    """The identities of a client that are written in so many words, the same for all processes."""
    found = [
        value
        for key in OF_PROCESS.get(client.resource.kind, ())
        if (value := client[key]).explicit and value.text and not _made(value)
    ]
    if isinstance(client, Streams):
        member = client.client("consumer", MEMBER)
        found += [member] if member.explicit and member.text else []
    found += [told(client.resource, one) for one in client.resource.traits.identities]
    prefix = client[PRODUCER] if not isinstance(client, (Streams, Worker)) else None
    if prefix is not None and is_prefix(prefix) and prefix.text:
        found.append(prefix)
    return found


def _made(value: Value) -> bool:
    """Whether a pod has the value from what is its own, such as its name."""
    return type(value.setting) is Derived


def is_prefix(value: Value) -> bool:
    """Whether a transactional id is a prefix to which the framework appends a number per producer."""
    return value.setting is not None and "prefix" in value.setting.name.lower()


def told(resource: Resource, setting: Setting) -> Value:
    """A setting that no table of Kafka's knows, as a value."""
    return Value(setting.key, resource, SET, setting.text, setting.text, True, setting)


def given(resource: Resource, key: str, text: str) -> Value:
    """The value that a program gives to such a key by default; "" for none."""
    return Value(key, resource, DEFAULT, text, text, bool(text))

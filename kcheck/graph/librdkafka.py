"""librdkafka's names and defaults of the keys that rules weigh (its CONFIGURATION.md, 2.x).

Only what a rule asks for is here. Defaults that changed between its versions are left out: they
are unknown then.
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.model import ABSENT, DEFAULT, SET, Resource, Value

#: Java's name of a key → librdkafka's other spellings of the same thing.
ALIASES: dict[str, tuple[str, ...]] = {
    "acks": ("request.required.acks",),
    "bootstrap.servers": ("metadata.broker.list",),
    "compression.type": ("compression.codec",),
    "delivery.timeout.ms": ("message.timeout.ms",),
    "fetch.max.wait.ms": ("fetch.wait.max.ms",),
    "linger.ms": ("queue.buffering.max.ms",),
    "max.in.flight.requests.per.connection": ("max.in.flight",),
    "max.partition.fetch.bytes": ("fetch.message.max.bytes",),
    "retries": ("message.send.max.retries",),
    "sasl.mechanism": ("sasl.mechanisms",),
}

DEFAULTS: dict[str, object] = {
    "acks": "-1",
    "batch.size": 1_000_000,
    "compression.type": "none",
    "connections.max.idle.ms": 0,
    "delivery.timeout.ms": 300_000,
    "enable.idempotence": False,
    "fetch.max.bytes": 52_428_800,
    "fetch.max.wait.ms": 500,
    "fetch.min.bytes": 1,
    "heartbeat.interval.ms": 3_000,
    "linger.ms": 5,
    "max.in.flight.requests.per.connection": 1_000_000,
    "max.partition.fetch.bytes": 1_048_576,
    "max.poll.interval.ms": 300_000,
    "message.max.bytes": 1_000_000,
    "queue.buffering.max.kbytes": 1_048_576,
    "receive.message.max.bytes": 100_000_000,
    "retries": 2_147_483_647,
    "security.protocol": "plaintext",
    "socket.timeout.ms": 60_000,
    "transaction.timeout.ms": 60_000,
}


def sets(resource: Resource, key: str) -> bool:
    """Whether the resource sets the key, under whichever name."""
    return any(name in resource.settings for name in (key, *ALIASES.get(key, ())))


def resolve(resource: Resource, key: str) -> Value:
    """The key as librdkafka reads it; ``key`` of the value is the name that the file uses."""
    default = DEFAULTS.get(key)
    for name in (key, *ALIASES.get(key, ())):
        setting = resource.settings.get(name)
        if setting is None:
            continue
        if setting.text is None:
            return Value(name, resource, SET, None, setting=setting)
        value, wrong = catalogue.convert(_kind(name, default, setting.text), setting.text)
        return Value(name, resource, SET, setting.text, value, not wrong, setting)
    if default is None:
        return Value(key, resource, ABSENT)
    text = str(default).lower() if isinstance(default, bool) else str(default)
    return Value(key, resource, DEFAULT, text, default, True)


def _kind(name: str, default: object, text: str) -> str:
    if isinstance(default, bool) or (default is None and text in ("true", "false")):
        return "boolean"
    if isinstance(default, int):
        return "long"
    number = text.removeprefix("-").isdecimal()
    return "long" if default is None and number and name.endswith((".ms", ".bytes")) else "string"

"""What a declaration may hold beside Kafka's own keys: the facts, and how their text is read.

``schemas/kcheck.schema.json`` says the same for editors; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck import data, services, units

#: The kinds of facts, as messages call them.
SIZE, RATE, WHOLE, NUMBER, TEXT, FLAG, NAMES, DURATION, AMOUNT = (
    "a size such as 64GiB",
    "a rate such as 20MB/s or 10Gbit/s",
    "a whole number",
    "a number",
    "a string",
    "true or false",
    "a list of names",
    "a duration such as 5ms",
    "a number of at least 0",
)

#: Facts of each kind of entry and how their text is read.
CLUSTER_FACTS = {
    "name": TEXT,
    "kafka_version": TEXT,
    "client_version": TEXT,
    "environment": TEXT,
    "service": TEXT,
    "tenants": WHOLE,
}
TOPIC_FACTS = {
    "name": TEXT,
    "partitions": WHOLE,
    "replication_factor": WHOLE,
    "current_partitions": WHOLE,
    "keyed": FLAG,
    "ordering": TEXT,
    "produce_rate": RATE,
    "consume_rate": RATE,
    "record_size": SIZE,
    "max_record_size": SIZE,
    "partition_size": SIZE,
    "compression_ratio": NUMBER,
}
CLIENT_FACTS = {
    "name": TEXT,
    "topics": NAMES,
    "writes": NAMES,
    "instances": WHOLE,
    "copartitioned": NAMES,
}
CONSUMER_FACTS = {**CLIENT_FACTS, "share": FLAG}
#: What has settings and a name, and nothing else.
NAMED_FACTS = {"name": TEXT}
HOST_FACTS = {
    "ram": SIZE,
    "heap": SIZE,
    "cores": NUMBER,
    "nic": RATE,
    "disks": WHOLE,
    "disk_size": SIZE,
    "disk_rate": RATE,
    "nofile": WHOLE,
    "vm.max_map_count": WHOLE,
}
BROKER_FACTS = {"id": WHOLE, "rack": TEXT}
QUOTA_ENTITIES = ("user", "client_id", "ip")
QUOTA_LIMITS = {
    "producer_byte_rate": RATE,
    "consumer_byte_rate": RATE,
    "request_percentage": NUMBER,
    "controller_mutation_rate": NUMBER,
    "connection_creation_rate": NUMBER,
}
#: What the names of assumptions begin with among the facts of a cluster.
ASSUMPTIONS = "assumptions."
#: The kinds of ``schemas/limits/assumptions.tsv``.
_ASSUMED = {"number": AMOUNT, "size": SIZE, "rate": RATE, "duration": DURATION}
ENVIRONMENTS = ("production", "development")
SERVICES = services.NAMES
ORDERINGS = ("key", "total", "none")


def number(text: str) -> float | None:
    """A finite decimal number; None for anything else that Python would take."""
    if not text.isascii() or text.strip("+-.0123456789eE"):
        return None
    # Exact as long as it goes; Python itself refuses to read more than some thousand digits.
    for kind in (int, float) if len(text) < 400 else (float,):
        try:
            read: float = kind(text)
        except ValueError:
            continue
        return read if abs(read) < 1e300 else None
    return None


def whole(text: str) -> int | None:
    """A whole number, also one that is written as 3.0 or 1e3."""
    read = number(text)
    return int(read) if read is not None and read == int(read) else None


def amount(text: str) -> float | None:
    """A number that is not below 0."""
    read = number(text)
    return read if read is not None and read >= 0 else None


def assumption_kinds() -> dict[str, str]:
    """The assumptions that somebody may replace, and what their values are."""
    return {row[0]: _ASSUMED[row[1]] for row in data.rows("limits/assumptions.tsv")}


def _size(text: str) -> int | None:
    return None if "/" in text or "bit" in text else units.size(text)


def _flag(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.lower()) if text in _FLAGS else None


_FLAGS = ("true", "false", "True", "False", "TRUE", "FALSE")

READERS: dict[str, Callable[[str], float | None]] = {
    SIZE: _size,
    RATE: units.size,
    WHOLE: whole,
    NUMBER: number,
    FLAG: _flag,
    DURATION: units.milliseconds,
    AMOUNT: amount,
}

"""How the clients choose a partition for a key: by name, as real clients answer.

What becomes of records without a key, and of those with an empty one, is where they differ most;
``tests/partition`` holds the answers of Kafka's jars, librdkafka, kafka-python and aiokafka.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck.partition import hashes

JAVA = "java"


class Partitioner:
    """One way to choose. ``hash`` gives a number that is not negative.

    ``null`` and ``empty`` say whether a record without key, or with an empty one, is hashed as the
    empty text is; else it goes to no partition in particular.
    """

    __slots__ = ("about", "empty", "hash", "name", "null")

    def __init__(
        self, name: str, hash: Callable[[bytes], int], null: bool, empty: bool, about: str
    ) -> None:
        self.name = name
        self.hash = hash
        self.null = null
        self.empty = empty
        self.about = about

    def partition(self, key: bytes | None, partitions: int) -> int | None:
        """The key's partition of so many; None where there is none in particular."""
        if not key and not (self.null if key is None else self.empty):
            return None
        return self.hash(key or b"") % partitions


def _java(key: bytes) -> int:
    return hashes.positive(hashes.murmur2(key))


PARTITIONERS: dict[str, Partitioner] = {
    found.name: found
    for found in (
        Partitioner(JAVA, _java, False, True, "murmur2"),
        Partitioner("kafka-python", _java, False, True, "murmur2, as Java"),
        Partitioner("aiokafka", _java, False, True, "murmur2, as Java"),
        Partitioner(
            "librdkafka", hashes.crc32, False, False, "CRC-32, its default consistent_random"
        ),
        Partitioner("consistent", hashes.crc32, True, True, "CRC-32"),
        Partitioner("consistent_random", hashes.crc32, False, False, "CRC-32"),
        Partitioner("murmur2", _java, True, True, "murmur2"),
        Partitioner("murmur2_random", _java, False, True, "murmur2, as Java"),
        Partitioner("fnv1a", hashes.fnv1a, True, True, "FNV-1a"),
        Partitioner("fnv1a_random", hashes.fnv1a, False, True, "FNV-1a"),
    )
}


def coordinator(name: str, partitions: int) -> int:
    """The partition of ``__consumer_offsets`` (``__transaction_state``) that holds this group.

    The brokers take the absolute value of the hash, not its bits without the sign as producers do.
    """
    return hashes.absolute(hashes.java_string(name)) % partitions

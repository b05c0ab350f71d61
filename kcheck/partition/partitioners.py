"""How the clients choose a partition for a key: by name, as real clients answer.

What becomes of records without a key, and of those with an empty one, is where they differ most;
``tests/partition`` holds the answers of Kafka's jars, librdkafka, kafka-python and aiokafka.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck import libraries
from kcheck.libraries import ClientLibrary
from kcheck.partition import hashes


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


_NAMED = {
    found.name: found
    for found in (
        Partitioner("consistent", hashes.crc32, True, True, "CRC-32"),
        Partitioner("consistent_random", hashes.crc32, False, False, "CRC-32"),
        Partitioner("murmur2", _java, True, True, "murmur2"),
        Partitioner("murmur2_random", _java, False, True, "murmur2, as Java"),
        Partitioner("fnv1a", hashes.fnv1a, True, True, "FNV-1a"),
        Partitioner("fnv1a_random", hashes.fnv1a, False, True, "FNV-1a"),
    )
}


def _default(library: ClientLibrary) -> Partitioner:
    """The default of a client library, by the library's name."""
    same = _NAMED[library.partitioner]
    about = same.about
    if library.java:
        about = about.partition(",")[0]
    elif library.partitioners:
        about += f", its default {same.name}"
    return Partitioner(library.name, same.hash, same.null, same.empty, about)


#: The defaults of libraries, and what librdkafka has by name; its own default comes before these.
PARTITIONERS: dict[str, Partitioner] = {
    row.name: _default(row)
    for row in sorted(libraries.ROWS, key=lambda row: row.partitioners)
    if row.partitioner
} | _NAMED


def coordinator(name: str, partitions: int) -> int:
    """The partition of ``__consumer_offsets`` (``__transaction_state``) that holds this group.

    The brokers take the absolute value of the hash, not its bits without the sign as producers do.
    """
    return hashes.absolute(hashes.java_string(name)) % partitions

"""The hashes that choose partitions, in 32-bit arithmetic as the JVM and C have it."""

from __future__ import annotations

from struct import unpack_from
from zlib import crc32 as crc32

_MASK = 0xFFFFFFFF
_SIGN = 0x80000000
#: MurmurHash2's constants, with the seed that Kafka's Java client took.
_SEED, _M = 0x9747B28C, 0x5BD1E995
#: FNV-1a of 32 bits.
_OFFSET, _PRIME = 0x811C9DC5, 0x01000193

__all__ = ["absolute", "crc32", "fnv1a", "java_string", "murmur2", "positive", "signed"]


def murmur2(data: bytes) -> int:
    """``Utils.murmur2`` of Kafka's clients, as an unsigned number."""
    length = len(data)
    whole = length // 4
    h = _SEED ^ length
    for k in unpack_from(f"<{whole}I", data):
        k = k * _M & _MASK
        k = (k ^ k >> 24) * _M & _MASK
        h = h * _M & _MASK ^ k
    if length & 3:
        h = (h ^ int.from_bytes(data[whole * 4 :], "little")) * _M & _MASK
    h = (h ^ h >> 13) * _M & _MASK
    return h ^ h >> 15


def fnv1a(data: bytes) -> int:
    """librdkafka's FNV-1a: the absolute value of the signed hash, which Sarama began with."""
    h = _OFFSET
    for byte in data:
        h = (h ^ byte) * _PRIME & _MASK
    # The least number has no counterpart: negated it is itself, read as unsigned 2^31.
    return h if h < _SIGN else (1 << 32) - h


def java_string(text: str) -> int:
    """``String.hashCode``, signed: over UTF-16 units, of which an astral character has two."""
    data = text.encode("utf-16-be", "surrogatepass")
    h = 0
    for unit in unpack_from(f">{len(data) // 2}H", data):
        h = h * 31 + unit & _MASK
    return signed(h)


def signed(number: int) -> int:
    """The 32 bits read as Java's int."""
    return number - (1 << 32) if number & _SIGN else number


def positive(number: int) -> int:
    """``Utils.toPositive``: the sign bit dropped. Not the absolute value: -1 becomes 2147483647."""
    return number & 0x7FFFFFFF


def absolute(number: int) -> int:
    """``Utils.abs`` of a signed number: the least one, which has no absolute value, becomes 0."""
    return 0 if number == -_SIGN else abs(number)

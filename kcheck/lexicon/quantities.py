"""Numbers as people write them (1GB, 7d, 1_000, 10L, 1e6) as the plain ones that Kafka reads."""

from __future__ import annotations

from kcheck import configdef, units

_BINARY = {"k": 2**10, "kib": 2**10, "ki": 2**10, "m": 2**20, "mib": 2**20, "mi": 2**20}
_BINARY |= {"g": 2**30, "gib": 2**30, "gi": 2**30, "t": 2**40, "tib": 2**40, "ti": 2**40}
#: 1 MB is a million bytes, but many a writer means 1 MiB: both are offered.
_DECIMAL = {"kb": (10**3, 2**10), "mb": (10**6, 2**20), "gb": (10**9, 2**30), "tb": (10**12, 2**40)}
_TIMES = {
    "ms": 1,
    "millis": 1,
    "s": 1000,
    "sec": 1000,
    "secs": 1000,
    "second": 1000,
    "seconds": 1000,
    "m": 60_000,
    "min": 60_000,
    "mins": 60_000,
    "minute": 60_000,
    "minutes": 60_000,
    "h": 3_600_000,
    "hr": 3_600_000,
    "hrs": 3_600_000,
    "hour": 3_600_000,
    "hours": 3_600_000,
    "d": 86_400_000,
    "day": 86_400_000,
    "days": 86_400_000,
    "w": 604_800_000,
    "week": 604_800_000,
    "weeks": 604_800_000,
}
#: What one of the key's own unit is in ms.
_KEY_TIMES = (
    ("ms", 1),
    ("seconds", 1000),
    ("secs", 1000),
    ("minutes", 60_000),
    ("hours", 3_600_000),
)
_SIZE_WORDS = frozenset({"bytes", "size", "memory"})
#: Sizes that count something else: members, partitions, connections, records, bits, threads.
_COUNTS = frozenset(
    {
        "group.max.size",
        "group.consumer.max.size",
        "group.share.max.size",
        "group.streams.max.size",
        "max.request.partition.size.limit",
        "socket.listen.backlog.size",
        "zookeeper.metadata.migration.min.batch.size",
        "inter.worker.key.size",
        "buffer.memory.allocation.strategy",
    }
)
_THREADS = "pool.size"


class Quantity:
    """``text`` is the number to write, empty where two readings are left; ``words`` says why."""

    __slots__ = ("text", "words")

    def __init__(self, text: str, words: str) -> None:
        self.text = text
        self.words = words


def plain(key: str, text: str) -> Quantity | None:
    """What a text that is no Kafka number amounts to in the key's unit; None if it is none at all."""
    sign, body = ("-", text[1:]) if text[:1] == "-" else ("", text.lstrip("+"))
    if body.isdecimal():
        return None
    end = 0
    while end < len(body) and (body[end].isdecimal() or body[end] in "_,.' "):
        end += 1
    digits = body[:end].strip()
    unit = body[end:].strip().lower()
    bare = "".join(char for char in digits if char not in "_,' ")
    if not bare[:1].isdecimal() or bare.count(".") > 1 or bare.endswith("."):
        return None
    if unit[:1] == "e" and unit[1:].lstrip("+").isdecimal():
        bare, unit = f"{bare}e{unit[1:]}", ""
    number = int(bare) if bare.isdecimal() and len(bare) < 400 else float(bare)
    if number == float("inf"):
        return None
    if unit in ("", "l"):
        return _whole(sign, number, "is not a plain whole number")
    kind = unit_of(key)
    if kind == "bytes":
        return _size(sign, number, unit)
    if kind:
        return _time(sign, number, unit, kind)
    return None


def _whole(sign: str, number: float, words: str) -> Quantity | None:
    if number != int(number):
        return Quantity("", words)
    return Quantity(f"{sign}{int(number)}", words)


def _size(sign: str, number: float, unit: str) -> Quantity | None:
    words = "has a unit, but Kafka requires a plain number of bytes"
    if unit in ("b", "byte", "bytes"):
        return _whole(sign, number, words)
    if unit in _BINARY:
        return _whole(sign, number * _BINARY[unit], words)
    if unit in _DECIMAL:
        decimal, binary = (int(number * factor) for factor in _DECIMAL[unit])
        name = unit.upper()
        return Quantity(
            "",
            f"{words} ({decimal} for {number:g} {name}, {binary} for {number:g} {name[0]}iB)",
        )
    return None


def _time(sign: str, number: float, unit: str, kind: str) -> Quantity | None:
    factor = _TIMES.get(unit)
    if factor is None:
        return None
    words = f"has a unit, but Kafka requires a plain number of {kind}"
    return _whole(sign, number * factor / dict(_KEY_TIMES)[kind], words)


def unit_of(key: str) -> str:
    """``bytes``, ``ms``, ``seconds``, ``minutes``, ``hours``, or nothing: what the key counts."""
    words = key.split(".")
    for unit, _ in _KEY_TIMES:
        if words[-1] == unit:
            return "seconds" if unit == "secs" else unit
    if key in _COUNTS or key.endswith(_THREADS):
        return ""
    return "bytes" if _SIZE_WORDS & set(words) else ""


def in_unit(number: int, unit: str) -> str:
    """``1,024 B`` or ``30 ms``; the number alone where there is no unit."""
    return units.in_bytes(number) if unit == "bytes" else f"{number:,} {unit}".rstrip()


def with_round(number: int, unit: str) -> str:
    """``1048576 (1 MiB)`` or ``30000 (30 s)``; the number alone where it has no round form."""
    rounded = ""
    if unit == "bytes":
        rounded = units.round_size(number)
    elif unit == "ms":
        rounded = units.round_duration(number)
    return f"{number} ({rounded})" if rounded else str(number)


_LONG = 2**63


def as_quota(kind: str, text: str) -> str:
    """The plain number of a quota, which Kafka's tools read as a double; else the text as it is."""
    number, _ = configdef.convert("double", text) if kind in ("int", "long") else (None, "")
    if not isinstance(number, float) or abs(number) > 2 * _LONG or number != number:
        return text
    whole = max(-_LONG, min(_LONG - 1, int(number)))
    return str(whole) if abs(float(whole) - number) < _ALMOST else text


#: How far from a whole number Kafka takes a quota for one.
_ALMOST = 1e-6

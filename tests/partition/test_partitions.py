"""Partitions as real clients and brokers answer them (``generate.py``), and what must always hold."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kcheck.partition import hashes
from kcheck.partition.keys import ENCODINGS, NotAKey, lines
from kcheck.partition.partitioners import PARTITIONERS, coordinator
from kcheck.partition.spread import Key, Spread, moving

HERE = Path(__file__).parent
KEY_COUNTS = (2**31 - 1, 50, 12)
GROUP_COUNTS = (50, 7, 1000)
#: Which partitioners hash alike; generate.py has asked each of them.
ALIKE = {
    "murmur2": ("java", "kafka-python", "aiokafka", "murmur2", "murmur2_random"),
    "crc32": ("librdkafka", "consistent", "consistent_random"),
    "fnv1a": ("fnv1a", "fnv1a_random"),
}
counts = st.integers(1, 2**31 - 1)


def table(name: str) -> list[dict[str, str]]:
    text = (HERE / name).read_text(encoding="utf-8")
    head, *rows = [line.split("\t") for line in text.split("\n")[1:] if line]
    return [dict(zip(head, row, strict=True)) for row in rows]


def numbers(cell: str) -> list[int]:
    return [int(number) for number in cell.split(",")]


def test_keys_go_where_real_clients_put_them() -> None:
    asked = table("keys.tsv")
    assert len(asked) > 300
    assert {len(bytes.fromhex(row["bytes"])) for row in asked} >= {*range(41), 127, 128, 256}
    assert sum(not row["written"].isascii() for row in asked) > 30
    for row in asked:
        data = ENCODINGS[row["kind"]](row["written"])
        assert data.hex() == row["bytes"], row["written"]
        for column, names in ALIKE.items():
            for name in names:
                if data or PARTITIONERS[name].empty:
                    chosen = [PARTITIONERS[name].partition(data, count) for count in KEY_COUNTS]
                    assert chosen == numbers(row[column]), (name, row["written"])


def test_every_partitioner_is_asked() -> None:
    assert sorted(name for names in ALIKE.values() for name in names) == sorted(PARTITIONERS)


def test_records_without_a_key() -> None:
    asked = {row["partitioner"]: row for row in table("keyless.tsv")}
    assert PARTITIONERS.keys() - asked.keys() == {"java", "kafka-python", "aiokafka", "librdkafka"}
    for name, row in asked.items():
        for key, cell in ((None, row["without"]), (b"", row["empty"])):
            told = PARTITIONERS[name].partition(key, 4)
            assert ("any" if told is None else str(told)) == cell, (name, key)
    for name, like in (("java", "murmur2_random"), ("librdkafka", "consistent_random")):
        for key in (None, b"", b"x"):
            assert PARTITIONERS[name].partition(key, 4) == PARTITIONERS[like].partition(key, 4)


def test_coordinators() -> None:
    asked = table("groups.tsv")
    assert sum(hashes.java_string(row["name"]) < 0 for row in asked) > 20
    for row in asked:
        told = [coordinator(row["name"], count) for count in GROUP_COUNTS]
        assert told == numbers(row["offsets"]) == numbers(row["transactions"]), row["name"]


def test_the_signs_that_differ() -> None:
    # The one hash whose absolute value is negative, and a group for which dropping the sign bit,
    # as producers do, would name another partition.
    assert hashes.java_string("polygenelubricants") == -(2**31)
    assert hashes.absolute(-(2**31)) == 0 and hashes.positive(-(2**31)) == 0
    assert hashes.absolute(-1) == 1 and hashes.positive(-1) == 2**31 - 1
    negative = next(
        row["name"] for row in table("groups.tsv") if hashes.java_string(row["name"]) < 0
    )
    hashed = hashes.java_string(negative)
    assert coordinator(negative, 2**31 - 1) == -hashed != hashes.positive(hashed)


@given(st.binary(max_size=300), counts)
def test_a_partition_exists(key: bytes, count: int) -> None:
    for partitioner in PARTITIONERS.values():
        at = partitioner.partition(key, count)
        if key or partitioner.empty:
            assert at is not None and 0 <= at < count
        else:
            assert at is None


@given(st.text(max_size=50), counts)
def test_a_coordinator_exists(name: str, count: int) -> None:
    assert 0 <= coordinator(name, count) < count


@given(st.integers(-(2**63), 2**63 - 1))
def test_numbers_in_twos_complement(number: int) -> None:
    assert int.from_bytes(ENCODINGS["long"](str(number)), "big", signed=True) == number
    if -(2**31) <= number < 2**31:
        assert ENCODINGS["int"](str(number)) == ENCODINGS["long"](str(number))[4:]
    else:
        with pytest.raises(NotAKey, match="does not fit 32 bits"):
            ENCODINGS["int"](str(number))


@pytest.mark.parametrize(
    ("kind", "written"),
    [("hex", "abc"), ("hex", "0g"), ("base64", "a"), ("base64", "ä"), ("int", ""), ("int", "1_0")]
    + [("long", "-"), ("long", "9223372036854775808"), ("long", "1" * 5000), ("int", "٣")],
)
def test_what_is_no_key(kind: str, written: str) -> None:
    with pytest.raises(NotAKey):
        ENCODINGS[kind](written)


def test_lines_of_a_file() -> None:
    assert lines(b"\xef\xbb\xbfa\r\n\nb c \n") == ["a", "", "b c "]
    assert lines(b"") == [] and lines(b"a") == ["a"]
    assert [ENCODINGS["text"](line) for line in lines(b"\xff\xfe\n")] == [b"\xff\xfe"]


@given(st.integers(1, 40), st.integers(1, 40))
def test_the_share_that_moves(before: int, after: int) -> None:
    # Over a whole period of both remainders every case occurs as often as among all hashes.
    period = math.lcm(before, after)
    moved = sum(number % before != number % after for number in range(period))
    assert moving(before, after) == pytest.approx(moved / period)


@given(
    st.lists(st.tuples(st.binary(max_size=5), st.integers(1, 9)), max_size=30), st.integers(1, 9)
)
@example([(b"", 1), (b"", 7), (b"", 9)], 7)
def test_a_spread_loses_nothing(given_keys: list[tuple[bytes, int]], count: int) -> None:
    keys = [Key(data.hex(), data, records) for data, records in given_keys]
    for partitioner in PARTITIONERS.values():
        spread = Spread(keys, partitioner, count)
        assert spread.records + spread.anywhere == sum(key.records for key in keys)
        assert spread.records == sum(key.records for load in spread.loads for key in load.keys)
        assert len(spread.loads) == count
        if spread.records:
            assert 1 <= spread.skew <= count
            assert spread.fullest.partition not in spread.empty
        for load in spread.loads:
            records = [key.records for key in load.keys]
            assert records == sorted(records, reverse=True)

"""The committed fact tables: well formed, true where we know the truth, and what the jars say."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "schemas" / "kafka"

KEY_HEADER = ["key", "versions", "type", "default", "valid", "importance", "mode", "flags"]
OTHER_HEADERS = {
    "topic-fallback": ["topic_key", "versions", "order", "broker_key", "factor"],
    "constants": ["name", "versions", "value", "class", "field"],
    "classes": ["class", "versions", "kinds"],
    "protocols": ["name", "versions"],
    "types": ["name", "versions"],
}
#: Tables without ranges of versions.
WHOLE = ("releases",)
PLANES = sorted(
    path.stem for path in TABLES.glob("*.tsv") if path.stem not in {*OTHER_HEADERS, *WHOLE}
)
TYPES = {"boolean", "string", "int", "short", "long", "double", "list", "class", "password"}
VALID_WORD = re.compile(
    r"(-?[\d.]+)?\.\.(-?[\d.]+)?|(enum|enum-ci|list):\S+|nonempty|noblank|unique|name:[\w.]+"
)
FLAGS = {"internal", "deprecated", "denied", "user", "client", "ip", "filter"}


def read(name: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of one table."""
    text = (TABLES / f"{name}.tsv").read_text(encoding="utf-8")
    lines = [line.split("\t") for line in text.split("\n") if line and not line.startswith("# ")]
    return lines[0], lines[1:]


MINORS = [row[0] for row in read("releases")[1]]


def span(versions: str) -> tuple[int, int]:
    """``2.8-3.9`` → the indexes of its first and last minor."""
    first, dash, last = versions.partition("-")
    end = MINORS.index(last) if last else len(MINORS) - 1 if dash else MINORS.index(first)
    return MINORS.index(first), end


def covers(versions: str, minor: str) -> bool:
    first, last = span(versions)
    return first <= MINORS.index(minor) <= last


def fact(plane: str, key: str, minor: str) -> dict[str, str] | None:
    """The row of a key in one minor, by column name."""
    for row in read(plane)[1]:
        if row[0] == key and covers(row[1], minor):
            return dict(zip(KEY_HEADER, row, strict=True))
    return None


def value(plane: str, key: str, minor: str, column: str) -> str | None:
    row = fact(plane, key, minor)
    return row[column] if row else None


# ---- form -----------------------------------------------------------------------------------


def test_releases_are_the_minors_in_order() -> None:
    assert MINORS[0] == "2.8" and MINORS[-1] == "4.4" and len(MINORS) == 16
    assert all(patch.startswith(f"{minor}.") for minor, patch in read("releases")[1])


def test_types_are_of_packages_that_are_listed() -> None:
    names = {row[0] for row in read("types")[1]}
    assert len(names) > 4000
    packages = {name for name in names if name.endswith(".")}
    assert {name.rpartition(".")[0] + "." for name in names - packages} <= packages


@pytest.mark.parametrize("name", [*PLANES, *OTHER_HEADERS])
def test_table_is_sorted_text_without_overlaps(name: str) -> None:
    raw = (TABLES / f"{name}.tsv").read_bytes()
    assert b"\r" not in raw and raw.endswith(b"\n") and not raw.endswith(b"\n\n")
    header, rows = read(name)
    assert header == OTHER_HEADERS.get(name, KEY_HEADER)
    assert rows and all(len(row) == len(header) for row in rows)
    assert rows == sorted(rows, key=lambda row: (row[0], span(row[1])[0], row[2:]))
    ends: dict[tuple[str, ...], int] = {}
    for row in rows:
        identity = (row[0], row[2]) if name == "topic-fallback" else (row[0],)
        first, last = span(row[1])
        assert first <= last
        assert first > ends.get(identity, -1), f"{row[0]} has two rows for {MINORS[first]}"
        ends[identity] = last


@pytest.mark.parametrize("name", [*PLANES, *OTHER_HEADERS])
def test_ranges_are_maximal(name: str) -> None:
    """Two neighbouring ranges with the same facts would be one row."""
    last_of: dict[str, int] = {}
    for row in read(name)[1]:
        facts = "\t".join([row[0], *row[2:]])
        first, last = span(row[1])
        assert last_of.get(facts, -2) + 1 != first, row
        last_of[facts] = last


@pytest.mark.parametrize("plane", PLANES)
def test_cells_use_the_known_words(plane: str) -> None:
    for key, _, kind, default, valid, importance, mode, flags in read(plane)[1]:
        assert kind in TYPES, key
        assert default in {"required", "null", "platform"} or default.startswith("="), key
        assert "KcheckPlatform" not in default, key
        assert not default.startswith("=/tmp/") or plane == "broker", f"{key}: of this machine?"
        assert all(VALID_WORD.fullmatch(word) for word in valid.split()), (key, valid)
        assert importance in {"high", "medium", "low"}, key
        modes = {"read-only", "per-broker", "cluster-wide", "dynamic-only"}
        assert mode in modes if plane == "broker" else mode == "", key
        assert set(flags.split()) <= FLAGS, key


# ---- content --------------------------------------------------------------------------------

KNOWN = [
    ("producer", "linger.ms", "3.9", "default", "=0"),
    ("producer", "linger.ms", "4.0", "default", "=5"),
    ("producer", "acks", "2.8", "default", "=1"),
    ("producer", "acks", "3.0", "default", "=all"),
    ("producer", "acks", "4.4", "valid", "enum:-1|0|1|all"),
    ("producer", "compression.zstd.level", "3.8", "valid", "-131072..22"),
    ("consumer", "session.timeout.ms", "2.8", "default", "=10000"),
    ("consumer", "session.timeout.ms", "3.0", "default", "=45000"),
    ("consumer", "key.deserializer", "3.9", "default", "required"),
    ("consumer", "group.id", "3.9", "default", "null"),
    ("broker", "log.segment.bytes", "3.9", "valid", "14.."),
    ("broker", "log.segment.bytes", "4.0", "valid", "1048576.."),
    ("topic", "segment.bytes", "4.0", "valid", "14.."),
    ("topic", "segment.bytes", "4.1", "valid", "1048576.."),
    ("topic", "min.insync.replicas", "2.8", "valid", "1.."),
    ("topic", "min.insync.replicas", "4.4", "valid", "1.."),
    ("broker", "min.insync.replicas", "3.9", "valid", "1.."),
    ("topic", "max.message.bytes", "3.9", "default", "=1048588"),
    ("topic", "cleanup.policy", "3.9", "valid", "list:compact|delete"),
    ("topic", "cleanup.policy", "4.2", "valid", "list:compact|delete noblank unique"),
    ("broker", "process.roles", "3.9", "default", "="),
    ("broker", "process.roles", "4.0", "default", "required"),
    ("broker", "node.id", "4.0", "default", "required"),
    ("broker", "num.recovery.threads.per.data.dir", "3.9", "default", "=1"),
    ("broker", "num.recovery.threads.per.data.dir", "4.0", "default", "=2"),
    ("broker", "advertised.listeners", "3.9", "mode", "per-broker"),
    ("broker", "log.retention.ms", "3.9", "mode", "cluster-wide"),
    ("broker", "log.dirs", "3.9", "mode", "read-only"),
    ("broker", "leader.replication.throttled.rate", "3.9", "mode", "dynamic-only"),
    ("broker", "ssl.enabled.protocols", "3.9", "default", "platform"),
    ("broker", "ssl.enabled.protocols", "4.0", "default", "=TLSv1.2,TLSv1.3"),
    ("broker", "broker.id", "4.4", "flags", "deprecated"),
    ("broker", "group.consumer.migration.policy", "3.9", "flags", "internal"),
    ("topic", "message.format.version", "3.9", "flags", "deprecated"),
    ("streams", "state.dir", "3.9", "default", "platform"),
    ("streams", "application.id", "3.9", "default", "required"),
    ("connect-distributed", "group.id", "3.9", "default", "required"),
    ("admin", "default.api.timeout.ms", "3.9", "default", "=60000"),
    ("quota", "connection_creation_rate", "4.0", "flags", "ip"),
    ("quota", "producer_byte_rate", "2.8", "flags", "user client"),
    ("group", "share.record.lock.duration.ms", "4.0", "valid", "1000.."),
    ("share-consumer", "enable.auto.commit", "4.1", "flags", "denied"),
]


@pytest.mark.parametrize(("plane", "key", "minor", "column", "expected"), KNOWN)
def test_known_fact(plane: str, key: str, minor: str, column: str, expected: str) -> None:
    assert value(plane, key, minor, column) == expected


@pytest.mark.parametrize(
    ("plane", "key", "last"),
    [
        ("broker", "zookeeper.connect", "3.9"),
        ("broker", "host.name", "2.8"),
        ("topic", "message.format.version", "3.9"),
        ("streams", "retries", "3.9"),
    ],
)
def test_removed_key(plane: str, key: str, last: str) -> None:
    assert fact(plane, key, last)
    assert not fact(plane, key, MINORS[MINORS.index(last) + 1])


def test_retention_falls_back_from_fine_to_coarse() -> None:
    rows = [row for row in read("topic-fallback")[1] if row[0] == "retention.ms"]
    assert [(row[1], *row[2:]) for row in rows] == [
        ("2.8-", "1", "log.retention.ms", "1"),
        ("2.8-", "2", "log.retention.minutes", "60000"),
        ("2.8-", "3", "log.retention.hours", "3600000"),
    ]


@pytest.mark.parametrize("minor", MINORS)
def test_fallbacks_name_real_keys(minor: str) -> None:
    for topic_key, versions, _, broker_key, _ in read("topic-fallback")[1]:
        if covers(versions, minor):
            assert fact("topic", topic_key, minor), topic_key
            assert fact("broker", broker_key, minor), broker_key


def test_denied_keys_are_consumer_keys() -> None:
    consumer = {row[0] for row in read("consumer")[1]}
    assert {row[0] for row in read("share-consumer")[1]} <= consumer


def test_constants() -> None:
    values = {row[0]: row[2] for row in read("constants")[1]}
    assert values["max-partitions-per-batch"] == "10000"
    assert values["max-records-per-user-op"] == "10000"
    assert values["record-batch-overhead"] == "61"
    assert values["log-overhead"] == "12"
    assert values["offset-index-entry-size"] == "8"
    assert values["time-index-entry-size"] == "12"
    assert values["fetch-session-cache-shards"] == "8"
    assert values["max-topic-name-length"] == "249"
    assert values["max-config-value-size"] == "32767"


#: Public keys per plane, one figure per minor. Counted apart from the tables, by other means.
#: None: no artifact for that minor, so its rows are those of the minor before.
PUBLIC_KEYS: dict[str, list[int | None]] = {
    "broker": [218, 232, 246, 246, 248, 252, 252, 270, 285, 299, 315, 289, 316, 320, 340, 350],
    "topic": [26, 26, 26, 26, 26, 26, 26, 31, 31, 34, 36, 33, 33, 33, 33, 37],
    "producer": [70, 70, 84, 84, 87, 88, 88, 88, 90, 94, 95, 95, 112, 113, 113, 119],
    "consumer": [75, 75, 89, 89, 89, 90, 90, 90, 94, 95, 96, 96, 113, 115, 115, 119],
    "admin": [54, 54, 68, 68, 68, 69, 69, 69, 72, 73, 74, 74, 90, 91, 91, 95],
    "streams": [47, 49, 49, 52, 52, 54, 55, 58, 60, 61, 63, 66, 68, 71, 74, 79],
    "connect-distributed": [
        *(98, 94, 108, 108, 109, 110, 110, 111, 112, 113, 114, 114, 133, 133, 133, 138)
    ],
    "connect-standalone": [52, 48, 48, 48, 48, 49, 49, 50, 50, 50, 50, 49, 52, 52, 52, 52],
    "source-connector": [15, 15, 15, 15, 19, 19, 19, 19, 19, 20, 20, 20, 24, 24, 24, 24],
    "sink-connector": [19, 19, 19, 19, 19, 19, 19, 19, 19, 20, 20, 20, 24, 24, 24, 24],
    "mirror": [36, 36, 50, None, 50, 50, None, 59, 59, 59, 60, 60, 76, None, 76, None],
    # Up to 3.3 all three connectors share one definition, which the figures leave out.
    "mirror-source": [*[None] * 5, 89, None, 92, 92, 93, 95, 91, 111, None, 113, None],
    "group": [*[0] * 11, 6, 10, 11, 17, 21],
}
INTERNAL_KEYS = {
    "broker": [15, 17, 17, 17, 17, 18, 30, 19, 10, 14, 14, 17, 20, 21, 20, 29],
    "topic": [0, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 1, 1, 1, 1],
    "producer": [1] + [0] * 14 + [1],
    "consumer": [2] * 13 + [1] * 3,
    "group": [0] * 15 + [6],
}
#: Size of Kafka's own map of update modes, which holds the three dynamic-only keys from 4.3 on.
UPDATE_MODES = [76, 76, 76, 76, 76, 77, 77, 82, 83, 89, 89, 90, 90, 92, 102, 110]


def rows_of(plane: str, minor: str) -> list[dict[str, str]]:
    """The rows of one minor that stem from the plane's own definition."""
    rows = [dict(zip(KEY_HEADER, row, strict=True)) for row in read(plane)[1]]
    return [
        row
        for row in rows
        if covers(row["versions"], minor)
        and row["mode"] != "dynamic-only"
        and "filter" not in row["flags"].split()
    ]


@pytest.mark.parametrize("plane", PUBLIC_KEYS)
def test_number_of_public_keys(plane: str) -> None:
    for minor, expected in zip(MINORS, PUBLIC_KEYS[plane], strict=True):
        if expected is not None:
            public = [row for row in rows_of(plane, minor) if "internal" not in row["flags"]]
            assert len(public) == expected, minor


@pytest.mark.parametrize("plane", INTERNAL_KEYS)
def test_number_of_internal_keys(plane: str) -> None:
    for minor, expected in zip(MINORS, INTERNAL_KEYS[plane], strict=True):
        internal = [row for row in rows_of(plane, minor) if "internal" in row["flags"]]
        assert len(internal) == expected, minor


def test_number_of_dynamic_keys() -> None:
    rows = read("broker")[1]
    for minor, expected in zip(MINORS, UPDATE_MODES, strict=True):
        modes = [row[6] for row in rows if covers(row[1], minor)]
        assert modes.count("dynamic-only") == 3, minor
        both = 3 if MINORS.index(minor) >= MINORS.index("4.3") else 0
        assert modes.count("per-broker") + modes.count("cluster-wide") + both == expected, minor


# ---- against the jars -----------------------------------------------------------------------


@pytest.mark.jvm
@pytest.mark.thorough
@pytest.mark.skipif(
    not all(shutil.which(tool) for tool in ("java", "javac", "mvn")), reason="no JDK or Maven"
)
def test_tables_are_what_the_jars_say() -> None:
    command = [sys.executable, "schemas/kafka/generate.py", "--check", "--versions", "3.9"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode == 2 and "Maven could not fetch" in run.stderr:
        pytest.skip("Maven Central is out of reach")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.jvm
@pytest.mark.thorough
@pytest.mark.skipif(
    not all(shutil.which(tool) for tool in ("java", "javac", "mvn")), reason="no JDK or Maven"
)
def test_the_catalogue_says_of_every_key_and_text_what_kafka_says() -> None:
    command = [sys.executable, "schemas/kafka/verify.py", "--texts", "--versions", MINORS[-1]]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode == 2 and "Maven could not fetch" in run.stderr:
        pytest.skip("Maven Central is out of reach")
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.endswith("\n0 differences\n")

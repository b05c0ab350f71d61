"""Published tables of an audit that never ran: small ones by hand, large ones by dice."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kcheck import rules
from kcheck.fleet import column_types, schemas

SCHEMAS = schemas.PUBLISHED
SEVERITIES = ("error", "warning", "info")


def put(folder: Path, name: str, rows: list[dict[str, Any]] | pa.Table) -> None:
    """Write one table, columns that a row leaves out being null."""
    if isinstance(rows, list):
        rows = pa.Table.from_pylist(rows, column_types.arrow(SCHEMAS[name]))
    (folder / name).mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, folder / name / "part-0.parquet", row_group_size=65_536)


def manifest(folder: Path, previous: str | None = "r0") -> dict[str, Any]:
    """The manifest that fits the tables in the folder."""

    def rows(name: str) -> list[dict[str, Any]]:
        columns = {"findings": ["severity", "status"], "lifecycle": ["status"]}
        return pq.read_table(folder / name, columns=columns.get(name)).to_pylist()

    found, states = rows("findings"), rows("lifecycle")
    units = rows("units")
    return {
        "version": 1,
        "run_id": "r1",
        "tool": {"name": "kcheck", "version": "0.1.0"},
        "started": "2026-03-02T06:00:12Z",
        "finished": "2026-03-02T06:04:50Z",
        "seconds": 278.4,
        "previous": previous,
        "inputs": ["fleet"],
        "units": {
            "audited": sum(unit["status"] == "audited" for unit in units),
            "failed": sum(unit["status"] == "failed" for unit in units),
        },
        "clusters": pq.read_metadata(folder / "clusters" / "part-0.parquet").num_rows,
        "bytes": 14_300 * len(units),
        "findings": {s: sum(row["severity"] == s for row in found) for s in SEVERITIES},
        "new": {
            s: sum(row["severity"] == s and row["status"] == "new" for row in found)
            for s in SEVERITIES
        },
        "lifecycle": {
            state: n
            for state in ("absent", "new", "persisting", "resolved", "unchecked")
            if (n := sum(row["status"] == state for row in states))
        },
        "errors": len(rows("errors")),
        "failures": sum(row["fatal"] for row in rows("errors")),
        "strays": len(rows("drift")),
    }


def finding(unit: str, **told: Any) -> dict[str, Any]:
    """A finding with evidence and a fix; ``told`` replaces columns."""
    place = {
        "path": f"{unit}/topics.yaml",
        "line": 7,
        "column": 28,
        "end_line": 7,
        "end_column": 29,
    }
    resource = {"kind": "topic", "name": "orders"}
    row = {
        "run": "r1",
        "status": "persisting",
        "first_seen": "r0",
        "unit": unit,
        "environment": "production",
        "owner": "payments",
        "region": "eu-central",
        "rule": "KC0302",
        "name": "min-isr-le-rf",
        "severity": "warning",
        "message": "topic orders needs min.insync.replicas=4 in sync but has replication.factor=3",
        "consequence": "one lost replica stops all writes with acks=all",
        "keys": ["min.insync.replicas", "replication.factor"],
        "cluster": unit,
        "resource": resource,
        **place,
        "evidence": [
            {
                "key": "min.insync.replicas",
                "value": "4",
                "origin": "set",
                "from": "min.insync.replicas",
                "resource": resource,
                **place,
                "kafka_version": None,
            },
            {
                "key": "replication.factor",
                "value": "3",
                "origin": "default",
                "from": "replication.factor",
                "resource": resource,
                "kafka_version": "3.9",
            },
        ],
        "fix": {
            "text": "lower min.insync.replicas to 2",
            "safe": False,
            "edits": [{**place, "text": "2"}],
        },
        "fingerprint": f"{unit}-1",
        "url": "https://example.org/rules#kc0302",
    }
    return row | told


def unit(name: str, **told: Any) -> dict[str, Any]:
    row = {
        "run": "r1",
        "unit": name,
        "environment": "production",
        "owner": "payments",
        "region": "eu-central",
        "status": "audited",
        "clusters": 1,
        "files_read": 6,
    }
    return row | told


def cluster(name: str, **told: Any) -> dict[str, Any]:
    row = {
        "run": "r1",
        "unit": name,
        "environment": "production",
        "owner": "payments",
        "region": "eu-central",
        "cluster": name,
        "kafka_version": "3.9.1",
        "detected_environment": "production",
        "brokers": 3,
        "topics": 50,
    }
    return row | told


# -- large ----------------------------------------------------------------------------------

_TOPICS = ("orders", "payments.settled", "clickstream", "audit-log", "stock-levels", "invoices")
_KEYS = (
    *("min.insync.replicas", "replication.factor", "acks", "retention.ms", "segment.bytes"),
    *("max.message.bytes", "fetch.max.bytes", "session.timeout.ms", "heartbeat.interval.ms"),
    *("linger.ms", "compression.type", "num.network.threads", "log.dirs", "listeners"),
)
_OWNERS = (
    *("payments", "search", "platform", "logistics", "checkout", "risk", "identity", "ads"),
    *("inventory", "streaming-core", "ml-features", "customer-care"),
)
_VERSIONS = ("2.8.2", "3.4.1", "3.6.2", "3.7.2", "3.8.1", "3.9.1", "4.0.0", "4.1.1")


def large(folder: Path, clusters: int, mean: int = 54, seed: int = 1) -> None:
    """A fleet in which some clusters are much worse than others; ``mean`` findings per cluster."""
    dice = random.Random(seed)
    ours = list(rules.load().values())
    weights = [1 / (1 + dice.randrange(40)) * (0.25 if r.severity == "error" else 1) for r in ours]
    names = [
        f"{dice.choice(('eu', 'us', 'ap'))}/{dice.choice(('prod', 'stage', 'dev'))}/kafka-{n:05d}"
        for n in range(clusters)
    ]
    owner = [dice.choice(_OWNERS) for _ in names]
    environment = ["production" if "/prod/" in name else "development" for name in names]
    region = [f"{name[:2]}-{dice.choice(('central-1', 'west-2'))}" for name in names]
    version = [dice.choice(_VERSIONS) for _ in names]
    counts = [min(int(dice.expovariate(1 / mean)), 12 * mean) for _ in names]
    at = [n for n, count in enumerate(counts) for _ in range(count)]
    total = len(at)
    hit = dice.choices(ours, weights, k=total)
    topic = [f"{_TOPICS[dice.randrange(6)]}-{dice.randrange(50):02d}" for _ in range(total)]
    value = [dice.randrange(1, 5000) for _ in range(total)]
    key = [_KEYS[dice.randrange(len(_KEYS))] for _ in range(total)]
    other = [_KEYS[dice.randrange(len(_KEYS))] for _ in range(total)]
    new = [dice.random() < 0.04 for _ in range(total)]
    path = [f"fleet/{names[n]}/topics.yaml" for n in at]
    line = pa.array([dice.randrange(1, 400) for _ in range(total)], pa.int32())
    columns: dict[str, Any] = {
        "run": ["r1"] * total,
        "status": ["new" if fresh else "persisting" for fresh in new],
        "first_seen": [
            "r1" if fresh else f"2026-02-{1 + v % 27:02d}"
            for fresh, v in zip(new, value, strict=True)
        ],
        "unit": [names[n] for n in at],
        "environment": [environment[n] for n in at],
        "owner": [owner[n] for n in at],
        "region": [region[n] for n in at],
        "rule": [rule.code for rule in hit],
        "name": [rule.name for rule in hit],
        "severity": [rule.severity for rule in hit],
        "message": [
            f"topic {t} has {k}={v} while {o} of cluster {names[n]} allows {v * 2 + 1} ({rule.name})"
            for t, k, v, o, n, rule in zip(topic, key, value, other, at, hit, strict=True)
        ],
        "consequence": [f"{rule.summary} Consumers of it see it first." for rule in hit],
        "keys": [[k, o] for k, o in zip(key, other, strict=True)],
        "cluster": [names[n] for n in at],
        "resource": _structs(kind=["topic"] * total, name=topic),
        "path": path,
        "line": line,
        "column": line,
        "end_line": line,
        "end_column": line,
        "evidence": _evidence(key, other, value, topic, path, line),
        "fix": _structs(
            text=[f"set {k}={v} on {t}" for k, v, t in zip(key, value, topic, strict=True)],
            safe=pa.array([False] * total),
            edits=pa.ListArray.from_arrays(
                pa.array(range(total + 1), pa.int32()),
                _structs(
                    path=path, line=line, column=line, end_line=line, end_column=line, text=topic
                ),
            ),
        ),
        **{name: [None] * total for name in column_types.names(schemas.BESIDE)},
        "fingerprint": [f"{v:032x}" for v in range(total)],
        "url": [f"https://example.org/rules#{rule.code.lower()}" for rule in hit],
    }
    schema = column_types.arrow(SCHEMAS["findings"])
    put(
        folder,
        "findings",
        pa.table(
            {
                f.name: pa.array(columns[f.name], f.type)
                if isinstance(columns[f.name], list)
                else columns[f.name].cast(f.type)
                for f in schema
            },
            schema,
        ),
    )
    of = list(zip(names, environment, owner, region, strict=True))
    owned = [dict(zip(("unit", "environment", "owner", "region"), row, strict=True)) for row in of]
    broken = {n for n in range(clusters) if n % 211 == 7 and not counts[n]} | {3}
    put(
        folder,
        "units",
        [
            {**unit(row["unit"]), **row, "status": "failed" if n in broken else "audited"}
            for n, row in enumerate(owned)
        ],
    )
    put(
        folder,
        "clusters",
        [
            {
                **cluster(row["unit"]),
                **row,
                "kafka_version": version[n],
                "brokers": 3 + n % 9,
                "topics": 50 + n % 400,
            }
            for n, row in enumerate(owned)
        ],
    )
    put(
        folder,
        "errors",
        [
            {
                "run": "r1",
                **row,
                "path": f"fleet/{row['unit']}/server.properties",
                "stage": "read" if n not in broken else "limit",
                "error": "UnicodeDecodeError" if n not in broken else "OverLimit",
                "reason": "not text: byte 0x8b at 1"
                if n not in broken
                else "took longer than 300 s",
                "fatal": n in broken,
            }
            for n, row in enumerate(owned)
            if n % 97 == 5 or n in broken
        ],
    )
    states = [
        {
            "run": "r1",
            "unit": names[n],
            "fingerprint": f"gone-{n}",
            "status": "resolved",
            "first_seen": "2026-02-11",
            "rule": rule.code,
            "severity": rule.severity,
            "cluster": names[n],
            "path": f"fleet/{names[n]}/topics.yaml",
            "message": f"topic orders-{n % 50:02d} was resolved ({rule.name})",
        }
        for n, rule in zip(
            range(0, clusters, 3), dice.choices(ours, weights, k=clusters), strict=False
        )
    ]
    put(folder, "lifecycle", states)
    norms, strays = [], []
    for dimension, values in (
        ("environment", environment),
        ("owner", owner),
        ("version", [v.rpartition(".")[0] for v in version]),
    ):
        for group in sorted(set(values)):
            inside = [n for n in range(clusters) if values[n] == group]
            for number, key_name in enumerate(_KEYS[:9]):
                odd = [n for n in inside if (n * 31 + number * 7) % 53 == 0]
                share = 1 - len(odd) / max(1, len(inside))
                told = {
                    "dimension": dimension,
                    "group": group,
                    "key": key_name,
                    "norm": str(2 + number),
                    "support": len(inside) - len(odd),
                    "of": len(inside),
                    "share": share,
                    "confidence": share * 0.97,
                }
                norms.append({**told, "norm_compared": told["norm"], "is_norm": share > 0.8})
                strays += [
                    {
                        **owned[n],
                        **told,
                        "cluster": names[n],
                        "scope": "fleet",
                        "origin": "set",
                        "value": str(3 + number + n % 4),
                        "path": f"fleet/{names[n]}/server.properties",
                        "line": 12,
                    }
                    for n in odd
                ]
    strays += [
        {
            **owned[n],
            "cluster": names[n],
            "scope": "cluster",
            "origin": "set",
            "key": "num.io.threads",
            "value": "8",
            "norm": "16",
            "support": 2,
            "of": 3,
            "share": 0.67,
            "resource": "2",
            "path": f"fleet/{names[n]}/server-2.properties",
            "line": 4,
        }
        for n in range(0, clusters, 40)
    ]
    put(folder, "consensus", norms)
    put(folder, "drift", strays)


def _structs(**columns: Any) -> pa.StructArray:
    arrays = [c if isinstance(c, pa.Array) else pa.array(c) for c in columns.values()]
    return pa.StructArray.from_arrays(arrays, names=list(columns))


def _evidence(
    key: list[str],
    other: list[str],
    value: list[int],
    topic: list[str],
    path: list[str],
    line: pa.Array,
) -> pa.ListArray:
    """Two values for each finding: one set in a file, one that is Kafka's default."""

    def both(first: list[Any], second: list[Any]) -> list[Any]:
        return [item for pair in zip(first, second, strict=True) for item in pair]

    total = len(key)
    lines = pa.array(both(line.to_pylist(), [None] * total), pa.int32())
    keys = both(key, other)
    inner = _structs(
        **{
            "key": keys,
            "value": [str(v) for v in both(value, [v * 2 + 1 for v in value])],
            "origin": ["set", "default"] * total,
            "from": keys,
            "resource": _structs(kind=["topic", "broker"] * total, name=both(topic, ["1"] * total)),
            "path": pa.array(both(path, [None] * total), pa.string()),
            "line": lines,
            "column": lines,
            "end_line": lines,
            "end_column": lines,
            "kafka_version": pa.array([None, "3.9"] * total, pa.string()),
        }
    )
    return pa.ListArray.from_arrays(pa.array(range(0, 2 * total + 1, 2), pa.int32()), inner)

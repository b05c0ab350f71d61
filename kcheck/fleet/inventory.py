"""The fleet's inventory: what a table says of the clusters, besides their own files.

A column called like a fact that the engine knows of a cluster is that fact; ``environment``,
``owner`` and ``region`` also say in every table whose a row is. What is odd about the inventory is
told, because a name that matches nothing loses its facts: to ``remarks``, or, where it is about one
cluster, to the errors table.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from kcheck import version
from kcheck.fleet import column_types, publish, schemas, work
from kcheck.fleet.run_warnings import counted_rows, listed
from kcheck.formats.declarations.declared import (
    CLUSTER_FACTS,
    HOST_FACTS,
    READERS,
    SERVICES,
    TEXT,
    WHOLE,
)
from kcheck.settings import ClusterSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

#: Facts by the name of their column, and what their text is.
KINDS = {
    **{name: kind for name, kind in CLUSTER_FACTS.items() if name != "name"},
    "brokers": WHOLE,
    **HOST_FACTS,
}

#: Environments that the engine knows; an organisation may have others.
ENVIRONMENTS = {
    "prod": "production",
    "production": "production",
    "dev": "development",
    "development": "development",
}
_KEY = "cluster"
_OWNERS = ("environment", "owner", "region")


class Inventory:
    """An inventory that was read. ``rows`` are the texts of each cluster's columns."""

    def __init__(
        self, name: str, columns: Iterable[str], held: Iterable[Mapping[str, str]]
    ) -> None:
        self.name = name
        self.remarks: list[str] = []
        self.rows: dict[str, dict[str, str]] = {}
        known = {_KEY, *_OWNERS, *KINDS}
        unknown = sorted(set(columns) - known)
        if unknown:
            self._remark(f"unknown columns are ignored: {listed(unknown, len(unknown))}")
        self._add(held, known)

    def _remark(self, text: str) -> None:
        self.remarks.append(f"{self.name}: {text}")

    def _add(self, held: Iterable[Mapping[str, str]], known: set[str]) -> None:
        nameless = 0
        twice: set[str] = set()
        torn: dict[str, set[str]] = {}
        for row in held:
            name = row.get(_KEY, "")
            if not name:
                nameless += 1
                continue
            said = {key: text for key, text in row.items() if text and key in known and key != _KEY}
            if name not in self.rows:
                self.rows[name] = said
                continue
            twice.add(name)
            for key, text in said.items():
                if self.rows[name].setdefault(key, text) != text:
                    torn.setdefault(name, set()).add(key)
        for name, keys in torn.items():
            # Nobody knows which of them is right.
            for key in keys:
                del self.rows[name][key]
        self._remark_on(nameless, twice, torn)

    def _remark_on(self, nameless: int, twice: set[str], torn: dict[str, set[str]]) -> None:
        if nameless:
            self._remark(f"{counted_rows(nameless)} without a cluster")
        if twice:
            self._remark(f"several rows for {listed(sorted(twice))}")
        if torn:
            shown = [f"{name} ({', '.join(sorted(keys))})" for name, keys in sorted(torn.items())]
            self._remark(f"conflicting values, so these are ignored: {listed(shown)}")

    def frame(self, spark: SparkSession) -> DataFrame:
        """``known`` (the cluster) and ``schemas.FACTS``, a row per cluster."""
        import pyarrow as pa

        rows = self.rows.values()
        held: dict[str, Iterable[object]] = {
            "known": self.rows,
            **{key: [row.get(key) for row in rows] for key in _OWNERS},
            "facts": ([(key, row[key]) for key in row if key in KINDS] for row in rows),
            "inventory": (self.name for _ in rows),
        }
        schema = column_types.arrow((("known", "string"), *schemas.FACTS))
        return spark.createDataFrame(
            pa.table([pa.array(held[field.name], field.type) for field in schema], schema)
        )

    def compare(self, units: Iterable[str]) -> None:
        """Remark on rows that name no unit, and on those that might mean several."""
        whole = set(units)
        ends: dict[str, list[str]] = {}
        for unit in sorted(whole):
            ends.setdefault(unit.rpartition("/")[2], []).append(unit)
        names = sorted(set(self.rows) - whole)
        lost = [name for name in names if name not in ends]
        if lost:
            self._remark(f"{counted_rows(len(lost))} for unknown clusters: {listed(lost)}")
        for name in names:
            if len(ends.get(name, ())) > 1:
                self._remark(f"{name} applies to each of {listed(ends[name])}")


def read(spark: SparkSession, path: str) -> Inventory:
    """Read an inventory: csv with a header, JSON lines, Parquet or Delta. Raises work.Refused."""
    at, name = publish.for_spark(path), os.path.basename(path.rstrip("/"))
    format = work.table_format(path)
    if path.lower().endswith((".csv", ".csv.gz")):
        frame = spark.read.option("header", "true").csv(at)
    elif format == "json":
        # A version such as 3.10 is no number.
        frame = spark.read.option("primitivesAsString", "true").json(at)
    elif format:
        frame = spark.read.format(format).load(at)
    else:
        raise work.Refused(f"--inventory {path}: not csv, jsonl or Parquet")
    columns = [column.strip("\ufeff ").lower().replace("-", "_") for column in frame.columns]
    if _KEY not in columns:
        raise work.Refused(f"--inventory {path}: no column cluster, only {', '.join(columns)}")
    texts = frame.toDF(*map(str, range(len(columns))))
    texts = texts.select(*(texts[at].cast("string").alias(at) for at in texts.columns))
    return Inventory(name, columns, _texts(texts.toArrow(), columns))


def _texts(table: pa.Table, columns: list[str]) -> Iterator[dict[str, str]]:
    for batch in table.to_batches():
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield {key: (text or "").strip() for key, text in zip(columns, values, strict=True)}


def settings(facts: Mapping[str, str]) -> tuple[ClusterSettings, list[str]]:
    """What the texts say, and what is wrong with some of them: that is then not said."""
    said = ClusterSettings()
    wrong: list[str] = []
    for name, text in facts.items():
        kind = KINDS[name]
        if name == "environment":
            said.environment = ENVIRONMENTS.get(text.lower(), "")
        elif name.endswith("_version"):
            if version.parse(text) is None:
                wrong.append(f"{name} must be a version such as 3.9, not {text}")
            else:
                setattr(said, name, text)
        elif name == "service":
            if text.lower() not in SERVICES:
                wrong.append(f"service must be one of {', '.join(SERVICES)}, not {text}")
            else:
                said.service = text.lower()
        elif kind != TEXT:
            value = READERS[kind](text)
            if value is None:
                wrong.append(f"{name} must be {kind}, not {text}")
            else:
                said.facts[name] = (text, value)
    return said, wrong

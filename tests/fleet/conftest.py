"""One Spark session for all fleet tests, and the two sides of every parity test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

#: Settings for Spark besides kcheck's own, such as jars.
CONF = dict(pair.split("=", 1) for pair in os.environ.get("KCHECK_TEST_CONF", "").split())

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import make_fleet  # noqa: E402

from kcheck.__main__ import main  # noqa: E402
from kcheck.fleet import audit, column_types, publish, schemas, session  # noqa: E402
from kcheck.fleet.quiet import Unavailable  # noqa: E402
from kcheck.settings import Settings  # noqa: E402


@pytest.fixture(scope="session")
def spark() -> Iterator[session.Session]:
    try:
        made = session.started("local[2]", conf=CONF, delta=bool(find_spec("delta")))
    except Unavailable as missing:
        pytest.skip(str(missing))
    made.spark.conf.set("spark.sql.shuffle.partitions", "2")
    yield made
    made.stop()


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated fleet of 60 clusters with faults, corrupt files and strays."""
    root = tmp_path_factory.mktemp("generated")
    make_fleet.write(root, 60, topics=4, faults=0.4, corrupt=0.2, drift=0.05)
    return root


@pytest.fixture(scope="session")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,000 generated clusters with planted faults, corrupt files and strays."""
    root = tmp_path_factory.mktemp("thousand")
    make_fleet.write(root, 1000, topics=3, faults=0.2, corrupt=0.05, drift=0.02)
    return root


@pytest.fixture(scope="session")
def thousand_linted(thousand: Path) -> list[str]:
    """What the command ``kcheck lint --output jsonl`` prints of them, sorted."""
    return command_lines(thousand / "fleet")


def command_lines(folder: Path, *args: str) -> list[str]:
    """The lines that the command prints in that folder, sorted."""
    ran = subprocess.run(
        [sys.executable, "-m", "kcheck", "lint", ".", "--output", "jsonl", "--quiet", *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=600,
    )
    assert ran.returncode in (0, 1), ran.stderr
    found = _of_units(json.loads(line) for line in ran.stdout.decode().splitlines())
    return sorted(json.dumps(record, ensure_ascii=False) for record in found)


#: What tells how the files of a whole project met: an audit's units are projects of their own.
_LAYOUT = ("KC0009", "KC1069")


def _of_units(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The findings of lint that an audit has as well, without what the table has no column for (the id
    that tells clusters of a project apart, gates), and what it has beside the record. Units are
    projects of their own, so that causes of several of them differ."""
    found = [record for record in records if record["rule"] not in _LAYOUT]
    for record in found:
        for name in ("cluster_id", "cause", "also", "gate", "kafka", "inferred"):
            record.pop(name, None)
    return found


Lint = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def lint(capsys: pytest.CaptureFixture[str]) -> Lint:
    """``kcheck lint --output jsonl``, its lines parsed and sorted."""

    def run(*args: str) -> list[dict[str, Any]]:
        capsys.readouterr()
        main(["lint", "--output", "jsonl", "--quiet", *args])
        lines = capsys.readouterr().out.splitlines()
        return in_order(_of_units(json.loads(line) for line in lines))

    return run


def in_order(records: Any) -> list[dict[str, Any]]:
    return sorted(records, key=json.dumps)


def table(folder: str, name: str) -> list[dict[str, Any]]:
    """A published table, read without Spark."""
    import pyarrow.dataset as ds

    return ds.dataset(str(Path(folder) / name), format="parquet").to_table().to_pylist()


def records(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the findings table as lint's jsonl has them."""
    names = column_types.names(schemas.RECORD)
    return in_order(_of_units({name: row[name] for name in names} for row in rows))


def printed(found: list[dict[str, Any]]) -> list[str]:
    """Records as lint prints them, byte for byte."""
    return sorted(json.dumps(record, ensure_ascii=False) for record in found)


def audited(
    spark: session.Session, paths: list[str], out: Path | str, **options: Any
) -> audit.Outcome:
    """An audit with default settings, as the command line would run it."""
    plan = audit.Plan(tuple(paths), str(out), options.pop("settings", Settings()), **options)
    return audit.run(spark, plan)


def streamed(
    spark: session.Session, paths: list[str], out: Path, **options: Any
) -> dict[str, list[dict[str, Any]]]:
    """The rows of the lint step alone by their kind, without the tables that are made of them."""
    from kcheck.fleet import inventory, work

    plan = audit.Plan(tuple(paths), str(out), options.pop("settings", Settings()), **options)
    staging = publish.opened(str(out)).begin(plan.run, False)
    known = inventory.read(spark.spark, plan.inventory) if plan.inventory else None
    inputs = work.opened(plan.paths, plan.settings, plan.depth)
    audit.lint(spark, plan, inputs, staging, known)
    rows = table(staging.folder, "stream")
    return {kind: [row[kind] for row in rows if row["kind"] == kind] for kind in schemas.TABLES}


def stream_records(
    spark: session.Session, paths: list[str], out: Path, **options: Any
) -> list[dict[str, Any]]:
    """The findings of the lint step alone: what parity is about."""
    return records(streamed(spark, paths, out, **options)["finding"])

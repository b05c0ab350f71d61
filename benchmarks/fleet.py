"""What an audit on Spark costs beside a plain pool of processes that calls the same engine.

    python benchmarks/fleet.py [--clusters 10000] [--growth 1000 10000 50000]
                               [--skewed 10000] [--slots 2] [--rounds 1] [--dir DIR]

Needs ``kcheck[spark]`` and Java 17. All figures of one run are interleaved on the same fleets
(7 files and 50 topics per cluster) with a warm session, and are told as ratios. An audit is all of
it: reading, linting, tables, drift, report, publishing. The pool only reads and lints. A skewed
fleet is the same with one cluster more, of 50,000 topics.

Each ratio is told twice, by the clock and by the time that all processes of either had of a
processor (Linux): where others use the machine, too, the clock tells more of them than of kcheck.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.context import SpawnContext
from pathlib import Path
from statistics import median

# As the command does.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

import make_fleet
import pyarrow.parquet as pq

from kcheck import discover, engine
from kcheck.files import no_listings
from kcheck.fleet import audit, html, ingest, session, sources, work
from kcheck.fleet.members import Members
from kcheck.fleet.pack import pack
from kcheck.fleet.task import Recipe, opened
from kcheck.report import Run
from kcheck.report.record import Records
from kcheck.settings import Settings

CHUNK = 64
MANY_TOPICS = 50_000


# -- the plain pool -------------------------------------------------------------------------


def lint_folders(base: str, names: list[str]) -> int:
    """Findings of some cluster folders."""
    settings, listings = Settings(), no_listings()
    found = 0
    for name in names:
        part = discover.Part(name, base, base, settings.excluded, listings=listings)
        found += findings(part, settings)
    return found


def lint_rows(table: str, groups: list[int]) -> int:
    """Findings of some row groups of a packed table."""
    settings = Settings()
    found = 0
    for path_group in groups:
        file, group = divmod(path_group, 1 << 16)
        read = pq.ParquetFile(sorted(Path(table).glob("*.parquet"))[file]).read_row_group(group)
        for row in read.to_pylist():
            files = [(path, data, None) for path, data in row["files"]]
            found += findings(Members(files, row["top"] or "", settings.excluded), settings)
    return found


def findings(sources: discover.Inputs | Members, settings: Settings) -> int:
    project = engine.lint_project(sources, settings, sources.lookup)
    project.documents.extend(sources.documents())
    return sum(1 for _ in Records(Run(project)).all())


def pool_tree(pool: ProcessPoolExecutor, fleet: Path) -> int:
    names = sorted(os.listdir(fleet))
    parts = [names[at : at + CHUNK] for at in range(0, len(names), CHUNK)]
    return sum(pool.map(lint_folders, [str(fleet)] * len(parts), parts))


def pool_table(pool: ProcessPoolExecutor, table: Path) -> int:
    files = sorted(table.glob("*.parquet"))
    groups = [
        (file << 16) + group
        for file, path in enumerate(files)
        for group in range(pq.ParquetFile(path).num_row_groups)
    ]
    return sum(pool.map(lint_rows, [str(table)] * len(groups), [[group] for group in groups]))


# -- the audit ------------------------------------------------------------------------------


class Timed:
    """One audit: its seconds, those of its steps, and what it found."""

    def __init__(self, spark: session.Session, paths: list[Path], fleet: Fleet) -> None:
        out = fleet.root / "out"
        shutil.rmtree(out, ignore_errors=True)
        plan = audit.Plan(
            tuple(map(str, paths)), str(out), Settings(), inventory=str(fleet.inventory)
        )
        self.steps: dict[str, float] = {}
        before = spent()
        self._step, self._since = "start", time.perf_counter()
        began = self._since
        told = audit.run(spark, plan, self._say).manifest
        self._say("end")
        self.seconds = time.perf_counter() - began
        after = spent()
        #: Seconds of a processor: all of it, and what the JVM had of it.
        self.processor, self.java = after[0] - before[0], after[1] - before[1]
        self.findings = sum(told["findings"].values())

    def _say(self, step: str) -> None:
        now = time.perf_counter()
        self.steps[self._step] = now - self._since
        self._step, self._since = step, now


def ingested(spark: session.Session, path: Path) -> float:
    """Seconds to bring every file of the input to where it would be linted, and nothing more."""
    began = time.perf_counter()
    settings = Settings()
    inputs = work.opened([str(path)], settings)
    told = audit.recipe(audit.Plan((str(path),), "", settings), inputs)
    with sources.finely(spark.spark, spark.slots()):
        units = ingest.with_facts(ingest.units(spark.spark, inputs, told, spark.slots()), None)
        counted = units.mapInArrow(_counter(told), "files bigint, bytes bigint")
        counted.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - began


def _counter(told: Recipe) -> Callable[..., Iterator[object]]:
    def run(batches: Iterator[object]) -> Iterator[object]:
        import pyarrow as pa

        from kcheck.fleet.task import each

        files = size = 0
        for row in each(batches, told.megabytes):
            for _, data in opened(told, told.settings(row), row):
                files += 1
                size += len(data)
        yield pa.RecordBatch.from_pydict({"files": [files], "bytes": [size]})

    return run


# -- fleets ---------------------------------------------------------------------------------


class Fleet:
    """A generated fleet as a tree and as a packed table; one that lies there is used again."""

    def __init__(self, root: Path, clusters: int, spark: session.Session, **told: float) -> None:
        self.root = root
        self.clusters = clusters
        self.tree = root / "fleet"
        self.inventory = root / "inventory.csv"
        self.table = root / "packed.parquet"
        if self.table.exists():
            return
        formats = (make_fleet.KRAFT, make_fleet.ZOOKEEPER)
        make_fleet.write(root, clusters, formats=formats, **told)  # type: ignore[arg-type]
        pack(spark, audit.Plan((str(self.tree),), str(self.table), Settings()))


def spent() -> tuple[float, float]:
    """The seconds of a processor that this process and all below it had so far, and those of the JVM
    alone among them; zeros where there is no ``/proc``.

    Of a process that is gone counts what it had when this was asked last: Spark ends idle workers.
    """
    found: dict[int, tuple[int, str, float]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = entry.read_text().partition(" (")
        except OSError:
            continue
        name, _, numbers = rest.rpartition(") ")
        fields = numbers.split()
        found[int(number)] = int(fields[1]), name, sum(map(int, fields[11:13])) / _TICKS
    for number, (_, name, own) in found.items():
        above = number
        while above in found and above != os.getpid():
            above = found[above][0]
        if above == os.getpid():
            _seen[number] = own, name == "java"
    # Those that this process has waited for lived too short to be seen.
    whole = sum(own for own, _ in _seen.values()) + sum(os.times()[2:4])
    return whole, sum(own for own, java in _seen.values() if java)


_seen: dict[int, tuple[float, bool]] = {}
_TICKS = os.sysconf("SC_CLK_TCK")


class Peak:
    """The most memory in MB that this process has had since this was made (Linux)."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5")

    def megabytes(self) -> float:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
        return 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clusters", type=int, default=10_000, help="for the comparison")
    parser.add_argument("--growth", type=int, nargs="*", default=[1_000, 10_000, 50_000])
    parser.add_argument("--skewed", type=int, default=10_000, help="beside one very large cluster")
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--dir", type=Path, help="where fleets are written (default: a new folder)")
    given = parser.parse_args()
    root = given.dir or Path(tempfile.mkdtemp(prefix="kcheck-fleet-"))
    # Started before Spark is, so that a worker inherits nothing of it.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.slots, mp_context=context) as pool:
        list(pool.map(time.sleep, [0.2] * given.slots))
        spark = session.started(f"local[{given.slots}]")
        try:
            warm = Fleet(root / "warm", 400, spark, faults=0.5, drift=0.1)
            # Spark compiles for a while: until then an audit of 400 clusters takes twice as long.
            for _ in range(4):
                Timed(spark, [warm.table], warm)
            pool_tree(pool, warm.tree)
            if given.clusters:
                fleet = Fleet(root / "compared", given.clusters, spark, faults=0.1, drift=0.02)
                compared(spark, pool, fleet, given.rounds)
            if given.skewed:
                of = "compared" if given.skewed == given.clusters else "skewed"
                fleet = Fleet(root / of, given.skewed, spark, faults=0.1, drift=0.02)
                skewed(spark, pool, fleet, given.slots, given.rounds)
            if given.growth:
                grown(spark, context, root, sorted(given.growth), given.rounds)
        finally:
            spark.stop()
            if given.dir is None:
                shutil.rmtree(root, ignore_errors=True)


def compared(spark: session.Session, pool: ProcessPoolExecutor, fleet: Fleet, rounds: int) -> None:
    """An audit beside the pool, from the packed table and from the tree, turn by turn."""
    print(f"{fleet.clusters:,} clusters, {rounds} round(s)", flush=True)
    ratios: dict[str, list[float]] = {"table": [], "tree": []}
    shared: dict[str, list[float]] = {"table": [], "tree": []}
    shares: list[float] = []
    for turn in range(rounds):
        for name, path, plainly in (
            ("table", fleet.table, pool_table),
            ("tree", fleet.tree, pool_tree),
        ):
            # In turn first and last, so that a machine that gets slower favours neither.
            if turn % 2:
                timed = Timed(spark, [path], fleet)
            before, began = spent()[0], time.perf_counter()
            found = plainly(pool, path)
            plain, taken = time.perf_counter() - began, spent()[0] - before
            if not turn % 2:
                timed = Timed(spark, [path], fleet)
            reading = ingested(spark, path)
            if found != timed.findings:
                raise SystemExit(f"{name}: the pool has {found} findings, audit {timed.findings}")
            ratios[name].append(plain / timed.seconds)
            shared[name].append(taken / timed.processor if timed.processor else 0.0)
            shares.append(reading / timed.seconds)
            steps = ", ".join(f"{step} {s:.1f}" for step, s in timed.steps.items() if s > 0.05)
            print(
                f"  {name}: pool {plain:.1f} s, audit {timed.seconds:.1f} s ({steps}), "
                f"ingestion alone {reading:.1f} s; of a processor: pool {taken:.1f} s, "
                f"audit {timed.processor:.1f} s ({timed.java:.1f} the JVM)",
                flush=True,
            )
    for name, called, least in (("table", "packed table", 0.92), ("tree", "tree", 0.9)):
        print(
            f"  throughput of the pool, from the {called}: {median(ratios[name]):.2f}x "
            f"(>= {least}), by processor time {median(shared[name]):.2f}x"
        )
    print(f"  ingestion: {median(shares):.1%} of the wall time (<= 6%)", flush=True)


def skewed(
    spark: session.Session, pool: ProcessPoolExecutor, fleet: Fleet, slots: int, rounds: int
) -> None:
    """What one cluster of many topics costs beside what it would if it kept nobody waiting."""
    print(f"{fleet.clusters:,} clusters and one of {MANY_TOPICS:,} topics, {rounds} round(s)")
    large = fleet.root / "large" / "zz-large"
    if not large.exists():
        large.mkdir(parents=True)
        make_fleet.write_topics(large, MANY_TOPICS)
    for name, path, plainly in (
        ("table", fleet.table, pool_table),
        ("tree", fleet.tree, pool_tree),
    ):
        both, alone = _with_large(spark, fleet, path, large)
        lost: list[float] = []
        for turn in range(rounds):
            order = [path, both][:: -1 if turn % 2 else 1]
            took = {one: Timed(spark, [one], fleet).seconds for one in order}
            began = time.perf_counter()
            plainly(pool, alone)
            own = time.perf_counter() - began
            # All slots share what there is, and none can be done before the one cluster is.
            ideal = max(took[path] + own / slots, own)
            lost.append(took[both] / ideal - 1)
            print(
                f"  {name}: without {took[path]:.1f} s, with {took[both]:.1f} s; "
                f"that cluster alone {own:.1f} s",
                flush=True,
            )
        print(f"  lost to skew, from the {name}: {median(lost):.0%} (<= 20%)", flush=True)


def _with_large(spark: session.Session, fleet: Fleet, path: Path, large: Path) -> tuple[Path, Path]:
    """The fleet with the large cluster, and that cluster alone."""
    if path == fleet.tree:
        both = fleet.root / "both"
        both.mkdir(exist_ok=True)
        for folder in (*fleet.tree.iterdir(), large):
            if not (both / folder.name).exists():
                shutil.copytree(folder, both / folder.name, copy_function=os.link)
        return both, large.parent
    alone, both = fleet.root / "large.parquet", fleet.root / "both.parquet"
    if not both.exists():
        pack(spark, audit.Plan((str(large.parent),), str(alone), Settings()))
        shutil.copytree(path, both, copy_function=os.link)
        for part in alone.glob("part-*.parquet"):
            # Read last, if nobody looked at sizes.
            os.link(part, both / f"part-99999-{part.name}")
    return both, alone


def grown(
    spark: session.Session, context: SpawnContext, root: Path, sizes: list[int], rounds: int
) -> None:
    """What each further cluster costs, and the driver's memory, by clusters and by findings."""
    print(f"from the packed table, by size, {rounds} round(s)")
    fleets = [Fleet(root / f"grown-{size}", size, spark, faults=0.1, drift=0.02) for size in sizes]
    seconds: dict[int, list[float]] = {size: [] for size in sizes}
    peaks = dict.fromkeys(sizes, 0.0)
    for turn in range(rounds):
        # Up and down in turn: see above.
        for fleet in fleets[:: -1 if turn % 2 else 1]:
            shutil.rmtree(fleet.tree, ignore_errors=True)
            driver = Peak()
            timed = Timed(spark, [fleet.table], fleet)
            seconds[fleet.clusters].append(timed.seconds)
            print(
                f"  {fleet.clusters:,}: {timed.seconds:.1f} s, lint {timed.steps['lint']:.1f}",
                flush=True,
            )
            peaks[fleet.clusters] = max(peaks[fleet.clusters], driver.megabytes())
    before, spent, first = 0, 0.0, 0.0
    for size in sizes:
        took = median(seconds[size])
        further = (took - spent) / (size - before)
        told = f"{1000 * further:.2f} ms for each further cluster"
        if spent:
            first = first or further
            told += f", {further / first:.2f}x of the first such step"
        print(
            f"  {size:,} clusters: {took:.1f} s, {1000 * took / size:.2f} ms each; {told}; "
            f"driver {peaks[size]:.0f} MB of Python"
        )
        before, spent = size, took
    print("the report of the last, by findings")
    for times in (2, 20):
        with ProcessPoolExecutor(1, mp_context=context) as alone:
            findings, megabytes = alone.submit(crowded, fleets[-1].root / "out", times).result()
        print(f"  {findings:,} findings: {megabytes:.0f} MB of Python", flush=True)


def crowded(out: Path, times: int) -> tuple[int, float]:
    """Write the report of a published run as if it had found everything so many times.

    Gives the number of findings and the peak of this process.
    """
    manifest = json.loads(next((out / "manifests").iterdir()).read_text())
    with tempfile.TemporaryDirectory() as folder:
        for table in (out / manifest["path"]).iterdir():
            if table.name != "findings" and table.is_dir():
                (Path(folder) / table.name).symlink_to(table)
        (Path(folder) / "findings").mkdir()
        for part in (out / manifest["path"] / "findings").glob("*.parquet"):
            for copy in range(times):
                (Path(folder) / "findings" / f"{copy}-{part.name}").symlink_to(part)
        driver = Peak()
        html.write(folder, manifest)
    return times * sum(manifest["findings"].values()), driver.megabytes()


if __name__ == "__main__":
    main()

"""What runs on the executors: units of work in, rows of the tagged stream out.

Nothing that an input holds ends a task. What goes wrong with a unit is a row of kind ``error``.
"""

from __future__ import annotations

import gc
import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy

from kcheck import discover, engine, formats, left_out
from kcheck.fleet import apart, column_types, inventory, limits, profile, register, schemas
from kcheck.fleet.layout import FLAT, WHOLE
from kcheck.fleet.members import Members, gathered, settled
from kcheck.fleet.work import FILES, LOOSE, Home
from kcheck.globs import Match
from kcheck.graph.cluster import Cluster
from kcheck.model import FAILED, PASSED_OVER, SKIPPED, Document
from kcheck.report import Run
from kcheck.report.record import Records, readable
from kcheck.runner import fault
from kcheck.settings import Settings, merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

#: Rows in one Arrow batch, about; a unit's rows stay together.
_BATCH = 2048
#: Units between two searches for garbage, of which little is left.
_SWEEP = 128

Owner = tuple[str, str | None, str | None, str | None]


class Recipe:
    """All that a task needs beside its units. Travels to the executors once per task.

    ``homes`` are where the paths of local inputs start; ``salt`` hides secrets' digests; ``depth``
    says how deep the clusters lie in an archive.
    """

    def __init__(
        self,
        settings: Settings,
        homes: Sequence[Home] = (),
        seconds: float = 300.0,
        megabytes: int = 2048,
        salt: bytes = b"",
        depth: int | None = None,
    ) -> None:
        self.homes = homes
        self.depth = depth
        self.seconds = seconds
        self.megabytes = megabytes
        self.salt = salt
        self._settings = settings
        self._at_home = [settings.seen_from(home.lead) for home in homes]

    @property
    def excluded(self) -> Match:
        """What is left out of inputs whose paths start nowhere."""
        return self._settings.excluded

    def settings(self, row: dict[str, Any]) -> Settings:
        """The settings for the paths of a row of work, but for what the inventory says."""
        loose = row["place"] in (FILES, LOOSE) or row["home"] is None
        return self._settings if loose else self._at_home[row["home"]]


#: A unit that is ready to be read: its sources, another file of it, and what was left out.
Sources = discover.Inputs | Members


class Rows:
    """Rows of the stream by kind, until they are taken as one Arrow batch."""

    def __init__(self) -> None:
        self._columns = dict(schemas.STREAM)
        self._rows: dict[str, list[tuple[Any, ...]]] = {kind: [] for kind in schemas.KINDS}

    def add(self, kind: str, row: tuple[Any, ...]) -> None:
        self._rows[kind].append(row)

    def extend(self, others: Rows) -> None:
        for kind, rows in others._rows.items():
            self._rows[kind] += rows

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def count(self, kind: str) -> int:
        return len(self._rows[kind])

    def of(self, kind: str, start: int = 0) -> list[tuple[Any, ...]]:
        """The rows of one kind from a number on."""
        return self._rows[kind][start:]

    def cut(self, counts: dict[str, int]) -> None:
        """Take back the rows that came after ``counts`` was noted."""
        for kind, count in counts.items():
            del self._rows[kind][count:]

    def counts(self) -> dict[str, int]:
        return {kind: len(rows) for kind, rows in self._rows.items()}

    def take(self) -> pa.RecordBatch:
        """All rows as one batch; none are left."""
        import pyarrow as pa

        total = len(self)
        kinds = [kind for kind, rows in self._rows.items() for _ in rows]
        arrays: list[pa.Array] = [pa.array(kinds, pa.string())]
        before = 0
        for kind, rows in self._rows.items():
            after = total - before - len(rows)
            arrays.append(_struct(self._columns[kind], rows, before, after))
            before += len(rows)
            self._rows[kind] = []
        return pa.RecordBatch.from_arrays(arrays, schema=column_types.arrow(schemas.STREAM))


def _struct(columns: Any, rows: list[tuple[Any, ...]], before: int, after: int) -> pa.Array:
    import pyarrow as pa

    schema = column_types.arrow(columns)
    if not rows:
        return pa.nulls(before + after, pa.struct(list(schema)))
    head, tail = [None] * before, [None] * after
    children = [
        pa.array([*head, *values, *tail], field.type)
        for field, values in zip(schema, zip(*rows, strict=True), strict=True)
    ]
    mask = pa.array([True] * before + [False] * len(rows) + [True] * after, pa.bool_())
    return pa.StructArray.from_arrays(children, fields=list(schema), mask=mask)


def batches(recipe: Recipe) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for ``mapInArrow``: batches of work in, batches of the stream out."""

    def run(work: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows, said = Rows(), profile.Said()
        lint = lint_apart if apart.wanted() else lint_row
        linted = 0
        # What is loaded stays; what a unit leaves is looked for after some of them, not every few
        # thousand objects within one.
        gc.freeze()
        gc.disable()
        try:
            for row in each(work, recipe.megabytes):
                before = rows.count("profile")
                lint(recipe, row, rows)
                for seen in rows.of("profile", before):
                    said.add(seen)
                linted += 1
                if linted % _SWEEP == 0:
                    gc.collect()
                if len(rows) >= _BATCH:
                    yield rows.take()
            for counted in said.rows():
                rows.add("said", counted)
            # At least one batch, be it empty: it carries the schema.
            yield rows.take()
        finally:
            gc.enable()

    return run


def each(batches: Iterable[pa.RecordBatch], megabytes: int = 0) -> Iterator[dict[str, Any]]:
    """The units of some batches, one at a time: contents are copied out of Arrow only when due."""
    return gathered(itertools.chain.from_iterable(map(_rows, batches)), (FILES, LOOSE), megabytes)


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    names = batch.schema.names
    for at in range(batch.num_rows):
        row = {name: batch.column(name)[at].as_py() for name in names}
        row["files"] = [tuple(file.values()) for file in row["files"] or ()]
        yield row


def lint_row(recipe: Recipe, row: dict[str, Any], rows: Rows) -> None:
    """Lint the unit that one row of work stands for."""
    owner = _owner(row)
    if row["problem"]:
        fail(rows, owner, row["ref"], "read", "Unreadable", row["problem"])
        return
    settings, wrong = told(recipe.settings(row), row)
    for reason in wrong:
        row_of_it = (*owner, row["inventory"], "inventory", "WrongValue", readable(reason), False)
        rows.add("error", row_of_it)
    lint_unit(recipe, settings, owner, lambda: opened(recipe, settings, row), rows)


def lint_apart(recipe: Recipe, row: dict[str, Any], rows: Rows) -> None:
    """The same in a process of its own: an earlier try of the task may have ended by this unit."""

    def made() -> Rows:
        own = Rows()
        lint_row(recipe, row, own)
        return own

    began = time.perf_counter()
    try:
        rows.extend(apart.apart(made))
    except apart.Died as died:
        seconds = time.perf_counter() - began
        fail(rows, _owner(row), None, "limit", "Died", str(died), seconds)


def _owner(row: dict[str, Any]) -> Owner:
    return row["unit"], row["environment"], row["owner"], row["region"]


def told(settings: Settings, row: dict[str, Any]) -> tuple[Settings, list[str]]:
    """The settings with what the inventory says of the unit, below what the user's own file says;
    and what is wrong with the inventory there.
    """
    facts = dict(row["facts"] or ())
    if not facts:
        return settings, []
    said, wrong = register.settings(facts)
    mine = copy(settings)
    mine.cluster = merged(settings.cluster, said)
    return mine, wrong


def opened(recipe: Recipe, settings: Settings, row: dict[str, Any]) -> Sources:
    """The sources of one unit."""
    place, ref = row["place"], row["ref"]
    if place in (FILES, LOOSE):
        top = row["top"] or ""
        files = row["files"] if place == FILES else settled(top, row["files"])
        return Members(files, top, settings.excluded)
    home = recipe.homes[row["home"]]
    if not os.path.isdir(os.path.join(home.base, ref)):
        raise FileNotFoundError("the folder is gone")
    return discover.Part(
        ref,
        home.base,
        home.root,
        settings.excluded,
        flat=place == FLAT,
        whole=place == WHOLE,
    )


def lint_unit(
    recipe: Recipe,
    settings: Settings,
    owner: Owner,
    open_it: Callable[[], Sources],
    rows: Rows,
) -> None:
    """Add the rows of one unit; whatever it holds, nothing is raised."""
    start = rows.counts()
    began = time.perf_counter()
    try:
        with limits.guarded(recipe.seconds, recipe.megabytes):
            _lint(recipe, settings, owner, open_it(), rows, began)
        return
    except limits.OverLimit as over:
        stage, error, reason = "limit", "OverLimit", str(over)
    except MemoryError:
        stage, error, reason = "limit", "OverLimit", limits.too_large(recipe.megabytes)
    except OSError as lost:
        stage, error, reason = "read", type(lost).__name__, (lost.strerror or str(lost)).lower()
    except Exception as broken:
        stage, error, reason = "lint", type(broken).__name__, fault(broken)
    # No half a unit: findings without the files that were not read would be wrong ones.
    rows.cut(start)
    fail(rows, owner, None, stage, error, reason, time.perf_counter() - began)


def fail(
    rows: Rows,
    owner: Owner,
    path: str | None,
    stage: str,
    error: str,
    reason: str,
    seconds: float = 0.0,
) -> None:
    """The rows of a unit that was not audited."""
    rows.add("error", (*owner, path and readable(path), stage, error, readable(reason), True))
    rows.add("unit", (*owner, "failed", *[0] * 10, seconds * 1000, []))


class _Counted:
    """Sources as the engine takes them, with their bytes counted and the clock asked."""

    def __init__(self, sources: Sources, recipe: Recipe) -> None:
        self._sources = sources
        self._clock = limits.Clock(recipe.seconds)
        self._most = recipe.megabytes << 20
        self.bytes = 0

    def __iter__(self) -> Iterator[engine.Source]:
        for path, data in self._sources:
            self.bytes += len(data)
            if self._most and self.bytes > self._most:
                raise MemoryError
            self._clock.check()
            yield path, data


def _lint(
    recipe: Recipe,
    settings: Settings,
    owner: Owner,
    sources: Sources,
    rows: Rows,
    began: float,
) -> None:
    counted = _Counted(sources, recipe)
    project = engine.lint_project(counted, settings, sources.lookup)
    if any("failed: MemoryError" in failure for failure in project.failures):
        raise MemoryError
    project.documents.extend(sources.documents())
    run = Run(project)
    for record in Records(run).all():
        rows.add("finding", (*owner, *record.values()))
    for document in project.documents:
        if _lost(document):
            path, reason = readable(document.path), readable(document.reason)
            rows.add("error", (*owner, path, "read", document.status, reason, False))
    for failure in dict.fromkeys(project.failures):
        rows.add("error", (*owner, None, "rule", "Failure", readable(failure), True))
    for cluster in project.clusters:
        rows.add("cluster", (*owner, *_cluster(cluster)))
        held = inventory.values(cluster, recipe.salt)
        effective = list(inventory.rows(cluster, held, recipe.salt))
        name, version = readable(cluster.name), cluster.version.text
        rows.add("setting", (*owner, name, version, effective))
        for columns in profile.strays(cluster, held):
            rows.add("stray", (*owner, *columns))
        if seen := profile.profile(cluster, held, owner[1], owner[2]):
            rows.add("profile", (*owner, *seen))
        cluster.dissolve()
    files, severities = run.files(), run.severities()
    rows.add(
        "unit",
        (
            *owner,
            "audited",
            len(project.clusters),
            files["read"],
            files[PASSED_OVER],
            files[SKIPPED],
            files[FAILED],
            severities["error"],
            severities["warning"],
            severities["info"],
            run.ignored,
            counted.bytes,
            (time.perf_counter() - began) * 1000,
            project.ignored_by,
        ),
    )


def _brokers(cluster: Cluster) -> int:
    """How many brokers it has: one resource may stand for a pool of them."""
    told = cluster.broker_count.value
    if cluster.broker_count.known and isinstance(told, int) and 0 < told < 1 << 31:
        return told
    return len(cluster.brokers)


def _lost(document: Document) -> bool:
    """Whether somebody has to know that the file was not read."""
    if document.status == SKIPPED:
        return document.reason not in left_out.MEANT
    # A collector leaves empty files where it failed.
    return document.status == FAILED or document.reason == formats.EMPTY


def _cluster(cluster: Cluster) -> tuple[Any, ...]:
    topics = {id(topic.resource) for topic in cluster.topics}
    return (
        readable(cluster.name),
        cluster.version.text,
        cluster.environment,
        cluster.service or None,
        _brokers(cluster),
        len(cluster.controllers),
        len(topics),
        len(cluster.clients),
        len(cluster.connectors),
    )

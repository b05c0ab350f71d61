"""One unit of work, linted: its rows, whatever it holds and however that ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from kcheck import discover, engine, formats, left_out
from kcheck.causes import told_once
from kcheck.fleet import column_types, effective, limits, matched, profile, schemas
from kcheck.fleet.members import Members
from kcheck.fleet.recipe import Recipe
from kcheck.fleet.rows import Rows
from kcheck.graph.cluster import Cluster
from kcheck.model import FAILED, PASSED_OVER, SKIPPED, Document
from kcheck.report import Run
from kcheck.report.record import Records
from kcheck.report.shown import named, readable, safe
from kcheck.runner import fault
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Owner = tuple[str, str | None, str | None, str | None]

#: What of a record the table of findings holds.
_FIELDS = column_types.names((*schemas.RECORD, *schemas.BESIDE))

#: A unit that is ready to be read: its sources, another file of it, and what was left out.
Sources = discover.Inputs | Members


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
        limits.guarded(
            lambda: _lint(recipe, settings, owner, open_it(), rows, began),
            recipe.seconds,
            recipe.megabytes,
        )
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
    rows.add("error", (*owner, path and readable(path), stage, error, safe(reason), True))
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
    project = engine.lint_project(
        counted, settings, sources.lookup, circumstances=recipe.circumstances
    )
    if any("failed: MemoryError" in failure for failure in project.failures):
        raise MemoryError
    project.documents.extend(sources.documents())
    # As lint shows them: what says the same of one cause is one finding.
    run = Run(project, findings=told_once(project.findings))
    records = Records(run)
    causes = records.causes()
    for finding, record in zip(run.findings, records.all(), strict=True):
        record["cause"] = causes[id(finding)]
        rows.add("finding", (*owner, *(record.get(name) for name in _FIELDS)))
    rows.add("held", (owner[0], matched.held(project.documents)))
    for document in project.documents:
        if _lost(document):
            path, reason = readable(document.path), safe(document.reason)
            rows.add("error", (*owner, path, "read", document.status, reason, False))
    for failure in dict.fromkeys(project.failures):
        rows.add("error", (*owner, None, "rule", "Failure", safe(failure), True))
    for cluster in project.clusters:
        rows.add("cluster", (*owner, *_cluster(cluster)))
        held = effective.values(cluster, recipe.salt)
        shown = list(effective.rows(cluster, held, recipe.salt))
        name, version = named(cluster.name), cluster.version.text
        rows.add("setting", (*owner, name, version, shown))
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
        named(cluster.name),
        cluster.version.text,
        cluster.environment,
        cluster.service or None,
        _brokers(cluster),
        len(cluster.controllers),
        len(topics),
        len(cluster.clients),
        len(cluster.connectors),
    )

"""What runs on the executors: units of work in, rows of the tagged stream out.

Nothing that an input holds ends a task. What goes wrong with a unit is a row of kind ``error``.
"""

from __future__ import annotations

import gc
import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator

from kcheck import discover
from kcheck.fleet import child_process, inventory, profile
from kcheck.fleet.layout import FLAT, WHOLE
from kcheck.fleet.members import Members, gathered, settled
from kcheck.fleet.recipe import Recipe
from kcheck.fleet.rows import Rows
from kcheck.fleet.unit import Owner, Sources, fail, lint_unit
from kcheck.fleet.work import FILES, LOOSE
from kcheck.report.shown import safe
from kcheck.settings import Settings, merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

#: Rows in one Arrow batch, about; a unit's rows stay together.
_BATCH = 2048
#: Units between two searches for garbage, of which little is left.
_SWEEP = 128


def batches(recipe: Recipe) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for ``mapInArrow``: batches of work in, batches of the stream out."""

    def run(work: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows, said = Rows(), profile.Said()
        lint = lint_apart if child_process.wanted() else lint_row
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
    settings, wrong = settings_for(recipe.settings(row), row)
    for reason in wrong:
        row_of_it = (*owner, row["inventory"], "inventory", "WrongValue", safe(reason), False)
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
        rows.extend(child_process.apart(made))
    except child_process.Died as died:
        seconds = time.perf_counter() - began
        fail(rows, _owner(row), None, "limit", "Died", str(died), seconds)


def _owner(row: dict[str, Any]) -> Owner:
    return row["unit"], row["environment"], row["owner"], row["region"]


def settings_for(settings: Settings, row: dict[str, Any]) -> tuple[Settings, list[str]]:
    """The settings with what the inventory says of the unit, below what the user's own file says;
    and what is wrong with the inventory there.
    """
    facts = dict(row["facts"] or ())
    if not facts:
        return settings, []
    said, wrong = inventory.settings(facts)
    return settings.but(cluster=merged(settings.cluster, said)), wrong


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
        listings=home.listings,
    )

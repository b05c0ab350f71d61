"""What a terminal shows while an audit runs: the step, and how many of its tasks are done."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from kcheck.fleet.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rich.progress import Progress, TaskID

_SECONDS = 0.5

#: Steps in words. Of a step that is not ``COUNTED`` nobody knows how many tasks are to come.
_STEPS = {
    "start": "Starting Spark",
    "pack": "Packing",
    "lint": "Linting",
    "tables": "Writing tables",
    "report": "Writing the report",
}
COUNTED = frozenset(("lint", "pack"))


class Steps:
    """Tells what is being done to whoever looks; here, to nobody."""

    def say(self, step: str) -> None:
        """The step that begins now."""

    def watch(self, session: Session) -> None:
        """The session that does the work from now on."""

    def end(self) -> None:
        """There is nothing more to tell."""


class Tally:
    """The tasks of one step: those done and those known, over all stages that were seen in it."""

    def __init__(self) -> None:
        self._stages: dict[int, tuple[int, int]] = {}

    def add(self, stages: Iterable[tuple[int, int, int]]) -> None:
        """Stages as (id, tasks done, tasks); what was known of them before is replaced."""
        for number, done, tasks in stages:
            self._stages[number] = (done, tasks)

    def close(self, active: Iterable[int]) -> None:
        """Stages that are not active any more are done."""
        over = self._stages.keys() - set(active)
        for number in over:
            tasks = self._stages[number][1]
            self._stages[number] = (tasks, tasks)

    @property
    def done(self) -> int:
        return sum(done for done, _ in self._stages.values())

    @property
    def known(self) -> int:
        return sum(tasks for _, tasks in self._stages.values())


@contextmanager
def shown(wanted: bool = True) -> Iterator[Steps]:
    """A bar on stderr while the block runs; nothing where stderr is no terminal."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield Steps()
        return
    from datetime import timedelta

    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class Elapsed(ProgressColumn):
        """The time since the start; Rich's own stands still whenever all known tasks are done."""

        def render(self, task: Task) -> Text:
            return Text(str(timedelta(seconds=int(task.elapsed or 0))))

    # A descriptor of its own: while Spark starts, that of stderr leads to a log file.
    with open(os.dup(sys.stderr.fileno()), "w", encoding="utf-8", errors="replace") as screen:
        progress = Progress(
            TextColumn("{task.description:<18}"),
            BarColumn(),
            TextColumn("{task.fields[tasks]}"),
            Elapsed(),
            console=Console(file=screen),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        with progress:
            bar = _Bar(progress, progress.add_task(_STEPS["start"], total=None, tasks=""))
            try:
                yield bar
            finally:
                bar.end()


class _Bar(Steps):
    """One line of a terminal."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._counted = False
        self._tally = Tally()
        self._over = threading.Event()
        self._watch: threading.Thread | None = None
        self._session: Session | None = None

    def say(self, step: str) -> None:
        self._counted = step in COUNTED
        self._tally = Tally()
        for task in self._progress.tasks:
            # For ``update`` None means as it was.
            task.total = None
        self._progress.update(self._task, description=_STEPS.get(step, step), completed=0, tasks="")

    def watch(self, session: Session) -> None:
        self._session = session
        if session.classic:
            self._watch = threading.Thread(target=self._ask, args=(session,), daemon=True)
            self._watch.start()
        else:
            with suppress(Exception):
                session.spark.registerProgressHandler(self._on_progress)  # type: ignore[arg-type, unused-ignore]

    def end(self) -> None:
        self._over.set()
        if self._watch is not None:
            self._watch.join(2 * _SECONDS)
        elif self._session is not None:
            with suppress(Exception):
                self._session.spark.removeProgressHandler(self._on_progress)  # type: ignore[arg-type, unused-ignore]

    def _ask(self, session: Session) -> None:
        """Ask Spark for its stages, now and then."""
        tracker = session.spark.sparkContext.statusTracker()
        while not self._over.wait(_SECONDS):
            with suppress(Exception):
                active = list(tracker.getActiveStageIds())
                stages = [tracker.getStageInfo(number) for number in active]
                known = [stage for stage in stages if stage is not None]
                tally = self._tally
                tally.add((s.stageId, s.numCompletedTasks, s.numTasks) for s in known)
                tally.close(active)
                self._draw()

    def _on_progress(
        self,
        stages: Any = None,
        inflight_tasks: int = 0,
        operation_id: str | None = None,
        done: bool = False,
    ) -> None:
        """What Spark Connect calls, by these names."""
        told = [(s.stage_id, s.num_completed_tasks, s.num_tasks) for s in stages or ()]
        self._tally.add(told)
        if done:
            self._tally.close(())
        self._draw()

    def _draw(self) -> None:
        done, known = self._tally.done, self._tally.known
        if known and self._counted:
            text = f"{done:,}/{known:,} tasks"
            self._progress.update(self._task, completed=done, total=known, tasks=text)
        elif known:
            noun = "task" if done == 1 else "tasks"
            self._progress.update(self._task, tasks=f"{done:,} {noun} done")

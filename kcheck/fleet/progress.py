"""What a terminal shows while an audit runs: tasks done of tasks known."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from kcheck.fleet.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SECONDS = 0.5


@contextmanager
def shown(session: Session, wanted: bool = True) -> Iterator[Callable[[str], None]]:
    """A bar on stderr while the block runs; nothing where stderr is no terminal.

    Gives a function that takes the name of what is being done.
    """
    if not wanted or not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description:<8}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f} tasks"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("start", total=0)
        done = threading.Event()
        watch = threading.Thread(target=_watch, args=(session, bar, task, done), daemon=True)
        watch.start()
        try:
            yield lambda text: bar.update(task, description=text)
        finally:
            done.set()
            watch.join(2 * _SECONDS)


def _watch(session: Session, bar: object, task: object, done: threading.Event) -> None:
    """Ask Spark for its stages. Connect tells by itself, and only through a handler of its own."""
    update = bar.update  # type: ignore[attr-defined]
    if not session.classic:
        with suppress(Exception):

            def handler(
                stages: object = None,
                inflight_tasks: int = 0,
                operation_id: object = None,
                done: bool = False,
            ) -> None:
                known = list(stages or ())  # type: ignore[call-overload]
                update(
                    task,
                    completed=sum(stage.num_completed_tasks for stage in known),
                    total=sum(stage.num_tasks for stage in known),
                )

            session.spark.registerProgressHandler(handler)  # type: ignore[arg-type, unused-ignore]
        return
    tracker = session.spark.sparkContext.statusTracker()
    while not done.wait(_SECONDS):
        with suppress(Exception):
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            known = [stage for stage in stages if stage is not None]
            if known:
                update(
                    task,
                    completed=sum(stage.numCompletedTasks for stage in known),
                    total=sum(stage.numTasks for stage in known),
                )

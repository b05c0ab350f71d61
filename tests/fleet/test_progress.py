"""What a terminal shows while an audit runs, with a Spark that does nothing."""

from __future__ import annotations

import os
import pty
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

from kcheck.fleet import progress


class Tracker:
    """Spark's own, with stages as (id, tasks done, tasks)."""

    def __init__(self) -> None:
        self.stages: list[tuple[int, int, int]] = []

    def getActiveStageIds(self) -> list[int]:
        return [number for number, _, _ in self.stages]

    def getStageInfo(self, number: int) -> Any:
        for stage, done, tasks in self.stages:
            if stage == number:
                return SimpleNamespace(stageId=stage, numCompletedTasks=done, numTasks=tasks)
        return None


class Handlers:
    """Spark Connect calls whoever registered."""

    def __init__(self) -> None:
        self.known: list[Any] = []

    def registerProgressHandler(self, handler: Any) -> None:
        self.known.append(handler)

    def removeProgressHandler(self, handler: Any) -> None:
        self.known.remove(handler)


def classic(tracker: Tracker) -> Any:
    context = SimpleNamespace(statusTracker=lambda: tracker)
    return SimpleNamespace(classic=True, spark=SimpleNamespace(sparkContext=context))


class Screen:
    """A pseudo-terminal in place of stderr; ``until`` waits for a text on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._master, slave = pty.openpty()
        self.text = ""
        monkeypatch.setattr(sys, "stderr", os.fdopen(slave, "w"))
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "100")

    def until(self, wanted: str) -> None:
        import select

        end = time.monotonic() + 20
        while wanted not in self.text:
            assert time.monotonic() < end, self.text
            if select.select([self._master], [], [], 0.1)[0]:
                self.text += os.read(self._master, 65_536).decode(errors="replace")


def test_tasks_of_a_step_add_up_and_never_go_back() -> None:
    tally = progress.Tally()
    tally.add([(0, 1, 1), (1, 0, 8)])
    tally.add([(1, 5, 8)])
    assert (tally.done, tally.known) == (6, 9)
    tally.close([2])
    assert (tally.done, tally.known) == (9, 9)
    tally.add([(2, 0, 4)])
    assert (tally.done, tally.known) == (9, 13)


def test_a_terminal_is_told_the_step_and_its_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch)
    tracker = Tracker()
    with progress.shown() as steps:
        screen.until("Starting Spark")
        steps.watch(classic(tracker))
        tracker.stages = [(3, 2, 8)]
        steps.say("lint")
        screen.until("Linting")
        screen.until("2/8 tasks")
        tracker.stages = [(4, 1, 6)]
        screen.until("9/14 tasks")
        # How many will come nobody knows.
        steps.say("tables")
        screen.until("Writing tables")
        screen.until("1 task done")


def test_time_goes_on_when_all_known_tasks_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch)
    tracker = Tracker()
    tracker.stages = [(0, 3, 3)]
    with progress.shown() as steps:
        steps.watch(classic(tracker))
        steps.say("lint")
        screen.until("3/3 tasks 0:00:0")
        shown = screen.text[screen.text.rindex("0:00:") :][:7]
        screen.until(f"0:00:{int(shown[5:]) + 1:02}")


def test_connect_tells_by_itself_until_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch)
    handlers = Handlers()
    session: Any = SimpleNamespace(classic=False, spark=handlers)
    with progress.shown() as steps:
        steps.watch(session)
        steps.say("lint")
        stage = SimpleNamespace(stage_id=1, num_completed_tasks=3, num_tasks=5)
        (told,) = handlers.known
        told(stages=[stage], inflight_tasks=2, operation_id="x", done=False)
        screen.until("3/5 tasks")
    assert handlers.known == []


def test_a_file_is_told_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    with (tmp_path / "stderr").open("w") as file:
        monkeypatch.setattr(sys, "stderr", file)
        with progress.shown() as steps:
            steps.say("lint")
    assert (tmp_path / "stderr").read_text() == ""

"""Workers that die, hang, fail, are interrupted, or lose the process that they work for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kcheck import discover, engine, files, pool
from kcheck.pool import batches, processes, worker
from kcheck.settings import ClusterEntry, ClusterSettings, Settings

from .conftest import ROOT, reports
from .test_parity import many, write

linux = pytest.mark.skipif(sys.platform != "linux", reason="a fork inherits what the test does")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(many(40))
    return tmp_path


def linted(how: str = processes.FORK, patience: float = 60.0, jobs: int = 2) -> list[str]:
    inputs, settings = discover.Inputs(["all"]), Settings()
    made = pool.lint_project(inputs, settings, jobs, how=how, patience=patience)
    assert made is not None
    return reports(inputs, settings, made)


@cache
def alone() -> list[str]:
    """What one process says of the tree, which is the same in each test."""
    inputs, settings = discover.Inputs(["all"]), Settings()
    made = engine.lint_project(inputs, settings, inputs.lookup, inputs.named)
    return reports(inputs, settings, made)


def failing(monkeypatch: pytest.MonkeyPatch, fail: Callable[[], object], often: int = 1) -> None:
    """Make workers do that in the middle of some batches; the run itself does not."""
    lint, run = worker.lint, os.getpid()

    def bad(work: worker.Work, batch: list[int], *beat: Any) -> Any:
        if os.getpid() != run and any(
            f"c{n:02d}" in work.paths[batch[0]] for n in range(0, 40, 40 // often)
        ):
            fail()
        return lint(work, batch, *beat)

    monkeypatch.setattr(worker, "lint", bad)


@linux
@pytest.mark.parametrize("often", [1, pytest.param(4, marks=pytest.mark.thorough), 40])
@pytest.mark.parametrize(
    "fail",
    [
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: os._exit(0),
        lambda: (_ for _ in ()).throw(MemoryError),
        sys.exit,
    ],
    ids=["killed", "exits", "out of memory", "leaves"],
)
def test_batches_that_cost_a_worker(
    tree: Path, monkeypatch: pytest.MonkeyPatch, fail: Callable[[], object], often: int
) -> None:
    expected = alone()
    failing(monkeypatch, fail, often)
    assert linted() == expected
    assert not children()


@linux
def test_a_worker_that_hangs_is_given_up(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = alone()
    failing(monkeypatch, lambda: time.sleep(600))
    assert linted(patience=0.5) == expected
    assert not children()


@linux
def test_a_worker_that_is_slow_is_not(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says that it is alive; else each of its batches would be read twice."""
    expected = alone()
    monkeypatch.setattr(worker, "_BEAT", 0.0)
    monkeypatch.setattr(batches, "_ROUNDS", 1)
    read, run = files.Files.read, os.getpid()

    def slowly(self: files.Files, path: str) -> bytes:
        time.sleep(0.02 * (os.getpid() != run))
        return read(self, path)

    monkeypatch.setattr(files.Files, "read", slowly)
    monkeypatch.setattr(pool.Merge, "read", _only_loose(pool.Merge.read))
    assert linted(patience=0.5) == expected


@linux
def test_a_stop_of_all_is_no_silence(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after Ctrl-Z and fg: the workers were stopped as long as the run was."""
    import multiprocessing.connection

    real, clock, jumps = processes.wait, time.monotonic, [0.0]

    def stopped(pipes: Any, seconds: float) -> list[Any]:
        jumps[0] += 1000.0
        return real(pipes, seconds)

    assert real is multiprocessing.connection.wait
    expected = alone()
    monkeypatch.setattr(processes, "wait", stopped)
    monkeypatch.setattr(processes.time, "monotonic", lambda: clock() + jumps[0])
    monkeypatch.setattr(pool.Merge, "read", _only_loose(pool.Merge.read))
    assert linted() == expected


def _only_loose(read: Any) -> Any:
    calls: list[list[int]] = []

    def checked(self: Any, numbers: Any) -> None:
        calls.append(list(numbers))
        assert len(calls) <= 2, "loose files and the sample, no batch"
        read(self, numbers)

    return checked


@linux
def test_no_processes_to_be_had(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> object:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    expected = alone()
    monkeypatch.setattr(os, "fork", refused)
    assert linted() == expected


def test_spawned_workers(tree: Path) -> None:
    """They inherit nothing: settings with patterns travel to them."""
    expected = alone()
    assert linted(processes.SPAWN) == expected


def test_settings_travel() -> None:
    import pickle

    from kcheck.globs import matcher

    entry = ClusterEntry("c", matcher(["a/*"]), ClusterSettings("3.9"), "kcheck.toml")
    settings = Settings(excluded=matcher(["old/**"]), clusters=(entry,))
    there = pickle.loads(pickle.dumps(settings))
    assert there.excluded("old/x") and not there.excluded("new/x")
    assert there.cluster_of("a/b") == "c" and there.cluster_of("b") is None
    assert pickle.loads(pickle.dumps(Settings())).excluded is Settings().excluded


def children() -> list[int]:
    """The processes that this one has started and that are still there."""
    found = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [int(child) for child in found]


SLOW = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
sys.path[:0] = {path!r}
from kcheck import files
from kcheck.__main__ import main
read, run = files.Files.read, os.getpid()
def slowly(self, path):
    if os.getpid() != run:
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep({seconds})
    return read(self, path)
files.Files.read = slowly
sys.exit(main(["lint", "--jobs", "2", "all"]))
"""


def busy(tree: Path, seconds: float) -> tuple[subprocess.Popen[str], set[int]]:
    """A run whose two workers take so long for every file, and these workers."""
    program = SLOW.format(path=[str(ROOT)], seconds=seconds)
    run = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stdout is not None
    workers: set[int] = set()
    while len(workers) < 2:
        workers.add(int(run.stdout.readline()))
    return run, workers


def gone(processes: set[int]) -> bool:
    for _ in range(100):
        if not any(running(process) for process in processes):
            return True
        time.sleep(0.1)
    return False


def running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@linux
def test_an_interruption_ends_all(tree: Path) -> None:
    run, workers = busy(tree, 600)
    # As a terminal does: to the whole group.
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=10)
    assert run.returncode == 2
    assert said == "kcheck: interrupted\n"
    assert gone(workers)


@linux
def test_workers_do_not_outlive_a_run_that_is_killed(tree: Path) -> None:
    run, workers = busy(tree, 0.4)
    run.kill()
    run.communicate(timeout=10)
    assert gone(workers)

"""What a task does with a unit that takes too much or makes kcheck fail; no Spark.

Broken inputs by way of Spark are in test_chaos.py.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from kcheck import engine
from kcheck.fleet import archives, column_types, limits, schemas, task, unit, work
from kcheck.fleet.recipe import Recipe
from kcheck.fleet.rows import Rows
from kcheck.settings import Settings
from kcheck.syntax import yaml

HEALTHY = "topics:\n  - {name: orders, partitions: 3, replication_factor: 5}\n"
CLUSTER = 'kcheck: 1\ncluster: {name: %s, kafka_version: "4.0.0", brokers: 3}\n'


def rows_of(recipe: Recipe, **row: object) -> dict[str, list[dict[str, object]]]:
    pytest.importorskip("pyarrow")
    names = [*column_types.names(schemas.WORK), *column_types.names(schemas.FACTS)]
    rows = Rows()
    task.lint_row(recipe, {**dict.fromkeys(names), "unit": "c", **row}, rows)
    found: dict[str, list[dict[str, object]]] = {kind: [] for kind in schemas.KINDS}
    for held in rows.take().to_pylist():
        found[held["kind"]].append(held[held["kind"]])
    return found


def recipe(seconds: float = 5, megabytes: int = 512) -> Recipe:
    return Recipe(Settings(), (), seconds, megabytes, b"salt")


FILES = [
    ("c/kcheck.yaml", (CLUSTER % "c").encode(), None),
    ("c/topics.yaml", HEALTHY.encode(), None),
]


def test_a_cluster_out_of_time_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    lint_project = engine.lint_project

    def slow(*args: object, **more: object) -> engine.Project:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                sum(range(1000))
            except Exception:
                # What the engine does with the exceptions of rules must not save the cluster.
                continue
        return lint_project(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "lint_project", slow)
    began = time.monotonic()
    found = rows_of(recipe(seconds=0.3), place=work.FILES, top="c", files=FILES)
    assert time.monotonic() - began < 10
    assert [row["reason"] for row in found["error"]] == ["took longer than 0.3 s"]
    assert found["unit"][0]["status"] == "failed"
    assert not found["finding"]
    monkeypatch.setattr(engine, "lint_project", lint_project)
    assert rows_of(recipe(), place=work.FILES, top="c", files=FILES)["finding"]


def test_a_cluster_out_of_memory_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*args: object, **more: object) -> engine.Project:
        held = [bytes(1 << 20) + bytes(n) for n in range(2000)]
        raise AssertionError(f"{len(held)} MiB were there")

    monkeypatch.setattr(engine, "lint_project", greedy)
    found = rows_of(recipe(megabytes=200), place=work.FILES, top="c", files=FILES)
    (row,) = found["error"]
    assert (row["error"], row["fatal"]) == ("OverLimit", True)


def test_half_a_unit_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*args: object) -> object:
        raise RecursionError("too deep")

    monkeypatch.setattr(unit, "_cluster", breaks)
    found = rows_of(recipe(), place=work.FILES, top="c", files=FILES)
    assert not found["finding"] and not found["setting"]
    assert [row["error"] for row in found["error"]] == ["RecursionError"]


def test_a_failing_rule_is_a_row_and_the_rest_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from kcheck import rules

    broken = rules.load()["KC0302"]

    def check(*args: object, **options: object) -> Iterator[object]:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(broken, "check", check)
    found = rows_of(recipe(), place=work.FILES, top="c", files=FILES)
    assert any("KC0302" in str(row["reason"]) and row["fatal"] for row in found["error"])
    assert any(row["rule"] == "KC0304" for row in found["finding"])


def test_a_damaged_archive_gives_no_unit_and_says_why(tmp_path: Path) -> None:
    for name in ("a.tar.gz", "b.zip", "c.tar"):
        (tmp_path / name).write_bytes(os.urandom(3000))
        with pytest.raises(archives.Damaged):
            list(archives.units(str(tmp_path / name)))


def test_limits_end_with_the_block() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGALRM)
    with pytest.raises(limits.OverLimit):
        limits.guarded(lambda: time.sleep(2), 0.05, 100)
    assert (resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_limits_within_limits() -> None:
    def work() -> None:
        limits.guarded(lambda: time.sleep(0.01), 60, 0)
        time.sleep(5)

    with pytest.raises(limits.OverLimit, match=r"0\.2 s"):
        limits.guarded(work, 0.2, 0)


def test_the_outer_limit_holds_within_an_inner_one() -> None:
    def inner() -> None:
        limits.guarded(lambda: time.sleep(5), 60, 0)

    began = time.monotonic()
    with pytest.raises(limits.OverLimit, match=r"0\.2 s"):
        limits.guarded(inner, 0.2, 0)
    assert time.monotonic() - began < 3


def set_now() -> tuple[object, ...]:
    """All that a guard sets in the process."""
    import resource

    return (
        resource.getrlimit(resource.RLIMIT_AS),
        signal.getsignal(signal.SIGALRM),
        signal.getitimer(signal.ITIMER_REAL),
        signal.getitimer(signal.ITIMER_PROF),
    )


def test_no_interrupt_leaves_a_timer_armed() -> None:
    """An interrupt before each line of the guard, and two in a row: whatever it raises, nothing of
    it is left once its own timer has come.
    """
    before = set_now()
    source, start = inspect.getsourcelines(limits.guarded)
    # The first of ``finally``: the interpreter looks at signals after calls, and none is made there.
    safe = start + next(at for at, line in enumerate(source) if "over = False, True" in line)
    code = {f.__code__ for f in (limits.guarded, *vars(limits._Guard).values()) if callable(f)}

    def interrupting(lines: set[int]) -> int:
        """Interrupts before the lines with these numbers; gives how many were executed."""
        count = 0

        def trace(frame: FrameType, event: str, _: object) -> Any:
            nonlocal count
            if frame.f_code not in code:
                return None
            if event == "line" and frame.f_lineno != safe:
                count += 1
                if count in lines:
                    raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            with contextlib.suppress(KeyboardInterrupt, limits.OverLimit):
                limits.guarded(lambda: None, 50, 1000)
        finally:
            sys.settrace(None)
        return count

    whole = interrupting(set())
    assert whole > 20
    for line in range(1, whole + 1):
        for lines in ({line}, {line, line + 1}):
            interrupting(lines)
            end = time.monotonic() + 2
            while set_now() != before and time.monotonic() < end:
                time.sleep(0.02)
            assert set_now() == before, lines


def long_yaml() -> None:
    topics = b"".join(b"  - {name: t%d, partitions: 3}\n" % n for n in range(150_000))
    yaml.documents(b"topics:\n" + topics)


def endless_regex() -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")


def one_long_step() -> None:
    files = [(f"c/{n}/server.properties", b"broker.id=1\n" * 49_999) for n in range(8)]
    engine.lint_project(files, Settings())


@pytest.mark.parametrize("work", [long_yaml, endless_regex, one_long_step])
def test_time_ends_in_c_code_as_well(work: Callable[[], None]) -> None:
    began = time.monotonic()
    with pytest.raises(limits.OverLimit, match=r"0\.2 s"):
        limits.guarded(work, 0.2, 0)
    assert time.monotonic() - began < 10


def test_memory_ends_while_there_is_some_left() -> None:
    """A million small things: where the system refuses them, Python itself can hang."""
    with pytest.raises(limits.OverLimit, match="32 MiB"):
        limits.guarded(one_long_step, 60, 32)

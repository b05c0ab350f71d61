"""What is said when Spark itself gives a run up: at which step, why, and over which clusters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

_TASK = re.compile(r"Task (\d+) in stage \S+ failed (\d+) times, most recent failure: ?([^\n]*)")
#: "Lost task 2.2 in stage 2.0 (TID 7) (localhost executor driver): org.apache.…Exception: text"
_LOST = re.compile(r"Lost task .*?\)( \(.*?\))?: ")
_CLASS = re.compile(r"\b(?:[a-z]\w*\.)+(\w+(?:Exception|Error))\b")
_FEW = 5


class GaveUp(Exception):
    """Spark ended the run; the text is for the user."""


#: The names of the units of a task.
Units = Callable[[int], list[str]]


def nobody(task: int) -> list[str]:
    return []


@contextmanager
def translated(step: str, units: Units = nobody) -> Iterator[None]:
    """Raise GaveUp where Spark raises inside; ``units`` names the units of a task of kcheck's."""
    try:
        yield
    except Exception as error:
        said = words(error, units)
        if said is None:
            raise
        raise GaveUp(f"Spark failed at step {step}: {said}") from error


def words(error: Exception, units: Units = nobody) -> str | None:
    """What Spark says in one sentence; None where the error is not Spark's."""
    if not type(error).__module__.startswith(("py4j.", "pyspark.")):
        return None
    text = str(error)
    found = _TASK.search(text)
    if found is None:
        lines = (line.strip() for line in text.splitlines())
        said = [
            line for line in lines if line and not line.startswith(("An error occurred", "at "))
        ]
        return _plain(said[0].removeprefix(": ")) if said else type(error).__name__
    number, times, reason = found.groups()
    held = units(int(number)) if "ython" in reason else []
    over = f" over {_listed(held)}" if held else ""
    return f"task {number} failed {times} times{over}: {_plain(_LOST.sub('', reason))}"


def _plain(text: str) -> str:
    """A class without its package; no advice on how to configure Spark."""
    return _CLASS.sub(r"\1", text.split(" Consider setting ")[0]).rstrip(" .")


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    more = f" and {len(known) - _FEW:,} more" if len(known) > _FEW else ""
    return ", ".join(known[:_FEW]) + more

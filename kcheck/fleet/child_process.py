"""A call in a process of its own, whose death is a result and not the end of the task.

A try of a task may end with its whole worker: the system kills what takes too much memory, a bug
in C crashes it, what never comes back is ended. Whose fault it was, nobody can tell, so the next
try takes each unit apart. That costs a copy of the process and of the result for each of them.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable

from kcheck.fleet import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


class Died(Exception):
    """The process ended without a result; the text says by what."""


def wanted() -> bool:
    """Whether an earlier try of this task has failed."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return hasattr(os, "fork") and context is not None and context.attemptNumber() > 0


def apart(call: Callable[[], T]) -> T:
    """What the call gives, which is to be picklable. Raises Died where its process does not live.

    Nothing but the result comes back: what the call changes, it changes in its own process. Where
    there is no ``fork`` it is made in this one.
    """
    if not hasattr(os, "fork"):
        return call()
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        _child(call, theirs)
    os.close(theirs)
    with os.fdopen(ours, "rb") as results:
        data = results.read()
    _, status = os.waitpid(child, 0)
    if status:
        raise Died(_words(status))
    result: T = pickle.loads(data)
    return result


def _child(call: Callable[[], T], out: int) -> None:
    code = 1
    try:
        # Spark waits at the worker's sockets: it is to see them close when the worker ends.
        os.closerange(3, out)
        os.closerange(out + 1, os.sysconf("SC_OPEN_MAX"))
        with os.fdopen(out, "wb") as results:
            pickle.dump(call(), results, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        # Not a step further in the worker's own code, whatever was raised.
        os._exit(code)


def _words(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"its process ended with code {code}"
    name = signal.Signals(-code).name
    if -code == limits.LAST_SIGNAL:
        return f"exceeded its time limit and did not return ({name})"
    if -code == signal.SIGKILL:
        return f"its process was killed ({name}), probably for lack of memory"
    return f"its process crashed ({name})"

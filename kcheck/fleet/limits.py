"""What one cluster may take: wall-clock time and memory, guarded inside the worker.

A cluster that takes more ends as a row in the errors table. ``OverLimit`` is no ``Exception``, so
that the engine, which survives whatever a rule raises, does not take it for a bug of a rule.

A timer looks at both while the cluster is linted. Behind it stand two walls for what no timer
stops: somewhat above the limit the system refuses memory, and it ends the whole process where
code in C never comes back. ``apart`` then finds out which cluster did it.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType

_MEBI = 1 << 20

#: Seconds between two looks.
_TICK = 0.1
#: An exception in a destructor or a callback is lost: it is raised again after so many seconds.
_AGAIN = 1.0
#: What may be taken between two looks. Where memory ends amidst small objects Python itself can
#: hang: the wall is for what asks for much at once.
_ROOM = 512 * _MEBI
#: Seconds of the CPU that are left, after the limit, to whoever is about to come back.
_GRACE = 10.0

#: What ends a process that does not come back.
LAST_SIGNAL = getattr(signal, "SIGPROF", None)


class OverLimit(BaseException):
    """A cluster took more than it may; the text says more than what."""


class guarded:
    """Raises OverLimit inside after that many seconds, or above that much more memory.

    Zero stands for no limit. A single piece of memory that is far too large raises MemoryError.
    ``ends`` says that the process may be ended where nothing else helps; not so the driver's.
    Time needs the process's main thread and memory Linux; elsewhere only what ``Clock`` checks
    between files holds. One inside another suspends the outer.
    """

    def __init__(self, seconds: float, megabytes: int, *, ends: bool = True) -> None:
        self._seconds = seconds
        self._megabytes = megabytes
        self._ends = ends

    def __enter__(self) -> None:
        space, held = _memory() if self._megabytes else (0, 0)
        self._end = time.monotonic() + self._seconds if self._seconds else float("inf")
        self._most = held + self._megabytes * _MEBI if held else float("inf")
        self._quiet_until = 0.0
        self._bound = _bounded(space + self._megabytes * _MEBI + _ROOM) if space else None
        self._armed = bool(self._seconds or held) and _signals()
        self._last = False
        if self._armed:
            self._before = signal.signal(signal.SIGALRM, self._look) or signal.SIG_DFL
            tick = min(_TICK, self._seconds or _TICK)
            self._timer = signal.setitimer(signal.ITIMER_REAL, tick, tick)
            self._last = bool(self._ends and self._seconds) and _nobody_measures()
            if self._last:
                signal.setitimer(signal.ITIMER_PROF, self._seconds + _GRACE)

    def __exit__(self, *raised: object) -> None:
        was_armed = self._armed
        # In two steps, because the signal may come in between.
        try:
            self._armed = False
        finally:
            if was_armed:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, self._before)
                signal.setitimer(signal.ITIMER_REAL, *self._timer)
            if self._last:
                signal.setitimer(signal.ITIMER_PROF, 0)
            if self._bound is not None:
                import resource

                resource.setrlimit(resource.RLIMIT_AS, self._bound)

    def _look(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self._armed or now < self._quiet_until:
            return
        if now >= self._end:
            reason = too_slow(self._seconds)
        elif _memory()[1] > self._most:
            reason = too_large(self._megabytes)
        else:
            return
        self._quiet_until = now + _AGAIN
        raise OverLimit(reason)


class Clock:
    """Asked between files, where no signal can come."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        if self._seconds and time.monotonic() > self._end:
            raise OverLimit(too_slow(self._seconds))


def too_slow(seconds: float) -> str:
    return f"took longer than {seconds:g} s"


def too_large(megabytes: int) -> str:
    return f"took more than {megabytes:,} MiB of memory"


def _bounded(space: int) -> tuple[int, int]:
    """Bound the address space of this process; gives the bounds that were."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([space, *known]), hard))
    return soft, hard


def _nobody_measures() -> bool:
    """Whether the last signal would end the process, and no profiler uses it."""
    return (
        LAST_SIGNAL is not None
        and signal.getsignal(LAST_SIGNAL) is signal.SIG_DFL
        and not signal.getitimer(signal.ITIMER_PROF)[0]
    )


def _signals() -> bool:
    """Whether a signal can interrupt what runs here."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _memory() -> tuple[int, int]:
    """The bytes of this process's address space and those that it holds; 0 where nobody tells."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            space, held = os.read(file, 64).split()[:2]
        finally:
            os.close(file)
        import resource
    except (OSError, ImportError):
        return 0, 0
    page = resource.getpagesize()
    return int(space) * page, int(held) * page

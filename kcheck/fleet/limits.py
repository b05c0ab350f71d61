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
from collections.abc import Callable
from types import FrameType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

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


def guarded(call: Callable[[], T], seconds: float, megabytes: int) -> T:
    """What the call gives. Raises OverLimit after that many seconds, or above that much more memory.

    Zero stands for no limit. A single piece of memory that is far too large raises MemoryError.
    Where nothing else helps the process is ended: the driver's own looks are made ``apart``.
    Time needs the process's main thread and memory Linux; elsewhere only what ``Clock`` checks
    between files holds. One inside another holds beside it.
    """
    # No ``with``: a signal that arrives as ``__exit__`` is entered would leave everything armed.
    guard = _Guard(seconds, megabytes)
    try:
        guard.arm()
        guard.raises = True
        return call()
    finally:
        # Nothing is called before this, so that no signal is looked at in between.
        guard.raises, guard.over = False, True
        try:
            guard.release()
        except BaseException:
            # Whoever interrupts here does so once; a timer that is left releases itself.
            guard.release()
            raise


class _Guard:
    """What one call may take, and what was set in the process to see that it holds."""

    def __init__(self, seconds: float, megabytes: int) -> None:
        self._seconds = seconds
        self._megabytes = megabytes
        #: Whether the timer may raise: only while the call runs.
        self.raises = False
        #: Whether nothing may be left of it.
        self.over = False
        self._quiet_until = 0.0
        self._end = self._most = float("inf")
        self._bound: tuple[int, int] | None = None
        self._ticks = self._last = False
        #: The handler and the timer that were.
        self._before: Any = signal.SIG_DFL
        self._timer = (0.0, 0.0)

    def arm(self) -> None:
        space, held = _memory() if self._megabytes else (0, 0)
        if held:
            self._most = held + self._megabytes * _MEBI
            self._bound = _bound()
            _bounded(self._bound, space + self._megabytes * _MEBI + _ROOM)
        if self._seconds:
            self._end = time.monotonic() + self._seconds
        if not (self._seconds or held) or not _signals():
            return
        if self._seconds and _nobody_measures():
            self._last = True
            signal.setitimer(signal.ITIMER_PROF, self._seconds + _GRACE)
        self._before = signal.getsignal(signal.SIGALRM) or signal.SIG_DFL
        self._timer = signal.getitimer(signal.ITIMER_REAL)
        self._ticks = True
        signal.signal(signal.SIGALRM, self._look)
        tick = min(_TICK, self._seconds or _TICK)
        signal.setitimer(signal.ITIMER_REAL, tick, tick)

    def release(self) -> None:
        """Set back what was set; a second time changes nothing."""
        if self._last:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._last = False
        if self._bound is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, self._bound)
            self._bound = None
        if self._ticks:
            # The timer first: what it sends later would find the handler that was, or none.
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)
            signal.setitimer(signal.ITIMER_REAL, *self._timer)
            self._ticks = False

    def _look(self, number: int, frame: FrameType | None) -> None:
        if self.over:
            self.release()
            return
        now = time.monotonic()
        outer = getattr(self._before, "__self__", None)
        if isinstance(outer, _Guard):
            outer._look(number, frame)
        if not self.raises or now < self._quiet_until:
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
    return f"used more than {megabytes:,} MiB of memory"


def _bound() -> tuple[int, int]:
    """The bounds on the address space of this process."""
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)


def _bounded(bounds: tuple[int, int], space: int) -> None:
    """Bound the address space of this process, within the bounds that there are."""
    import resource

    known = [limit for limit in bounds if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([space, *known]), bounds[1]))


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

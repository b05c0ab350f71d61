"""What one cluster may take: wall-clock time and memory, guarded inside the worker.

A cluster that takes more ends as a row in the errors table. ``OverLimit`` is no ``Exception``, so
that the engine, which survives whatever a rule raises, does not take it for a bug of a rule.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_MEBI = 1 << 20


class OverLimit(BaseException):
    """A cluster took more than it may; the text says more than what."""


@contextmanager
def guarded(seconds: float, megabytes: int) -> Iterator[None]:
    """Raise OverLimit inside after that many seconds, MemoryError above that much more memory.

    Zero stands for no limit. Time needs the process's main thread and memory Linux; elsewhere
    only what ``Clock`` checks between files holds.
    """
    with _memory(megabytes), _time(seconds):
        yield


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


@contextmanager
def _time(seconds: float) -> Iterator[None]:
    if (
        not seconds
        or not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    armed = True

    def late(number: int, frame: FrameType | None) -> None:
        if armed:
            raise OverLimit(too_slow(seconds))

    before = signal.signal(signal.SIGALRM, late)
    try:
        # Again every second: an exception in a destructor or a callback is lost.
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _memory(megabytes: int) -> Iterator[None]:
    now = _address_space() if megabytes else 0
    if not now:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = now + megabytes * _MEBI
    bounds = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (min([wanted, *bounds]), hard))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space() -> int:
    """The bytes of this process's address space; 0 where nothing tells."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[0])
        import resource
    except (OSError, ImportError):
        return 0
    return pages * resource.getpagesize()

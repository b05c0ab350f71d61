"""What one file may take of a run: processor time and memory, looked at by one timer.

``Share`` is armed once for a run. Whoever is about to work on a file says so with ``of``, which
costs nothing; where it takes more than its share, ``Exceeded`` is raised inside, and the run goes
on without that file. It is no ``Exception``, so that the engine, which survives whatever a rule
raises, does not take it for a bug of a rule.

Time is the processor's, so that a busy machine does not make other findings than an idle one, and is
measured by how fast this one counts, so that a slow one does not either. It is a second wall: what
people write stays far below it, and what grows is bounded by count where it is read.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from types import FrameType
else:
    try:
        # The names of ``signal`` are an enumeration, which costs more than most files do.
        import _signal as signal
    except ImportError:  # pragma: no cover - not CPython
        import signal

#: What reading one file may take, and judging what it declares, on a machine that counts to ``_COUNT``
#: in ``_COUNTED`` seconds of its processor: a slower one has as much more.
SECONDS = 1.2
_COUNT, _COUNTED = 200_000, 0.005
#: No machine is slower than that many times.
_SLOWEST = 10.0
#: A file of so many bytes has twice the time to be read, one of so many resources to be judged:
#: twenty thousand topics in one file are honest.
_MORE_BYTES, _MORE_RESOURCES = 4_000_000, 10_000
#: What every other file adds to what is judged together.
MORE_SECONDS = 0.05
MEGABYTES = 190
#: What judging may take on top of what was read.
JUDGING_MEGABYTES = 80
#: What every other file adds to that.
MORE_MEGABYTES = 1

#: Seconds of the processor between two looks.
_TICK = 0.05
#: An exception in a destructor or a callback is lost: it is raised again after so many seconds.
_AGAIN = 0.2
#: The same for memory, in MiB.
_MORE = 20
_MEBI = 1 << 20
_NEVER = float("inf")


class Exceeded(BaseException):
    """A file took more than its share; the text says more than what."""


class _Share:
    """What is being done just now, and what it may take; there is one in a process."""

    def __init__(self) -> None:
        #: The process whose timer runs; 0 for none.
        self.armed = 0
        #: How many files are looked at together; 0 while nothing is bounded.
        self.files = 0
        #: What one of them may take of memory.
        self.base = MEGABYTES
        #: How many times the time it may take, by how large it is.
        self.scale = 1.0
        #: What of its time was taken before.
        self.taken = 0.0
        #: Whether a look was taken since that began.
        self.begun = False
        self.end = _NEVER
        self.most = _NEVER
        #: How much slower this machine is than the one that the seconds are meant for; measured
        #: when it matters first.
        self.slower = 1.0
        self.measured = False

    def look(self, number: int, frame: FrameType | None) -> None:
        """The timer's handler: whether the share is used up."""
        if not self.armed or not self.files or (frame and frame.f_code in _SETTING):
            return
        now = time.process_time()
        if not self.begun:
            self.begun = True
            self.end = now + self.seconds() - self.taken
            self.most = held() + self.megabytes() * _MEBI
        elif now >= self.end:
            if not self.measured:
                self.measured = True
                meant = self.seconds()
                self.slower = _slowness()
                self.end += self.seconds() - meant
                if now < self.end:
                    return
            self.end = now + _AGAIN
            raise Exceeded(f"{self.seconds():.3g} s of CPU time")
        elif held() > self.most:
            self.most = held() + _MORE * _MEBI
            raise Exceeded(f"{self.megabytes():,} MiB of memory")

    def seconds(self) -> float:
        return (SECONDS * self.scale + (self.files - 1) * MORE_SECONDS) * self.slower

    def megabytes(self) -> int:
        return self.base + (self.files - 1) * MORE_MEGABYTES


def _slowness() -> float:
    """How many times as long this machine takes to count."""
    took: list[float] = []
    for _ in range(3):
        before = time.process_time()
        for _ in range(_COUNT):
            pass
        took.append(time.process_time() - before)
    return min(max(min(took) / _COUNTED, 1.0), _SLOWEST)


_share = _Share()


class armed:
    """Bounds what ``of`` says while this is entered. Where no signal can come nothing is bounded."""

    def __enter__(self) -> None:
        # A fork inherits everything but the timer.
        self._mine = _share.armed != os.getpid() and _take()
        if self._mine:
            _share.files = 0
            _share.armed = os.getpid()
            signal.setitimer(signal.ITIMER_VIRTUAL, _TICK, _TICK)

    def __exit__(self, *raised: object) -> None:
        if not self._mine:
            return
        # From the first step on nothing is raised, so that all others are made.
        _share.armed = 0
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)


def _take() -> bool:
    """Make the handler the timer's, unless there is none or it is somebody else's."""
    if not hasattr(signal, "SIGVTALRM"):
        return False
    if signal.getsignal(signal.SIGVTALRM) not in (signal.SIG_DFL, _share.look):
        return False
    try:
        signal.signal(signal.SIGVTALRM, _share.look)
    except ValueError:  # not the main thread
        return False
    return True


class of:
    """A share for what is done inside, of ``files`` that are looked at together.

    ``size`` are the bytes of a file that is read, ``resources`` those that are judged.
    """

    def __init__(
        self,
        files: int = 1,
        megabytes: int = MEGABYTES,
        taken: float = 0.0,
        size: int = 0,
        resources: int = 0,
    ) -> None:
        self._scale = 1.0 + size / _MORE_BYTES + resources / _MORE_RESOURCES
        self._files = files
        self._megabytes = megabytes
        self._taken = taken

    def __enter__(self) -> None:
        _share.taken = self._taken
        _share.begun = False
        _share.scale = self._scale
        _share.base = self._megabytes
        _share.files = self._files
        if self._taken and _share.armed and self._taken > _share.seconds():
            seconds, _share.files = _share.seconds(), 0
            raise Exceeded(f"{seconds:.3g} s of CPU time")

    def __exit__(self, *raised: object) -> None:
        _share.files = 0


#: What would raise while a share is being set or taken back is raised at the next look.
_SETTING = (of.__enter__.__code__, of.__exit__.__code__)


def held() -> int:
    """The bytes that this process holds; 0 where nobody tells."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            return int(os.read(file, 64).split()[1]) * _PAGE
        finally:
            os.close(file)
    except OSError:
        return 0


_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

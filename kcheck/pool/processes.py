"""Worker processes: started, fed with batches, watched, and gone in the end whatever happens.

A worker that dies, hangs or gives up costs its batch, which whoever asked then does himself.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.connection import wait

from kcheck import registry
from kcheck.pool import worker
from kcheck.pool.result import Part, unpacked
from kcheck.pool.worker import ALIVE, FAILED, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

FORK, SPAWN = "fork", "spawn"

#: Batches that wait in a worker's pipe, so that it need not wait for its next.
_AHEAD = 2
#: Seconds without a sign of life after which a worker is given up.
PATIENCE = 120.0


def method() -> str:
    """How this process can make others: a fork inherits all that is loaded, where that is safe."""
    import threading

    safe = sys.platform == "linux" and threading.active_count() == 1
    return FORK if safe else SPAWN


class _Worker:
    def __init__(self, process: BaseProcess, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        #: The batches that it has, the one that it works on first.
        self.batches: deque[int] = deque()
        #: Seconds since it was heard.
        self.silent = 0.0


class Crew:
    """Some workers; use it in a ``with`` statement, whose end is theirs."""

    def __init__(self, work: Work, workers: int, how: str, patience: float = PATIENCE) -> None:
        self._work = work
        self._count = min(workers, len(work.batches))
        self._how = how
        self._patience = patience
        self._workers: list[_Worker] = []
        self._waiting = deque(range(len(work.batches)))

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End all workers now."""
        for one in self._workers:
            _end(one)
        self._workers.clear()

    def parts(self) -> Iterator[tuple[int, Part | None]]:
        """(number of the batch, what a worker made of it, or None) of every batch, as they come."""
        tick = min(1.0, self._patience / 4)
        self._start()
        for one in list(self._workers):
            if not self._feed(one):
                yield from self._lose(one)
        while self._workers:
            waited = time.monotonic()
            ready = wait([one.pipe for one in self._workers], tick)
            # If all of us were stopped for a while, nobody was silent meanwhile.
            waited = min(time.monotonic() - waited, tick)
            for one in self._workers:
                one.silent += waited
            for one in [one for one in self._workers if one.pipe in ready]:
                yield from self._hear(one)
            for one in [one for one in self._workers if one.silent > self._patience]:
                yield from self._lose(one)
            for one in [one for one in self._workers if not one.batches]:
                self._workers.remove(one)
                _end(one)
        for number in self._waiting:
            yield number, None

    # -- one worker -------------------------------------------------------------------------

    def _start(self) -> None:
        if self._how == FORK:
            registry.known(self._work.settings)  # loaded once, here, and inherited
        context = get_context(self._how)
        held = _held_back()
        try:
            for _ in range(self._count):
                self._add(context)
        except OSError:
            # No more processes for us: with as many as there are.
            pass
        finally:
            if held:
                worker.unblocked()

    def _add(self, context: BaseContext) -> None:
        ours, theirs = context.Pipe()
        # Only a fork leaves them open; another way of starting would make copies of them.
        others = [*(one.pipe for one in self._workers), ours] if self._how == FORK else []
        process = context.Process(  # type: ignore[attr-defined]
            target=worker.serve, args=(theirs, self._work, others), daemon=True
        )
        try:
            process.start()
            self._workers.append(_Worker(process, ours))
        finally:
            theirs.close()

    def _feed(self, one: _Worker) -> bool:
        """Give it batches; false if it takes none any more."""
        try:
            while self._waiting and len(one.batches) < _AHEAD:
                one.pipe.send(self._waiting[0])
                one.batches.append(self._waiting.popleft())
        except OSError:
            return False
        return True

    def _hear(self, one: _Worker) -> Iterator[tuple[int, Part | None]]:
        try:
            message = one.pipe.recv_bytes()
        except (EOFError, OSError):
            yield from self._lose(one)
            return
        one.silent = 0.0
        if message == ALIVE:
            return
        number = one.batches.popleft()
        fed = self._feed(one)
        yield number, None if message == FAILED else unpacked(message)
        if not fed:
            yield from self._lose(one)

    def _lose(self, one: _Worker) -> Iterator[tuple[int, Part | None]]:
        """Give up a worker: what it was doing is not tried with another one."""
        self._workers.remove(one)
        _end(one)
        if one.batches:
            yield one.batches.popleft(), None
        self._waiting.extendleft(reversed(one.batches))
        for other in list(self._workers):
            self._feed(other)


def _end(one: _Worker) -> None:
    one.pipe.close()
    one.process.kill()
    one.process.join(5)


def _held_back() -> bool:
    """Keep an interruption until workers know that it is not for them."""
    if not hasattr(signal, "pthread_sigmask"):
        return False
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    return True


def processors() -> int:
    """How many processors this process may use, by its affinity and its container's quota."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, _, period = file.read().partition(" ")
        return max(1, min(count, int(quota) // int(period)))
    except (OSError, ValueError):
        return count

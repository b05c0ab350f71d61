"""The contents of files, read from one process of git."""

from __future__ import annotations

import subprocess
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from kcheck import formats
from kcheck.git import process as processes
from kcheck.git.process import GitError, Watch

#: So many blobs are asked for before the first is read; their names fit into a pipe.
_AHEAD = 64


class Blobs:
    """Reads blobs by name, one after another, in one process of git.

    Those that are ``expected`` are asked for ahead, so that neither side waits for the other.
    """

    def __init__(self, start: Callable[[], subprocess.Popen[bytes]]) -> None:
        self._start = start
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: Watch | None = None
        self._coming: Iterator[str] = iter(())
        #: What git was asked for and has not answered yet, in this order.
        self._asked: deque[str] = deque()
        #: What was answered before somebody wanted it.
        self._kept: dict[str, bytes | None] = {}

    def expect(self, blobs: Iterable[str]) -> None:
        """These will be read in this order; others may be read in between."""
        self._coming = iter(blobs)

    def read(self, blob: str) -> bytes | None:
        """The bytes, cut off where no file would be read further; None where it is not here.

        Raises GitError for a blob that takes too long.
        """
        if self._kept and blob in self._kept:
            return self._kept.pop(blob)
        if not self._asked or (self._asked[0] != blob and blob not in self._asked):
            self._more()
            if blob not in self._asked:
                self._ask([blob])
        while True:
            if len(self._asked) < _AHEAD // 2:
                self._more()
            data = self._answer()
            # One that ended git is not asked for once more.
            answered = self._asked.popleft()
            if answered == blob:
                return data
            self._kept[answered] = data

    def _more(self) -> None:
        if len(self._kept) < _AHEAD:
            self._ask([*islice(self._coming, _AHEAD)])

    def _ask(self, blobs: list[str]) -> None:
        self._asked.extend(blobs)
        if blobs and self._process is not None:
            self._write(blobs)

    def _write(self, blobs: Iterable[str]) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{blob}\n" for blob in blobs).encode())
            self._process.stdin.flush()
        except OSError:
            pass  # it is over, which the next answer tells

    def _answer(self) -> bytes | None:
        """git's answer to the first question that is open."""
        if self._process is None:
            self._process = self._start()
            self._watch = Watch(self._process)
            self._write(self._asked)
        process, watch = self._process, self._watch
        assert process.stdout is not None and watch is not None
        data: bytes | None = None
        ends = False
        with watch.patient():
            about = process.stdout.readline().split()
            if len(about) == 3 and about[1] == b"blob":
                size = int(about[2])
                most = formats.MAX_BYTES + 1
                data = process.stdout.read(min(size, most))
                # The rest of a huge one is nothing to wait for.
                ends = size > most or len(data) < size
                if len(data) < min(size, most):
                    data = None
                elif not ends:
                    process.stdout.read(1)
            else:
                ends = about[1:] != [b"missing"]
        if ends:
            self._end()
        if watch.ended:
            raise GitError(f"git cat-file took longer than {processes.PATIENCE:.0f} s")
        return data

    def close(self) -> None:
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass
        process.wait()
        if self._watch is not None:
            self._watch.close()

"""A process of git, and how long somebody waits for it."""

from __future__ import annotations

import subprocess
import threading
import time

#: Seconds that one answer may take: the largest public repositories need a tenth of it.
PATIENCE = 60.0


class GitError(ValueError):
    """git cannot tell; the message says why."""


class Watch:
    """Ends a process that lets its reader wait for too long."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.ended = False
        self._process = process
        self._until = 0.0
        self._over = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def patient(self) -> Watch:
        """A context in which the process has so long and no longer."""
        return self

    def __enter__(self) -> None:
        self._until = time.monotonic() + PATIENCE

    def __exit__(self, *error: object) -> None:
        self._until = 0.0

    def close(self) -> None:
        self._over.set()

    def _look(self) -> None:
        while not self._over.wait(min(1.0, PATIENCE / 4)):
            until = self._until
            if until and time.monotonic() > until:
                self.ended = True
                self._process.kill()
                return

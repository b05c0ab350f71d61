"""Publishes small runs without Spark; as a program it is killed at every step of it.

    python -m tests.fleet.killed TEMPLATE WORK RUN

For each line that publishing executes WORK/N is a copy of TEMPLATE in which a process that
published RUN was ended by SIGKILL before its Nth line. Prints how many there are.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from kcheck.fleet import publish, publish_folder

#: Where the lines count: all that changes the disk goes through here.
_FILES = {publish.__file__, publish_folder.__file__, shutil.__file__}
TABLES = ("findings", "units")


def published(out: Path, run: str, text: str, started: str) -> None:
    """Publish a run of which every table holds the text."""
    staging = publish.opened(str(out)).begin(run, replace=True)
    for name in TABLES:
        folder = Path(staging.local(), name)
        folder.mkdir(parents=True)
        (folder / "part-0").write_text(text)
    staging.publish({"run_id": run, "started": started, "finished": started, "previous": None})


def killing(at: int) -> Any:
    """A trace function that ends the process before the line with that number."""
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename not in _FILES:
            return None
        if event == "line":
            if lines == at:
                os.kill(os.getpid(), signal.SIGKILL)
            lines += 1
        return trace

    return trace


def main(template: Path, work: Path, run: str) -> None:
    for at in itertools.count():
        out = work / str(at)
        shutil.copytree(template, out)
        child = os.fork()
        if not child:
            sys.settrace(killing(at))
            published(out, run, "two", "2")
            sys.settrace(None)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            shutil.rmtree(out)
            print(at)
            return
        assert os.WTERMSIG(status) == signal.SIGKILL


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])

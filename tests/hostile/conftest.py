"""kcheck as a process of its own in a folder that means no good."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: What a program of its own is given to lint a small tree here, however busy the machine is.
SECONDS = 60

Ran = subprocess.CompletedProcess[str]
Kcheck = Callable[..., Ran]


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "kcheck", *args]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture
def kcheck(tmp_path: Path) -> Kcheck:
    """Runs kcheck in the folder of the test; ``powerless``: as one who has to ask for permission;
    ``largest``: how many bytes a file may get that is written, as if the disk ended there.
    """

    def run(*args: str, powerless: bool = False, largest: int = 0) -> Ran:
        words = command(*args)
        if powerless and os.geteuid() == 0:
            if shutil.which("setpriv") is None:
                pytest.skip("root reads everything here")
            words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *words]

        def bound() -> None:
            if largest:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

        return subprocess.run(
            words,
            cwd=tmp_path,
            # Python takes a module of which the limit kept a part for a whole one.
            env=environment() | ({"PYTHONDONTWRITEBYTECODE": "1"} if largest else {}),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            preexec_fn=bound,
        )

    return run


def listed(folder: Path) -> dict[str, bytes]:
    """All regular files below a folder, links aside."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}

"""An audit that is interrupted or ended at some moment: nothing is published by halves, nothing is
left lying about, and whoever asked can tell by the exit code.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from .conftest import ROOT

#: Seconds after which the signal comes: while Spark starts, and while it works.
MOMENTS = (1.0, 4.0, 8.0, 11.0)


def listed(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def running_with(folder: Path) -> list[str]:
    """The processes that have this folder for their temporary files, as far as the system tells."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"TMPDIR={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text().replace("\0", " ")[:200])
    return found


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_audit_that_is_ended(fleet: Path, tmp_path: Path, sent: signal.Signals) -> None:
    ours = tmp_path / "fleet"
    shutil.copytree(fleet / "fleet", ours)
    before = listed(ours)
    for moment in MOMENTS:
        out, spare = tmp_path / f"out-{moment}", tmp_path / f"spare-{moment}"
        spare.mkdir()
        running = subprocess.Popen(
            [sys.executable, "-m", "kcheck", "audit", str(ours), "--out", str(out), "--quiet"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(spare)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        time.sleep(moment)
        running.send_signal(sent)
        _, said = running.communicate(timeout=60)
        published = [*out.glob("manifests/*.json")]
        if running.returncode in (0, 1):
            # It was done before.
            assert published
        else:
            assert running.returncode == (2 if sent == signal.SIGINT else -sent), said
            assert b"Traceback" not in said
            assert not published
            assert not [*out.glob("runs/*/*")]
            assert not [*out.glob("_staging/*")]
        for manifest in published:
            assert (out / json.loads(manifest.read_text())["path"] / "findings").is_dir()
        assert listed(ours) == before
        for _ in range(50):
            if not running_with(spare):
                break
            time.sleep(0.1)
        assert not running_with(spare), moment
        left = [path.name for path in spare.iterdir() if path.name.startswith("kcheck")]
        assert not left, (moment, left)

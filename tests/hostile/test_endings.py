"""Full disks, and signals at any moment: the exit code says what happened, and every file is what it
was or what it was to become.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import Kcheck, command, environment, listed

CLIENT = """\
bootstrap.servers=a:9092
acks=all
key.serializer=org.apache.kafka.common.serialization.StringSerializer
value.serializer=org.apache.kafka.common.serialization.StringSerializer
linger_ms=5
"""
FIXED = CLIENT.replace("linger_ms", "linger.ms")
COUNT = 200


def clients(folder: Path, count: int = COUNT) -> None:
    for number in range(count):
        path = folder / f"c{number % 20}" / f"producer-{number}.properties"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CLIENT)


def test_a_report_that_nobody_takes(kcheck: Kcheck, tmp_path: Path) -> None:
    clients(tmp_path / "tree", 3)
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            command("lint", "tree", "--output", "json"),
            cwd=tmp_path,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    assert ran.returncode == 2
    assert b"no space left" in ran.stderr and b"Traceback" not in ran.stderr


def test_a_disk_that_is_full_leaves_the_files_as_they_were(kcheck: Kcheck, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    clients(tree, 5)
    (tmp_path / "report.json").write_text("yesterday's\n")
    before = listed(tmp_path)
    ran = kcheck("lint", "tree", "--fix", "--unsafe-fixes", largest=20)
    assert ran.returncode == 2, ran.stdout
    assert "cannot write" in ran.stderr and "Traceback" not in ran.stderr
    assert listed(tmp_path) == before


#: Runs with --thorough, and without.
MOMENTS, FEW = 12, 2


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_that_is_ended(
    tmp_path: Path, sent: signal.Signals, jobs: str, thorough: bool
) -> None:
    """Also where the signal goes to the whole group of processes, as from a terminal."""
    clients(tmp_path / "tree")
    args = ["lint", "tree", "--jobs", jobs, "--output", "json"]
    for moment, code, said in ended(tmp_path, args, sent, MOMENTS if thorough else FEW):
        assert_ended(code, said, sent, moment)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_fix_that_is_ended(tmp_path: Path, sent: signal.Signals, thorough: bool) -> None:
    tree = tmp_path / "tree"

    def again() -> None:
        clients(tree)

    args = ["lint", "tree", "--fix", "--unsafe-fixes"]
    for moment, code, said in ended(tmp_path, args, sent, MOMENTS if thorough else FEW, again):
        assert_ended(code, said, sent, moment)
        found = listed(tree)
        assert len(found) == COUNT, sorted(found)[-3:]
        assert {text.decode() for text in found.values()} <= {CLIENT, FIXED}


def assert_ended(code: int, said: bytes, sent: signal.Signals, moment: float) -> None:
    if code in (0, 1):
        return
    # Before kcheck is there at all, Python answers an interrupt itself.
    expected = (2, -signal.SIGINT) if sent == signal.SIGINT else (-sent,)
    assert code in expected, (moment, code, said)
    if code == 2:
        assert said.strip().endswith(b"kcheck: interrupted"), said


def ended(folder, args, sent, moments, again=None):  # type: ignore[no-untyped-def]
    """Runs that get the signal at random moments: (moment, exit code, stderr)."""
    choice = random.Random(11)
    if again is not None:
        again()
    began = time.monotonic()
    whole = subprocess.run(command(*args), cwd=folder, env=environment(), capture_output=True)
    assert whole.returncode in (0, 1), whole.stderr
    seconds = time.monotonic() - began
    for _ in range(moments):
        if again is not None:
            again()
        moment = seconds * (0.25 + 0.75 * choice.random())
        running = subprocess.Popen(
            command(*args),
            cwd=folder,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        time.sleep(moment)
        if choice.random() < 0.5:
            running.send_signal(sent)
        else:
            os.killpg(running.pid, sent)
        # Workers hold the pipe, too: that it closes says that all are gone.
        _, said = running.communicate(timeout=60)
        yield moment, running.returncode, said


def test_a_fix_that_is_ended_where_it_writes(tmp_path: Path) -> None:
    """Before and after each file is put in its place."""
    program = (
        "import os, signal, sys\n"
        "replace, left = os.replace, [int(sys.argv.pop(1))]\n"
        "def counted(*paths):\n"
        "    for step in (lambda: None, lambda: replace(*paths)):\n"
        "        step()\n"
        "        left[0] -= 1\n"
        "        if left[0] == 0:\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "os.replace = counted\n"
        "from kcheck.__main__ import main\n"
        "sys.exit(main())\n"
    )
    tree = tmp_path / "tree"
    for step in range(1, 7):
        clients(tree, 3)
        ran = subprocess.run(
            [sys.executable, "-c", program, str(step), "lint", "tree", "--fix", "--unsafe-fixes"],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            timeout=60,
        )
        assert ran.returncode == -signal.SIGTERM, ran.stderr
        found = [text.decode() for text in listed(tree).values()]
        # A file that was begun is ended: the signal waits for that.
        done = (step + 1) // 2
        assert found.count(FIXED) == done and found.count(CLIENT) == 3 - done
        assert len(found) == 3

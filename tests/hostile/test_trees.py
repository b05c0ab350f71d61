"""Trees that hold what is no file, what never ends, what nobody may read, and what changes while it is
read: each is counted with a reason, the rest is linted, and nothing outside is written.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kcheck import discover, engine, files
from kcheck.settings import Settings

from .conftest import Kcheck, listed

BROKER = "broker.id=1\nlog.dirs=/data\nzookeeper.connect=zk:2181\nmin.insync.replicas=x\n"


def healthy(folder: Path) -> None:
    (folder / "ok").mkdir(parents=True)
    (folder / "ok" / "server.properties").write_text(BROKER)


def odd(folder: Path) -> None:
    """All that a folder can hold under names of files that kcheck reads."""
    os.mkfifo(folder / "pipe.yaml")
    here = os.open(".", os.O_RDONLY)
    os.chdir(folder)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket.yaml")
    finally:
        os.fchdir(here)
        os.close(here)
    for name, to in {
        "zero.properties": "/dev/zero",
        "tty.yaml": "/dev/tty",
        "stdin.yaml": "/dev/stdin",
        "passwd.properties": "/etc/passwd",
        "memory.json": "/proc/self/mem",
        "me.yaml": "me.yaml",
        "one.yaml": "other.yaml",
        "other.yaml": "one.yaml",
        "gone.yaml": "nowhere",
        "here": ".",
        "above": "..",
        "root": "/",
        "proc": "/proc/self/root",
    }.items():
        (folder / name).symlink_to(to)
    (folder / "folder.yaml").mkdir()
    deep = folder
    for _ in range(300):
        deep = deep / "d"
    deep.mkdir(parents=True)
    if os.geteuid() == 0:
        try:
            os.mknod(folder / "device.yaml", 0o020666, os.makedev(1, 5))
        except OSError:
            return


def test_what_is_no_file(kcheck: Kcheck, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    healthy(tree)
    odd(tree)
    began = time.monotonic()
    ran = kcheck("lint", "tree", "--output", "json")
    assert time.monotonic() - began < 20
    # One link in circles cannot be read at all, of which the exit code tells.
    assert ran.returncode in (1, 2), ran.stderr
    told = json.loads(ran.stdout)
    assert {finding["path"] for finding in told["findings"]} == {"tree/ok/server.properties"}
    assert told["summary"]["files"]["read"] == 1
    for name in ("pipe.yaml", "socket.yaml", "zero.properties", "gone.yaml", "me.yaml"):
        named = kcheck("lint", f"tree/{name}")
        assert named.returncode == 2, (name, named.stdout)
        assert "Traceback" not in named.stderr and f"tree/{name}" in named.stderr
    several = kcheck("lint", "tree", "--jobs", "2", "--output", "json")
    assert json.loads(several.stdout)["findings"] == told["findings"]


def test_a_file_of_a_gigabyte(kcheck: Kcheck, tmp_path: Path) -> None:
    healthy(tmp_path)
    for name in ("server.properties", "topics.yaml", "main.tf", "connector.json"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(1 << 30)
    began = time.monotonic()
    ran = kcheck("lint", ".", "--output", "json")
    assert time.monotonic() - began < 20
    assert ran.returncode == 1, ran.stderr
    assert json.loads(ran.stdout)["summary"]["files"]["skipped"] == 4
    # Of each no more is read than it takes to know that it is too large.
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert used < 400 << 10


@pytest.mark.thorough
def test_a_hundred_thousand_files_in_a_folder(kcheck: Kcheck, tmp_path: Path) -> None:
    healthy(tmp_path)
    many = tmp_path / "many"
    many.mkdir()
    for number in range(100_000):
        # Links are the cheapest names that there are.
        os.symlink("nowhere", many / f"{number}.yaml")
    ran = kcheck("lint", ".", "--output", "json")
    assert ran.returncode == 1, ran.stderr
    assert json.loads(ran.stdout)["summary"]["files"]["read"] == 1


def test_what_nobody_may_read(kcheck: Kcheck, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    healthy(tree)
    (tree / "locked.properties").write_text(BROKER)
    (tree / "locked.properties").chmod(0)
    (tree / "closed").mkdir()
    (tree / "closed" / "server.properties").write_text(BROKER)
    (tree / "closed").chmod(0)
    # It can be listed, but nothing in it can be asked for.
    (tree / "listed").mkdir()
    (tree / "listed" / "server.properties").write_text(BROKER)
    (tree / "listed").chmod(0o444)
    try:
        ran = kcheck("lint", "tree", "--output", "json", powerless=True)
        told = json.loads(ran.stdout)
        assert (told["summary"]["files"]["read"], told["summary"]["files"]["error"]) == (1, 3)
        assert {finding["path"] for finding in told["findings"]} == {"tree/ok/server.properties"}
        assert ran.returncode == 1, ran.stderr
        named = kcheck("lint", "tree/locked.properties", "tree/ok", powerless=True)
        assert named.returncode == 2
        assert "tree/locked.properties: permission denied" in named.stderr
    finally:
        for name in ("closed", "listed"):
            (tree / name).chmod(0o755)


# -- what changes while it is read -----------------------------------------------------------


def shrunk(path: Path) -> None:
    path.write_text("")


def grown(path: Path) -> None:
    path.write_bytes(b"#" * (6 << 20))


def vanished(path: Path) -> None:
    path.unlink()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 100)


@pytest.mark.parametrize(
    "change", [shrunk, grown, vanished, a_folder, a_pipe, endless, binary], ids=lambda c: c.__name__
)
def test_a_file_that_changes_between_the_walk_and_the_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    for number in range(6):
        healthy(tmp_path / f"c{number}")
    monkeypatch.chdir(tmp_path)
    inputs = discover.Inputs(["."])
    for number, path in enumerate(inputs.files()):
        if number % 2:
            change(tmp_path / path)
    project = engine.lint_project(inputs, Settings(), inputs.lookup)
    assert not project.failures
    assert {f.path for f in project.findings if not f.path.startswith(("c1", "c3", "c5"))} == {
        f"c{number}/ok/server.properties" for number in (0, 2, 4)
    }


def test_a_file_that_is_another_each_time_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Excerpts, fixes and lookups read a file once more: it may be another then, or gone."""
    healthy(tmp_path)
    read, times = files.read_file, 0

    def changing(path: str, most: int = 0) -> bytes:
        nonlocal times
        times += 1
        if times > 1:
            if times % 2:
                raise OSError("is gone")
            return b"\n"
        return read(path)

    from kcheck.__main__ import main

    monkeypatch.chdir(tmp_path)
    for args in ([], ["--diff"], ["--output", "html"], ["--output", "sarif"]):
        times = 0
        monkeypatch.setattr(files, "read_file", changing)
        assert main(["lint", "ok", *args]) == 1, args
        monkeypatch.setattr(files, "read_file", read)


def test_a_tree_that_never_rests(kcheck: Kcheck, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for number in range(40):
        healthy(tree / f"c{number}")
    resting = threading.Event()
    choice = random.Random(7)

    def unrest() -> None:
        while not resting.is_set():
            cluster = tree / f"c{choice.randrange(40)}"
            if choice.random() < 0.5:
                shutil.rmtree(cluster, ignore_errors=True)
            elif not cluster.exists():
                healthy(cluster)
            else:
                (cluster / "ok" / "server.properties").write_text(BROKER * choice.randrange(9))
            time.sleep(0.0005)  # a thousand changes a second: without any rest it takes a processor

    restless = threading.Thread(target=unrest)
    restless.start()
    try:
        for jobs in ("1", "2"):
            for _ in range(5):
                ran = kcheck("lint", "tree", "--jobs", jobs, "--output", "json")
                assert ran.returncode == 1, ran.stderr
                assert "an error of kcheck" not in ran.stderr and "Traceback" not in ran.stderr
                json.loads(ran.stdout)
    finally:
        resting.set()
        restless.join()


def test_nothing_is_written_by_looking(kcheck: Kcheck, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    healthy(tree)
    odd(tree)
    before = listed(tmp_path)
    for args in (["lint", "tree"], ["show", "tree"], ["lint", "tree", "--diff"]):
        kcheck(*args)
    assert listed(tmp_path) == before

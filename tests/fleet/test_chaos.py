"""Broken inputs among a thousand clusters, by every way in: the rest is there, each is named."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kcheck.fleet import work
from kcheck.fleet.session import Session

from .conftest import audited, command_lines, printed, records, table

#: What pyspark's workers run of this module travels as code: they cannot import it.
cloudpickle = pytest.importorskip("pyspark.cloudpickle")
cloudpickle.register_pickle_by_value(sys.modules[__name__])

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
NOISE = random.Random(7)
DECLARATION = b'kcheck: 1\ncluster: {name: bad, kafka_version: "4.0.0", brokers: 3}\n'

Plant = Callable[[Path], None]


def holds(name: str, data: bytes) -> Plant:
    return lambda folder: (folder / name).write_bytes(data) and None


def bomb(letters: int) -> bytes:
    """YAML of a few hundred bytes whose aliases stand for 4 to the power of so many nodes."""
    lines = [b"kafka0: &a0 [kafka, kafka]"]
    lines += [b"k%d: &a%d [%s]" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 4)) for n in range(1, letters)]
    return b"\n".join(lines)


def sparse(folder: Path) -> None:
    with (folder / "huge.yaml").open("wb") as file:
        file.truncate(3 << 30)


def unix_socket(folder: Path) -> None:
    # Names of sockets are short, those of folders of tests are not.
    before = os.open(".", os.O_RDONLY)
    os.chdir(folder)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket.yaml")
    finally:
        os.fchdir(before)
        os.close(before)


def locked(folder: Path) -> None:
    (folder / "locked.yaml").write_text("topics: []\n")
    (folder / "locked.yaml").chmod(0)
    (folder / "closed").mkdir(mode=0)


#: What is planted: file → (who plants it, words of the reason in the errors table; "" where the
#: file is no error: lint's findings tell of it, or nothing is wrong).
BAD: dict[str, tuple[Plant, str]] = {
    "random.properties": (holds("random.properties", NOISE.randbytes(5000)), "binary"),
    "broken.yaml": (
        holds("broken.yaml", b"apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nspec: [{\n"),
        "not valid YAML",
    ),
    "huge.yaml": (sparse, "larger than 5,242,880 bytes"),
    "empty.properties": (holds("empty.properties", b""), "empty"),
    "gone.yaml": (lambda folder: (folder / "gone.yaml").symlink_to("nowhere.yaml"), "dangling"),
    "pipe.yaml": (lambda folder: os.mkfifo(folder / "pipe.yaml"), "not a regular file"),
    "socket.yaml": (unix_socket, "not a regular file"),
    "bomb.yaml": (holds("bomb.yaml", bomb(30)), ""),
    "deep.yaml": (holds("deep.yaml", b"kafka: " + b"[" * 50_000), ""),
    "deep-block.yaml": (
        holds("deep-block.yaml", b"".join(b" " * n + b"kafka:\n" for n in range(900))),
        "",
    ),
    "folder.yaml": (lambda folder: (folder / "folder.yaml").mkdir(), "name of a file"),
    "caf\\udce9.yaml": (
        lambda folder: (folder / os.fsdecode(b"caf\xe9.yaml")).write_text("topics: []\n") and None,
        "",
    ),
    "new\nline.yaml": (holds("new\nline.yaml", b"topics: []\n"), ""),
    "nul.properties": (holds("nul.properties", b"broker.id=1\nlog.dirs=/\x00\xff\xfe\n"), "binary"),
    "latin1.yaml": (holds("latin1.yaml", b"kafka: caf\xe9\ntopics: []\n"), ""),
    "line.properties": (
        holds("line.properties", b"bootstrap.servers=" + b"kafka:9092," * 1_000_000),
        "larger than",
    ),
    "scalar.yaml": (holds("scalar.yaml", b"topics: 5\n"), ""),
    "loop": (lambda folder: (folder / "loop").symlink_to(folder.parent), "link to a folder"),
    "host.properties": (
        lambda folder: (folder / "host.properties").symlink_to("/etc/hostname"),
        "out of the project",
    ),
    **({} if AS_ROOT else {"locked.yaml": (locked, "permission denied")}),
}


def copied(fleet: Path, to: Path) -> Path:
    shutil.copytree(fleet, to, copy_function=os.link)
    return to


def planted(fleet: Path) -> dict[str, str]:
    """Plant each in a cluster of its own; gives file → cluster."""
    clusters = sorted(path.name for path in fleet.iterdir())
    where: dict[str, str] = {}
    for number, (name, (plant, _)) in enumerate(BAD.items()):
        where[name] = clusters[10 * number + 5]
        plant(fleet / where[name])
    return where


def without(lines: list[str], clusters: set[str]) -> list[str]:
    return [line for line in lines if json.loads(line)["path"].split("/")[0] not in clusters]


SECONDS = 8


def test_bad_files_in_a_tree(
    spark: Session,
    thousand: Path,
    thousand_linted: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fleet = copied(thousand / "fleet", tmp_path / "fleet")
    where = planted(fleet)
    slow, greedy, gone = "c000900", "c000910", "c000920"
    expected = command_lines(fleet)
    (fleet / slow / "slow.yml").write_bytes(
        b"services:\n  k:\n    image: apache/kafka:4.0.0\n    environment:\n"
        b"      KAFKA_LOG_DIRS: " + b"${A:-" * 1_000_000
    )
    (fleet / slow / "slow.yml").rename(fleet / slow / "docker-compose.yml")
    (fleet / greedy / "greedy.properties").write_bytes(b"broker.id=1\n" * 430_000)

    whole = work.opened

    def vanishing(*args: Any) -> work.Inputs:
        inputs = whole(*args)
        shutil.rmtree(fleet / gone)
        return inputs

    monkeypatch.setattr(work, "opened", vanishing)
    outcome = audited(
        spark, [str(fleet)], tmp_path / "out", run="r", seconds=SECONDS, megabytes=96
    )
    found = printed(records(table(outcome.folder, "findings")))

    failed = {slow, greedy, gone}
    bad = {*where.values(), *failed}
    assert without(found, bad) == without(thousand_linted, bad)
    # In the clusters with a bad file everything else is judged as lint judges it.
    assert found == without(expected, failed)
    units = {row["unit"]: row["status"] for row in table(outcome.folder, "units")}
    assert len(units) == 1000
    assert {unit for unit, status in units.items() if status == "failed"} == failed
    assert outcome.manifest["units"] == {"audited": 997, "failed": 3}
    # Exit code 2: there is something that kcheck could not do.
    assert outcome.broken

    rows = table(outcome.folder, "errors")
    told = {(row["unit"], row["path"]): row["reason"] for row in rows if not row["fatal"]}
    for name, (_, words) in BAD.items():
        reason = told.get((where[name], f"{where[name]}/{name}"), "")
        assert words in reason if words else reason == "", (name, reason)
    fatal = {row["unit"]: (row["stage"], row["reason"]) for row in rows if row["fatal"]}
    assert fatal == {
        slow: ("limit", f"took longer than {SECONDS} s"),
        greedy: ("limit", "took more than 96 MiB of memory"),
        gone: ("read", "the folder is gone"),
    }

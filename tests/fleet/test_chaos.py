"""Broken inputs among a thousand clusters, by every way in: the rest is there, each is named."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import signal
import socket
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kcheck.fleet import archives, child_process, ingest, limits, pack, session, spark_errors, work
from kcheck.fleet.audit import Plan
from kcheck.fleet.session import Session
from kcheck.settings import Settings

from .conftest import Lint, audited, command_lines, printed, records, streamed, table

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
    lines += [
        b"k%d: &a%d [%s]" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 4)) for n in range(1, letters)
    ]
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
    "folder.yaml": (lambda folder: (folder / "folder.yaml").mkdir(), "like a file"),
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
    # What references would make of it is bounded: a finding says so, here as in lint.
    "docker-compose.yml": (
        holds(
            "docker-compose.yml",
            b"services:\n  k:\n    image: apache/kafka:4.0.0\n    environment:\n"
            b"      KAFKA_LOG_DIRS: " + b"${A:-" * 1_000_000,
        ),
        "",
    ),
    "loop": (lambda folder: (folder / "loop").symlink_to(folder.parent), "link to a folder"),
    "host.properties": (
        lambda folder: (folder / "host.properties").symlink_to("/etc/hostname"),
        "to outside the project",
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


def folder_of(line: str) -> str:
    """The cluster's folder that a finding lies in."""
    return str(json.loads(line)["path"]).split("/")[0]


def without(lines: list[str], clusters: set[str]) -> list[str]:
    return [line for line in lines if folder_of(line) not in clusters]


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
    slow, greedy, gone = "c000000", "c000910", "c000920"
    expected = command_lines(fleet)
    (fleet / slow / "docker-compose.yml").write_text(
        "services:\n  s: {image: 'apache/kafka:4.1.0'}\n"
        + "".join(f"  t{number}: {{extends: {{service: s}}}}\n" for number in range(8_000))
    )
    for number in range(9):  # each of as many lines as one may have
        (fleet / greedy / f"{number}.properties").write_bytes(b"broker.id=1\n" * 49_999)

    whole = work.opened

    def vanishing(*args: Any) -> work.Inputs:
        inputs = whole(*args)
        shutil.rmtree(fleet / gone)
        return inputs

    monkeypatch.setattr(work, "opened", vanishing)
    outcome = audited(spark, [str(fleet)], tmp_path / "out", run="r", seconds=SECONDS, megabytes=96)
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
    # Which of its limits ends eight thousand services hangs on how fast the machine is.
    ended = fatal.pop(slow)
    assert ended in (
        ("limit", f"took longer than {SECONDS} s"),
        ("limit", "used more than 96 MiB of memory"),
    )
    assert fatal == {
        greedy: ("limit", "used more than 96 MiB of memory"),
        gone: ("read", "the folder is gone"),
    }


# -- archives -------------------------------------------------------------------------------


def tarred(to: Path, fleet: Path, clusters: list[str], mode: str = "w:gz") -> Path:
    with tarfile.open(to, mode) as archive:
        for name in clusters:
            archive.add(fleet / name, name)
    return to


def zipped(to: Path, fleet: Path, clusters: list[str], how: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(to, "w", how) as archive:
        for name in clusters:
            for path in sorted((fleet / name).rglob("*")):
                archive.write(path, path.relative_to(fleet))
    return to


def truncated(to: Path, fleet: Path, clusters: list[str]) -> None:
    data = tarred(to, fleet, clusters).read_bytes()
    to.write_bytes(data[: len(data) * 2 // 3])


def with_bad_sum(to: Path, fleet: Path, clusters: list[str]) -> None:
    data = bytearray(zipped(to, fleet, clusters, zipfile.ZIP_STORED).read_bytes())
    data[len(data) // 2 :] = data[len(data) // 2 :].replace(b"min.insync", b"MIN.INSYNC", 1)
    to.write_bytes(data)


def locked_zip(to: Path, fleet: Path, clusters: list[str]) -> None:
    data = bytearray(zipped(to, fleet, clusters).read_bytes())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(header) + flags] |= 1
    to.write_bytes(data)


def of_another_method(to: Path, fleet: Path, clusters: list[str]) -> None:
    data = bytearray(zipped(to, fleet, clusters).read_bytes())
    for header, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(header) + method] = 97
    to.write_bytes(data)


def gzip_bomb(to: Path, fleet: Path, clusters: list[str]) -> None:
    """1.25 GiB of files in 1.3 MB: the same compressed piece again and again."""
    piece = io.BytesIO()
    with tarfile.open(fileobj=piece, mode="w") as archive:
        held = tarfile.TarInfo("z/zeros.yaml")
        held.size = 5 << 20
        archive.addfile(held, io.BytesIO(bytes(held.size)))
    packed = gzip.compress(piece.getvalue()[: 512 + held.size])
    to.write_bytes(packed * 250 + gzip.compress(bytes(1024)))


#: What is wrong with an archive, and words of the reason.
BAD_ARCHIVES: dict[str, tuple[Callable[[Path, Path, list[str]], None], str]] = {
    "truncated.tar.gz": (truncated, "end"),
    "sum.zip": (with_bad_sum, "Bad CRC-32"),
    "noise.tar": (lambda to, *_: to.write_bytes(NOISE.randbytes(3000)) and None, "invalid"),
    "noise.tgz": (lambda to, *_: to.write_bytes(NOISE.randbytes(3000)) and None, "invalid"),
    "noise.zip": (lambda to, *_: to.write_bytes(NOISE.randbytes(3000)) and None, "not a zip"),
    "nothing.tar": (lambda to, *_: to.write_bytes(b"") and None, "empty"),
    "nothing.zip": (lambda to, *_: to.write_bytes(b"") and None, "not a zip"),
    "password.zip": (locked_zip, "encrypted"),
    "method.zip": (of_another_method, "compression"),
    "bomb.tar.gz": (gzip_bomb, "more than 1,073,741,824 bytes"),
    "pipe.tar": (lambda to, *_: os.mkfifo(to), "not a regular file"),
    "gone.tar": (lambda to, *_: to.symlink_to("nowhere.tar"), "does not exist"),
}


def escaping(to: Path, fleet: Path, cluster: str) -> None:
    """An archive of one cluster, with members beside it that lead out of it or are no files."""
    tarred(to, fleet, [cluster], "w")
    with tarfile.open(to, "a") as archive:
        for name in ("../../escaped/topics.yaml", "/escaped/topics.yaml", "..", ".", "/"):
            held = tarfile.TarInfo(name)
            held.size = len(DECLARATION)
            archive.addfile(held, io.BytesIO(DECLARATION))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            held = tarfile.TarInfo(f"{cluster}/odd{kind.decode()}.yaml")
            held.type, held.linkname = kind, "/etc/passwd"
            archive.addfile(held)
        deep = tarfile.TarInfo(f"{cluster}/{'d/' * 3000}topics.yaml")
        archive.addfile(deep)


def test_bad_archives(
    spark: Session, thousand: Path, thousand_linted: list[str], tmp_path: Path
) -> None:
    fleet = thousand / "fleet"
    clusters = sorted(path.name for path in fleet.iterdir())[:240]
    dump = tmp_path / "dump"
    dump.mkdir()
    tarred(dump / "a.tar.gz", fleet, clusters[:80])
    tarred(dump / "b.tar", fleet, clusters[80:120], "w")
    zipped(dump / "c.zip", fleet, clusters[120:198])
    escaping(dump / "escaping.tar", fleet, clusters[198])
    for name, (spoil, _) in BAD_ARCHIVES.items():
        spoil(dump / name, fleet, clusters[200:204])
    rows = streamed(spark, [str(dump)], tmp_path / "out")

    healthy = set(clusters[:199])
    found = printed(records([row for row in rows["finding"] if row["unit"] != "escaped"]))
    assert found == [line for line in thousand_linted if folder_of(line) in healthy]
    # What leads out of an archive stays in it.
    audited_units = {row["unit"] for row in rows["unit"] if row["status"] == "audited"}
    assert audited_units == {*healthy, "escaped"}
    assert not list(tmp_path.rglob("escaped"))
    reasons = {row["unit"]: row["reason"] for row in rows["error"] if row["fatal"]}
    assert set(reasons) == set(BAD_ARCHIVES)
    for name, (_, words) in BAD_ARCHIVES.items():
        assert words in reasons[name]


def test_archives_are_read_as_unpackers_read_them(tmp_path: Path) -> None:
    plain = tmp_path / "plain.tar"
    with tarfile.open(plain, "w") as archive:

        def add(name: str, kind: bytes = tarfile.REGTYPE, to: str = "") -> None:
            held = tarfile.TarInfo(name)
            held.type, held.linkname, held.size = kind, to, 0 if to else len(DECLARATION)
            archive.addfile(held, None if to else io.BytesIO(DECLARATION))

        # As Kubernetes mounts a ConfigMap, beside a hard link and a name from the root.
        add("/c/..2024/kcheck.yaml")
        add("/c/..data", tarfile.SYMTYPE, "..2024")
        add("/c/kcheck.yaml", tarfile.SYMTYPE, "..data/kcheck.yaml")
        add("/c/hard.yaml", tarfile.LNKTYPE, "/c/..2024/kcheck.yaml")
        add("/c/gone.yaml", tarfile.SYMTYPE, "nowhere.yaml")
        add("/c/round.yaml", tarfile.SYMTYPE, "about.yaml")
        add("/c/about.yaml", tarfile.SYMTYPE, "round.yaml")
    data = plain.read_bytes()
    # Several pieces in one file, as parallel packers write them; its name does not tell.
    (tmp_path / "pieces.tar").write_bytes(gzip.compress(data[:2000]) + gzip.compress(data[2000:]))
    for name in ("plain.tar", "pieces.tar"):
        ((_, folder, files),) = archives.units(str(tmp_path / name))
        read = {str(path).removeprefix(f"{folder}/").removeprefix("c/") for path, *_ in files}
        assert read == {"..2024/kcheck.yaml", "kcheck.yaml", "hard.yaml"}
        assert {data for _, data, _ in files} == {DECLARATION}


# -- tables ---------------------------------------------------------------------------------


def test_bad_rows_of_tables(
    spark: Session, thousand: Path, thousand_linted: list[str], tmp_path: Path
) -> None:
    fleet = thousand / "fleet"
    clusters = sorted(path.name for path in fleet.iterdir())[:300]
    lines: list[bytes] = []

    def add(cluster: object, path: object, content: object) -> None:
        row = {"cluster": cluster, "path": path, "content": content}
        lines.append(json.dumps(row).encode())

    tainted = set()
    for name in clusters:
        for file in sorted((fleet / name).rglob("*.*")):
            try:
                add(name, str(file.relative_to(fleet)), file.read_bytes().decode())
            except UnicodeDecodeError:
                # Text cannot hold it.
                tainted.add(name)
    text = DECLARATION.decode()
    lines[50:50] = [b'{"cluster": "cut", "path": "cut/kc', b"", b"null", b"5", NOISE.randbytes(99)]
    lines[9:9] = [b'{"cluster": [1]}']
    add(None, "nobody/kcheck.yaml", text)
    add("pathless", None, text)
    add("textless", "textless/kcheck.yaml", None)
    add("big", "big/kcheck.yaml", "# kafka\n" * 700_000)
    add("binary", "binary/kcheck.yaml", "kafka\0")
    add("empty", "empty/kcheck.yaml", "")
    add("up", "../../up/kcheck.yaml", text)
    add("twice", "twice/kcheck.yaml", text)
    add("twice", "twice/kcheck.yaml", text)
    good = tmp_path / "files.jsonl"
    good.write_bytes(b"\n".join(lines))
    noise, nothing = tmp_path / "noise.parquet", tmp_path / "nothing.parquet"
    noise.write_bytes(NOISE.randbytes(5000))
    nothing.write_bytes(b"")
    rows = streamed(spark, [str(good), str(noise), str(nothing)], tmp_path / "out")

    kept = {*clusters} - tainted
    found = printed(records([row for row in rows["finding"] if row["unit"] in kept]))
    assert found == [line for line in thousand_linted if folder_of(line) in kept]
    fatal = {row["unit"]: row["reason"] for row in rows["error"] if row["fatal"]}
    # What of a line can be read makes it known whose it is.
    assert {"files.jsonl", "noise.parquet", "nothing.parquet"} <= set(fatal)
    assert set(fatal) <= {"files.jsonl", "noise.parquet", "nothing.parquet", "cut"}
    assert "not a JSON object" in fatal["files.jsonl"]
    assert "a row has no cluster: path nobody/kcheck.yaml" in fatal["files.jsonl"]
    assert "Could not read footer" in fatal["noise.parquet"]
    told = {row["unit"]: row["reason"] for row in rows["error"] if not row["fatal"]}
    assert told["textless"] == "a row has no content"
    assert told["pathless"] == told["[1]"] == "a row has no path"
    assert told["big"] == "larger than 5,242,880 bytes"
    assert "control characters" in told["binary"]
    assert told["empty"] == "empty"
    units = {row["unit"]: row["files_read"] for row in rows["unit"]}
    assert units["up"] == units["twice"] == 1


def test_a_packed_table_keeps_what_could_not_be_read(spark: Session, tmp_path: Path) -> None:
    (tmp_path / "dump" / "c1").mkdir(parents=True)
    (tmp_path / "dump" / "c1" / "kcheck.yaml").write_bytes(DECLARATION)
    (tmp_path / "dump" / "noise.zip").write_bytes(NOISE.randbytes(300))
    table_at = tmp_path / "packed.parquet"
    pack.pack(spark, Plan((str(tmp_path / "dump"),), str(table_at), Settings()))
    rows = streamed(spark, [str(table_at)], tmp_path / "out")
    assert {(row["unit"], row["status"]) for row in rows["unit"]} == {
        ("c1", "audited"),
        ("noise.zip", "failed"),
    }
    assert [row["reason"] for row in rows["error"]] == ["File is not a zip file"]


# -- the death of workers -------------------------------------------------------------------


class Deadly:
    """In the place of what excludes files, which runs in the workers: some names kill them."""

    def __init__(self) -> None:
        self.driver = os.getpid()

    def __call__(self, path: str) -> bool:
        if os.getpid() != self.driver:
            name = path.rpartition("/")[2]
            if name == "kills.yaml":
                os.kill(os.getpid(), signal.SIGKILL)
            if name == "crashes.yaml":
                os.kill(os.getpid(), signal.SIGSEGV)
            if name == "leaves.yaml":
                os._exit(3)
            if name == "kills-once.yaml" and not attempts():
                os.kill(os.getpid(), signal.SIGKILL)
            if name == "kills-above.yaml":
                # The worker itself, when the unit is linted in a process below it.
                os.kill(os.getppid() if attempts() else os.getpid(), signal.SIGKILL)
        return False


def attempts() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.attemptNumber() if context is not None else 0


def deadly() -> Settings:
    return Settings(excluded=Deadly())


def test_what_kills_a_worker_is_a_row(
    spark: Session, fleet: Path, lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copied(fleet / "fleet", tmp_path / "fleet")
    for cluster, name in (
        ("c000003", "kills.yaml"),
        ("c000013", "crashes.yaml"),
        ("c000023", "leaves.yaml"),
        ("c000033", "kills-once.yaml"),
    ):
        (copy / cluster / name).write_text("a: 1\n")
    rows = streamed(spark, [str(copy)], tmp_path / "out", settings=deadly(), partitions=6)
    reasons = {row["unit"]: row["reason"] for row in rows["error"] if row["fatal"]}
    assert reasons == {
        "c000003": "its process was killed (SIGKILL), probably for lack of memory",
        "c000013": "its process crashed (SIGSEGV)",
        "c000023": "its process ended with code 3",
    }
    monkeypatch.chdir(copy)
    healthy = [f for f in lint(".") if f["path"].split("/")[0] not in reasons]
    assert records(rows["finding"]) == healthy
    units = [row["unit"] for row in rows["unit"]]
    assert len(units) == len(set(units)) == 60


def test_a_worker_that_always_dies_ends_the_run_with_a_sentence(
    spark: Session, fleet: Path, tmp_path: Path
) -> None:
    copy = copied(fleet / "fleet", tmp_path / "fleet")
    (copy / "c000007" / "kills-above.yaml").write_text("a: 1\n")
    with pytest.raises(spark_errors.GaveUp) as raised:
        audited(spark, [str(copy)], tmp_path / "out", settings=deadly(), partitions=15)
    said = str(raised.value)
    assert said.startswith("Spark failed at step lint: task ")
    assert "failed 3 times over " in said
    assert "Python worker exited unexpectedly (crashed)" in said
    inputs = work.opened([str(copy)], Settings())
    number = int(said.split("task ")[1].split()[0])
    folders, _ = ingest.parts(inputs, 2, 15)
    assert "c000007" in {unit.name for unit in folders[number]}
    assert all(unit.name in said for unit in folders[number])
    # Nothing is published, nothing is left.
    assert not list((tmp_path / "out").rglob("*.parquet"))


def test_a_process_apart_gives_its_result_or_the_reason() -> None:
    assert child_process.apart(lambda: list(range(100_000))) == list(range(100_000))
    for way, words in (
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
        (lambda: os.kill(os.getpid(), limits.LAST_SIGNAL), "did not return"),
        (lambda: os._exit(7), "code 7"),
        (lambda: 1 / 0, "code 1"),
    ):
        with pytest.raises(child_process.Died, match=words):
            child_process.apart(way)


def test_what_never_comes_back_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the eye of the timer is shut: in C, which looks at no signal."""
    monkeypatch.setattr(limits, "_GRACE", 0.3)

    def stuck() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        while True:
            pass

    with pytest.raises(child_process.Died, match="did not return"):
        child_process.apart(lambda: limits.guarded(stuck, 0.2, 0))


def test_local_masters_try_again() -> None:
    assert session.retrying("local") == "local[1,3]"
    assert session.retrying("local[*]") == "local[*,3]"
    assert session.retrying("local[2,1]") == "local[2,1]"
    assert session.retrying("local-cluster[2,1,512]") == "local-cluster[2,1,512]"
    assert session.retrying("spark://host:7077") == "spark://host:7077"

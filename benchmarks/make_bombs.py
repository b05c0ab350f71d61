"""Inputs of a few bytes or with a few names that stand for very much, each for a folder of its own.

``IN_FOLDERS`` writes one into a folder that is a cluster, ``ARCHIVES`` an archive of its own beside
such folders. Everything here is made from scratch: nothing large is kept.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

MEBI = 1 << 20
DECLARATION = b'kcheck: 1\ncluster: {name: bomb, kafka_version: "4.0.0", brokers: 3}\n'


def aliases(folder: Path) -> None:
    """YAML whose aliases stand for 4 to the power of 30 nodes."""
    lines = [b"kafka0: &a0 [kafka, kafka]"]
    lines += [b"k%d: &a%d [%s]" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 4)) for n in range(1, 30)]
    (folder / "aliases.yaml").write_bytes(b"\n".join(lines))


def interpolation(folder: Path) -> None:
    """Variables that stand for two of the one before: 2 to the power of 40."""
    lines = ["V0=kafka:9092,"] + [f"V{n}=${{V{n - 1}}}${{V{n - 1}}}" for n in range(1, 41)]
    (folder / ".env").write_text("\n".join(lines) + "\n")
    (folder / "docker-compose.yml").write_text(
        "services:\n  kafka:\n    image: apache/kafka:4.0.0\n    environment:\n"
        "      KAFKA_BROKER_ID: 1\n      KAFKA_LOG_DIRS: ${V40}\n"
    )


def defaults(folder: Path) -> None:
    """An expansion within the default of another, 100,000 deep."""
    (folder / "docker-compose.yml").write_bytes(
        b"services:\n  k:\n    image: apache/kafka:4.0.0\n    environment:\n"
        b"      KAFKA_LOG_DIRS: " + b"${A:-" * 100_000 + b"\n"
    )


def product(folder: Path) -> None:
    """Terraform whose locals double each other, and a product of lists of them."""
    doubled = [f'  v{n} = "${{local.v{n - 1}}}${{local.v{n - 1}}}"' for n in range(1, 41)]
    squared = [f"  l{n} = setproduct(local.l{n - 1}, local.l{n - 1})" for n in range(1, 8)]
    (folder / "main.tf").write_text(
        "\n".join(
            [
                "locals {",
                '  v0 = "kafka:9092,"',
                '  l0 = ["a", "b", "c"]',
                *doubled,
                *squared,
                "}",
                'resource "kafka_topic" "t" {',
                "  for_each = toset(local.l7)",
                '  name = "${each.key}-${local.v40}"',
                "  partitions = 3",
                "  replication_factor = 3",
                "}",
            ]
        )
    )


def depth(folder: Path) -> None:
    """Brackets, braces and blocks within each other, in every syntax."""
    (folder / "deep.yaml").write_bytes(b"kafka: " + b"[" * 100_000)
    (folder / "deep.json").write_bytes(b'{"kafka":' * 100_000)
    (folder / "deep.tf").write_bytes(b'resource "kafka_topic" "t" {\n' + b"a {\n" * 50_000)
    (folder / "blocks.yaml").write_bytes(b"".join(b" " * n + b"kafka:\n" for n in range(1500)))


def line(folder: Path) -> None:
    """A file of 100 MB that is one line."""
    with (folder / "server.properties").open("wb") as file:
        file.write(b"broker.id=1\nlog.dirs=")
        for _ in range(100):
            file.write(b"/data/kafka-logs," * (MEBI // 17))


def repeated(folder: Path) -> None:
    """5 MB of the shortest lines that say something."""
    (folder / "server.properties").write_bytes(b"broker.id=1\n" * 430_000)


def topics(folder: Path) -> None:
    """50,000 topics in one file, no two alike."""
    lines = (f"  - {{name: t{n}, partitions: {n}}}\n" for n in range(50_000))
    (folder / "topics.yaml").write_text("topics:\n" + "".join(lines))


def loops(folder: Path) -> None:
    """Links to folders above, to each other and to themselves."""
    (folder / "kcheck.yaml").write_bytes(DECLARATION)
    (folder / "above").symlink_to("..")
    (folder / "here").symlink_to(".")
    (folder / "me.yaml").symlink_to("me.yaml")
    (folder / "one.yaml").symlink_to("other.yaml")
    (folder / "other.yaml").symlink_to("one.yaml")
    (folder / "zero.yaml").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.properties")


#: Who writes it, and whether the cluster is audited all the same.
IN_FOLDERS: dict[str, Callable[[Path], None]] = {
    made.__name__: made
    for made in (
        aliases,
        interpolation,
        defaults,
        product,
        depth,
        line,
        repeated,
        topics,
        loops,
    )
}


# -- archives -------------------------------------------------------------------------------


def _member(name: str, size: int, kind: bytes = tarfile.REGTYPE, to: str = "") -> bytes:
    held = tarfile.TarInfo(name)
    held.size, held.type, held.linkname = size, kind, to
    return held.tobuf(tarfile.GNU_FORMAT)


def huge_member(at: Path) -> None:
    """A member of 8 GiB in 8 MB."""
    zeros = gzip.compress(bytes(64 * MEBI), 9)
    at.write_bytes(gzip.compress(_member("c/kcheck.yaml", 8 << 30)) + zeros * 128)


def many_members(at: Path) -> None:
    """More than a million empty members."""
    piece = b"".join(
        _member(f"c/{n}/", 0, tarfile.DIRTYPE) + _member(f"c/{n}.yaml", 0) for n in range(1000)
    )
    at.write_bytes(gzip.compress(piece) * 600)


def long_header(at: Path) -> None:
    """A header for the next member's name, of 3 GiB."""
    zeros = gzip.compress(b"x" * (64 * MEBI), 9)
    at.write_bytes(
        gzip.compress(_member("././@LongLink", 3 << 30, tarfile.GNUTYPE_LONGNAME)) + zeros * 48
    )


def long_links(at: Path) -> None:
    """Links that lead through a path of 2.5 million folders, and in circles, in a healthy cluster."""
    with zipfile.ZipFile(at, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("linked/kcheck.yaml", DECLARATION)
        for n in range(20):
            link = zipfile.ZipInfo(f"linked/{n}.yaml")
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(link, "a/" * (5 * MEBI // 2) if n < 10 else f"{n % 2 + 10}.yaml")


def zip_of_zeros(at: Path) -> None:
    """2.5 GiB of files in 2.5 MB."""
    with zipfile.ZipFile(at, "w", zipfile.ZIP_DEFLATED) as archive:
        data = bytes(5 * MEBI)
        for n in range(500):
            archive.writestr(f"z/{n}.yaml", data)


def overlapping(at: Path) -> None:
    """A zip whose directory names the same piece 100,000 times."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("c/0.yaml", bytes(5 * MEBI))
    data = held.getvalue()
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entry, count = data[start:end], 60_000
    name = entry.index(b"c/0.yaml")
    directory = b"".join(entry[:name] + b"c/%06d" % n + entry[name + 8 :] for n in range(count))
    tail = bytearray(data[end:])
    tail[8:12] = count.to_bytes(2, "little") * 2
    tail[12:16] = len(directory).to_bytes(4, "little")
    at.write_bytes(data[:start] + directory + tail)


def large_unit(at: Path) -> None:
    """900 MiB of files that are each just small enough to be read, in 1 MB."""
    text = b"# kafka\n" * (MEBI * 9 // 16)
    with zipfile.ZipFile(at, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(200):
            archive.writestr(f"large/{n}.yaml", text)


def outside(at: Path) -> None:
    """Names and links that lead out of the archive, beside a healthy cluster."""
    with tarfile.open(at, "w") as archive:
        for name in ("out/kcheck.yaml", "../../escaped.yaml", "/escaped.yaml", "..", "/", "."):
            held = tarfile.TarInfo(name)
            held.size = len(DECLARATION)
            archive.addfile(held, io.BytesIO(DECLARATION))
        for n, to in enumerate(("/etc/passwd", "../../../etc/passwd", "0.yaml", "/", "..")):
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                held = tarfile.TarInfo(f"out/{n}{kind.decode()}.yaml")
                held.type, held.linkname = kind, to
                archive.addfile(held)


#: File name → who writes it.
ARCHIVES: dict[str, Callable[[Path], None]] = {
    "huge.tgz": huge_member,
    "many.tgz": many_members,
    "header.tgz": long_header,
    "links.zip": long_links,
    "zeros.zip": zip_of_zeros,
    "overlap.zip": overlapping,
    "large.zip": large_unit,
    "outside.tar": outside,
}

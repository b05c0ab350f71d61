"""What the facts of one Kafka version cost one run, as a share of bare ``python -c pass``.

    python benchmarks/facts.py [--runs N] [--smoke]

First ``kcheck lint`` runs on projects and tells which planes and keys it asked the catalogue for. Then
two commands run in turn: bare Python, and Python that imports the catalogue and looks up, in one
version, the keys of the project that asked for most: one with misspelt keys, whose meaning is looked
for in all planes. The figure is the median of the
differences within the pairs, divided by the median of bare Python (user + system time). It also
shows which planes each kind of file loads. Exits 1 where the share is over the limit, or where a
plane is loaded that the files have nothing of.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from run import measure

ROOT = Path(__file__).resolve().parent.parent

#: The most that the facts may cost, in units of ``python -c pass``.
LIMIT = 0.25

#: Runs lint, then prints the tables that were read and the keys that were asked for.
_RECORD = """
import contextlib, io, sys
from kcheck.__main__ import main
from kcheck import catalogue
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    main(["lint", "--jobs", "1", "--isolated", *sys.argv[1:]])
for name, plane in catalogue._planes.items():
    print(name, *plane._facts, sep="\\t")
"""
#: Looks the same keys up and does nothing else.
_LOAD = """
import sys
from kcheck import catalogue
from kcheck.version import Version
version = Version("3.9")
with open(sys.argv[1]) as lines:
    for line in lines:
        name, *keys = line[:-1].split("\\t")
        catalogue.plane(name)
        for key in keys:
            catalogue.fact(name, key, version)
"""

#: A small project by its files, and the planes that it may load.
PROJECTS: dict[str, tuple[dict[str, str], set[str]]] = {
    "brokers": (
        {"server.properties": "broker.id=1\nzookeeper.connect=zk:2181\nlog.dirs=/data\n"},
        {"broker", "topic", "consumer"},
    ),
    "topics": (
        {"kcheck.yaml": "topics: [{name: orders, partitions: 6, config: {retention.ms: 1000}}]\n"},
        {"broker", "topic"},
    ),
    "all": (
        {
            "server.properties": "broker.id=1\nzookeeper.connect=zk:2181\nlog.dirs=/data\n"
            "min.insync.replicas=2\ndefault.replication.factor=3\n",
            "producer.properties": "bootstrap.servers=k:9092\nacks=all\nlinger.ms=5\n",
            "consumer.properties": "bootstrap.servers=k:9092\ngroup.id=g\nmax.poll.records=100\n",
            "kcheck.yaml": 'cluster: {kafka_version: "3.9"}\n'
            "topics: [{name: orders, partitions: 6, config: {retention.ms: 86400000}}]\n",
        },
        {"broker", "topic", "producer", "consumer"},
    ),
}


def python(program: str, *arguments: str) -> list[str]:
    return [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{program}",
        *arguments,
    ]


def asked(folder: Path) -> str:
    """The planes that lint of the folder reads, a line each, with the keys that it asks for."""
    run = subprocess.run(python(_RECORD, str(folder)), capture_output=True, text=True, check=True)
    return run.stdout


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--smoke", action="store_true", help="three pairs, which judge no time")
    given = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        for name, (files, allowed) in PROJECTS.items():
            told = asked(write(Path(temporary) / name, files))
            planes = [line.split("\t")[0] for line in told.splitlines()]
            count = sum(len(line.split("\t")) - 1 for line in told.splitlines())
            extra = set(planes) - allowed
            failed = failed or bool(extra)
            over = f"  (not of these files: {', '.join(sorted(extra))})" if extra else ""
            print(f"{name}: {', '.join(sorted(planes))}; {count} keys{over}")
        keys = Path(temporary) / "keys"
        told = asked(ROOT / "fixtures" / "payments")
        keys.write_text(told)
        print(f"with faults: {len(told.split())} planes and keys")
        load, bare = python(_LOAD, str(keys)), [sys.executable, "-c", "pass"]
        pairs: list[tuple[float, float]] = []
        measure(load)  # warm up: byte code, page cache
        for _ in range(3 if given.smoke else given.runs):
            pairs.append((measure(bare)[0], measure(load)[0]))
    own = statistics.median(first for first, _ in pairs)
    share = statistics.median(second - first for first, second in pairs) / own
    slow = share > LIMIT
    verdict = "" if given.smoke else f" (at most {LIMIT}: {'OVER' if slow else 'ok'})"
    print(f"facts of one version: {share:.3f}x of python -c pass, {len(pairs)} pairs{verdict}")
    return 1 if failed or (slow and not given.smoke) else 0


if __name__ == "__main__":
    sys.exit(main())

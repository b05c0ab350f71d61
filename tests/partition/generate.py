#!/usr/bin/env python3
"""Ask real clients and brokers where they put keys and groups, and keep what they say.

    python tests/partition/generate.py

Kafka's own classes answer from its jars (``schemas/kafka/generate.py`` fetches them), librdkafka
from the ``confluent-kafka`` wheel, kafka-python and aiokafka from theirs. Releases of one client
that do not agree are an error. Writes beside this file

- ``keys.tsv``     kind, as written, the bytes of Kafka's serializer, and the partitions (of the
                   numbers in COUNTS) by murmur2, CRC-32 and FNV-1a
- ``keyless.tsv``  what becomes of records without a key, and with an empty one, in a topic of 4:
                   a partition, or ``any``. librdkafka's producers write to its mock cluster
- ``groups.tsv``   names, and their partitions of __consumer_offsets and __transaction_state

Needs a JDK of 17 or newer, Maven, pip, and x86-64 Linux.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import random
import subprocess
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
SCHEMAS = HERE.parents[1] / "schemas"
COUNTS = (2**31 - 1, 50, 12)
GROUP_COUNTS = (50, 7, 1000)
#: The first has no BuiltInPartitioner yet, the second the coordinators of old.
RELEASES = ("2.8.2", "3.9.2", "4.4.0")
LIBRDKAFKA = ("1.5.0", "2.16.1")
#: The functions that librdkafka exports, by the column that each must agree with.
FUNCTIONS = {
    "murmur2": ("murmur2", "murmur2_random"),
    "crc32": ("consistent", "consistent_random"),
    "fnv1a": ("fnv1a", "fnv1a_random"),
}
Key = tuple[str, str]


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"generate_{path.parent.name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


CLIENTS, KAFKA = loaded(SCHEMAS / "clients/generate.py"), loaded(SCHEMAS / "kafka/generate.py")


def keys() -> list[Key]:
    """(kind, written): every length up to 40, around powers of two, bytes of any sort."""
    dice = random.Random(20240229)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789-_.:/ "
    wide = "äöüßéèçñøåłčřžабвгдежзийΩλπ中文字符日本語ひらがな한국어עבריתالعربية€…😀🐘🎉𝄞"
    found: list[Key] = [("text", ""), ("text", "null"), ("text", "polygenelubricants")]
    for length in (*range(1, 41), 63, 64, 65, 126, 127, 128, 129, 255, 256, 257):
        for _ in range(3 if length <= 40 else 1):
            found.append(("text", "".join(dice.choices(letters, k=length)).strip() or "x"))
    for length in (*range(1, 16), 40, 64):
        found += [("text", "".join(dice.choices(wide, k=length))) for _ in range(3)]
    found += [("text", str(uuid.UUID(int=dice.getrandbits(128)))) for _ in range(20)]
    found += [("text", f"user-{dice.randrange(10**6)}") for _ in range(20)]
    for length in (*range(1, 33), 127, 128, 300):
        found.append(("hex", dice.randbytes(length).hex()))
    found += [
        ("hex", byte * length) for byte in ("00", "7f", "80", "ff") for length in (1, 3, 4, 9)
    ]
    edges = [sign * (2**n + d) for n in range(0, 31, 5) for d in (-1, 0, 1) for sign in (1, -1)]
    found += [("int", str(n)) for n in (*edges, 2**31 - 1, -(2**31))]
    found += [("long", str(n)) for n in (*edges, 2**40, -(2**40), 2**63 - 1, -(2**63))]
    return list(dict.fromkeys(found))


def groups() -> list[str]:
    dice = random.Random(7)
    named = [
        "",
        "a",
        "billing",
        "polygenelubricants",
        "größe",
        "заказы",
        "😀",
        "a😀b",
        "connect-s3",
    ]
    named += [f"consumer-{dice.randrange(10**9)}" for _ in range(40)]
    return named + [str(uuid.UUID(int=dice.getrandbits(128))) for _ in range(20)]


# ---- Kafka ----------------------------------------------------------------------------------


def kafka(release: str, lines: Iterable[str], counts: Sequence[int]) -> list[list[str]]:
    """What one release answers to each line."""
    jars = Path.home() / ".cache/kcheck/jars" / release
    with tempfile.TemporaryDirectory() as classes:
        source, path = str(HERE / "Partitions.java"), f"{jars}/*"
        subprocess.run(
            [KAFKA.java_tool("javac"), "-nowarn", "-cp", path, "-d", classes, source], check=True
        )
        ran = subprocess.run(
            [
                *(KAFKA.java_tool("java"), "-Dfile.encoding=UTF-8"),
                *("-cp", f"{classes}{os.pathsep}{path}", "Partitions", *map(str, counts)),
            ],
            input="".join(f"{line}\n" for line in lines).encode(),
            capture_output=True,
            check=True,
        )
    return [line.split("\t") for line in ran.stdout.decode().splitlines()]


# ---- librdkafka, kafka-python, aiokafka ------------------------------------------------------


def unpacked(package: str, release: str, folder: str) -> Path:
    with zipfile.ZipFile(
        CLIENTS.wheel(package, release, Path.home() / ".cache/kcheck/wheels")
    ) as z:
        z.extractall(folder)
    return Path(folder)


def librdkafka(release: str, data: list[bytes]) -> Iterator[tuple[str, str, list[list[str]]]]:
    """(column, function, answers) of the functions that the shared library exports."""
    with tempfile.TemporaryDirectory() as folder:
        (library,) = unpacked("confluent-kafka", release, folder).glob("*.libs/librdkafka-*.so*")
        # Its neighbours are found by the names that the wheel gave them.
        for other in sorted(library.parent.glob("*.so*")):
            if other != library:
                for _ in range(2):
                    try:
                        ctypes.CDLL(str(other), ctypes.RTLD_GLOBAL)
                    except OSError:
                        continue
        loaded_library = ctypes.CDLL(str(library))
        for column, names in FUNCTIONS.items():
            for name in names:
                function = getattr(loaded_library, f"rd_kafka_msg_partitioner_{name}")
                function.restype = ctypes.c_int32
                function.argtypes = [
                    *(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32),
                    *(ctypes.c_void_p, ctypes.c_void_p),
                ]
                # Without a topic the random ones must not be asked to choose at random.
                answers = [
                    [str(function(None, d, len(d), count, None, None)) for count in COUNTS]
                    if d or not name.endswith("_random")
                    else []
                    for d in data
                ]
                yield column, name, answers


_PYTHON = {
    "kafka-python": "from kafka.partitioner.default import murmur2",
    "aiokafka": "import runpy, sys; murmur2 = runpy.run_path(sys.path[0] + '/partitioner.py')['murmur2']",
}


def python_client(package: str, release: str, data: list[bytes]) -> list[list[str]]:
    """The hash of a Python client, masked and divided as its default partitioner does."""
    with tempfile.TemporaryDirectory() as folder:
        root = unpacked(package, release, folder)
        program = (
            f"import sys; sys.path.insert(0, {str(root / ('aiokafka' * (package == 'aiokafka')))!r})\n"
            f"{_PYTHON[package]}\n"
            "for line in sys.stdin:\n"
            "    h = murmur2(bytes.fromhex(line)) & 0x7fffffff\n"
            f"    print(*[h % count for count in {COUNTS}], sep='\\t')\n"
        )
        ran = subprocess.run(
            [sys.executable, "-I", "-c", program],
            input="".join(f"{d.hex()}\n" for d in data),
            capture_output=True,
            text=True,
            check=True,
        )
    return [line.split("\t") for line in ran.stdout.splitlines()]


_MOCK = """
import sys, time
from confluent_kafka import Producer
for name in sys.argv[1:]:
    told = []
    for key in (None, b""):
        seen = set()
        producer = Producer({
            "bootstrap.servers": "mock", "test.mock.num.brokers": 1, "linger.ms": 1,
            "partitioner": name, "log_level": 0,
        })
        for _ in range(40):
            producer.produce("t", b"", key=key, on_delivery=lambda e, m: seen.add(m.partition()))
            producer.poll(0)
            time.sleep(0.004)
        producer.flush()
        told.append(str(*seen) if len(seen) == 1 else "any")
    print(name, *told, sep="\\t")
"""


def mocked() -> list[list[str]]:
    """What librdkafka's producers do with records without a key, on a cluster of its own making."""
    names = [name for functions in FUNCTIONS.values() for name in functions]
    with tempfile.TemporaryDirectory() as folder:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder]
        subprocess.run([*install, f"confluent-kafka=={LIBRDKAFKA[-1]}"], check=True)
        ran = subprocess.run(
            [sys.executable, "-c", _MOCK, *names],
            env={**os.environ, "PYTHONPATH": folder},
            capture_output=True,
            text=True,
            check=True,
        )
    return [line.split("\t") for line in ran.stdout.splitlines()]


# ---- tables ---------------------------------------------------------------------------------


def agreed(who: str, theirs: list[list[str]], ours: list[list[str]]) -> None:
    """End with exit code 1 where two that must agree do not."""
    for at, (one, other) in enumerate(zip(theirs, ours, strict=True)):
        if one and one != other:
            print(f"{who}: key {at} goes to {one}, not to {other}", file=sys.stderr)
            raise SystemExit(1)


def write(name: str, columns: str, rows: Iterable[Sequence[str]]) -> None:
    head = "# made by `python tests/partition/generate.py`, which explains the columns\n"
    body = "".join("\t".join(row) + "\n" for row in rows)
    (HERE / name).write_text(f"{head}{columns}\n{body}", encoding="utf-8", newline="\n")


def main() -> None:
    """Ask everybody and write the tables."""
    asked = keys()
    lines = [f"{kind}\t{written}" for kind, written in asked]
    answers = [kafka(release, lines, COUNTS) for release in RELEASES]
    for release, other in zip(RELEASES, answers, strict=True):
        agreed(f"Kafka {release}", other, answers[-1])
    # An empty key has no first column to print.
    told = [row if len(row) > len(COUNTS) else ["", *row] for row in answers[-1]]
    data = [bytes.fromhex(row[0]) for row in told]
    by_column = {"murmur2": [row[1:] for row in told]}
    for release in LIBRDKAFKA:
        for column, name, theirs in librdkafka(release, data):
            agreed(f"librdkafka {release} {name}", theirs, by_column.setdefault(column, theirs))
    for package in _PYTHON:
        releases = list(CLIENTS.LIBRARIES[package][1].values())
        for release in (releases[0], releases[-1]):
            theirs = python_client(package, release, data)
            agreed(f"{package} {release}", theirs, by_column["murmur2"])
    write(
        "keys.tsv",
        "kind\twritten\tbytes\tmurmur2\tcrc32\tfnv1a",
        (
            (*key, d.hex(), *(",".join(by_column[column][at]) for column in FUNCTIONS))
            for at, (key, d) in enumerate(zip(asked, data, strict=True))
        ),
    )
    write("keyless.tsv", "partitioner\twithout\tempty", mocked())
    names = groups()
    both = [kafka(r, (f"group\t{n}" for n in names), GROUP_COUNTS) for r in RELEASES[1:]]
    agreed("Kafka's coordinators", both[0], both[1])
    half = len(GROUP_COUNTS)
    write(
        "groups.tsv",
        "name\toffsets\ttransactions",
        (
            (name, ",".join(row[:half]), ",".join(row[half:]))
            for name, row in zip(names, both[1], strict=True)
        ),
    )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Extract the exceptions of Kafka, and the errors of librdkafka, from their releases.

    python schemas/errors/generate.py [--check]

One JVM per release lists the public exceptions in Kafka's jars (``schemas/kafka/generate.py``
fetches them) and the errors of the protocol that they stand for. librdkafka's newest shared
library (``schemas/clients/generate.py`` fetches it) lists its own errors. ``--check`` writes
nothing, shows where the committed tables differ and exits 1 (2: no jars). Needs a JDK of 17 or
newer, Maven, pip, and x86-64 Linux.

- ``exceptions.tsv``  class, versions, parent (its simple name), ``retriable`` (clients try again),
                      and the protocol's error and its number where one stands for the class
- ``librdkafka.tsv``  name and number of the errors that no broker sends

``errors.yaml`` beside them is written by hand: what the errors mean, and where they come from.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tables import Row, deliver, fail, render  # noqa: E402

COMMAND = "python schemas/errors/generate.py"
COLUMNS = ("class", "versions", "parent", "retriable", "error", "code")
#: Other jars are not Kafka's.
OURS = ("kafka", "connect")


def loaded(folder: str) -> ModuleType:
    """The generator of a neighbouring folder."""
    spec = importlib.util.spec_from_file_location(
        f"generate_{folder}", HERE.parent / folder / "generate.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


KAFKA, CLIENTS = loaded("kafka"), loaded("clients")


def exceptions(cache: Path) -> str:
    """exceptions.tsv as text."""
    facts: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as classes:
        source = HERE / "Exceptions.java"
        subprocess.run([KAFKA.java_tool("javac"), "-d", classes, source], check=True)
        for minor, patch in KAFKA.RELEASES.items():
            jars = sorted(KAFKA.jars_of(patch, cache / "jars").glob("*.jar"))
            path = os.pathsep.join([classes, *map(str, jars)])
            mine = [str(jar) for jar in jars if jar.name.startswith(OURS)]
            ran = subprocess.run(
                [KAFKA.java_tool("java"), "-cp", path, "Exceptions", *mine],
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            if ran.returncode:
                fail(f"could not read {patch}:\n{ran.stderr}")
            facts[minor] = [tuple(line.split("\t")) for line in ran.stdout.splitlines()]
    head = ["Kafka: its public exceptions", f"made by `{COMMAND}`, which explains the columns"]
    return render(head, COLUMNS, KAFKA.MINORS, facts)


class _Description(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("name", ctypes.c_char_p), ("text", ctypes.c_char_p)]


def librdkafka(cache: Path) -> str:
    """librdkafka.tsv as text: of the library's newest release."""
    release = list(CLIENTS.LIBRARIES["librdkafka"][1].values())[-1]
    wheel = CLIENTS.wheel("confluent-kafka", release, cache / "wheels")
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)
        (path,) = Path(folder).glob("*.libs/librdkafka-*.so*")
        library = ctypes.CDLL(str(path))
        listed, count = ctypes.POINTER(_Description)(), ctypes.c_size_t()
        library.rd_kafka_get_err_descs(ctypes.byref(listed), ctypes.byref(count))
        own = [
            (listed[at].name.decode(), str(listed[at].code))
            for at in range(count.value)
            if listed[at].name and listed[at].code < -1
        ]
    lines = [
        f"# librdkafka {release}: the errors of its own",
        f"# made by `{COMMAND}`, which explains the columns",
        "name\tcode",
        *("\t".join(row) for row in sorted(own)),
    ]
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract Kafka's errors from its releases.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    cache = Path.home() / ".cache" / "kcheck"
    texts = {"exceptions.tsv": exceptions(cache), "librdkafka.tsv": librdkafka(cache)}
    return deliver(HERE, texts, "releases", arguments.check)


if __name__ == "__main__":
    sys.exit(main())

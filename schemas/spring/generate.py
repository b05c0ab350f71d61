#!/usr/bin/env python3
"""Extract what Spring Boot binds below ``spring.kafka.`` from the metadata in its jars.

    python schemas/spring/generate.py [--cache DIR] [--check]

Maven fetches the jar that holds Kafka's properties of each minor. Names, types and defaults are
those of its ``spring-configuration-metadata.json``; which of Kafka's keys a property sets is read
from the constants of the class that it is bound to (``javap``). The table beside this file is
written; ``--check`` writes nothing, shows where the committed one differs and exits 1 (2: a jar
could not be had). Needs a JDK and Maven.

- property  without ``spring.kafka.``; Spring also takes ``maxPollRecords``, ``max_poll_records`` and,
            as a variable of the environment, ``SPRING_KAFKA_CONSUMER_MAXPOLLRECORDS``
- type      ``duration`` (``5s``; a bare number is ms) and ``size`` (``1MB``, which is 2**20 bytes here;
            a bare number is bytes) are Spring's own, ``map`` holds Kafka's keys as they are
- default   ``null`` (Kafka's own holds) or ``=TEXT``
- kafka     Kafka's key; empty where it is none
- flags     ``deprecated``, ``unbound`` (not bound any more), ``now=PROPERTY`` (what took its place)
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from jars import jar  # noqa: E402
from tables import Row, deliver, fail, render  # noqa: E402

COMMAND = "python schemas/spring/generate.py"
COLUMNS = ("property", "versions", "type", "default", "kafka", "flags")
PREFIX = "spring.kafka."
METADATA = "META-INF/spring-configuration-metadata.json"

#: The releases that are read, one of each minor that people run. A new release is one line here.
RELEASES = (
    ("2.7.18", "spring-boot-autoconfigure"),
    ("3.0.13", "spring-boot-autoconfigure"),
    ("3.2.12", "spring-boot-autoconfigure"),
    ("3.3.13", "spring-boot-autoconfigure"),
    ("3.4.13", "spring-boot-autoconfigure"),
    ("3.5.9", "spring-boot-autoconfigure"),
    ("4.0.3", "spring-boot-kafka"),
    ("4.1.0", "spring-boot-kafka"),
)

TYPES = {
    "java.lang.Boolean": "boolean",
    "java.lang.Integer": "int",
    "java.lang.Long": "long",
    "java.lang.Float": "double",
    "java.lang.Double": "double",
    "java.lang.String": "string",
    "java.lang.Class<?>": "class",
    "java.time.Duration": "duration",
    "java.util.List<java.lang.String>": "list",
    "java.util.Map<java.lang.String,java.lang.String>": "map",
    "org.springframework.core.io.Resource": "resource",
    "org.springframework.util.unit.DataSize": "size",
}
#: The classes that the properties of a group are bound to.
GROUPS = {"admin": "Admin", "consumer": "Consumer", "producer": "Producer", "streams": "Streams"}
SHARED = {"ssl": "Ssl", "security": "Security"}
#: So many last letters may differ: ``fetch-min-size`` is ``fetch.min.bytes``.
_ENDINGS = 4


def properties(path: Path) -> list[Row]:
    """The rows of one release, without versions."""
    with zipfile.ZipFile(path) as archive:
        told = json.loads(archive.read(METADATA))["properties"]
        home = next(
            n
            for n in archive.namelist()
            if n.endswith(("/kafka/KafkaProperties.class", "/autoconfigure/KafkaProperties.class"))
        )
    outer = home.removesuffix(".class").replace("/", ".")
    names = ("", *GROUPS.values(), *SHARED.values())
    classes = [f"{outer}${name}" if name else outer for name in names]
    keys = dict(zip(names, constants(path, classes), strict=True))
    rows: list[Row] = []
    for one in told:
        if not one["name"].startswith(PREFIX):
            continue
        name = one["name"].removeprefix(PREFIX)
        kind = TYPES.get(one.get("type", ""), "enum" if "$" in one.get("type", "") else "")
        if not kind:
            fail(f"{path.name}: {name} is of the new type {one.get('type')}")
        rows.append((name, kind, default(one), key_of(name, keys), flags(one)))
    return rows


def constants(path: Path, names: list[str]) -> list[list[str]]:
    """The texts that the methods of each class load."""
    command = ["javap", "-c", "-p", "-cp", str(path), *names]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    _, *classes = run.stdout.split("Compiled from ")
    if len(classes) != len(names):
        fail(f"javap could not read {path.name}:\n{run.stderr}")
    return [re.findall(r"// String ([a-z][a-z0-9.]+)$", text, re.MULTILINE) for text in classes]


def key_of(name: str, keys: dict[str, list[str]]) -> str:
    """Kafka's key of a property: the constant of its class that reads most like it."""
    group, _, rest = name.partition(".")
    if group not in GROUPS:
        group, rest = "", name
    part = rest.partition(".")[0]
    if "." in rest and part not in SHARED:
        return ""
    home = SHARED.get(part, "") if "." in rest else GROUPS.get(group, "")
    best = max(keys[home], key=lambda key: alike(rest, key), default="")
    return best if alike(rest, best) else ""


def alike(name: str, key: str) -> int:
    """How many letters a property and a key have in common; 0 where they are not the same thing."""
    letters, other = re.sub(r"[-.]", "", name), key.replace(".", "")
    if letters == other:
        return len(other)
    words, others = re.split(r"[-.]", name), key.split(".")
    differing = sum(one != two for one, two in zip(words, others, strict=False))
    pairs = enumerate(zip(letters, other, strict=False))
    same = next((at for at, (one, two) in pairs if one != two), min(len(letters), len(other)))
    if len(words) == len(others) > 2 and differing == 1:
        return same
    return same if len(others) > 1 and same >= len(letters) - _ENDINGS else 0


def default(one: dict[str, object]) -> str:
    value = one.get("defaultValue")
    if value is None:
        return "null"
    if isinstance(value, list):
        return "=" + ",".join(map(str, value))
    return f"={str(value).lower()}" if isinstance(value, bool) else f"={value}"


def flags(one: dict[str, object]) -> str:
    old = one.get("deprecation")
    if not isinstance(old, dict):
        return "deprecated" if one.get("deprecated") else ""
    found = ["unbound" if old.get("level") == "error" else "deprecated"]
    now = str(old.get("replacement", ""))
    return " ".join(found + ([f"now={now.removeprefix(PREFIX)}"] if now else []))


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract what Spring Boot binds for Kafka.")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "kcheck" / "spring")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    facts: dict[str, list[Row]] = {}
    for version, artifact in RELEASES:
        minor = version.rpartition(".")[0]
        path = jar("org.springframework.boot", artifact, version, arguments.cache.expanduser())
        facts[minor] = properties(path)
        print(f"Spring Boot {version}: {len(facts[minor])} facts", file=sys.stderr)
    head = [
        "Spring Boot: the properties below spring.kafka. that it binds",
        f"made by `{COMMAND}`, which explains the columns",
    ]
    text = render(head, COLUMNS, list(facts), facts)
    return deliver(HERE, {"boot.tsv": text}, "jars", arguments.check)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Extract the facts about Kafka's configuration keys from the released Kafka jars.

    python schemas/kafka/generate.py [--versions 3.9,4.4] [--cache DIR] [--check]

For each release Maven fetches the jars into the cache, one JVM reads every ConfigDef by
reflection (``Dump.java``), and the tables beside this file are written. With ``--versions`` only
those minors are read anew, the others keep their rows. ``--check`` writes nothing, shows where
the committed tables differ and exits 1 (2: the jars could not be had or read). Needs a JDK of 17
or newer and Maven.

The tables are text: tab-separated, comment lines start with ``# ``, then the column names, then
one row per fact and maximal contiguous range of minors, sorted by key and first version.

- versions    inclusive: ``3.9``, ``2.8-3.9``; ``4.0-`` reaches to the newest release
- default     ``required`` (no default), ``null``, ``platform`` (the machine decides) or ``=TEXT``
- valid       words joined by blanks, all of which hold:
              ``1..9``  inclusive range, either bound may lack
              ``enum:a|b``, ``enum-ci:a|b``  one of these texts (ci: in any case)
              ``list:a|b``  every element is one of these
              ``nonempty``  neither the empty text nor the empty list
              ``noblank``, ``unique``  no empty element, no element twice
              ``name:X``  a validator X of Kafka's own, ``name:lambda`` where it has no name
- mode        broker only: ``read-only``, ``per-broker``, ``cluster-wide``, ``dynamic-only``
- flags       ``internal`` (honoured but not public), ``deprecated``, ``denied`` (a share consumer
              refuses it), ``user`` ``client`` ``ip`` (whose quota), ``filter`` (read by the
              default filter of a MirrorMaker connector)
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tables import Row, deliver, fail  # noqa: E402
from tables import render as render_rows  # noqa: E402

COMMAND = "python schemas/kafka/generate.py"

#: The newest patch of each minor. A new release is one line here.
RELEASES = {
    "2.8": "2.8.2",
    "3.0": "3.0.2",
    "3.1": "3.1.2",
    "3.2": "3.2.3",
    "3.3": "3.3.2",
    "3.4": "3.4.1",
    "3.5": "3.5.2",
    "3.6": "3.6.2",
    "3.7": "3.7.2",
    "3.8": "3.8.1",
    "3.9": "3.9.2",
    "4.0": "4.0.2",
    "4.1": "4.1.2",
    "4.2": "4.2.1",
    "4.3": "4.3.1",
    "4.4": "4.4.0",
}
MINORS = list(RELEASES)

#: Everything that holds a ConfigDef comes with these four; the last one lacks for some releases.
ARTIFACTS = ("kafka_2.13", "kafka-streams", "connect-runtime", "connect-mirror")
OPTIONAL_ARTIFACT = "connect-mirror"
COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"

KEY_COLUMNS = ("key", "versions", "type", "default", "valid", "importance", "mode", "flags")
PLANES = {
    "broker": "keys of brokers and controllers",
    "topic": "keys of topics",
    "producer": "keys of producers",
    "consumer": "keys of consumers",
    "share-consumer": "keys of the consumer that a share consumer refuses (flag denied)",
    "admin": "keys of admin clients",
    "streams": "keys of Kafka Streams, without those of the clients inside",
    "connect-distributed": "keys of a distributed Connect worker",
    "connect-standalone": "keys of a standalone Connect worker",
    "source-connector": "keys that every source connector has",
    "sink-connector": "keys that every sink connector has",
    "transforms": "keys of Connect's own transformations and predicates, behind the class's name",
    "converters": "keys of Connect's own converters, behind the class's name",
    "topic-creation": "keys of a source connector behind topic.creation.GROUP., if it uses any",
    "mirror": "keys of the MirrorMaker 2 driver",
    "mirror-source": "keys of MirrorSourceConnector",
    "mirror-checkpoint": "keys of MirrorCheckpointConnector",
    "mirror-heartbeat": "keys of MirrorHeartbeatConnector",
    "group": "keys of the resource type GROUP",
    "client-metrics": "keys of the resource type CLIENT_METRICS",
    "quota": "quotas and SCRAM credentials of users, clients and IP addresses",
    "remote-metadata": "keys of the topic-based remote log metadata manager, without prefix",
}
MIRROR_PLANES = ("mirror", "mirror-source", "mirror-checkpoint", "mirror-heartbeat")

#: Kafka up to 3.9 also runs on Java 8, where these two have other defaults than on Java 11.
JAVA_8_DEFAULTS = ("ssl.protocol", "ssl.enabled.protocols")
#: Its default is built from a set, so the order means nothing and differs between releases.
UNORDERED_DEFAULTS = ("listener.security.protocol.map",)

#: Up to 3.2 the jar names only the finest unit that a topic key falls back to. The broker knew
#: the others already; 3.3 is the first release that also lists them.
FIRST_WITH_ALL_SYNONYMS = "3.3"


@dataclass(slots=True)
class Table:
    """One table: per minor its rows, each without the versions column."""

    about: str
    columns: tuple[str, ...]
    rows: dict[str, set[Row]] = field(default_factory=dict)
    inferred: set[str] = field(default_factory=set)


def empty_tables() -> dict[str, Table]:
    """All tables by file name (without .tsv), with no rows yet."""
    tables = {name: Table(about, KEY_COLUMNS) for name, about in PLANES.items()}
    tables["topic-fallback"] = Table(
        "broker keys that a topic key falls back to, by priority; factor: their unit in the topic's"
        f"\n# up to 3.2 completed from {FIRST_WITH_ALL_SYNONYMS}, whose jar is the first to list"
        " the coarser units",
        ("topic_key", "versions", "order", "broker_key", "factor"),
    )
    tables["constants"] = Table(
        "limits and sizes that are compiled into Kafka, which no key moves",
        ("name", "versions", "value", "class", "field"),
    )
    tables["classes"] = Table(
        "classes that settings may name, and the interfaces that make them fit",
        ("class", "versions", "kinds"),
    )
    tables["types"] = Table(
        "packages (with a dot at the end), classes, interfaces and enumerations; nested ones of the"
        "\n# packages with classes that settings name",
        ("name", "versions"),
    )
    return tables


# ---- jars -----------------------------------------------------------------------------------


def jars_of(patch: str, cache: Path) -> Path:
    """The directory with all jars of one release, fetched by Maven unless it is there."""
    target = cache / patch
    if target.is_dir():
        return target
    if shutil.which("mvn") is None:
        fail(f"no Maven (mvn) in PATH to fetch Kafka {patch} with")
    cache.mkdir(parents=True, exist_ok=True)
    log = copy_dependencies(patch, ARTIFACTS, target)
    absent = f"org.apache.kafka:{OPTIONAL_ARTIFACT}" in log and "not transfer" not in log
    if not target.is_dir() and absent:
        log = copy_dependencies(patch, [a for a in ARTIFACTS if a != OPTIONAL_ARTIFACT], target)
    if not target.is_dir():
        fail(f"Maven could not fetch Kafka {patch}:\n{log}")
    return target


def copy_dependencies(patch: str, artifacts: Iterable[str], target: Path) -> str:
    """Let Maven copy the artifacts and what they need into target; its output. Whole or not at all.

    The pom has one dependency per artifact and nothing else.
    """
    dependencies = "".join(
        f"<dependency><groupId>org.apache.kafka</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{patch}</version></dependency>"
        for artifact in artifacts
    )
    pom = (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>kcheck</groupId><artifactId>facts</artifactId><version>1</version>"
        f"<packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>"
    )
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        (Path(scratch) / "pom.xml").write_text(pom, encoding="utf-8")
        out = Path(scratch) / "jars"
        command = ["mvn", "--quiet", "--batch-mode", COPY_GOAL, f"-DoutputDirectory={out}"]
        run = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
        if run.returncode == 0 and not target.exists():
            out.rename(target)
    return run.stdout + run.stderr


# ---- one release ----------------------------------------------------------------------------


def java_tool(name: str) -> str:
    """The path of java or javac: of JAVA_HOME if that is set, else from the PATH."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / name) if home else name


def compile_dump(target: Path) -> None:
    """Compile Dump.java into a directory; no Kafka jar is needed for that."""
    subprocess.run([java_tool("javac"), "-d", target, HERE / "Dump.java"], check=True)


def dump(jars: Path, classes: Path) -> list[Row]:
    """The lines that Dump prints for one release, split at the tabs."""
    path = os.pathsep.join([str(classes), *sorted(str(jar) for jar in jars.glob("*.jar"))])
    options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8"]
    run = subprocess.run(
        [java_tool("java"), *options, "-cp", path, "Dump"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if run.returncode:
        fail(f"could not read {jars.name}:\n{run.stderr}")
    return [tuple(line.split("\t")) for line in run.stdout.splitlines()]


def put_release(minor: str, lines: list[Row], tables: dict[str, Table]) -> None:
    """Replace one minor's rows of all tables by what the dump says."""
    for table in tables.values():
        table.rows[minor] = set()
        table.inferred.discard(minor)
    for kind, *cells in lines:
        if kind == "key":
            plane, *row = cells
            tables[plane].rows[minor].add(steady(minor, row))
        elif kind == "synonym":
            tables["topic-fallback"].rows[minor].add(tuple(cells))
        elif kind == "constant":
            tables["constants"].rows[minor].add(tuple(cells))
        elif kind == "class":
            tables["classes"].rows[minor].add(tuple(cells))
        elif kind == "absent" and cells[0] in MIRROR_PLANES:
            tables[cells[0]].inferred.add(minor)


def steady(minor: str, row: list[str]) -> Row:
    """The row of a key with a default that neither the machine nor a hash order changes."""
    key, kind, default, *rest = row
    if key in JAVA_8_DEFAULTS and minor.startswith(("2.", "3.")):
        default = "platform"
    if key in UNORDERED_DEFAULTS and default.startswith("="):
        default = "=" + ",".join(sorted(default[1:].split(",")))
    return (key, kind, default, *rest)


def complete(tables: dict[str, Table]) -> None:
    """Fill what no jar tells: planes without an artifact, and the old synonyms."""
    for name in MIRROR_PLANES:
        table = tables[name]
        for minor in sorted(table.inferred, key=MINORS.index):
            before = MINORS[MINORS.index(minor) - 1]
            table.rows[minor] = set(table.rows.get(before, ()))
    for minor in sorted(tables["mirror"].inferred, key=MINORS.index):
        before = MINORS[MINORS.index(minor) - 1]
        for table in (tables["classes"], tables["types"]):
            mine = {row for row in table.rows.get(before, ()) if ".connect.mirror." in row[0]}
            table.rows.setdefault(minor, set()).update(mine)
            table.inferred.add(minor)
    fallback = tables["topic-fallback"].rows
    listed = fallback.get(FIRST_WITH_ALL_SYNONYMS, set())
    for minor in MINORS[: MINORS.index(FIRST_WITH_ALL_SYNONYMS)]:
        keys = {row[0] for row in fallback.get(minor, ())}
        if listed and keys:
            fallback[minor] = {row for row in listed if row[0] in keys}


# ---- names of classes -----------------------------------------------------------------------

#: Packages with classes that settings name: of these the names of nested classes are kept, too.
TYPE_PACKAGES = (
    *("clients.admin", "clients.consumer", "clients.producer", "clients.producer.internals"),
    *("common.config.provider", "common.metrics", "common.replica", "common.serialization"),
    *("common.security.auth", "common.security.authenticator", "common.security.kerberos"),
    *("common.security.oauthbearer", "common.security.oauthbearer.secured"),
    *("common.security.plain", "common.security.scram", "common.security.ssl"),
    *("connect.connector", "connect.connector.policy", "connect.converters", "connect.health"),
    *("connect.json", "connect.mirror", "connect.rest", "connect.sink", "connect.source"),
    *("connect.storage", "connect.tools", "connect.transforms", "connect.transforms.predicates"),
    *("coordinator.group.assignor", "metadata.authorizer", "server.authorizer", "server.policy"),
    *("server.quota", "streams.errors", "streams.kstream", "streams.processor", "streams.state"),
    "streams.processor.assignment.assignors",
)


def type_names(jars: Path) -> set[str]:
    """The packages of Kafka's jars, each with a dot at its end, and their classes.

    Neither what Kafka took over from others under a name of its own, nor the many of its protocol.
    """
    found: set[str] = set()
    for jar in jars.glob("*.jar"):
        for path in zipfile.ZipFile(jar).namelist():
            name = path.removesuffix(".class").replace("/", ".")
            if not path.startswith("org/apache/kafka/") or not path.endswith(".class"):
                continue
            package, _, own = name.rpartition(".")
            found.add(f"{package}.")
            made = any(part[:1].isdigit() or not part for part in own.split("$")[1:])
            nested = package.removeprefix("org.apache.kafka.") in TYPE_PACKAGES
            if not made and (nested or ("$" not in own and not _beside(f"{package}."))):
                found.add(name)
    return found


def _beside(package: str) -> bool:
    """Whether a package holds what no setting names, in numbers."""
    return any(part in package for part in (".shaded.", ".generated.", ".message.", ".trogdor."))


# ---- tables as text -------------------------------------------------------------------------


def render(table: Table) -> str:
    """The table as text."""
    head = [f"Kafka: {table.about}", f"made by `{COMMAND}`, which explains the columns"]
    if table.inferred:
        known = " ".join(sorted(table.inferred, key=MINORS.index))
        head.append(f"inferred from the minor before, for lack of an artifact: {known}")
    facts = {minor: table.rows.get(minor, set()) for minor in MINORS}
    return render_rows(head, table.columns, MINORS, facts)


def load(name: str, table: Table) -> None:
    """Read the committed rows of a table back, minor by minor."""
    path = HERE / f"{name}.tsv"
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# inferred"):
            table.inferred = set(line.partition(": ")[2].split())
        if line.startswith("# ") or line == "\t".join(table.columns):
            continue
        key, versions, *rest = line.split("\t")
        first, dash, last = versions.partition("-")
        end = MINORS.index(last or first) if last or not dash else len(MINORS) - 1
        for minor in MINORS[MINORS.index(first) : end + 1]:
            table.rows.setdefault(minor, set()).add((key, *rest))


def render_releases(minors: Iterable[str]) -> str:
    """releases.tsv: the exact releases behind the tables."""
    head = ["# Kafka: the releases that the tables were extracted from", f"# made by `{COMMAND}`"]
    rows = [f"{minor}\t{RELEASES[minor]}" for minor in minors]
    return "\n".join([*head, "minor\tpatch", *rows, ""])


# ---- the command ----------------------------------------------------------------------------


def generate(minors: list[str], cache: Path) -> dict[str, str]:
    """The text of every table by file name, with the given minors read anew from their jars."""
    tables = empty_tables()
    for name, table in tables.items():
        load(name, table)
    with tempfile.TemporaryDirectory() as classes:
        compile_dump(Path(classes))
        for minor in minors:
            jars = jars_of(RELEASES[minor], cache)
            lines = dump(jars, Path(classes))
            put_release(minor, lines, tables)
            tables["types"].rows[minor] = {(name,) for name in type_names(jars)}
            print(f"{minor}: {len(lines)} facts from {RELEASES[minor]}", file=sys.stderr)
    complete(tables)
    texts = {f"{name}.tsv": render(table) for name, table in tables.items()}
    read = [minor for minor in MINORS if tables["broker"].rows.get(minor)]
    return texts | {"releases.tsv": render_releases(read)}


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Extract Kafka's configuration facts from its jars."
    )
    parser.add_argument(
        "--versions", help="minors, comma-separated (all)", default=",".join(MINORS)
    )
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "kcheck" / "jars")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    minors = [minor.strip() for minor in arguments.versions.split(",")]
    unknown = [minor for minor in minors if minor not in RELEASES]
    if unknown:
        parser.error(f"no such release: {', '.join(unknown)}; known: {', '.join(MINORS)}")
    for tool in (java_tool("java"), java_tool("javac"), "mvn"):
        if shutil.which(tool) is None:
            parser.error(f"{tool} is not on the PATH")
    texts = generate(sorted(minors, key=MINORS.index), arguments.cache.expanduser())
    return deliver(HERE, texts, "jars", arguments.check)


if __name__ == "__main__":
    sys.exit(main())

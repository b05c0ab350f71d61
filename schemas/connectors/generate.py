#!/usr/bin/env python3
"""Extract the keys of public Connect plug-ins from their released jars.

    python schemas/connectors/generate.py [--plugin debezium] [--cache DIR] [--check]

For each release of a plug-in Maven fetches its jars into the cache, and one JVM asks its connectors
which keys they have and what their own validation says to values (``Probe.java``). ``keys.tsv`` has
the answers, ``releases.tsv`` the releases that were asked. With ``--plugin`` only that one is asked
anew. ``--check`` writes nothing, shows where the committed tables differ and exits 1 (2: the jars
could not be had or read). Needs a JDK of 17 or newer and Maven.

- class     the connector's class and the key, joined by a blank
- versions  of the plug-in, inclusive: ``2.7``, ``1.9-2.4``; ``3.0-`` reaches to the newest one asked
- type      of the ConfigDef, in lower case; ``any`` for a boolean that takes any text
- words     what a text must be one of, joined by ``|``; behind ``any-case:`` in any case
- least     the least number where it is 0 or 1
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tables import Row, deliver, fail, render  # noqa: E402

COMMAND = "python schemas/connectors/generate.py"
COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
#: Connect's own classes, which plug-ins expect of the worker.
CONNECT = "3.9.2"

_DEBEZIUM = (
    *("mysql.MySqlConnector", "postgresql.PostgresConnector", "sqlserver.SqlServerConnector"),
    *("mongodb.MongoDbConnector", "oracle.OracleConnector", "mariadb.MariaDbConnector"),
    *("db2.Db2Connector", "jdbc.JdbcSinkConnector"),
)

#: A plug-in → (group, artifacts, classes, releases, the newest patch of each minor that is asked). Not
#: all artifacts are in each release. "!" before a class: its ConfigDef is asked, as its own validation
#: opens connections.
PLUGINS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...], dict[str, str]]] = {
    "debezium": (
        "io.debezium",
        (
            *("debezium-connector-mysql", "debezium-connector-postgres"),
            *("debezium-connector-sqlserver", "debezium-connector-mongodb"),
            *("debezium-connector-oracle", "debezium-connector-mariadb"),
            *("debezium-connector-db2", "debezium-connector-jdbc"),
        ),
        tuple(f"io.debezium.connector.{name}" for name in _DEBEZIUM),
        {
            "1.9": "1.9.8.Final",
            "2.1": "2.1.4.Final",
            "2.4": "2.4.2.Final",
            "2.7": "2.7.4.Final",
            "3.0": "3.0.8.Final",
            "3.3": "3.3.2.Final",
            "3.5": "3.5.0.Final",
        },
    ),
    "mongodb": (
        "org.mongodb.kafka",
        ("mongo-kafka-connect",),
        (
            "!com.mongodb.kafka.connect.MongoSinkConnector",
            "!com.mongodb.kafka.connect.MongoSourceConnector",
        ),
        {"1.6": "1.6.1", "1.10": "1.10.1", "1.13": "1.13.0", "2.0": "2.0.1"},
    ),
    "pubsub": (
        "com.google.cloud",
        ("pubsub-group-kafka-connector",),
        (
            "!com.google.pubsub.kafka.sink.CloudPubSubSinkConnector",
            "!com.google.pubsub.kafka.source.CloudPubSubSourceConnector",
        ),
        {"1.3": "1.3.3"},
    ),
}


def java_tool(name: str) -> str:
    """The path of java or javac: of JAVA_HOME if that is set, else from the PATH."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / name) if home else name


def jars_of(plugin: str, release: str, cache: Path) -> Path:
    """The directory with the jars of one release of a plug-in and of what it needs."""
    group, artifacts, _, releases = PLUGINS[plugin]
    target = cache / f"{plugin}-{releases[release]}"
    if target.is_dir():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    log = ""
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        out = Path(scratch) / "jars"
        for artifact in artifacts:
            # Of two versions of a library Maven takes that of the first.
            wanted = [
                ("org.apache.kafka", name, CONNECT) for name in ("connect-api", "connect-json")
            ]
            wanted.append((group, artifact, releases[release]))
            log += _copy(wanted, out)
        if not any(out.glob(f"{artifacts[0]}-*.jar")):
            fail(f"Maven could not fetch {plugin} {release}:\n{log}")
        out.rename(target)
    return target


def _copy(wanted: Iterable[tuple[str, str, str]], out: Path) -> str:
    """Let Maven copy the artifacts and what they need; its output."""
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version></dependency>"
        for group, artifact, version in wanted
    )
    pom = (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>kcheck</groupId><artifactId>facts</artifactId><version>1</version>"
        f"<packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>"
    )
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "pom.xml").write_text(pom, encoding="utf-8")
        command = ["mvn", "--quiet", "--batch-mode", COPY_GOAL]
        command += [f"-DoutputDirectory={out}", "-DincludeScope=runtime"]
        run = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def ask(jars: Path, names: Iterable[str], program: Path) -> list[Row]:
    """The lines that Probe prints for one release, each with class and key as one cell."""
    path = os.pathsep.join([str(program), *sorted(map(str, jars.glob("*.jar")))])
    command = [java_tool("java"), "-XX:+UseSerialGC", "-cp", path, "Probe", *names]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if run.returncode:
        fail(f"could not read {jars.name}:\n{run.stderr}")
    lines = [line.split("\t") for line in run.stdout.splitlines() if line.count("\t") == 4]
    # Names that are patterns stand for others.
    return [(f"{one[0]} {one[1]}", *one[2:]) for one in lines if "(" not in one[1]]


def known(name: str) -> dict[str, list[str]]:
    """The committed rows of a table by plug-in."""
    found: dict[str, list[str]] = {plugin: [] for plugin in PLUGINS}
    path = HERE / name
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for line in lines:
        for plugin, (_, _, classes, _) in PLUGINS.items():
            if line.split(" ")[0].split("\t")[0] in {one.lstrip("!") for one in classes}:
                found[plugin].append(line)
    return found


def generate(plugins: list[str], cache: Path) -> dict[str, str]:
    """The text of both tables, with the given plug-ins asked anew."""
    keys, asked = known("keys.tsv"), known("releases.tsv")
    with tempfile.TemporaryDirectory() as program:
        subprocess.run([java_tool("javac"), "-d", program, HERE / "Probe.java"], check=True)
        for plugin in plugins:
            _, _, classes, releases = PLUGINS[plugin]
            facts = {
                release: ask(jars_of(plugin, release, cache), classes, Path(program))
                for release in releases
            }
            print(f"{plugin}: {sum(map(len, facts.values()))} facts", file=sys.stderr)
            keys[plugin] = [
                line for line in render((), (), [*releases], facts).splitlines() if line
            ]
            names = {name: name.lstrip("!") for name in classes}
            asked[plugin] = [
                f"{names[one]}\t{plugin}\t"
                + " ".join(
                    r
                    for r in releases
                    if any(row[0].startswith(f"{names[one]} ") for row in facts[r])
                )
                for one in classes
            ]
    head = [f"# made by `{COMMAND}`, which explains the columns"]
    return {
        "keys.tsv": "\n".join(
            ["# keys of public Connect plug-ins, behind the connector's class", *head]
            + [
                "key\tversions\ttype\twords\tleast",
                *sorted(line for one in keys.values() for line in one),
                "",
            ]
        ),
        "releases.tsv": "\n".join(
            ["# the releases of public Connect plug-ins that were asked", *head]
            + [
                "class\tplugin\treleases",
                *sorted(line for one in asked.values() for line in one),
                "",
            ]
        ),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract the keys of Connect plug-ins.")
    parser.add_argument("--plugin", choices=list(PLUGINS), action="append")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "kcheck" / "plugins")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    for tool in (java_tool("java"), java_tool("javac"), "mvn"):
        if shutil.which(tool) is None:
            parser.error(f"{tool} is not on the PATH")
    texts = generate(arguments.plugin or list(PLUGINS), arguments.cache.expanduser())
    return deliver(HERE, texts, "jars", arguments.check)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Extract which Kafka client a platform's release, or a wrapper of librdkafka, brings along.

    python schemas/clients/packages.py [--cache DIR] [--check]

``boms.tsv``: Maven copies the POMs of the platforms' releases, and what one manages ``kafka-clients`` to is read. Where a platform does not, the module
is asked that brings the client along. ``wrappers.tsv``: npm is asked for the field ``librdkafka`` of
each release. ``--check`` writes nothing, shows where the committed tables differ and exits 1 (2: a
registry could not be asked). Needs Maven and npm.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from jars import COPY_GOAL  # noqa: E402
from tables import Row, deliver, fail  # noqa: E402

COMMAND = "python schemas/clients/packages.py"
_POM = "{http://maven.apache.org/POM/4.0.0}"
_CLIENT = "kafka-clients"

#: A platform → (its BOM, the property whose module brings the client where the BOM names none,
#: releases): of each minor the first and the newest one, and those between where these differ. A
#: new release is one word here.
PLATFORMS: dict[str, list[tuple[str, str, str]]] = {
    "spring-boot": [
        (
            "org.springframework.boot:spring-boot-dependencies",
            "",
            "2.1.0.RELEASE 2.1.18.RELEASE 2.2.0.RELEASE 2.2.13.RELEASE 2.3.0.RELEASE "
            "2.3.12.RELEASE 2.4.0 2.4.13 2.5.0 2.5.15 2.6.0 2.6.15 2.7.0 2.7.18 3.0.0 3.0.13 "
            "3.1.0 3.1.12 3.2.0 3.2.12 3.3.0 3.3.13 3.4.0 3.4.13 3.5.0 3.5.16 4.0.0 4.0.9 4.1.0 "
            "4.1.2",
        )
    ],
    "quarkus": [
        (
            "io.quarkus:quarkus-bom",
            "",
            "2.0.0.Final 2.0.2.Final 2.1.0.Final 2.1.4.Final 2.2.2.Final 2.2.5.Final 2.3.0.Final "
            "2.3.1.Final 2.4.0.Final 2.4.2.Final 2.5.0.Final 2.5.4.Final 2.6.1.Final 2.6.3.Final "
            "2.7.0.Final 2.7.7.Final 2.8.0.Final 2.8.2.Final 2.9.0.Final 2.9.2.Final "
            "2.10.0.Final 2.10.4.Final 2.11.0.Final 2.11.3.Final 2.12.0.Final 2.12.3.Final "
            "2.13.0.Final 2.13.9.Final 2.14.0.Final 2.14.3.Final 2.15.0.Final 2.15.3.Final "
            "2.16.0.Final 2.16.12.Final 3.0.0.Final 3.0.4.Final 3.1.0.Final 3.1.3.Final "
            "3.2.0.Final 3.2.12.Final 3.3.0 3.3.3 3.4.0 3.4.1 3.5.0 3.5.1 3.5.2 3.5.3 3.6.0 3.6.9 3.7.0 3.7.3 "
            "3.8.0 3.8.1 3.8.2 3.8.3 3.8.4 3.8.5 3.8.6 3.9.0 3.9.5 3.10.0 3.10.2 3.11.0 3.11.3 3.12.0 3.12.3 3.13.0 3.13.3 "
            "3.14.0 3.14.4 3.15.0 3.15.7 3.16.0 3.16.4 3.17.0 3.17.7 3.18.0 3.18.4 3.19.0 3.19.4 "
            "3.20.0 3.20.5 3.21.1 3.21.4 3.22.0 3.22.3 3.23.0 3.23.4 3.24.0 3.24.5 3.25.0 3.25.4 "
            "3.26.0 3.26.4 3.27.0 3.27.3 3.28.0 3.28.5 3.29.0 3.29.4 3.30.0 3.30.1 3.30.2 3.30.3 3.30.4 3.30.5 3.30.6 3.30.7 3.30.8 3.31.0 3.31.4 "
            "3.32.0 3.32.4 3.33.0 3.33.3 3.34.0 3.34.6 3.35.0 3.35.4 3.36.0 3.36.3 3.37.0 3.37.4 "
            "3.38.0 3.38.2",
        )
    ],
    "micronaut": [
        (
            "io.micronaut:micronaut-bom",
            "micronaut.kafka.version",
            "3.0.0 3.0.3 3.1.0 3.1.3 3.2.0 3.2.7 3.3.0 3.3.4 3.4.0 3.4.4 3.5.0 3.6.0 3.6.3 "
            "3.7.0 3.7.7 3.8.0 3.8.5 3.9.7 3.10.0 3.10.5",
        ),
        (
            "io.micronaut.platform:micronaut-platform",
            "micronaut.kafka.version",
            "4.0.0 4.1.6 4.2.0 4.2.4 4.3.0 4.3.8 4.4.0 4.4.3 4.5.0 4.5.1 4.6.0 4.6.3 "
            "4.7.0 4.7.6 4.9.0 4.9.4 4.10.0 4.10.12",
        ),
    ],
}
#: What a property of a BOM is the version of: its POM names the client.
MODULES = {"micronaut.kafka.version": "io.micronaut.kafka:micronaut-kafka"}

#: Packages around librdkafka with releases of their own, and those of them that are asked about.
WRAPPERS = {"node-rdkafka": ">=2.5.0", "@confluentinc/kafka-javascript": ">=0.2.0"}


# ---- Maven ------------------------------------------------------------------------------------


def poms(artifacts: Iterable[str], cache: Path) -> dict[str, ET.Element]:
    """The POMs of ``group:artifact:version``, fetched by one run of Maven unless they are there."""
    wanted = list(dict.fromkeys(artifacts))
    paths = {one: cache / f"{one.split(':')[1]}-{one.split(':')[2]}.pom" for one in wanted}
    missing = [one for one in wanted if not paths[one].exists()]
    if missing:
        cache.mkdir(parents=True, exist_ok=True)
        _fetch(missing, cache)
    for one, path in paths.items():
        if not path.exists():
            fail(f"Maven could not fetch {one}")
    return {one: ET.parse(path).getroot() for one, path in paths.items()}


def _fetch(artifacts: list[str], cache: Path) -> None:
    plugin, _, goal = COPY_GOAL.rpartition(":")
    group, artifact, version = plugin.split(":")
    items = "".join(
        "<artifactItem><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>"
        "<type>pom</type></artifactItem>".format(*map(escape, one.split(":")))
        for one in artifacts
    )
    (cache / "pom.xml").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>kcheck</groupId>"
        "<artifactId>boms</artifactId><version>1</version><packaging>pom</packaging>"
        f"<build><plugins><plugin><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version><configuration><outputDirectory>{cache}</outputDirectory>"
        f"<artifactItems>{items}</artifactItems></configuration></plugin></plugins></build>"
        "</project>",
        encoding="utf-8",
    )
    command = ["mvn", "--quiet", "--batch-mode", "-f", str(cache / "pom.xml")]
    run = subprocess.run(
        [*command, f"{plugin}:{goal}"], capture_output=True, text=True, check=False
    )
    if run.returncode:
        fail(f"Maven failed:\n{run.stdout}{run.stderr}")


def client_of(pom: ET.Element) -> str:
    """The version of the client that a POM names or manages; "" for none."""
    properties = {
        one.tag.removeprefix(_POM): one.text or "" for one in pom.iterfind(f"{_POM}properties/*")
    }
    for path in (f"{_POM}dependencyManagement/{_POM}dependencies", f"{_POM}dependencies"):
        for one in pom.iterfind(f"{path}/{_POM}dependency"):
            if one.findtext(f"{_POM}artifactId") == _CLIENT:
                told = one.findtext(f"{_POM}version") or ""
                named = re.fullmatch(r"\$\{([^}]+)\}", told)
                return properties.get(named.group(1), "") if named else told
    return ""


def boms(cache: Path) -> str:
    told: list[Row] = []
    for platform, sources in PLATFORMS.items():
        for bom, module, releases in sources:
            artifacts = {release: f"{bom}:{release}" for release in releases.split()}
            read = poms(artifacts.values(), cache)
            clients = {release: client_of(read[one]) for release, one in artifacts.items()}
            source = {release: f"{bom.split(':')[1]} {release}" for release in artifacts}
            if module:
                name = MODULES[module]
                inner = {
                    release: f"{name}:{read[one].findtext(f'{_POM}properties/{_POM}{module}')}"
                    for release, one in artifacts.items()
                    if not clients[release]
                }
                found = poms(inner.values(), cache)
                for release, one in inner.items():
                    clients[release] = client_of(found[one])
                    source[release] += f", {name.split(':')[1]} {one.rpartition(':')[2]}"
            told += _grouped(platform, clients, source)
    return _table(
        "Platforms that hide the version of Kafka's client: the first and the last release with one client",
        ("platform", "first", "last", "client", "source"),
        told,
    )


def _grouped(platform: str, clients: dict[str, str], source: dict[str, str]) -> list[Row]:
    """A row for neighbouring releases of one minor that bring one minor of the client."""
    rows: list[Row] = []
    for release, client in clients.items():
        if not client:
            fail(f"{source[release]} names no {_CLIENT}")
        number = ".".join(release.split(".")[:3])
        last = rows[-1] if rows else None
        if last and _minor(last[1]) == _minor(number) and last[3] == _minor(client):
            rows[-1] = (platform, last[1], number, last[3], source[release])
        else:
            rows.append((platform, number, number, _minor(client), source[release]))
    return rows


def _minor(release: str) -> str:
    return ".".join(release.split(".")[:2])


# ---- npm --------------------------------------------------------------------------------------


def wrappers() -> str:
    """Rows of neighbouring releases with one librdkafka; what npm does not hold is between none."""
    told: list[Row] = []
    for package, wanted in WRAPPERS.items():
        command = ["npm", "view", f"{package}@{wanted}", "version", "librdkafka", "--json"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            fail(f"npm failed:\n{run.stdout}{run.stderr}")
        answers = json.loads(run.stdout)
        found = {
            tuple(map(int, one["version"].split("."))): one["librdkafka"]
            for one in answers
            if re.fullmatch(r"\d+\.\d+\.\d+", one["version"])
        }
        ordered = sorted(found)
        first = 0
        for at, release in enumerate(ordered):
            if at + 1 == len(ordered) or found[ordered[at + 1]] != found[release]:
                ends = (".".join(map(str, one)) for one in (ordered[first], release))
                told.append((package, *ends, found[release]))
                first = at + 1
    return _table(
        "Packages around librdkafka that count releases of their own: the first and the last with one librdkafka",
        ("package", "first", "last", "librdkafka"),
        told,
    )


def _table(head: str, columns: Row, told: Iterable[Row]) -> str:
    lines = (f"# {head}.", f"# made by `{COMMAND}`", *map("\t".join, (columns, *told)), "")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract which client a package brings along.")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "kcheck" / "boms")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    cache = arguments.cache.expanduser().resolve()
    texts = {"boms.tsv": boms(cache), "wrappers.tsv": wrappers()}
    return deliver(HERE, texts, "Maven Central, npm", arguments.check)


if __name__ == "__main__":
    sys.exit(main())

"""The facts on upgrades: complete beside the catalogue, and what the released jars say."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

from kcheck import catalogue, data
from kcheck.lexicon.upgrades import BEHAVIOUR, MINOR, NONE, changed_defaults, oldest_clients, steps
from kcheck.model import AFTER, BEFORE, SEVERITY_RANK
from kcheck.version import Version, parse

CLIENTS = ("producer", "consumer", "admin", "streams")
PLANES = (
    *("broker", "topic", *CLIENTS, "share-consumer", "connect-distributed", "connect-standalone"),
    *("source-connector", "sink-connector", "mirror", "mirror-source", "mirror-checkpoint"),
    *("mirror-heartbeat", "remote-metadata", "group", "client-metrics", "quota", "topic-creation"),
)
ROWS = data.rows("upgrade/defaults.tsv")


def test_every_changed_default_has_a_row_and_every_row_a_change() -> None:
    said: dict[tuple[str, str, str], bool] = {}
    for plane, key, since, _weight, when, _effect, _source in ROWS:
        for table in CLIENTS if plane == "client" else (plane,):
            said[table, key, since] = "absent" in when.split()
    changed: set[tuple[str, str, str]] = set()
    came: set[tuple[str, str, str]] = set()
    for plane in PLANES:
        table = catalogue.plane(plane)
        for key in list(table.keys()):
            history = table.history(key)
            came.add((plane, key, history[0].since))
            for one, other in pairwise(history):
                if one.default != other.default:
                    changed.add((plane, key, other.since))
    told = {row for row, absent in said.items() if not absent}
    assert changed - told == set()
    # A shared row speaks of those clients that have the key.
    known = {row for row in told if row[1] in catalogue.plane(row[0])}
    assert {row for row in known - changed if not _shared(row)} == set()
    new = {row for row, absent in said.items() if absent and row[1] in catalogue.plane(row[0])}
    assert new <= came


def _shared(row: tuple[str, str, str]) -> bool:
    return row[0] in CLIENTS and any(r[0] == "client" and r[1] == row[1] for r in ROWS)


def test_the_rows_speak_the_language_of_the_rules() -> None:
    for plane, key, since, weight, when, effect, source in ROWS:
        assert plane in (*PLANES, "client"), key
        assert since in catalogue.minors(), key
        assert weight in (BEHAVIOUR, MINOR, NONE), key
        assert effect and source, key
        assert not effect.endswith("."), key
        for word in when.split():
            known = word.lstrip("!").partition("=")[0]
            assert word in ("absent", "not-in-streams") or known in catalogue.plane(plane), key


def test_a_default_that_changed_twice_is_compared_at_both_ends() -> None:
    found = changed_defaults("broker", Version("3.9"), Version("4.4"))
    (linger,) = (one for one in found if one.key == "group.coordinator.append.linger.ms")
    assert linger.old is not None
    assert (linger.old.default_text, linger.new.default_text) == ("10", "-1")
    assert linger.since == "4.2"


def test_defaults_that_come_back_are_none() -> None:
    for plane in ("broker", "producer", "consumer", "streams"):
        assert changed_defaults(plane, Version("4.4"), Version("4.4")) == []


CONDITIONS = (
    *("zookeeper", "kraft", "mode-unknown", "not-kraft", "kraft-after", "jbod", "own-java"),
    *("controllers-elsewhere", "streams", "start-below-2.4", "from-4.0", "strimzi", "by-hand"),
    *("metadata-below-3.4", "metadata-below-3.8", "metadata-told", "metadata-untold", "workers"),
    "java-clients",
)


def test_the_steps_speak_the_language_of_the_rules() -> None:
    names = [step.name for step in steps()]
    assert len(set(names)) == len(names)
    words = dict.fromkeys(("cluster", "node", "old", "new", "start", "goal"), "x")
    for step in steps():
        assert step.side in ("brokers", "clients")
        assert step.order in (BEFORE, AFTER)
        assert step.severity in SEVERITY_RANK
        assert step.source.startswith(("https://", "KIP-"))
        for text in (step.message, step.breaks, step.fix):
            assert text.format_map(words)
        for word in step.when:
            key = word.lstrip("!")
            tables = ("streams",) if "streams" in step.when else ("broker",)
            assert word in CONDITIONS or any(key in catalogue.plane(t) for t in tables), word


def test_the_oldest_clients_are_versions() -> None:
    assert "java" in oldest_clients()
    assert all(parse(least) for least in oldest_clients().values())


# -- against the jars ----------------------------------------------------------------------------

JARS = Path(os.environ.get("KCHECK_JARS", Path.home() / ".cache" / "kcheck" / "jars"))
#: Of Kafka alone: Debezium's are in no jar of it.
_KAFKAS = [row for row in data.rows("keys/classes.tsv") if row[1][0].isdecimal()]
CLASSES = {name: gone for name, gone, _now, _note in _KAFKAS}
NOW = {now for _name, _gone, now, _note in _KAFKAS if now}
RELEASES = [
    patch for minor, patch in data.rows("kafka/releases.tsv") if minor in ("3.9", "4.0", "4.4")
]


@pytest.mark.jvm
@pytest.mark.skipif(not shutil.which("java"), reason="no JDK")
@pytest.mark.parametrize(
    "release",
    [*(pytest.param(r, marks=pytest.mark.thorough) for r in RELEASES[:-1]), RELEASES[-1]],
)
def test_what_the_jars_say(release: str) -> None:
    if not (JARS / release).is_dir():
        pytest.skip("the jars are not there: schemas/kafka/generate.py fetches them")
    command = ["java", "-cp", f"{JARS / release}/*", "-XX:TieredStopAtLevel=1"]
    probe = Path(__file__).with_name("Probe.java")
    ran = subprocess.run(
        [*command, str(probe), *CLASSES, *NOW], capture_output=True, text=True, check=True
    )
    said = dict(line.split("\t") for line in ran.stdout.splitlines() if "\t" in line)
    version = Version(release)
    for name, gone in CLASSES.items():
        assert said[name] == ("gone" if version.at_least(gone) else "there"), name
    new = version.at_least("4.0")
    for name in NOW:
        assert said[name] == "there" or CLASSES.get(name), name
    assert said["minimum metadata.version"] == ("3.3-IV3" if new else "3.0-IV1")
    assert said["eligible.leader.replicas of the release"] == (
        "1" if version.at_least("4.1") else "0" if new else "none"
    )
    if not version.at_least("4.2"):
        assert said["two log.dirs on 3.7-IV1"] == "IllegalArgumentException"
        assert said["two log.dirs on 3.7-IV2"] == "accepted"
    for key in ("token", "jwks"):
        assert said[f"{key} address"] == ("ConfigException" if new else "allowed")
    assert said["reporters beside another"] == ("none" if new else "JMX")
    assert said["oldest produce"] == ("3" if new else "0")
    assert said["oldest fetch"] == ("4" if new else "0")


#: What class files of a Java version begin with.
_JAVA = {8: 52, 11: 55, 17: 61}


@pytest.mark.jvm
@pytest.mark.parametrize("release", RELEASES)
def test_which_java_the_jars_are_for(release: str) -> None:
    if not (JARS / release).is_dir():
        pytest.skip("the jars are not there: schemas/kafka/generate.py fetches them")
    new = Version(release).at_least("4.0")
    for artifact, java in (
        ("kafka-clients", 11 if new else 8),
        ("kafka-streams", 11 if new else 8),
        ("connect-runtime", 17 if new else 8),
        ("kafka_2.13", 17 if new else 8),
    ):
        with zipfile.ZipFile(JARS / release / f"{artifact}-{release}.jar") as jar:
            own = [name for name in jar.namelist() if name.endswith(".class") and "kafka" in name]
            newest = max(jar.read(name)[7] for name in own if "META-INF" not in name)
        assert newest == _JAVA[java], artifact

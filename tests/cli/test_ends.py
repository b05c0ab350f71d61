"""A relation has several ends: who changes one of them is told, nobody is flooded, and a finding is
known again whatever its ends are called."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playground import Project

BROKER = """\
process.roles=broker,controller
node.id={n}
controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://0.0.0.0:9093
advertised.listeners=PLAINTEXT://k{n}:9092
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=/var/lib/kafka
default.replication.factor=3
offsets.topic.replication.factor=3
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
min.insync.replicas=3
"""
TOPIC = "  - {{name: t{n}, partitions: 6, replication_factor: 3}}\n"
FIRST = "brokers/server-1.properties"
LAB = Path(__file__).resolve().parent.parent / "baselines"


def git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


def commit(project: Project) -> None:
    if not (project.root / ".git" / "HEAD").exists():
        git(project.root, "init", "-q", "-b", "main", ".")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "as it is")


def cluster(project: Project, topics: int) -> None:
    for n in (1, 2, 3):
        project.file(f"brokers/server-{n}.properties", BROKER.format(n=n))
    text = "topics:\n" + "".join(TOPIC.format(n=n) for n in range(topics))
    project.file("topics/topics.yaml", text)


def report(project: Project, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.run("lint", "--output", "json", *arguments).out)
    return found


def lines(project: Project, *arguments: str) -> list[str]:
    return project.run("lint", *arguments).out.splitlines()


class TestContext:
    def test_a_finding_is_told_where_any_of_its_ends_is_named(self, project: Project) -> None:
        cluster(project, 1)
        whole = report(project)
        assert "withheld" not in whole["summary"]
        assert "KC0303" in {f["rule"] for f in whole["findings"]}
        beside = report(project, "--context", ".", FIRST)
        (told,) = [f for f in beside["findings"] if f["rule"] == "KC0303"]
        assert told["path"] == "topics/topics.yaml"
        assert FIRST in {item["path"] for item in told["evidence"]}
        withheld = len(whole["findings"]) - len(beside["findings"])
        assert beside["summary"]["withheld"] == withheld
        assert "KC0303" in "".join(lines(project, "--context", ".", FIRST))

    def test_what_has_no_end_in_a_named_file_is_counted(self, project: Project) -> None:
        cluster(project, 2)
        project.file("apps/app.properties", "bootstrap.servers=k1:9092\ngroup.id=app\n")
        arguments = ("--context", ".", "--select", "KC0303", "apps/app.properties")
        assert report(project, *arguments)["summary"]["withheld"] == 2
        result = project.run("lint", *arguments)
        assert "Found nothing (2 outside the named files)" in result.err

    @pytest.mark.parametrize("format", ["text", "concise"])
    def test_a_broker_of_two_thousand_topics(self, project: Project, format: str) -> None:
        cluster(project, 2000)
        told = lines(project, "--context", ".", "--output", format, FIRST)
        assert len(told) <= 20
        (line,) = [line for line in told if "KC0303" in line]
        assert line.startswith(f"{FIRST}:13:21: warning")
        assert "min.insync.replicas: 2,000 findings in another file" in line
        found = report(project, "--context", ".", FIRST)["findings"]
        assert len([f for f in found if f["rule"] == "KC0303"]) == 2000

    def test_many_places_of_one_key_are_one_line(self, project: Project) -> None:
        sets = "".join(
            f"  - {{name: t{n}, partitions: 6, replication_factor: 3, config: {{min.insync.replicas: 2}}}}\n"
            for n in range(9)
        )
        project.file("topics.yaml", "topics:\n" + sets)
        project.file("cluster.yaml", 'cluster: {name: lab, kafka_version: "4.1", brokers: 3}\n')
        names = ", ".join(f"t{n}" for n in range(9))
        project.file(
            "apps.yaml",
            f"producers:\n  - {{name: app, topics: [{names}], config: {{acks: '1'}}}}\n",
        )
        told = lines(project, "--context", ".", "--output", "concise", "topics.yaml")
        assert len([line for line in told if "KC0307" in line]) == 1
        assert "9 findings in another file, first apps.yaml:2:" in "".join(told)

    def test_what_stood_at_head_is_counted(self, project: Project) -> None:
        cluster(project, 40)
        shutil.rmtree(project.root / ".git")
        hook = ("--context", ".", "--context-since", "HEAD")
        git(project.root, "init", "-q", "-b", "main", ".")
        before = report(project, *hook, FIRST)
        assert len(before["findings"]) >= 40, "there is no commit yet"
        commit(project)
        project.file(FIRST, "# reviewed\n" + BROKER.format(n=1))
        after = report(project, *hook, "--select", "KC0303", FIRST)
        assert after["findings"] == []
        assert (after["summary"]["since"], after["summary"]["known"]) == ("HEAD", 40)
        assert "40 known in HEAD" in project.run("lint", *hook, FIRST).err
        # What is wrong in a named file itself is told, also where all files are named.
        assert len(report(project, *hook, "--select", "KC0303", "topics")["findings"]) == 40
        project.file("topics/more.yaml", "topics:\n" + TOPIC.format(n="-new"))
        (new,) = report(project, *hook, "--select", "KC0303", FIRST)["findings"]
        assert new["resource"]["name"] == "t-new"
        assert project.run("lint", *hook[:3], "nowhere", FIRST).code == 2
        assert project.run("lint", *hook[2:], FIRST).code == 2

    def test_since_knows_all_ends(self, project: Project) -> None:
        shutil.rmtree(project.root / ".git")
        cluster(project, 1)
        for n in (1, 2, 3):
            project.file(
                f"brokers/server-{n}.properties",
                BROKER.format(n=n).replace("min.insync.replicas=3", "min.insync.replicas=2"),
            )
        commit(project)
        for n in (1, 2, 3):
            project.file(f"brokers/server-{n}.properties", BROKER.format(n=n))
        found = report(project, "--since", "main", "--context", ".", "brokers")["findings"]
        assert "topics/topics.yaml" in {f["path"] for f in found if f["rule"] == "KC0303"}


DECLARED = """\
cluster: {name: lab, brokers: 3, kafka_version: "4.1"}
topics:
%sproducers:
  - {name: checkout, topics: [%s], config: {acks: "1"}}
"""
ROW = "  - {name: %s, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 2}}\n"


def declared(*topics: str) -> str:
    return DECLARED % ("".join(ROW % name for name in topics), ", ".join(topics))


class TestBaseline:
    def told(self, project: Project, *more: str) -> list[str]:
        found = report(project, "--baseline", "kcheck-baseline.jsonl", *more)["findings"]
        return [finding["message"] for finding in found]

    def test_one_of_an_older_version_hides_the_same_faults(self, project: Project) -> None:
        shutil.copytree(LAB / "lab", project.root, dirs_exist_ok=True)
        shutil.copy(LAB / "without-ends.jsonl", project.root / "kcheck-baseline.jsonl")
        assert '"ends"' not in (project.root / "kcheck-baseline.jsonl").read_text()
        found = report(project, "--baseline", "kcheck-baseline.jsonl")
        assert found["findings"] == []
        assert found["summary"]["baselined"] == 11
        check = project.run("baseline", "prune", "--check")
        assert check.code == 0, check.err
        # The same under other names, where the old ones are gone.
        (project.root / "apps").rename(project.root / "services")
        assert self.told(project) == []

    def test_a_new_twin_does_not_take_the_entry_of_another(self, project: Project) -> None:
        project.file("kcheck.yaml", declared("b"))
        project.run("baseline", "create")
        assert self.told(project) == []
        project.file("kcheck.yaml", declared("a", "b"))
        (message,) = self.told(project)
        assert "for topic a," in message
        # An entry hides one finding.
        project.file("kcheck.yaml", declared("b") + ROW.replace("  - ", "#") % "x")
        assert self.told(project) == []

    def test_a_renamed_topic_is_known_at_its_producer(self, project: Project) -> None:
        project.file("kcheck.yaml", declared("b", "c"))
        project.run("baseline", "create")
        project.file("kcheck.yaml", declared("c", "new"))
        assert self.told(project) == []
        project.file("kcheck.yaml", declared("c", "new", "newer"))
        assert len(self.told(project)) == 2, "nobody knows which of them is the renamed one"

    def test_a_renamed_resource_is_known(self, project: Project) -> None:
        project.file("kcheck.yaml", declared("b"))
        project.run("baseline", "create")
        project.file("kcheck.yaml", declared("b").replace("checkout", "till"))
        assert self.told(project) == []

    def test_a_value_alone_decides_nothing(self, project: Project) -> None:
        wrong = ROW.replace("min.insync.replicas: 2", "min.insync.replicas: 3")
        cluster = 'cluster: {name: lab, brokers: 3, kafka_version: "4.1"}\ntopics:\n'
        project.file("kcheck.yaml", cluster + wrong % "a" + ROW % "b")
        project.run("baseline", "create")
        # a is mended and b breaks: both are there, so nothing was renamed.
        project.file("kcheck.yaml", cluster + ROW % "a" + wrong % "b")
        assert any("topic b" in message for message in self.told(project))

    def test_a_copy_is_no_rename(self, project: Project) -> None:
        project.file("eu/kcheck.yaml", declared("b"))
        project.run("baseline", "create")
        project.file("us/kcheck.yaml", declared("b"))
        copied = len(self.told(project))
        assert copied
        # One is gone and two have come: nobody knows which of them it was.
        project.file("ap/kcheck.yaml", declared("b"))
        shutil.rmtree(project.root / "eu")
        told = self.told(project)
        assert len(told) == 2 * len(set(told)) > 0

    def test_a_moved_folder_is_known(self, project: Project) -> None:
        project.file("eu/kcheck.yaml", declared("b"))
        project.run("baseline", "create")
        (project.root / "eu").rename(project.root / "emea")
        assert self.told(project) == []

    def test_git_knows_the_files_that_have_no_names_in_them(self, project: Project) -> None:
        shutil.rmtree(project.root / ".git")
        text = "zookeeper.connect=zk:2181\nlog.dirs=/tmp/kafka-logs\nmin.insync.replicas=4\nlingr.ms=5\n"
        project.file("a/server.properties", text)
        project.run("baseline", "create")
        commit(project)
        git(project.root, "mv", "a", "b")
        git(project.root, "commit", "-qm", "moved")
        assert self.told(project) == []
        project.file("b/server.properties", text + "acsk=1\n")
        assert len(self.told(project)) == 1


class TestSince:
    def test_renamed_resources_are_known(self, project: Project) -> None:
        shutil.rmtree(project.root / ".git")
        project.file("kcheck.yaml", declared("b"))
        commit(project)
        project.file("kcheck.yaml", declared("b").replace("checkout", "till"))
        found = report(project, "--since", "main")["findings"]
        assert [f["rule"] for f in found if not f["rule"].startswith("KC19")] == []

    def test_a_new_twin_is_the_new_one(self, project: Project) -> None:
        shutil.rmtree(project.root / ".git")
        project.file("kcheck.yaml", declared("b"))
        commit(project)
        project.file("kcheck.yaml", declared("a", "b"))
        (found,) = (
            f for f in report(project, "--since", "main")["findings"] if f["rule"] == "KC0307"
        )
        assert "for topic a," in found["message"]

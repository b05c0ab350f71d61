"""What a tree may hold: every input is read or counted with a reason, nothing ends the run."""

from __future__ import annotations

import json
import os
import socket

import pytest
from playground import CLEAN, FAULTY, Project

from kcheck import discover

BROKER = "broker.id=1\nlog.dirs=/data\nzookeeper.connect=zk:2181\n"


def listing(project: Project, *args: str) -> dict[str, tuple[str, str | None]]:
    result = project.run("files", "--output", "json", *args)
    files = json.loads(result.out)["files"]
    found = {f["path"]: (f["status"], f["reason"]) for f in files}
    assert len(found) == len(files), "each input once"
    assert "Traceback" not in result.err
    return found


def test_a_tree_of_traps(project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    project.file("deep/er/broker.properties", BROKER)
    project.file("notes.txt", "hello")
    project.file("node_modules/x/topics.yaml", CLEAN)
    project.file("service/target/classes/topics.yaml", CLEAN)
    project.file(".venv/topics.yaml", CLEAN)
    project.file(".git/topics.yaml", CLEAN)
    project.file("..2024_01_01/topics.yaml", CLEAN)
    (project.root / "server.properties").mkdir()
    project.file("server.properties/inside.yaml", CLEAN)
    os.symlink(project.root, project.root / "deep/loop")
    os.symlink("nowhere.yaml", project.root / "dangling.yaml")
    os.symlink("ring-b.yaml", project.root / "ring-a.yaml")
    os.symlink("ring-a.yaml", project.root / "ring-b.yaml")
    os.symlink("topics.yaml", project.root / "linked.yaml")
    os.symlink("/etc/hostname", project.root / "outside.properties")
    os.mkfifo(project.root / "pipe.yaml")
    plug = socket.socket(socket.AF_UNIX)
    os.chdir(project.root)
    plug.bind("plug.yaml")
    found = listing(project, ".")
    plug.close()
    assert {path: status for path, (status, _) in found.items()} == {
        "topics.yaml": "read",
        "linked.yaml": "read",
        "deep/er/broker.properties": "read",
        "server.properties/inside.yaml": "read",
        "server.properties": "skipped",
        "notes.txt": "passed-over",
        "node_modules": "skipped",
        "service/target": "skipped",
        "deep/loop": "skipped",
        "dangling.yaml": "skipped",
        "ring-a.yaml": "error",
        "ring-b.yaml": "error",
        "outside.properties": "skipped",
        "pipe.yaml": "skipped",
        "plug.yaml": "skipped",
    }
    assert all(reason for status, reason in found.values() if status != "read")
    assert project.run("lint", ".").code == 0


def test_bad_bytes(project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    project.file("binary.yaml", bytes(range(256)) * 100)
    project.file("empty.yaml", "")
    project.file("empty.properties", "")
    project.file("latin.properties", "broker.id=1\nlog.dirs=/d\xe4ta\n".encode("latin-1"))
    project.file("deep.yaml", "kafka: " + "[" * 100_000)
    bomb = "a0: &a0 [kafka, kafka]\n" + "".join(
        f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)
    )
    project.file("bomb.yaml", bomb + "topics: *a59\n")
    project.file("merge.yaml", bomb.replace("[", "{<<: [").replace("]\n", "]}\n"))
    project.file("huge.yaml", b"topics:\n" + b"  - {name: orders, partitions: 3}\n" * 300_000)
    found = listing(project, ".")
    assert set(found) == {p.name for p in project.root.iterdir() if p.is_file()}
    assert found["topics.yaml"][0] == "read"
    assert found["huge.yaml"][0] == "skipped"
    result = project.run("lint", ".")
    assert result.code in (0, 1) and "Traceback" not in result.err


def test_an_unreadable_file_is_counted_and_said(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refuse(path: str, *args: object, **more: object) -> int:
        if str(path).endswith("secret.yaml"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **more)  # type: ignore[arg-type]

    project.file("topics.yaml", CLEAN)
    project.file("secret.yaml", CLEAN)
    monkeypatch.setattr(discover.os, "open", refuse)
    assert listing(project, ".")["secret.yaml"] == ("error", "permission denied")
    walked = project.run("lint", ".")
    assert walked.code == 0 and "secret.yaml: permission denied" in walked.err
    named = project.run("lint", "topics.yaml", "secret.yaml")
    assert named.code == 2 and named.err.count("secret.yaml: permission denied") == 1


def test_an_unreadable_folder_is_counted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    project.file("topics.yaml", CLEAN)
    project.file("closed/topics.yaml", CLEAN)
    monkeypatch.setattr(discover.os, "scandir", refuse)
    assert listing(project, ".")["closed"] == ("error", "permission denied")
    assert project.run("lint", ".").code == 0
    assert project.run("lint", "closed").code == 2


def test_named_files_are_read_whatever_excludes_say(project: Project) -> None:
    project.file("kcheck.toml", 'exclude = ["old/**"]\n')
    project.file("topics.yaml", CLEAN)
    for path in ("old/kcheck.yaml", "build/kcheck.yaml", "new/kcheck.yaml"):
        project.file(path, FAULTY)
    every = ["old/kcheck.yaml", "build/kcheck.yaml", "new/kcheck.yaml"]
    found = listing(project, *every, "--exclude", "new/*")
    assert [found[path][0] for path in every] == ["read"] * 3
    found = listing(project, *every, "--exclude", "new/*", "--force-exclude")
    assert [found[path] for path in every] == [
        ("skipped", "excluded"),
        ("skipped", "build output"),
        ("skipped", "excluded"),
    ]
    found = listing(project, ".", "--exclude", "new/*")
    assert found["old"] == ("skipped", "excluded")
    assert found["new"] == ("skipped", "excluded")
    found = listing(project, ".", "--exclude", "kcheck.yaml")
    assert found["new/kcheck.yaml"] == ("skipped", "excluded")
    assert found["topics.yaml"][0] == "read"


@pytest.mark.parametrize("mark", ["bin/kafka-server-start.sh", "libs/kafka_2.13-3.9.0.jar"])
def test_a_vendored_kafka_is_left_out_and_a_named_one_is_not(mark: str, project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    project.file(f"vendor/kafka/{mark}")
    project.file("vendor/kafka/config/server.properties", BROKER)
    project.file("vendor/kafka/config/kraft/server.properties", BROKER)
    project.file("vendor/kafka/mine/server.properties", BROKER)
    found = listing(project, ".")
    assert found["vendor/kafka/config/server.properties"] == ("skipped", "shipped with Kafka")
    assert found["vendor/kafka/config/kraft/server.properties"][0] == "skipped"
    assert found["vendor/kafka/mine/server.properties"][0] == "read"
    for path in ("vendor/kafka", "vendor/kafka/config", "vendor/kafka/config/server.properties"):
        assert listing(project, path)["vendor/kafka/config/server.properties"][0] == "read"
    hook = listing(project, "vendor/kafka/config/server.properties", "--force-exclude")
    assert hook["vendor/kafka/config/server.properties"] == ("skipped", "shipped with Kafka")


def test_samples_of_an_unpacked_connector_are_left_out(project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    for name in ("manifest.json", "lib/connector.jar", "doc/README.md"):
        project.file(f"plugins/spooldir/{name}")
    project.file("plugins/spooldir/etc/worker.properties", BROKER)
    project.file("plugins/etc/worker.properties", BROKER)
    found = listing(project, ".")
    left = ("skipped", "shipped with a connector")
    assert found["plugins/spooldir/etc/worker.properties"] == left
    assert found["plugins/etc/worker.properties"][0] == "read"


def test_fixtures_of_tests_are_left_out_unless_they_are_named(project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    path = "image/test/fixtures/failing/kcheck.yaml"
    project.file(path, FAULTY)
    project.file("fixtures/kcheck.yaml", CLEAN)
    project.file("image/test/mine/kcheck.yaml", CLEAN)
    found = listing(project, ".")
    assert found[path] == ("skipped", "fixtures of tests")
    assert found["fixtures/kcheck.yaml"][0] == "read"
    assert found["image/test/mine/kcheck.yaml"][0] == "read"
    for named in ("image/test", "image/test/fixtures", path):
        assert listing(project, named)[path][0] == "read"
    assert listing(project, path, "--force-exclude")[path][0] == "skipped"


def test_paths_are_named_from_the_working_directory(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.file("conf/kcheck.yaml", FAULTY)
    named = str(project.root / "conf" / "kcheck.yaml")
    for spelling in ("conf/kcheck.yaml", "./conf//kcheck.yaml", "conf/../conf/kcheck.yaml", named):
        assert set(listing(project, spelling)) == {"conf/kcheck.yaml"}
    monkeypatch.chdir(project.root / "conf")
    assert set(listing(project)) == {"kcheck.yaml"}
    (project.root / "other").mkdir()
    monkeypatch.chdir(project.root / "other")
    assert set(listing(project, "../conf")) == {"../conf/kcheck.yaml"}


def test_no_file_twice_and_always_in_one_order(project: Project) -> None:
    for path in ("b/2.yaml", "b/1.yaml", "a.yaml", "b.yaml", "c/d/e.yaml"):
        project.file(path, CLEAN)
    expected = ["a.yaml", "b.yaml", "b/1.yaml", "b/2.yaml", "c/d/e.yaml"]
    assert [path for path, _ in discover.Inputs(["."])] == expected
    mixed = [path for path, _ in discover.Inputs(["b/2.yaml", ".", "b"])]
    assert mixed == ["b/2.yaml", "a.yaml", "b.yaml", "b/1.yaml", "c/d/e.yaml"]


def test_context_is_read_but_not_reported_on(project: Project) -> None:
    project.file("cluster.yaml", 'cluster: {name: core, kafka_version: "3.6", brokers: 3}\n')
    project.file("other.yaml", CLEAN.replace("replication_factor: 3", "replication_factor: 8"))
    text = CLEAN.replace("orders", "wide").replace("replication_factor: 3", "replication_factor: 9")
    project.file("topics.yaml", text)
    assert project.run("lint", "topics.yaml").code == 0, "a file alone has no brokers"
    result = project.run("lint", "topics.yaml", "--context", ".", "--output", "json")
    assert result.code == 1
    findings = json.loads(result.out)["findings"]
    assert {f["path"] for f in findings} == {"topics.yaml"}
    assert {
        f["path"] for f in json.loads(project.run("lint", "--output", "json").out)["findings"]
    } > {"topics.yaml"}


def test_lookup_stays_inside_the_project(project: Project) -> None:
    project.file("compose/.env", "A=1\n")
    (project.root.parent / "outside.env").write_text("A=2\n")
    os.symlink(project.root.parent / "outside.env", project.root / "link.env")
    inputs = discover.Inputs(["."])
    assert inputs.lookup("compose/.env") == b"A=1\n"
    assert inputs.lookup("compose/../compose/.env") == b"A=1\n"
    assert inputs.lookup("missing.env") is None
    assert inputs.lookup("compose") is None
    assert inputs.lookup("../outside.env") is None
    assert inputs.lookup("link.env") is None


def test_a_deep_tree_is_no_recursion(project: Project) -> None:
    path = project.root
    for _ in range(200):
        path = path / "d"
    path.mkdir(parents=True)
    (path / "topics.yaml").write_text(CLEAN)
    assert [status for status, _ in listing(project, ".").values()] == ["read"]


def test_samples_of_unpacked_tools_and_fetched_charts_are_left_out(project: Project) -> None:
    kafka = "broker.id=1\nzookeeper.connect=zk:2181\n"
    for path in (
        "strimzi-0.45.0/install/cluster-operator/060.yaml",
        "cp-ansible/roles/variables/vars/main.yml",
        "confluent-7.9.0/bin/kafka-server-start",
        "app/values.yaml",
    ):
        project.file(path, "a: 1\n")
    project.file(
        "app/Chart.lock",
        "dependencies:\n- name: kafka\n  repository: https://charts.example.com\n  version: 1.0.0\n"
        "- name: own\n  repository: file://charts/own\n  version: 1.0.0\n",
    )
    samples = (
        "strimzi-0.45.0/examples/server.properties",
        "cp-ansible/sample_inventories/server.properties",
        "confluent-7.9.0/etc/kafka/server.properties",
        "app/charts/kafka/server.properties",
    )
    for path in (*samples, "app/charts/own/server.properties"):
        project.file(path, kafka)
    listed = {row.split()[0]: row for row in project.run("files").out.splitlines()}
    assert all(" skipped " in listed[path] for path in samples)
    assert " read " in listed["app/charts/own/server.properties"]
    assert " read " in project.run("files", "app/charts/kafka").out

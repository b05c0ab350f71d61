"""The change gate on the history of a repository: every dangerous change is told, no harmless one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from kcheck.__main__ import main

BASE = {
    "kafka/cluster.yaml": """\
cluster:
  name: payments
  kafka_version: "4.1"
  environment: production
  brokers: 3
  config: {default.replication.factor: 3, min.insync.replicas: 2, auto.create.topics.enable: false}
topics:
  - {name: orders, partitions: 12, replication_factor: 3, keyed: true, produce_rate: 10MB/s,
     config: {retention.ms: 604800000, min.insync.replicas: 2}}
  - {name: clicks, partitions: 6, replication_factor: 3, config: {retention.ms: 604800000}}
  - {name: accounts, partitions: 6, replication_factor: 3, config: {cleanup.policy: compact}}
""",
    "kafka/topic.yaml": """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: invoices, labels: {strimzi.io/cluster: payments}}
spec:
  partitions: 6
  replicas: 3
  config:
    retention.ms: 604800000
""",
    "broker/server.properties": """\
broker.id=1
zookeeper.connect=zk1:2181
log.dirs=/data/kafka
listeners=PLAINTEXT://k1:9092,SASL_SSL://k1:9093
inter.broker.listener.name=PLAINTEXT
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
log.retention.hours=168
""",
    "apps/billing/consumer.properties": """\
bootstrap.servers=k1:9092,k2:9092
group.id=billing
auto.offset.reset=latest
key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
value.deserializer=org.apache.kafka.common.serialization.StringDeserializer
""",
    "apps/ledger/producer.properties": """\
bootstrap.servers=k1:9092,k2:9092
acks=all
transactional.id=ledger-0
key.serializer=org.apache.kafka.common.serialization.StringSerializer
value.serializer=org.apache.kafka.common.serialization.StringSerializer
""",
}
CLUSTER, TOPIC, SERVER = "kafka/cluster.yaml", "kafka/topic.yaml", "broker/server.properties"
CONSUMER, PRODUCER = "apps/billing/consumer.properties", "apps/ledger/producer.properties"

Edit = tuple[str, str, str]

#: (rule, edits): a file, what is replaced in it, by what. "" for a whole file removes or adds it.
DANGEROUS: dict[str, tuple[str, Edit]] = {
    "fewer partitions": ("KC1901", (CLUSTER, "orders, partitions: 12", "orders, partitions: 6")),
    "more on a keyed topic": (
        "KC1902",
        (CLUSTER, "orders, partitions: 12", "orders, partitions: 24"),
    ),
    "more on a compacted topic": (
        "KC1902",
        (CLUSTER, "accounts, partitions: 6", "accounts, partitions: 9"),
    ),
    "one copy": ("KC1903", (TOPIC, "replicas: 3", "replicas: 1")),
    "a log becomes a table": (
        "KC1904",
        (TOPIC, "retention.ms: 604800000", "cleanup.policy: compact"),
    ),
    "retention of a topic": ("KC1905", (TOPIC, "604800000", "86400000")),
    "retention of a broker": ("KC1905", (SERVER, "hours=168", "hours=24")),
    "a topic is gone with its file": ("KC1906", (TOPIC, "", "")),
    "a topic is renamed": ("KC1907", (CLUSTER, "name: clicks", "name: clicks-v2")),
    "fewer in sync": (
        "KC1908",
        (CLUSTER, "000, min.insync.replicas: 2", "000, min.insync.replicas: 1"),
    ),
    "a listener moves": ("KC1910", (SERVER, "k1:9092", "k1:19092")),
    "a mechanism is gone": ("KC1911", (SERVER, "PLAIN,SCRAM", "SCRAM")),
    "another group": ("KC1920", (CONSUMER, "group.id=billing", "group.id=billing-v2")),
    "another transactional id": ("KC1922", (PRODUCER, "ledger-0", "book-0")),
}
HARMLESS: dict[str, Edit] = {
    "a comment": (CLUSTER, "topics:\n", "# reviewed\ntopics:\n"),
    "another order": (SERVER, "broker.id=1\nzookeeper.connect=zk1:2181", "zookeeper.connect=zk1:2181\nbroker.id=1"),
    "more where no key matters": (CLUSTER, "clicks, partitions: 6", "clicks, partitions: 12"),
    "longer retention": (TOPIC, "604800000", "1209600000"),
    "the same retention in another unit": (SERVER, "log.retention.hours=168", "log.retention.ms=604800000"),
    "a new topic": (CLUSTER, "topics:\n", "topics:\n  - {name: refunds, partitions: 6, replication_factor: 3}\n"),
    "a topic in another file": (TOPIC, "", "kafka/topics/invoices.yaml"),
    "a topic in another format": (
        CLUSTER,
        "  - {name: clicks, partitions: 6, replication_factor: 3, config: {retention.ms: 604800000}}",
        "  - name: clicks\n    partitions: 6\n    replication_factor: 3\n    config:\n      retention.ms: 604800000",
    ),
    "a second listener": (SERVER, "k1:9093\n", "k1:9093,SSL://k1:9094\n"),
    "one more mechanism": (SERVER, "PLAIN,", "PLAIN,SCRAM-SHA-256,"),
    "what a template fills in": (SERVER, "PLAIN,SCRAM-SHA-512", "${MECHANISMS}"),
    "another name of the cluster": (CLUSTER, "name: payments", "name: pay"),
    "a setting of a client": (CONSUMER, "auto.offset", "max.poll.records=100\nauto.offset"),
    "a new client": (CLUSTER, "topics:\n", "producers: [{name: web, topics: [clicks], config: {acks: all}}]\ntopics:\n"),
    "a stated default": (CLUSTER, "config: {cleanup.policy: compact}", "config: {cleanup.policy: compact, min.insync.replicas: 2}"),
}  # fmt: skip


def git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("history")
    git(root, "init", "-q", "-b", "main", ".")
    write(root, BASE)
    git(root, "add", ".")
    git(root, "commit", "-qm", "as it runs")
    return root


@pytest.fixture
def repository(history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repository"
    subprocess.run(["git", "clone", "-q", str(history), str(root)], check=True)
    git(root, "checkout", "-q", "-b", "change")
    monkeypatch.chdir(root)
    for name in ("KCHECK_CONFIG", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return root


def change(root: Path, path: str, old: str, new: str) -> None:
    if not old:
        text = (root / path).read_text()
        (root / path).unlink()
        if new:
            write(root, {new: text})
        return
    text = (root / path).read_text()
    assert text.count(old) == 1
    (root / path).write_text(text.replace(old, new))


def since(
    capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[int, list[dict[str, object]], str]:
    capsys.readouterr()
    code = main(["lint", "--since", "main", "--output", "json", *(more or (".",))])
    out, err = capsys.readouterr()
    return code, json.loads(out)["findings"] if out else [], err


@pytest.mark.parametrize("name", DANGEROUS)
@pytest.mark.parametrize("committed", [False, True], ids=["working tree", "committed"])
def test_every_dangerous_change_is_told(
    name: str, committed: bool, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule, edit = DANGEROUS[name]
    change(repository, *edit)
    if committed:
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", name)
    _, findings, err = since(capsys)
    told = [finding for finding in findings if finding["rule"] == rule]
    assert len(told) == 1, (findings, err)
    assert told[0]["consequence"] and told[0]["fix"]
    assert any("revision" in item for item in told[0]["evidence"])


@pytest.mark.parametrize("name", HARMLESS)
def test_no_harmless_change_is(
    name: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(repository, *HARMLESS[name])
    code, findings, _ = since(capsys)
    assert [f for f in findings if f["severity"] != "info"] == []
    assert code == 0


def test_there_are_twelve_of_each() -> None:
    assert len(DANGEROUS) >= 12 and len(HARMLESS) >= 12


def test_what_was_there_is_known(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", "--output", "json", "."])
    before = len(json.loads(capsys.readouterr().out)["findings"])
    code, findings, err = since(capsys)
    assert (code, findings) == (0, [])
    assert f"{before} known in main" in err


def test_what_others_did_meanwhile_is_nobody_s_change(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(repository, "checkout", "-q", "main")
    change(repository, TOPIC, "604800000", "1209600000")
    git(repository, "commit", "-qam", "longer")
    git(repository, "checkout", "-q", "change")
    assert since(capsys)[1] == []


def test_a_moved_file_keeps_its_findings(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = "log.dirs=/data/kafka\nauto.create.topics.enable=yes\n"
    change(repository, SERVER, "log.dirs=/data/kafka\n", fault)
    git(repository, "commit", "-qam", "a fault")
    git(repository, "branch", "-f", "main")
    git(repository, "mv", "broker", "brokers")
    main(["lint", "--output", "concise", "brokers"])
    assert "brokers/server.properties:4:27: error KC0103" in capsys.readouterr().out
    code, findings, _ = since(capsys)
    assert (code, findings) == (0, [])


def test_a_broken_file_is_no_removal(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / TOPIC).write_text("apiVersion: kafka.strimzi.io/v1beta2\nkind: [KafkaTopic\n")
    _, findings, _ = since(capsys)
    assert {f["rule"] for f in findings} == {"KC0001"}


def test_a_folder_below_and_a_single_file(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(repository, CLUSTER, "orders, partitions: 12", "orders, partitions: 6")
    change(repository, TOPIC, "604800000", "86400000")
    assert {f["rule"] for f in since(capsys, "kafka")[1]} == {"KC1901", "KC1905"}
    assert {f["rule"] for f in since(capsys, TOPIC)[1]} == {"KC1905"}
    assert {f["rule"] for f in since(capsys, "--context", ".", TOPIC)[1]} == {"KC1905"}
    monkeypatch.chdir(repository / "kafka")
    found = since(capsys)[1]
    assert {f["path"] for f in found} == {"cluster.yaml", "topic.yaml"}
    assert {f["rule"] for f in found} == {"KC1901", "KC1905"}


def test_an_ignore_acknowledges_a_change(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    why = "    # kcheck: ignore[retention-cut] until=2099-01-01 nobody reads older ones\n"
    change(repository, TOPIC, "    retention.ms: 604800000", f"{why}    retention.ms: 86400000")
    assert since(capsys)[1] == []
    # Once it is merged it hides nothing, which is no fault of its.
    main(["lint", "--output", "json", "."])
    assert "KC0003" not in capsys.readouterr().out


def test_clusters_that_have_a_topic_of_one_name(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        text = f"cluster: {{name: {name}}}\ntopics: [{{name: orders, partitions: 6}}]\n"
        write(repository, {f"{name}/kcheck.yaml": text})
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "two more")
    git(repository, "branch", "-f", "main")
    for name in ("a", "b"):
        change(repository, f"{name}/kcheck.yaml", "partitions: 6", "partitions: 3")
    _, findings, _ = since(capsys)
    assert [(f["rule"], f["cluster"]) for f in findings] == [("KC1901", "a"), ("KC1901", "b")]


def test_a_topic_that_begins_to_inherit(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(repository, CLUSTER, "retention.ms: 604800000, min", "min")
    assert since(capsys)[1] == []
    change(repository, CLUSTER, "min.insync.replicas: 2, auto", "log.retention.hours: 24, auto")
    _, findings, _ = since(capsys)
    cut = next(f for f in findings if f["rule"] == "KC1905")
    assert cut["message"] == "topic orders: retention.ms is reduced from 7 d to 1 d"
    assert cut["evidence"][0]["from"] == "log.retention.hours"


def test_a_commit_that_is_none(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ref in ("nowhere", "--help", "HEAD:kafka"):
        assert main(["lint", f"--since={ref}", "."]) == 2
        assert "commit not found" in capsys.readouterr().err


def test_outside_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, BASE)
    monkeypatch.chdir(tmp_path)
    assert main(["lint", "--since", "main", "."]) == 2
    assert "requires a git repository" in capsys.readouterr().err


STATE = """\
topics:
  - {name: orders, partitions: 24, replication_factor: 3, config: {retention.ms: 1209600000}}
  - {name: legacy, partitions: 3, replication_factor: 3}
"""


def test_a_declared_state_is_the_older_one(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "live.yaml"
    state.write_text(STATE)
    main(["lint", "--since-state", str(state), "--output", "json", "--select", "KC19", "kafka"])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert {(f["rule"], f["resource"]["name"]) for f in found} == {
        ("KC1901", "orders"),
        ("KC1905", "orders"),
        ("KC1906", "legacy"),
    }
    # Both at once: a change is told once.
    change(repository, CLUSTER, "orders, partitions: 12", "orders, partitions: 6")
    main(["lint", "--since", "main", "--since-state", str(state), "--output", "json", "kafka"])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [f["rule"] for f in found].count("KC1901") == 1


def test_a_state_that_says_nothing(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.yaml").write_text("a: 1\n")
    assert main(["lint", "--since-state", str(tmp_path / "empty.yaml"), "."]) == 2
    assert main(["lint", "--since-state", "nowhere.yaml", "."]) == 2
    assert "does not exist" in capsys.readouterr().err

"""The way of an upgrade: its stretches and steps, in the order to work them off."""

from __future__ import annotations

import pytest
from ways import FILES, upgraded, with_settings

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.fingerprint import of
from kcheck.model import AFTER, BEFORE, DISAPPEARS, ERROR, INFO, SEVERITY_RANK, WARNING, Finding
from kcheck.settings import ClusterSettings, Settings
from kcheck.upgrade import Refused, Upgraded

STEP, WAY, CLIENTS = "KC0222", "KC0221", "KC0223"


def steps(project: Upgraded) -> list[tuple[str, str, str, str]]:
    """(stretch, when, severity, subject) of each step."""
    return [
        (f"{f.change.old} → {f.change.new}", f.change.when, f.severity, f.evidence[0].key)
        for f in project.findings
        if f.change and f.code in (STEP, WAY)
    ]


def subjects(project: Upgraded) -> set[str]:
    return {subject for *_, subject in steps(project)}


# -- the way itself ------------------------------------------------------------------------------


def test_from_zookeeper_of_2_8_to_4_4_leads_over_3_9() -> None:
    project = upgraded(with_settings("broker", {"log.message.format.version": "2.8"}), "2.8", "4.4")
    assert project.ways[0].brokers == ["2.8", "3.9", "4.4"]
    assert steps(project) == [
        ("2.8 → 3.9", BEFORE, ERROR, "kafka_version"),
        ("2.8 → 3.9", BEFORE, WARNING, "inter.broker.protocol.version"),
        ("2.8 → 3.9", AFTER, INFO, "inter.broker.protocol.version"),
        ("2.8 → 3.9", AFTER, INFO, "log.message.format.version"),
        ("3.9 → 4.4", BEFORE, ERROR, "zookeeper.connect"),
        ("3.9 → 4.4", BEFORE, WARNING, "java"),
        ("3.9 → 4.4", BEFORE, INFO, "log4j"),
        ("3.9 → 4.4", AFTER, INFO, "metadata.version"),
    ]
    texts = "\n".join(
        f"{f.message} {f.consequence} {f.fix and f.fix.text}" for f in project.findings
    )
    assert "inter.broker.protocol.version=2.8" in texts
    assert "inter.broker.protocol.version=3.9" in texts
    assert "process.roles is missing" in texts
    assert "upgrade --release-version 4.4" in texts
    assert [f.code for f in project.findings].count(CLIENTS) == 1


def test_in_kraft_mode_only_versions_before_3_3_go_round() -> None:
    files = with_settings("kraft", {})
    assert upgraded(files, "3.2").ways[0].brokers == ["3.2", "3.9", "4.4"]
    assert upgraded(files, "3.3").ways[0].brokers == ["3.3", "4.4"]
    assert steps(upgraded(files, "3.6")) == [
        ("3.6 → 4.4", BEFORE, WARNING, "java"),
        ("3.6 → 4.4", BEFORE, WARNING, "metadata.version"),
        ("3.6 → 4.4", BEFORE, INFO, "log4j"),
        ("3.6 → 4.4", AFTER, INFO, "metadata.version"),
    ]
    assert steps(upgraded(files, "3.5", "3.9")) == [
        ("3.5 → 3.9", AFTER, INFO, "metadata.version"),
    ]


def test_zookeeper_goes_round_from_wherever_it_comes() -> None:
    files = with_settings("broker", {})
    assert upgraded(files, "3.9").ways[0].brokers == ["3.9", "4.4"]
    assert upgraded(files, "3.6").ways[0].brokers == ["3.6", "3.9", "4.4"]
    assert upgraded(files, "3.6", "3.9").ways[0].brokers == ["3.6", "3.9"]
    assert upgraded(files, "2.0").ways[0].brokers == ["2.0", "3.5", "3.9", "4.4"]
    assert "zookeeper.connect" in subjects(upgraded(files, "2.0", "3.9"))
    assert "zookeeper.connect" not in subjects(upgraded(files, "2.4", "3.9"))


def test_where_no_file_tells_the_mode_it_is_a_question() -> None:
    files = {"kcheck.yaml": 'cluster: {name: core, kafka_version: "3.9", brokers: 3}\n'}
    assert ("3.9 → 4.4", BEFORE, WARNING, "process.roles") in steps(upgraded(files))
    assert upgraded(files, "2.8").ways[0].brokers == ["2.8", "3.9", "4.4"]
    assert upgraded(files, "3.5").ways[0].brokers == ["3.5", "4.4"]


def test_the_early_access_of_kraft_leads_nowhere() -> None:
    project = upgraded(with_settings("kraft", {}), "2.8", "3.9")
    assert ("2.8 → 3.9", BEFORE, ERROR, "process.roles") in steps(project)


def test_several_directories_need_a_metadata_version() -> None:
    files = with_settings("kraft", {"log.dirs": "/a,/b"}, without=("log.dirs",))
    found = [f for f in upgraded(files, "3.6", "3.7").findings if f.code == STEP]
    assert any("3.7-IV2" in f.message for f in found)
    one = upgraded(with_settings("kraft", {}), "3.6", "3.7").findings
    assert not any("3.7-IV2" in f.message for f in one)


def test_a_pinned_protocol_is_raised_afterwards_and_nothing_more() -> None:
    files = with_settings("broker", {"inter.broker.protocol.version": "3.6"})
    assert steps(upgraded(files, "3.6", "3.9")) == [
        ("3.6 → 3.9", AFTER, INFO, "inter.broker.protocol.version"),
    ]


def test_the_minimum_of_in_sync_replicas_moves_to_the_controllers() -> None:
    files = with_settings("kraft", {"min.insync.replicas": "2"})
    found = [f for f in upgraded(files, "4.0", "4.1").findings if f.code == STEP]
    assert [f.severity for f in found if f.evidence[0].key == "min.insync.replicas"] == [WARNING]
    # A node that is its own controller has one value for both.
    both = {path: text.replace("=broker\n", "=broker,controller\n") for path, text in files.items()}
    assert "min.insync.replicas" not in subjects(upgraded(both, "4.0", "4.1"))
    assert "min.insync.replicas" not in subjects(upgraded(with_settings("kraft", {}), "4.0", "4.1"))


def test_an_image_brings_its_java() -> None:
    image = (
        "services:\n  kafka:\n    image: apache/kafka:3.9.1\n    environment:\n"
        "      KAFKA_NODE_ID: 1\n      KAFKA_PROCESS_ROLES: broker,controller\n"
    )
    assert not {"java", "log4j"} & subjects(upgraded({"docker-compose.yml": image}))


def test_an_operator_does_its_part_itself() -> None:
    kafka = (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: events}\n"
        "spec:\n  kafka:\n    version: 3.9.0\n    replicas: 3\n    config: {}\n"
        "---\napiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaNodePool\n"
        "metadata: {name: all, labels: {strimzi.io/cluster: events}}\n"
        "spec: {replicas: 3, roles: [broker, controller], storage: {type: ephemeral}}\n"
    )
    found = [f for f in upgraded({"kafka.yaml": kafka}).findings if f.code == STEP]
    texts = [f"{f.message} {f.fix and f.fix.text}" for f in found]
    assert not any("kafka-features.sh upgrade --release-version" in text for text in texts)
    assert sum("spec.kafka.metadataVersion" in text for text in texts) == 1
    assert "java" not in {f.evidence[0].key for f in found}


def test_finalizing_a_second_time_is_less_of_a_change() -> None:
    files = with_settings("kraft", {})
    first, again = (
        [
            f.consequence
            for f in upgraded(files, start, goal).findings
            if f.change and f.change.when == AFTER
        ]
        for start, goal in (("3.9", "4.0"), ("4.0", "4.1"))
    )
    assert len(first) == len(again) == 1
    assert "the consumer protocol" in first[0]
    assert "the consumer protocol" not in again[0]


def test_who_has_clients_alone_is_told_of_no_broker() -> None:
    project = upgraded(with_settings("producer", {}), "2.8")
    assert project.ways[0].brokers == ["2.8"]
    assert project.ways[0].clients == ["2.8", "4.4"]
    sides = [f.change.side for f in project.findings if f.change]
    assert sides
    assert set(sides) == {"clients"}


def test_somebody_else_upgrades_a_service() -> None:
    files = {"kcheck.yaml": 'cluster: {name: c, kafka_version: "3.9", service: msk, brokers: 3}\n'}
    codes = {STEP, WAY, "KC0224", "KC0225"}
    for start in ("2.8", "3.9"):
        project = upgraded(files, start)
        assert project.ways[0].brokers == [start, "4.4"]
        assert codes.isdisjoint(f.code for f in project.findings)


def test_streams_restart_twice() -> None:
    files = with_settings("streams", {})
    found = [f for f in upgraded(files, "3.4", "3.5", "clients").findings if f.code == STEP]
    assert [f.evidence[0].key for f in found] == ["upgrade.from"]
    assert found[0].fix and "upgrade.from=3.4" in found[0].fix.text
    told = with_settings("streams", {"upgrade.from": "3.4"})
    for project in (
        upgraded(told, "3.4", "3.5", "clients"),
        upgraded(files, "3.5", side="clients"),
    ):
        assert "upgrade.from" not in subjects(project)


# -- clients -------------------------------------------------------------------------------------

DECLARED = """\
cluster: {{name: core, kafka_version: "3.9", brokers: 3, config: {{process.roles: broker}}}}
consumers:
  - {{name: billing, {client}config: {{group.id: billing}}}}
"""


@pytest.mark.parametrize(
    ("client", "severity"),
    [
        ('client: {library: java, version: "2.0"}, ', ERROR),
        ('client: {library: java, version: "2.1"}, ', None),
        ('client: {library: librdkafka, version: "1.8.0"}, ', WARNING),
        ('client: {library: librdkafka, version: "1.8.2"}, ', None),
        ('client: {library: kafka-python, version: "2.0.1"}, ', WARNING),
        ("client: {library: librdkafka}, ", WARNING),
        ("", WARNING),
    ],
)
def test_brokers_of_4_0_understand_no_old_clients(client: str, severity: str | None) -> None:
    project = upgraded({"kcheck.yaml": DECLARED.format(client=client)})
    found = [f.severity for f in project.findings if f.code == CLIENTS]
    assert found == ([severity] if severity else [])


def test_new_clients_want_brokers_that_understand_them() -> None:
    text = DECLARED.format(client="").replace('"3.9"', '"2.0"')
    project = upgraded({"kcheck.yaml": text}, "3.9", side="clients")
    assert [f.severity for f in project.findings if f.code == CLIENTS] == [ERROR]


PRODUCERS = """\
cluster: {name: core, kafka_version: "3.9", client_version: "3.6", brokers: 3}
producers:
  - {name: old, config: {acks: all}}
  - {name: new, client: {library: java, version: "4.1"}, config: {acks: all}}
  - {name: c, client: {library: librdkafka, version: "2.3.0"}, config: {acks: all}}
"""


def test_clients_come_after_the_brokers_each_from_its_own_version() -> None:
    project = upgraded({"kcheck.yaml": PRODUCERS})
    way = project.ways[0]
    assert (way.brokers, way.clients, way.assumed) == (["3.9", "4.4"], ["3.6", "4.4"], False)
    linger = [f for f in project.findings if f.evidence[0].key == "linger.ms"]
    assert [f.resource.name for f in linger] == ["old"]
    assert linger[0].change and linger[0].change.side == "clients"
    sides = [f.change.side for f in project.findings if f.change and f.change.kind != DISAPPEARS]
    assert sides == sorted(sides)
    assert upgraded({"kcheck.yaml": PRODUCERS}, goal="3.9").ways[0].clients == ["3.6", "3.9"]
    assert upgraded({"kcheck.yaml": PRODUCERS}, "3.5", "3.6").ways[0].clients == ["3.6"]


def test_one_side_alone() -> None:
    brokers = upgraded({"kcheck.yaml": PRODUCERS}, side="brokers")
    assert {f.change.side for f in brokers.findings if f.change} == {"brokers"}
    clients = upgraded({"kcheck.yaml": PRODUCERS}, side="clients")
    assert {f.change.side for f in clients.findings if f.change} == {"clients"}
    assert clients.ways[0].brokers == ["3.9"]


def test_only_java_clients_have_versions_of_kafka() -> None:
    text = DECLARED.format(client='client: {library: librdkafka, version: "2.3.0"}, ')
    assert upgraded({"kcheck.yaml": text}).ways[0].clients == ["3.9"]


def test_what_no_file_says_of_clients_is_taken_to_be_the_version_of_the_brokers() -> None:
    way = upgraded({"kcheck.yaml": DECLARED.format(client="")}).ways[0]
    assert (way.clients, way.assumed) == (["3.9", "4.4"], True)


# -- no way --------------------------------------------------------------------------------------


def test_an_upgrade_to_the_same_version_changes_nothing() -> None:
    everything = dict(FILES.values())
    everything.update(with_settings("kraft", {"num.replica.fetchers": "0"}))
    everything.update(with_settings("topic", {"segment.bytes": "524288"}))
    assert upgraded(everything, "4.4", "4.4").findings == []
    assert upgraded(everything, "3.9", "3.9").findings == []


def test_a_downgrade_is_refused() -> None:
    with pytest.raises(Refused, match=r"kafka runs Kafka 4.1: 4.0 would be a downgrade"):
        upgraded(
            {"kafka/server.properties": FILES["kraft"][1], "server.properties": ""}, "4.1", "4.0"
        )
    with pytest.raises(Refused, match=r"runs Kafka 3.9.2: 3.9.1 would be a downgrade"):
        upgraded(with_settings("kraft", {}), "3.9.2", "3.9.1")


def test_a_cluster_that_is_ahead_does_not_hold_up_the_others() -> None:
    files = {
        "a/kcheck.yaml": 'cluster: {name: a, kafka_version: "4.3", brokers: 3}\n',
        "b/kcheck.yaml": 'cluster: {name: b, kafka_version: "3.9", brokers: 3}\n',
    }
    project = upgraded(files, goal="4.0")
    assert [way.brokers for way in project.ways] == [["4.3"], ["3.9", "4.0"]]
    assert {f.cluster for f in project.findings} == {"b"}


def test_somebody_has_to_say_where_it_starts() -> None:
    with pytest.raises(Refused, match="use --from"):
        upgraded(with_settings("kraft", {}))


@pytest.mark.parametrize("goal", ["5.0", "2.7", "nine"])
def test_a_version_that_nobody_knows_is_no_goal(goal: str) -> None:
    with pytest.raises(Refused, match="Kafka"):
        upgraded(with_settings("kraft", {}), "3.9", goal)


# -- the comparison ------------------------------------------------------------------------------


def test_documents_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = formats.read

    def counted(path: str, *others: object) -> object:
        read.append(path)
        return real(path, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(formats, "read", counted)
    upgraded({**with_settings("broker", {}), **with_settings("producer", {})}, "2.8")
    assert sorted(read) == ["producer.properties", "server.properties"]


def everything() -> Upgraded:
    files = with_settings(
        "broker",
        {"num.replica.fetchers": "0", "log.segment.bytes": "1000000", "host.name": "k1"},
    )
    files.update(with_settings("producer", {"max.in.flight.requests.per.connection": "9"}))
    files.update(with_settings("topic", {"segment.bytes": "524288", "segment.index.bytes": "3"}))
    return upgraded(files, "2.8")


def place(finding: Finding) -> tuple[int, int, int, int]:
    change = finding.change
    assert change is not None
    when = ["before", "with", "after"].index(change.when)
    gone = change.kind == DISAPPEARS
    return gone, change.stage, when, -SEVERITY_RANK[finding.severity]


def test_findings_come_in_the_order_in_which_to_work_them_off() -> None:
    findings = everything().findings
    assert len(findings) > 10
    assert [place(f) for f in findings] == sorted(place(f) for f in findings)


def test_fingerprints_are_those_of_lint_and_no_two_alike() -> None:
    findings = everything().findings
    assert len({of(f) for f in findings}) == len(findings)
    files = {
        path: text.encode()
        for path, text in with_settings("kraft", {"num.replica.fetchers": "0"}).items()
    }
    settings = Settings(ClusterSettings("4.4"))
    linted = {of(f) for f in lint_project(files.items(), settings).findings if f.code == "KC0104"}
    changed = upgraded({path: text.decode() for path, text in files.items()}, "3.9")
    assert linted == {of(f) for f in changed.findings if f.code == "KC0104"}


def test_what_vanishes_with_its_value_is_no_good_news() -> None:
    """Segments too small for a batch: 4.0 refuses the size itself."""
    found = upgraded(with_settings("kraft", {"log.segment.bytes": "524288"}), "3.9").findings
    assert "KC0505" not in {f.code for f in found}
    refused = next(f for f in found if f.code == "KC0104")
    assert refused.change and refused.change.previous


def test_what_comes_and_goes_on_the_way_is_no_advice() -> None:
    """That ZooKeeper is to be left, from 3.3 on, is said by the step that leaves it."""
    text = (
        "cluster: {name: core, environment: production, brokers: 3, "
        'config: {zookeeper.connect: "zk1:2181"}}\n'
    )
    assert "KC0211" in {f.code for f in upgraded({"kcheck.yaml": text}, "2.8", "3.9").findings}
    assert "KC0211" not in {f.code for f in upgraded({"kcheck.yaml": text}, "2.8").findings}


def test_the_same_verdict_on_other_values_is_a_change() -> None:
    """min.insync.replicas above the copies: writes fail up to 3.6, Kafka caps it from 3.7 on."""
    text = (
        "cluster: {name: core, brokers: 3}\ntopics:\n"
        "  - {name: orders, partitions: 3, replication_factor: 2, config: {min.insync.replicas: 3}}\n"
    )
    found = [
        f for f in upgraded({"kcheck.yaml": text}, "3.6", "3.7").findings if f.code == "KC0302"
    ]
    assert [f.severity for f in found] == [WARNING]
    change = found[0].change
    assert change and change.previous and change.previous.severity == ERROR


def test_ignores_count() -> None:
    files = with_settings("kraft", {})
    path, text = next(iter(files.items()))
    hidden = (
        text + "# kcheck: ignore[value-range] mended with the upgrade\nnum.replica.fetchers=0\n"
    )
    project = upgraded({path: hidden}, "4.1", "4.2")
    assert "KC0104" not in {f.code for f in project.findings}
    assert project.ignored == 1

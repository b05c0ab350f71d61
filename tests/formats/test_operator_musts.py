"""What operators refuse of their resources: each row told and mended; nothing of a template's values."""

from __future__ import annotations

import pytest

from kcheck import data
from kcheck.formats import operator_musts
from kcheck.model import Document
from kcheck.syntax import yaml

OPERATORS = ("strimzi", "koperator", "cfk")
ROWS = [
    (holder, *row[1:])
    for row in data.rows("names/requirements.tsv")
    for holder in row[0].split("|")
    if holder.partition(" ")[0] in OPERATORS
]
#: Kind, the faulty spec and how it is mended.
FAULTS = [
    (
        "strimzi Kafka",
        "{entityOperator: {template: {userOperatorContainer: {volumeMounts: [{mountPath: /opt}]}}}}",
        ("/opt", "/mnt/a"),
    ),
    (
        "strimzi KafkaConnect",
        "{template: {connectContainer: {volumeMounts: [{mountPath: /opt}]}}}",
        ("/opt", "/mnt/a"),
    ),
    (
        "strimzi Kafka",
        "{kafka: {template: {pod: {volumes: [{name: a}, {name: a}]}}}}",
        ("{name: a}, ", "{name: b}, "),
    ),
    (
        "strimzi KafkaBridge",
        "{template: {pod: {volumes: [{name: a}, {name: a}]}}}",
        ("{name: a}, ", "{name: b}, "),
    ),
    (
        "strimzi Kafka",
        "{kafka: {quotas: {minAvailableBytesPerVolume: 1, minAvailableRatioPerVolume: 0.1}}}",
        (", minAvailableRatioPerVolume: 0.1", ""),
    ),
    ("strimzi Kafka", "{clusterCa: {validityDays: 30}}", ("30", "31")),
    (
        "strimzi Kafka",
        "{clientsCa: {validityDays: 60, renewalDays: 60}}",
        ("renewalDays: 60", "renewalDays: 59"),
    ),
    ("strimzi Kafka", "{clientsCa: {renewalDays: 365}}", ("365", "364")),
    (
        "strimzi Kafka",
        '{cruiseControl: {config: {default.goals: "a.B,a.C", hard.goals: "a.B,a.D"}}}',
        ("a.D", "a.C"),
    ),
    (
        "strimzi Kafka",
        '{cruiseControl: {config: {default.goals: "a.B,a.C", goals: "a.B"}}}',
        ("a.B,a.C", "a.B"),
    ),
    (
        "strimzi Kafka",
        "{cruiseControl: {autoRebalance: [{mode: add-brokers}, {mode: add-brokers}]}}",
        (", {mode: add-brokers}", ""),
    ),
    (
        "strimzi KafkaConnect",
        "{image: r/i:1, build: {output: {image: 'r/i:1'}}}",
        ("image: r", "x: r"),
    ),
    (
        "strimzi KafkaNodePool",
        "{storage: {type: jbod, volumes: [{id: 0}, {id: 0}]}}",
        ("{id: 0}, ", "{id: 1}, "),
    ),
    ("strimzi KafkaBridge", "{bootstrapServers: 'k:9092', x: {}}", ("x: {}", "http: {}")),
    (
        "strimzi KafkaConnect",
        "{build: {plugins: [{name: a}, {name: a}]}}",
        ("{name: a}, ", "{name: b}, "),
    ),
    ("strimzi Kafka", "{kafka: {config: {log: {dirs: /a}}}}", ("log: {dirs: /a}", "log.dirs: /a")),
    ("strimzi KafkaConnect", "{config: {group: {id: a}}}", ("group: {id: a}", "group.id: a")),
    (
        "strimzi KafkaMirrorMaker2",
        "{clusters: [{alias: a, config: {ssl: {protocol: a}}}]}",
        ("ssl: {protocol: a}", "ssl.protocol: a"),
    ),
    (
        "strimzi KafkaBridge",
        "{http: {}, producer: {config: {acks: {a: 1}}}}",
        ("{a: 1}", "1"),
    ),
    ("strimzi KafkaMirrorMaker", "{consumer: {config: {a: {b: 1}}}}", ("{b: 1}", "1")),
    (
        "koperator KafkaCluster",
        "{brokerConfigGroups: {big: {}}, brokers: [{id: 0, brokerConfigGroup: large}]}",
        ("large", "big"),
    ),
    (
        "koperator KafkaCluster",
        "{listenersConfig: {internalListeners: [{usedForInnerBrokerCommunication: false}]}}",
        ("false", "true"),
    ),
    (
        "koperator KafkaCluster",
        "{listenersConfig: {externalListeners: [{externalStartingPort: 70000}]}}",
        ("70000", "19090"),
    ),
    (
        "koperator KafkaCluster",
        "{brokers: [{brokerConfig: {storageConfigs: [{mountPath: /a}, {mountPath: /a}]}}]}",
        ("[{mountPath: /a}", "[{mountPath: /b}"),
    ),
    (
        "koperator KafkaCluster",
        "{brokerConfigGroups: {big: {storageConfigs: [{mountPath: /a}, {mountPath: /a}]}}}",
        ("[{mountPath: /a}", "[{mountPath: /b}"),
    ),
    *(
        (f"cfk {kind}", f"{{externalAccess: {{type: {name}, x: }}}}", (", x: ", f", {name}: {{}}"))
        for kind in ("Connect", "KsqlDB")
        for name in (
            *("nodePort", "loadBalancer", "route"),
            *("staticForHostBasedRouting", "staticForPortBasedRouting"),
        )
    ),
    *(
        ("cfk ClusterLink", f"{{configs: {{{enable}: true}}}}", ("true", "false"))
        for enable in (
            *("acl.sync.enable", "auto.create.mirror.topics.enable"),
            "consumer.offset.sync.enable",
        )
    ),
    (
        "cfk Kafka",
        "{listeners: {custom: [{name: a, externalAccess: {type: route}}]}}",
        ("type: route", "type: route, route: {domain: a}"),
    ),
]


def told(holder: str, spec: str) -> list[str]:
    operator, _, kind = holder.partition(" ")
    text = f"{{kind: {kind}, metadata: {{name: one}}, spec: {spec}}}"
    document = Document("one.yaml")
    (resource,) = yaml.documents(text.encode())[0]
    operator_musts.tell(document, operator, resource, lambda _: None)
    return [f"{one.severity} {one.message}" for one in document.problems]


@pytest.mark.parametrize(("holder", "spec", "mend"), FAULTS)
def test_a_fault_is_told_and_mended(holder: str, spec: str, mend: tuple[str, str]) -> None:
    assert spec.count(mend[0]) == 1
    assert len(of_rows(holder, spec)) == 1
    assert of_rows(holder, spec.replace(*mend)) == []


def of_rows(holder: str, spec: str) -> list[str]:
    """The rules of rows that are told; others say what a definition requires."""
    rules = [one.rpartition(", but ")[2] for one in told(holder, spec)]
    return [one for one in rules if one in {row[5] for row in ROWS if row[0] == holder}]


def test_each_row_has_a_fault() -> None:
    assert {row[5] for row in ROWS} == {
        rule for holder, spec, _ in FAULTS for rule in of_rows(holder, spec)
    }


@pytest.mark.parametrize(
    ("holder", "spec"),
    [
        ("strimzi Kafka", "{kafka: {template: {pod: {volumes: [{name: *}, {name: *}]}}}}"),
        ("strimzi KafkaConnect", "{template: {pod: {volumeMounts: [{mountPath: *}]}}}"),
        ("strimzi KafkaBridge", "{bootstrapServers: 'k:9092', *: ''}"),
        ("strimzi Kafka", "{clusterCa: {validityDays: 30, renewalDays: *}}"),
        ("strimzi Kafka", "{clusterCa: {validityDays: 30, *: ''}}"),
        ("strimzi Kafka", "{cruiseControl: {config: {default.goals: *, hard.goals: a.D}}}"),
        ("strimzi KafkaConnect", "{image: *, build: {output: {image: *}}}"),
        ("strimzi KafkaConnect", "{config: {group.id: {{ more }}}}"),
        ("strimzi Kafka", "{kafka: {config: {min.insync.replicas: {{ more }}}}}"),
        ("cfk Connect", "{externalAccess: {type: route, *: ''}}"),
        (
            "koperator KafkaCluster",
            "{brokerConfigGroups: {*: {}}, brokers: [{brokerConfigGroup: a}]}",
        ),
    ],
)
def test_what_a_template_adds_is_unknown(holder: str, spec: str) -> None:
    assert of_rows(holder, spec.replace("*", "'{{ more }}'")) == []

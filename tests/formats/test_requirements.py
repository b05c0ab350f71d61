"""Requirements of products' documents: the table itself, and what its tests make of facts."""

from __future__ import annotations

import re

import pytest

from kcheck import data
from kcheck.engine import lint_project
from kcheck.formats import requirements
from kcheck.formats.fact_trees import Fact, Node, Options
from kcheck.model import Document, Position
from kcheck.settings import Settings
from kcheck.syntax import yaml

ROWS = data.rows("names/requirements.tsv")
WORDS = {"set", "unset", "never", "unique", "counted", "some"} | set(requirements._TESTS)
AT: Position = (1, 1, 1, 2)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}-{row[2]}"[:80])
def test_row_is_whole(row: list[str]) -> None:
    holder, path, test, when, code, rule, fix, _, source = row
    assert holder and path and source
    conditions = [one.partition(" ")[2] for one in when.split(" & ") if one]
    for one in (test.removeprefix("!"), *conditions):
        kind, _, want = one.partition(" ")
        assert kind.removeprefix("un") == "written" or kind in WORDS
        if kind in ("like", "written", "unwritten"):
            re.compile(want)
    closed = test.startswith("in ") and not rule
    assert closed == (code == "KC0137")
    assert closed or (
        rule
        and fix
        and code.partition(" ")[0] in ("KC0276", "KC0277", "KC0269", "KC0171", "KC0158")
    )


def told(test: str, text: str | None, when: str = "", **others: str | None) -> bool:
    """Whether a row with that test tells a value, beside others."""
    document = Document("file")
    held = {
        name: [Fact(name, name, one, AT, AT)]
        for name, one in {"it": text, **others}.items()
        if one != "absent"
    }
    row = requirements._Row(
        ["x", "it", test, when, "KC0276", "so it is", "mend it", "", "a document"]
    )
    requirements._rows["x"] = [row]
    try:
        requirements.check(document, "x", "owner", Options(held, AT))
    finally:
        del requirements._rows["x"]
    return bool(document.problems)


@pytest.mark.parametrize(
    ("test", "good", "bad"),
    [
        ("is a", "A", "b"),
        ("not a", "b", "a"),
        ("in a|b", "b", "c"),
        ("between 3..5", "5", "6"),
        ("between 3..", "9", "2"),
        ("like a+", "aa", "b"),
        ("odd", "3", "2"),
    ],
)
def test_values(test: str, good: str, bad: str) -> None:
    requirements._table()
    assert not told(test, good)
    assert told(test, bad)
    assert not told(test, None), "what is not known breaks nothing"
    assert not told(test, "absent")
    assert told(f"!{test}", "absent")


def test_values_beside_others() -> None:
    assert told("least other", "2", other="3")
    assert not told("least other", "3", other="3")
    assert told("most other", "4", other="3")
    assert told("times other", "4", other="3")
    assert not told("times other", "6", other="3")
    assert not told("times other", "6", other="0")
    assert told("among other", "a, d", other="a,b,c")
    assert not told("among other", "a, c", other="a,b,c")
    assert not told("among other", "a", other=None)
    assert not told("among other", "a", other="absent")
    assert told("fits other", "4G", other="2048m")
    assert not told("fits other", "2G", other="2GiB")
    assert not told("fits other", "much", other="2g")


def test_conditions_need_known_facts() -> None:
    assert told("never", "1", "other is on", other="on")
    assert not told("never", "1", "other is on", other="off")
    assert not told("never", "1", "other is on", other=None)
    assert not told("never", "1", "other is on", other="absent")
    assert told("never", "1", "other not on", other="absent")
    assert told("never", "1", "other unset", other="absent")
    assert not told("never", "1", "other unset", other="x")
    assert told("set", "absent", "other set", other="x")


def test_options_that_are_not_all_known_lack_nothing() -> None:
    document = Document("file")
    options = Options({"--sasl.username": [Fact("u", "u", "u", AT, AT)]}, AT, complete=False)
    requirements.check(document, "kafka-exporter", "exporter", options)
    assert not document.problems


def test_secrets_are_not_shown() -> None:
    nodes, _ = yaml.documents(b"security: {basic-auth: [{username: a, password: letmein}]}\n")
    document = Document("file")
    requirements.of_node(document, "akhq", "AKHQ", nodes[0], "AKHQ", "akhq")
    (problem,) = document.problems
    assert problem.at == (1, 49, 1, 56)
    assert problem.setting is not None
    assert problem.setting.text is None
    assert "letmein" not in problem.message


def test_any_name_and_root() -> None:
    nodes, _ = yaml.documents(b"a: {x: {n: 1}, y: [{n: 2}, {n: 3}]}\n---\nn: 4\n")
    tree = Node(nodes[0], "top", nodes[1])
    assert [(one.name, one.text) for one in tree.facts("a/*/n") or ()] == [
        ("top.a.x.n", "1"),
        ("top.a.y.n", "2"),
        ("top.a.y.n", "3"),
    ]
    assert [one.text for one in tree.facts("/n") or ()] == ["4"]


EXPORTER = """
services:
  exporter:
    image: danielqsj/kafka-exporter:v1.8.0
    command: [--kafka.server=k1:9092, --refresh.metadata=30]
"""
CONSOLES = """
services:
  console:
    image: ghcr.io/kafbat/kafka-ui:v1.2.0
    environment:
      KAFKA_CLUSTERS_0_NAME: a
      KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: k1:9092
      KAFKA_CLUSTERS_1_NAME: a
      KAFKA_CLUSTERS_1_BOOTSTRAPSERVERS: k2:9092
"""
KAFDROP = """
services:
  kafdrop:
    image: obsidiandynamics/kafdrop:4.0.2
    environment:
      KAFKA_BROKERCONNECT: k1:9092
      KAFKA_PROPERTIES: "sasl.mechanism=PLAIN ${REST}"
"""
CONSOLE = """
services:
  console:
    image: docker.redpanda.com/redpandadata/console:v3.1.0
    environment:
      CONSOLE_CONFIG_FILE: |
        kafka:
          brokers: [k1.example.com:9092]
          schemaRegistry: {enabled: true}
"""
REDPANDA = """
services:
  redpanda:
    image: docker.redpanda.com/redpandadata/redpanda:v24.2.7
    command: [redpanda, start, --memory, 4G, --kafka-addr, "0.0.0.0:9092"]
    mem_limit: 2g
"""
BURROW = """
[client-profile.p]
client-id="b"
[cluster.local]
class-name="kafka"
servers=["k1:9092"]
client-profile="p"
[consumer.local]
class-name="kafka"
cluster="locl"
servers=["k1:9092"]
"""
TOPIC = """
meta: {name: t, cluster: c, environment: prod, region: eu}
spec: {partitions: 6, replicationFactor: 3, placement: {strategy: any}}
"""
CLUSTER = """
meta: {name: c, environment: production, region: eu}
spec: {bootstrapAddrs: [k1:9092]}
"""
JIKKOU = """
apiVersion: kafka.jikkou.io/v1beta2
kind: KafkaPrincipalAuthorization
metadata: {name: "User:a"}
spec:
  acls:
    - resource: {type: topic, pattern: orders, patternType: PREFIX}
      type: ALLOW
      operations: [READ]
"""
GOALS = """
bootstrap.servers=k1:9092
metric.sampler.class=com.linkedin.kafka.cruisecontrol.monitor.sampling.CruiseControlMetricsReporterSampler
default.goals=a.RackAwareGoal,a.DiskCapacityGoal
hard.goals=a.RackAwareGoal,a.CpuCapacityGoal
"""
KAFKA = """
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: core}
spec:
  kafka:
    version: 3.9.0
    listeners:
      - name: out
        port: 9094
        type: nodeport
        tls: true
        configuration:
          bootstrap: {nodePort: 31000}
          brokers: [{broker: 0, nodePort: 31000}]
"""
MINION = """
kafka:
  brokers: [k1:9092]
minion:
  consumerGroups:
    scrapeMode: offsets
"""
MSK = """
Resources:
  Core:
    Type: AWS::MSK::Cluster
    Properties:
      ClusterName: core
      KafkaVersion: 3.6.0
      BrokerNodeGroupInfo:
        ConnectivityInfo: {PublicAccess: {Type: SERVICE_PROVIDED_EIPS}}
      ClientAuthentication:
        Unauthenticated: {Enabled: true}
"""
PULUMI = """
name: core
runtime: yaml
resources:
  archive:
    type: aws:mskconnect:Connector
    properties:
      kafkaconnectVersion: 3.7.x
      capacity: {provisionedCapacity: {mcuCount: 3, workerCount: 1}}
"""
QUOTA = """
resource "instaclustr_kafka_cluster_v3" "k" {
  name                       = "k"
  default_replication_factor = 3
  data_centre {
    name            = "a"
    number_of_nodes = 4
  }
}
"""


@pytest.mark.parametrize(
    ("name", "text", "code", "line", "mend"),
    [
        ("compose.yaml", EXPORTER, "KC0276", 5, ("metadata=30", "metadata=30s")),
        ("compose.yaml", EXPORTER, "KC0276", 5, ("metadata=30", "metadata=$INTERVAL")),
        ("compose.yaml", CONSOLES, "KC0276", 8, ("1_NAME: a", "1_NAME: b")),
        ("compose.yaml", KAFDROP, "KC0276", 7, ("sasl.mechanism=PLAIN ", "")),
        ("compose.yaml", KAFDROP, "KC0276", 7, ("sasl.mechanism=PLAIN ${REST}", "$(base64 f)")),
        ("compose.yaml", KAFDROP, "KC0276", 7, ("sasl.mechanism=PLAIN ${REST}", "YT1iCg==")),
        ("compose.yaml", CONSOLE, "KC0277", 9, ("v3.1.0", "v2.8.0")),
        ("compose.yaml", CONSOLE, "KC0277", 9, ("  schemaRegistry", "schemaRegistry")),
        ("compose.yaml", REDPANDA, "KC0276", 5, ("4G", "1500M")),
        ("compose.yaml", REDPANDA, "KC0276", 5, ("mem_limit: 2g", "mem_limit: $LIMIT")),
        ("burrow.toml", BURROW, "KC0276", 10, ("locl", "local")),
        ("kafka/topics/t.yaml", TOPIC, "KC0276", 2, ("prod,", "production,")),
        ("acl.yaml", JIKKOU, "KC0276", 7, ("PREFIX}", "prefixed}")),
        ("cruisecontrol.properties", GOALS, "KC0276", 5, (",a.CpuCapacityGoal", "")),
        ("kafka.yaml", KAFKA, "KC0276", 15, ("0, nodePort: 31000", "0, nodePort: 31001")),
        ("kminion.yaml", MINION, "KC0137", 6, ("offsets", "offsetsTopic")),
        ("msk.yaml", MSK, "KC0276", 11, ("{Enabled: true}", "{Enabled: false}")),
        ("msk.yaml", MSK, "KC0276", 11, ("{Enabled: true}", "{Enabled: !Ref Open}")),
        ("Pulumi.yaml", PULUMI, "KC0137", 9, ("mcuCount: 3", "mcuCount: 4")),
        ("main.tf", QUOTA, "KC0276", 7, ("= 4", "= 6")),
        ("main.tf", QUOTA, "KC0276", 7, ("= 4", "= var.nodes")),
    ],
)
def test_trees(name: str, text: str, code: str, line: int, mend: tuple[str, str]) -> None:
    assert where(name, text) == [(code, line)]
    assert text.count(mend[0]) == 1
    assert where(name, text.replace(*mend)) == []


def where(name: str, text: str) -> list[tuple[str, int]]:
    files = {name: text.encode(), "kafka/cluster.yaml": CLUSTER.encode()}
    project = lint_project(files.items(), Settings(selected=frozenset(CODES)), files.get)
    assert project.failures == []
    assert all(one.path == name for one in project.findings)
    return [(one.code, one.at[0]) for one in project.findings]


CODES = ("KC0276", "KC0277", "KC0269", "KC0137")


@pytest.mark.parametrize(
    "text",
    [
        'resource "aws_msk_cluster" "a" {',
        'resource "aws_msk_cluster" "a" { broker_node_group_info = 3 }',
        'resource "aws_msk_cluster" "a" { client_authentication = [1, { unauthenticated = [] }] }',
        'resource "aiven_kafka_schema" "a" { service_name = aiven_kafka_schema.a.service_name }',
        'resource "azurerm_eventhub_namespace" "a" { capacity = "many" }',
        'resource "confluent_kafka_cluster" "a" { dynamic "basic" {} }',
    ],
)
def test_broken_resources_break_nothing(text: str) -> None:
    files = {"main.tf": text.encode()}
    project = lint_project(files.items(), Settings(selected=frozenset(CODES)), files.get)
    assert project.failures == []
    assert [one.code for one in project.findings] == []

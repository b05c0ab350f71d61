"""Reading Strimzi's custom resources."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from spans import under, yaml_value

from kcheck import formats
from kcheck.model import PASSED_OVER, READ, SKIPPED, Document

CLUSTER = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata:
  name: payments
  namespace: kafka
spec:
  kafka:
    version: 4.1.0
    replicas: 3
    listeners:
      - {name: plain, port: 9092, type: internal, tls: false}
    config:
      min.insync.replicas: 2
      auto.create.topics.enable: "false"
      log.retention.ms: 1e3
      inter.broker.protocol.version: 4.0
"""
TOPIC = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata:
  name: orders-crd
  labels:
    strimzi.io/cluster: payments
spec:
  topicName: orders
  partitions: 12
  replicas: 3
  config:
    retention.ms: 604800000
"""


def read(text: str, path: str = "a.yaml") -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def joined(*texts: str) -> str:
    return "---\n".join(dedent(text) for text in texts)


def resources(document: Document) -> list[str]:
    return [f"{r.kind} {r.name} {r.cluster}" for r in document.resources]


def test_a_kafka_stands_for_its_brokers() -> None:
    document = read(CLUSTER)
    assert (document.format, document.status) == ("strimzi-cr", READ)
    assert resources(document) == ["broker payments payments"]
    broker = document.resources[0]
    assert broker.traits.deployer == "strimzi"
    assert (broker.traits.namespace, broker.traits.listener_names) == ("kafka", ("plain",))
    assert broker.facts["replicas"].amount == 3
    assert broker.facts["listeners.plain.port"].amount == 9092
    assert broker.facts["kafka_version"].text == "4.1.0"
    assert broker.facts["listeners"].at == (10, 5, 10, 14)
    # The scalars are Kafka's text, not YAML's numbers.
    assert {key: s.text for key, s in broker.settings.items()} == {
        "min.insync.replicas": "2",
        "auto.create.topics.enable": "false",
        "log.retention.ms": "1e3",
        "inter.broker.protocol.version": "4.0",
    }


def test_a_topic_has_the_name_that_kafka_knows() -> None:
    document = read(TOPIC)
    assert resources(document) == ["topic orders payments"]
    topic = document.resources[0]
    told = {"partitions": 12, "replication.factor": 3}
    assert {key: topic.facts[key].amount for key in told} == told
    assert topic.facts["replication.factor"].at == (10, 13, 10, 14)
    assert topic.at == (4, 9, 4, 19)


def test_a_topic_may_leave_its_numbers_to_the_cluster() -> None:
    document = read("apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: t}\n")
    assert resources(document) == ["topic t None"]
    assert document.resources[0].facts == {}


def test_many_documents_in_one_file() -> None:
    document = read(joined(TOPIC, CLUSTER, "", TOPIC.replace("orders", "bills")))
    assert resources(document) == [
        "topic orders payments",
        "broker payments payments",
        "topic bills payments",
    ]
    lines = [topic.settings["retention.ms"].at[0] for topic in document.resources[::2]]
    assert lines[1] - lines[0] == len(joined(TOPIC, CLUSTER, "").split("\n"))


def test_node_pools_hold_the_counts() -> None:
    pools = "".join(
        f"---\napiVersion: kafka.strimzi.io/v1\nkind: KafkaNodePool\nmetadata:\n  name: {name}\n"
        f"  labels: {{strimzi.io/cluster: payments}}\nspec:\n  replicas: {count}\n  roles: {roles}\n"
        for name, count, roles in (
            ("controllers", 3, "[controller]"),
            ("brokers", 5, "[broker]"),
            ("both", 1, "[controller, broker]"),
        )
    )
    text = CLUSTER.replace(
        "  name: payments\n",
        '  name: payments\n  annotations: {strimzi.io/node-pools: "enabled"}\n',
    )
    document = read(text + pools)
    assert resources(document) == [
        "broker payments payments",
        "controller controllers payments",
        "broker brokers payments",
        "broker both payments",
    ]
    kafka, *nodes = document.resources
    assert "replicas" not in kafka.facts  # the pools' numbers replace it
    assert [node.facts["replicas"].amount for node in nodes] == [3, 5, 1]
    assert all(node.traits.pool for node in nodes)


@pytest.mark.parametrize(("kind", "members"), [("List", "items"), ("Template", "objects")])
def test_lists_and_openshift_templates_are_unpacked(kind: str, members: str) -> None:
    inner = TOPIC.replace("\n", "\n    ").strip()
    text = f"apiVersion: v1\nkind: {kind}\n{members}:\n  - {inner}\n"
    document = read(text)
    assert (document.format, resources(document)) == ("strimzi-cr", ["topic orders payments"])
    setting = document.resources[0].settings["retention.ms"]
    assert under(text, setting.at) == "604800000"


@pytest.mark.parametrize("kind", ["KafkaMirrorMaker", "StrimziPodSet", "KafkaAccess"])
def test_other_kinds_are_named_and_passed_over(kind: str) -> None:
    document = read(
        f"apiVersion: kafka.strimzi.io/v1beta2\nkind: {kind}\nmetadata: {{name: x}}\n"
        "spec: {config: {acks: 7}}\n"
    )
    assert (document.format, document.status) == ("strimzi-cr", PASSED_OVER)
    assert document.reason == "contains no resource of Kafka or its clients"
    assert document.resources == [] and document.problems == []


NOT_OURS = {
    "a definition of the kinds": """\
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata:
          name: kafkatopics.kafka.strimzi.io
        spec:
          group: kafka.strimzi.io
          names: {kind: KafkaTopic}
        """,
    "rights on the kinds": """\
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        rules:
          - apiGroups: [kafka.strimzi.io]
            resources: [kafkatopics]
        """,
    "a resource as text in another": """\
        apiVersion: v1
        kind: ConfigMap
        data:
          topic.yaml: |
            apiVersion: kafka.strimzi.io/v1beta2
            kind: KafkaTopic
        """,
}


@pytest.mark.parametrize("text", NOT_OURS.values(), ids=NOT_OURS)
def test_what_only_speaks_of_the_kinds(text: str) -> None:
    document = read(text)
    assert (document.format, document.status) == (None, PASSED_OVER)


def test_a_definition_beside_a_resource() -> None:
    document = read(joined(NOT_OURS["a definition of the kinds"], TOPIC))
    assert (document.format, resources(document)) == ("strimzi-cr", ["topic orders payments"])


def test_a_helm_template_that_is_no_yaml_is_skipped() -> None:
    document = read("{{- range .Values.topics }}\n---\n" + TOPIC + "{{- end }}\n")
    assert (document.format, document.status) == ("strimzi-cr", SKIPPED)
    assert document.reason == "an unrendered template: retention.ms"
    assert document.resources == [] and document.problems == []


def test_broken_yaml_is_a_problem_and_what_precedes_it_is_read() -> None:
    document = read(joined(TOPIC, TOPIC) + "  config: {a: [\n")
    assert [problem.code for problem in document.problems] == ["KC0001"]
    assert resources(document) == ["topic orders payments"]


def test_templated_names_labels_and_values_are_unknown() -> None:
    topic = TOPIC
    for old, new in (
        ("strimzi.io/cluster: payments", 'strimzi.io/cluster: "{{ .Values.cluster }}"'),
        ("partitions: 12", "partitions: ${PARTITIONS}"),
        ("604800000", '"{{ .Values.retention }}"'),
    ):
        assert old in topic
        topic = topic.replace(old, new)
    document = read(topic)
    assert resources(document) == ["topic orders None"]
    (found,) = document.resources
    assert (found.facts["partitions"].text, found.facts["partitions"].amount) == (None, None)
    assert found.settings["retention.ms"].text is None
    cluster = read(CLUSTER.replace("name: payments", "name: ${CLUSTER_NAME}"))
    assert cluster.resources[0].cluster is None


def test_a_kafka_without_a_body_is_a_problem() -> None:
    document = read("apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: x}\nspec: {}\n")
    assert [(p.code, p.at) for p in document.problems] == [("KC0007", (3, 18, 3, 19))]


MORE = """\
log.message.timestamp.type: 'Create''Time'
log.cleanup.policy: >-
  compact,
  delete
ssl.cipher.suites: |
  TLS_A
remote.log.dir: "C:\\\\kafka\\t"
num.io.threads: &threads 8
num.network.threads: *threads
compression.type: zstd  # a note
background.threads:
"quoted.key": plain words
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_text_under_every_position_is_the_value(newline: str) -> None:
    text = (CLUSTER + indent(MORE, " " * 6)).replace("\n", newline)
    document = read(text)
    (broker,) = document.resources
    assert len(broker.settings) == 13
    assert broker.settings["log.cleanup.policy"].text == "compact, delete"
    assert broker.settings["remote.log.dir"].text == "C:\\kafka"
    assert broker.settings["background.threads"].text is None
    for setting in broker.settings.values():
        value = yaml_value(text, setting)
        assert (value or None) == setting.raw
        assert under(text, setting.key_at).strip("\"'") == setting.key


def test_a_repeated_key_keeps_both_places() -> None:
    document = read(TOPIC + "    retention.ms: 1\n")
    (topic,) = document.resources
    assert topic.settings["retention.ms"].text == "1"
    assert [(old.at[0], new.at[0]) for old, new in topic.earlier] == [(12, 13)]


@pytest.mark.parametrize(
    ("key", "kept"),
    [
        ("log.dirs", True),
        ("listener.name.plain.ssl.protocol", True),
        ("SSL.client.auth", True),
        ("authorizer.class.name", True),
        ("node.id", True),
        ("advertised.listeners", True),
        # Exceptions of some version of the operator at least.
        ("ssl.protocol", False),
        ("broker.session.timeout.ms", False),
        ("zookeeper.connection.timeout.ms", False),
        # Forbidden in older versions only.
        ("principal.builder.class", False),
        # The prefix has a capital letter, the key is lowered: it is never found.
        ("zookeeper.clientCnxnSocket", False),
        ("log.retention.ms", False),
    ],
)
def test_keys_that_the_operator_keeps_back_are_noted_and_not_set(key: str, kept: bool) -> None:
    document = read(CLUSTER + f"      {key}: a\n")
    (broker,) = document.resources
    assert (key not in broker.settings) is kept
    assert [note.setting.key for note in broker.notes] == [key] * kept


def test_ibms_group_is_read_as_strimzis() -> None:
    text = """\
apiVersion: eventstreams.ibm.com/v1beta2
kind: EventStreams
metadata: {name: es}
spec:
  license: {accept: true}
  strimziOverrides:
    kafka: {replicas: 3, config: {min.insync.replicas: 2}}
---
apiVersion: eventstreams.ibm.com/v1beta2
kind: KafkaTopic
metadata: {name: orders, labels: {eventstreams.ibm.com/cluster: es}}
spec: {partitions: 3, replicas: 3, config: {retention.ms: 1}, edition: light}
"""
    document = formats.read("es.yaml", text.encode(), lambda _: None)
    broker, topic = document.resources
    assert (broker.kind, broker.cluster, topic.cluster) == ("broker", "es", "es")
    # IBM's operator sets what nobody overrides, and has fields of its own.
    assert broker.traits.partial and not topic.traits.partial
    assert document.problems == []
    assert topic.notes == []


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ("validIssuerUri: i, jwksEndpointUri: j", []),
        ("validIssuerUri: i", ["neither jwksEndpointUri nor introspectionEndpointUri"]),
        ("jwksEndpointUri: j", ["no validIssuerUri"]),
        ("jwksEndpointUri: j, checkIssuer: false", []),
        ('jwksEndpointUri: "{{ j }}", checkIssuer: "{{ c }}"', []),
        ("checkIssuer: false, introspectionEndpointUri: i", ["no clientId", "no clientSecret"]),
        (
            "checkIssuer: false, introspectionEndpointUri: i, clientId: c, clientSecret: {key: k}",
            [],
        ),
        ("validIssuerUri: i, jwksEndpointUri: j, enablePlain: true", ["no tokenEndpointUri"]),
        ("validIssuerUri: i, jwksEndpointUri: j, checkAudience: true", ["no clientId"]),
        (
            "validIssuerUri: i, jwksEndpointUri: j, enableOauthBearer: false",
            ["enableOauthBearer: false beside enablePlain: false"],
        ),
        (
            "validIssuerUri: i, jwksEndpointUri: j, accessTokenIsJwt: false",
            ["accessTokenIsJwt: false beside jwksEndpointUri"],
        ),
        (
            "validIssuerUri: i, jwksEndpointUri: j, userInfoEndpointUri: u, validTokenType: t",
            ["userInfoEndpointUri, but no introspect", "validTokenType, but no introspect"],
        ),
        ("validIssuerUri: i, jwksEndpointUri: j, jwksRefreshSeconds: 0", ["jwksRefreshSeconds: 0"]),
        (
            "validIssuerUri: i, jwksEndpointUri: j, jwksRefreshSeconds: 301",
            ["every 301 s, which is not 60 s less than their expiry of 360 s"],
        ),
        ("validIssuerUri: i, jwksEndpointUri: j, jwksExpirySeconds: 600", []),
    ],
)
def test_what_the_operator_refuses_of_oauth(fields: str, refused: list[str]) -> None:
    listener = f"- {{name: o, port: 9094, type: internal, tls: true, authentication: {{type: oauth, {fields}}}}}"
    document = read(
        CLUSTER.replace("- {name: plain, port: 9092, type: internal, tls: false}", listener)
    )
    notes = [n.message for n in document.resources[0].notes if n.code == "KC1066"]
    assert len(notes) == len(refused)
    assert all(part in note for part, note in zip(refused, notes, strict=True))

"""Resources of Koperator, Redpanda's operator and Strimzi's Access Operator."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import Document, Position, Resource
from kcheck.settings import Settings

CLUSTER = """\
apiVersion: kafka.banzaicloud.io/v1beta1
kind: KafkaCluster
metadata: {name: core, namespace: kafka}
spec:
  headlessServiceEnabled: true
  zkAddresses: ["zk-0:2181", "zk-1:2181"]
  zkPath: /kafka
  clusterImage: ghcr.io/adobe/koperator/kafka:2.13-3.9.1
  readOnlyConfig: |
    min.insync.replicas=2
    auto.create.topics.enable=false
    log.dirs=/data
  clusterWideConfig: |
    background.threads=20
  brokerConfigGroups:
    default:
      kafkaHeapOpts: -Xmx4G
      config: |
        num.io.threads=8
      resourceRequirements: {limits: {memory: 8Gi, cpu: "2"}}
      storageConfigs:
        - {mountPath: /kafka-logs, pvcSpec: {resources: {requests: {storage: 10Gi}}}}
  brokers:
    - {id: 0, brokerConfigGroup: default}
    - id: 1
      brokerConfigGroup: default
      readOnlyConfig: |
        min.insync.replicas=1
      brokerConfig:
        kafkaHeapOpts: -Xmx2G
        storageConfigs:
          - {mountPath: /more, pvcSpec: {resources: {requests: {storage: 20Gi}}}}
  listenersConfig:
    externalListeners:
      - {type: ssl, name: outside, containerPort: 9094, externalStartingPort: 19090,
         hostnameOverride: kafka.example.com}
    internalListeners:
      - {type: plaintext, name: internal, containerPort: 29092, usedForInnerBrokerCommunication: true}
"""


def read(text: str) -> Document:
    return formats.read("k8s/cluster.yaml", text.encode(), lambda _: None)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: one.text for key, one in resource.settings.items()}


def under(text: str, at: Position) -> str:
    return text.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def found(*files: str) -> list[tuple[str, str]]:
    sources = {f"k8s/{number}.yaml": text.encode() for number, text in enumerate(files)}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    return sorted((finding.code, finding.message) for finding in project.findings)


def test_a_node_has_the_files_of_the_cluster_and_its_own() -> None:
    first, _, second, *_ = read(CLUSTER).resources
    assert (first.kind, first.name, first.cluster) == ("broker", "core-0", "core")
    assert texts(first) == {
        "min.insync.replicas": "2",
        "auto.create.topics.enable": "false",
        "broker.id": "0",
        "zookeeper.connect": "zk-0:2181,zk-1:2181/kafka",
        "listeners": "OUTSIDE://:9094,INTERNAL://:29092",
        "listener.security.protocol.map": "OUTSIDE:SSL,INTERNAL:PLAINTEXT",
        "inter.broker.listener.name": "INTERNAL",
        "listener.name.outside.ssl.client.auth": "required",
        "log.dirs": "/kafka-logs/kafka",
    }
    assert texts(second)["min.insync.replicas"] == "1"
    assert texts(second)["log.dirs"] == "/more/kafka,/kafka-logs/kafka"
    assert second.earlier == []
    assert second.facts["kafka_version"].text == "3.9"
    assert under(CLUSTER, second.settings["min.insync.replicas"].at) == "1"
    assert under(CLUSTER, second.settings["min.insync.replicas"].key_at) == "min.insync.replicas"


def test_what_a_node_may_use_is_its_own_before_its_groups() -> None:
    first, _, second, *_ = read(CLUSTER).resources
    assert [one.facts["heap"].amount for one in (first, second)] == [4 << 30, 2 << 30]
    assert [one.facts["ram"].amount for one in (first, second)] == [8 << 30, 8 << 30]
    assert first.facts["disk_size"].amount == 10 << 30
    assert "disk_size" not in second.facts  # of two sizes
    claims = [(claim.name, claim.size.amount) for claim in second.traits.claims if claim.size]
    assert claims == [("/more", 20 << 30), ("/kafka-logs", 10 << 30)]
    process = second.traits.process
    assert process is not None
    assert process.heap is not None and process.heap.amount == 2 << 30


def test_dynamic_values_are_of_all_brokers_or_of_one() -> None:
    made = [one for one in read(CLUSTER).resources if one.kind == "config"]
    assert [(one.name, texts(one)) for one in made] == [
        ("broker 0", {"num.io.threads": "8"}),
        ("broker 1", {"num.io.threads": "8"}),
        ("brokers", {"background.threads": "20"}),
    ]


def test_cruise_control_is_a_client_of_the_cluster() -> None:
    text = (
        CLUSTER
        + """\
  cruiseControlConfig:
    config: |
      request.timeout.ms=10000
      sample.store.topic.replication.factor=3
      goals=a,b
    clusterConfig: |
      {"min.insync.replicas": 3}
"""
    )
    client = read(text).resources[-1]
    assert (client.kind, client.name, client.cluster) == ("admin", "core-cruisecontrol", "core")
    assert texts(client) == {"request.timeout.ms": "10000"}
    assert {key: one.text for key, one in client.facts.items()} == {
        "sample.store.topic.replication.factor": "3",
        "min.insync.replicas": "3",
    }
    assert under(text, client.facts["min.insync.replicas"].at) == "3"
    told = [message for code, message in found(text) if "sample topics" in message]
    assert len(told) == 1, "three replicas on two brokers"


@pytest.mark.parametrize("field", ["config", "storageConfigs"])
def test_a_field_of_an_object_within_belongs_there(field: str) -> None:
    text = CLUSTER.replace("{id: 0, ", f"{{id: 0, {field}: x, ")
    told = [problem for problem in read(text).problems if problem.code == "KC0135"]
    assert [problem.fix for problem in told] == [f"move {field} under brokerConfig"]


def test_what_the_operator_overwrites_is_told() -> None:
    assert (
        "KC0114",
        "broker core-0 sets log.dirs in readOnlyConfig, which Koperator overwrites",
    ) in (found(CLUSTER))


def test_the_quorum_of_a_cluster_in_kraft_mode() -> None:
    text = """\
apiVersion: kafka.banzaicloud.io/v1beta1
kind: KafkaCluster
metadata: {name: core}
spec:
  kRaft: true
  brokerConfigGroups:
    controller: {processRoles: [controller], storageConfigs: [{mountPath: /c, emptyDir: {}}]}
    broker: {processRoles: [broker], storageConfigs: [{mountPath: /b, emptyDir: {}}]}
  brokers:
    - {id: 0, brokerConfigGroup: controller}
    - {id: 100, brokerConfigGroup: broker}
  listenersConfig:
    internalListeners:
      - {type: plaintext, name: internal, containerPort: 29092, usedForInnerBrokerCommunication: true}
      - {type: plaintext, name: controller, containerPort: 29093, usedForControllerCommunication: true}
"""
    controller, broker = read(text).resources
    assert (controller.kind, broker.kind) == ("controller", "broker")
    assert texts(controller)["listeners"] == "CONTROLLER://:29093"
    assert texts(broker)["listeners"] == "INTERNAL://:29092"
    for node, role in ((controller, "controller"), (broker, "broker")):
        assert texts(node)["process.roles"] == role
        assert texts(node)["controller.listener.names"] == "CONTROLLER"
        assert node.traits.ephemeral


CLIENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: kafka}
spec:
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}}
    spec:
      containers:
        - name: app
          image: example.com/app:1
          env:
            - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "ASKED"}
            - {name: SPRING_KAFKA_CONSUMER_GROUP_ID, value: app}
"""


@pytest.mark.parametrize(
    ("server", "codes"),
    [
        ("core-headless:29092", []),
        ("core-0.core-headless.kafka.svc:29092", []),
        ("core-headless.kafka.svc.cluster.local:29092", []),
        ("kafka.example.com:29092", []),
        ("core-headless:29093", ["KC1074"]),
    ],
)
def test_clients_ask_the_services_of_a_cluster(server: str, codes: list[str]) -> None:
    told = found(CLUSTER, CLIENT.replace("ASKED", server))
    assert [code for code, _ in told if code.startswith("KC10")] == codes


TOPICS = """\
apiVersion: kafka.banzaicloud.io/v1alpha1
kind: KafkaTopic
metadata: {name: orders-topic, namespace: apps}
spec:
  clusterRef: {name: core, namespace: kafka}
  name: orders
  partitions: -1
  replicationFactor: 3
  config: {retention.ms: "86400000"}
---
apiVersion: kafka.banzaicloud.io/v1alpha1
kind: KafkaUser
metadata: {name: billing, namespace: kafka}
spec:
  clusterRef: {name: core}
  secretName: billing
  topicGrants:
    - {topicName: orders, accessType: read}
    - {topicName: pay, accessType: write, patternType: prefixed}
    - {topicName: "{{ topic }}", accessType: read}
"""


def test_topics_and_users_are_of_the_cluster_that_they_name() -> None:
    topic, user = read(TOPICS).resources
    assert (topic.name, topic.cluster, topic.traits.namespace) == ("orders", "core", "kafka")
    assert {key: one.amount for key, one in topic.facts.items()} == {"replication.factor": 3}
    assert texts(topic) == {"retention.ms": "86400000"}
    assert [str(right) for right in user.traits.rights] == [
        "Describe on topic orders",
        "Read on topic orders",
        "Read on group *",
        "Describe on topic pay*",
        "Create on topic pay*",
        "Write on topic pay*",
    ]
    assert any(code == "KC0304" for code, _ in found(CLUSTER, TOPICS))  # of two brokers


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: core, namespace", "name: '{{ name }}', namespace"),
        ("containerPort: 29092", "containerPort: '{{ port }}'"),
        ("type: plaintext", "type: $(TYPE)"),
        ("{id: 0,", "{id: '{{ id }}',"),
        ("mountPath: /kafka-logs", "mountPath: '{{ path }}'"),
        ("min.insync.replicas=2", "min.insync.replicas={{ isr }}"),
    ],
)
def test_what_a_template_fills_in_is_unknown(old: str, new: str) -> None:
    before = {code for code, _ in found(CLUSTER)}
    assert {code for code, _ in found(CLUSTER.replace(old, new))} <= before | {"KC0006"}


@pytest.mark.parametrize(
    "spec",
    [
        "[]",
        "text",
        "{brokers: 3}",
        "{brokers: [1, null, {}, []]}",
        "{brokers: [{id: 1, brokerConfig: [], readOnlyConfig: {a: b}}], listenersConfig: 3}",
        "{brokers: [{id: 1, brokerConfigGroup: none}], brokerConfigGroups: []}",
        "{zkAddresses: a, brokers: [{id: 1}], envs: {a: b}, clusterWideConfig: 'a=b'}",
        "{topicGrants: 3}",
        "{topicGrants: [null, {topicName: a}]}",
        "{clusterSpec: {listeners: {kafka: {external: 3}}, config: {cluster: []}, storage: x}}",
        "{replicas: a, configuration: {kafkaApi: {}}, additionalConfiguration: 3}",
        "{kafka: [], user: 3}",
    ],
)
@pytest.mark.parametrize(
    "head",
    [
        "apiVersion: kafka.banzaicloud.io/v1beta1\nkind: KafkaCluster",
        "apiVersion: kafka.banzaicloud.io/v1alpha1\nkind: KafkaUser",
        "apiVersion: cluster.redpanda.com/v1alpha2\nkind: Redpanda",
        "apiVersion: cluster.redpanda.com/v1alpha2\nkind: Topic",
        "apiVersion: redpanda.vectorized.io/v1alpha1\nkind: Cluster",
        "apiVersion: access.strimzi.io/v1alpha1\nkind: KafkaAccess",
        "apiVersion: platform.confluent.io/v1beta1\nkind: SchemaRegistry",
        "apiVersion: platform.confluent.io/v1beta1\nkind: ConfluentRolebinding",
    ],
)
def test_other_shapes_are_no_crash(head: str, spec: str) -> None:
    text = f"{head}\nmetadata: {{name: a}}\nspec: {spec}\n"
    document = read(text)
    assert all("reading" not in problem.message for problem in document.problems)
    found(text)


def test_a_broken_file_is_told_where_it_is_broken() -> None:
    (problem,) = read(CLUSTER + "  brokers: [\n").problems
    assert (problem.code, problem.at[0] >= CLUSTER.count("\n")) == ("KC0001", True)


def test_a_cluster_of_ever_so_many_nodes_is_one() -> None:
    brokers = "".join(f"    - {{id: {number}}}\n" for number in range(5000))
    text = CLUSTER.replace("  brokers:\n", "  brokers:\n" + brokers)
    (node,) = [one for one in read(text).resources if one.kind == "broker"]
    assert node.facts["replicas"].text == "5002"


REDPANDA = """\
apiVersion: cluster.redpanda.com/v1alpha2
kind: Redpanda
metadata: {name: core, namespace: kafka}
spec:
  clusterSpec:
    statefulset: {replicas: 3}
    tls: {enabled: false}
    auth: {sasl: {enabled: true}}
    storage: {persistentVolume: {size: 20Gi}}
    resources: {cpu: {cores: 2}, memory: {container: {max: 4Gi}}}
    listeners: {kafka: {port: 9092, external: {default: {port: 9094, authenticationMethod: none}}}}
    config:
      cluster: {auto_create_topics_enabled: false, log_retention_ms: 86400000, iceberg_enabled: true}
      tunable: {kafka_batch_max_bytes: 2097152}
---
apiVersion: cluster.redpanda.com/v1alpha2
kind: Topic
metadata: {name: orders, namespace: kafka}
spec:
  cluster: {clusterRef: {name: core}}
  partitions: 6
  replicationFactor: 3
  additionalConfig: {write.caching: "true", redpanda.remote.read: "true", retention.ms: "1"}
---
apiVersion: cluster.redpanda.com/v1alpha2
kind: User
metadata: {name: billing, namespace: kafka}
spec:
  cluster: {clusterRef: {name: core}}
  authentication: {type: scram-sha-512}
  authorization:
    acls: [{type: allow, resource: {type: topic, name: orders}, operations: [Read, Describe]}]
"""


def test_redpanda_has_kafkas_keys_under_its_own_names() -> None:
    broker, topic, user = read(REDPANDA).resources
    assert {key: (one.name, one.text) for key, one in broker.settings.items()} == {
        "auto.create.topics.enable": ("auto_create_topics_enabled", "false"),
        "log.retention.ms": ("log_retention_ms", "86400000"),
        "message.max.bytes": ("kafka_batch_max_bytes", "2097152"),
    }
    assert {key: one.text for key, one in broker.facts.items()} == {
        "replicas": "3",
        "ram": "4Gi",
        "cores": "2",
        "disk_size": "20Gi",
        "listeners.internal.tls": "false",
        "listeners.internal.authentication": "scram-sha-512",
        "listeners.default.tls": "false",
    }
    assert broker.traits.partial
    assert texts(topic) == {"redpanda.remote.read": "true", "retention.ms": "1"}
    assert [str(right) for right in user.traits.rights] == [
        "Read on topic orders",
        "Describe on topic orders",
    ]
    assert {one.cluster for one in (broker, topic, user)} == {"core"}


@pytest.mark.parametrize(
    ("server", "codes"), [("core:9092", []), ("core.kafka:9092", []), ("core:9093", ["KC1074"])]
)
def test_clients_ask_the_service_of_redpanda(server: str, codes: list[str]) -> None:
    told = found(REDPANDA, CLIENT.replace("ASKED", server))
    assert [code for code, _ in told if code.startswith("KC10")] == codes


def test_values_of_redpandas_chart() -> None:
    text = b"""\
redpanda:
  statefulset: {replicas: 3}
  config:
    cluster: {default_topic_replications: 3}
"""
    document = formats.read("chart/values.yaml", text, lambda _: None)
    (broker,) = document.resources
    assert (document.format, broker.name) == ("helm-values", "redpanda")
    assert texts(broker) == {"default.replication.factor": "3"}
    other = b"web:\n  statefulset: {replicas: 3}\n  config: {cluster: {name: a}, color: red}\nkafka: {}\n"
    assert formats.read("chart/values.yaml", other, lambda _: None).resources == []


def test_the_older_resource_of_redpanda() -> None:
    text = """\
apiVersion: redpanda.vectorized.io/v1alpha1
kind: Cluster
metadata: {name: core}
spec:
  replicas: 3
  storage: {capacity: 100Gi}
  configuration: {kafkaApi: [{port: 9092}, {external: {enabled: true}}]}
  additionalConfiguration: {redpanda.default_topic_replications: "3", other: a}
"""
    (broker,) = read(text).resources
    assert texts(broker) == {"default.replication.factor": "3"}
    assert [(one.host, one.port) for one in broker.traits.addresses] == [
        ("core", 9092),
        ("*", None),
    ]
    assert broker.facts["disk_size"].amount == 100 << 30


def test_kafka_access_is_a_client_of_the_cluster_that_it_names() -> None:
    text = """\
apiVersion: access.strimzi.io/v1alpha1
kind: KafkaAccess
metadata: {name: billing, namespace: apps}
spec:
  kafka: {name: core, namespace: kafka, listener: tls}
  user: {kind: KafkaUser, apiGroup: kafka.strimzi.io, name: billing, namespace: kafka}
"""
    (client,) = read(text).resources
    assert (client.kind, client.cluster, client.traits.namespace) == ("client", "core", "kafka")
    assert (client.traits.user, client.facts["listener"].text) == ("billing", "tls")


PLATFORM = """\
apiVersion: platform.confluent.io/v1beta1
kind: Kafka
metadata: {name: kafka, namespace: confluent}
spec: {replicas: 3, dataVolumeCapacity: 100Gi}
---
apiVersion: platform.confluent.io/v1beta1
kind: KIND
metadata: {name: server, namespace: confluent}
spec:
  replicas: 2
  FIELD: 3
  configOverrides:
    server: [PREFIXrequest.timeout.ms=20000]
    jvm: [-Xmx4g]
  podTemplate: {resources: {limits: {memory: 2Gi}}}
  dependencies:
    kafka:
      bootstrapEndpoint: kafka.confluent.svc.cluster.local:9071
      authentication: {type: plain}
      tls: {enabled: true}
"""


@pytest.mark.parametrize(
    ("kind", "field", "prefix", "created"),
    [
        ("SchemaRegistry", "internalTopicReplicatorFactor", "kafkastore.", ["3"]),
        ("KafkaRestProxy", "logVolumeCapacity", "client.", []),
        ("KsqlDB", "internalTopicReplicationFactor", "ksql.streams.", ["3"]),
        (
            "ControlCenter",
            "internalTopicReplicatorFactor",
            "confluent.controlcenter.streams.",
            ["3", "3", "3", "3"],
        ),
    ],
)
def test_servers_of_confluents_operator_are_clients(
    kind: str, field: str, prefix: str, created: list[str]
) -> None:
    text = PLATFORM.replace("KIND", kind).replace("FIELD", field).replace("PREFIX", prefix)
    _, client = read(text).resources
    assert texts(client)["bootstrap.servers"] == "kafka.confluent.svc.cluster.local:9071"
    assert texts(client)["request.timeout.ms"] == "20000"
    assert client.image["security.protocol"].text == "SASL_SSL"
    assert (client.name, client.traits.namespace) == ("server", "confluent")
    assert client.traits.instances is not None and client.traits.instances.text == "2"
    assert [one.factor.text for one in client.traits.creates if one.factor] == created
    told = found(text)
    assert [code for code, _ in told if code in ("KC0403", "KC2015")][:1] == ["KC0403"]
    by_token = text + "    mds: {endpoint: https://kafka:8090}\n"
    assert [code for code, _ in found(by_token) if code == "KC0403"] == []


def test_a_role_binding_gives_rights_on_names() -> None:
    text = """\
apiVersion: platform.confluent.io/v1beta1
kind: ConfluentRolebinding
metadata: {name: a, namespace: confluent}
spec:
  principal: {type: user, name: billing}
  role: DeveloperRead
  resourcePatterns:
    - {name: orders, patternType: LITERAL, resourceType: Topic}
    - {name: pay, patternType: PREFIXED, resourceType: Group}
    - {name: s, resourceType: Subject}
"""
    (user,) = read(text).resources
    assert (user.name, user.facts["role"].text) == ("billing", "DeveloperRead")
    assert [str(right) for right in user.traits.rights] == [
        "Read on topic orders",
        "Read on group pay*",
    ]


MISSPELT = [
    ("kafka.banzaicloud.io/v1beta1", "KafkaCluster", "{readonlyConfig: ''}", "readOnlyConfig"),
    (
        "kafka.banzaicloud.io/v1beta1",
        "KafkaCluster",
        "{brokers: [{id: 0, brokerConfig: {storageConfig: []}}]}",
        "storageConfigs",
    ),
    (
        "kafka.banzaicloud.io/v1beta1",
        "KafkaCluster",
        "{brokerConfigGroups: {default: {kafkaHeapOpt: -Xmx2G}}}",
        "kafkaHeapOpts",
    ),
    ("kafka.banzaicloud.io/v1alpha1", "KafkaTopic", "{replicationfactor: 3}", "replicationFactor"),
    ("kafka.banzaicloud.io/v1alpha1", "KafkaUser", "{topicGrant: []}", "topicGrants"),
    ("cluster.redpanda.com/v1alpha2", "Topic", "{replicationFactors: 3}", "replicationFactor"),
    (
        "cluster.redpanda.com/v1alpha2",
        "Redpanda",
        "{clusterSpec: {statefulSet: {replicas: 3}}}",
        "statefulset",
    ),
    ("cluster.redpanda.com/v1alpha2", "User", "{authorisation: {}}", "authorization"),
    ("redpanda.vectorized.io/v1alpha1", "Cluster", "{replica: 3}", "replicas"),
    ("access.strimzi.io/v1alpha1", "KafkaAccess", "{kafka: {listner: tls}}", "listener"),
    (
        "platform.confluent.io/v1beta1",
        "SchemaRegistry",
        "{dependencies: {kafka: {bootstrapEndpoints: 'k:9071'}}}",
        "bootstrapEndpoint",
    ),
    (
        "platform.confluent.io/v1beta1",
        "ConfluentRolebinding",
        "{resourcePattern: []}",
        "resourcePatterns",
    ),
]


@pytest.mark.parametrize(("version", "kind", "spec", "right"), MISSPELT)
def test_misspelt_fields_are_told(version: str, kind: str, spec: str, right: str) -> None:
    text = f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {spec}\n"
    told = [problem for problem in read(text).problems if problem.code == "KC0135"]
    assert [problem.fix.rpartition(" to ")[2] for problem in told] == [right]
    assert under(text, told[0].at) in told[0].message


def test_crlf_is_read_alike() -> None:
    for text in (CLUSTER, REDPANDA, TOPICS):
        one, other = read(text), read(text.replace("\n", "\r\n"))
        assert [texts(made) for made in one.resources] == [texts(made) for made in other.resources]


STRIMZI = """\
apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: core, namespace: kafka}
spec:
  kafka:
    version: 4.1.0
    listeners: [{name: plain, port: 9092, type: internal, tls: false}]
"""


@pytest.mark.parametrize(
    ("resources", "server"),
    [
        (CLUSTER, "core-headless:29093"),
        (REDPANDA, "core:9093"),
        (STRIMZI, "core-kafka-bootstrap:9099"),
        (PLATFORM.partition("---")[0].replace("confluent}", "kafka}"), "kafka:9099"),
    ],
)
def test_programs_in_the_file_of_an_operators_resources_are_read(
    resources: str, server: str
) -> None:
    text = resources + "---\n" + CLIENT.replace("ASKED", server)
    apart = found(resources, CLIENT.replace("ASKED", server))
    assert [code for code, _ in found(text)] == [code for code, _ in apart]
    assert "KC1074" in [code for code, _ in apart]
    (client,) = [one for one in read(text).resources if one.kind == "consumer"]
    assert under(text, client.settings["bootstrap.servers"].at).strip('"') == server


LISTENERS = """\
apiVersion: platform.confluent.io/v1beta1
kind: SchemaRegistry
metadata: {name: registry, namespace: confluent}
spec:
  tls: {autoGeneratedCerts: true}
  listeners:
    internal: {tls: {enabled: true}}
    external: EXTERNAL
"""


@pytest.mark.parametrize(
    ("external", "outer"),
    [("{tls: {enabled: true}}", "https"), ("{tls: {enabled: false}}", "http"), ("{}", "")],
)
def test_a_server_with_two_listeners_has_two_ports(external: str, outer: str) -> None:
    (service,) = read(LISTENERS.replace("EXTERNAL", external)).services
    told = [(one.port, one.scheme) for one in service.addresses]
    assert told == [(8081, outer), (9081, "https")]
    with_port = LISTENERS.replace("internal: {", "internal: {port: 9999, ")
    (service,) = read(with_port.replace("EXTERNAL", external)).services
    assert [one.port for one in service.addresses] == [8081, 9999]


STACKABLE = """\
apiVersion: kafka.stackable.tech/v1alpha1
kind: KafkaCluster
metadata: {name: core, namespace: kafka}
spec:
  image: {productVersion: 3.9.1}
  brokers:
    config: {resources: {memory: {limit: 4Gi}, storage: {logDirs: {capacity: 5Gi}}}}
    configOverrides:
      broker.properties: {min.insync.replicas: "2", num.io.threads: "4"}
      security.properties: {networkaddress.cache.ttl: "30"}
    roleGroups:
      default:
        replicas: 3
        configOverrides: {broker.properties: {min.insync.replicas: "1"}}
      large:
        config: {resources: {memory: {limit: 8Gi}, cpu: {max: "2"}}}
        configOverrides: {server.properties: {log.retention.hours: "4"}}
  controllers:
    configOverrides:
      broker.properties: {num.io.threads: "9"}
      controller.properties: {num.network.threads: "5"}
    roleGroups: {default: {replicas: 3}}
"""


def test_stackable_lays_the_properties_of_a_group_over_those_of_its_role() -> None:
    default, large, controller = read(STACKABLE).resources
    assert texts(default) == {"min.insync.replicas": "1", "num.io.threads": "4"}
    assert default.settings["min.insync.replicas"].at == (14, 69, 14, 70)
    assert texts(large) == {
        "log.retention.hours": "4",
        "min.insync.replicas": "2",
        "num.io.threads": "4",
    }
    assert texts(controller) == {"num.network.threads": "5"}
    assert [one.kind for one in (default, large, controller)] == ["broker", "broker", "controller"]
    amounts = {key: one.amount for key, one in default.facts.items() if one.amount}
    assert amounts == {"replicas": 3, "ram": 4 << 30, "disk_size": 5 << 30}
    assert {key: large.facts[key].amount for key in ("ram", "cores", "disk_size")} == {
        "ram": 8 << 30,
        "cores": 2,
        "disk_size": 5 << 30,
    }
    assert {one.facts["kafka_version"].text for one in (default, large, controller)} == {"3.9.1"}
    assert (default.cluster, default.traits.namespace, default.traits.partial) == (
        "core",
        "kafka",
        True,
    )


@pytest.mark.parametrize(
    "spec",
    ["", "[]", "{brokers: 1}", "{brokers: {roleGroups: [a]}}", "{brokers: {configOverrides: 2}}"],
)
def test_of_a_cluster_of_stackable_without_groups_nothing_is_read(spec: str) -> None:
    document = read(STACKABLE.partition("spec:")[0] + f"spec: {spec}\n")
    assert document.reason == "contains no KafkaCluster" and not document.problems


def test_groups_of_stackable_that_are_no_mappings() -> None:
    text = STACKABLE.partition("spec:")[0] + "spec: {brokers: {roleGroups: {a: , b: 1, c: []}}}\n"
    assert [one.name for one in read(text).resources] == [f"core-broker-{name}" for name in "abc"]
    broken = read(STACKABLE + " - :\n")
    assert [one.code for one in broken.problems] == ["KC0001"]

"""Connectors, mirrors and clients of other languages: JSON, ``mm2.properties``, Strimzi's resources."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import PASSED_OVER, READ, SKIPPED, Derived, Document, Resource
from kcheck.settings import Settings


def read(path: str, text: str) -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def names(document: Document) -> list[str]:
    return [f"{r.kind} {r.name}" for r in document.resources]


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def found(files: dict[str, str]) -> list[str]:
    sources = {path: dedent(text).encode() for path, text in files.items()}
    project = lint_project(sorted(sources.items()), Settings(), sources.get)
    assert project.failures == []
    return [f"{f.code} {f.path}:{f.at[0]}:{f.at[1]}" for f in project.findings]


POSTED = """\
{
\t"name": "files",
\t"config": {
\t\t"connector.class": "a.FileSinkConnector",
\t\t"tasks.max": 3,
\t\t"topics": "orders, bills",
\t\t"value.converter": "${CONVERTER}"
\t}
}
"""


def test_a_connector_as_it_is_posted() -> None:
    document = read("c.json", POSTED)
    assert (document.format, names(document)) == ("connector-json", ["connector files"])
    (connector,) = document.resources
    assert connector.plane == "sink-connector"
    assert connector.traits.topics == ("orders", "bills")
    assert texts(connector)["tasks.max"] == "3"
    assert texts(connector)["value.converter"] is None
    assert connector.settings["tasks.max"].at == (5, 16, 5, 17)
    assert under(POSTED, connector.settings["topics"].at) == "orders, bills"
    assert under(POSTED, connector.settings["topics"].key_at) == "topics"
    assert connector.at == (2, 11, 2, 16)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"name": "a", "connector.class": "x.Y"}', ["connector a"]),
        ('{"connector.class": "x.Y"}', ["connector c.json"]),
        (
            '[{"name": "a", "config": {"connector.class": "x.Y"}}, {"connector.class": "x.Z"}]',
            ["connector a", "connector c.json"],
        ),
        ('{"a": {"info": {"name": "a", "config": {"connector.class": "x.Y"}}}}', ["connector a"]),
        ('{"connectors": [{"name": "a", "config": {"connector.class": "x.Y"}}]}', ["connector a"]),
    ],
)
def test_where_connectors_stand(text: str, expected: list[str]) -> None:
    assert names(read("c.json", text)) == expected


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"connector.class": "STRING", "tasks.max": "INT"}', PASSED_OVER),
        ('    "connector.class": "x.Y",\n    "tasks.max": "1",\n', PASSED_OVER),
        ('curl -X PUT -d \'{"connector.class": "x.Y"}\' http://c:8083\n', PASSED_OVER),
        ('{"connector.class": "x.Y", "tasks.max": ${TASKS}}', SKIPPED),
    ],
)
def test_json_that_holds_no_connector_yet(text: str, status: str) -> None:
    document = read("c.json", text)
    assert (document.format, document.status) == ("connector-json", status)
    assert document.resources == [] and document.problems == []


def test_broken_json_is_told_where_it_breaks() -> None:
    document = read("c.json", '{"connector.class": "x.Y"\n "tasks.max": 1}')
    assert [p.at[:2] for p in document.problems] == [(2, 2)]


# -- clients of other languages --------------------------------------------------------------


def test_quotes_of_a_word_processor_are_none_of_json() -> None:
    text = "{\n  “name”: “c”,\n  “connector.class”: “a.FileSink”\n}\n"
    document = read("c.json", text)
    assert (document.format, document.resources) == ("connector-json", [])
    (problem,) = document.problems
    assert (problem.code, problem.at and problem.at[:2]) == ("KC0001", (2, 3))


def test_a_client_of_librdkafka_by_its_keys() -> None:
    text = '{"bootstrap.servers": "k1:9092", "group.id": "g", "enable.auto.offset.store": false}'
    document = read("consumer.json", text)
    assert (document.format, names(document)) == ("librdkafka", ["consumer g"])
    assert document.resources[0].dialect == "librdkafka"


def test_a_client_that_names_its_library() -> None:
    text = '{"client": "node-rdkafka", "global": {"metadata.broker.list": "k1:9092"}, "topic": {"acks": -1}}'
    (client,) = read("p.json", text).resources
    assert (client.kind, client.dialect) == ("producer", "librdkafka")
    assert client.facts["client.library"].text == "node-rdkafka"
    assert client.traits.own_versions
    assert texts(client) == {"metadata.broker.list": "k1:9092", "acks": "-1"}


def test_settings_of_dotnet() -> None:
    text = """\
        {
          "Logging": {"Level": "Warning"},
          "Kafka": {
            "Topic": "orders",
            "Consumer": {
              "BootstrapServers": "k1:9092", "GroupId": "g", "SecurityProtocol": "SaslSsl",
              "SaslMechanism": "ScramSha512", "AutoOffsetReset": "Earliest", "TopicName": "x"
            }
          }
        }
        """
    document = read("appsettings.json", text)
    (client,) = document.resources
    assert (document.format, client.kind, client.name) == ("librdkafka", "consumer", "g")
    assert texts(client) == {
        "bootstrap.servers": "k1:9092",
        "group.id": "g",
        "security.protocol": "sasl_ssl",
        "sasl.mechanism": "SCRAM-SHA-512",
        "auto.offset.reset": "earliest",
    }
    assert client.settings["sasl.mechanism"].name == "SaslMechanism"
    assert under(dedent(text), client.settings["group.id"].at) == "g"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("AutoOffsetReset", "0", "latest"),
        ("AutoOffsetReset", "1", "earliest"),
        ("AutoOffsetReset", '"2"', "error"),
        ("AutoOffsetReset", "3", "3"),  # none of the enumeration's: .NET gives it on as it is
        ("SaslMechanism", "1", "PLAIN"),
        ("SecurityProtocol", "3", "sasl_ssl"),
        ("SslEndpointIdentificationAlgorithm", "0", "none"),
        ("SslEndpointIdentificationAlgorithm", '"Https"', "https"),
        ("PartitionAssignmentStrategy", "2", "cooperative-sticky"),
        ("CompressionType", "4", "zstd"),
        ("Acks", "1", "1"),
        ("Acks", "-1", "-1"),
        ("SessionTimeoutMs", "1", "1"),
    ],
)
def test_enumerations_of_dotnet_by_their_numbers(name: str, value: str, text: str) -> None:
    written = f'{{"Kafka": {{"BootstrapServers": "k1:9092", "GroupId": "g", "{name}": {value}}}}}\n'
    (client,) = read("appsettings.json", written).resources
    setting = next(s for s in client.settings.values() if s.name == name)
    numbered = value.strip('"').isdigit() and not text.isdigit()
    assert (setting.text, isinstance(setting, Derived)) == (text, numbered)


def test_what_clients_of_dotnet_share_stands_outside_of_them() -> None:
    text = """\
        {"Kafka": {
          "BootstrapServers": "k1:9092", "SessionTimeoutMs": 9000, "ClientId": "shop",
          "Consumer": {"GroupId": "g", "AutoOffsetReset": "Earliest", "SessionTimeoutMs": 7000},
          "ProducerConfig": {"Acks": "Leader"},
          "ConsumerTopics": {"Orders": "orders"}
        }}
        """
    document = read("appsettings.json", text)
    consumer, producer = document.resources
    assert names(document) == ["consumer g", "producer shop"]
    assert texts(consumer) == {
        "bootstrap.servers": "k1:9092",
        "client.id": "shop",
        "session.timeout.ms": "7000",
        "group.id": "g",
        "auto.offset.reset": "earliest",
    }
    assert texts(producer) == {"bootstrap.servers": "k1:9092", "client.id": "shop", "acks": "1"}


def test_sections_of_roles_among_keys_of_kafka() -> None:
    document = read(
        "kafka.json",
        """{"bootstrap.servers": "k:9092", "consumer": {"session.timeout.ms": 6000},
            "producer": {"message.max.bytes": 1000000}, "producers": {"acks": "1"}}""",
    )
    assert {one.kind: (one.dialect, sorted(one.settings)) for one in document.resources} == {
        "consumer": ("librdkafka", ["bootstrap.servers", "session.timeout.ms"]),
        "producer": ("librdkafka", ["bootstrap.servers", "message.max.bytes"]),
    }


def test_an_object_of_dotnet_that_holds_nothing_but_what_others_share_is_no_client() -> None:
    text = '{"BootstrapServers": "k:9092", "Producer": {"LingerMs": 5}, "Producers": ["x"]}'
    document = read("appsettings.json", text)
    assert names(document) == ["producer appsettings.json"]
    assert document.resources[0].dialect == "librdkafka"


def test_a_client_of_kafkajs() -> None:
    text = '{"client": "kafkajs", "brokers": ["a:1", "b:2"], "ssl": true, "sasl": {}, "sessionTimeout": 3}'
    document = read("c.json", text)
    (client,) = document.resources
    assert (document.format, client.dialect) == ("client-other", "kafkajs")
    assert texts(client) == {
        "bootstrap.servers": "a:1,b:2",
        "security.protocol": "SASL_SSL",
        "session.timeout.ms": "3",
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"kafka": {"clientId": "n", "brokers": ["k:9092"], "ssl": false},'
        ' "consumer": {"groupId": "g", "sessionTimeout": 10000}}',
        '{"kafka": {"clientId": "n", "brokers": ["k:9092"], "ssl": false,'
        ' "consumer": {"groupId": "g", "sessionTimeout": 10000}}}',
        '{"options": {"client": {"clientId": "n", "brokers": ["k:9092"], "ssl": false},'
        ' "consumer": {"groupId": "g", "sessionTimeout": 10000}}}',
        '{"clientId": "n", "brokers": ["k:9092"], "ssl": false, "groupId": "g", "sessionTimeout": 10000}',
    ],
)
def test_settings_that_only_kafkajs_calls_so(text: str) -> None:
    document = read("kafka.json", text)
    (consumer,) = document.resources
    assert (consumer.kind, consumer.name, consumer.dialect) == ("consumer", "g", "kafkajs")
    assert texts(consumer) == {
        "bootstrap.servers": "k:9092",
        "client.id": "n",
        "security.protocol": "PLAINTEXT",
        "group.id": "g",
        "session.timeout.ms": "10000",
    }


def test_a_consumer_and_a_producer_of_kafkajs() -> None:
    text = (
        '{"brokers": ["k:9092"], "connectionTimeout": 3000, "consumer": {"groupId": "g"},'
        ' "producer": {"idempotent": true}}'
    )
    consumer, producer = read("kafka.json", text).resources
    assert (consumer.kind, producer.kind) == ("consumer", "producer")
    assert texts(producer) == {"bootstrap.servers": "k:9092", "enable.idempotence": "true"}


def test_keyword_arguments_of_kafka_python() -> None:
    whole = '{"bootstrap_servers": ["a:1"], "group_id": "g", "max_poll_records": 5}'
    (client,) = read("c.json", whole).resources
    assert (client.kind, client.name, client.dialect) == ("consumer", "g", "kafka-python")
    (client,) = read("c.json", whole[:-1] + ', "table": "x"}').resources
    assert client.dialect == "unknown"


@pytest.mark.parametrize(
    "text",
    [
        '{"dependencies": {"kafkajs": "^2.0.0"}, "brokers": ["a"]}',
        '{"properties": {"title": "\\"bootstrap.servers\\""}}',
        '{"BootstrapServers": ',
        '{"brokers": ["Jane", "Joe"], "clientId": "x"}',
        '{"brokers": ["mqtt.example.com:1883"], "topic": "x"}',
        '{"brokers": {"k": "a:1"}, "clientId": "x"}',
        '{"brokers": [], "clientId": "x"}',
    ],
)
def test_json_that_only_speaks_of_clients(text: str) -> None:
    document = read("package.json", text)
    assert document.format is None and document.resources == [] and document.problems == []


def test_sections_of_an_ini_file() -> None:
    text = """\
        [default]
        bootstrap.servers = k1:9092
        [consumer]
        group.id: g
        auto.offset.reset=earliest
        [database]
        url = postgres://x
        """
    document = read("getting_started.ini", text)
    (consumer,) = document.resources
    assert (document.format, consumer.kind, consumer.name) == ("librdkafka", "consumer", "g")
    assert texts(consumer) == {
        "bootstrap.servers": "k1:9092",
        "group.id": "g",
        "auto.offset.reset": "earliest",
    }
    assert consumer.settings["group.id"].at == (4, 11, 4, 12)
    assert consumer.settings["bootstrap.servers"].at == (2, 21, 2, 28)


def test_an_ini_file_that_only_speaks_of_brokers() -> None:
    assert read("a.ini", "[doc]\ntext = set bootstrap.servers=k1:9092\n").format is None


# -- MirrorMaker 2 ---------------------------------------------------------------------------

MM2 = """\
clusters = A, DC-B
A.bootstrap.servers = a:9092
A.consumer.max.poll.records = 7
A.consumer.fetch.min.bytes = 1
DC-B.bootstrap.servers = b:9092
DC-B.security.protocol = SSL
A->DC-B.enabled = true
A->DC-B.topics = .*
DC-B->A.enabled = false
DC-B->A.topics = .*
tasks.max = 4
emit.heartbeats.interval.seconds = 5
config.storage.replication.factor = 3
"replication.policy.separator": ""
"""


def test_clusters_and_flows_of_mirror_maker() -> None:
    document = read("mm2.properties", MM2)
    assert (document.format, document.status) == ("mm2-properties", READ)
    assert names(document) == [
        "consumer A",
        "client DC-B",
        "connector A->DC-B",
        "connector A->DC-B",
        "worker A->DC-B",
    ]
    consumer, client, source, heartbeat, worker = document.resources
    assert texts(consumer) == {
        "bootstrap.servers": "a:9092",
        "max.poll.records": "7",
        "fetch.min.bytes": "1",
    }
    assert consumer.settings["max.poll.records"].name == "A.consumer.max.poll.records"
    assert under(MM2, consumer.settings["max.poll.records"].at) == "7"
    assert (client.cluster, texts(client)["security.protocol"]) == ("DC-B", "SSL")
    assert (source.plane, texts(source)["tasks.max"]) == ("mirror-source", "4")
    assert heartbeat.plane == "mirror-heartbeat"
    assert texts(worker) == {
        "config.storage.replication.factor": "3",
        "bootstrap.servers": "b:9092",
    }


def test_slips_in_mirror_maker() -> None:
    text = MM2.replace("tasks.max", "task.max") + "heartbeats.topic replication.factor=1\n"
    assert found({"mm2.properties": text}) == [
        "KC0101 mm2.properties:11:1",
        "KC0101 mm2.properties:14:1",
        "KC0101 mm2.properties:15:1",
    ]


# -- Strimzi ---------------------------------------------------------------------------------


def strimzi(kind: str, name: str, spec: str, label: str = "") -> str:
    labels = f"  labels: {{strimzi.io/cluster: {label}}}\n" if label else ""
    return (
        f"---\napiVersion: kafka.strimzi.io/v1\nkind: {kind}\nmetadata:\n  name: {name}\n{labels}"
        f"spec: {spec}\n"
    )


def test_connect_and_its_connectors_belong_to_the_kafka_that_they_ask() -> None:
    text = strimzi(
        "KafkaConnect",
        "etl",
        "{replicas: 2, version: 4.1.0, bootstrapServers: 'core-kafka-bootstrap.ns:9093', tls: {},"
        " groupId: g, configStorageTopic: c, config: {offset.storage.replication.factor: 3,"
        " ssl.key.password: x}}",
    ) + strimzi(
        "KafkaConnector",
        "files",
        "{class: FileStreamSource, tasksMax: 2, config: {topic: t, tasks.max: 3}}",
        "etl",
    )
    document = read("a.yaml", text)
    worker, connector = document.resources
    assert (worker.kind, worker.cluster, worker.plane) == ("worker", "core", "connect-distributed")
    assert texts(worker) == {
        "bootstrap.servers": "core-kafka-bootstrap.ns:9093",
        "group.id": "g",
        "config.storage.topic": "c",
        "offset.storage.replication.factor": "3",
    }
    assert worker.settings["group.id"].name == "groupId"
    assert [note.code for note in worker.notes] == ["KC0114"]
    assert connector.cluster == "core"
    assert texts(connector) == {
        "connector.class": "FileStreamSource",
        "tasks.max": "2",
        "topic": "t",
    }
    assert [note.code for note in connector.notes] == ["KC0114"]


@pytest.mark.parametrize("version", ["v1", "v1beta2"])
def test_mirrors_of_both_apis(version: str) -> None:
    clusters = {
        "v1": "target: {alias: b, bootstrapServers: 'b-kafka-bootstrap:9092', config: {config.storage.replication.factor: 3}}, ",
        "v1beta2": "connectCluster: b, clusters: [{alias: a, bootstrapServers: 'a-kafka-bootstrap:9092'}, "
        "{alias: b, bootstrapServers: 'b-kafka-bootstrap:9092', config: {config.storage.replication.factor: 3}}], ",
    }
    source = {
        "v1": "source: {alias: a, bootstrapServers: 'a-kafka-bootstrap:9092'}",
        "v1beta2": "sourceCluster: a, targetCluster: b",
    }
    spec = (
        f"{{{clusters[version]}mirrors: [{{{source[version]}, topicsPattern: x.*, groupsPattern: g.*,"
        " sourceConnector: {tasksMax: 3}, checkpointConnector: {config: {sync.group.offsets.enabled: true}}}]}"
    )
    document = read(
        "a.yaml", strimzi("KafkaMirrorMaker2", "mm", spec).replace("/v1\n", f"/{version}\n")
    )
    worker, client, first, second = document.resources
    assert (worker.kind, worker.cluster) == ("worker", "b")
    assert texts(worker)["config.storage.replication.factor"] == "3"
    assert (client.name, client.cluster) == ("a", "a")
    assert (first.plane, texts(first)) == ("mirror-source", {"topics": "x.*", "tasks.max": "3"})
    assert second.plane == "mirror-checkpoint"
    assert texts(second) == {"groups": "g.*", "sync.group.offsets.enabled": "true"}


def test_a_mirror_of_the_first_kind_is_a_consumer_and_a_producer_of_two_clusters() -> None:
    text = strimzi(
        "KafkaMirrorMaker",
        "copies",
        "{version: 3.9.0, replicas: 2, include: orders,"
        " consumer: {bootstrapServers: 'a-kafka-bootstrap:9092', groupId: copies,"
        " config: {max.poll.records: 100}},"
        " producer: {bootstrapServers: 'b-kafka-bootstrap:9092', config: {linger.ms: 5}}}",
    )
    consumer, producer = read("a.yaml", text).resources
    assert (consumer.kind, consumer.cluster, producer.kind, producer.cluster) == (
        "consumer",
        "a",
        "producer",
        "b",
    )
    assert texts(consumer) == {
        "bootstrap.servers": "a-kafka-bootstrap:9092",
        "group.id": "copies",
        "max.poll.records": "100",
    }
    assert texts(producer)["linger.ms"] == "5"
    assert (producer.image["acks"].text, consumer.image["enable.auto.commit"].text) == (
        "all",
        "false",
    )
    assert producer.facts["client.version"].text == "3.9.0"


def test_bridges_and_users() -> None:
    bridge = strimzi(
        "KafkaBridge",
        "web",
        "{bootstrapServers: 'core-kafka-bootstrap:9092', producer: {config: {acks: 1, ssl.protocol: x}}}",
    )
    user = strimzi("KafkaUser", "ann", "{quotas: {producerByteRate: 1048576}}", "core")
    producer, consumer, ann = read("a.yaml", bridge + user).resources
    assert texts(producer) == {
        "bootstrap.servers": "core-kafka-bootstrap:9092",
        "acks": "1",
        "ssl.protocol": "x",
    }
    assert (consumer.kind, consumer.cluster) == ("consumer", "core")
    assert (ann.kind, ann.cluster, texts(ann)) == (
        "user",
        "core",
        {"producer_byte_rate": "1048576"},
    )


MIRROR = """\
clusters=source,target
source.bootstrap.servers=a:9092
target.bootstrap.servers=b:9092
source->target.enabled=true
source.offset.storage.topic=beats
"""


def _workers(text: str) -> dict[str, str | None]:
    document = formats.read("mm2.properties", text.encode(), lambda _: None)
    workers = [one for one in document.resources if one.kind == "worker"]
    return {one.name: one.settings["offset.storage.topic"].text for one in workers}


def test_mirror_maker_runs_workers_in_the_other_direction_for_heartbeats() -> None:
    assert _workers(MIRROR) == {"target->source": "beats"}


@pytest.mark.parametrize(
    "more",
    [
        "emit.heartbeats.enabled=false",
        "target->source.enabled=false\ntarget->source.emit.heartbeats.enabled=false",
        "target->source.enabled=false\ntarget->source.emit.heartbeats.enabled=${BEATS}",
        "clusters=source",
        "clusters=source,source",
    ],
)
def test_workers_of_a_mirror_that_nothing_tells(more: str) -> None:
    assert _workers(f"{MIRROR}{more}\n") == {}

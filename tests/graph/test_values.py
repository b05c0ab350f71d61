"""Effective values: precedence, units, fallbacks and defaults, as Kafka resolves them."""

from __future__ import annotations

import pytest

from kcheck.engine import read_project
from kcheck.graph.clients import Client, Streams, Worker
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.model import ABSENT, DEFAULT, INHERITED, SET, Value
from kcheck.settings import Settings


def cluster(**files: str) -> Cluster:
    """The one cluster of some files; ``server_properties`` is the name of server.properties."""
    names = {name: name.replace("__", "-").replace("_", ".") for name in files}
    sources = {names[name]: text.encode() for name, text in files.items()}
    (found,) = read_project(sources.items(), Settings(), sources.get).clusters
    return found


def declared(version: str = "4.1", **parts: str) -> str:
    lines = [f"cluster:\n  kafka_version: '{version}'\n  client_version: '{version}'\n"]
    lines += [f"  {name}: {text}\n" for name, text in parts.items() if name != "rest"]
    return "".join(lines) + parts.get("rest", "")


def broker(text: str = "", version: str = "4.1", **parts: str) -> Broker:
    server = f"process.roles=broker\nnode.id=1\n{text}"
    found = cluster(kcheck_yaml=declared(version, **parts), server_properties=server)
    return found.brokers[0]


def topic(config: str = "{}", server: str = "", version: str = "4.1") -> Topic:
    rest = f"topics: [{{name: orders, config: {config}}}]\n"
    return broker(server, version, rest=rest).cluster.topics[0]


def client(text: str, version: str = "4.1", name: str = "producer_properties") -> Client:
    files = {name: f"bootstrap.servers=k:9092\n{text}", "kcheck_yaml": declared(version)}
    return cluster(**files).clients[0]


def seen(value: Value) -> tuple[object, str]:
    assert value.known
    return value.value, value.origin


# -- brokers --------------------------------------------------------------------------------


def test_the_highest_of_dynamic_static_and_default_wins() -> None:
    key = "message.max.bytes"
    assert seen(broker()[key]) == (1_048_588, DEFAULT)
    assert seen(broker(config=f"{{{key}: 1}}")[key]) == (1, SET)
    assert seen(broker(f"{key}=2\n", config=f"{{{key}: 1}}")[key]) == (2, SET)
    dynamic = broker(f"{key}=2\n", config=f"{{{key}: 1}}", dynamic_config=f"{{{key}: 3}}")
    assert seen(dynamic[key]) == (3, SET)
    assert dynamic[key].setting is not None and dynamic[key].setting.path == "kcheck.yaml"


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        # The image's own file says 1, Kafka's default is 3.
        ("KAFKA_NUM_IO_THREADS: 9", (1, SET)),
        ("KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 2", (2, SET)),
    ],
)
def test_an_images_own_file_stands_between_the_environment_and_the_default(
    variable: str, expected: tuple[int, str]
) -> None:
    text = "services:\n  k:\n    image: wurstmeister/kafka:2.13-2.8.1\n    environment: {%s}\n"
    (node,) = cluster(docker__compose_yml=text % variable).brokers
    assert seen(node["offsets.topic.replication.factor"]) == expected


@pytest.mark.parametrize(
    ("text", "expected", "from_key"),
    [
        ("", 604_800_000, "log.retention.hours"),
        ("log.retention.hours=1\n", 3_600_000, "log.retention.hours"),
        ("log.retention.hours=1\nlog.retention.minutes=2\n", 120_000, "log.retention.minutes"),
        ("log.retention.ms=5\nlog.retention.minutes=2\n", 5, "log.retention.ms"),
        ("log.retention.hours=-1\n", -1, "log.retention.hours"),
    ],
)
def test_the_finest_unit_of_retention_wins(text: str, expected: int, from_key: str) -> None:
    value = broker(text)["log.retention.ms"]
    assert (value.value, value.from_key) == (expected, from_key)


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("", "log.roll.ms", 604_800_000),
        ("log.roll.hours=2\n", "log.roll.ms", 7_200_000),
        ("log.roll.hours=2\nlog.roll.ms=3\n", "log.roll.ms", 3),
        ("log.roll.jitter.hours=2\n", "log.roll.jitter.ms", 7_200_000),
        ("", "log.flush.interval.ms", 2**63 - 1),
        ("log.flush.scheduler.interval.ms=9\n", "log.flush.interval.ms", 9),
        ("", "log.dirs", ["/tmp/kafka-logs"]),
        ("log.dir=/a\n", "log.dirs", ["/a"]),
        ("log.dir=/a\nlog.dirs=/b\n", "log.dirs", ["/b"]),
        ("listeners=PLAINTEXT://k1:1\n", "advertised.listeners", "PLAINTEXT://k1:1"),
        ("", "broker.id", 1),
    ],
)
def test_other_keys_that_stand_in_for_each_other(text: str, key: str, expected: object) -> None:
    value = broker(text)[key].value
    assert (value if isinstance(value, list) == isinstance(expected, list) else [value]) == expected


def test_a_listener_reads_its_own_prefix_first() -> None:
    node = broker("listener.name.external.ssl.client.auth=required\nssl.client.auth=none\n")
    assert node.listener("EXTERNAL", "ssl.client.auth").text == "required"
    assert node.listener("INTERNAL", "ssl.client.auth").text == "none"
    external = node.listener("EXTERNAL", "ssl.client.auth")
    assert external.from_key == "listener.name.external.ssl.client.auth"


def test_unknown_values_stay_unknown_down_the_chain() -> None:
    value = broker("log.retention.ms=${RETENTION}\nlog.retention.hours=1\n")["log.retention.ms"]
    assert (value.known, value.origin, value.number != value.number) == (False, SET, True)
    assert broker("log.retention.ms=soon\n")["log.retention.ms"].known is False


# -- defaults and versions ------------------------------------------------------------------


def test_a_default_says_of_which_version_it_is() -> None:
    value = broker(version="3.9.1")["num.io.threads"]
    assert (value.value, value.origin, value.kafka_version) == (8, DEFAULT, "3.9.1")


def test_a_default_that_differs_by_version_is_unknown_without_one() -> None:
    linger = {v: client("", v)["linger.ms"].value for v in ("2.8", "3.9", "4.0", "4.4")}
    assert linger == {"2.8": 0, "3.9": 0, "4.0": 5, "4.4": 5}
    unknown = cluster(producer_properties="bootstrap.servers=k:9092\n").clients[0]["linger.ms"]
    assert (unknown.known, unknown.value, unknown.origin) == (False, None, DEFAULT)
    assert unknown.candidates == (0, 5)


def test_a_default_that_never_changed_is_known_without_a_version() -> None:
    value = cluster(producer_properties="bootstrap.servers=k:9092\n").clients[0]["batch.size"]
    assert (value.known, value.value, value.origin) == (True, 16384, DEFAULT)


def test_versions_outside_the_catalogue_use_its_nearest_end() -> None:
    assert client("", "2.4")["linger.ms"].value == 0
    assert client("", "9.0")["linger.ms"].value == 5


def test_the_clients_version_is_not_the_brokers() -> None:
    text = "cluster: {kafka_version: '4.1', client_version: '3.9'}\n"
    files = {"producer_properties": "bootstrap.servers=k:9092\n", "kcheck_yaml": text}
    producer = cluster(**files).clients[0]
    assert (str(producer.version), producer["linger.ms"].value) == ("3.9", 0)
    assert str(producer.cluster.version) == "4.1"


def test_the_default_of_a_managed_service_is_nobodys_guess() -> None:
    node = broker(service="msk")
    assert node["message.max.bytes"].origin == ABSENT
    assert node.cluster.defaults[0]["retention.ms"].origin == ABSENT


# -- topics ---------------------------------------------------------------------------------

#: (topic key, broker keys and a value for each, the value that the topic gets).
INHERITED_VALUES = [
    ("segment.bytes", "log.segment.bytes=2000000", 2_000_000),
    ("segment.ms", "log.roll.ms=7", 7),
    ("segment.ms", "log.roll.hours=2", 7_200_000),
    ("segment.ms", "log.roll.hours=2\nlog.roll.ms=7", 7),
    ("segment.jitter.ms", "log.roll.jitter.ms=7", 7),
    ("segment.jitter.ms", "log.roll.jitter.hours=2", 7_200_000),
    ("retention.ms", "log.retention.ms=7", 7),
    ("retention.ms", "log.retention.minutes=2", 120_000),
    ("retention.ms", "log.retention.hours=2", 7_200_000),
    ("retention.ms", "log.retention.hours=2\nlog.retention.minutes=3", 180_000),
    ("retention.ms", "log.retention.ms=-5", -1),
    ("retention.ms", "log.retention.hours=-1", -1),
    ("retention.bytes", "log.retention.bytes=7", 7),
    ("flush.messages", "log.flush.interval.messages=7", 7),
    ("flush.ms", "log.flush.interval.ms=7", 7),
    ("flush.ms", "log.flush.scheduler.interval.ms=7", 7),
    ("max.message.bytes", "message.max.bytes=7", 7),
    ("index.interval.bytes", "log.index.interval.bytes=7", 7),
    ("segment.index.bytes", "log.index.size.max.bytes=7", 7),
    ("file.delete.delay.ms", "log.segment.delete.delay.ms=7", 7),
    ("delete.retention.ms", "log.cleaner.delete.retention.ms=7", 7),
    ("min.compaction.lag.ms", "log.cleaner.min.compaction.lag.ms=7", 7),
    ("max.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms=7", 7),
    ("min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio=0.7", 0.7),
    ("cleanup.policy", "log.cleanup.policy=compact, delete", ["compact", "delete"]),
    ("min.insync.replicas", "min.insync.replicas=7", 7),
    ("unclean.leader.election.enable", "unclean.leader.election.enable=true", True),
    ("compression.type", "compression.type=zstd", "zstd"),
    ("compression.gzip.level", "compression.gzip.level=7", 7),
    ("compression.lz4.level", "compression.lz4.level=7", 7),
    ("compression.zstd.level", "compression.zstd.level=7", 7),
    ("preallocate", "log.preallocate=true", True),
    ("message.timestamp.type", "log.message.timestamp.type=LogAppendTime", "LogAppendTime"),
    ("message.timestamp.before.max.ms", "log.message.timestamp.before.max.ms=7", 7),
    ("message.timestamp.after.max.ms", "log.message.timestamp.after.max.ms=7", 7),
    ("local.retention.ms", "log.local.retention.ms=7", 7),
    ("local.retention.bytes", "log.local.retention.bytes=7", 7),
    ("remote.copy.lag.ms", "log.remote.copy.lag.ms=7", 7),
    ("remote.copy.lag.bytes", "log.remote.copy.lag.bytes=7", 7),
    ("max.decompressed.message.bytes", "max.decompressed.message.bytes=7", 7),
]


@pytest.mark.parametrize(("key", "server", "expected"), INHERITED_VALUES)
def test_a_topic_inherits_from_the_first_key_that_the_broker_sets(
    key: str, server: str, expected: object
) -> None:
    value = topic(server=server + "\n", version="4.4")[key]
    assert seen(value) == (expected, INHERITED)
    assert value.setting is not None and value.setting.path == "server.properties"
    assert value.key == key and value.from_key == value.setting.key


#: The same keys with nobody setting anything: (key, version, value).
DEFAULTS = [
    ("segment.bytes", "4.4", 1_073_741_824),
    ("segment.ms", "4.4", 604_800_000),
    ("segment.jitter.ms", "4.4", 0),
    ("retention.ms", "4.4", 604_800_000),
    ("retention.bytes", "4.4", -1),
    ("flush.messages", "4.4", 2**63 - 1),
    ("flush.ms", "4.4", 2**63 - 1),
    ("max.message.bytes", "4.4", 1_048_588),
    ("index.interval.bytes", "4.4", 4096),
    ("segment.index.bytes", "4.4", 10_485_760),
    ("file.delete.delay.ms", "4.4", 60_000),
    ("delete.retention.ms", "4.4", 86_400_000),
    ("min.compaction.lag.ms", "4.4", 0),
    ("max.compaction.lag.ms", "4.4", 2**63 - 1),
    ("min.cleanable.dirty.ratio", "4.4", 0.5),
    ("cleanup.policy", "4.4", ["delete"]),
    ("min.insync.replicas", "4.4", 1),
    ("unclean.leader.election.enable", "4.4", False),
    ("compression.type", "4.4", "producer"),
    ("compression.gzip.level", "4.4", -1),
    ("compression.lz4.level", "4.4", 9),
    ("compression.zstd.level", "4.4", 3),
    ("preallocate", "4.4", False),
    ("message.timestamp.type", "4.4", "CreateTime"),
    ("message.timestamp.before.max.ms", "4.4", 2**63 - 1),
    ("message.timestamp.after.max.ms", "4.4", 3_600_000),
    ("message.timestamp.after.max.ms", "3.9", 2**63 - 1),
    ("local.retention.ms", "4.4", -2),
    ("remote.copy.lag.bytes", "4.4", -1),
    ("max.decompressed.message.bytes", "4.4", 2_147_483_639),
    ("remote.storage.enable", "4.4", False),
]


@pytest.mark.parametrize(("key", "version", "expected"), DEFAULTS)
def test_the_default_of_a_topic(key: str, version: str, expected: object) -> None:
    assert seen(topic(version=version)[key]) == (expected, DEFAULT)


def test_a_topics_own_value_wins_and_keeps_its_special_numbers() -> None:
    server = "log.retention.ms=7\nmin.insync.replicas=2\n"
    found = topic('{retention.ms: "-1", min.insync.replicas: 3}', server)
    assert seen(found["retention.ms"]) == (-1, SET)
    assert seen(found["min.insync.replicas"]) == (3, SET)
    # A broker reads any negative number as unlimited; a topic's own is refused.
    assert not topic("{retention.ms: -5}")["retention.ms"].known
    assert seen(topic("{retention.ms: 0}")["retention.ms"]) == (0, SET)


def test_a_topic_only_key_has_no_broker_default() -> None:
    server = "remote.storage.enable=true\nretention.ms=5\n"
    assert seen(topic(server=server)["remote.storage.enable"]) == (False, DEFAULT)
    assert seen(topic(server=server)["retention.ms"]) == (604_800_000, DEFAULT)


def test_the_old_timestamp_bound_counts_where_the_new_ones_are_at_their_default() -> None:
    server = "log.message.timestamp.difference.max.ms=7\n"
    for key in ("message.timestamp.before.max.ms", "message.timestamp.after.max.ms"):
        assert seen(topic(server=server, version="3.9")[key]) == (7, INHERITED)
        assert topic(server=server, version="4.0")[key].origin == DEFAULT
        both = topic(server=f"{server}log.{key}=9\n", version="3.9")[key]
        assert seen(both) == (9, INHERITED)
        # The brokers hand theirs down as a bound of its own; only without it the topic's counts.
        older = "{message.timestamp.difference.max.ms: 8}"
        assert seen(topic(older, server, "3.9")[key]) == (7, INHERITED)
        assert seen(topic(older, "", "3.9")[key]) == (8, SET)


def test_brokers_that_differ_give_a_topic_several_values() -> None:
    found = cluster(
        server_1_properties="broker.id=1\nmin.insync.replicas=1\nzookeeper.connect=z:2181\n",
        server_2_properties="broker.id=2\nmin.insync.replicas=2\nzookeeper.connect=z:2181\n",
        server_3_properties="broker.id=3\nmin.insync.replicas=2\nzookeeper.connect=z:2181\n",
        topics_yaml="topics: [{name: orders}]\n",
    )
    assert [t["min.insync.replicas"].value for t in found.topics] == [1, 2]


def test_a_topic_of_unknown_brokers_inherits_nothing() -> None:
    (found,) = cluster(topics_yaml="topics: [{name: orders}]\n").topics
    assert found["retention.ms"].origin == ABSENT
    assert found.replication_factor.origin == ABSENT


@pytest.mark.parametrize(
    ("entry", "server", "expected"),
    [
        ("replication_factor: 2", "default.replication.factor=3\n", (2, "fact")),
        ("replication_factor: -1", "default.replication.factor=3\n", (3, INHERITED)),
        ("partitions: 1", "default.replication.factor=3\n", (3, INHERITED)),
        ("partitions: 1", "", (1, DEFAULT)),
    ],
)
def test_replication_is_the_topics_or_the_brokers(
    entry: str, server: str, expected: tuple[int, str]
) -> None:
    found = broker(server, rest=f"topics: [{{name: orders, {entry}}}]\n").cluster.topics[0]
    assert seen(found.replication_factor) == expected


# -- clients --------------------------------------------------------------------------------


def test_an_explicit_value_is_told_from_the_same_default() -> None:
    assert client("acks=all\n")["acks"].explicit is True
    assert (client("")["acks"].value, client("")["acks"].explicit) == ("all", False)


def declared_client(kind: str, client: str, config: str = "") -> Client:
    text = f"{kind}: [{{name: p, client: {{{client}}}, config: {{{config}}}}}]\n"
    return cluster(kcheck_yaml=declared(rest=text)).clients[0]


@pytest.mark.parametrize(
    ("kind", "client", "key", "expected"),
    [
        ("producers", "library: librdkafka", "acks", ("-1", "acks")),
        (
            "producers",
            "library: librdkafka",
            "delivery.timeout.ms",
            (300_000, "delivery.timeout.ms"),
        ),
        ("producers", "library: librdkafka", "enable.idempotence", (False, "enable.idempotence")),
        ("producers", "library: librdkafka", "message.max.bytes", (1_000_000, "message.max.bytes")),
        (
            "consumers",
            'library: librdkafka, version: "1.6.2"',
            "session.timeout.ms",
            (10_000, None),
        ),
        (
            "consumers",
            'library: librdkafka, version: "2.7.0"',
            "session.timeout.ms",
            (45_000, None),
        ),
        # 10 s up to 1.6, 45 s since: nobody knows without the version.
        ("consumers", "library: librdkafka", "session.timeout.ms", (None, None)),
        ("consumers", "library: confluent-kafka", "isolation.level", ("read_committed", None)),
        # A binding that counts its own releases says nothing of the library inside.
        ("consumers", 'library: node-rdkafka, version: "2.1"', "session.timeout.ms", (None, None)),
        ("producers", 'library: kafka-python, version: "2.0.2"', "acks", ("1", None)),
        ("producers", 'library: kafka-python, version: "3.0.5"', "acks", ("-1", None)),
        ("producers", "library: kafka-python", "acks", (None, None)),
        ("producers", 'library: kafka-python, version: "2.0"', "retries", (0, None)),
        ("producers", 'library: kafka-python, version: "2.3"', "retries", (float("inf"), None)),
        ("producers", "library: aiokafka", "acks", ("1", None)),
        ("producers", "library: aiokafka", "batch.size", (16_384, None)),
    ],
)
def test_defaults_are_the_librarys(
    kind: str, client: str, key: str, expected: tuple[object, str | None]
) -> None:
    value = declared_client(kind, client)[key]
    assert value.origin == DEFAULT
    assert value.value == expected[0]
    assert value.known is (expected[0] is not None)
    assert value.key == (expected[1] or key)


@pytest.mark.parametrize(
    ("client", "config", "key", "expected"),
    [
        ("library: librdkafka", "queue.buffering.max.ms: 50", "linger.ms", 50),
        ("library: librdkafka", "message.timeout.ms: 0x10", "delivery.timeout.ms", 16),
        # C stops at the first letter: ten, not ten thousand.
        ("library: librdkafka", "linger.ms: 10s", "linger.ms", 10),
        ("library: librdkafka", "enable.idempotence: t", "enable.idempotence", True),
        ("library: librdkafka", "linger.ms: 900001", "linger.ms", None),
        ("library: kafka-python", "max_request_size: 5000", "max.request.size", 5000),
        ("library: kafka-python", "max.request.size: 5000", "max.request.size", 5000),
        ("library: aiokafka", "max_batch_size: 5000", "batch.size", 5000),
        ("library: franz-go", "linger.ms: 7", "linger.ms", 7),
    ],
)
def test_values_are_read_as_the_library_reads_them(
    client: str, config: str, key: str, expected: object
) -> None:
    value = declared_client("producers", client, config)[key]
    assert (value.origin, value.value, value.known) == (SET, expected, expected is not None)


@pytest.mark.parametrize(
    ("client", "key"),
    [
        ("library: franz-go", "linger.ms"),
        ("library: aiokafka", "retries"),
        ("library: librdkafka", "buffer.memory"),
        ('library: kafka-python, version: "2.0"', "enable.idempotence"),
    ],
)
def test_what_a_library_does_not_have_has_no_default(client: str, key: str) -> None:
    assert declared_client("producers", client)[key].origin == ABSENT


def streams(text: str, version: str = "4.1") -> Streams:
    found = client(f"application.id=a\n{text}", version, "streams_properties")
    assert isinstance(found, Streams)
    return found


@pytest.mark.parametrize(
    ("text", "role", "key", "expected"),
    [
        ("", "producer", "linger.ms", (100, DEFAULT)),
        ("", "consumer", "max.poll.records", (1000, DEFAULT)),
        ("", "consumer", "auto.offset.reset", ("earliest", DEFAULT)),
        ("", "producer", "batch.size", (16384, DEFAULT)),
        ("linger.ms=1\n", "producer", "linger.ms", (1, SET)),
        ("linger.ms=1\nproducer.linger.ms=2\n", "producer", "linger.ms", (2, SET)),
        (
            "max.poll.records=1\nconsumer.max.poll.records=2\nmain.consumer.max.poll.records=3\n",
            "consumer",
            "max.poll.records",
            (3, SET),
        ),
        # There is only one producer: this prefix is nobody's.
        ("main.producer.linger.ms=3\n", "producer", "linger.ms", (100, DEFAULT)),
        ("", "producer", "delivery.timeout.ms", (120_000, DEFAULT)),
        ("", "producer", "transaction.timeout.ms", (60_000, DEFAULT)),
        ("", "consumer", "isolation.level", ("read_uncommitted", DEFAULT)),
        # Streams commits itself, whatever the file says.
        ("enable.auto.commit=true\n", "consumer", "enable.auto.commit", (False, DEFAULT)),
        ("consumer.enable.auto.commit=true\n", "consumer", "enable.auto.commit", (False, DEFAULT)),
    ],
)
def test_what_the_clients_of_streams_get(
    text: str, role: str, key: str, expected: tuple[object, str]
) -> None:
    assert seen(streams(text).client(role, key)) == expected


@pytest.mark.parametrize(
    ("text", "role", "key", "expected"),
    [
        ("", "producer", "delivery.timeout.ms", (2**31 - 1, DEFAULT)),
        ("", "producer", "transaction.timeout.ms", (10_000, DEFAULT)),
        ("producer.transaction.timeout.ms=5\n", "producer", "transaction.timeout.ms", (5, SET)),
        ("", "consumer", "isolation.level", ("read_committed", DEFAULT)),
        ("isolation.level=read_uncommitted\n", "consumer", "isolation.level", None),
        ("enable.idempotence=false\n", "producer", "enable.idempotence", (True, DEFAULT)),
    ],
)
def test_what_the_clients_of_streams_get_under_exactly_once(
    text: str, role: str, key: str, expected: tuple[object, str] | None
) -> None:
    found = streams(f"processing.guarantee=exactly_once_v2\n{text}").client(role, key)
    assert seen(found) == (expected or ("read_committed", DEFAULT))


def test_a_hole_in_what_streams_forces() -> None:
    text = "processing.guarantee=exactly_once_v2\nmain.consumer.isolation.level=read_uncommitted\n"
    assert seen(streams(text).client("consumer", "isolation.level")) == ("read_uncommitted", SET)
    spelled = "main.consumer.enable.auto.commit=true\n"
    assert seen(streams(spelled, "4.1").client("consumer", "enable.auto.commit")) == (True, SET)
    assert seen(streams(spelled, "4.2").client("consumer", "enable.auto.commit")) == (
        False,
        DEFAULT,
    )


def worker(text: str) -> Worker:
    found = client(
        f"group.id=c\noffset.storage.topic=o\n{text}", name="connect__distributed_properties"
    )
    assert isinstance(found, Worker)
    return found


@pytest.mark.parametrize(
    ("text", "role", "key", "expected"),
    [
        ("producer.batch.size=7\n", "producer", "batch.size", (7, SET)),
        ("batch.size=7\n", "producer", "batch.size", (16384, DEFAULT)),
        ("", "producer", "enable.idempotence", (False, DEFAULT)),
        ("", "producer", "max.in.flight.requests.per.connection", (1, DEFAULT)),
        (
            "exactly.once.source.support=enabled\n",
            "producer",
            "enable.idempotence",
            (True, DEFAULT),
        ),
        ("consumer.max.poll.records=7\n", "consumer", "max.poll.records", (7, SET)),
        ("", "consumer", "max.poll.records", (500, DEFAULT)),
        ("", "producer", "bootstrap.servers", (["k:9092"], SET)),
        ("producer.bootstrap.servers=p:1\n", "producer", "bootstrap.servers", (["p:1"], SET)),
        # Only the address goes over to the inner clients, not how to speak to it.
        ("security.protocol=SSL\n", "producer", "security.protocol", ("PLAINTEXT", DEFAULT)),
    ],
)
def test_what_the_clients_of_a_worker_get(
    text: str, role: str, key: str, expected: tuple[object, str]
) -> None:
    assert seen(worker(text).client(role, key)) == expected

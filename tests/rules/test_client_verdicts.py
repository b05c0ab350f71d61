"""Verdicts on clients that turn on the version, the library, or what is known of the other end.

The examples of the rules show that a rule speaks; here stands how loudly, and on what evidence.
"""

from __future__ import annotations

import pytest

from kcheck.engine import lint_project
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.settings import Settings

BROKER = "broker.id=1\nzookeeper.connect=zk:2181\nlog.dirs=/data\n"


def lint(*lines: str, **files: str) -> list[Finding]:
    """The findings on a declaration, and on files whose names have __ for the dot."""
    sources = [(name.replace("__", "."), text.encode()) for name, text in files.items()]
    if lines:
        sources.append(("kcheck.yaml", "\n".join(lines).encode()))
    project = lint_project(sources, Settings())
    assert not project.failures
    assert not any(document.problems for document in project.documents)
    return project.findings


def severity(findings: list[Finding], code: str) -> str | None:
    told = [finding.severity for finding in findings if finding.code == code]
    assert len(told) <= 1, told
    return told[0] if told else None


def keys(findings: list[Finding], code: str) -> list[str]:
    (one,) = (finding for finding in findings if finding.code == code)
    return [value.key for value in one.evidence]


def cluster(client: str = "", broker: str = "", config: str = "") -> str:
    facts = ["name: c"]
    facts += [f'client_version: "{client}"'] if client else []
    facts += [f'kafka_version: "{broker}"'] if broker else []
    facts += ["brokers: 3", f"config: {{{config}}}"] if broker or config else []
    return f"cluster: {{{', '.join(facts)}}}"


def producer(config: str, more: str = "") -> str:
    return f"producers: [{{name: p, {more}config: {{{config}}}}}]"


def consumer(config: str, more: str = "") -> str:
    return f"consumers: [{{name: c, {more}config: {{{config}}}}}]"


# -- batches and records against the topic's limit -------------------------------------------------


@pytest.mark.parametrize(
    ("version", "expected"),
    [("3.9", ERROR), ("4.1.2", ERROR), ("4.2", WARNING), ("4.4", WARNING), ("", WARNING)],
)
def test_a_full_batch_above_the_limit(version: str, expected: str) -> None:
    """Java before 4.2 gets the same batch back for ever; newer clients split it by size."""
    found = lint(
        cluster(version),
        "topics: [{name: t, partitions: 1, config: {max.message.bytes: 10000}}]",
        producer("batch.size: 20000", "topics: [t], "),
    )
    assert severity(found, "KC0501") == expected
    assert keys(found, "KC0501") == ["batch.size", "max.message.bytes"]


def test_a_full_batch_of_librdkafka_is_the_smaller_of_two_limits() -> None:
    topic = "topics: [{name: t, partitions: 1, config: {max.message.bytes: 600000}}]"
    client = "topics: [t], client: {library: librdkafka}, "
    assert severity(lint(topic, producer("", client)), "KC0501") == WARNING
    assert severity(lint(topic, producer("batch.size: 700000", client)), "KC0501") == ERROR
    assert severity(lint(topic, producer("message.max.bytes: 500000", client)), "KC0501") is None


def test_a_batch_above_the_defaults_of_unknown_topics_is_never_certain() -> None:
    found = lint(cluster("3.9", "3.9"), producer("batch.size: 2000000"))
    assert severity(found, "KC0501") == WARNING


@pytest.mark.parametrize(
    ("facts", "config", "expected"),
    [
        ("max_record_size: 900KB", "", ERROR),
        ("record_size: 900KB", "", ERROR),
        ("max_record_size: 900KB", "compression.type: zstd", WARNING),
        ("max_record_size: 900KB, compression_ratio: 0.9", "compression.type: zstd", ERROR),
        ("max_record_size: 900KB, compression_ratio: 0.3", "compression.type: zstd", None),
        # Without a codec the ratio is of no use.
        ("max_record_size: 900KB, compression_ratio: 0.3", "", ERROR),
        ("max_record_size: 400KB", "max.request.size: 5000000", None),
        # What is usual does not bound what is largest.
        ("record_size: 4KB", "max.request.size: 5000000", WARNING),
        ("record_size: 4KB", "", None),
    ],
)
def test_declared_records_against_the_limit(facts: str, config: str, expected: str | None) -> None:
    found = lint(
        f"topics: [{{name: t, partitions: 1, config: {{max.message.bytes: 500000}}, {facts}}}]",
        producer(config, "topics: [t], "),
    )
    assert severity(found, "KC0501") == expected
    assert severity(found, "KC0518") is None


@pytest.mark.parametrize(
    ("size", "expected"), [("1048494", None), ("1048495", ERROR), ("2MB", ERROR)]
)
def test_a_record_counts_with_its_overhead(size: str, expected: str | None) -> None:
    """61 B for the batch and 21 B for the record join the payload before the limit of 1 MiB."""
    found = lint(
        "topics: [{name: t, partitions: 1, config: {max.message.bytes: 5000000}, "
        f"max_record_size: {size}}}]",
        producer("", "topics: [t], "),
    )
    assert severity(found, "KC0502") == expected


def test_lost_without_an_error_under_acks_0() -> None:
    found = lint(
        cluster("", "3.9"),
        "topics: [{name: t, partitions: 1}]",
        producer('max.request.size: 5000000, acks: "0"', "topics: [t], "),
    )
    (finding,) = (f for f in found if f.code == "KC0501")
    assert "without an error" in finding.consequence
    assert [value.key for value in finding.evidence][-1] == "acks"


def test_stock_defaults_are_silent() -> None:
    """No finding rests on a default producer, consumer and topic limit, whatever the version."""
    for version in ("2.8", "3.6", "3.9", "4.1", "4.4", ""):
        found = lint(
            cluster(version, version),
            "topics: [{name: t, partitions: 6, replication_factor: 3}]",
            "producers: [{name: p, topics: [t]}]",
            "consumers: [{name: c, topics: [t], config: {group.id: g}}]",
            "streams: [{name: s, config: {application.id: s}}]",
        )
        ours = ("KC05", "KC09", "KC12", "KC13", "KC15")
        assert [f for f in found if f.code.startswith(ours)] == []


@pytest.mark.parametrize(
    ("broker", "record", "expected"),
    [
        ("0.8.1", "", WARNING),
        ("0.10.0", "max_record_size: 2MB, ", ERROR),
        ("0.10.1", "", INFO),
        ("3.9", "", INFO),
        ("3.9", "max_record_size: 900KB, ", None),
    ],
)
def test_fetch_below_the_limit(broker: str, record: str, expected: str | None) -> None:
    found = lint(
        cluster("", broker),
        f"topics: [{{name: t, partitions: 1, {record}config: {{max.message.bytes: 5000000}}}}]",
        consumer("group.id: g", "topics: [t], "),
    )
    assert severity(found, "KC0507") == expected


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [("0.9.0", ERROR), ("0.10.0-IV1", ERROR), ("0.10.1-IV2", INFO), ("2.8", INFO)],
)
def test_replica_fetch_below_the_limit(protocol: str, expected: str) -> None:
    broker = f"{BROKER}inter.broker.protocol.version={protocol}\n"
    found = lint(
        "topics: [{name: t, partitions: 1, config: {max.message.bytes: 5000000}}]",
        server__properties=broker,
    )
    assert severity(found, "KC0511") == expected


# -- idempotence ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "config", "expected"),
    [
        ("2.8", "", None),
        ("3.9", "", WARNING),
        ("4.0", "", ERROR),
        ("", "", WARNING),
        ("2.8", 'enable.idempotence: "true", ', ERROR),
        ("", 'enable.idempotence: "true", ', ERROR),
        ("4.0", 'enable.idempotence: "false", ', None),
        # Off by acks or retries: 3.x has nothing to switch off, 4.0 refuses all the same.
        ("3.9", 'acks: "1", ', None),
        ("4.0", 'acks: "1", ', ERROR),
        ("", "retries: 0, ", WARNING),
    ],
)
def test_six_in_flight(version: str, config: str, expected: str | None) -> None:
    found = lint(cluster(version), producer(config + "max.in.flight.requests.per.connection: 6"))
    assert severity(found, "KC1203") == expected


@pytest.mark.parametrize(
    ("version", "config", "expected"),
    [
        ("3.0.0", "retries: 0", None),
        ("3.0.1", "retries: 0", WARNING),
        ("3.1.0", 'acks: "1"', None),
        ("3.2.0", 'acks: "1"', INFO),
        ("4.4", 'acks: "0"', INFO),
        ("2.8", "retries: 0", None),
        ("", "retries: 0", WARNING),
        ("3.9", 'retries: 0, enable.idempotence: "false"', None),
    ],
)
def test_idempotence_switched_off(version: str, config: str, expected: str | None) -> None:
    assert severity(lint(cluster(version), producer(config)), "KC1204") == expected


def test_order_without_idempotence_names_all_that_decides() -> None:
    found = lint(producer('enable.idempotence: "false", retries: 5'))
    assert keys(found, "KC1205") == [
        "enable.idempotence",
        "max.in.flight.requests.per.connection",
        "retries",
    ]


def test_a_worker_has_one_request_in_flight_unless_told() -> None:
    """Connect's producers are not idempotent by default, and keep order by sending one by one."""
    worker = (
        "bootstrap.servers=k:9092\ngroup.id=w\nconfig.storage.topic=a\n"
        "offset.storage.topic=b\nstatus.storage.topic=c\n"
    )
    assert severity(lint(connect__properties=worker), "KC1205") is None
    more = worker + "producer.max.in.flight.requests.per.connection=5\n"
    assert severity(lint(connect__properties=more), "KC1205") == WARNING


# -- transactions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("brokers", "config", "expected"),
    [
        ("transaction.max.timeout.ms: 900000", "transactional.id: a, ", ERROR),
        ("transaction.max.timeout.ms: 900000", "", WARNING),
        ("transaction.max.timeout.ms: 3600000", "transactional.id: a, ", None),
        ("num.partitions: 6", "transactional.id: a, ", ERROR),
        ("", "transactional.id: a, ", WARNING),
    ],
)
def test_an_hour_of_transaction(brokers: str, config: str, expected: str | None) -> None:
    found = lint(cluster(config=brokers), producer(config + "transaction.timeout.ms: 3600000"))
    assert severity(found, "KC1211") == expected


@pytest.mark.parametrize(
    ("guarantee", "key", "expected"),
    [
        ("exactly_once_v2", "producer.transaction.timeout.ms", None),
        # The check of Streams reads the prefixed key alone.
        ("exactly_once_v2", "transaction.timeout.ms", ERROR),
        ("exactly_once", "transaction.timeout.ms", WARNING),
        ("at_least_once", "transaction.timeout.ms", None),
    ],
)
def test_streams_commit_interval(guarantee: str, key: str, expected: str | None) -> None:
    found = lint(
        "streams: [{name: s, config: {application.id: s, commit.interval.ms: 30000, "
        f"processing.guarantee: {guarantee}, {key}: 60000}}}}]"
    )
    assert severity(found, "KC1501") == expected


# -- timeouts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "config", "expected"),
    [
        ("3.9", "delivery.timeout.ms: 30000", None),
        ("4.0", "delivery.timeout.ms: 30000", ERROR),
        ("4.0", "delivery.timeout.ms: 30005", None),
        ("", "delivery.timeout.ms: 30000", WARNING),
        ("", "delivery.timeout.ms: 29999", ERROR),
        ("", "delivery.timeout.ms: 30000, linger.ms: 0", None),
        # The default is raised to the sum instead.
        ("", "request.timeout.ms: 300000", INFO),
        # The sum ends at the largest int.
        ("", "delivery.timeout.ms: 2147483647, request.timeout.ms: 2147483647", None),
    ],
)
def test_delivery_timeout(version: str, config: str, expected: str | None) -> None:
    assert severity(lint(cluster(version), producer(config)), "KC1301") == expected


@pytest.mark.parametrize(
    ("client", "broker", "config", "expected"),
    [
        ("3.9", "group.max.session.timeout.ms: 30000", "group.id: g", ERROR),
        ("2.8", "group.max.session.timeout.ms: 30000", "group.id: g", None),
        ("", "group.max.session.timeout.ms: 30000", "group.id: g", WARNING),
        ("3.9", "group.max.session.timeout.ms: 30000", "max.poll.records: 10", None),
        ("", "group.min.session.timeout.ms: 60000", "group.id: g", ERROR),
        ("", "num.partitions: 6", "group.id: g, session.timeout.ms: 5999", ERROR),
        ("", "num.partitions: 6", "group.id: g, session.timeout.ms: 6000", None),
        ("", "num.partitions: 6", "session.timeout.ms: 5999", WARNING),
        ("", "", "group.id: g, session.timeout.ms: 5999", WARNING),
    ],
)
def test_session_bounds(client: str, broker: str, config: str, expected: str | None) -> None:
    found = lint(cluster(client, config=broker), consumer(config))
    assert severity(found, "KC0901") == expected


@pytest.mark.parametrize(
    ("client", "config", "expected"),
    [
        ("", "group.id: g, session.timeout.ms: 10000, heartbeat.interval.ms: 9999", None),
        ("", "group.id: g, session.timeout.ms: 10000, heartbeat.interval.ms: 10000", ERROR),
        ("", "session.timeout.ms: 10000, heartbeat.interval.ms: 10000", WARNING),
        ("", "group.id: g, heartbeat.interval.ms: 10000", WARNING),
        ("2.8", "group.id: g, heartbeat.interval.ms: 10000", ERROR),
        ("3.0", "group.id: g, heartbeat.interval.ms: 10000", None),
        ("", "group.id: g, heartbeat.interval.ms: 45000", ERROR),
    ],
)
def test_heartbeat_and_session(client: str, config: str, expected: str | None) -> None:
    assert severity(lint(cluster(client), consumer(config)), "KC0903") == expected


@pytest.mark.parametrize(("client", "expected"), [("3.8", WARNING), ("4.0", ERROR), ("", WARNING)])
def test_consumer_protocol_forbids_sessions(client: str, expected: str) -> None:
    found = lint(
        cluster(client),
        consumer("group.id: g, group.protocol: CONSUMER, heartbeat.interval.ms: 3000"),
    )
    assert severity(found, "KC0906") == expected


@pytest.mark.parametrize(("client", "expected"), [("3.6", None), ("3.7", WARNING), ("", WARNING)])
def test_retry_backoff_has_a_maximum_from_3_7(client: str, expected: str | None) -> None:
    found = lint(cluster(client), producer("retry.backoff.ms: 5000"))
    assert severity(found, "KC0924") == expected


# -- unknown values, other libraries, services -----------------------------------------------------


def test_templated_values_are_silent() -> None:
    text = (
        "bootstrap.servers={{ servers }}\nacks={{ acks }}\nretries={{ retries }}\n"
        "max.request.size={{ size }}\ndelivery.timeout.ms={{ timeout }}\n"
        "enable.idempotence={{ idempotence }}\nmax.in.flight.requests.per.connection=6\n"
        "sasl.jaas.config={{ jaas }}\nsecurity.protocol={{ protocol }}\n"
    )
    assert lint(producer__properties=text, server__properties=BROKER) == []


def test_rules_of_java_leave_other_libraries_alone() -> None:
    config = (
        "max.in.flight.requests.per.connection: 6, retries: 3, delivery.timeout.ms: 1000, "
        "batch.size: 0, reconnect.backoff.ms: 10, transactional.id: a, acks: all, "
        "retry.backoff.ms: 5000, socket.connection.setup.timeout.ms: 60000"
    )
    for library in ("kafkajs", "franz-go", "sarama"):
        found = lint(producer(config, f"client: {{library: {library}}}, "))
        ours = ("KC05", "KC09", "KC12", "KC13")
        assert [f for f in found if f.code.startswith(ours)] == []


def test_a_service_that_owns_its_brokers_is_not_judged_by_kafkas_defaults() -> None:
    found = lint(
        "cluster: {name: c, service: confluent-cloud}",
        producer("max.request.size: 8388608"),
        consumer("group.id: g, fetch.max.bytes: 104857600, client.rack: a"),
    )
    assert found == []


# -- listeners and protocols -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "listeners", "expected"),
    [
        ("3.5", "A://10.0.0.1:9092,B://[::1]:9092", ERROR),
        ("3.6", "A://10.0.0.1:9092,B://[::1]:9092", None),
        ("", "A://10.0.0.1:9092,B://[::1]:9092", None),
        ("3.6", "A://10.0.0.1:9092,B://10.0.0.2:9092", ERROR),
        ("3.6", "A://10.0.0.1:9092,B://[::1]:9092,C://10.0.0.2:9092", ERROR),
        ("3.6", "A://k1:9092,B://[::1]:9092", ERROR),
        ("3.6", "A://:9092,B://[::1]:9092", ERROR),
    ],
)
def test_two_listeners_on_a_port(version: str, listeners: str, expected: str | None) -> None:
    text = (
        f"{BROKER}listeners={listeners}\ninter.broker.listener.name=A\n"
        "listener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT,C:PLAINTEXT\n"
    )
    declared = [f'cluster: {{name: c, kafka_version: "{version}"}}'] if version else []
    found = lint(*declared, server__properties=text)
    assert severity(found, "KC1003") == expected


@pytest.mark.parametrize(
    ("version", "expected"), [("3.8", None), ("3.9.0", ERROR), ("3.9.1", None), ("4.0", None)]
)
def test_the_controllers_wildcard(version: str, expected: str | None) -> None:
    text = (
        "node.id=1\nprocess.roles=broker,controller\ncontroller.quorum.voters=1@k1:9093\n"
        "controller.listener.names=CONTROLLER\n"
        "listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://0.0.0.0:9093\n"
        "advertised.listeners=PLAINTEXT://k1:9092\n"
    )
    found = lint(f'cluster: {{name: c, kafka_version: "{version}"}}', server__properties=text)
    assert severity(found, "KC1006") == expected


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ('a.B required user="x";', ""),
        ("a.B REQUIRED user=\"x;y\" pass='z';", ""),
        ('a.B required user="a\\\\"b";', ""),
        ('a.B required user="x"', "semicolon"),
        ('a.B required user="x;', "quote"),
        ('a.B required user="x"; c.D required;', "2 login modules"),
        ("a.B;", "flag"),
        (";", "begin with a login module class"),
        ("", "empty"),
    ],
)
def test_jaas(value: str, fault: str) -> None:
    text = f"bootstrap.servers=k:9093\nacks=all\nsecurity.protocol=SASL_SSL\nsasl.jaas.config={value}\n"
    found = [f for f in lint(producer__properties=text) if f.code == "KC0402"]
    assert [fault in f.message for f in found] == ([True] if fault else [])
    assert not any("user=" in f.message for f in found)


# -- where a verdict begins and ends ---------------------------------------------------------------

TOPIC = "topics: [{{name: t, partitions: 1, {}}}]"
RDK = "client: {library: librdkafka}, "


@pytest.mark.parametrize(
    ("code", "lines", "expected"),
    [
        # 12 B between client and topic are the stock defaults.
        (
            "KC0507",
            (
                TOPIC.format("config: {max.message.bytes: 2000012}"),
                consumer("max.partition.fetch.bytes: 2000000", "topics: [t], "),
            ),
            None,
        ),
        (
            "KC0507",
            (
                TOPIC.format("config: {max.message.bytes: 2000013}"),
                consumer("max.partition.fetch.bytes: 2000000", "topics: [t], "),
            ),
            INFO,
        ),
        (
            "KC0507",
            (
                TOPIC.format("max_record_size: 2000000, config: {max.message.bytes: 5000000}"),
                consumer("max.partition.fetch.bytes: 2000000", "topics: [t], "),
            ),
            None,
        ),
        (
            "KC0506",
            (
                TOPIC.format("config: {compression.type: gzip}"),
                producer("", "topics: [t], "),
            ),
            INFO,
        ),
        (
            "KC0518",
            (
                TOPIC.format("config: {max.message.bytes: 2000000}"),
                producer(
                    "max.request.size: 2000000, compression.type: lz4",
                    "topics: [t], ",
                ),
            ),
            None,
        ),
        (
            "KC0522",
            (
                TOPIC.format("max_record_size: 1024000"),
                producer("queue.buffering.max.kbytes: 1000", f"topics: [t], {RDK}"),
            ),
            None,
        ),
        ("KC0902", (cluster(config="group.max.session.timeout.ms: 6000"),), None),
        ("KC0902", (cluster(config="group.max.session.timeout.ms: 5999"),), ERROR),
        (
            "KC0904",
            (consumer("session.timeout.ms: 9000, heartbeat.interval.ms: 3000"),),
            None,
        ),
        (
            "KC0904",
            (consumer("session.timeout.ms: 9000, heartbeat.interval.ms: 4500"),),
            INFO,
        ),
        (
            "KC0904",
            (consumer("session.timeout.ms: 9000, heartbeat.interval.ms: 4501"),),
            WARNING,
        ),
        ("KC0908", (consumer('group.id: ""', RDK),), None),
        ("KC0908", (cluster("3.9"), consumer('group.id: ""')), WARNING),
        (
            "KC0908",
            (cluster("3.9"), consumer('group.id: "", group.protocol: consumer')),
            ERROR,
        ),
        ("KC0924", (producer("retry.backoff.ms: 1000"),), None),
        (
            "KC0925",
            (producer("socket.connection.setup.timeout.ms: 30000"),),
            None,
        ),
        ("KC0926", (cluster(config="num.partitions: 6"), producer("acks: all")), None),
        (
            "KC0926",
            (
                cluster(config="num.partitions: 6"),
                producer("connections.max.idle.ms: -1"),
            ),
            WARNING,
        ),
        ("KC0928", (cluster("1.0"), consumer("request.timeout.ms: 400")), None),
        # acks=1 is refused only beside an idempotence that was asked for.
        ("KC1201", (cluster("3.9"), producer('acks: "1"')), None),
        ("KC1212", (producer("transaction.timeout.ms: 0"),), WARNING),
        ("KC1215", (producer('acks: "1"', RDK),), None),
        ("KC1302", (cluster("3.6"), producer("retries: 20")), INFO),
        ("KC1302", (cluster("3.9"), producer("retries: 20")), None),
        ("KC1307", (producer("batch.size: 16384, linger.ms: 0"),), None),
        (
            "KC1308",
            (TOPIC.format("record_size: 100"), producer("batch.size: 1061", "topics: [t], ")),
            None,
        ),
        (
            "KC1308",
            (TOPIC.format("record_size: 100"), producer("batch.size: 1060", "topics: [t], ")),
            INFO,
        ),
    ],
)
def test_boundary(code: str, lines: tuple[str, ...], expected: str | None) -> None:
    assert severity(lint(*lines), code) == expected


def test_a_controllers_session_alone_is_enough() -> None:
    text = (
        "node.id=1\nprocess.roles=broker,controller\ncontroller.quorum.voters=1@k1:9093\n"
        "broker.session.timeout.ms={}\n"
    )
    for session, expected in ((4000, None), (3999, WARNING), (2000, ERROR)):
        found = lint(server__properties=text.format(session))
        assert severity(found, "KC1101") == expected


def test_a_controllers_wildcard_is_never_advertised_by_itself() -> None:
    text = (
        "node.id=1\nprocess.roles=controller\ncontroller.quorum.voters=1@k1:9093\n"
        "controller.listener.names=CONTROLLER\nlisteners=CONTROLLER://0.0.0.0:9093\n"
    )
    assert severity(lint(controller__properties=text), "KC1006") is None

"""The rules that come from the catalogue (KC01, KC02), run by the engine on whole files."""

from __future__ import annotations

import pytest

from kcheck.engine import lint_project
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.settings import Settings

OURS = ("KC01", "KC02")


def lint(**files: str) -> list[Finding]:
    """The findings of these families; ``server__properties`` stands for server.properties.

    That a version lies outside the catalogue is said beside them, and no matter here.
    """
    sources = [(name.replace("__", "."), text.encode()) for name, text in files.items()]
    project = lint_project(sources, Settings())
    assert not project.failures
    found = [finding for finding in project.findings if finding.code.startswith(OURS)]
    return [finding for finding in found if finding.name != "version-outside-catalogue"]


def broker(*lines: str) -> str:
    return "\n".join(("broker.id=1", "zookeeper.connect=zk:2181", "log.dirs=/data", *lines)) + "\n"


def keys(finding: Finding) -> list[str]:
    return [value.key for value in finding.evidence]


# -- the typos and mix-ups that people really make -----------------------------------------------


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("advertised.isteners=PLAINTEXT://a:9092", "advertised.listeners"),
        ("offsets.topicDatabaseInfo.replication.factor=1", "offsets.topic.replication.factor"),
        ("mechanisms.inter.broker.protocol=PLAIN", "sasl.mechanism.inter.broker.protocol"),
        ("auto.create.topics.enabled=false", "auto.create.topics.enable"),
        ("delete.topic.enabled=false", "delete.topic.enable"),
        ("min.insync.replica=2", "min.insync.replicas"),
        ("min.in.sync.replicas=2", "min.insync.replicas"),
        ("listeners.security.protocol.map=A:SSL", "listener.security.protocol.map"),
        ("state.log.replication.factor=1", "transaction.state.log.replication.factor"),
        ("advertised.listener=INSIDE", "advertised.listeners"),
        ("listener.security.protocol=A:SSL", "listener.security.protocol.map"),
        ("inter.broker.listener.port=9093", "inter.broker.listener.name"),
        ("authorizer.class=a.B", "authorizer.class.name"),
        ("max.transaction.timeout.ms=1", "transaction.max.timeout.ms"),
    ],
)
def test_a_misspelt_broker_key(line: str, meant: str) -> None:
    (found,) = lint(server__properties=broker(line))
    written = line.partition("=")[0]
    assert (found.code, found.severity) == ("KC0101", WARNING)
    assert f"did you mean {meant}?" in found.message
    assert keys(found) == [written]
    assert found.at == (4, 1, 4, len(written) + 1)
    assert found.fix is not None
    assert [edit.text for edit in found.fix.edits] == [meant]


def test_a_misspelt_key_beside_the_right_one() -> None:
    (found,) = lint(server__properties=broker("logs.dir=/x"))
    assert "did you mean log.dirs?" in found.message
    assert found.fix is not None
    assert [edit.text for edit in found.fix.edits] == [""]
    assert found.fix.text == "remove it; log.dirs is set in line 3"


def test_a_key_in_quotes() -> None:
    (found,) = lint(server__properties=broker('"log.retention.hours"=1'))
    assert (found.code, found.severity, found.at) == ("KC0101", WARNING, (4, 1, 4, 22))
    assert "the quotes are part of the key" in found.message
    assert found.fix is not None
    assert "log.retention.hours=" in found.fix.text
    assert not found.fix.edits


@pytest.mark.parametrize("line", ["listener.port=9092", "listener.names=A", "log.level=INFO"])
def test_an_invented_broker_key(line: str) -> None:
    (found,) = lint(server__properties=broker(line))
    assert (found.code, found.severity) == ("KC0101", WARNING)
    assert found.fix is not None
    assert not found.fix.edits


def test_a_blank_that_ends_the_key() -> None:
    (found,) = lint(server__properties=broker("offsets.topic replication.factor=1"))
    assert found.code == "KC0101"
    assert found.fix is not None
    assert found.fix.text == "write offsets.topic.replication.factor=1"


@pytest.mark.parametrize(
    ("line", "here"),
    [
        ("security.protocol=SSL", "security.inter.broker.protocol"),
        ("max.request.size=5", "message.max.bytes"),
        ("retention.ms=5000", "log.retention.ms"),
        ("segment.bytes=5000000", "log.segment.bytes"),
        ("replication.factor=3", "default.replication.factor"),
        ("max.poll.records=5", ""),
        ("max.partition.fetch.bytes=5", ""),
        ("fetch.max.wait.ms=5", ""),
    ],
)
def test_a_foreign_key_on_a_broker(line: str, here: str) -> None:
    (found,) = lint(server__properties=broker(line))
    assert (found.code, found.severity) == ("KC0102", WARNING)
    assert keys(found) == [line.partition("=")[0]]
    assert here in found.message


def test_topic_keys_are_errors_because_kafka_refuses_them() -> None:
    found = lint(
        kcheck__yaml="topics:\n"
        "  - name: orders\n"
        "    config:\n"
        "      retention.time: 5000\n"
        "      message.max.bytes: 5000\n"
        "      confluent.tier.enable: true\n"
    )
    assert [(f.code, f.severity) for f in found] == [("KC0101", ERROR), ("KC0102", ERROR)]


def test_another_vendors_topic_key_is_no_error() -> None:
    text = (
        "cluster: {name: a, service: redpanda}\ntopics: [{name: b, config: {write.caching: x}}]\n"
    )
    (found,) = lint(kcheck__yaml=text)
    assert (found.code, found.severity) == ("KC0101", WARNING)


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "severity", "text"),
    [
        ("message.max.bytes=200000000000", "KC0103", ERROR, ""),
        ("message.max.bytes=", "KC0103", ERROR, ""),
        ("log.cleaner.enable=yes", "KC0103", ERROR, "true"),
        ("num.io.threads=0", "KC0104", ERROR, ""),
        ("compression.type=none", "KC0104", ERROR, "uncompressed"),
        ("log.segment.bytes=1GiB", "KC0105", ERROR, "1073741824"),
        ("log.retention.ms=168", "KC0105", WARNING, ""),
        ("log.retention.hours=604800000", "KC0105", WARNING, "168"),
        ("log.retention.hours=72 # three days", "KC0107", ERROR, "72"),
        ("broker.rack=a # the left one", "KC0107", WARNING, "a"),
        ("authorizer.class.name=null", "KC0109", ERROR, ""),
        ("ssl.endpoint.identification.algorithm=null", "KC0109", WARNING, "https"),
        ("super.users=User:a,", "", "", ""),
        ("log.dirs=/a,", "KC0111", WARNING, "/a"),
    ],
)
def test_a_broker_value(line: str, code: str, severity: str, text: str) -> None:
    lines = ["broker.id=1", "zookeeper.connect=zk:2181", "num.partitions=1", line]
    found = lint(server__properties="\n".join(lines) + "\n")
    if not code:
        assert not found
        return
    (one,) = found
    assert (one.code, one.severity) == (code, severity)
    key, _, value = line.partition("=")
    assert keys(one) == [key]
    assert one.at == (4, len(key) + 2, 4, len(line) + 1)
    assert one.fix is not None
    edits = [text] if text else []
    if code == "KC0107":
        # The comment is kept, on a line of its own.
        edits.append(f"{value.removeprefix(text).strip()}\n")
    assert [edit.text for edit in one.fix.edits] == edits
    assert value in one.message or not value


def test_null_breaks_a_broker_that_speaks_tls() -> None:
    (found,) = lint(
        server__properties=broker(
            "listeners=SSL://:9093", "ssl.endpoint.identification.algorithm=null"
        )
    )
    assert (found.code, found.severity) == ("KC0109", ERROR)


def test_a_dump_full_of_null_is_not_judged() -> None:
    unset = ["authorizer.class.name", "broker.rack", "sasl.login.class", "log.retention.ms"]
    unset += ["log.roll.ms", "replica.selector.class", "ssl.endpoint.identification.algorithm"]
    dump = [f"{key}=null" for key in unset]
    assert not lint(server__properties=broker(*dump))
    assert {f.code for f in lint(server__properties=broker(*dump[:2]))} == {"KC0109"}


def test_an_empty_form_is_not_judged() -> None:
    form = "bootstrap.servers=\nsecurity.protocol=\nacks=\nclient.id=\nlinger.ms=\n"
    assert not lint(producer__properties=form)
    filled = "bootstrap.servers=a:1\nsecurity.protocol=SSL\nacks=all\nclient.id=x\nlinger.ms=\n"
    assert [f.code for f in lint(producer__properties=filled)] == ["KC0103"]


def test_templates_and_other_libraries_are_not_judged() -> None:
    assert not lint(
        server__properties=broker("num.io.threads=${THREADS}", "log.retention.ms={{ x }}")
    )
    assert not lint(
        kcheck__yaml="producers:\n"
        "  - {name: a, client: {library: librdkafka}, config: {acks: '7', compression.codec: lz4}}\n"
    )


def test_passwords_are_not_told() -> None:
    found = lint(
        server__properties=broker("ssl.key.password=hunter22", "ssl.key.password=hunter23")
    )
    assert [f.code for f in found] == ["KC0106"]
    assert "hunter" not in found[0].message + found[0].consequence


def test_dynamic_values() -> None:
    found = lint(
        kcheck__yaml="cluster:\n"
        "  name: core\n"
        "  kafka_version: '4.1'\n"
        "  dynamic_config:\n"
        "    min.insync.replicas: ' 2'\n"
        "    leader.replication.throttled.rate: 1000\n"
        "    log.retention.ms: 7d\n"
    )
    assert [(f.code, f.at[0]) for f in found] == [("KC0108", 5), ("KC0105", 7)]
    assert "the change" in found[1].consequence


@pytest.mark.parametrize(
    ("cluster", "severity"),
    [
        ("{name: a, kafka_version: '4.1'}", ERROR),
        ("{name: a, kafka_version: '3.9'}", ERROR),
        ("{name: a, kafka_version: '3.6'}", ""),
        ("{name: a}", WARNING),
        ("{name: a, config: {process.roles: broker}}", ERROR),
        ("{name: a, config: {zookeeper.connect: 'zk:2181'}}", ""),
    ],
)
def test_a_blank_in_min_insync_replicas(cluster: str, severity: str) -> None:
    topics = "topics: [{name: b, config: {min.insync.replicas: '2 '}}]"
    found = lint(kcheck__yaml=f"cluster: {cluster}\n{topics}\n")
    assert [f.severity for f in found if f.code == "KC0108"] == [severity] * bool(severity)


@pytest.mark.parametrize(
    ("value", "version", "told"),
    [
        ("true ", "3.5", True),
        ("true ", "3.6", False),
        ("true ", "", True),
        ("false ", "3.5", False),
        ("true", "3.5", False),
    ],
)
def test_a_blank_behind_the_acl_fallback(value: str, version: str, told: bool) -> None:
    fact = f", kafka_version: '{version}'" if version else ""
    text = f"cluster: {{name: a{fact}, config: {{allow.everyone.if.no.acl.found: '{value}'}}}}\n"
    assert [f.code for f in lint(kcheck__yaml=text)] == ["KC0108"] * told


def test_duplicates() -> None:
    lines = ("log.retention.hours=720", "log.retention.hours=168", "num.partitions=1")
    (found,) = lint(server__properties=broker(*lines))
    assert (found.code, found.severity, found.at[0]) == ("KC0106", WARNING, 5)
    assert "720, then 168" in found.message
    (same,) = lint(server__properties=broker("num.partitions=1", "num.partitions=1"))
    assert same.severity == INFO


# -- versions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "line", "code", "severity"),
    [
        ("3.0", "port=9092", "KC0201", WARNING),
        ("2.8", "port=9092", "", ""),
        ("", "port=9092", "KC0201", WARNING),
        ("4.0", "log.message.format.version=3.0", "KC0201", WARNING),
        ("3.9", "log.message.format.version=3.0", "", ""),
        ("", "log.message.format.version=3.0", "", ""),
        ("0.10.2", "replica.lag.max.messages=10", "KC0201", WARNING),
        ("0.8.2", "replica.lag.max.messages=10", "", ""),
        ("3.7", "compression.lz4.level=5", "KC0202", WARNING),
        ("", "compression.lz4.level=5", "", ""),
    ],
)
def test_keys_by_version(version: str, line: str, code: str, severity: str) -> None:
    key, _, value = line.partition("=")
    fact = f", kafka_version: '{version}'" if version else ""
    found = lint(kcheck__yaml=f"cluster: {{name: a{fact}, config: {{{key}: '{value}'}}}}\n")
    assert [(f.code, f.severity) for f in found] == ([(code, severity)] if code else [])


def test_a_leftover_beside_its_successor_is_a_mere_note_where_no_version_is_known() -> None:
    found = lint(server__properties=broker("port=9092", "listeners=PLAINTEXT://:9092"))
    assert [(f.code, f.severity) for f in found] == [("KC0201", INFO)]


def test_the_internal_converters_of_old_workers_are_mere_leftovers() -> None:
    worker = "bootstrap.servers=a:9092\ngroup.id=etl\nconfig.storage.topic=c\n"
    worker += "offset.storage.topic=o\nstatus.storage.topic=s\ninternal.key.converter=a.B\n"
    found = lint(connect_distributed__properties=worker)
    assert [(f.code, f.severity) for f in found] == [("KC0201", INFO)]


def test_a_clients_version_is_its_own() -> None:
    text = (
        "cluster: {name: a, kafka_version: '4.1', client_version: '3.6'}\n"
        "consumers:\n"
        "  - {name: old, config: {group.id: old, group.protocol: classic}}\n"
        "  - name: new\n"
        "    client: {version: '3.7'}\n"
        "    config: {group.id: new, group.protocol: classic}\n"
    )
    (found,) = lint(kcheck__yaml=text)
    assert (found.code, found.resource.name) == ("KC0202", "old")


def test_kraft_ignores_the_protocol_version() -> None:
    config = "inter.broker.protocol.version: '2.0', compression.type: zstd"
    told = f"cluster: {{name: a, kafka_version: '2.2', config: {{{config}}}}}\n"
    assert [f.code for f in lint(kcheck__yaml=told)] == ["KC0203"]
    kraft = (
        f"cluster: {{name: a, kafka_version: '3.9', config: {{process.roles: broker, {config}}}}}\n"
    )
    assert not lint(kcheck__yaml=kraft)


def test_zookeeper_beside_kraft() -> None:
    kraft = ["node.id=1", "process.roles=broker", "log.dirs=/a", "zookeeper.connect=zk:2181"]
    kraft += ["controller.quorum.voters=9@c:9093", "controller.listener.names=C"]
    told = lint(server__properties="\n".join(kraft))
    assert [f.code for f in told] == ["KC0204"]
    template = [*kraft, "zookeeper.metadata.migration.enable=${MIGRATING}"]
    assert not lint(server__properties="\n".join(template))


# -- no false alarm ---------------------------------------------------------------------------------


def test_one_file_for_several_clients() -> None:
    text = (
        "bootstrap.servers=a:9092\n"
        "key.serializer=a.B\nvalue.serializer=a.B\nacks=all\n"
        "key.deserializer=a.B\nvalue.deserializer=a.B\n"
        "group.id=g\nauto.offset.reset=earliest\n"
        "topic=orders\npartitions=3\nreplication.factor=3\n"
    )
    for name in ("client__properties", "producer__properties", "consumer__properties"):
        assert not lint(**{name: text})


def test_hocon_quotes_its_values() -> None:
    text = 'security.protocol="SASL_SSL"\nbootstrap.servers="a:9092"\nsasl.mechanism="PLAIN"\n'
    assert not lint(application__conf=text)
    assert [f.code for f in lint(client__properties=text)] == ["KC0104", "KC0150"]


def test_a_listeners_protocol_belongs_into_the_map() -> None:
    mapping = "listener.security.protocol.map=INT:PLAINTEXT,EXT:SASL_SSL"
    assert not lint(
        server__properties=broker(mapping, "listener.name.ext.security.protocol=SASL_SSL")
    )
    (found,) = lint(
        server__properties=broker(mapping, "listener.name.int.security.protocol=SASL_SSL")
    )
    assert found.code == "KC0102"
    assert "listener.security.protocol.map" in found.message


def test_keys_of_confluent_server_are_not_public() -> None:
    assert lint(server__properties=broker("log.own.setting=1"))
    assert not lint(server__properties=broker("log.own.setting=1", "confluent.tier.enable=true"))
    # A slip is one there too.
    assert lint(server__properties=broker("logs.dir=/x", "confluent.tier.enable=true"))


def test_a_broker_of_confluent() -> None:
    lines = (
        "super.users=User:a;User:b",
        "confluent.license.topic.replication.factor=1",
        "kafka.rest.enable=false",
        "ldap.java.naming.provider.url=ldap://x",
        "metric.reporters=io.confluent.metrics.reporter.ConfluentMetricsReporter",
        "listener.name.ext.oauthbearer.sasl.server.callback.handler.class=a.B",
        "listener.name.ext.ssl.keystore.location=/a",
        "client.quota.callback.static.storage.soft=5",
        "kafka.csv.metrics.reporter.enabled=true",
    )
    assert not lint(server__properties=broker(*lines))

"""Kafka's history from 2.8 to 4.4, row by row: what an upgrade over that version shows.

Each row names version, kind of resource, key and what comes of it. What no configuration can show
stands in ``NOT_SHOWN`` with the reason.
"""

from __future__ import annotations

import pytest
from ways import side_of, told, upgraded, with_settings

from kcheck import catalogue
from kcheck.lexicon import names
from kcheck.model import APPEARS, CHANGES, DISAPPEARS, ERROR, INFO, WARNING
from kcheck.version import Version

#: version, kind, key: a changed default that is told by itself.
BEHAVIOUR = [
    ("3.0", "producer", "enable.idempotence"),
    ("3.0", "consumer", "session.timeout.ms"),
    ("3.0", "streams", "replication.factor"),
    ("3.0", "streams", "default.key.serde"),
    ("3.0", "streams", "default.value.serde"),
    ("3.0", "connect-distributed", "connector.client.config.override.policy"),
    ("3.0", "connect-standalone", "connector.client.config.override.policy"),
    ("4.0", "producer", "linger.ms"),
    ("4.0", "kraft", "log.message.timestamp.after.max.ms"),
]
#: The same, told together with others.
MINOR = [
    ("3.0", "consumer", "partition.assignment.strategy"),
    ("3.3", "producer", "partitioner.class"),
    ("3.4", "kraft", "metadata.max.retention.bytes"),
    ("3.6", "kraft", "transaction.partition.verification.enable"),
    ("3.7", "producer", "enable.metrics.push"),
    ("4.0", "kraft", "num.recovery.threads.per.data.dir"),
    ("4.0", "kraft", "group.coordinator.rebalance.protocols"),
    ("4.0", "kraft", "group.consumer.migration.policy"),
    ("4.0", "kraft", "group.coordinator.new.enable"),
    ("4.0", "kraft", "group.coordinator.threads"),
    ("4.0", "kraft", "group.coordinator.append.linger.ms"),
    ("4.0", "producer", "metadata.recovery.strategy"),
    ("4.0", "consumer", "metadata.recovery.strategy"),
    ("4.0", "connect-distributed", "metadata.recovery.strategy"),
    ("4.1", "kraft", "group.coordinator.rebalance.protocols"),
    ("4.1", "kraft", "group.share.partition.max.record.locks"),
    ("4.1", "kraft", "share.coordinator.append.linger.ms"),
    ("4.2", "kraft", "group.coordinator.append.linger.ms"),
    ("4.2", "kraft", "share.coordinator.append.linger.ms"),
    ("4.4", "consumer", "metadata.cluster.check.enable"),
]
#: The same where another key switches the feature on.
TIERED = [
    ("3.9", "kraft", "remote.log.manager.copier.thread.pool.size"),
    ("3.9", "kraft", "remote.log.manager.expiration.thread.pool.size"),
    ("4.0", "kraft", "remote.log.manager.thread.pool.size"),
    ("4.0", "kraft", "remote.log.manager.copier.thread.pool.size"),
    ("4.0", "kraft", "remote.log.manager.expiration.thread.pool.size"),
]
#: version, kind, settings, the rule that speaks from that version on; its severity.
REFUSED = [
    ("3.0", "producer", {"client.dns.lookup": "default"}, "KC0104", ERROR),
    ("3.0", "streams", {"built.in.metrics.version": "0.10.0-2.4"}, "KC0104", ERROR),
    ("3.1", "kraft", {"node.id": "1", "broker.id": "2"}, "KC1104", ERROR),
    ("3.1", "kraft", {"listeners": "CONTROLLER://:9093,PLAINTEXT://:9092"}, "KC1110", ERROR),
    ("3.2", "broker", {"leader.imbalance.check.interval.seconds": "0"}, "KC0104", ERROR),
    ("3.3", "topic", {"flush.messages": "0"}, "KC0104", ERROR),
    ("3.3", "topic", {"segment.index.bytes": "3"}, "KC0104", ERROR),
    ("3.3", "producer", {"security.protocol": "ssl"}, "KC0104", ERROR),
    ("3.3", "connect-distributed", {"ssl.client.auth": "maybe"}, "KC0104", ERROR),
    (
        "3.8",
        "broker",
        {"group.coordinator.rebalance.protocols": "classic,consumer"},
        "KC0932",
        ERROR,
    ),
    (
        "4.0",
        "kraft",
        {
            "group.consumer.heartbeat.interval.ms": "15000",
            "group.consumer.session.timeout.ms": "15000",
            "group.consumer.min.session.timeout.ms": "10000",
        },
        "KC0931",
        ERROR,
    ),
    ("4.0", "consumer", {"group.id": ""}, "KC0908", ERROR),
    ("4.0", "kraft", {"log.segment.bytes": "524288"}, "KC0104", ERROR),
    ("4.0", "kraft", {"remote.log.manager.copier.thread.pool.size": "-1"}, "KC0104", ERROR),
    ("4.0", "kraft", {"remote.log.manager.expiration.thread.pool.size": "-1"}, "KC0104", ERROR),
    ("4.0", "producer", {"max.in.flight.requests.per.connection": "6"}, "KC1203", ERROR),
    ("4.0", "producer", {"delivery.timeout.ms": "30000"}, "KC1301", ERROR),
    ("4.0", "streams", {"processing.guarantee": "exactly_once"}, "KC0104", ERROR),
    ("4.0", "streams", {"processing.guarantee": "exactly_once_beta"}, "KC0104", ERROR),
    ("4.0", "kraft", {"metric.reporters": "com.example.Reporter"}, "KC0228", WARNING),
    ("4.1", "topic", {"segment.bytes": "524288"}, "KC0226", ERROR),
    ("4.1", "kraft", {"metadata.log.segment.bytes": "1048576"}, "KC0104", ERROR),
    ("4.1", "kraft", {"controller.quorum.fetch.timeout.ms": "-1"}, "KC0104", ERROR),
    ("4.2", "kraft", {"num.replica.fetchers": "0"}, "KC0104", ERROR),
    ("4.2", "kraft", {"log.dirs": "/data/a,,/data/b"}, "KC0111", ERROR),
    ("4.2", "kraft", {"sasl.enabled.mechanisms": "PLAIN,"}, "KC0111", ERROR),
    ("4.2", "streams", {"upgrade.from": "2.3"}, "KC0104", ERROR),
]
LONG_LOCKS = {"group.share.max.record.lock.duration.ms": "200000"}
#: version, kind, settings, the rule that was told up to the version before.
TAKEN = [
    ("3.0", "streams", {"processing.guarantee": "exactly_once_v2"}, "KC0104"),
    ("3.3", "streams", {"upgrade.from": "3.1"}, "KC0104"),
    ("3.4", "streams", {"topology.optimization": "merge.repartition.topics"}, "KC0104"),
    ("3.5", "producer", {"security.protocol": "ssl"}, "KC0104"),
    ("3.5", "connect-distributed", {"send.buffer.bytes": "-1"}, "KC0104"),
    ("4.0", "consumer", {"auto.offset.reset": "by_duration:PT1H"}, "KC0104"),
    ("4.0", "kraft", {"group.share.max.size": "5"}, "KC0104"),
    ("4.0", "kraft", {**LONG_LOCKS, "group.share.record.lock.duration.ms": "120000"}, "KC0104"),
    ("4.2", "topic", {"remote.storage.enable": "true", "cleanup.policy": ""}, "KC0744"),
]
#: class names that are gone.
CLASSES = [
    ("3.0", "broker", "authorizer.class.name", "kafka.security.auth.SimpleAclAuthorizer"),
    ("4.0", "kraft", "authorizer.class.name", "kafka.security.authorizer.AclAuthorizer"),
    (
        "4.0",
        "producer",
        "partitioner.class",
        "org.apache.kafka.clients.producer.internals.DefaultPartitioner",
    ),
    (
        "4.0",
        "producer",
        "partitioner.class",
        "org.apache.kafka.clients.producer.UniformStickyPartitioner",
    ),
    (
        "4.0",
        "kraft",
        "listener.name.client.oauthbearer.sasl.server.callback.handler.class",
        "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerValidatorCallbackHandler",
    ),
]


def before(version: str) -> str:
    minors = catalogue.minors()
    return minors[minors.index(version) - 1]


@pytest.mark.parametrize(("version", "kind", "key"), BEHAVIOUR)
def test_a_default_that_matters_is_told_by_itself(version: str, kind: str, key: str) -> None:
    project = upgraded(with_settings(kind, {}), before(version), version, side_of(kind))
    found = [f for f in told(project, key) if f.code == "KC0224"]
    assert [f.severity for f in found] == [WARNING]
    new, old = found[0].evidence
    assert key in found[0].message
    assert old.text != new.text
    assert found[0].change and found[0].change.since == version


def test_acks_that_nobody_sets_wait_for_all() -> None:
    files = with_settings("producer", {"retries": "3"}, without=("acks",))
    found = [
        f for f in told(upgraded(files, "2.8", "3.0", "clients"), "acks") if f.code == "KC0224"
    ]
    assert len(found) == 1
    assert "from 1 to all" in found[0].message


def test_an_address_that_a_worker_took_for_granted_has_to_be_set() -> None:
    files = with_settings("connect-distributed", {}, without=("bootstrap.servers",))
    found = told(upgraded(files, "4.1", "4.2", "clients"), "bootstrap.servers")
    # Without it the worker did not start before either: its default is not its admin client's.
    assert {f.code for f in found} == {"KC0224"}


@pytest.mark.parametrize(("version", "kind", "key"), MINOR)
def test_a_minor_default_is_told_with_the_others(version: str, kind: str, key: str) -> None:
    together = upgraded(with_settings(kind, {}), before(version), version, side_of(kind))
    found = [f for f in told(together, key) if f.code == "KC0225"]
    assert [f.severity for f in found] == [INFO]
    assert f"{key} " in found[0].message
    alone = upgraded(with_settings(kind, {}), before(version), version, side_of(kind), each=True)
    found = [f for f in told(alone, key) if f.code == "KC0225"]
    assert len(found) == 1
    assert found[0].consequence
    assert {value.key for value in found[0].evidence} == {key}


@pytest.mark.parametrize(("version", "kind", "key"), TIERED)
def test_defaults_of_a_feature_are_told_where_it_is_on(version: str, kind: str, key: str) -> None:
    on = with_settings(kind, {"remote.log.storage.system.enable": "true"})
    assert told(upgraded(on, before(version), version), key)
    assert not told(upgraded(with_settings(kind, {}), before(version), version), key)


@pytest.mark.parametrize(("version", "kind", "settings", "code", "severity"), REFUSED)
def test_what_the_new_version_refuses(
    version: str, kind: str, settings: dict[str, str], code: str, severity: str
) -> None:
    own = tuple(f"{key}=" for key in settings)
    files = with_settings(kind, settings, without=own)
    project = upgraded(files, before(version), version, side_of(kind))
    found = [f for f in project.findings if f.code == code and _about(f, settings)]
    assert [f.severity for f in found] == [severity]
    change = found[0].change
    assert change is not None
    assert change.kind in (APPEARS, CHANGES)
    assert (change.side, change.since) == (side_of(kind), version)
    # Where the new version is in use already, an upgrade from it tells nothing of that.
    if version != catalogue.newest():
        later = upgraded(files, version, catalogue.newest(), side_of(kind))
        again = [f for f in later.findings if f.code == code and _about(f, settings)]
        assert {f.change and f.change.kind for f in again} <= {DISAPPEARS}


def _about(finding: object, settings: dict[str, str]) -> bool:
    return any(value.key in settings for value in finding.evidence[:1])  # type: ignore[attr-defined]


@pytest.mark.parametrize(("version", "kind", "settings", "code"), TAKEN)
def test_what_the_old_version_refused(
    version: str, kind: str, settings: dict[str, str], code: str
) -> None:
    project = upgraded(with_settings(kind, settings), before(version), version, side_of(kind))
    found = [f for f in project.findings if f.code == code]
    assert [f.severity for f in found] == [INFO]
    assert found[0].change and found[0].change.kind == DISAPPEARS
    assert found[0].change.since == version
    assert found[0].message.startswith("no longer true: ")


@pytest.mark.parametrize(("version", "kind", "key", "name"), CLASSES)
def test_classes_that_are_gone(version: str, kind: str, key: str, name: str) -> None:
    project = upgraded(with_settings(kind, {key: name}), before(version), version, side_of(kind))
    found = [f for f in project.findings if f.code == "KC0206"]
    assert [f.severity for f in found] == [ERROR]
    assert found[0].change and found[0].change.since == version


# -- keys that came and went, from the tables themselves -----------------------------------------

KINDS = ("broker", "topic", "producer", "consumer", "streams", "connect-distributed")


def keys_that(kind: str, version: str, come: bool) -> list[str]:
    """The keys of a plane that come with that version, or are gone from it on."""
    plane = catalogue.plane(kind)
    known = plane.keys()
    old, new = Version(before(version)), Version(version)
    one, other = (old, new) if come else (new, old)
    # A Streams application passes on what its clients know.
    inner = ("producer", "consumer", "admin") if kind == "streams" else ()
    return [
        key
        for key in known
        if catalogue.fact(kind, key, one) is None
        and catalogue.fact(kind, key, other) is not None
        and "dynamic-only" not in {row.mode for row in plane.history(key)}
        and not any(catalogue.fact(client, key, one) for client in inner)
    ]


@pytest.mark.parametrize("version", catalogue.minors()[1:])
@pytest.mark.parametrize("kind", KINDS)
def test_every_key_that_goes_is_told(kind: str, version: str) -> None:
    gone = [key for key in keys_that(kind, version, come=False) if key != "zookeeper.connect"]
    if not gone:
        return
    files = with_settings(kind, dict.fromkeys(gone, "1"))
    project = upgraded(files, before(version), version, side_of(kind))
    named = {
        value.key
        for finding in project.findings
        for value in finding.evidence
        if finding.code in ("KC0201", "KC0222")
        and finding.change
        and finding.change.kind == APPEARS
        and finding.change.since == version
    }
    assert set(gone) <= named


@pytest.mark.parametrize("version", catalogue.minors()[1:])
@pytest.mark.parametrize("kind", KINDS)
def test_every_key_that_comes_is_told_where_it_is_set_already(kind: str, version: str) -> None:
    # What Kafka read before it defined it is nothing new.
    new = [k for k in keys_that(kind, version, come=True) if not names.first_read(k, (kind,))]
    if not new:
        return
    facts = {key: catalogue.fact(kind, key, Version(version)) for key in new}
    settings = {key: (fact and fact.default_text) or "1" for key, fact in facts.items()}
    files = with_settings(kind, settings)
    project = upgraded(files, before(version), version, side_of(kind))
    # Kafka refuses an unknown key of a topic: there it is the refusal that goes away.
    code = "KC0202" if kind == "topic" else "KC0229"
    named = {f.evidence[0].key for f in project.findings if f.code == code}
    assert set(new) <= named


# -- what is not shown -----------------------------------------------------------------------------

#: (version, what) → why no configuration shows it, or where it is told instead.
NOT_SHOWN = {
    ("3.0", "connect listeners null → http://:8083"): "the port is the same",
    ("4.4", "application.server is checked"): "refused before as well, by the first task",
    ("3.0", "broker listeners null → PLAINTEXT://:9092"): "the port is the same",
    ("3.0", "principal.builder.class null → DefaultKafkaPrincipalBuilder"): "the same class",
    ("3.0", "KRaft keys internal → public"): "being public changes nothing for who sets them",
    ("3.0", "log.message.format.version pinned to 3.0"): "told as a step: test_ways.py",
    ("3.4", "cache.max.bytes.buffering deprecated"): "advice: deprecated-key",
    ("3.3", "compression.type, security.inter.broker.protocol"): "refused before as well",
    ("3.3", "bounds of the broker's log.cleaner keys"): "refused before as well, by the logs",
    ("3.3", "group.instance.id, sasl.mechanism not empty"): "refused before as well",
    ("3.6", "remote.log.* internal → public, its defaults"): "was no public feature before",
    ("3.7", "inter.broker.protocol.version default"): "told as a step: test_ways.py",
    ("3.7", "group.consumer.assignors"): "the protocol was not for production before 4.0",
    ("3.7", "admin bootstrap.servers required → empty"): "bootstrap.controllers is there instead",
    ("3.9", "controller.quorum.bootstrap.servers public"): "read before as well",
    ("3.9", "group.remote.assignor with classic"): "kcheck has no rule on it yet",
    ("4.0", "enable.metrics.push of admin clients"): "the application's other clients push",
    ("4.0", "process.roles, node.id required"): "told as the step out of ZooKeeper: test_ways.py",
    ("4.0", "topics.exclude and blacklists of MirrorMaker"): "kcheck reads no MirrorMaker files",
    ("4.0", "MirrorMaker 1"): "a program, no setting",
    ("4.1", "eligible leader replicas"): "told as a step: test_ways.py",
    ("4.2", "bootstrap.servers of clients required"): "no client worked without before",
    ("4.2", "ssl.cipher.suites null → empty"): "means the same",
    ("4.2", "share.version, streams.version of new clusters"): "for new clusters only",
    ("4.3", "snapshot.update.records.per.snapshot 0–500"): "refused beyond 500 before as well",
    ("4.3", "config.properties.exclude of MirrorMaker"): "kcheck reads no MirrorMaker files",
    ("4.4", "arrays of requests"): "no setting",
    ("4.4", "keys that are deprecated and still read"): "advice: deprecated-key",
    ("5.0", "segment.ms, segment.index.bytes, override policy"): "no release has it",
}


@pytest.mark.parametrize(("version", "what"), NOT_SHOWN)
def test_each_row_that_is_not_shown_says_why(version: str, what: str) -> None:
    assert NOT_SHOWN[version, what]

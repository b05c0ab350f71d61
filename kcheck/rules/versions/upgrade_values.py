"""KC02: settings whose meaning changes with the upgrade, though the text stays."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Inner
from kcheck.graph.nodes import Broker, Node
from kcheck.graph.upgrade import Upgrade
from kcheck.lexicon.check import assay
from kcheck.model import BEFORE, ERROR, INFO, WARNING, WITH, Finding, Setting
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import evidence, key_evidence, written
from kcheck.wording import in_bytes, plain

_MIB = 1024 * 1024


_STORED = "4.1"


@rule(
    "KC0226",
    "stored-segment-bytes",
    ERROR,
    invariants=("kip-1030-floors",),
    refs=("KIP-1030",),
    versions="brokers from below 4.1 to 4.1 or newer; kcheck upgrade only",
)
def stored_segment_bytes(upgrade: Upgrade) -> Iterator[Finding]:
    """A topic's segment.bytes is below 1 MiB, so upgraded brokers do not start.

    Up to 4.0 segment.bytes may be below 1 MiB. A broker of 4.1 or newer that finds such a value on
    one of its topics stops while loading the logs. Reported by ``kcheck upgrade`` only.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3}
        topics:
          - {name: events, config: {segment.bytes: 524288}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3}
        topics:
          - {name: events, config: {segment.bytes: 1048576}}
    """
    # Where the old brokers run 4.1 or newer, the value is rejected and not known as a number.
    if not upgrade.after.version.at_least(_STORED):
        return
    for topic in upgrade.before.topics:
        segment = topic["segment.bytes"]
        if not segment.explicit or not segment.number < _MIB:
            continue
        yield upgrade.finding(
            topic.resource,
            f"{topic} has {in_bytes(segment)}, below the minimum of {_MIB} (1 MiB) from Kafka "
            f"{_STORED} on",
            at=segment,
            breaks="an upgraded broker that hosts the topic does not start "
            "(Error starting LogManager)",
            fix=f"set segment.bytes to at least {_MIB} on the running cluster before upgrading the "
            "first broker",
            set_to=str(_MIB),
            when=BEFORE,
            since=_STORED,
        )


_URLS = ("sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.jwks.endpoint.url")


_ALLOWED = "org.apache.kafka.sasl.oauthbearer.allowed.urls"


@rule(
    "KC0227",
    "sec-oauth-urls",
    WARNING,
    invariants=("sec-oauth-urls",),
    versions="from below 4.0 to 4.0 or newer; kcheck upgrade only",
)
def sec_oauth_urls(upgrade: Upgrade) -> Iterator[Finding]:
    """The newer version rejects OAuth URLs that no system property allows.

    Up to 3.9 every URL is allowed; from 4.0 on only those in the system property
    org.apache.kafka.sasl.oauthbearer.allowed.urls. Reported by ``kcheck upgrade`` only, because no
    file that kcheck reads contains that property.

    Bad:
        --- producer.properties
        bootstrap.servers=k1:9092
        acks=all
        linger.ms=5
        security.protocol=SASL_SSL
        sasl.mechanism=OAUTHBEARER
        sasl.oauthbearer.token.endpoint.url=https://idp.example.com/token
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", client_version: "3.9"}
    Good: 4.0 runs already
        --- producer.properties
        bootstrap.servers=k1:9092
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=OAUTHBEARER
        sasl.oauthbearer.token.endpoint.url=https://idp.example.com/token
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.0", client_version: "4.0"}
    """
    for before, after in upgrade.pairs():
        if not upgrade.crossed(before, after, "4.0") or isinstance(after, Inner):
            continue
        for setting in _settings(after):
            # Also behind listener.name.NAME.oauthbearer., producer. and the like.
            key = next((key for key in _URLS if setting.key.endswith(key)), "")
            if key and setting.text:
                yield upgrade.finding(
                    after.resource,
                    f"{after} sets {written(setting)}, which Kafka 4.0+ rejects unless the "
                    f"system property {_ALLOWED} lists the URL",
                    at=evidence(after, setting),
                    breaks="logins fail (ConfigException: not allowed)",
                    fix=f"start it with -D{_ALLOWED}={setting.text}",
                    when=BEFORE,
                    since="4.0",
                )


_JMX = "org.apache.kafka.common.metrics.JmxReporter"


@rule(
    "KC0228",
    "jmx-reporter-lost",
    WARNING,
    refs=("KIP-830",),
    versions="from below 4.0 to 4.0 or newer; kcheck upgrade only",
)
def jmx_reporter_lost(upgrade: Upgrade) -> Iterator[Finding]:
    """Metrics disappear from JMX, because metric.reporters lists other reporters only.

    Up to 3.9 Kafka adds its JmxReporter to metric.reporters; from 4.0 on JmxReporter is only the
    default of that key. Broker metrics that do not use reporters stay. Reported by ``kcheck
    upgrade`` only.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {metric.reporters: com.example.Reporter}}
    Good: listed
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {metric.reporters: "com.example.Reporter,org.apache.kafka.common.metrics.JmxReporter"}}
    Good: disabled before
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {metric.reporters: com.example.Reporter, auto.include.jmx.reporter: false}}
    """
    for before, after in upgrade.pairs():
        if not upgrade.crossed(before, after, "4.0"):
            continue
        reporters, automatic = after["metric.reporters"], before["auto.include.jmx.reporter"]
        if not reporters.known or _JMX in (reporters.text or ""):
            continue
        if automatic.written and automatic.value is not True:
            continue
        yield upgrade.finding(
            after.resource,
            f"{after} sets {plain(reporters)}, to which Kafka 4.0+ no longer adds its JmxReporter",
            at=reporters,
            because=(automatic,) if automatic.written else (),
            breaks="its metrics disappear from JMX and from every monitor that reads them there",
            fix=f"add {_JMX} to metric.reporters",
            when=BEFORE,
            since="4.0",
        )


@rule(
    "KC0229",
    "key-takes-effect",
    INFO,
    invariants=("feature-needs-version",),
    versions="known versions only; kcheck upgrade only",
)
def key_takes_effect(upgrade: Upgrade) -> Iterator[Finding]:
    """A key that the current version ignores takes effect with the upgrade.

    The key belongs to a newer version than the one in use. With the upgrade its value takes effect,
    which changes behaviour. Reported by ``kcheck upgrade`` only.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6", brokers: 3, config: {compression.zstd.level: 5}}
    Good: the current version reads it
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {compression.zstd.level: 5}}
    """
    for before, after in upgrade.pairs():
        if isinstance(after, Inner):
            continue
        still = {id(setting) for setting, _ in assay(after.resource, after.version).names}
        for setting, name in assay(before.resource, before.version).names:
            # Only a key of a future version takes effect with an upgrade.
            if id(setting) not in still:
                yield upgrade.finding(
                    after.resource,
                    f"{after} sets {written(setting)}, which Kafka reads from {name.version} on",
                    at=key_evidence(after, setting, setting.key),
                    breaks="the value is ignored today and takes effect with the upgrade",
                    fix="check that the value is still intended",
                    when=WITH,
                    since=name.version,
                )


def _settings(node: Node) -> list[Setting]:
    if isinstance(node, Broker):
        return list(node.merged.values())
    return list(node.resource.settings.values())

"""KC09: the settings of a group resource against the brokers' bounds."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.evidence import written_first
from kcheck.graph.groups import Group
from kcheck.graph.resolve import from_default
from kcheck.model import ERROR, Finding, Value
from kcheck.rule import REFUSED, rule
from kcheck.rules.groups.group_bounds import SPANS
from kcheck.wording import in_ms, plain

_REFUSES = "Kafka rejects the change (INVALID_CONFIG)"


_OPTIONAL = "4.3"


def _shown(value: Value) -> str:
    return in_ms(value) if value.key.endswith(".ms") else plain(value)


def _validated(group: Group, key: str) -> Value | None:
    """The value that Kafka validates: up to 4.2 the key's default where none is set."""
    if group.sets(key):
        return group[key]
    if group.version.at_least(_OPTIONAL):
        return None
    return from_default(key, group.resource, "group", group.version)


@rule(
    "KC0939",
    "group-resource-bounds",
    ERROR,
    kafka=REFUSED,
    refs=("KIP-848", "KIP-932", "KIP-1071"),
    invariants=("group-resource-bounds",),
    versions="4.0+",
)
def group_resource_bounds(group: Group) -> Iterator[Finding]:
    """A group's setting is outside the brokers' bounds.

    The brokers' group.KIND.min… and group.KIND.max… keys bound what a group may set. Up to 4.2 Kafka
    validates all settings of the group with each change, including defaults, so brokers with a
    higher minimum reject any change that keeps the default. From 4.3 they also reject a number with
    whitespace around it, which kafka-configs would trim.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1"}
        groups: [{name: billing, config: {consumer.session.timeout.ms: 90000}}]
    Bad: the brokers' own bound
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.4", config: {group.streams.max.standby.replicas: 1}}
        groups: [{name: totals, config: {streams.num.standby.replicas: 2}}]
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.consumer.max.session.timeout.ms: 120000}}
        groups: [{name: billing, config: {consumer.session.timeout.ms: 90000}}]
    Good: the brokers' version is unknown
        --- kcheck.yaml
        cluster: {name: core}
        groups: [{name: billing, config: {consumer.session.timeout.ms: 90000}}]
    """
    if not group.version.known or not group.resource.settings:
        return
    if group.version.at_least(_OPTIONAL):
        yield from _padded(group)
    for low, own, high in SPANS:
        key = own.removeprefix("group.")
        if not catalogue.possible("group", key, group.version):
            continue
        value = _validated(group, key)
        least, most = group.broker_value(low), group.broker_value(high)
        if value is None:
            continue
        if least is not None and value.number < least.number:
            bound, wrong = least, "is less than"
        elif most is not None and value.number > most.number:
            bound, wrong = most, "exceeds"
        else:
            continue
        at, *because = written_first(value, bound)
        yield group.finding(
            f"{group}: {_shown(value)} {wrong} the brokers' {_shown(bound)}",
            at=at,
            because=because,
            breaks=_REFUSES,
            fix=f"set {key} within the brokers' bounds, or widen them",
        )


def _padded(group: Group) -> Iterator[Finding]:
    """Numbers with whitespace around them, which the brokers validate untrimmed."""
    for key, setting in group.resource.settings.items():
        if setting.raw != setting.text and group[key].number == group[key].number:
            yield group.finding(
                f'{group}: {key}="{setting.raw}" has whitespace around the number',
                at=group[key],
                breaks=f"{_REFUSES}: NumberFormatException",
                fix=f"set {key}={setting.text}",
                set_to=setting.text,
            )


@rule(
    "KC0940",
    "group-heartbeat-lt-session",
    ERROR,
    kafka=REFUSED,
    invariants=("group-resource-bounds",),
    versions="4.0+",
)
def group_heartbeat_lt_session(group: Group) -> Iterator[Finding]:
    """The heartbeat interval of a group is not less than its session timeout.

    Bad:
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "4.1"
          config: {group.consumer.max.heartbeat.interval.ms: 60000}
        groups: [{name: billing, config: {consumer.heartbeat.interval.ms: 45000}}]
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1"}
        groups: [{name: billing, config: {consumer.heartbeat.interval.ms: 10000}}]
    """
    if not group.version.at_least("4.0"):
        return
    for kind in ("consumer", "share", "streams"):
        keys = (f"{kind}.heartbeat.interval.ms", f"{kind}.session.timeout.ms")
        if not any(map(group.sets, keys)):
            continue
        values = [_validated(group, key) or group[key] for key in keys]
        beat, silence = values
        if beat.number >= silence.number:
            at, *because = written_first(beat, silence)
            yield group.finding(
                f"{group}: {in_ms(beat)} is not less than {in_ms(silence)}",
                at=at,
                because=because,
                breaks=_REFUSES,
                fix=f"set {keys[0]} to at most a third of {keys[1]}",
            )


@rule(
    "KC0941",
    "group-rack-tags",
    ERROR,
    kafka=REFUSED,
    refs=("KIP-1071",),
    invariants=("group-resource-bounds",),
    versions="4.4+",
)
def group_rack_tags(group: Group) -> Iterator[Finding]:
    """A Streams group lists a rack tag twice.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.4"}
        groups: [{name: totals, config: {streams.rack.aware.assignment.tags: "zone,zone"}}]
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.4"}
        groups: [{name: totals, config: {streams.rack.aware.assignment.tags: "zone,cluster"}}]
    """
    value = group["streams.rack.aware.assignment.tags"]
    tags = value.value if isinstance(value.value, list) else []
    if len(set(tags)) < len(tags) and group.version.at_least("4.4"):
        yield group.finding(
            f"{group}: {plain(value)} lists a tag twice",
            at=value,
            breaks=_REFUSES,
            fix="list each tag once",
        )


@rule(
    "KC0942",
    "group-assignor-known",
    ERROR,
    kafka=REFUSED,
    on=("streams.assignor.name",),
    refs=("KIP-1071",),
    invariants=("group-resource-bounds",),
    versions="4.4+",
)
def group_assignor_known(group: Group) -> Iterator[Finding]:
    """A Streams group names an assignor that its brokers do not offer.

    streams.assignor.name must be one of the brokers' group.streams.assignors, by its name. Silent
    where the brokers have a custom class, because its name is unknown.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.4"}
        groups: [{name: totals, config: {streams.assignor.name: balanced}}]
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.4"}
        groups: [{name: totals, config: {streams.assignor.name: sticky}}]
    Good: the brokers have a custom assignor
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.4", config: {group.streams.assignors: com.example.Balanced}}
        groups: [{name: totals, config: {streams.assignor.name: balanced}}]
    """
    name, offered = group["streams.assignor.name"], group.broker_value("group.streams.assignors")
    if not group.version.known or not name.known:
        return
    if offered is None or not isinstance(offered.value, list):
        return
    if name.value in offered.value or any("." in item for item in offered.value):
        return
    yield group.finding(
        f"{group}: {plain(name)} is not in {plain(offered)}",
        at=name,
        because=(offered,),
        breaks=_REFUSES,
        fix=f"use {' or '.join(offered.value)}",
    )

"""KC09: the group coordinator's own keys: bounds for members, protocols, assignors."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.evidence import written_first
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.version import parse
from kcheck.wording import in_ms, plain

_STOPS = "the node fails to start"


_KINDS = ("consumer", "share", "streams")


#: The keys that have a minimum and a maximum, after ``group.KIND.``.
_NAMES = (
    *("session.timeout.ms", "heartbeat.interval.ms", "assignment.interval.ms"),
    *("record.lock.duration.ms", "delivery.count.limit", "partition.max.record.locks"),
    *("standby.replicas", "warmup.replicas", "task.offset.interval.ms"),
)


#: The keys of a minimum, of the value itself and of a maximum.
SPANS = tuple(
    (
        f"group.{kind}.min.{name}",
        f"group.{kind}.{'num.' * name.endswith('.replicas')}{name}",
        f"group.{kind}.max.{name}",
    )
    for kind in _KINDS
    for name in _NAMES
)


#: Further keys that may not exceed the next one.
_PAIRS = (("group.share.max.size", "group.share.max.share.sessions"),)


_BEATS = tuple(
    (f"group.{kind}.heartbeat.interval.ms", f"group.{kind}.session.timeout.ms") for kind in _KINDS
)


def _since(*keys: str) -> str:
    """The first version that has all these keys; "" where all versions do."""
    firsts = [catalogue.plane("broker").history(key) for key in keys]
    newest = max((history[0].since for history in firsts), key=lambda v: parse(v) or ())
    return "" if newest == catalogue.oldest() else newest


def _shown(value: Value) -> str:
    return in_ms(value) if value.key.endswith(".ms") else plain(value)


@rule(
    "KC0930",
    "group-bounds",
    ERROR,
    kafka=REFUSED,
    on=tuple(key for span in (*SPANS, *_PAIRS) for key in span),
    refs=("KIP-848", "KIP-932", "KIP-1071"),
    invariants=(
        *("new-session-bounds", "new-heartbeat-bounds", "assignment-interval-bounds"),
        *("share-session-bounds", "share-heartbeat-bounds", "share-lock-bounds"),
        *("share-delivery-limit", "share-locks", "streams-group-bounds"),
    ),
    versions="consumer groups 3.5+, share groups 3.9+, streams groups 4.1+",
)
def group_bounds(broker: Broker | Controller) -> Iterator[Finding]:
    """A group value of the brokers is outside its own minimum or maximum.

    group.KIND.session.timeout.ms and similar keys are the defaults of a group; the keys with min and
    max bound what a group may set. A broker or controller fails to start if a minimum exceeds the
    value or the maximum, or the value exceeds the maximum. Raising one of the three therefore often
    requires raising another. From 4.1 group.share.max.share.sessions must not be less than
    group.share.max.size.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.consumer.session.timeout.ms: 90000}}
    Bad: the minimum above the default
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.share.min.heartbeat.interval.ms: 6000}}
    Bad: the version is unknown
        --- kcheck.yaml
        cluster: {name: core, config: {group.consumer.max.session.timeout.ms: 30000}}
    Bad: fewer share sessions than members
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.share.max.share.sessions: 100}}
    Good:
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "4.1"
          config: {group.consumer.session.timeout.ms: 90000, group.consumer.max.session.timeout.ms: 120000}
    Good: an older broker does not have the keys
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.4", config: {group.consumer.session.timeout.ms: 90000}}
    """
    for span in (*SPANS, *_PAIRS):
        least, *own, most = (broker[key] for key in span)
        for low, high in (
            (least, most),
            *((least, one) for one in own),
            *((one, most) for one in own),
        ):
            if not low.number > high.number:
                continue
            verdict = refused(broker.version, _STOPS, _since(low.key, high.key))
            if verdict is None:
                continue
            severity, breaks = verdict
            at, *because = written_first(low, high)
            there = [key for key in span if catalogue.possible("broker", key, broker.version)]
            yield broker.finding(
                f"{broker}: {_shown(low)} exceeds {_shown(high)}",
                at=at,
                because=because,
                breaks=breaks,
                fix=f"keep {' ≤ '.join(there)}",
                severity=severity,
            )
            break


@rule(
    "KC0931",
    "new-heartbeat-lt-session",
    ERROR,
    kafka=REFUSED,
    on=tuple(key for pair in _BEATS for key in pair),
    invariants=("new-heartbeat-lt-session", "share-heartbeat-bounds", "streams-group-bounds"),
    versions="4.0+",
)
def new_heartbeat_lt_session(broker: Broker | Controller) -> Iterator[Finding]:
    """The heartbeat interval of a group is not less than its session timeout.

    From 4.0 group.KIND.heartbeat.interval.ms must be less than group.KIND.session.timeout.ms.

    Bad:
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "4.1"
          config: {group.consumer.heartbeat.interval.ms: 45000, group.consumer.max.heartbeat.interval.ms: 45000}
    Good:
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "4.1"
          config: {group.consumer.heartbeat.interval.ms: 44999, group.consumer.max.heartbeat.interval.ms: 44999}
    """
    for heartbeat, session in _BEATS:
        beat, silence = broker[heartbeat], broker[session]
        if not beat.number >= silence.number:
            continue
        verdict = refused(broker.version, _STOPS, max("4.0", _since(heartbeat, session)))
        if verdict is None:
            continue
        severity, breaks = verdict
        at, *because = written_first(beat, silence)
        yield broker.finding(
            f"{broker}: {in_ms(beat)} is not less than {in_ms(silence)}",
            at=at,
            because=because,
            breaks=breaks,
            fix=f"set {heartbeat} to at most a third of {session}",
            severity=severity,
        )


_PROTOCOLS = "group.coordinator.rebalance.protocols"


@rule(
    "KC0932",
    "rebalance-protocols-classic",
    ERROR,
    kafka=REFUSED,
    on=(_PROTOCOLS,),
    refs=("KIP-848",),
    invariants=("rebalance-protocols-classic", "rebalance-protocols-zk"),
    versions="3.7+; consumer with ZooKeeper: rejected in 3.8 and 3.9",
)
def rebalance_protocols_classic(broker: Broker | Controller) -> Iterator[Finding]:
    """group.coordinator.rebalance.protocols omits classic, or adds consumer with ZooKeeper.

    The list must always include classic. The consumer protocol requires KRaft: 3.8 and 3.9 reject it
    with ZooKeeper.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.coordinator.rebalance.protocols: consumer}}
    Bad: with ZooKeeper
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "3.9"
          config: {group.coordinator.rebalance.protocols: "classic,consumer", zookeeper.connect: "zk1:2181"}
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.coordinator.rebalance.protocols: "classic,consumer"}}
    """
    value = broker[_PROTOCOLS]
    words = value.value if isinstance(value.value, list) else None
    if words is None:
        return
    # The validator accepts any case, and so does the code that reads the list.
    protocols = [word.lower() for word in words]
    if "classic" not in protocols:
        verdict = refused(broker.version, f"{_STOPS}: classic is required", "3.7")
        wrong = "does not include classic"
    elif broker.kraft is False and "consumer" in protocols:
        verdict = refused(
            broker.version, f"{_STOPS}: only classic is supported with ZooKeeper", "3.8", "4.0"
        )
        wrong = "includes consumer, but the cluster uses ZooKeeper"
    else:
        return
    if verdict is None:
        return
    severity, breaks = verdict
    yield broker.finding(
        f"{broker}: {plain(value)} {wrong}",
        at=value,
        because=(broker["zookeeper.connect"],) if "ZooKeeper" in wrong else (),
        breaks=breaks,
        fix=f"set {_PROTOCOLS}=classic" + ("" if "ZooKeeper" in wrong else ",consumer"),
        severity=severity,
    )


#: The assignors that a broker has under a short name, each with its class.
_ASSIGNORS = {
    "group.consumer.assignors": {"uniform": "UniformAssignor", "range": "RangeAssignor"},
    "group.share.assignors": {"simple": "SimpleAssignor"},
    "group.streams.assignors": {"sticky": "StickyTaskAssignor"},
}


@rule(
    "KC0933",
    "new-assignors",
    ERROR,
    kafka=REFUSED,
    on=tuple(_ASSIGNORS),
    refs=("KIP-848",),
    invariants=("new-assignors", "share-assignors"),
    versions="3.6–3.9: class names only; 4.0+: short names too",
)
def new_assignors(broker: Broker | Controller) -> Iterator[Finding]:
    """An assignor list of the brokers has an entry that they reject.

    From 4.0 group.consumer.assignors accepts the names uniform and range, group.share.assignors the
    name simple, or class names; 3.6 to 3.9 accept only class names. A share group has exactly one
    assignor, and 4.4 rejects an assignor that is listed by its name and by its class.

    Bad: a name of the classic protocol
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.consumer.assignors: "uniform,sticky"}}
    Bad: no short names yet
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", config: {group.consumer.assignors: uniform}}
    Bad: one twice
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "4.4"
          config: {group.consumer.assignors: "range,org.apache.kafka.coordinator.group.assignor.RangeAssignor"}
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.consumer.assignors: "range,com.example.MyAssignor"}}
    Good: the version is unknown
        --- kcheck.yaml
        cluster: {name: core, config: {group.consumer.assignors: uniform}}
    """
    version = broker.version
    for key, short in _ASSIGNORS.items():
        value = broker[key]
        if not isinstance(value.value, list):
            continue
        if not catalogue.possible("broker", key, version) or version.below("3.6"):
            continue
        wrong = _wrong(value.value, short, key, broker)
        if wrong:
            names = ", ".join(short)
            yield broker.finding(
                f"{broker}: {key} {wrong}",
                at=value,
                breaks=f"{_STOPS}: it loads every listed assignor",
                fix=f"use {names} or a class name"
                if not version.below("4.0")
                else "use class names",
                severity=ERROR if version.at_least("3.6") else WARNING,
            )


#: Where only Kafka and Java have classes, none of which is an assignor but Kafka's own.
_NO_OTHERS = ("org.apache.kafka.", "java.")


def _wrong(items: list[str], short: dict[str, str], key: str, broker: Broker) -> str:
    version = broker.version
    package = "org.apache.kafka.coordinator.group." + "streams." * ("streams" in key) + "assignor."
    for item in items:
        if "." not in item and item and item not in short:
            return f"contains {item}, which is not an assignor"
        # The package for Streams has one more, for Kafka's tests.
        own = item.removeprefix(package) in short.values() or (
            item.startswith(package) and "streams" in key
        )
        if item.startswith(_NO_OTHERS) and not own:
            return f"contains {item}, which is not one of Kafka's assignors"
        if item in short and version.below("4.0"):
            return f"contains the name {item}, but Kafka {version} accepts only class names"
    if key == "group.share.assignors" and version.minor == "4.1" and len(items) != 1:
        return "must contain exactly one assignor"
    if key == "group.share.assignors" and len(set(items)) > 1:
        return "must contain exactly one assignor"
    given = [f"{package}{short[item]}" if item in short else item for item in items]
    twice = len(set(given)) < len(set(items))
    return "lists one assignor twice, by its name and its class" * (
        twice and version.at_least("4.4")
    )

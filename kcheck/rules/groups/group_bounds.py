"""KC09: the group coordinator's own keys: bounds of what members may have, protocols, assignors."""

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

_STOPS = "Kafka refuses to start"


_KINDS = ("consumer", "share", "streams")


#: What the keys of a group are bounded in, behind ``group.KIND.``: (value, its minimum, its maximum).
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
    on=tuple(key for span in SPANS for key in span),
    refs=("KIP-848", "KIP-932", "KIP-1071"),
    invariants=(
        *("new-session-bounds", "new-heartbeat-bounds", "assignment-interval-bounds"),
        *("share-session-bounds", "share-heartbeat-bounds", "share-lock-bounds"),
        *("share-delivery-limit", "share-locks", "streams-group-bounds"),
    ),
    versions="consumer groups 3.5+, share groups 3.9+, streams groups 4.1+",
)
def group_bounds(broker: Broker | Controller) -> Iterator[Finding]:
    """A value for groups lies outside of its own minimum or maximum.

    group.KIND.session.timeout.ms and its like are what a group has that sets nothing; the keys with
    min and max bound what a group may set. Kafka refuses a broker or controller whose minimum is
    above the value or the maximum, or whose value is above the maximum. Raising one of the three
    therefore often means raising another.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.consumer.session.timeout.ms: 90000}}
    Bad: the minimum above the default
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.share.min.heartbeat.interval.ms: 6000}}
    Bad: nobody knows the version
        --- kcheck.yaml
        cluster: {name: core, config: {group.consumer.max.session.timeout.ms: 30000}}
    Good:
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "4.1"
          config: {group.consumer.session.timeout.ms: 90000, group.consumer.max.session.timeout.ms: 120000}
    Good: an older broker does not know the keys
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.4", config: {group.consumer.session.timeout.ms: 90000}}
    """
    for span in SPANS:
        least, own, most = (broker[key] for key in span)
        for low, high in ((least, most), (least, own), (own, most)):
            if not low.number > high.number:
                continue
            told = refused(broker.version, _STOPS, _since(low.key, high.key))
            if told is None:
                continue
            severity, breaks = told
            at, *because = written_first(low, high)
            there = [key for key in span if catalogue.possible("broker", key, broker.version)]
            yield broker.finding(
                f"{broker}: {_shown(low)} is above {_shown(high)}",
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
    """The heartbeat interval of a group is not below its session timeout.

    From 4.0 on group.KIND.heartbeat.interval.ms must be below group.KIND.session.timeout.ms.

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
        told = refused(broker.version, _STOPS, max("4.0", _since(heartbeat, session)))
        if told is None:
            continue
        severity, breaks = told
        at, *because = written_first(beat, silence)
        yield broker.finding(
            f"{broker}: {in_ms(beat)} is not below {in_ms(silence)}",
            at=at,
            because=because,
            breaks=breaks,
            fix=f"set {heartbeat} to a third of {session} or less",
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
    versions="3.7+; consumer with ZooKeeper: refused in 3.8 and 3.9",
)
def rebalance_protocols_classic(broker: Broker | Controller) -> Iterator[Finding]:
    """The classic group protocol is switched off.

    group.coordinator.rebalance.protocols must always hold classic. The consumer protocol needs
    KRaft: 3.8 and 3.9 refuse it with ZooKeeper.

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
    # The validator takes any case, and so does what reads the words.
    protocols = [word.lower() for word in words]
    if "classic" not in protocols:
        told = refused(broker.version, f"{_STOPS}: classic must be among them", "3.7")
        wrong = "leaves out classic"
    elif broker.kraft is False and "consumer" in protocols:
        told = refused(broker.version, f"{_STOPS}: only classic works with ZooKeeper", "3.8", "4.0")
        wrong = "wants more than classic, with ZooKeeper"
    else:
        return
    if told is None:
        return
    severity, breaks = told
    yield broker.finding(
        f"{broker}: {plain(value)} {wrong}",
        at=value,
        because=(broker["zookeeper.connect"],) if "ZooKeeper" in wrong else (),
        breaks=breaks,
        fix=f"set {_PROTOCOLS}=classic" + ("" if "ZooKeeper" in wrong else ",consumer"),
        severity=severity,
    )


#: The assignors that a broker knows by a short name, each the whole word of one class.
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
    versions="3.6–3.9: classes alone; 4.0+: short names too",
)
def new_assignors(broker: Broker | Controller) -> Iterator[Finding]:
    """An assignor that the broker does not know.

    From 4.0 on group.consumer.assignors takes the names uniform and range, group.share.assignors
    simple, or the classes of assignors; 3.6 to 3.9 take classes alone. A share group has exactly
    one, and 4.4 refuses one assignor that is given by its name and by its class.

    Bad: the name of another protocol's
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {group.consumer.assignors: "uniform,sticky"}}
    Bad: no names yet
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
    Good: nobody knows the version
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
                breaks=f"{_STOPS}: it loads each of them",
                fix=f"use {names} or the name of a class"
                if not version.below("4.0")
                else "use the names of classes",
                severity=ERROR if version.known else WARNING,
            )


def _wrong(items: list[str], short: dict[str, str], key: str, broker: Broker) -> str:
    version = broker.version
    package = "org.apache.kafka.coordinator.group." + "streams." * ("streams" in key) + "assignor."
    for item in items:
        if "." not in item and item and item not in short:
            return f"holds {item}, which is none"
        # The package for Streams holds one more, of Kafka's tests.
        kafkas = item.startswith(package) and "streams" not in key
        if kafkas and item.removeprefix(package) not in short.values():
            return f"holds {item}, which is none of Kafka's"
        if item in short and version.below("4.0"):
            return f"holds the name {item}, and Kafka {version} takes classes alone"
    if key == "group.share.assignors" and version.minor == "4.1" and len(items) != 1:
        return "must hold exactly one assignor"
    if key == "group.share.assignors" and len(set(items)) > 1:
        return "must hold exactly one assignor"
    given = [f"{package}{short[item]}" if item in short else item for item in items]
    twice = len(set(given)) < len(set(items))
    return "names one assignor twice, by its name and its class" * (
        twice and version.at_least("4.4")
    )

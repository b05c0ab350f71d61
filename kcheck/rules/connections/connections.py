"""KC08: limits on the connections of a broker: number and source addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import configdef
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import ADVICE, REFUSED, rule
from kcheck.wording import plain

_UNLIMITED = 2**31 - 1


#: What Kafka accepts as a host name or address; brackets around IPv6 are rejected.
_HOST = re.compile(r"[0-9a-zA-Z\-%._:]*\Z")


@rule(
    "KC0801",
    "max-conn-ip-zero",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("max.connections.per.ip",),
    invariants=("max-conn-ip-zero",),
)
def max_conn_ip_zero(broker: Broker | Controller) -> Iterator[Finding]:
    """max.connections.per.ip=0 without overrides rejects every address.

    max.connections.per.ip=0 allows only the addresses in max.connections.per.ip.overrides. With an
    empty list Kafka does not start.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        max.connections.per.ip=0
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        max.connections.per.ip=0
        max.connections.per.ip.overrides=10.0.0.7:100
    """
    cap, overrides = broker["max.connections.per.ip"], broker["max.connections.per.ip.overrides"]
    if cap.number == 0 and overrides.known and not overrides.value:
        yield broker.finding(
            f"{plain(cap)} rejects every address, because max.connections.per.ip.overrides is empty",
            at=cap,
            because=(overrides,),
            breaks="Kafka does not start (IllegalArgumentException)",
            fix="set max.connections.per.ip above 0, or list the permitted addresses in "
            "max.connections.per.ip.overrides",
        )


@rule(
    "KC0802",
    "max-conn-ip-overrides",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("max.connections.per.ip.overrides",),
    invariants=("max-conn-ip-overrides",),
)
def max_conn_ip_overrides(broker: Broker | Controller) -> Iterator[Finding]:
    """An entry of max.connections.per.ip.overrides is not a host:count pair.

    Kafka splits each entry at its last colon and does not start where there is none, where the count
    is not a number, or where the host contains characters that a name or address cannot have (for
    example brackets around an IPv6 address). The host must resolve too, which kcheck does not check.

    Bad: no count
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections.per.ip.overrides: "10.0.0.7"}}
    Bad: the count is not a number
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections.per.ip.overrides: "10.0.0.7:many"}}
    Bad: brackets
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections.per.ip.overrides: "[::1]:100"}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections.per.ip.overrides: "10.0.0.7:100, ::1:50,host-a:20"}}
    """
    overrides = broker["max.connections.per.ip.overrides"]
    if not overrides.text:
        return
    # Like Java's split, which drops empty entries at the end only.
    for entry in overrides.text.rstrip(", ").split(","):
        host, colon, number = (part.strip() for part in entry.strip().rpartition(":"))
        if not colon:
            wrong = "has no count"
        elif configdef.convert("int", number)[1]:
            wrong = f"has no number after its last colon ({number!r})"
        elif not _HOST.match(host):
            wrong = f"has a host that Kafka rejects ({host!r})"
        else:
            continue
        yield broker.finding(
            f"entry {entry.strip()!r} of max.connections.per.ip.overrides {wrong}",
            at=overrides,
            breaks="Kafka does not start",
            fix="write host:count pairs separated by commas, IPv6 addresses without brackets",
        )


@rule(
    "KC0803",
    "max-conn-single-listener",
    WARNING,
    broker_side=True,
    on=("max.connections",),
    refs=("KIP-402",),
    invariants=("max-conn-single-listener",),
)
def max_conn_single_listener(broker: Broker) -> Iterator[Finding]:
    """max.connections limits replication too, because the broker has a single listener.

    At max.connections a broker still accepts connections on the inter-broker listener and closes an
    idle client connection for each, but only if it has more than one listener. With a single
    listener the limit locks out the other brokers too.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        max.connections=1000
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=CLIENTS://:9092,REPLICATION://:9091
        listener.security.protocol.map=CLIENTS:PLAINTEXT,REPLICATION:PLAINTEXT
        inter.broker.listener.name=REPLICATION
        max.connections=1000
    Good: a single broker
        --- kcheck.yaml
        cluster: {brokers: 1, config: {max.connections: 1000, listeners: "PLAINTEXT://:9092"}}
    Good: the listeners are unknown
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections: 1000}}
    """
    cap, listeners = broker["max.connections"], broker["listeners"]
    whole = listeners.written or broker.sets("node.id") or broker.sets("broker.id")
    if not cap.number < _UNLIMITED or not whole:
        return
    names = _listener_names(broker)
    if len(names) != 1 or broker.cluster.broker_count.number == 1:
        return
    yield broker.finding(
        f"{plain(cap)} applies to clients and brokers: {names.pop()} is the only listener",
        at=cap,
        because=(listeners,),
        breaks="when clients reach the limit, followers cannot connect and drop out of the in-sync "
        "replicas",
        fix="add a separate inter-broker listener (inter.broker.listener.name) before limiting "
        "connections",
    )


def _listener_names(broker: Broker) -> list[str]:
    """The names of the broker's listeners except the controller listener, in their order."""
    controller = (broker["controller.listener.names"].text or "").upper().split(",")
    entries = (broker["listeners"].text or "").split(",")
    names = [entry.partition("://")[0].strip().upper() for entry in entries if "://" in entry]
    return [name for name in names if name not in [c.strip() for c in controller]]


@rule(
    "KC0804",
    "max-conn-ip-counts-all",
    WARNING,
    broker_side=True,
    on=("max.connections.per.ip",),
    invariants=("max-conn-ip-counts-all", "cap-replica-fetchers"),
)
def max_conn_ip_counts_all(
    broker: Broker, *, other_connections: int = 3, roomy: int = 100
) -> Iterator[Finding]:
    """max.connections.per.ip is too low for the other brokers.

    max.connections.per.ip counts connections on all listeners of the broker, the inter-broker
    listener included (the controller listener has its own count). A peer needs num.replica.fetchers
    connections and a few more (``other_connections``); clients behind one NAT or proxy share a count
    as well. Below the brokers' need it is a warning, below ``roomy`` an info.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections.per.ip: 5, num.replica.fetchers: 4}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections.per.ip: 1000, num.replica.fetchers: 4}}
    Good: 0 with overrides allows only these
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections.per.ip: 0, max.connections.per.ip.overrides: "10.0.0.7:100"}}
    """
    cap, fetchers = broker["max.connections.per.ip"], broker["num.replica.fetchers"]
    if not cap.number > 0 or broker.cluster.broker_count.number == 1:
        return
    needed = fetchers.number + other_connections
    if cap.number < needed:
        yield broker.finding(
            f"{plain(cap)} is less than the {int(needed)} connections that another broker opens "
            f"({plain(fetchers)})",
            at=cap,
            because=(fetchers,),
            breaks="connections of other brokers are closed at once (TooManyConnectionsException), "
            "and replicas fall behind",
            fix=f"set max.connections.per.ip well above {int(needed)}",
        )
    elif cap.number < roomy:
        yield broker.finding(
            f"{plain(cap)} counts all listeners together, and all brokers and clients behind one "
            "address",
            at=cap,
            breaks="further connections from that address are closed at once "
            "(TooManyConnectionsException)",
            fix="raise it for the peers and for all clients behind one NAT or proxy, or list "
            "their addresses in max.connections.per.ip.overrides",
            severity=INFO,
        )


@rule(
    "KC0805",
    "max-conn-listener-le-broker",
    WARNING,
    broker_side=True,
    on=("max.connections",),
    invariants=("max-conn-listener-le-broker",),
)
def max_conn_listener_le_broker(broker: Broker) -> Iterator[Finding]:
    """max.connections of a listener exceeds max.connections of the broker.

    listener.name.NAME.max.connections limits one listener, max.connections all of them together. A
    listener limit above the broker's is never reached.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections: 1000, listener.name.external.max.connections: 5000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections: 1000, listener.name.external.max.connections: 800}}
    """
    cap = broker["max.connections"]
    for own in _listener_caps(broker):
        if own.number > cap.number:
            yield broker.finding(
                f"{plain(own)} exceeds {plain(cap)} of the whole broker",
                at=own,
                because=(cap,),
                breaks="the listener's limit is never reached: the broker's applies first, and one "
                "listener can use all connections",
                fix=f"set {own.key} below max.connections, so that the limits of all listeners fit",
            )


_LISTENER_CAP = re.compile(r"listener\.name\.(.+)\.max\.connections")


def _listener_caps(broker: Broker) -> list[Value]:
    """max.connections of each listener that has its own."""
    found = (_LISTENER_CAP.fullmatch(key) for key in broker.merged)
    return [broker.listener(match[1], "max.connections") for match in found if match]


@rule(
    "KC0806",
    "max-conn-unset",
    INFO,
    broker_side=True,
    set=ADVICE,
    invariants=("max-conn-unset",),
)
def max_conn_unset(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production broker has no limit on its connections.

    All limits are 2,147,483,647 by default and have no effect: a connection storm exhausts the file
    descriptors and memory of a broker. Opt-in.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {num.io.threads: 16}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {max.connections.per.ip: 500}}
    Good: the environment is unknown
        --- kcheck.yaml
        cluster: {name: core, brokers: 2, config: {num.io.threads: 16}}
    """
    if not cluster.production:
        return
    for broker in cluster.brokers:
        caps = [broker["max.connections"], broker["max.connections.per.ip"]]
        if all(cap.number == _UNLIMITED for cap in (*caps, *_listener_caps(broker))):
            yield cluster.finding(
                f"brokers of {cluster.ranked} accept connections without a limit",
                at=caps[0],
                because=(caps[1],),
                breaks="a connection storm exhausts the file descriptors and memory of a broker",
                fix="set max.connections by the broker's memory and file descriptors, and "
                "listener.name.NAME.max.connections for each client listener",
            )
            return

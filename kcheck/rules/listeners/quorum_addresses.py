"""KC10: addresses of controller quorum members."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints
from kcheck.graph.answers import Nodes
from kcheck.graph.cluster import Cluster
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker
from kcheck.grouping.group import contained
from kcheck.grouping.names import loopback, normal, number
from kcheck.model import ERROR, SERVICE, WARNING, Address, Finding, Value
from kcheck.rule import rule
from kcheck.rules.listeners.addresses import bound_listeners
from kcheck.wording import plain

_VOTERS, _BOOTSTRAP = "controller.quorum.voters", "controller.quorum.bootstrap.servers"


class _Entry:
    """One entry of a list of quorum members; ``id`` is "" in a list of bootstrap servers."""

    __slots__ = ("host", "id", "port")

    def __init__(self, text: str) -> None:
        self.id, _, place = text.strip().rpartition("@")
        [(host, port)] = endpoints.split(place) or [("", "")]
        self.host, self.port = normal(host), number(port)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@rule(
    "KC1072",
    "voter-at-another-node",
    ERROR,
    invariants=("voters-host-port-match-listener",),
    versions="KRaft",
)
def voter_at_another_node(nodes: Nodes) -> Iterator[Finding]:
    """controller.quorum.voters gives a voter the address of another node.

    Each entry is a node id with the address of that node's own controller listener. A request to
    voter 1 at the address of node 2 is answered by node 2, which rejects requests for another id.
    Reported if both nodes are read and each has host names of its own.

    Bad: two addresses are swapped
        --- server-1.properties
        process.roles=broker,controller
        node.id=1
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k1.example.com:9092,CONTROLLER://k1.example.com:9093
        controller.quorum.voters=1@k2.example.com:9093,2@k1.example.com:9093
        --- server-2.properties
        process.roles=broker,controller
        node.id=2
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k2.example.com:9092,CONTROLLER://k2.example.com:9093
        controller.quorum.voters=1@k2.example.com:9093,2@k1.example.com:9093
    Good:
        --- server-1.properties
        process.roles=broker,controller
        node.id=1
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k1.example.com:9092,CONTROLLER://k1.example.com:9093
        controller.quorum.voters=1@k1.example.com:9093,2@k2.example.com:9093
        --- server-2.properties
        process.roles=broker,controller
        node.id=2
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k2.example.com:9092,CONTROLLER://k2.example.com:9093
        controller.quorum.voters=1@k1.example.com:9093,2@k2.example.com:9093
    Good: on one host
        --- server-1.properties
        process.roles=broker,controller
        node.id=1
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k1.example.com:9092,CONTROLLER://k1.example.com:9093
        controller.quorum.voters=1@k1.example.com:9093,2@k1.example.com:9095
        --- server-2.properties
        process.roles=broker,controller
        node.id=2
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k1.example.com:9094,CONTROLLER://k1.example.com:9095
        controller.quorum.voters=1@k1.example.com:9093,2@k1.example.com:9095
    """
    for listed in _lists(nodes.cluster, _VOTERS):
        node, voters = listed.first, listed.told
        ids = {own: one for one in nodes.all if (own := _id(one))}
        wrong: list[tuple[_Entry, Broker]] = []
        for entry in listed.entries:
            right = ids.get(entry.id)
            there = {_id(one): one for one, _ in nodes.at(entry.host)}
            # Ambiguous if several nodes answer, or one without a known id.
            if right is None or len(there) != 1 or not there.keys().isdisjoint(("", entry.id)):
                continue
            if _named(right):
                wrong += ((entry, one) for one in there.values())
        if not wrong:
            continue
        listed_at = ", and ".join(
            f"voter {e.id} at {e}, which is node {_id(one)}" for e, one in wrong
        )
        yield node.finding(
            f"{voters.key} lists {listed_at}",
            at=voters,
            because=[one["node.id"] for _, one in wrong],
            breaks="the node at that address rejects requests for another id: the quorum lacks these "
            "voters, and without a majority no leader is elected",
            fix="list each voter with the host and port of its own controller listener",
        )


@rule(
    "KC1073",
    "quorum-port",
    ERROR,
    invariants=("voters-host-port-match-listener",),
    versions="KRaft",
)
def quorum_port(nodes: Nodes) -> Iterator[Finding]:
    """A quorum address uses a port on which the node has no controller listener.

    controller.quorum.voters and controller.quorum.bootstrap.servers list controller listeners, not
    client listeners, and no nodes that are brokers only. An error between containers, if a Kubernetes
    Service does not expose the port, and if the listener binds the configured host itself; a warning
    elsewhere, because ports may be forwarded.

    Bad: the client port
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://c1.example.com:9093
        controller.quorum.bootstrap.servers=c1.example.com:9093
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://b1.example.com:9092
        controller.quorum.bootstrap.servers=c1.example.com:9092
    Bad: its own controller listener
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:29093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
    Good:
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://c1.example.com:9093
        controller.quorum.bootstrap.servers=c1.example.com:9093
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://b1.example.com:9092
        controller.quorum.bootstrap.servers=c1.example.com:9093
    Good: a Service maps the port
        --- kafka.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: kafka}
        spec: {selector: {app: kafka}, ports: [{port: 9093, targetPort: 29093}]}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:3.9.1
                  env:
                    - {name: KAFKA_NODE_ID, value: "1"}
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "1@kafka:9093"}
                    - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: "CONTROLLER"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:29093"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka:9092"}
    """
    for listed in (*_lists(nodes.cluster, _VOTERS), *_lists(nodes.cluster, _BOOTSTRAP)):
        missed = [one for entry in listed.entries if (one := _missed(listed, nodes, entry))]
        if not missed:
            continue
        entry, asked, there, severity = missed[0]
        ports, led = _quorum_ports(asked), _led(asked, there)
        open_ports = sorted(port for port in led or ports if port is not None)
        if not ports:
            fix = f"list the controllers instead of {_called(asked)}"
        elif led is not None and not led:
            fix = f"add a port for {min(ports)} to Service {entry.host}, and use that port"
        else:
            fix = f"write {entry.id + '@' if entry.id else ''}{entry.host}:{open_ports[0]}"
        breaks = (
            "no controller answers there: brokers find no leader to register with, and shut down"
        )
        if not entry.id and len(missed) < len(listed.entries):
            # A starting node tries the other entries too.
            breaks = "no controller answers there: one bootstrap server fewer at startup"
            severity = WARNING
        yield listed.first.finding(
            f"{plain(listed.told)} uses port {entry.port} for {_called(asked)}, but its controller "
            f"listener is on port {' or '.join(map(str, open_ports))}"
            if ports
            else f"{plain(listed.told)} points to {_called(asked)}, which is not a controller",
            at=listed.told,
            because=(asked["listeners"],) if ports else (asked["process.roles"],),
            breaks=breaks,
            fix=fix,
            severity=severity,
        )


class _List:
    """A list of quorum members: its entries, the nodes that set it, and the first of them."""

    __slots__ = ("entries", "first", "nodes", "told")

    def __init__(self, first: Broker, told: Value, text: str) -> None:
        self.first = first
        self.nodes: list[Broker] = []
        self.told = told
        self.entries = [_Entry(part) for part in text.split(",") if part.strip()]


def _lists(cluster: Cluster, key: str) -> list[_List]:
    """The different lists of quorum members in a cluster."""
    found: dict[str, _List] = {}
    for node in (*cluster.controllers, *cluster.brokers):
        told = node[key]
        if told.text:
            if told.text not in found:
                found[told.text] = _List(node, told, told.text)
            found[told.text].nodes.append(node)
    return list(found.values())


def _id(node: Broker) -> str:
    """The id of a node; "" if unknown, or if several processes share the resource."""
    replicas = node.resource.facts.get("replicas")
    if replicas is not None and replicas.text != "1":
        return ""
    value = node["node.id"]
    return str(value.value) if value.explicit and value.known else ""


def _named(node: Broker) -> bool:
    """Whether a node has known host names of its own, so that another address is not its own."""
    known = addresses(node)
    hosts = [one.host for one in (*known.listeners, *known.advertised)]
    return known.known and (contained(node.resource) or not all(map(loopback, hosts)))


def _asked(listed: _List, nodes: Nodes, entry: _Entry) -> tuple[Broker, list[Address], str] | None:
    """The one node that an entry points to, by which addresses, and the severity if it does not
    listen there."""
    if loopback(entry.host):
        # Loopback is the node itself; only a list of voters says which entry is its own.
        own = {_id(one): one for one in listed.nodes}.get(entry.id)
        return (own, [], ERROR) if own is not None and entry.id else None
    there = nodes.at(entry.host)
    if entry.id:
        there = [one for one in there if _id(one[0]) == entry.id]
    found = {id(one.resource): one for one, _ in there}
    if len(found) != 1:
        return None
    (asked,) = found.values()
    told = [address for _, address in there]
    services = any(address.reach == SERVICE for address in told)
    bound = any(a.setting is not None and a.setting.key == "listeners" for a in told)
    certain = services or contained(asked.resource) or bound
    return asked, told, ERROR if certain else WARNING


def _missed(
    listed: _List, nodes: Nodes, entry: _Entry
) -> tuple[_Entry, Broker, list[Address], str] | None:
    """The entry with the result of ``_asked`` if no controller listens there; None otherwise."""
    found = _asked(listed, nodes, entry)
    if found is None or entry.port is None:
        return None
    asked, there, severity = found
    ports, led = _quorum_ports(asked), _led(asked, there)
    if led is not None and not led.isdisjoint((None, entry.port)):
        return None
    if not ports and (entry.id or asked.roles != ["broker"] or entry.port not in _bound(asked)):
        return None
    return None if entry.port in ports else (entry, asked, there, severity)


def _led(node: Broker, there: list[Address]) -> set[int | None] | None:
    """The ports of Services that lead to controller listeners or to unknown ones; None if no Service
    is involved."""
    quorum = {"", *(name.upper() for name in addresses(node).quorum)}
    services = [one for one in there if one.reach == SERVICE]
    return {one.port for one in services if one.listener.upper() in quorum} if services else None


def _bound(node: Broker) -> set[int]:
    """The ports on which a node listens; none unless all are known."""
    known = addresses(node)
    if not known.known or (contained(node.resource) and not bound_listeners(node)):
        return set()
    return {one.port for one in known.listeners}


def _quorum_ports(node: Broker) -> set[int]:
    """The ports of a node's controller listeners; none unless all are known."""
    if not _bound(node):
        return set()
    known = addresses(node)
    quorum = {name.upper() for name in known.quorum}
    every = (*known.listeners, *known.advertised)
    # Port 0: the system picks a free port.
    return {one.port for one in every if one.name in quorum and one.port}


def _called(node: Broker) -> str:
    own = _id(node)
    return f"node {own}" if own else str(node)

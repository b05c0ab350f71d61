"""KC10: whether the members of a quorum are where the others look for them."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints
from kcheck.graph.answers import Nodes
from kcheck.graph.cluster import Cluster
from kcheck.graph.listeners import addresses, malformed
from kcheck.graph.nodes import Broker
from kcheck.grouping.group import contained
from kcheck.grouping.names import loopback, normal, number
from kcheck.model import ERROR, SERVICE, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.addresses import bound_listeners
from kcheck.wording import plain

_VOTERS, _BOOTSTRAP = "controller.quorum.voters", "controller.quorum.bootstrap.servers"


class _Entry:
    """One member of a quorum as a list names it; ``id`` is "" in a list of bootstrap servers."""

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

    Each entry is the id of a node with the address of that node's own controller listener. Whoever
    asks voter 1 at the address of node 2 is answered by node 2, which refuses requests for another
    id. Said where both nodes are read and each answers under names of its own.

    Bad: two have changed places
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
    Good: on one machine
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
    lists = _lists(nodes.cluster, _VOTERS)
    if not lists:
        return
    ids = {own: one for one in nodes.all if (own := _id(one))}
    for node, voters, entries in lists:
        wrong: list[tuple[_Entry, Broker]] = []
        for entry in entries:
            right = ids.get(entry.id)
            if right is None or loopback(entry.host):
                continue
            there = {_id(one): one for one, _ in nodes.at(entry.host)}
            if len(there) == 1 and "" not in there and entry.id not in there and _named(right):
                wrong.append((entry, next(iter(there.values()))))
        if not wrong:
            continue
        told = " and ".join(f"voter {e.id} at {e}, which is node {_id(one)}" for e, one in wrong)
        yield node.finding(
            f"{voters.key} puts {told}",
            at=voters,
            because=[one["node.id"] for _, one in wrong],
            breaks="the node at that address refuses requests for another id: the quorum lacks these "
            "voters, and without a majority no leader is elected",
            fix="give each voter the host and port of its own controller listener",
        )


@rule(
    "KC1073",
    "quorum-port",
    ERROR,
    invariants=("voters-host-port-match-listener",),
    versions="KRaft",
)
def quorum_port(nodes: Nodes) -> Iterator[Finding]:
    """A member of the quorum is looked for on a port where it has no controller listener.

    controller.quorum.voters and controller.quorum.bootstrap.servers name the ports of controller
    listeners, not those for clients. An error between containers, where a Kubernetes Service opens
    the port to nobody, and where the listener binds the very host that is asked; a warning
    elsewhere, for something between may forward ports.

    Bad: the port for clients
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
    Bad: itself
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
    Good: a Service has another port for it
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
    lists = [*_lists(nodes.cluster, _VOTERS), *_lists(nodes.cluster, _BOOTSTRAP)]
    if not lists:
        return
    for node, told, entries in lists:
        for entry in entries:
            found = _asked(node, nodes, entry)
            if found is None or entry.port is None:
                continue
            asked, severity = found
            ports = _quorum_ports(asked)
            if not ports or entry.port in ports:
                continue
            yield node.finding(
                f"{plain(told)} looks for {_called(asked)} at port {entry.port}, and its controller "
                f"listener is at {' or '.join(map(str, sorted(ports)))}",
                at=told,
                because=(asked["listeners"],),
                breaks="no controller answers there: brokers find no leader to register with, and "
                "stop",
                fix=f"write {entry.id + '@' if entry.id else ''}{entry.host}:{min(ports)}",
                severity=severity,
            )
            break


def _lists(cluster: Cluster, key: str) -> list[tuple[Broker, Value, list[_Entry]]]:
    """The different lists of a quorum's members in a cluster, each with the first node that has it."""
    found: dict[str, tuple[Broker, Value, list[_Entry]]] = {}
    for node in (*cluster.controllers, *cluster.brokers):
        told = node[key]
        if told.explicit and told.text and told.text not in found:
            parts = [part for part in told.text.split(",") if part.strip()]
            found[told.text] = (node, told, [_Entry(part) for part in parts])
    return list(found.values())


def _id(node: Broker) -> str:
    """The id of a node; "" where nobody tells it, or several processes have the resource."""
    replicas = node.resource.facts.get("replicas")
    if replicas is not None and replicas.text != "1":
        return ""
    value = node["node.id"]
    return str(value.value) if value.explicit and value.known else ""


def _named(node: Broker) -> bool:
    """Whether a node is read that has names of its own, so that the address is not its."""
    told = node["advertised.listeners"]
    hosts = [one.host for one in (*addresses(node).listeners, *addresses(node).advertised)]
    own = contained(node.resource) or any(host and not loopback(host) for host in hosts)
    return own and addresses(node).known and (told.text is not None or not told.written)


def _asked(node: Broker, nodes: Nodes, entry: _Entry) -> tuple[Broker, str] | None:
    """The one node that an entry leads to, and how grave it is if it does not listen there."""
    if loopback(entry.host):
        return (node, ERROR) if entry.id and entry.id == _id(node) else None
    there = nodes.at(entry.host)
    if entry.id:
        there = [one for one in there if _id(one[0]) == entry.id]
    if len({id(one.resource) for one, _ in there}) != 1:
        return None
    services = [address.port for _, address in there if address.reach == SERVICE]
    if entry.port in services:
        return None
    asked = there[0][0]
    bound = any(a.setting is not None and a.setting.key == "listeners" for _, a in there)
    certain = bool(services) or contained(asked.resource) or bound
    return asked, ERROR if certain else WARNING


def _quorum_ports(node: Broker) -> set[int]:
    """The ports of a node's controller listeners; none where they are not all known."""
    bound = node["listeners"]
    known = addresses(node)
    if "controller" not in node.roles or not bound.written or not known.known:
        return set()
    if malformed(bound.text) or (contained(node.resource) and not bound_listeners(node)):
        return set()
    quorum = {name.upper() for name in known.quorum}
    every = (*known.listeners, *known.advertised)
    return {one.port for one in every if one.name in quorum and one.port}


def _called(node: Broker) -> str:
    own = _id(node)
    return f"node {own}" if own else str(node)

"""KC04: who may do what: the authorizer, on which nodes it is and what it does without ACLs."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.wording import plain

_AUTHORIZER = "authorizer.class.name"


_SUPER = "super.users"


_EVERYONE = "allow.everyone.if.no.acl.found"


STANDARD = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


WITH_ZOOKEEPER = "kafka.security.authorizer.AclAuthorizer"


#: Those of Kafka itself.
KAFKAS_OWN = (STANDARD, WITH_ZOOKEEPER)


def authorizer(broker: Broker) -> str:
    """The authorizer's class; "" where there is none or nobody tells."""
    return str(broker[_AUTHORIZER].value or "")


@rule(
    "KC0430",
    "sec-authorizer-class",
    ERROR,
    kafka=FAILED,
    on=(_AUTHORIZER,),
    broker_side=True,
    invariants=("sec-authorizer-class",),
    versions="up to 3.9; from 4.0 removed-class tells it",
)
def sec_authorizer_class(broker: Broker | Controller) -> Iterator[Finding]:
    """A node in KRaft mode has the authorizer that keeps its ACLs in ZooKeeper.

    AclAuthorizer looks for zookeeper.connect, finds none and ends the start with a
    NullPointerException. In KRaft mode StandardAuthorizer keeps ACLs in the metadata log.

    Bad:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Good:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
    Good: with ZooKeeper
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Good: while it moves from ZooKeeper to KRaft
        --- server.properties
        broker.id=1
        process.roles=broker
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    """
    roles = broker["process.roles"]
    if authorizer(broker) != WITH_ZOOKEEPER or not roles.value:
        return
    if broker.sets("zookeeper.connect") or broker.version.at_least("4.0"):
        return
    yield broker.finding(
        f"{broker} runs in KRaft mode with {_AUTHORIZER}={WITH_ZOOKEEPER}",
        at=broker[_AUTHORIZER],
        because=(roles,),
        breaks="Kafka does not start: the authorizer needs ZooKeeper (NullPointerException)",
        fix=f"set {_AUTHORIZER}={STANDARD}",
        set_to=STANDARD,
    )


@rule(
    "KC0434",
    "sec-allow-everyone",
    WARNING,
    on=(_EVERYONE,),
    broker_side=True,
    invariants=("sec-allow-everyone",),
)
def sec_allow_everyone(broker: Broker) -> Iterator[Finding]:
    """Whatever has no ACL is open to everybody.

    With allow.everyone.if.no.acl.found=true a new topic is open until somebody gives it an ACL, and
    so is the cluster itself: everybody may create, alter and delete. Said in production.

    Bad:
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        allow.everyone.if.no.acl.found=true
    Good:
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        allow.everyone.if.no.acl.found=false
    Good: not in production
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        allow.everyone.if.no.acl.found=true
    """
    everyone = broker[_EVERYONE]
    if not authorizer(broker) or not broker.cluster.production:
        return
    if str(everyone.value).lower() == "true":
        yield broker.finding(
            f"{broker} of a {broker.cluster.rank} sets {_EVERYONE}=true",
            at=everyone,
            because=(broker[_AUTHORIZER],),
            breaks="a resource without an ACL, every new topic and the cluster itself among them, is "
            "open to whoever can connect",
            fix=f"set {_EVERYONE}=false once the clients have their ACLs",
            set_to="false",
        )


@rule(
    "KC0435",
    "sec-early-start-kraft",
    WARNING,
    on=("early.start.listeners",),
    broker_side=True,
    invariants=("sec-early-start-kraft",),
    versions="3.3+, KRaft",
)
def sec_early_start_kraft(broker: Controller) -> Iterator[Finding]:
    """The controllers' listener waits for the authorizer, and the authorizer for the controllers.

    StandardAuthorizer reads the ACLs from the metadata log, which a controller gets from the others.
    The listeners in early.start.listeners open before that is done; by default the controllers' own.
    A list without it lets every controller wait for all the others.

    Bad:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        early.start.listeners=PLAINTEXT
    Good:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        early.start.listeners=CONTROLLER,PLAINTEXT
    """
    early, found = broker["early.start.listeners"], listeners.addresses(broker)
    if authorizer(broker) != STANDARD:
        return
    if early.text is None or not found.quorum:
        return
    names = {name.strip().upper() for name in early.text.split(",")}
    if names.isdisjoint(name.upper() for name in found.quorum):
        yield broker.finding(
            f"{broker}: {plain(early)} lacks the controllers' listener {found.quorum[0]}",
            at=early,
            because=(broker["controller.listener.names"], broker[_AUTHORIZER]),
            breaks="after a stop of all controllers each waits for the ACLs before it answers the "
            "others, and none gets them",
            fix=f"add {found.quorum[0]}, or remove the key: that is its default",
        )


@rule(
    "KC0437",
    "authorizer-on-all-nodes",
    WARNING,
    broker_side=True,
    invariants=("sec-authorizer-class",),
    versions="KRaft",
)
def authorizer_on_all_nodes(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Some nodes of a cluster have an authorizer, and others have not.

    Brokers ask their own authorizer for what they serve, controllers theirs for what they change, of
    requests too that a broker hands on. Without one on the controllers everybody who reaches any
    broker may make and delete topics and alter their settings; without one on a broker everybody
    may read and write what it leads.

    Bad: the controllers let everybody in
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:admin
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good:
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:admin
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:admin
    """
    nodes = [node for node in (*cluster.brokers, *cluster.separate_controllers) if node.whole]
    with_one = [node for node in nodes if authorizer(node)]
    without = [node for node in nodes if node[_AUTHORIZER].known and not authorizer(node)]
    if not with_one or not without:
        return
    (one, *_), (odd, *_) = with_one, without
    yield cluster.finding(
        f"{one} has {plain(one[_AUTHORIZER])}, {odd} has none",
        at=one[_AUTHORIZER],
        because=(odd[_AUTHORIZER],),
        breaks=f"whoever reaches {odd} may read and write there what the ACLs forbid elsewhere"
        if odd in cluster.brokers
        else f"brokers leave it to {odd} who may make and delete topics and alter settings, which "
        "are open to everybody then, whatever the ACLs say",
        fix=f"set {_AUTHORIZER} and {_SUPER} alike on all brokers and controllers",
    )

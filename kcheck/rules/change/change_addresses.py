"""KC19: changes of listeners, security and the authorizer: which clients they cut off."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.change import BrokerChange
from kcheck.graph.listeners import Addresses
from kcheck.model import ERROR, STRIMZI, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.change import strimzi_listeners

_ALONGSIDE = (
    "add the new listener next to the old one, move all clients, and remove the old one in a "
    "separate change"
)


_CUT_OFF = (
    "clients and brokers that use the old listener get errors from each restarted broker, and are "
    "cut off after the last restart"
)


@rule("KC1910", "listener-changed", WARNING)
def listener_changed(change: BrokerChange) -> Iterator[Finding]:
    """A change removes a listener, or changes its address or protocol.

    A client with the old address or protocol gets errors from each restarted broker, and is cut off
    as soon as the last broker has been restarted.

    Bad: another port
        --- before/server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data
        listeners=PLAINTEXT://k1:9092
        --- after/server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data
        listeners=PLAINTEXT://k1:9093
    Bad: encryption enabled in one step
        --- before/server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data
        listeners=CLIENTS://k1:9092
        listener.security.protocol.map=CLIENTS:PLAINTEXT
        inter.broker.listener.name=CLIENTS
        --- after/server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data
        listeners=CLIENTS://k1:9092
        listener.security.protocol.map=CLIENTS:SASL_SSL
        inter.broker.listener.name=CLIENTS
    Good: a second listener
        --- before/server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data
        listeners=PLAINTEXT://k1:9092
        --- after/server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data
        listeners=PLAINTEXT://k1:9092,SSL://k1:9093
    Bad: another port of a Strimzi listener
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners: [{name: tls, port: 9094, type: internal, tls: true}]
    Good: another port behind the one that Kubernetes exposes to clients
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners: [{name: outside, port: 9094, type: nodeport, tls: true}]
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners: [{name: outside, port: 9095, type: nodeport, tls: true}]
    """
    if strimzi_listeners.described(change):
        for text, at, was in strimzi_listeners.cut_off(change):
            yield change.finding(
                f"{change} {text}",
                at=at,
                because=(change.was(was),),
                breaks=strimzi_listeners.lost(was) or _CUT_OFF,
                fix=_ALONGSIDE,
            )
        return
    old, new = Addresses(change.before), Addresses(change.after)
    if not (old.known and new.known):
        return
    there = {one.name: one for one in new.visible}
    for listener in old.visible:
        now = there.get(listener.name)
        spoke = old.protocols.get(listener.name)
        speaks = new.protocols.get(listener.name)
        if now is None:
            if any(
                (one.host, one.port, new.protocols.get(one.name))
                == (listener.host, listener.port, spoke)
                for one in new.visible
            ):
                continue
            moved = f"removes listener {listener.name}, which was {listener}"
            key = "advertised.listeners"
        elif (now.host, now.port) != (listener.host, listener.port):
            moved = f"moves its listener from {listener} to {now}"
            key = "advertised.listeners"
        elif spoke and speaks and spoke != speaks:
            moved = f"changes the protocol of listener {listener} from {spoke} to {speaks}"
            key = "listener.security.protocol.map"
        else:
            continue
        yield change.finding(
            f"{change} {moved}",
            at=change.after[key],
            because=(change.was(change.before[key]),),
            breaks=_CUT_OFF,
            fix=_ALONGSIDE,
        )


@rule("KC1911", "authentication-tightened", WARNING)
def authentication_tightened(change: BrokerChange) -> Iterator[Finding]:
    """A change removes authentication methods from the brokers.

    A client that uses a removed mechanism, or has no certificate where one is now required, is
    rejected at its next connection.

    Bad: a mechanism is removed
        --- before/kcheck.yaml
        cluster: {name: core, config: {sasl.enabled.mechanisms: "PLAIN,SCRAM-SHA-512"}}
        --- after/kcheck.yaml
        cluster: {name: core, config: {sasl.enabled.mechanisms: "SCRAM-SHA-512"}}
    Bad: certificates are required
        --- before/kcheck.yaml
        cluster: {name: core, config: {ssl.client.auth: requested}}
        --- after/kcheck.yaml
        cluster: {name: core, config: {ssl.client.auth: required}}
    Good: one more mechanism
        --- before/kcheck.yaml
        cluster: {name: core, config: {sasl.enabled.mechanisms: PLAIN}}
        --- after/kcheck.yaml
        cluster: {name: core, config: {sasl.enabled.mechanisms: "PLAIN,SCRAM-SHA-512"}}
    Bad: by the operator
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: tls, port: 9093, type: internal, tls: true, authentication: {type: tls}}
    """
    if strimzi_listeners.described(change):
        for text, at, was in strimzi_listeners.tightened(change):
            yield change.finding(
                f"{change} {text}",
                at=at,
                because=(change.was(was),),
                breaks="clients with the old authentication are rejected, from the first restarted "
                "broker on",
                fix="add a listener with the new authentication next to it, move all clients, and "
                "remove this one in a separate change",
            )
        return
    keys = {*change.before.merged, *change.after.merged}
    for key in sorted(key for key in keys if key.endswith("sasl.enabled.mechanisms")):
        old, new = _merged(change, key)
        gone = [name for name in _names(old) if name not in _names(new)]
        if gone and new.text is not None:
            yield change.finding(
                f"{change} removes {', '.join(gone)}: {key} changes from {old.text} to {new.text}",
                at=new,
                because=(change.was(old),),
                breaks="clients that authenticate with it are rejected at their next connection "
                "(UnsupportedSaslMechanismException)",
                fix="move all clients to a remaining mechanism, and remove this one in a separate "
                "change",
            )
    for key in sorted(key for key in keys if key.endswith("ssl.client.auth")):
        old, new = _merged(change, key)
        if new.text == "required" and old.text != "required" and old.known:
            yield change.finding(
                f"{change} requires a certificate from every client: {key} changes from "
                f"{old.text} to required",
                at=new,
                because=(change.was(old),),
                breaks="clients without one, or with one that the truststore does not trust, are "
                "rejected at their next connection",
                fix="set it to requested until the log shows that every client presents one",
            )


def _merged(change: BrokerChange, key: str) -> tuple[Value, Value]:
    if not key.startswith("listener.name."):
        return change.before[key], change.after[key]
    name, _, rest = key.removeprefix("listener.name.").partition(".")
    return change.before.listener(name, rest), change.after.listener(name, rest)


def _names(value: Value) -> list[str]:
    return [name.upper() for name in listeners.entries(value.text)]


@rule("KC1912", "inter-broker-security-changed", ERROR)
def inter_broker_security_changed(change: BrokerChange) -> Iterator[Finding]:
    """A change switches the security of the inter-broker listener.

    During a rolling restart the brokers with the old and the new setting cannot connect to each
    other, unless every broker already accepts both.

    Bad:
        --- before/kcheck.yaml
        cluster: {name: core, brokers: 3, config: {security.inter.broker.protocol: PLAINTEXT}}
        --- after/kcheck.yaml
        cluster: {name: core, brokers: 3, config: {security.inter.broker.protocol: SASL_SSL}}
    Good: a single broker has no peers
        --- before/kcheck.yaml
        cluster: {name: core, brokers: 1, config: {security.inter.broker.protocol: PLAINTEXT}}
        --- after/kcheck.yaml
        cluster: {name: core, brokers: 1, config: {security.inter.broker.protocol: SASL_SSL}}
    """
    if change.cluster.broker_count.number == 1:
        return
    for key in (
        "security.inter.broker.protocol",
        "inter.broker.listener.name",
        "sasl.mechanism.inter.broker.protocol",
    ):
        differing = change.own(key)
        if differing is None or not differing[1].text:
            continue
        old, new = differing
        open_already = key == "inter.broker.listener.name" and _open(change, str(new.text))
        if open_already or (
            key == "sasl.mechanism.inter.broker.protocol" and _accepted(change, new)
        ):
            continue
        yield change.finding(
            f"{change} changes {key} from {old.text or 'nothing'} to {new.text}",
            at=new,
            because=(change.was(old),),
            breaks="during the rolling restart, brokers with the old and the new setting cannot "
            "reach each other: replicas fall out of sync, and partitions below "
            "min.insync.replicas reject writes",
            fix="first enable the new setting on all brokers next to the old one, restart them all, "
            "then change this key and restart them again",
        )


def _open(change: BrokerChange, name: str) -> bool:
    """Whether the listener of that name existed before, or may have."""
    addresses = Addresses(change.before)
    return name.upper() in addresses.names or not addresses.known


def _accepted(change: BrokerChange, mechanism: Value) -> bool:
    """Whether all brokers accepted the mechanism before, or may have."""
    enabled = change.before["sasl.enabled.mechanisms"]
    return (mechanism.text or "").upper() in _names(enabled) or not enabled.known


@rule("KC1913", "authorizer-switched", ERROR)
def authorizer_switched(change: BrokerChange) -> Iterator[Finding]:
    """A change adds or removes the authorizer.

    With an authorizer, any operation that no ACL allows is denied as soon as a broker has restarted,
    unless allow.everyone.if.no.acl.found=true. Without one every client may do everything.

    Bad: added
        --- before/kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", brokers: 3, config: {num.io.threads: 8}}
        --- after/kcheck.yaml
        cluster:
          name: core
          kafka_version: "4.1"
          brokers: 3
          config:
            num.io.threads: 8
            authorizer.class.name: org.apache.kafka.metadata.authorizer.StandardAuthorizer
    Good: everyone is allowed without ACLs
        --- before/kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", brokers: 3, config: {num.io.threads: 8}}
        --- after/kcheck.yaml
        cluster:
          name: core
          kafka_version: "4.1"
          brokers: 3
          config:
            num.io.threads: 8
            authorizer.class.name: org.apache.kafka.metadata.authorizer.StandardAuthorizer
            allow.everyone.if.no.acl.found: true
    Bad: removed by the operator
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3, authorization: {type: simple}}}
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3}}
    """
    key = "authorizer.class.name"
    sides = (change.before, change.after)
    strimzi = all(side.resource.traits.deployer == STRIMZI for side in sides)
    if strimzi:  # its brokers are super users automatically
        differing = change.differing(
            change.before.fact("authorization"), change.after.fact("authorization")
        )
    else:
        differing = change.own(key)
    if differing is None:
        return
    old, new = differing
    if not old.text:
        everyone = change.after["allow.everyone.if.no.acl.found"]
        if (everyone.text or "").strip().lower() == "true":
            return
        if everyone.written and everyone.text is None:
            return
        yield change.finding(
            f"{change} adds an authorizer, {new.text}",
            at=new,
            because=(change.was(old), everyone),
            breaks="after its restart every request that no ACL allows is rejected "
            "(TopicAuthorizationException, ClusterAuthorizationException)"
            + ("" if strimzi else ", those of other brokers too unless they are in super.users"),
            fix="first enable it with allow.everyone.if.no.acl.found=true, add the ACLs of all "
            f"clients{'' if strimzi else ' and super.users for the brokers'}, then remove that key",
        )
    elif not new.text:
        yield change.finding(
            f"{change} removes its authorizer",
            at=new,
            because=(change.was(old),),
            breaks="after its restart every client that can connect may read, write and delete "
            "everything",
            fix="keep the authorizer; to allow everyone temporarily set "
            "allow.everyone.if.no.acl.found=true, which keeps existing ACLs in force",
        )

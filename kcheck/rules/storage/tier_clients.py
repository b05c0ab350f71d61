"""KC07: the clients inside of brokers that keep the metadata of remote storage."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker
from kcheck.lexicon.planes import METADATA_PREFIX, STORAGE_PREFIX
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.storage.tier_setup import LISTENER, METADATA, SWITCH
from kcheck.wording import plain

_CLIENTS = "remote.log.metadata."
_ROLES = ("common.client", "producer", "consumer", "admin")
_KERBEROS = "GSSAPI"


@rule(
    "KC0757",
    "tier-metadata-login",
    ERROR,
    kafka=FAILED,
    on=(LISTENER,),
    broker_side=True,
    refs=("KIP-405",),
    versions="3.6+",
)
def tier_metadata_login(broker: Broker) -> Iterator[Finding]:
    """The remote log metadata manager cannot authenticate to its own broker.

    It connects to the listener in remote.log.metadata.manager.listener.name with that listener's
    protocol; its credentials must be set with the prefix
    rlmm.config.remote.log.metadata.common.client. Otherwise it uses GSSAPI, the default.

    Bad:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=com.example.Manager
        remote.log.metadata.manager.listener.name=SASL_SSL
    Good:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=com.example.Manager
        remote.log.metadata.manager.listener.name=SASL_SSL
        rlmm.config.remote.log.metadata.common.client.sasl.mechanism=SCRAM-SHA-512
        rlmm.config.remote.log.metadata.common.client.sasl.jaas.config=${file:/run/secrets/kafka:jaas}
    Good: no authentication
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9091,SASL_SSL://:9092
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=com.example.Manager
        remote.log.metadata.manager.listener.name=PLAINTEXT
    """
    named, switch, found = broker[LISTENER], broker[SWITCH], addresses(broker)
    complete = broker.whole or broker.resource.traits.by_environment
    if switch.value is not True or not found.known or not named.text or not complete:
        return
    name = named.text.strip().upper()
    offered = broker.listener(name, "sasl.enabled.mechanisms")
    if not (found.protocols.get(name) or "").startswith("SASL") or not offered.text:
        return
    if _KERBEROS in [one.strip() for one in offered.text.split(",")]:
        return
    key, default = METADATA_PREFIX
    prefix = broker[key].text if broker.sets(key) else default
    mechanisms = [f"{prefix}{_CLIENTS}{role}.sasl.mechanism" for role in _ROLES]
    if not prefix or broker.sets_any(frozenset(mechanisms)) or broker.sets(METADATA):
        return
    yield broker.finding(
        f"{broker}: the remote log metadata manager authenticates to listener {name} with "
        f"{_KERBEROS} (default), but {plain(offered)}",
        at=named,
        because=(offered,),
        breaks="it cannot access its metadata: nothing is copied to, or read from, remote storage",
        fix=f"set {mechanisms[0]} and {prefix}{_CLIENTS}common.client.sasl.jaas.config, or name a listener "
        "without authentication",
    )


#: By the key that names the prefix of a plug-in's settings: how such settings begin as a rule, and
#: what reads them.
_PREFIXES = {
    STORAGE_PREFIX[0]: ("rsm.", "the remote storage manager"),
    METADATA_PREFIX[0]: ("rlmm.", "the metadata manager"),
}


@rule("KC0780", "tier-prefix-unread", WARNING, on=(SWITCH,), refs=("KIP-405",), versions="3.6+")
def tier_prefix_unread(broker: Broker) -> Iterator[Finding]:
    """Settings of tiered storage have a prefix that is not handed to its plug-ins.

    The remote storage manager receives the settings below remote.log.storage.manager.impl.prefix
    (rsm.config. by default), without that prefix, the metadata manager those below
    remote.log.metadata.manager.impl.prefix (rlmm.config.). Nothing reads a setting with another
    prefix.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          config:
            remote.log.storage.system.enable: true
            remote.log.storage.manager.class.name: io.aiven.kafka.tieredstorage.RemoteStorageManager
            remote.log.metadata.manager.listener.name: PLAINTEXT
            rsm.s3.storage.s3.bucket.name: tier
    Bad: a prefix of its own
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          config:
            remote.log.storage.system.enable: true
            remote.log.storage.manager.class.name: io.aiven.kafka.tieredstorage.RemoteStorageManager
            remote.log.storage.manager.impl.prefix: rsm.s3.
            remote.log.metadata.manager.listener.name: PLAINTEXT
            rsm.config.storage.s3.bucket.name: tier
    Bad: the metadata manager
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          config:
            remote.log.storage.system.enable: true
            remote.log.storage.manager.class.name: io.aiven.kafka.tieredstorage.RemoteStorageManager
            remote.log.metadata.manager.listener.name: PLAINTEXT
            rlmm.remote.log.metadata.topic.num.partitions: 10
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          config:
            remote.log.storage.system.enable: true
            remote.log.storage.manager.class.name: io.aiven.kafka.tieredstorage.RemoteStorageManager
            remote.log.storage.manager.impl.prefix: rsm.s3.
            remote.log.metadata.manager.listener.name: PLAINTEXT
            rsm.s3.storage.s3.bucket.name: tier
    """
    if broker[SWITCH].value is not True:
        return
    for key, (start, reader) in _PREFIXES.items():
        prefix = broker[key]
        if not prefix.text:
            continue
        unread = sorted(
            name
            for name in broker.resource.settings
            if name.startswith(start) and not name.startswith(prefix.text)
        )
        if unread:
            first, *others = unread
            more = f" and {len(others)} more" if others else ""
            yield broker.finding(
                f"{broker} sets {first}{more}, but {reader} receives only settings below "
                f"{prefix.text}",
                at=broker[first],
                because=(prefix,),
                breaks="nothing reads them: the plug-in has none of these settings, and mostly fails "
                "to start the broker",
                fix=f"begin the keys with {prefix.text}, or set {key} to their prefix",
            )

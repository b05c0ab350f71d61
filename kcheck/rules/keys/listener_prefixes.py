"""KC0152: keys behind a listener prefix that no listener has."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.listeners import parse
from kcheck.graph.nodes import Broker, Controller
from kcheck.lexicon.suggest import namesakes
from kcheck.model import WARNING, Finding, Setting
from kcheck.rule import CHANGED, rule
from kcheck.rules.shared.keys_wording import key_evidence

_PREFIX = "listener.name."
_LISTS = ("listeners", "advertised.listeners")
_NAMES = ("controller.listener.names", "inter.broker.listener.name")
_MAP = "listener.security.protocol.map"
_MECHANISMS = ("plain", "gssapi", "oauthbearer", "scram-sha-256", "scram-sha-512", "aws_msk_iam")


@rule("KC0152", "listener-prefix", WARNING, kafka=CHANGED)
def listener_prefix(node: Broker | Controller) -> Iterator[Finding]:
    """A key with the prefix of a listener is not read.

    Kafka converts the name of the listener, and of the mechanism behind it, to lower case before it
    looks a key up: listener.name.partner.scram-sha-512.sasl.jaas.config. A prefix with capitals never
    matches, nor does one with the security protocol of a listener of another name.

    Bad: capitals
        --- server.properties
        broker.id=4
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9092,PARTNER://:9094
        listener.security.protocol.map=INTERNAL:SSL,PARTNER:SSL
        inter.broker.listener.name=INTERNAL
        listener.name.PARTNER.ssl.keystore.location=/etc/kafka/partner.p12
    Bad: a mechanism in capitals
        --- server.properties
        broker.id=4
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9092
        listener.name.sasl_ssl.SCRAM-SHA-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
    Bad: the protocol in the place of the name
        --- server.properties
        broker.id=4
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9092,CLIENT://:9094
        listener.security.protocol.map=INTERNAL:PLAINTEXT,CLIENT:SASL_SSL
        inter.broker.listener.name=INTERNAL
        listener.name.sasl_ssl.ssl.keystore.location=/etc/kafka/client.p12
    Bad: a typo
        --- server.properties
        broker.id=4
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9092,PARTNERS://:9094
        listener.security.protocol.map=INTERNAL:SSL,PARTNERS:SSL
        inter.broker.listener.name=INTERNAL
        listener.name.partner.ssl.keystore.location=/etc/kafka/partner.p12
    Good:
        --- server.properties
        broker.id=4
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9092,PARTNER://:9094
        listener.security.protocol.map=INTERNAL:SASL_SSL,PARTNER:SASL_SSL
        inter.broker.listener.name=INTERNAL
        listener.name.partner.ssl.keystore.location=/etc/kafka/partner.p12
        listener.name.partner.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
    """
    settings = node.resource.settings
    ours = [key for key in settings if key.startswith(_PREFIX)]
    if not ours:
        return
    protocols = _protocols(node)
    told: set[str] = set()
    for key in ours:
        right, name = _right(key, protocols), key.split(".")[2]
        if right and right not in settings and name not in told:
            told.add(name)
            yield _finding(node, settings[key], right)


def _finding(node: Broker | Controller, setting: Setting, right: str) -> Finding:
    return node.finding(
        f"{node} sets {setting.key}, which Kafka does not read; it reads {right}",
        at=key_evidence(node, setting, setting.key),
        breaks="the listener uses the setting without a prefix, or the default",
        fix=f"rename {setting.name} to {right}",
    )


def _protocols(node: Broker | Controller) -> dict[str, str] | None:
    """The security protocol of each listener by its name in lower case, "" where nobody tells it;
    None where not all listeners are known."""
    settings = node.resource.settings
    found: dict[str, str] = {}
    for key in _LISTS:
        told = settings.get(key)
        if told is not None and told.text is None:
            return None
        for listener in parse(told.text if told is not None else None):
            found.setdefault(listener.name.lower(), listener.name.upper())
    for key in _NAMES:
        names = settings.get(key)
        for name in (names.text or "").split(",") if names is not None else ():
            found.setdefault(name.strip().lower(), "")
    mapping = settings.get(_MAP)
    for pair in (mapping.text or "").split(",") if mapping is not None else ():
        name, _, protocol = pair.strip().partition(":")
        if name.lower() in found:
            found[name.lower()] = protocol.upper()
    return found if "listeners" in settings else None


def _right(key: str, protocols: dict[str, str] | None) -> str:
    """The key that Kafka looks up in the place of one behind a prefix; "" where it reads that."""
    name, _, rest = key.removeprefix(_PREFIX).partition(".")
    mechanism, _, behind = rest.partition(".")
    if mechanism.lower() in _MECHANISMS:
        rest = f"{mechanism.lower()}.{behind}"
    meant = name.lower()
    if protocols is not None and meant not in protocols:
        own = [one for one, protocol in protocols.items() if protocol.lower() == meant]
        alike = own or namesakes(meant, protocols)
        if len(alike) == 1:
            (meant,) = alike
    right = f"{_PREFIX}{meant}.{rest}"
    return right if right != key else ""

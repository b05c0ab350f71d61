"""KC01: wording shared by the rules on values and their fixes."""

from __future__ import annotations

from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Node
from kcheck.lexicon.planes import FAMILIES, Place
from kcheck.lexicon.value_faults import Fault
from kcheck.model import Setting
from kcheck.rules.shared.keys_wording import adjective, respelt


def assigned(setting: Setting) -> str:
    """``key=text``, a secret hidden."""
    from kcheck.secrets import shown  # a run without findings needs none of it

    return f"{setting.key}={shown(setting.key, setting.text) or '(empty)'}"


def rewrite(setting: Setting, key: str) -> str | None:
    """The text that replaces the key's span, if that span is exactly the name."""
    _, start, _, end = setting.key_at
    if end - start != len(setting.name):
        return None
    return respelt(setting, key) or None


#: When Kafka reads what stands behind a prefix, where not each process of the kind does.
_CONDITIONS = {
    "config.storage.": "if the worker has to create the topic",
    "offset.storage.": "if the worker has to create the topic",
    "status.storage.": "if the worker has to create the topic",
    "topic.": "if the application has to create an internal topic",
    "global.consumer.": "if the topology has a global store",
}


def conditional(where: Place) -> str:
    """The condition under which the value of a key is read at all; "" where it always is.

    Settings of topics that a worker or an application makes go along with CreateTopics alone.
    """
    return _CONDITIONS.get(where.prefix, "")


def unread(node: Node, key: str, fault: Fault) -> bool:
    """Whether the faulty value goes by unread: ConfigDef parses all that is not replaced before."""
    if not isinstance(node, Client):
        return False
    return node.replaced(key) or (node.unread(key) and not fault.parsed)


def dormant(node: Node, where: Place) -> bool:
    """Whether only tiered storage reads the key, its metadata manager or a client of that, and is off."""
    prefix = where.prefix
    tiers = isinstance(node, Broker) and prefix and not prefix.startswith("listener.name.")
    return bool(tiers) and not node["remote.log.storage.system.enable"].value


#: What happens when Kafka rejects a value of a resource of that kind.
_REFUSED = {
    "topic": "creating or altering the topic fails (INVALID_CONFIG)",
    "quota": "Kafka rejects the quota",
    "user": "Kafka rejects the quota",
    "group": "Kafka rejects the change (INVALID_CONFIG)",
    "connector": "the connector fails to start (ConfigException)",
    "mirror": "the mirror fails to start (ConfigException)",
    "streams": "the application fails to start (ConfigException)",
}


def refused(node: Node, where: Place, setting: Setting) -> str:
    """What happens when Kafka rejects the value of a key."""
    kind, family = node.resource.kind, FAMILIES[where.plane]
    if node.resource.dynamic.get(setting.key) is setting:
        return "Kafka rejects the change (INVALID_CONFIG or INVALID_REQUEST)"
    if kind in _REFUSED:
        return _REFUSED[kind]
    if family == "remote-metadata":
        return "a broker with tiered storage enabled fails to start"
    if kind in ("broker", "controller", "cluster"):
        return "the broker fails to start (ConfigException)"
    if kind == "worker" and family == "client":
        return f"connectors fail: their {where.plane}s cannot be constructed (ConfigException)"
    if kind == "worker":
        return "the worker fails to start (ConfigException)"
    return f"the {adjective(kind)} cannot be constructed (ConfigException)"

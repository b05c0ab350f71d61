"""The topics that programs create for themselves, and with how many replicas.

Beside the three of a worker, which rules of their own judge: those of Streams applications, mirrors,
source connectors, dead-letter queues, tiered storage, and of programs around Kafka.
"""

from __future__ import annotations

from kcheck import configdef
from kcheck.graph.clients import Connector
from kcheck.graph.nodes import Broker, Node
from kcheck.model import DEFAULT, SET, Creation, Setting, Value

_QUEUE = "errors.deadletterqueue.topic.name"
_TIERS = "remote.log.storage.system.enable"
#: By plane: the key, the topics, and the key that must be set for them to be created at all.
_BY_PLANE = {
    "streams": (("replication.factor", "its changelog and repartition topics", ""),),
    "mirror-source": (
        ("replication.factor", "the mirrored topics", ""),
        ("offset-syncs.topic.replication.factor", "the offset-syncs topic", ""),
    ),
    "mirror-checkpoint": (("checkpoints.topic.replication.factor", "the checkpoints topic", ""),),
    "mirror-heartbeat": (("heartbeats.topic.replication.factor", "the heartbeats topic", ""),),
    "sink-connector": (
        ("errors.deadletterqueue.topic.replication.factor", "its dead-letter queue", _QUEUE),
    ),
}
_TIERED = "rlmm.config.remote.log.metadata.topic.replication.factor"
#: Of Confluent Server: the factor, the topic, and the key that switches on what needs it; metrics
#: and what balances partitions are collected anew.
_VENDOR = (
    (
        "confluent.tier.metadata.replication.factor",
        "_confluent-tier-state",
        "confluent.tier.feature",
    ),
    (
        "confluent.metadata.topic.replication.factor",
        "_confluent-metadata-auth",
        "confluent.metadata.server.listeners",
    ),
    ("confluent.license.topic.replication.factor", "_confluent-command", ""),
    (
        "confluent.cluster.link.metadata.topic.replication.factor",
        "_confluent-link-metadata",
        "confluent.cluster.link.enable",
    ),
)
_GROUP, _FACTOR = "topic.creation.", ".replication.factor"
_REPLICATION, _MINIMUM = "replication.factor", "min.insync.replicas"
#: Of connectors that need a licence.
_LICENCE = "confluent.topic.replication.factor"
#: Of sinks that report what became of each record: where, in two topics with three copies by default.
_REPORTS = "reporter.bootstrap.servers"


class Created:
    """Topics that a node creates with a replication factor of their own.

    ``topics`` names them, ``factor`` is the value, ``named`` what the node's file calls its setting.
    ``least`` is the min.insync.replicas that the program gives them, None if they take the brokers'.
    ``capped`` and ``waits`` are those of Creation; ``program`` says that no key of Kafka's it is.
    """

    __slots__ = ("capped", "factor", "least", "named", "program", "topics", "waits")

    def __init__(
        self,
        topics: str,
        factor: Value,
        creation: Creation | None = None,
        least: Value | None = None,
    ) -> None:
        self.topics = topics
        self.factor = factor
        self.least = least
        self.named = creation.named if creation is not None else factor.key
        self.capped = creation is not None and creation.capped
        self.waits = creation is not None and creation.waits
        self.program = creation is not None


def created(node: Node) -> list[Created]:
    """The topics that a node creates; those whose factor is unknown are left out.

    A default that differs by version has candidates and no number.
    """
    found = [
        Created(
            one.topics,
            _program(node, one),
            one,
            None if one.least is None else _typed(node, one.least.key, one.least),
        )
        for one in node.resource.traits.creates
    ]
    for key, topics, needed in _BY_PLANE.get(node.resource.plane, ()):
        if not needed or (node[needed].text or "").strip():
            found.append(Created(topics, node[key], least=own_minimum(node, key)))
    if isinstance(node, Connector):
        found += _of_connector(node)
    if isinstance(node, Broker) and node[_TIERS].value is True and node.sets(_TIERED):
        found.append(Created("__remote_log_metadata", _number(node, _TIERED)))
    if isinstance(node, Broker):
        found += [
            Created(topic, _number(node, key))
            for key, topic, switch in _VENDOR
            if node.sets(key) and (not switch or _on(node[switch]))
        ]
    return [one for one in found if one.factor.known or one.factor.candidates]


def _on(switch: Value) -> bool:
    """Whether a key of Confluent Server's switches something on."""
    return (switch.text or "false").lower() != "false"


def _of_connector(connector: Connector) -> list[Created]:
    found = []
    there: bool | None = None
    for key in connector.resource.settings:
        if key.startswith(_GROUP) and key.endswith(_FACTOR):
            there = _all_there(connector) if there is None else there
            if there:
                continue
            group = key[len(_GROUP) : -len(_FACTOR)]
            words = "its topics" if group == "default" else f"its topics of group {group}"
            least = own_minimum(connector, key)
            found.append(Created(words, _number(connector, key), least=least))
        elif key == _LICENCE:
            found.append(Created("the licence topic", _number(connector, key)))
    if _REPORTS in connector.resource.settings:
        found += _reported(connector)
    return found


def _reported(connector: Connector) -> list[Created]:
    """The topics in which a sink of Confluent's reports; an empty name means none."""
    found = []
    settings = connector.resource.settings
    for word in ("result", "error"):
        key, name = f"reporter.{word}.topic{_FACTOR}", settings.get(f"reporter.{word}.topic.name")
        if name is not None and name.text == "":
            continue
        factor = (
            _number(connector, key)
            if key in settings
            else Value(key, connector.resource, DEFAULT, "3", 3, True)
        )
        found.append(Created(f"the topic of its {word} reports", factor))
    return found


def own_minimum(node: Node, factor: str) -> Value | None:
    """The min.insync.replicas that a node gives its topics beside the key of their ``factor``; None
    if it gives none.
    """
    key = f"{factor.removesuffix(_REPLICATION) or 'topic.'}{_MINIMUM}"
    setting = node.resource.settings.get(key)
    return None if setting is None else _typed(node, key, setting)


def _all_there(connector: Connector) -> bool:
    """Whether every topic that it is known to write is one of the cluster's: it creates none then."""
    written = connector.resource.traits.writes or ()
    known = connector.cluster.named_topics()
    return bool(written) and all(name in known for name in written)


def _program(node: Node, creation: Creation) -> Value:
    """The factor as a value: no table of Kafka's knows the key."""
    if creation.factor is not None:
        return _typed(node, creation.key, creation.factor)
    number = creation.default
    return Value(creation.key, node.resource, DEFAULT, str(number), number, True)


def _number(node: Node, key: str) -> Value:
    settings = node.merged if isinstance(node, Broker) else node.resource.settings
    return _typed(node, key, settings[key])


def _typed(node: Node, key: str, setting: Setting) -> Value:
    number, wrong = configdef.convert("short", setting.text or "")
    known = setting.text is not None and not wrong
    typed = number if known else None
    return Value(key, node.resource, SET, setting.text, typed, known, setting)

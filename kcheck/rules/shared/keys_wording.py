"""Wording that rules on keys share: the plane of a key, its spelling, and who rejects it."""

from __future__ import annotations

from kcheck.graph.nodes import Node
from kcheck.lexicon.name_faults import STRICT, Name
from kcheck.lexicon.planes import FAMILIES
from kcheck.model import SET, Finding, Note, Setting, Value

#: ``no … key``, ``a … key``.
_ADJECTIVES = {
    "broker": "broker",
    "controller": "broker",
    "cluster": "broker",
    "connect-distributed": "distributed Connect worker",
    "connect-standalone": "standalone Connect worker",
    "source-connector": "connector",
    "sink-connector": "connector",
    "mirror-source": "connector",
    "mirror-checkpoint": "connector",
    "mirror-heartbeat": "connector",
    "mirror": "MirrorMaker",
    "share-consumer": "share consumer",
    "remote-metadata": "remote log metadata manager",
    "admin": "client",
    "streams": "Streams",
    "group": "group",
}


def adjective(plane: str) -> str:
    """``producer`` as in *a producer key*."""
    return _ADJECTIVES.get(plane, plane)


#: What keys of Confluent Server begin with besides ``confluent.``: its links between clusters still
#: read what encrypts passwords, which Kafka 4.0 removed.
_CONFLUENTS = ("quotas.", "password.encoder.")


def of_confluent_server(node: Node, key: str) -> bool:
    """Whether Confluent Server has a key that Kafka does not know, where the node may be one."""
    return key.startswith(_CONFLUENTS) and any(
        other.startswith("confluent.") for other in node.resource.settings
    )


def program(node: Node) -> str:
    """What starts or fails with the node's settings: ``broker``, ``producer``, ``application``."""
    return "application" if node.resource.kind == "streams" else node.resource.kind


def written(setting: Setting) -> str:
    """The key as the file spells it, with Kafka's name where that is another."""
    return setting.key if setting.name == setting.key else f"{setting.name} ({setting.key})"


def respelt(setting: Setting, key: str) -> str:
    """Another key in the spelling of this one: an image's variable stays one. Empty if unknown."""
    if setting.name == setting.key:
        return key
    if setting.name.endswith(f".{setting.key}"):
        return setting.name[: -len(setting.key)] + key
    tail = setting.key.upper().replace(".", "_")
    if not setting.name.endswith(tail):
        return ""
    return setting.name[: -len(tail)] + key.upper().replace(".", "_")


def evidence(node: Node, setting: Setting) -> Value:
    """The setting as written, not the effective value."""
    return Value(setting.key, node.resource, SET, setting.text, setting=setting)


def key_evidence(node: Node, setting: Setting, key: str) -> Value:
    """The setting, located at its key: for faults of the name."""
    spot = Setting(
        setting.key, setting.raw, setting.path, setting.key_at, setting.key_at, setting.name
    )
    value = evidence(node, spot)
    value.key = key
    return value


def ignored(node: Node, name: Name) -> str:
    """What happens to a key that the component does not read."""
    family = FAMILIES[name.place.plane]
    if family == "topic" and not name.place.prefix:
        return "creating or altering the topic fails: unknown topic config name"
    if family in ("quota", "group"):
        return f"Kafka rejects the {family}"
    if family == "client" and not name.place.prefix:
        noun = "application" if node.resource.kind == "streams" else adjective(node.resource.kind)
        return f"the {noun} ignores it, with a line in its log"
    reader = "the worker" if node.resource.plane.startswith("connect") else "Kafka"
    if node.resource.kind in ("broker", "controller", "cluster"):
        reader = "the broker"
    return f"{reader} silently ignores it"


def strict(name: Name) -> bool:
    """Whether Kafka rejects an unknown key instead of ignoring it."""
    return FAMILIES[name.place.plane] in STRICT and not name.place.prefix


def noted(note: Note, node: Node) -> Finding:
    """The finding for what a format noted about keys of a node."""
    return node.finding(
        note.message,
        at=key_evidence(node, note.setting, note.setting.key),
        because=[key_evidence(node, other, other.key) for other in note.others],
        breaks=note.consequence,
        fix=note.fix,
        severity=note.severity,
    )

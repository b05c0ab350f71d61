"""Which parts a declaration has, and whether YAML has that shape: other tools use the same names."""

from __future__ import annotations

from kcheck.formats.declarations.declared import (
    CLIENT_FACTS,
    CLUSTER_FACTS,
    CONSUMER_FACTS,
    NAMED_FACTS,
    TOPIC_FACTS,
)
from kcheck.syntax import yaml

TOP = (
    *("kcheck", "cluster", "topics", "producers", "consumers", "streams"),
    *("connectors", "groups", "quotas"),
)

#: What a cluster holds besides its plain facts.
_CLUSTER_PARTS = ("brokers", "config", "dynamic_config", "host", "assumptions")

KINDS = {"producers": "producer", "consumers": "consumer", "streams": "streams"}
NAMED = {"connectors": "connector", "groups": "group"}


def ours(data: bytes) -> bool:
    """Whether the whole file has the shape of a declaration."""
    nodes, problem = yaml.documents(data)
    if problem is not None:
        return _line_starts(data, b"kcheck:")
    return bool(nodes) and all(_shaped(node) for node in nodes)


def _line_starts(data: bytes, marker: bytes) -> bool:
    return data.startswith(marker) or b"\n" + marker in data


def _shaped(node: yaml.Node) -> bool:
    names = yaml.pairs(node)
    if any(name == "kcheck" for name, _, _ in names):
        return True
    if not names or any(name not in TOP for name, _, _ in names):
        return False
    for name, _, value in names:
        if name == "cluster":
            known = {*CLUSTER_FACTS, *_CLUSTER_PARTS}
            keys = {key for key, _, _ in yaml.pairs(value)}
            if not keys or not keys <= known:
                return False
        else:
            allowed = _allowed(name)
            entries = yaml.items(value)
            if not entries:
                return False
            for entry in entries:
                keys = {key for key, _, _ in yaml.pairs(entry)}
                if not keys or (name != "quotas" and (not keys <= allowed or "name" not in keys)):
                    return False
    return True


def _allowed(section: str) -> set[str]:
    if section == "topics":
        return {*TOPIC_FACTS, "config"}
    if section in NAMED:
        return {*NAMED_FACTS, "config"}
    return {*facts_of(KINDS.get(section, "")), "client", "config"}


def facts_of(kind: str) -> dict[str, str]:
    """The facts of a client of that kind."""
    return CONSUMER_FACTS if kind == "consumer" else CLIENT_FACTS

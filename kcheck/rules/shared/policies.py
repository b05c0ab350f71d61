"""Effective cleanup policies, and topics that must be compacted."""

from __future__ import annotations

from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import ABSENT, ERROR, WARNING, Value
from kcheck.wording import plain


def policies(node: Topic | TopicDefaults) -> list[str] | None:
    """The effective cleanup policies; None where they are not known."""
    value = node["cleanup.policy"]
    return value.value if isinstance(value.value, list) else None


def not_compacted(topic: Topic) -> tuple[Value, str, str] | None:
    """The policy, its wording and the severity where a topic's policy is not compact alone.

    A topic without cleanup.policy, on unknown brokers, most probably gets ``delete``, the default:
    a warning.
    """
    policy = topic["cleanup.policy"]
    if policy.origin == ABSENT:
        return policy, "no cleanup.policy (the brokers' default is delete)", WARNING
    chosen = policies(topic)
    if chosen is None or set(chosen) == {"compact"}:
        return None
    return policy, plain(policy), ERROR

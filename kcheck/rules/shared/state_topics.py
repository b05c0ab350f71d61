"""KC14, KC15, KC06: topics that Connect, Streams and Schema Registry keep their state in."""

from __future__ import annotations

from kcheck.graph.topics import Topic
from kcheck.model import ABSENT, ERROR, WARNING, Value
from kcheck.rules.shared.compaction import policies
from kcheck.wording import plain


def not_compacted(topic: Topic) -> tuple[Value, str, str] | None:
    """The policy, its wording and the severity where a topic is not compacted alone.

    A topic without a policy of its own, on brokers that nobody knows, most probably gets
    ``delete``, their default: a warning.
    """
    policy = topic["cleanup.policy"]
    if policy.origin == ABSENT:
        return policy, "no cleanup.policy of its own (the brokers' default is delete)", WARNING
    chosen = policies(topic)
    if chosen is None or set(chosen) == {"compact"}:
        return None
    return policy, plain(policy), ERROR

"""KC07: cleanup policies and the lags of compaction (see cleaner)."""

from __future__ import annotations

from kcheck.graph.topics import Topic, TopicDefaults


def policies(node: Topic | TopicDefaults) -> list[str] | None:
    """The cleanup policies in force; None where they are not known."""
    value = node["cleanup.policy"]
    return value.value if isinstance(value.value, list) else None

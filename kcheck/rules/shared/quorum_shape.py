"""KC11: how many voters a quorum has, where they are, and which roles they share."""

from __future__ import annotations

from kcheck.graph.listeners import entries


def hosts(text: str) -> list[tuple[str, str]]:
    """(host, port) of each voter."""
    found = [entry.partition("@")[2].rpartition(":") for entry in entries(text)]
    return [(host.strip().lower(), port) for host, _, port in found]

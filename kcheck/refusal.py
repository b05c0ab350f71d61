"""The versions in which Kafka rejects something, as a severity and a consequence."""

from __future__ import annotations

from kcheck.model import ERROR, WARNING
from kcheck.version import Version


def refused(version: Version, how: str, since: str = "", until: str = "") -> tuple[str, str] | None:
    """(severity, consequence) of what Kafka rejects from ``since`` on and before ``until``.

    None where that version accepts it. Where the version is unknown and not all versions reject
    it, a warning that names those that do.
    """
    if (since and version.below(since)) or (until and version.at_least(until)):
        return None
    if version.known or not (since or until):
        return ERROR, how
    span = f"{since} and later" if since else ""
    if until:
        span = f"{since} to before {until}" if since else f"before {until}"
    return WARNING, f"{how} (Kafka {span})"

"""In which versions Kafka refuses something, as a severity and as the words for it."""

from __future__ import annotations

from kcheck.model import ERROR, WARNING
from kcheck.version import Version


def refused(version: Version, how: str, since: str = "", until: str = "") -> tuple[str, str] | None:
    """(severity, words) of a refusal that holds from ``since`` on and ends with ``until``.

    None where that version takes it. Where the version is unknown and not all of them refuse it,
    a warning whose words name those that do.
    """
    if (since and version.below(since)) or (until and version.at_least(until)):
        return None
    if version.known or not (since or until):
        return ERROR, how
    span = f"{since} and later" if since else ""
    if until:
        span = f"{since} to before {until}" if since else f"before {until}"
    return WARNING, f"{how} (Kafka {span})"

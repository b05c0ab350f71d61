"""The versions in which Kafka rejects something, as a severity and a consequence."""

from __future__ import annotations

from kcheck.model import ERROR, INFO, WARNING
from kcheck.version import Version, old


def refused(version: Version, how: str, since: str = "", until: str = "") -> tuple[str, str] | None:
    """(severity, consequence) of what Kafka rejects from ``since`` on and before ``until``.

    None where no version in question rejects it, an error where all of them do. Where some do, a
    warning that names them; an info where all of those are old ones.
    """
    holds = version.within(since, until)
    if holds is None:
        return doubt(until), f"{how} (Kafka {span(version, since, until)})"
    return (ERROR, how) if holds else None


def doubt(until: str) -> str:
    """How severe it is that something may hold, where it ends with that version; "" for no end."""
    return INFO if old(until) else WARNING


def span(version: Version, since: str = "", until: str = "") -> str:
    """``3.1 to before 3.9``, without a bound that the version is known to keep."""
    low = "" if not since or version.at_least(since) else since
    high = "" if not until or version.below(until) else until
    if high:
        return f"{low} to before {high}" if low else f"before {high}"
    return f"{low} and later"

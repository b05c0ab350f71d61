"""In which respects a file and a cluster contradict each other, in words.

``Joiner`` asks whether they do for every file and cluster; here it is told why, for what joined none.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.grouping import place
from kcheck.grouping.group import Group
from kcheck.grouping.place import environments

ENVIRONMENT, REGION, NAMESPACE, SERVICE, EXAMPLE, FOLDER = ORDER = (
    "environment",
    "region",
    "namespace",
    "service",
    "example",
    "folder",
)


def of_places(path: str, group: Group) -> set[str]:
    """What the path of a file and the place of a cluster say against each other."""
    found: set[str] = set()
    if (group.told or group.environments) and not group.admits(environments(path)):
        found.add(ENVIRONMENT)
    if not group.admits_region(path):
        found.add(REGION)
    if place.strangers(path, group.path):
        found.add(EXAMPLE)
    return found


def spoken(found: Iterable[str]) -> str:
    """``another environment, region or example``; "" where nothing contradicts."""
    told = set(found)
    *first, last = [word for word in ORDER if word in told] or [""]
    if not last:
        return ""
    return f"another {', '.join(first)} or {last}" if first else f"another {last}"

"""Bounds of a cluster's version that its own settings show, where nothing tells the version.

Whoever writes a key or a value that came with a release runs that one or a newer one. A key that a
release removed shows nothing: left-overs of an upgrade are common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck import catalogue
from kcheck.lexicon import names, protocols, values
from kcheck.version import UNKNOWN, Bound, Version, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model import Resource, Setting

#: The release that ended ZooKeeper's mode.
_KRAFT_ONLY = "4.0"
#: Keys that a release defined before the next one could use them.
_USABLE = {"controller.quorum.bootstrap.servers": "3.9"}


def inferred(nodes: Iterable[Resource]) -> Version:
    """The range that the settings of brokers and controllers leave; unknown where they disagree."""
    settings = [one for node in nodes for one in _settings(node)]
    least: Bound | None = None
    for setting in settings:
        first = _first(setting)
        if first and (least is None or _number(first) > _number(least.text)):
            least = Bound(first, setting)
    if least is None:
        return UNKNOWN
    found = Version(None, least)
    zookeeper = not any(one.key == "process.roles" for one in settings)
    for setting in settings:
        if zookeeper and setting.key == "zookeeper.connect" and found.at_least(_KRAFT_ONLY):
            return UNKNOWN
        if _contradicts(setting, found):
            return UNKNOWN
    return found


def spanned(told: list[Setting]) -> Version:
    """From the oldest to the newest of the versions that nodes of one cluster are said to have."""
    ordered = sorted(told, key=lambda one: _number(one.text or ""))
    oldest, newest = ordered[0], ordered[-1]
    major, minor, *_ = (*_number(newest.text or ""), 0, 0)
    if not _number(oldest.text or ""):
        return UNKNOWN
    return Version(None, Bound(oldest.text or "", oldest), Bound(f"{major}.{minor + 1}", newest))


def _settings(node: Resource) -> Iterator[Setting]:
    yield from node.settings.values()
    yield from node.dynamic.values()
    told = node.facts.get("metadata.version")
    if told is not None:
        yield told


def _first(setting: Setting) -> str:
    """The oldest release that a setting is for; empty where it shows nothing."""
    key, text = setting.key, setting.text
    if key in protocols.KEYS or key == "metadata.version":
        first = protocols.first(text) if text else ""
        return "" if first == catalogue.oldest() else first
    history = catalogue.plane("broker").history(key)
    if not history:
        return ""
    oldest = catalogue.oldest()
    if history[0].since != oldest:
        since = _USABLE.get(key) or names.first_read(key, ("broker",)) or history[0].since
        first = "" if _number(since) <= _number(oldest) else since
    else:
        first = ""
    if len(history) > 1 and text and values.refusal("broker", history[0], None, text):
        refused = [bool(values.refusal("broker", row, None, text)) for row in history]
        if not refused[-1]:
            start = len(refused)
            while not refused[start - 1]:
                start -= 1
            return history[start].since
    return first


def _contradicts(setting: Setting, version: Version) -> bool:
    """Whether only releases before the range take the value of a setting."""
    text, history = setting.text, catalogue.plane("broker").history(setting.key)
    if text is None or len(history) < 2:
        return False
    rows = catalogue.possible("broker", setting.key, version)
    if not rows or not all(values.refusal("broker", row, None, text) for row in rows):
        return False
    return not all(values.refusal("broker", row, None, text) for row in history)


def _number(text: str) -> tuple[int, ...]:
    return parse(text) or ()

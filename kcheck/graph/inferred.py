"""Bounds of a version that the settings of brokers or a client show, where nothing tells the version.

Whoever writes a key or a value that came with a release runs that one or a newer one. A key that a
release removed shows nothing: left-overs of an upgrade are common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck import catalogue
from kcheck.lexicon import names, protocols, values
from kcheck.lexicon.planes import TABLES
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
    found = _range(settings, ("broker",))
    if found.at_least(_KRAFT_ONLY):
        keys = {one.key for one in settings}
        if "zookeeper.connect" in keys and "process.roles" not in keys:
            return UNKNOWN
    return found


def of_client(resource: Resource) -> Version:
    """The same of a client of Java's, by its own settings."""
    tables = TABLES.get(resource.plane)
    return _range([*resource.settings.values()], tables) if tables else UNKNOWN


def _range(settings: list[Setting], tables: tuple[str, ...]) -> Version:
    least: Bound | None = None
    for setting in settings:
        first = _first(setting, tables)
        if first and (least is None or _number(first) > _number(least.text)):
            least = Bound(first, setting)
    if least is None:
        return UNKNOWN
    found = Version(None, least)
    return UNKNOWN if any(_contradicts(one, found, tables) for one in settings) else found


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


def _first(setting: Setting, tables: tuple[str, ...]) -> str:
    """The oldest release that a setting is for; empty where it shows nothing."""
    key, text = setting.key, setting.text
    if key in protocols.KEYS or key == "metadata.version":
        first = protocols.first(text) if text else ""
        return "" if first == catalogue.oldest() else first
    table, history = _history(key, tables)
    if not history:
        return ""
    first, oldest = history[0].since, catalogue.oldest()
    if first != oldest:
        first = _USABLE.get(key) or names.first_read(key, tables) or first
    if len(history) > 1 and text and values.refusal(table, history[0], None, text):
        refused = [bool(values.refusal(table, row, None, text)) for row in history]
        if not refused[-1]:
            start = len(refused)
            while not refused[start - 1]:
                start -= 1
            first = history[start].since
    return first if _number(first) > _number(oldest) else ""


def _contradicts(setting: Setting, version: Version, tables: tuple[str, ...]) -> bool:
    """Whether only releases before the range take the value of a setting."""
    text = setting.text
    table, history = _history(setting.key, tables)
    if text is None or len(history) < 2:
        return False
    rows = catalogue.possible(table, setting.key, version)
    if not rows or not all(values.refusal(table, row, None, text) for row in rows):
        return False
    return not all(values.refusal(table, row, None, text) for row in history)


def _history(key: str, tables: tuple[str, ...]) -> tuple[str, tuple[catalogue.Fact, ...]]:
    """The first of the tables that knows a key, and the key's facts there."""
    for table in tables:
        history = catalogue.plane(table).history(key)
        if history:
            return table, history
    return "", ()


def _number(text: str) -> tuple[int, ...]:
    return parse(text) or ()

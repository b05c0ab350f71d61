"""What to do with a key that nobody reads: rename it, or remove it where the right one is set."""

from __future__ import annotations

import re

from kcheck.configdef import convert
from kcheck.graph.nodes import Broker, Node
from kcheck.lexicon.name_faults import GONE, Name, default_of, goes_without, is_default
from kcheck.model import DEFAULT, Edit, Finding, Fix, Note, Setting
from kcheck.rules.shared.keys_wording import respelt


def replacements(node: Node, setting: Setting, keys: tuple[str, ...]) -> list[Setting]:
    """The settings of these keys that are in force beside the unread one, in their order."""
    own = node.merged if isinstance(node, Broker) else node.resource.settings
    found = (own.get(key) for key in keys)
    return [one for one in found if one is not None and one is not setting]


def unmissed(node: Node, setting: Setting, name: Name, there: list[Setting]) -> bool:
    """Whether nothing changes because Kafka does not read a key: so all rules on unread keys decide.

    What the key says holds without it (``held``), is part of what is set in its place, is Kafka's way
    without it, or is what the component that does read the key has by default.
    """
    text, keys = setting.text, name.right
    if text is None:
        return False
    if held(node, setting, keys, there) or _part_of(text, name, there):
        return True
    if there:
        return False
    if goes_without(name.place, text) or (len(keys) == 1 and is_default(name.place, keys[0], text)):
        return True
    return bool(name.owner) and default_of(name.owner, name.place.key, text)


def _part_of(text: str, name: Name, there: list[Setting]) -> bool:
    """Whether what is to be set in a key's place is, and has its value, as ``listeners`` that of a port."""
    if (
        not text
        or not there
        or (len(there) < len(name.right) and (name.every or name.kind == GONE))
    ):
        return False
    word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
    return any(word.search(one.text or "") for one in there)


def needless(note: Note, node: Node) -> bool:
    """Whether the key that a name without effect stands for has its value without it."""
    key = (note.meant,) if note.meant else ()
    return held(node, note.setting, key, replacements(node, note.setting, key))


def held(node: Node, setting: Setting, keys: tuple[str, ...], there: list[Setting]) -> bool:
    """Whether what an unread key says holds without it: by the default of the one key that is meant,
    or because each that is meant has the value (``there`` are those that are set)."""
    if setting.text is None:
        return False
    if len(keys) > 1 or there:
        return [one.text for one in there] == [setting.text] * len(keys)
    if not keys:
        return False
    meant = node[keys[0]]
    text = setting.text.strip()
    if meant.origin != DEFAULT or not meant.known or not text:
        return False
    kind = _KINDS.get(type(meant.value))
    return meant.text == text or (kind is not None and convert(kind, text)[0] == meant.value)


#: The types of values whose texts differ in more than blanks.
_KINDS = {bool: "boolean", int: "long", float: "double"}


def removal(setting: Setting, there: list[Setting]) -> str:
    """The fix for a key whose replacements are set: where they stand, so that nobody sets them twice."""
    if len(there) > 1:
        return f"remove it; its replacements are set in {_places(setting, there)}"
    (one,) = there
    return f"remove it; {one.name} is set in {_place(setting, one)}"


def take_away(found: Finding, setting: Setting) -> None:
    """Give the finding the edit that takes the setting's line away, where nothing else is in it."""
    line = setting.key_at[0]
    exact = type(setting) is Setting and setting.at != setting.key_at
    if found.fix is None or not exact or not line == setting.at[0] == setting.at[2]:
        return
    if _alone(found, setting):
        found.fix = Fix(found.fix.text, (Edit.without_line(setting.path, line, setting.name),))


def _alone(found: Finding, setting: Setting) -> bool:
    """Whether a line is one of several that hold a setting each: a key of its resource begins in
    the same column of another line, and none in this one.
    """
    line, column = setting.key_at[:2]
    resource = found.resource
    others = [
        other.key_at
        for other in resource.settings.values()
        if other is not setting and other.path == setting.path
    ]
    if setting.path.endswith(".json") or any(at[0] == line for at in (*others, resource.at)):
        return False
    return any(at[1] == column for at in others)


def renamed(node: Node, setting: Setting, keys: tuple[str, ...], every: bool = False) -> str:
    """The fix for a key that ``keys`` replace: one of them, or with ``every`` all of them."""
    there = replacements(node, setting, keys)
    if there and not (every and len(there) < len(keys)):
        return removal(setting, there if every else there[:1])
    known = {one.key for one in there}
    missing = [respelt(setting, key) or key for key in keys if key not in known]
    if there:
        return f"remove it, and set {_listed(missing)}"
    if every:
        return f"replace it with {_listed(missing)}"
    return f"rename it to {' or '.join(missing)}"


def _place(setting: Setting, other: Setting) -> str:
    return f"line {other.at[0]}" if other.path == setting.path else f"{other.path}:{other.at[0]}"


def _places(setting: Setting, others: list[Setting]) -> str:
    """``lines 3, 4 and 7``; with other files among them each place by itself."""
    places = [_place(setting, other) for other in others]
    lines = [place.removeprefix("line ") for place in places]
    if all(line.isdecimal() for line in lines):
        lines = list(dict.fromkeys(lines))
        return f"{'lines' if lines[1:] else 'line'} {_listed(lines)}"
    return _listed(places)


def _listed(words: list[str]) -> str:
    """``A, B and C``."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last

"""What to do with a key that nobody reads: rename it, or remove it where the right one is set."""

from __future__ import annotations

from kcheck.graph.nodes import Broker, Node
from kcheck.model import Setting
from kcheck.rules.shared.keys_wording import respelt


def replacements(node: Node, setting: Setting, keys: tuple[str, ...]) -> list[Setting]:
    """The settings of these keys that are in force beside the unread one, in their order."""
    own = node.merged if isinstance(node, Broker) else node.resource.settings
    found = (own.get(key) or node.resource.image.get(key) for key in keys)
    return [one for one in found if one is not None and one is not setting]


def removal(setting: Setting, there: list[Setting]) -> str:
    """The fix for a key whose replacements are set: where they stand, so that nobody sets them twice."""
    if len(there) > 1:
        return f"remove it; its replacements are set in {_places(setting, there)}"
    (one,) = there
    return f"remove it; {one.name} is set in {_place(setting, one)}"


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

"""What all formats share about values: templates are unknown, YAML scalars keep their text."""

from __future__ import annotations

from kcheck.model import Setting
from kcheck.syntax import yaml

_MARKS = ("{{", "${", "<%", "$(", "%{", "{%")


def templated(text: str) -> bool:
    """Whether the text is to be filled in by something else, so that its value is unknown.

    Template marks of Helm, Jinja, ERB, shells and config providers, ``<placeholder>`` and
    ``:PLACEHOLDER:`` as whole values.
    """
    for mark in _MARKS:
        if mark in text:
            return True
    stripped = text.strip()
    if len(stripped) > 2:
        first, last = stripped[0], stripped[-1]
        if first == "<" and last == ">":
            return True
        if first == ":" and last == ":" and stripped[1:-1].replace("_", "").isalnum():
            return True
        if "CHANGEME" in stripped.upper() or stripped.startswith("your-"):
            return True
    return False


def setting(key: str, key_node: yaml.Node, node: yaml.Node, path: str, name: str = "") -> Setting:
    """A YAML pair as a setting. Null, templates and anything but a scalar have no known text."""
    raw = yaml.text(node)
    if raw is not None and templated(raw):
        raw = None
    return Setting(key, raw, path, yaml.position(node), yaml.position(key_node), name or key)

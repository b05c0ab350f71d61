"""YAML pairs as settings: scalars keep their source text."""

from __future__ import annotations

from kcheck.formats.text import templated
from kcheck.model import Setting
from kcheck.syntax import yaml


def setting(key: str, key_node: yaml.Node, node: yaml.Node, path: str, name: str = "") -> Setting:
    """A YAML pair as a setting. Null, templates and anything but a scalar have no known text."""
    raw = yaml.text(node)
    # The commonest values first: this runs for every key of every file.
    if raw is not None and not raw.isdecimal() and templated(raw):
        raw = None
    start, end = node.start_mark, node.end_mark
    key_start, key_end = key_node.start_mark, key_node.end_mark
    return Setting(
        key,
        raw,
        path,
        (start.line + 1, start.column + 1, end.line + 1, end.column + 1),
        (key_start.line + 1, key_start.column + 1, key_end.line + 1, key_end.column + 1),
        name or key,
    )

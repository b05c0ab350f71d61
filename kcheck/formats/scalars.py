"""YAML pairs as settings: scalars keep their source text."""

from __future__ import annotations

from kcheck.formats.text import templated
from kcheck.model import Setting
from kcheck.syntax import yaml


def setting(key: str, key_node: yaml.Node, node: yaml.Node, path: str, name: str = "") -> Setting:
    """A YAML pair as a setting. Null, templates and anything but a scalar have no known text."""
    raw = yaml.text(node)
    if raw is not None and templated(raw):
        raw = None
    return Setting(key, raw, path, yaml.position(node), yaml.position(key_node), name or key)

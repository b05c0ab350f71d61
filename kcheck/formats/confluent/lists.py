"""The lists of ``configOverrides``: lines ``key=value`` of a file."""

from __future__ import annotations

from kcheck.formats.text import written
from kcheck.model import Setting
from kcheck.syntax import yaml


def assignment(item: yaml.Node, path: str, lines: list[str]) -> Setting | None:
    """One ``key=value`` of a list as a setting; None for anything else."""
    from kcheck.formats.embedded import Inlay

    text = yaml.text(item)
    if not isinstance(item, yaml.ScalarNode) or text is None or "=" not in text:
        return None
    inlay = Inlay(item, lines)
    key, _, value = text.partition("=")
    start = len(key) + 2
    blank = len(value) - len(value.lstrip())
    at = inlay.place((1, start + blank, 1, start + len(value)))
    key_at = inlay.place((1, 1, 1, len(key.rstrip()) + 1))
    return written(key.strip(), value.lstrip(), path, at, key_at)

"""The text under a position, for tests that hold it against the value."""

from __future__ import annotations

import json

import yaml

from kcheck.model import Position, Setting
from kcheck.syntax.entry import lines_of
from kcheck.syntax.properties import parse


def under(text: str, at: Position) -> str:
    """What stands between two places; lines and columns count from 1, ends are exclusive."""
    line, column, end_line, end_column = at
    lines = lines_of(text)[line - 1 : end_line]
    if end_line > line + len(lines) - 1:  # YAML ends a block after the last line break
        lines.append("")
    lines[-1] = lines[-1][: end_column - 1]
    lines[0] = lines[0][column - 1 :]
    return "\n".join(lines)


def properties_value(text: str, setting: Setting) -> str:
    """The value that Java would read from the text under a setting's position."""
    entries = parse("key=" + under(text, setting.at))
    assert len(entries) == 1
    return entries[0].value


def yaml_value(text: str, setting: Setting) -> str | None:
    """The scalar that YAML reads from the text under a setting's position; None for null."""
    loaded = yaml.load(under(text, setting.at), Loader=yaml.BaseLoader)
    assert loaded is None or isinstance(loaded, str)
    return loaded


def json_value(text: str, setting: Setting) -> str | None:
    """The scalar that JSON reads from the text under a setting's position."""
    raw = under(text, setting.at)
    line, column = setting.at[:2]
    before = lines_of(text)[line - 1][column - 2 : column - 1]
    return str(json.loads(f'"{raw}"', strict=False)) if before == '"' else raw

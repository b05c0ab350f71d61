"""Backslashes that ``.properties`` files lose: Java takes them for escapes."""

from __future__ import annotations

import re

from kcheck.model import WARNING, Document, Problem, Setting
from kcheck.syntax.entry import Entry, lines_of

CODE = "KC0188"
_ESCAPE = re.compile(r"\\(.)")
#: What stands for another character, whose backslash is no part of the value.
_MEANT = re.compile(r"[^A-Za-z0-9]|[tnrfu]")
_DRIVE = re.compile(r"(?:file:)?[A-Za-z]:\\")
#: Of an application's own settings those that its Kafka clients get.
_OURS = ("kafka", "mp.messaging.")


def report(document: Document, entries: list[Entry], text: str, mixed: bool) -> None:
    """Report values that lose backslashes; of ``mixed`` files only Kafka's settings."""
    lines = lines_of(text)
    for entry in entries:
        line, start, end_line, end = entry.at
        raw = lines[line - 1][start - 1 : end - 1] if line == end_line <= len(lines) else ""
        if "\\" not in raw or (mixed and not any(word in entry.key for word in _OURS)):
            continue
        path = _DRIVE.match(raw) is not None
        after = [found[1] for found in _ESCAPE.finditer(raw)]
        lost = [char for char in after if not _MEANT.match(char)]
        if path:
            lost += [char for char in after if char in "tnrfu"]
        if not lost:
            continue
        what = "the path has no separators" if path else "the value has no backslash"
        document.problems.append(
            Problem(
                f"{entry.key} loses its backslashes: in .properties files they are escapes",
                entry.at,
                CODE,
                WARNING,
                f"Java reads \\{lost[0]} as {_read(lost[0])}: {what} there",
                "write / instead of each backslash" if path else "write each backslash twice",
                setting=Setting(entry.key, None, document.path, entry.at, entry.key_at),
            )
        )


def _read(char: str) -> str:
    """What Java makes of an escape, in words."""
    return {"t": "a tab", "n": "a line break", "r": "a carriage return", "f": "a form feed"}.get(
        char, char
    )

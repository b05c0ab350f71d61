r"""Backslashes that a properties file takes away: of regular expressions, and of paths.

``\s`` is ``s`` to java.util.Properties, whether a person wrote the file, an image made it of its
environment, or an operator of its resource. The pattern then matches the letter.
"""

from __future__ import annotations

import re

from kcheck.model import WARNING, Document, Note, Problem, Resource, Setting
from kcheck.syntax.entry import Entry, lines_of

CODE, OF_FILES = "KC0176", "KC0188"

#: Keys whose values are regular expressions, or rules with some, whatever process has them.
_PATTERNS = re.compile(
    r"(?:^|\.)(?:principal\.mapping\.rules|principal\.to\.local\.rules|regex|(?:include|exclude)\.list"
    r"|whitelist|blacklist)$|principalMappingRules$"
)
#: What only MirrorMaker takes for one.
_OF_MIRRORS = re.compile(r"(?:^|\.)(?:topics|groups)(?:\.exclude)?$")
#: Classes and bounds of Java's patterns; those that are escapes of a properties file, too, are left out.
_LOST = re.compile(r"(?<!\\)(?:\\\\)*(\\[dDwWsSbB])")

_ESCAPE = re.compile(r"\\(.)")
#: What stands for another character, whose backslash is no part of the value.
_MEANT = re.compile(r"[^A-Za-z0-9]|[tnrfu]")
_DRIVE = re.compile(r"(?:file:)?[A-Za-z]:\\")
#: Of an application's own settings those that its Kafka clients get.
_OURS = ("kafka", "mp.messaging.")


def lost(key: str, raw: str, mirrors: bool = False) -> str:
    """The first class of characters in a pattern that comes out as its letter; "" without one."""
    if "\\" not in raw or not (_PATTERNS.search(key) or (mirrors and _OF_MIRRORS.search(key))):
        return ""
    found = _LOST.search(raw)
    return found[1] if found is not None else ""


def note(resource: Resource, setting: Setting, raw: str, mirrors: bool = False) -> None:
    """Note on the resource that its setting loses a backslash, if it does."""
    part = lost(setting.key, raw, mirrors)
    if part:
        resource.notes.append(
            Note(
                CODE,
                setting,
                f"{setting.key} contains {part}, but a properties file drops a single backslash",
                f"the pattern has the letter {part[1]} in its place and matches other names",
                f"double the backslash: \\{part}",
                WARNING,
            )
        )


def raw_of(entry: Entry, lines: list[str]) -> str:
    """The value of an entry as it is written, with the lines that continue it."""
    first, start, last, end = entry.at
    if first == last:
        return lines[first - 1][start - 1 : end - 1]
    return "\n".join([lines[first - 1][start - 1 :], *lines[first:last]])


def report(document: Document, entries: list[Entry], text: str, mixed: bool) -> None:
    """Report values that lose backslashes; of ``mixed`` files only Kafka's settings."""
    lines = lines_of(text)
    for entry in entries:
        line, start, end_line, end = entry.at
        raw = lines[line - 1][start - 1 : end - 1] if line == end_line <= len(lines) else ""
        if "\\" not in raw or (mixed and not any(word in entry.key for word in _OURS)):
            continue
        if lost(entry.key, raw, mirrors=True):
            continue  # a pattern: noted on the resource
        path = _DRIVE.match(raw) is not None
        after = [found[1] for found in _ESCAPE.finditer(raw)]
        gone = [char for char in after if not _MEANT.match(char)]
        if path:
            gone += [char for char in after if char in "tnrfu"]
        if not gone:
            continue
        what = "the path has no separators" if path else "the value has no backslash"
        document.problems.append(
            Problem(
                f"{entry.key} loses its backslashes: in .properties files they are escapes",
                entry.at,
                OF_FILES,
                WARNING,
                f"Java reads \\{gone[0]} as {_read(gone[0])}: {what} there",
                "write / instead of each backslash" if path else "write each backslash twice",
                setting=Setting(entry.key, None, document.path, entry.at, entry.key_at),
            )
        )


def _read(char: str) -> str:
    """What Java makes of an escape, in words."""
    return {"t": "a tab", "n": "a line break", "r": "a carriage return", "f": "a form feed"}.get(
        char, char
    )

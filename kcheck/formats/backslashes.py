r"""Backslashes of regular expressions that a properties file takes away.

``\s`` is ``s`` to java.util.Properties, whether a person wrote the file, an image made it of its
environment, or an operator of its resource. The pattern then matches the letter.
"""

from __future__ import annotations

import re

from kcheck.model import WARNING, Note, Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.syntax.entry import Entry

CODE = "KC0176"

#: Keys whose values are regular expressions, or rules with some, whatever process has them.
_PATTERNS = re.compile(
    r"(?:^|\.)(?:principal\.mapping\.rules|principal\.to\.local\.rules|regex|(?:include|exclude)\.list"
    r"|whitelist|blacklist)$|principalMappingRules$"
)
#: What only MirrorMaker takes for one.
_OF_MIRRORS = re.compile(r"(?:^|\.)(?:topics|groups)(?:\.exclude)?$")
#: Classes and bounds of Java's patterns; those that are escapes of a properties file, too, are left out.
_LOST = re.compile(r"(?<!\\)(?:\\\\)*(\\[dDwWsSbB])")


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

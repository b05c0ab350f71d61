"""Go templates around YAML, which are not executed: what one makes is unknown.

The text keeps its geometry. An action becomes a placeholder of the same length; what stands between
``if``, ``range`` or ``with`` and their ``end`` is left out, for nobody knows whether it is there.
"""

from __future__ import annotations

import re

_ACTION = re.compile(r"\{\{-?[ \t\r\n]*(/\*|[\w.$\"(`]\w*)?")
_OPENS = ("if", "range", "with", "define", "block")
#: What shows nothing of its own.
_SILENT = ("/*", "else", "end", "break", "continue")
#: Deeper templates than this have no end.
_MOST = 100_000


def unscripted(text: str) -> tuple[str, bool]:
    """The text with what is known of it, and whether that is all that there can be.

    Of a template that does not end well nothing is known.
    """
    made: list[str] = []
    at = depth = count = 0
    start = 0  # of the outermost block that is open
    whole = True
    for match in _ACTION.finditer(text):
        if match.start() < at:
            continue
        end = text.find("*/" if match[1] == "/*" else "}}", match.end())
        end = text.find("}}", end) + 2 if end >= 0 else 0
        count += 1
        if end < 2 or count > _MOST:
            return "", False
        if not depth:
            made.append(text[at : match.start()])
        word = match[1] or ""
        if word in _OPENS:
            start = match.start() if not depth else start
            depth, whole = depth + 1, False
        elif word == "end":
            depth -= 1
            if depth < 0:
                return "", False
            if not depth:
                made.append(_left_out(text, start, end))
        elif not depth:
            inside = text[match.start() : end]
            made.append(_blank(inside) if word in _SILENT else _placeholder(inside))
        at = end
    return ("".join([*made, text[at:]]), whole) if not depth else ("", False)


def _left_out(text: str, start: int, end: int) -> str:
    """What stands for a block: a placeholder where it is a part of a line that has more, else nothing."""
    inside = text[start:end]
    line = text.rfind("\n", 0, start) + 1
    if "\n" not in inside and text[line:start].strip(" \t-"):
        return _placeholder(inside)
    return _blank(inside)


def _placeholder(inside: str) -> str:
    first, *others = inside.split("\n")
    shown = "${" + "_" * (len(first) - 3) + "}" if len(first) > 2 else "${"
    return "\n".join([shown, *(" " * len(other) for other in others)])


def _blank(inside: str) -> str:
    return "\n".join(" " * len(line) for line in inside.split("\n"))

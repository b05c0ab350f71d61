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
#: Longer templates than this are not read.
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
            lines = _makes_lines(text, match.start(), end)
            whole = whole and not lines
            made.append(_blank(inside) if lines or word in _SILENT else _placeholder(inside))
        at = end
    return ("".join([*made, text[at:]]), whole) if not depth else ("", False)


def _left_out(text: str, start: int, end: int) -> str:
    """What stands for a block: a placeholder where it is a part of a line that has more, else nothing."""
    inside = text[start:end]
    line = text.rfind("\n", 0, start) + 1
    if "\n" not in inside and text[line:start].strip(" \t-"):
        return _placeholder(inside)
    return _blank(inside)


def _makes_lines(text: str, start: int, end: int) -> bool:
    """Whether an action stands alone on its line, and for no value of the line above."""
    line = text.rfind("\n", 0, start) + 1
    after = text.find("\n", end)
    if text[line:start].strip() or text[end : after if after >= 0 else len(text)].strip():
        return False
    above = text[max(line - _FAR, 0) : line].rstrip()
    return line == start or not above.endswith(":")


#: A key stands no farther above its value.
_FAR = 500


def _placeholder(inside: str) -> str:
    first, *others = inside.split("\n")
    shown = "${" + "_" * (len(first) - 3) + "}" if len(first) > 2 else "${"
    return "\n".join([shown, *(" " * len(other) for other in others)])


def _blank(inside: str) -> str:
    return "\n".join(" " * len(line) for line in inside.split("\n"))


def unanchored(text: str) -> str:
    """The text without the aliases of anchors that a template brings along."""
    anchors = set(_ANCHOR.findall(text))

    def kept(match: re.Match[str]) -> str:
        return match[0] if match[1] in anchors else "~" + " " * len(match[1])

    return _ALIAS.sub(kept, text)


_ANCHOR = re.compile(r"(?<=[:-] )&([\w-]+)")
_ALIAS = re.compile(r"(?<=[:-] )\*([\w-]+)")

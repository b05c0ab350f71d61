"""What a Go template puts out, line for line, as far as its values are known.

The template is not executed, and the text keeps its geometry: what is not known becomes a placeholder
of the same length, and what is left out is blank. Branches of conditions that the values decide are
put out; of loops, and of what hangs on something unknown, nothing is known.
"""

from __future__ import annotations

import re

from kcheck.syntax import go_template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from kcheck.syntax.go_template import Names

_OPENS = ("if", "range", "with", "define", "block")
_COMMENT = re.compile(r"\{\{-?[ \t\r\n]*/\*")
#: What takes white space away on either side; ``-3`` is a number.
_TRIMS = re.compile(r"\A-(?=\s)|(?<=\s)-\Z")
_NO_WORD = re.compile(r"[^\w.]+")
_ASSIGNS = re.compile(r"\$\w+\s*:?=(?!=)")
#: A field of a value that may be missing: ``((.Values.tests).topic).create``.
_FIELD_OF = re.compile(r"\([ \t]*([.$][\w.]*)[ \t]*\)(?=\.\w)")
_NESTED = 4
_QUOTED = re.compile(r"\bs?quote\b")
#: A document that a condition switches as a whole.
_WHOLE = re.compile(r"[ \t\r\n-]*(?:apiVersion|kind):")
#: A key stands no farther above its value, and a document begins so soon.
_FAR = 500
#: What stands before a key on its line, and the next line that is no action.
_INDENT = re.compile(r"[ \t]*(?:-[ \t]+)*")
_BELOW = re.compile(r"(?:[ \t]*(?:\{\{[^\n]*)?\n)+([ \t]*)(?!\{\{)(\S)")
#: Longer templates than this are not read.
_MOST = 100_000


class Tag:
    """A tag from its place on; ``end`` is 0 where it has none, ``content`` is "" for a comment."""

    __slots__ = ("content", "end", "start", "text")

    def __init__(self, template: str, start: int) -> None:
        self.start = start
        comment = _COMMENT.match(template, start)
        at = template.find("*/", comment.end()) if comment else start + 2
        close = template.find("}}", at) if at >= 0 else -1
        self.end = close + 2 if close >= 0 else 0
        self.text = template[start : self.end]
        content = "" if comment else _TRIMS.sub("", self.text[2:-2]).strip()
        for _ in range(_NESTED if ")." in content else 0):
            content = _FIELD_OF.sub(r"\1", content)
        self.content = content


class _Block:
    """A block that is open: whether it is put out, and whether a branch before was."""

    __slots__ = ("around", "part", "put_out", "settled", "start")

    def __init__(self, holds: bool | None, start: int, part: int, around: bool) -> None:
        self.put_out = self.settled = holds
        #: Whether what stands around it is put out.
        self.around = around
        self.start = start
        #: The number of parts that there were before it.
        self.part = part

    def otherwise(self, holds: bool | None) -> None:
        if self.settled is False:
            self.put_out = self.settled = holds
        else:
            self.put_out = False if self.settled else None


class Rendered:
    """A template's text, line for line; empty where the template does not end well.

    ``lost`` tells that lines are not in the text that the template may put out, ``unknown`` that some
    of its values are placeholders. ``sources`` are the names whose values stand in a line by the
    number of it, None where more than one value made it.
    """

    def __init__(self, template: str, names: Names, keys: Collection[str] = frozenset()) -> None:
        self.names = names
        #: Names of keys, whose values stand behind them on their line.
        self._keys = keys
        self.sources: dict[int, str | None] = {}
        self.lost = self.unknown = False
        #: The lines of branches that the values leave out.
        self.off: set[int] = set()
        self._open: list[_Block] = []
        self._parts: list[str] = []
        self._line = 1
        self._template = template
        sound = self._read()
        self.lost = self.lost or not sound
        self.text = "".join(self._parts) if sound else ""

    def _read(self) -> bool:
        """Follow the template to its end; whether all of it has its place."""
        text, at = self._template, 0
        for _ in range(_MOST):
            start = text.find("{{", at)
            if start < 0:
                self._text(text[at:])
                return not self._open
            self._text(text[at:start])
            tag = Tag(text, start)
            if not (tag.end and self._tag(tag)):
                return False
            at = tag.end
        return False

    def _shown(self) -> bool:
        return not self._open or bool(self._open[-1].around and self._open[-1].put_out)

    def _left_out(self) -> bool:
        """Whether the values say that what stands here is not put out."""
        first = next(block for block in self._open if not block.put_out)
        return first.put_out is False

    def _text(self, text: str) -> None:
        if not self._shown():
            if self._left_out():
                self.off.update(range(self._line, self._line + text.count("\n") + 1))
            # A line that parts documents parts them whatever stands around it.
            lines = text.split("\n")
            text = "\n".join(_blank(line) if line.rstrip() != "---" else line for line in lines)
        self._parts.append(text)
        self._line += text.count("\n")

    def _tag(self, tag: Tag) -> bool:
        """Follow a tag; whether it has a place in the template."""
        content = tag.content
        word, _, rest = content.partition(" ")
        if word in _OPENS:
            holds = self._holds(word, rest, tag.end)
            self._open.append(_Block(holds, tag.start, len(self._parts), self._shown()))
        elif word == "end":
            return self._close(tag)
        elif word == "else" and self._open:
            condition = rest.strip().removeprefix("if ")
            self._open[-1].otherwise(self._holds("if", condition, tag.end) if rest else True)
        elif content and not _ASSIGNS.match(content) and word != "else" and self._shown():
            self._put(content, tag)
            return True
        self._blank(tag)
        return True

    def _blank(self, tag: Tag) -> None:
        """Put nothing out for a tag: within a line not even blanks, which would part its text."""
        inside = tag.text
        begun = self._template.rfind("\n", 0, tag.start) + 1
        if self._template[begun : tag.start].strip():
            self.sources.setdefault(self._line, None)
            inside = "\n" * inside.count("\n")
        self._parts.append(_blank(inside))
        self._line += inside.count("\n")

    def _close(self, tag: Tag) -> bool:
        if not self._open:
            return False
        block = self._open.pop()
        self._blank(tag)
        if block.settled is None and self._shown():
            inside = self._template[block.start : tag.end]
            line = self._template.rfind("\n", 0, block.start) + 1
            if "\n" not in inside and self._template[line : block.start].strip(" \t-"):
                # A part of a line that has more.
                self._parts[block.part :] = [_placeholder(inside)]
                self.unknown = True
            else:
                self.lost = True
        return True

    def _holds(self, word: str, condition: str, end: int) -> bool | None:
        if word == "if":
            holds = go_template.truth(condition, self.names)
            whole = holds is None and _WHOLE.match(self._template, end, end + _FAR)
            return True if whole else holds
        return False if word in ("define", "block") else None

    def _put(self, content: str, tag: Tag) -> None:
        found = go_template.value(content, self.names)
        if found == go_template.NOTHING and not isinstance(found, bool):
            # An empty value is there to be filled in by who renders the template.
            found = None
        if found is None and self._makes_lines(tag):
            self.lost = True
            self._blank(tag)
            return
        name = content.partition("|")[0].strip()
        before = self.sources.get(self._line, name)
        alone = found is not None and (self._line not in self.sources or before in self._keys)
        self.sources[self._line] = name if alone else None
        if found is None:
            self.unknown = True
            self._parts.append(_placeholder(tag.text, content))
        else:
            text = str(found).lower() if isinstance(found, bool) else str(found)
            quoted = _QUOTED.search(content) and '"' not in text and "\\" not in text
            self._parts.append(f'"{text}"' if quoted else text)
            self._parts.append("\n" * tag.text.count("\n"))
        self._line += tag.text.count("\n")

    def _makes_lines(self, tag: Tag) -> bool:
        """Whether an action stands for lines of their own, and for no value of a key."""
        text, start, end = self._template, tag.start, tag.end
        line = text.rfind("\n", 0, start) + 1
        after = text.find("\n", end)
        before = text[line:start]
        if text[end : after if after >= 0 else len(text)].strip():
            return False
        if before.strip():
            return before.rstrip().endswith(":") and self._goes_on(before, after)
        above = text[max(line - _FAR, 0) : line].rstrip()
        key = above[above.rfind("\n") + 1 :]
        return line == start or not key.endswith(":") or self._goes_on(key, after)

    def _goes_on(self, key: str, at: int) -> bool:
        """Whether lines below a key belong to it as well, whatever an action makes of its value."""
        own = _INDENT.match(key)
        below = _BELOW.match(self._template, at, at + _FAR) if at >= 0 else None
        if own is None or below is None:
            return False
        deep, width = len(below[1]), own.end()
        return deep > width or (deep == width and "-" not in own[0] and below[2] == "-")


def unscripted(text: str) -> tuple[str, bool]:
    """A template's text with no value known, and whether that is all that there can be."""
    rendered = Rendered(text, _unknown)
    return rendered.text, not rendered.lost


def _unknown(_name: str) -> None:
    """The value of every name."""


def _placeholder(inside: str, content: str = "") -> str:
    """What all formats take for a value that is not known: as long as the text, and named after it."""
    first, *others = inside.split("\n")
    room = len(first) - 3
    named = _NO_WORD.sub("-", content).strip("-")[:room].ljust(room, "_")
    shown = f"${{{named}}}" if room > 0 else "${"
    return "\n".join([shown, *map(_blank, others)])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def unanchored(text: str) -> str:
    """The text without the aliases of anchors that a template brings along."""
    anchors = set(_ANCHOR.findall(text))

    def kept(match: re.Match[str]) -> str:
        return match[0] if match[1] in anchors else "~" + " " * len(match[1])

    return _ALIAS.sub(kept, text)


_ANCHOR = re.compile(r"(?<=[:-] )&([\w-]+)")
_ALIAS = re.compile(r"(?<=[:-] )\*([\w-]+)")

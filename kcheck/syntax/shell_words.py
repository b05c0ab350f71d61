"""The words of a shell's text, each as its parts: texts, variables, and commands whose output it is.

A quote that nothing closes ends the reading: ``open`` tells where it is.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from kcheck.syntax.shell_tree import ALL, OUTPUT, TEXT, UNKNOWN, VARIABLE, Part, Parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.syntax.shell_tree import Statement

#: Nested deeper, the rest of the text is left unread.
DEEPEST = 60

BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_STRETCH = re.compile(r"\{+[^\s'\"\\$`;|&()<>{]*|[^\s'\"\\$`;|&()<>{]+")
_INSIDE = re.compile(r'\{+[^"\\$`{]*|[^"\\$`{]+')
_BODY = re.compile(r"\{+[^\\$`{]*|[^\\$`{]+")
_ARGUMENT = re.compile(r"""[^"'\\$`}]+""")
#: What a template engine, or a reader of the documentation, fills in.
_TEMPLATE = (("${{", "}}"), ("{{", "}}"), ("{%", "%}"))
_LONGEST = 500
PLACEHOLDER = re.compile(r"<[A-Za-z][\w .-]{0,100}>")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_BRACED = re.compile(r"\{(!?#?)([A-Za-z_]\w*|[0-9]+|[@*])(\[[@*]\]|\[[^\]\n]{0,100}\])?")
_OPERATOR = re.compile(r":?[-=?+]|%%?|##?|[,^/:@]")
#: What the body of a here-document needs more than its text for.
_FILLED = re.compile(r"[\\$`]|\{\{")


class Words(ABC):
    """Reads the words of a text from ``at`` on; the statements of an output are the heir's to read."""

    def __init__(self, text: str, at: int = 0) -> None:
        self.text = text
        self.at = at
        #: Where a text inside of the whole ends.
        self.limit = len(text)
        self.depth = 0
        #: What ends the commands whose words are read: of the backticks around them, the second.
        self.closer = ""
        #: Where a quote opens that nothing closes; -1 without any.
        self.open = -1

    @abstractmethod
    def output(self, closer: str) -> list[Statement]:
        """The statements whose output is a part of a word, up to the sign that closes it."""

    def blanks(self) -> None:
        found = BLANK.match(self.text, self.at)
        if found is not None:
            self.at = found.end()

    def word(self) -> Parts | None:
        """The word there; None where none begins."""
        start = self.at
        parts: list[Part] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in " \t\r\n;|&()" or sign == self.closer == "`":
                break
            if sign in "<>" and not self._told(parts) and not self._process(parts):
                break
            if sign == "\\":
                if self.text.startswith(("\\\n", "\\\r\n"), self.at):
                    self.at = self.text.index("\n", self.at) + 1
                    continue
                self._escaped(parts)
            elif sign == "'":
                self._single(parts, self.at + 1)
            elif sign == '"':
                self._double(parts)
            elif sign in "$`":
                self._dollar(parts, False)
            elif sign not in "<>" and (sign != "{" or not self._told(parts)):
                self._stretch(parts, _STRETCH, False)
        return Parts(parts, start, self.at) if self.at > start else None

    def body(self, lines: list[tuple[int, int]], literal: bool) -> list[Part]:
        """The parts of a here-document that has these lines."""
        parts: list[Part] = []
        behind, at = self.at, 0
        for start, end in lines:
            if literal or not _FILLED.search(self.text, start, end):
                parts.append(Part(TEXT, self.text[start:end], start, end, True))
                continue
            self.at, self.limit = max(start, at), end
            while self.at < end:
                self._inside(parts, _BODY)
            at = self.at
        self.at, self.limit = behind, len(self.text)
        return parts

    def _stretch(self, parts: list[Part], pattern: re.Pattern[str], quoted: bool) -> None:
        """A text without any sign that means something, of one character at least."""
        found = pattern.match(self.text, self.at, self.limit)
        end = found.end() if found is not None else self.at + 1
        parts.append(Part(TEXT, self.text[self.at : end], self.at, end, quoted))
        self.at = end

    def _told(self, parts: list[Part]) -> bool:
        """Whether something else fills in what stands there: a template, or the reader."""
        end = self._template()
        if end < 0:
            found = PLACEHOLDER.match(self.text, self.at)
            if found is None:
                return False
            end = found.end()
        if self.text.startswith("{%", self.at):
            # A tag that prints nothing.
            parts.append(Part(TEXT, "", self.at, end, False))
        else:
            parts.append(Part(UNKNOWN, self.text[self.at : end], self.at, end, True))
        self.at = end
        return True

    def _template(self) -> int:
        """Where a template that begins there ends; -1 where none does."""
        for opening, closing in _TEMPLATE:
            if self.text.startswith(opening, self.at):
                end = self.text.find(closing, self.at, self.at + _LONGEST)
                if end >= 0 and self.text.find("\n", self.at, end) < 0:
                    return end + len(closing)
        return -1

    def _process(self, parts: list[Part]) -> bool:
        if not self.text.startswith(("<(", ">("), self.at):
            return False
        self._output(parts, self.at + 2, ")", True)
        parts[-1].kind = UNKNOWN
        return True

    def _escaped(self, parts: list[Part]) -> None:
        text = self.text[self.at + 1 : self.at + 2]
        made = Part(TEXT, text, self.at, self.at + 2, True)
        made.exact = False
        parts.append(made)
        self.at += 2

    def _single(self, parts: list[Part], start: int) -> None:
        end = self.text.find("'", start)
        if end < 0:
            parts.append(Part(UNKNOWN, self.text[start:], start, len(self.text), True))
            self._left_open(start - 1)
            return
        parts.append(Part(TEXT, self.text[start:end], start, end, True))
        self.at = end + 1

    def _double(self, parts: list[Part]) -> None:
        start, before = self.at, len(parts)
        self.at += 1
        parts.append(Part(TEXT, "", self.at, self.at, True))
        while self.at < len(self.text):
            if self.text[self.at] == '"':
                self.at += 1
                return
            self._inside(parts, _INSIDE)
        # What such a word is meant to be, and what follows, nobody can tell.
        parts[before:] = [Part(UNKNOWN, self.text[start:], start, len(self.text), True)]
        self._left_open(start)

    def _inside(self, parts: list[Part], stretch: re.Pattern[str]) -> None:
        """The part of a quoted text there."""
        sign = self.text[self.at]
        if sign == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            if following == "\n":
                self.at += 2
            elif following and following in '$`"\\' and (following != '"' or stretch is _INSIDE):
                self._escaped(parts)
            else:
                parts.append(Part(TEXT, sign, self.at, self.at + 1, True))
                self.at += 1
        elif sign in "$`":
            self._dollar(parts, True)
        elif sign != "{" or not self._told(parts):
            self._stretch(parts, stretch, True)

    def _left_open(self, start: int) -> None:
        if self.open < 0:
            self.open = start
        self.at = len(self.text)

    def _dollar(self, parts: list[Part], quoted: bool) -> None:
        start, text = self.at, self.text
        following = text[start + 1 : start + 2]
        if text[start] == "`":
            self._output(parts, start + 1, "`", quoted)
        elif following == "(":
            if not text.startswith("$((", start):
                self._output(parts, start + 2, ")", quoted)
                return
            end = text.find("))", start)
            self.at = end + 2 if end >= 0 else len(text)
            parts.append(Part(UNKNOWN, text[start : self.at], start, self.at, quoted))
        elif following == "{":
            if not self._told(parts):
                self._braced(parts, quoted)
        elif following == "'" and not quoted:
            self._single(parts, start + 2)
            if parts and "\\" in parts[-1].text:
                parts[-1].kind = UNKNOWN
        elif following == '"' and not quoted:
            self.at += 1
        else:
            self._named(parts, quoted)

    def _named(self, parts: list[Part], quoted: bool) -> None:
        start = self.at
        name = _NAME.match(self.text, start + 1)
        self.at = name.end() if name is not None else start + 1
        kind = VARIABLE if name is not None else TEXT
        if name is not None and name[0] in "@*":
            kind = ALL
        parts.append(Part(kind, name[0] if name else "$", start, self.at, quoted))

    def _output(self, parts: list[Part], begin: int, closer: str, quoted: bool) -> None:
        """The output of commands."""
        start = self.at
        self.at = begin
        made = Part(OUTPUT, "", start, start, quoted)
        limit, self.limit = self.limit, len(self.text)
        made.inner = self.output(closer)
        self.limit = limit
        if self.at >= len(self.text):
            self._left_open(start)
        self.at = min(self.at + 1, len(self.text))
        made.end = self.at
        made.text = self.text[start : self.at]
        parts.append(made)

    def _braced(self, parts: list[Part], quoted: bool) -> None:
        start = self.at
        found = _BRACED.match(self.text, start + 1)
        made = Part(VARIABLE, "", start, start, quoted)
        parts.append(made)
        self.at = found.end() if found is not None else start + 2
        if found is None or found[1]:
            made.kind = UNKNOWN
        else:
            made.text = found[2]
            if found[3] in ("[@]", "[*]") or found[2] in "@*":
                made.kind = ALL
            elif found[3]:
                made.kind = UNKNOWN
        operator = _OPERATOR.match(self.text, self.at)
        if operator is not None:
            made.operator = operator[0]
            self.at = operator.end()
        argument: list[Part] = []
        begin = self.at
        self.depth += 1
        while self.at < len(self.text) and self.text[self.at] != "}":
            self._argument(argument, quoted)
        self.depth -= 1
        made.argument = Parts(argument, begin, self.at)
        if self.at >= len(self.text):
            self._left_open(start)
        self.at = min(self.at + 1, len(self.text))
        made.end = self.at
        if made.kind == UNKNOWN:
            made.text = self.text[start : self.at]

    def _argument(self, parts: list[Part], quoted: bool) -> None:
        sign = self.text[self.at]
        if self.depth > DEEPEST:
            self._left_open(self.at)
        elif sign in "\\$`":
            self._inside(parts, _INSIDE)
        elif sign == "'" and not quoted:
            self._single(parts, self.at + 1)
        elif sign == '"':
            self._double(parts)
        else:
            self._stretch(parts, _ARGUMENT, True)

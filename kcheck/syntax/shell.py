"""A shell's text → its statements: simple commands, loops, functions and other blocks.

Nothing is run. A word is kept as its parts, so that ``shell_values`` can put together what the text
itself tells, and where each character of it stands. What is no shell ends where it is: an open quote
costs the rest of its line, and the reader goes on with the next one.
"""

from __future__ import annotations

import re

from kcheck.syntax.shell_tree import Assignment, Block, Function, Loop, Parts, Simple
from kcheck.syntax.shell_words import BLANK, DEEPEST, PLACEHOLDER, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from kcheck.syntax.shell_tree import Statement

    _Compound = TypeVar("_Compound", Block, Loop)

#: So many open quotes are left behind; the rest of such a text is unread.
_MOST_OPEN = 20

_COMMENT = re.compile(r"#[^\n]*")
#: Within backticks their end ends a comment as well.
_COMMENT_INSIDE = re.compile(r"#[^\n`]*")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_FUNCTION = re.compile(r"(?:function[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*\([ \t]*\)\s*(?=[{(])")
_NAMED = re.compile(r"function[ \t]+([A-Za-z_][\w.-]*)\s*(?=\{)")
_REDIRECT = re.compile(r"(?:\d{1,3}|&)?(<<<|<<-?|<>|<&|>>|>&|>\||<|>)")
#: What is no file, but names another stream: ``>&2``.
_STREAM = re.compile(r"[ \t]*(?:\d{1,3}|-)(?=[\s;|&)]|$)")
_DELIMITER = re.compile(r"""[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|(\\?)([^\s;|&<>()'"\\]+))""")
_KEYWORD = re.compile(
    r"(?:if|then|elif|else|fi|for|select|while|until|do|done|case|esac|time)(?=[\s;|&()]|$)"
    r"|[{}!](?=[\s;|&)]|$)|;;&?|;&|\)"
)
_IN = re.compile(r"\s*in(?=\s|$)")
_PATTERN = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?!esac\b)\(?[^()\n;&]*\)")

_OPENERS = {"if": "fi", "while": "done", "until": "done", "{": "}"}
_SKIPPED = frozenset(("then", "do", "!", "time"))
_ALTERNATIVES = frozenset(("else", "elif"))
_DECLARES = frozenset(("export", "local", "declare", "readonly", "typeset"))
_BRANCH = (";;", ";&", ";;&", "esac")


def statements(text: str) -> list[Statement]:
    """The statements of a shell's text."""
    made: list[Statement] = []
    reader = _Reader(text)
    for _ in range(_MOST_OPEN):
        made += reader.all()
        at = text.find("\n", reader.open) if reader.open >= 0 else -1
        if at < 0:
            break
        # The line with the open quote is lost, not what follows it.
        reader = _Reader(text, at + 1)
    return made


class _Reader(Words):
    def __init__(self, text: str, at: int = 0) -> None:
        super().__init__(text, at)
        #: The word that ended the last sequence.
        self._closer = ""
        #: Here-documents that begin on the next line: command, delimiter, and how they are written.
        self._pending: list[tuple[Simple | Block | Loop, str, bool, bool]] = []
        self._comment = _COMMENT

    def all(self) -> list[Statement]:
        made: list[Statement] = []
        while self.at < len(self.text):
            made += self._sequence(())
            # A closing word of nothing.
            self.at += 1
        return made

    def output(self, closer: str) -> list[Statement]:
        pending, self._pending = self._pending, []
        comment, outer = self._comment, self.closer
        self._comment = _COMMENT_INSIDE if closer == "`" else comment
        self.closer = closer
        made = self._sequence((), closer)
        self._comment, self.closer = comment, outer
        self._pending = pending + self._pending
        return made

    def _sequence(self, closers: tuple[str, ...], output: str = "") -> list[Statement]:
        """Statements up to one of the closing words, which is read too, or up to the sign that ends
        an output."""
        made: list[Statement] = []
        self._closer = ""
        self.depth += 1
        if self.depth > DEEPEST:
            self._left_open(self.at)
        piped = conditional = False
        while self.at < len(self.text):
            self._skip()
            sign = self.text[self.at : self.at + 1]
            if sign == output or (sign == ")" and not closers):
                break
            word = self._keyword()
            if word in closers:
                self.at += len(word)
                self._closer = word
                break
            if sign and sign in ";|&)\n":
                piped, conditional = self._separator(sign, piped, conditional)
            elif word in _SKIPPED or word in _ALTERNATIVES:
                self.at += len(word)
                if word in _ALTERNATIVES:
                    made.append(Block([], always=True))  # where another branch begins
            else:
                made += self._next(word, piped, conditional)
                piped = conditional = False
        self.depth -= 1
        return made

    def _next(self, word: str, piped: bool, conditional: bool) -> list[Statement]:
        before = self.at
        statement = self._statement(word)
        if self.at == before:
            self.at += 1
        if isinstance(statement, Simple):
            statement.piped, statement.conditional = piped, conditional
        return [statement] if statement is not None else []

    def _separator(self, sign: str, piped: bool, conditional: bool) -> tuple[bool, bool]:
        if self.text.startswith(("&&", "||"), self.at):
            self.at += 2
            return False, True
        self.at += 1
        if sign == "\n":
            self._documents()
            return piped, conditional
        return sign == "|", False

    def _skip(self) -> None:
        while True:
            found = BLANK.match(self.text, self.at) or self._comment.match(self.text, self.at)
            if found is None:
                return
            self.at = found.end()

    def _keyword(self) -> str:
        found = _KEYWORD.match(self.text, self.at)
        return found[0] if found is not None else ""

    def _statement(self, word: str) -> Statement | None:
        function = _FUNCTION.match(self.text, self.at) or _NAMED.match(self.text, self.at)
        if function is not None:
            self.at = function.end() + 1
            closer = "}" if self.text[function.end()] == "{" else ")"
            return Function(function[1], self._sequence((closer,)))
        if word in _OPENERS:
            self.at += len(word)
            body = self._sequence((_OPENERS[word],))
            return self._redirected(Block(_parted(body), always=word == "{"))
        if word in ("for", "select"):
            self.at += len(word)
            return self._loop()
        if word == "case":
            self.at += len(word)
            return self._case()
        if self.text[self.at : self.at + 1] != "(":
            return self._simple()
        if self.text.startswith("((", self.at):
            end = self.text.find("))", self.at)
            self.at = end + 2 if end >= 0 else len(self.text)
            return None
        self.at += 1
        return self._redirected(Block([self._sequence((")",))], always=True))

    def _redirected(self, block: _Compound) -> _Compound:
        """A block or loop with what is redirected to it."""
        while True:
            self.blanks()
            found = _REDIRECT.match(self.text, self.at)
            if found is None or self._no_redirect(found):
                return block
            self._redirect(block, found)

    def _loop(self) -> Statement:
        self._skip()
        name = self.word()
        if name is None or not name.bare.isidentifier():
            return Block([self._sequence(("done",))])
        words: list[Parts] | None = None
        found = _IN.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
            words = []
            self.blanks()
            while (word := self.word()) is not None:
                words.append(word)
                self.blanks()
        return self._redirected(Loop(name.bare, words, self._sequence(("done",))))

    def _case(self) -> Statement:
        """All branches, each by itself: which pattern fits is not looked at."""
        self._skip()
        self.word()
        found = _IN.match(self.text, self.at)
        self.at = found.end() if found is not None else self.at
        parts: list[list[Statement]] = []
        while self.at < len(self.text):
            found = _PATTERN.match(self.text, self.at)
            if found is None:
                parts.append(self._sequence(("esac",)))
                break
            self.at = found.end()
            parts.append(self._sequence(_BRANCH))
            if self._closer == "esac":
                break
        return self._redirected(Block(parts))

    def _simple(self) -> Simple | None:
        made = Simple(self.at)
        while self.at < len(self.text):
            self.blanks()
            redirect = _REDIRECT.match(self.text, self.at)
            if redirect is not None and not self._no_redirect(redirect):
                self._redirect(made, redirect)
            elif self.text.startswith("#", self.at):
                self._skip()
            elif not self._taken(made):
                break
        return made if made.words or made.assigned or made.redirects else None

    def _taken(self, command: Simple) -> bool:
        """Whether another word or assignment of the command was there."""
        found = _ASSIGNED.match(self.text, self.at)
        if found is not None and (not command.words or command.declares):
            command.assigned.append(self._assignment(found))
            return True
        word = self.word()
        if word is None:
            return False
        if not command.words and word.bare in _DECLARES:
            command.declares = word.bare
        command.words.append(word)
        return True

    def _no_redirect(self, found: re.Match[str]) -> bool:
        """Whether it is a process's output, or a placeholder, instead."""
        return (
            self.text.startswith("(", found.end())
            or PLACEHOLDER.match(self.text, found.start()) is not None
        )

    def _assignment(self, found: re.Match[str]) -> Assignment:
        self.at = found.end()
        if not self.text.startswith("(", self.at):
            value = self.word() or Parts([], self.at, self.at)
            return Assignment(found[1], value, bool(found[2]))
        self.at += 1
        words: list[Parts] = []
        while self.at < len(self.text):
            self._skip()
            if self.text.startswith("\n", self.at):
                self.at += 1
                continue
            word = self.word()
            if word is None:
                break
            words.append(word)
        self.at += self.text.startswith(")", self.at)
        return Assignment(found[1], words, bool(found[2]))

    def _redirect(self, command: Simple | Block | Loop, found: re.Match[str]) -> None:
        operator = found[1]
        self.at = found.end()
        if operator in ("<<", "<<-"):
            delimiter = _DELIMITER.match(self.text, self.at)
            if delimiter is not None:
                self.at = delimiter.end()
                end = delimiter[1] or delimiter[2] or delimiter[4] or ""
                literal = delimiter[4] is None or bool(delimiter[3])
                self._pending.append((command, end, operator == "<<-", literal))
            return
        stream = _STREAM.match(self.text, self.at) if operator in (">&", "<&") else None
        if stream is not None:
            self.at = stream.end()
            return
        self.blanks()
        word = self.word()
        if word is not None:
            # What a number before it redirects is no output.
            plain = found[0] in (operator, f"1{operator}")
            command.redirects.append((operator if plain else "", word))

    def _documents(self) -> None:
        """The here-documents that begin behind a newline."""
        pending, self._pending = self._pending, []
        for command, delimiter, dashed, literal in pending:
            start = self.at
            lines: list[tuple[int, int]] = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                begin = self.at + (len(line) - len(line.lstrip("\t")) if dashed else 0)
                self.at = min(end + 1, len(self.text))
                if self.text[begin:end].rstrip("\r") == delimiter:
                    break
                lines.append((begin, self.at))
            parts = self.body(lines, literal)
            command.redirects.append(("<<", Parts(parts, start, self.at)))


def _parted(body: list[Statement]) -> list[list[Statement]]:
    """The branches of a body, which empty blocks separate."""
    parts: list[list[Statement]] = [[]]
    for one in body:
        if isinstance(one, Block) and one.always and not one.parts:
            parts.append([])
        else:
            parts[-1].append(one)
    return parts

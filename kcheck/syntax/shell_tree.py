"""What a shell's text is read into: words with their parts, and statements."""

from __future__ import annotations

TEXT, VARIABLE, ALL, OUTPUT, UNKNOWN = "", "variable", "all", "output", "unknown"


class Part:
    """A part of a word: of the kinds above.

    ``text`` is the text, or the name of the variable, or what is written. ``exact``: each character
    of a text is the one at its place in the source.
    """

    __slots__ = ("argument", "end", "exact", "inner", "kind", "operator", "quoted", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int, quoted: bool) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end
        self.quoted = quoted
        self.exact = not kind
        #: Of a variable: ``:-`` and the like, with what stands behind it.
        self.operator = ""
        self.argument: Parts | None = None
        #: Of commands: the statements.
        self.inner: list[Statement] = []


class Parts:
    """A word as it is written; ``start`` and ``end`` are its place with its quotes."""

    __slots__ = ("end", "parts", "start")

    def __init__(self, parts: list[Part], start: int, end: int) -> None:
        self.parts = parts
        self.start = start
        self.end = end

    @property
    def bare(self) -> str:
        """Its text where it is written without quotes and variables; "" otherwise."""
        if any(part.kind or part.quoted for part in self.parts):
            return ""
        return "".join(part.text for part in self.parts)


class Assignment:
    """``name=value``; ``value`` is a list for an array, ``appended`` for ``+=``."""

    __slots__ = ("appended", "name", "value")

    def __init__(self, name: str, value: Parts | list[Parts], appended: bool) -> None:
        self.name = name
        self.value = value
        self.appended = appended


class Simple:
    """A command with its words. ``redirects`` are operators with what stands behind them: a word, or
    the text of a here-document. ``piped``: its input is the output of the command before.
    ``conditional``: it stands behind ``&&`` or ``||``."""

    __slots__ = ("assigned", "conditional", "declares", "piped", "redirects", "start", "words")

    def __init__(self, start: int) -> None:
        self.start = start
        self.assigned: list[Assignment] = []
        self.words: list[Parts] = []
        self.redirects: list[tuple[str, Parts]] = []
        self.piped = self.conditional = False
        #: ``export``, ``local`` …, whose words are assignments.
        self.declares = ""


class Loop:
    """``for name in words``; ``words`` is None where it goes over the script's own."""

    __slots__ = ("body", "name", "redirects", "words")

    def __init__(self, name: str, words: list[Parts] | None, body: list[Statement]) -> None:
        self.name = name
        self.words = words
        self.body = body
        self.redirects: list[tuple[str, Parts]] = []


class Function:
    __slots__ = ("body", "name")

    def __init__(self, name: str, body: list[Statement]) -> None:
        self.name = name
        self.body = body


class Block:
    """Statements of which it is not known which are run: of ``if``, ``while`` and ``case``. Those of
    one of ``parts`` may exclude those of another. ``always``: they are run, once (``{ … }``)."""

    __slots__ = ("always", "parts", "redirects")

    def __init__(self, parts: list[list[Statement]], always: bool = False) -> None:
        self.parts = parts
        self.always = always
        self.redirects: list[tuple[str, Parts]] = []


TYPE_CHECKING = False
if TYPE_CHECKING:
    Statement = Simple | Loop | Function | Block

"""What a shell's text is read into for formats: commands with their words, and exported variables."""

from __future__ import annotations

import re

from kcheck.syntax.shell_output import printed
from kcheck.syntax.shell_values import Word

_PRINTS = re.compile(
    r"(?:.*[_.-])?(?:echo|printf|print|cat|log|logs|info|grep|egrep|warn|warning|err|error|die|fail"
    r"|msg|message|say|step|banner|title|header|section|success|note|debug|usage|help)",
    re.IGNORECASE,
)


class Call:
    """A command with its words, and the text that it reads, as far as that is told.

    ``prints``: it shows its words, or keeps them in a variable or file, and runs none of them.
    """

    __slots__ = (
        "appends",
        "before",
        "conditional",
        "input",
        "output",
        "prints",
        "within",
        "words",
    )

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.input: Word | None = None
        #: The command whose output it reads.
        self.before: Call | None = None
        #: The file that the output goes to, and whether it is added to what is in it.
        self.output: Word | None = None
        self.appends = False
        #: Whether it is run hangs on something that is not known.
        self.conditional = False
        #: The command that runs the text in which it stands.
        self.within: Call | None = None
        self.prints = (
            bool(words) and _PRINTS.fullmatch(words[0].text.rpartition("/")[2]) is not None
        )

    @property
    def printed(self) -> Word | None:
        """What it gives to the command that reads its output, if that is known."""
        return printed(self) if self.output is None else None


class Export:
    """A variable that a text hands on to the programs that it starts; without a value where that is
    not known. ``start`` and ``end`` are the place of its name."""

    __slots__ = ("end", "name", "start", "value")

    def __init__(self, name: str, value: Word | None, start: int, end: int) -> None:
        self.name = name
        self.value = value
        self.start = start
        self.end = end

"""What a command is: its words, its options, and the function that does it."""

from __future__ import annotations

from kcheck.cli.options import OUTPUT, Option


class Word:
    """One positional argument."""

    __slots__ = ("help", "metavar", "name", "repeat", "required")

    def __init__(
        self, name: str, metavar: str, help: str, *, required: bool = False, repeat: bool = False
    ) -> None:
        self.name = name
        self.metavar = metavar
        self.help = help
        self.required = required
        self.repeat = repeat


class Command:
    """One command: ``target`` is the module of ``kcheck.cli`` and the function in it."""

    __slots__ = ("help", "name", "options", "target", "words")

    def __init__(
        self,
        name: str,
        target: str,
        help: str,
        words: tuple[Word, ...],
        options: tuple[Option, ...],
    ) -> None:
        self.name = name
        self.target = target
        self.help = help
        self.words = words
        self.options = options


def output(*formats: str) -> Option:
    """``--output`` of a command that prints one thing; the first format is the default."""
    return Option("--output", "Output format.", choices=formats, default=formats[0], panel=OUTPUT)


PATHS = Word("paths", "[PATH]...", "Files and folders (default: the current folder).", repeat=True)

"""The files that the commands of a shell write: their lines as far as they are told.

``cat``, ``echo`` and ``printf`` into a file, ``tee``, and what ``sed`` sets in one. What a file has that
is not written here nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcheck.syntax import sed
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word

#: What stands before the command that is meant.
_BEFORE = re.compile(r"(?:\S*/)?(?:sudo|exec|command|env|nohup|doas)|-[A-Za-z]+|\w+=\S*")
_SCRIPTS = ("-e", "--expression")
_PLACE = re.compile(r"-[A-Za-z]*i\S*|--in-place\S*")
#: So many lines of a text's files are kept.
_MOST = 20_000


class Line:
    """A line of a file: as it is written, or what ``sed`` makes of one (``edit``).

    ``conditional``: whether it is there hangs on something that is not known.
    """

    __slots__ = ("conditional", "edit", "word")

    def __init__(self, word: Word, conditional: bool, edit: sed.Edit | None = None) -> None:
        self.word = word
        self.conditional = conditional
        self.edit = edit


class Written:
    """A file as commands write it; ``whole``: nothing else is in it."""

    __slots__ = ("at", "conditional", "lines", "path", "whole")

    def __init__(self, path: str, at: Word, whole: bool, conditional: bool) -> None:
        self.path = path
        #: What writes it first.
        self.at = at
        self.whole = whole
        self.conditional = conditional
        self.lines: list[Line] = []

    @property
    def name(self) -> str:
        return self.path.rstrip("/").rpartition("/")[2]


def files(calls: Iterable[Call], ours: re.Pattern[str]) -> list[Written]:
    """The files with names that ``ours`` finds, each as often as it is written anew."""
    made: list[Written] = []
    latest: dict[str, Written] = {}
    count = 0
    for call in calls:
        for path, appends, lines in _writes(call):
            if not ours.search(path):
                continue
            file = latest.get(path)
            if file is None or not appends:
                # What is written into a file anew, and is not known, is no part of the one before.
                whole = not appends and lines is not None
                file = latest[path] = Written(path, call.words[0], whole, call.conditional)
                made.append(file)
            own = lines or []
            count += len(own)
            if count > _MOST:
                return made
            for line in own:
                # Within a file that is written at all, only what hangs on more is in doubt.
                line.conditional = call.conditional and not (file.whole and file.conditional)
                file.lines.append(line)
    return [file for file in made if file.lines]


def _writes(call: Call) -> Iterator[tuple[str, bool, list[Line] | None]]:
    """(path, whether it keeps what it has, lines) of each file that a command writes; the lines are
    None where they are not known."""
    words = _meant(call.words)
    name = words[0].text.rpartition("/")[2] if words else ""
    if name == "tee":
        appends = any(word.text in ("-a", "--append") for word in words)
        for word in words[1:]:
            if not word.text.startswith("-"):
                yield word.text, appends, _lines(call.input)
    elif name == "sed":
        yield from _edited(call, words)
    elif call.output is not None:
        yield call.output.text, call.appends, _lines(_printed(call, words))


def _printed(call: Call, words: list[Word]) -> Word | None:
    from kcheck.syntax.shell_output import printed

    # Only a redirection stays where no command is left.
    return printed(call, words or None)


def _meant(words: list[Word]) -> list[Word]:
    at = 0
    while at < len(words) and _BEFORE.fullmatch(words[at].text):
        at += 1
    return words[at:]


def _lines(text: Word | None) -> list[Line] | None:
    if text is None:
        return None
    return [Line(one, False) for one in text.split("\n")]


def _edited(call: Call, words: list[Word]) -> Iterator[tuple[str, bool, list[Line] | None]]:
    """What ``sed`` sets, in the files that it changes, or in the one that its output goes to."""
    scripts, files_, in_place = _arguments(words)
    edits = [Line(one.line, False, one) for each in scripts for one in sed.edits(each)]
    if in_place:
        for file in files_:
            yield file.text, True, edits
    elif call.output is not None:
        before = call.before
        while before is not None and (inner := _meant(before.words)):
            # A row of them, each of which reads what the one before makes.
            if inner[0].text.rpartition("/")[2] != "sed":
                break
            first = _arguments(inner)[0]
            edits = [Line(e.line, False, e) for each in first for e in sed.edits(each)] + edits
            before = before.before
        # What it changes lies elsewhere.
        yield call.output.text, True, edits


def _arguments(words: list[Word]) -> tuple[list[Word], list[Word], bool]:
    """The scripts of ``sed``, its files, and whether it changes these."""
    scripts: list[Word] = []
    plain: list[Word] = []
    in_place = False
    at = 1
    while at < len(words):
        text = words[at].text
        if text in _SCRIPTS or re.fullmatch(r"-[A-Za-z]*e", text):
            in_place = in_place or bool(_PLACE.fullmatch(text))
            scripts += words[at + 1 : at + 2]
            at += 1
        elif _PLACE.fullmatch(text):
            in_place = True
        elif not text.startswith("-") or len(text) == 1:
            plain.append(words[at])
        at += 1
    if not scripts:
        scripts, plain = plain[:1], plain[1:]
    return scripts, plain, in_place

"""What the steps of a Dockerfile write into Kafka's files: ``RUN``, and the command that it starts."""

from __future__ import annotations

from bisect import bisect_right

from kcheck.formats import Lookup
from kcheck.formats.commands import script_files
from kcheck.model import READ, Document, Position
from kcheck.syntax.dockerfile import Stage, Step
from kcheck.syntax.shell_calls import calls
from kcheck.syntax.shell_values import Piece, Word, source

_STEPS = ("RUN", "CMD", "ENTRYPOINT")


def add(document: Document, stage: Stage, lookup: Lookup) -> None:
    """Add the files that the steps of an image write, one after the other."""
    steps = _Steps()
    made = []
    for step, _, known in stage.filled():
        if step.name in _STEPS and not step.rest.startswith("["):
            word = steps.word(step)
            given = {name: _given(value) for name, value in known.items()}
            if script_files.holds(word.text):
                made += calls(word, script_files.holds, given)
    if script_files.add(document, [made], steps.place, lookup):
        document.status, document.reason = READ, ""


def _given(text: str) -> Word:
    """The value of a variable, which has no place in the step."""
    return Word([Piece(text, -1, -1, False)], -1, -1)


class _Steps:
    """Steps as stretches of one sequence of characters."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._steps: list[Step] = []
        self._size = 0

    def word(self, step: Step) -> Word:
        start = self._size
        self._starts.append(start)
        self._steps.append(step)
        self._size += len(step.rest) + 1
        return source(step.rest, start)

    def place(self, start: int, end: int) -> Position:
        """Where a stretch stands in the Dockerfile."""
        number = max(bisect_right(self._starts, start) - 1, 0)
        step, begin = self._steps[number], self._starts[number]
        last = min(max(end - begin, start - begin), len(step.rest))
        return step.place(start - begin, last)

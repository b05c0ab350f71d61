"""A Dockerfile as far as it says what a container is: the image below, variables, what is started.

The steps of the stages that the wanted one is made of count, from the lowest to the last.
"""

from __future__ import annotations

import re
import shlex
from bisect import bisect_right
from collections.abc import Mapping

from kcheck.model import Position
from kcheck.syntax.interpolate import Overgrown, expand

_ESCAPE = re.compile(r"\\[ \t]*$")
#: A part of a word, in quotes or without; several make one: ``'a b';``.
_PIECE = re.compile(r"""\"(?:[^"\\]|\\.)*"|'[^']*'|(?:\\.|[^\s\\"'])+|["'\\]""")
_ASSIGNED = re.compile(rf"([A-Za-z_]\w*)=((?:{_PIECE.pattern})*)")
#: What a reference to an image has in the place of an argument that nobody gives.
UNKNOWN = "\0"


class Step:
    """One instruction: its name in capitals, the rest of it, and where that stands.

    ``lines`` are the numbers of the lines that it has, each with where the rest of it begins there.
    """

    __slots__ = ("at", "lines", "name", "rest")

    def __init__(self, name: str, rest: str, at: Position, lines: list[tuple[int, int]]) -> None:
        self.name = name
        self.rest = rest
        self.at = at
        self.lines = lines

    def place(self, start: int, end: int) -> Position:
        """Where the characters from ``start`` to ``end`` of the rest stand."""
        (line, column), (last, end_column) = self._at(start), self._at(end)
        return line, column, last, end_column

    def _at(self, offset: int) -> tuple[int, int]:
        at = bisect_right(self.lines, offset, key=lambda one: one[1]) - 1
        line, begin = self.lines[max(at, 0)]
        return line, offset - begin + 1


class Assignment:
    """A variable that ENV sets: its text, None where it hangs on something else, and its places."""

    __slots__ = ("at", "key_at", "text")

    def __init__(self, text: str | None, at: Position, key_at: Position) -> None:
        self.text = text
        self.at = at
        self.key_at = key_at


class Stage:
    """What comes of a Dockerfile: an image from elsewhere and the steps on top of it."""

    __slots__ = ("arguments", "at", "image", "steps")

    def __init__(self, image: str, at: Position) -> None:
        self.image = image
        self.at = at
        self.steps: list[Step] = []
        #: Those of the build, and what comes before the first stage.
        self.arguments: dict[str, str | None] = {}

    def variables(self) -> dict[str, Assignment]:
        """What ENV sets, by name."""
        found: dict[str, Assignment] = {}
        for step in self.steps:
            if step.name == "ENV":
                for name, value, (begin, start, end) in _placed(step.rest):
                    text = None if "$" in value else value
                    key_at = step.place(begin, begin + len(name))
                    found[name] = Assignment(text, step.place(start, end), key_at)
        return found

    def filled(self) -> list[tuple[Step, str, dict[str, str]]]:
        """Each step with its text, arguments and variables filled in as far as they are known, and
        what is known of them there."""
        known: dict[str, str] = {}
        found: list[tuple[Step, str, dict[str, str]]] = []
        for step in self.steps:
            try:
                text = expand(step.rest, known.get)[0]
            except Overgrown:
                text = step.rest
            if step.name == "ARG":
                name, equals, default = text.partition("=")
                given = self.arguments.get(name.strip()) if name.strip() in self.arguments else None
                value = given or (default.strip("\"'") if equals else None)
                if value and "$" not in value:
                    known[name.strip()] = value
            elif step.name == "ENV":
                known.update((n, v) for n, v in _assigned(text) if "$" not in v)
            found.append((step, text, dict(known)))
        return found

    def sources(self) -> list[str]:
        """What COPY and ADD take from the folder of the build."""
        found: list[str] = []
        for step in self.steps:
            if step.name in ("COPY", "ADD") and "--from=" not in step.rest:
                found += [word for word in _words(step.rest)[:-1] if "://" not in word]
        return found

    def copies(self) -> list[tuple[str, str]]:
        """What is copied one by one from the folder of the build, each with where it is put."""
        steps = (one for one in self.steps if one.name == "COPY" and "--from=" not in one.rest)
        words = (_words(step.rest) for step in steps)
        return [(one[0], one[1]) for one in words if len(one) == 2]

    def targets(self) -> list[str]:
        """Where COPY and ADD put something."""
        steps = (step for step in self.steps if step.name in ("COPY", "ADD"))
        return [words[-1] for step in steps if (words := _words(step.rest))]

    def command(self) -> str:
        """All words that ENTRYPOINT and CMD start; "" where the image below says so itself."""
        last = {step.name: step.rest for step in self.steps if step.name in ("ENTRYPOINT", "CMD")}
        return " ".join(" ".join(_words(rest)) for rest in last.values())


def read(text: str, arguments: Mapping[str, str | None], target: str = "") -> Stage | None:
    """The stage that is built, the last one unless a target is named; None where there is none.

    ``arguments`` are those of the build, None for one of unknown value.
    """
    given: dict[str, str | None] = {}
    stages: list[tuple[str, Stage]] = []
    for step in _steps(text):
        if step.name == "ARG" and not stages:
            name, equals, default = step.rest.partition("=")
            given[name] = default.strip("\"'") if equals else None
            if name in arguments:
                given[name] = arguments[name]
        elif step.name == "FROM":
            stages.append(_stage(step, given, stages))
        elif stages:
            stages[-1][1].steps.append(step)
    for _, stage in stages:
        stage.arguments = {**given, **arguments}
    wanted = [stage for name, stage in stages if name == target.lower()] if target else []
    if target and not wanted:
        return stages[int(target)][1] if target.isdecimal() and int(target) < len(stages) else None
    return wanted[-1] if wanted else (stages[-1][1] if stages else None)


def _stage(
    step: Step, given: Mapping[str, str | None], stages: list[tuple[str, Stage]]
) -> tuple[str, Stage]:
    words = [word for word in step.rest.split() if not word.startswith("--")]
    image = words[0] if words else ""
    try:
        filled = expand(image, lambda name: given.get(name) or UNKNOWN)[0]
    except Overgrown:
        filled = UNKNOWN
    name = words[2].lower() if len(words) == 3 and words[1].lower() == "as" else ""
    below = next((stage for other, stage in stages if other and other == filled.lower()), None)
    if below is None:
        start = step.at[1] + step.rest.find(image)
        return name, Stage(filled, (step.at[0], start, step.at[0], start + len(image)))
    made = Stage(below.image, below.at)
    made.steps = list(below.steps)
    return name, made


def _steps(text: str) -> list[Step]:
    found: list[Step] = []
    parts: list[str] = []
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        more = _ESCAPE.search(line)
        parts.append(line[: more.start()] if more else line)
        lines.append(number)
        if more:
            continue
        found.append(_step(parts, lines))
        parts, lines = [], []
    return [*found, _step(parts, lines)] if parts else found


def _step(parts: list[str], numbers: list[int]) -> Step:
    text = "\n".join(parts)
    name, _, rest = text.strip().partition(" ")
    column = len(text) - len(text.lstrip()) + len(name) + 2
    end = column + len(rest.split("\n", 1)[0])
    # Where the rest begins, from the beginning of each line.
    before = column - 1 + len(rest) - len(rest.lstrip())
    lines: list[tuple[int, int]] = []
    for part, number in zip(parts, numbers, strict=True):
        lines.append((number, -before))
        before -= len(part) + 1
    at = (numbers[0], column, numbers[0], end)
    return Step(name.upper(), rest.replace("\n", " ").strip(), at, lines)


def _assigned(rest: str) -> list[tuple[str, str]]:
    return [(name, value) for name, value, _ in _placed(rest)]


def _placed(rest: str) -> list[tuple[str, str, tuple[int, int, int]]]:
    """``A=b C="d e"``, or the old ``A b c``: name, value, and where name and value begin and it ends."""
    name, blank, value = rest.partition(" ")
    if blank and "=" not in name:
        start = len(rest) - len(value.lstrip())
        return [(name, value.strip(), (0, start, start + len(value.strip())))]
    found: list[tuple[str, str, tuple[int, int, int]]] = []
    for match in _ASSIGNED.finditer(rest):
        start, end = match.span(2)
        pieces = _PIECE.findall(match[2])
        whole = len(pieces) == 1 and _quoted(match[2])
        span = (match.start(1), start + whole, end - whole)
        found.append((match[1], "".join(map(_unquoted, pieces)), span))
    return found


def _quoted(text: str) -> bool:
    return len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1] if _quoted(text) else text)


def _words(rest: str) -> list[str]:
    """The words of a command, written as JSON or for a shell; options are left out."""
    if rest.lstrip().startswith("["):
        rest = rest.strip().strip("[]").replace(",", " ")
    try:
        words = shlex.split(rest)
    except ValueError:
        words = rest.split()
    return [word for word in words if not word.startswith("--")]

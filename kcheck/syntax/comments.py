"""``# kcheck:`` comments: where they stand, and which lines they speak for.

Only files that hold the word are looked at. Whether a ``#`` starts a comment is asked of the
format's own grammar: in YAML it may be part of a scalar, in ``.properties`` it is part of the value
wherever it does not begin the line.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from kcheck.model import Comment
from kcheck.syntax.entry import lines_of

WORD = b"kcheck:"
_WORD = WORD.decode()
_BLANKS = " \t\f"
#: So many ignores nobody keeps in one file.
_MOST = 1000


def find(path: str, data: bytes) -> list[Comment]:
    """The comments of a file that holds ``WORD``, in the order of their lines."""
    if path.endswith(".json"):
        return []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if path.endswith((".yaml", ".yml")):
        return _Yaml(text.removeprefix("\ufeff"), data).comments()
    return (_Hcl if path.endswith((".tf", ".tofu")) else _Lines)(text).comments()


class _Lines:
    """Files in which only a whole line is a comment: ``.properties`` and its like."""

    marks = "#!"
    #: What is wrong with a comment behind something else on its line.
    behind = "a comment in this format requires its own line: here it is part of the value"

    def __init__(self, text: str) -> None:
        self.lines = lines_of(text)
        self.contents = self._contents()

    def _contents(self) -> list[int]:
        """Numbers of the lines that are neither blank nor comments."""
        found: list[int] = []
        joined = False
        for number, line in enumerate(self.lines, 1):
            body = line.strip(_BLANKS)
            if joined or (body and body[0] not in self.marks):
                found.append(number)
                joined = (len(body) - len(body.rstrip("\\"))) % 2 == 1
        return found

    def comments(self) -> list[Comment]:
        content = set(self.contents)
        found: list[Comment] = []
        for number, line in enumerate(self.lines, 1):
            if _WORD not in line:
                continue
            start, text = _directive(line)
            if start < 0:
                continue
            comment = Comment((number, start + 1, number, len(line) + 1), text)
            if len(found) == _MOST:
                comment.mistake = f"only the first {_MOST:,} ignores of a file are read"
                found.append(comment)
                break
            if number not in content:
                self._place(comment)
            else:
                comment.mistake = self.behind
            found.append(comment)
        return found

    def _place(self, comment: Comment) -> None:
        """Which lines a comment on a line of its own speaks for."""
        number = comment.at[0]
        following = _next(self.contents, number)
        comment.top = not self.contents or number < self.contents[0]
        comment.first = 1 if comment.top else number
        comment.last = comment.head = following or len(self.lines)


class _Hcl(_Lines):
    """Terraform: a comment may follow a value; lines also begin theirs with slashes."""

    marks = "#/"
    behind = ""


def _directive(line: str) -> tuple[int, str]:
    """(offset of the ``#``, text after ``kcheck:``), or (-1, "")."""
    at = line.find(_WORD)
    while at >= 0:
        before = line[:at].rstrip(_BLANKS)
        if before.endswith("#") or (before == "!"):
            return len(before) - 1, line[at + len(_WORD) :].strip()
        at = line.find(_WORD, at + 1)
    return -1, ""


class _Yaml(_Lines):
    """YAML: a comment may follow a value, and a ``#`` inside of a scalar is none."""

    marks = "#"
    behind = ""

    def __init__(self, text: str, data: bytes) -> None:
        self._data = data
        #: The lines that part documents, once they are asked for.
        self._ends: list[int] | None = None
        self._scalars: list[tuple[tuple[int, int], tuple[int, int]]] | None = None
        super().__init__(text)

    def _contents(self) -> list[int]:
        return [
            number
            for number, line in enumerate(self.lines, 1)
            if (body := line.strip(_BLANKS)) and body[0] != "#" and not _parts(line)
        ]

    def comments(self) -> list[Comment]:
        return [comment for comment in super().comments() if not self._in_scalar(comment)]

    def _place(self, comment: Comment) -> None:
        super()._place(comment)
        parts = self._ends
        if parts is None:
            parts = self._ends = [n for n, line in enumerate(self.lines, 1) if _parts(line)]
        end = _next(parts, comment.at[0]) or len(self.lines) + 1
        if comment.last >= end:  # nothing follows in this document
            comment.last = comment.head = end - 1
            return
        before = bisect_left(parts, comment.at[0])
        begin = parts[before - 1] if before else 0
        if not 0 < _next(self.contents, begin) < comment.at[0]:
            comment.until = end - 1
        line = self.lines[comment.last - 1].partition(" #")[0].rstrip()
        below = _next(self.contents, comment.last)
        if line.endswith(":") and below and not self.lines[below - 1].lstrip().startswith("-"):
            comment.head = below

    def _in_scalar(self, comment: Comment) -> bool:
        if self._scalars is None:
            self._scalars = _scalars(self._data)
        place = comment.at[:2]
        # They follow one another and do not overlap.
        before = bisect_right(self._scalars, (place, _LAST))
        return before > 0 and place < self._scalars[before - 1][1]


_LAST = (1 << 62, 0)


def _next(numbers: list[int], number: int) -> int:
    """The first of the sorted numbers above that one, 0 where there is none."""
    at = bisect_right(numbers, number)
    return numbers[at] if at < len(numbers) else 0


def _parts(line: str) -> bool:
    """Whether the line parts documents."""
    return line.startswith(("---", "...")) and line[3:4] in ("", " ", "\t")


def _scalars(data: bytes) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """(start, end) of the scalars in which a ``#`` may stand; up to the first error in the text."""
    from kcheck.syntax import pyyaml  # noqa: F401  before PyYAML itself

    import yaml  # isort: skip

    found: list[tuple[tuple[int, int], tuple[int, int]]] = []
    try:
        for token in yaml.scan(data, getattr(yaml, "CLoader", yaml.Loader)):
            if isinstance(token, yaml.ScalarToken):
                start, end = token.start_mark, token.end_mark
                first = (start.line + 1, start.column + 1)
                if token.style in ("|", ">"):
                    # What follows the sign of a block scalar on its line may be a comment.
                    first = (start.line + 2, 1)
                found.append((first, (end.line + 1, end.column + 1)))
    except (yaml.YAMLError, RecursionError, ValueError):
        pass
    return found

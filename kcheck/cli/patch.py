"""``lint --diff``: changes as one patch that ``git apply`` and ``patch -p1`` take as it is.

Nothing secret is shown for its sake, and nothing that a terminal or a CI would take for an order: the
lines around a change end where such a line begins. Where the change itself is one, or no line is left
behind it, there is no patch for its file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import SequenceMatcher

from kcheck import secrets
from kcheck.report.printable import printable

#: So many lines are shown around a change.
_AROUND = 3

#: Lines are searched for secrets with so many of their neighbours.
_BLOCK = 512
_ABOVE = 64
#: From this length on a line is searched on its own, too.
_LONG = 2_000

_COLORS = {"-": "31", "+": "32", "@": "36"}


class Patch:
    """The bytes of a patch, and of files that it leaves out the lines (from 0) that are why."""

    __slots__ = ("data", "left_out")

    def __init__(self) -> None:
        self.data = b""
        self.left_out: dict[str, list[tuple[int, int]]] = {}

    def painted(self) -> bytes:
        """The patch as a terminal shows it in colours."""
        lines = self.data.split(b"\n")
        return b"\n".join(map(_painted, lines))


def _painted(line: bytes) -> bytes:
    if line.startswith((b"--- ", b"+++ ")):
        style = "1"
    else:
        style = _COLORS.get(line[:1].decode("latin-1"), "")
    return b"\x1b[%sm%s\x1b[0m" % (style.encode(), line) if style else line


def of(texts: Mapping[str, bytes], before: Callable[[str], bytes | None]) -> Patch:
    """The patch that makes these texts of what was ``before``."""
    made = Patch()
    for path, data in sorted(texts.items()):
        old = before(path) or b""
        if not _nameable(path):
            made.left_out[path] = []
            continue
        hunks, bad = _hunks(_lines(old), _lines(data))
        if bad:
            made.left_out[path] = bad
        elif hunks:
            head = f"--- a/{path}\n+++ b/{path}\n".encode()
            made.data += head + "".join(hunks).encode("latin-1")
    return made


def _nameable(path: str) -> bool:
    """Whether git takes the path from a patch: one below the folder that it is applied in."""
    if path.startswith(("/", "../")) or any(sign in path for sign in '"\\'):
        return False
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return printable(path) == path and "\t" not in path


def _lines(data: bytes) -> list[str]:
    """The lines with their ends, a character for each byte; str.splitlines would find more."""
    lines = data.decode("latin-1").split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _hunks(old: list[str], new: list[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """The hunks, and (first, last) of the old lines of changes that no patch may show."""
    changes = [op[1:] for op in SequenceMatcher(None, old, new).get_opcodes() if op[0] != "equal"]
    shown, shown_new = _visible(old), _visible(new)
    bad: list[tuple[int, int]] = []
    spans: list[list[tuple[int, int, int, int]]] = []
    edges: list[tuple[int, int]] = []
    for change in changes:
        first, last, new_first, new_last = change
        above, below = first, last
        while above and first - above < _AROUND and shown(above - 1):
            above -= 1
        while below < len(old) and below - last < _AROUND and shown(below):
            below += 1
        hides = not (
            all(map(shown, range(first, last))) and all(map(shown_new, range(new_first, new_last)))
        )
        if hides:
            bad.append((first, max(first, last - 1)))
        elif below == last < len(old):
            # git asks for a line behind a change. The change of the last line is at fault: without
            # it, that line is the one.
            bad.append((max(first, last - 1),) * 2)
        elif edges and above <= edges[-1][1]:
            edges[-1] = edges[-1][0], below
            spans[-1].append(change)
        else:
            edges.append((above, below))
            spans.append([change])
    return [_hunk(old, new, *edge, group) for edge, group in zip(edges, spans, strict=True)], bad


def _hunk(
    old: list[str], new: list[str], above: int, below: int, changes: list[tuple[int, int, int, int]]
) -> str:
    rows: list[str] = []
    at = above
    for first, last, new_first, new_last in changes:
        rows += (f" {line}" for line in old[at:first])
        rows += (f"-{line}" for line in old[first:last])
        rows += (f"+{line}" for line in new[new_first:new_last])
        at = last
    rows += (f" {line}" for line in old[at:below])
    new_above = changes[0][2] - (changes[0][0] - above)
    new_below = changes[-1][3] + below - changes[-1][1]
    whole = (
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows
    )
    return f"@@ -{_range(above, below)} +{_range(new_above, new_below)} @@\n" + "".join(whole)


def _range(first: int, last: int) -> str:
    count = last - first
    # An empty range is told by the line before it.
    return f"{first + (count > 0)},{count}"


def _visible(lines: list[str]) -> Callable[[int], bool]:
    """Whether a line may be shown: no secret is in it, and nothing that is an order."""
    bare = [_read(line.removesuffix("\n")) for line in lines]
    hidden = _secret(bare)

    def visible(at: int) -> bool:
        if at in hidden:
            return False
        line = bare[at].removesuffix("\r").replace("\t", " ")
        return printable(line) == line

    return visible


def _read(line: str) -> str:
    """The text of a line of bytes."""
    data = line.encode("latin-1")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return line


def _secret(bare: list[str]) -> set[int]:
    """The lines in which secrets are; what a line is part of says so, too."""
    found: set[int] = set()
    for first in range(0, len(bare), _BLOCK):
        above = max(0, first - _ABOVE)
        read = secrets.spans_of_lines(bare, above, first + _BLOCK)
        for at in range(first, min(len(bare), first + _BLOCK)):
            if read[at - above] or (len(bare[at]) > _LONG and secrets.spans(bare[at])):
                found.add(at)
    # A line of the same text elsewhere may give away what it is.
    texts = {bare[at] for at in found}
    return {at for at, line in enumerate(bare) if line in texts}

"""Edits → texts: what a fix replaces is written as the file writes it, all else stays as it is.

An edit speaks of values. Here they get the quotes, escapes and spellings of the place that they
take; an edit whose place does not say what it should is left out, and so is what would have to be
written in a way that nobody can be sure of.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable

from kcheck import alignment
from kcheck.model import SEVERITY_RANK, Edit, Finding

_YAML = (".yaml", ".yml")
_HCL = (".tf", ".tofu", ".tfvars")
#: The name of an attribute before its value, as HCL alone may have it.
_ATTRIBUTE = re.compile(r'(?:"|^[ \t]*\w+)[ \t]*=[ \t]*$')
_PROPERTIES = (".properties", ".config", ".conf", ".cnf", ".cfg", ".delta")

#: What YAML takes for something else than a text.
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "~", "y", "n"})
_NUMBER = re.compile(r"[-+]?(\d[\d_]*)?(\.\d*)?([eE][-+]?\d+)?\Z|0[xo][0-9a-fA-F]+\Z")
#: Texts that mean the same with and without quotes, in whatever they stand.
_PLAIN = re.compile(r"[A-Za-z0-9_./$-][A-Za-z0-9_./:$;*+=@-]*\Z")
#: A list of such texts, which properties files take as it is.
_LIST = re.compile(rf"{_PLAIN.pattern[:-2]}(,{_PLAIN.pattern[:-2]})*\Z")
_ENDS = re.compile(r"\r\n|\r|\n")
_YAML_ENDS = re.compile("\r\n|\r|\n|\x85|\u2028|\u2029")


def chosen(findings: Iterable[Finding], unsafe: bool) -> list[Finding]:
    """The findings whose fixes are to be made: the gravest first, of one span one alone."""
    taken: dict[str, list[tuple[tuple[int, int], tuple[int, int]]]] = {}
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda f: -SEVERITY_RANK[f.severity]):
        fix = finding.fix
        if fix is None or not fix.edits or not (fix.safe or unsafe):
            continue
        spans = [(edit.path, (edit.at[:2], edit.at[2:])) for edit in fix.edits]
        if any(_meet(span, other) for path, span in spans for other in taken.get(path, ())):
            continue
        for path, span in spans:
            taken.setdefault(path, []).append(span)
        kept.append(finding)
    return kept


def _meet(
    one: tuple[tuple[int, int], tuple[int, int]], other: tuple[tuple[int, int], tuple[int, int]]
) -> bool:
    return one == other or (one[0] < other[1] and other[0] < one[1])


def applied(
    findings: Iterable[Finding], read: Callable[[str], bytes | None]
) -> tuple[dict[str, bytes], list[Finding]]:
    """The new bytes of every file that the fixes change, and the findings whose fixes are made.

    A fix is made whole or not at all. ``read`` gives the bytes of a file, None where it cannot.
    """
    sources: dict[str, _Source | None] = {}
    made: list[Finding] = []
    for finding in findings:
        places: list[tuple[_Source, int, int, str]] = []
        for edit in finding.fix.edits if finding.fix else ():
            if edit.path not in sources:
                data = read(edit.path)
                sources[edit.path] = None if data is None else _source(edit.path, data)
            source = sources[edit.path]
            place = source.place(edit) if source is not None else None
            if source is None or place is None:
                break
            places.append((source, *place))
        else:
            for source, start, end, text in places:
                source.changes.append((start, end, text))
            made.append(finding)
    changed = {p: s.changed() for p, s in sources.items() if s is not None and s.changes}
    return changed, made


def _source(path: str, data: bytes) -> _Source | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    for encoding in ("utf-8", "latin-1"):
        try:
            return _Source(path, data.decode(encoding), encoding)
        except UnicodeDecodeError:
            continue
    return None


class _Source:
    """The text of one file on its way into another."""

    def __init__(self, path: str, text: str, encoding: str) -> None:
        self.path = path
        self.text = text
        self.encoding = encoding
        #: (start, end, text) by offsets.
        self.changes: list[tuple[int, int, str]] = []
        yaml = path.endswith(_YAML)
        ends = _YAML_ENDS if yaml else _ENDS
        # libyaml does not count the byte order mark.
        first = 1 if yaml and text.startswith("\ufeff") else 0
        self._starts = [first, *(match.end() for match in ends.finditer(text))]
        self._ends = [*(match.start() for match in ends.finditer(text)), len(text)]

    def changed(self) -> bytes:
        text = self.text
        behind = len(text) + 1
        for start, end, new in sorted(self.changes, reverse=True):
            stop = end
            given = self._filled(end, behind, len(new) - (end - start)) if "\n" not in new else None
            if given is not None:
                stop, blanks = given
                new += blanks
            text = text[:start] + new + text[stop:]
            behind = start
        return alignment.aligned(self.path, self.text, text).encode(self.encoding)

    def _filled(self, end: int, behind: int, growth: int) -> tuple[int, str] | None:
        """(offset, text) up to which blanks give way to a change, where no other one comes first."""
        line = bisect_right(self._starts, end) - 1
        found = alignment.filled(self.text[end : self._ends[line]], growth)
        if found is None or end + found[0] > behind:
            return None
        return end + found[0], found[1]

    def place(self, edit: Edit) -> tuple[int, int, str] | None:
        """(start, end, new text) of an edit; None where it cannot be made."""
        line, column, end_line, end_column = edit.at
        if not edit.text and (column, end_line, end_column) == (1, line + 1, 1):
            return self._whole(line, edit.old or "")
        if line > len(self._starts) or line != end_line:
            return None
        start = self._starts[line - 1] + column - 1
        end = self._starts[line - 1] + end_column - 1
        if end > self._ends[line - 1]:
            return None
        if edit.old is None:
            return self._own(line, start, end, edit.text)
        written, before = self.text[start:end], self.text[self._starts[line - 1] : start]
        text = self._spelt(written, edit.text, edit.old, before)
        return None if text is None else (start, end, text)

    def _whole(self, line: int, key: str) -> tuple[int, int, str] | None:
        """A line that goes; only where it is one of a key with its value, and nothing hangs on it."""
        if line > len(self._starts) or self.path.endswith(".json"):
            return None
        start, end = self._starts[line - 1], self._ends[line - 1]
        bare = self.text[start:end].strip().removeprefix("- ").lstrip().lstrip("\"'")
        rest = bare.removeprefix(key).lstrip("\"' \t")
        value = rest[1:].strip() if rest[:1] in ("=", ":") else rest
        opens = value[:1] in ("", *"|>{[&") or value.endswith(("\\", "{", "[", "("))
        if not key or not bare.startswith(key) or opens:
            return None
        return start, self._starts[line] if line < len(self._starts) else end, ""

    def _own(self, line: int, start: int, end: int, text: str) -> tuple[int, int, str] | None:
        """A text that is to be put there as it is: a comment, or nothing in place of one."""
        if text.endswith("\n"):
            text = text[:-1] + self._line_end(line)
        if text or end != self._ends[line - 1]:
            return start, end, text
        before = self.text[self._starts[line - 1] : start]
        if before.strip():
            return start - (len(before) - len(before.rstrip())), end, ""
        following = self._starts[line] if line < len(self._starts) else end
        return self._starts[line - 1], following, ""

    def _line_end(self, line: int) -> str:
        following = self._starts[line] if line < len(self._starts) else self._ends[line - 1]
        return self.text[self._ends[line - 1] : following] or "\n"

    def _spelt(self, written: str, new: str, old: str, before: str) -> str | None:
        """The new text as it is to be written in place of ``written``, which should mean ``old``."""
        try:
            new.encode(self.encoding)
        except UnicodeEncodeError:
            return None
        if not new or not new.isprintable():
            return None
        quote = written[:1]
        if len(written) > 1 and quote in "\"'" and written.endswith(quote):
            return _quoted(written, new, old)
        if written != old and written != old.strip():
            # Escaped, interpolated, or behind an anchor: the value is not what stands there.
            return None
        if self.path.endswith(_PROPERTIES):
            return new if _LIST.match(new) or _alike(written, new) else None
        if self.path.endswith(".json"):
            return new if _bare(new) else (f'"{new}"' if _simple(new) else None)
        if self.path.endswith(_HCL) and not _bare(new) and _ATTRIBUTE.search(before):
            return None  # HCL would take a word for a reference
        inside = before.rstrip().endswith("=") or not self.path.endswith(_YAML)
        if inside or (_PLAIN.match(new) and (_kind(new) in ("", _kind(written)))):
            return new if _PLAIN.match(new) or _alike(written, new) else None
        return f'"{new}"' if _simple(new) else None


def _bare(new: str) -> bool:
    """Whether JSON and HCL write it without quotes."""
    return bool(_NUMBER.match(new)) or new in ("true", "false")


def _quoted(written: str, new: str, old: str) -> str | None:
    quote, inner = written[0], written[1:-1]
    if not _simple(inner) or not _simple(new) or inner.strip() != old.strip():
        return None
    return f"{quote}{new}{quote}"


def _simple(text: str) -> bool:
    """Whether the text is the same within quotes of either sort."""
    return not any(char in text for char in "\"'\\$")


def _alike(written: str, new: str) -> bool:
    """Whether the new text is a part of the old one: what could be written there still can."""
    return new in written and "#" not in new and "\\" not in new


def _kind(text: str) -> str:
    """What YAML takes a plain text for; "" for a text."""
    if text.lower() in _WORDS:
        return "word"
    return "number" if _NUMBER.match(text) else ""

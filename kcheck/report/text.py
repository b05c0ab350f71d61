"""``text``: a finding with its source lines, every value that was weighed marked in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck.model import DISAPPEARS, ERROR, INFO, WARNING, WITH
from kcheck.report.folding import NARROW, folded
from kcheck.report.folding import lines as lines_of
from kcheck.report.labels import labelled
from kcheck.report.marks import Mark, by_version, sorted_out
from kcheck.report.printable import printable
from kcheck.report.record import Records
from kcheck.report.run import SAFE, UNSAFE, Run
from kcheck.report.source import Shown, Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kcheck.model import Finding
    from kcheck.report.beside import Cause

_COLORS = {ERROR: "1;31", WARNING: "1;33", INFO: "1;36"}
_FRAME = "1;34"
#: A safe fix, and one that asks for a look.
_MARKS = {SAFE: "32", UNSAFE: "33"}
_BOLD = "1"
#: Beside a sign a label has at least so many columns, else it stands below.
_LABEL = 24
#: So many places of like findings are told.
_FEW = 5


def render(run: Run, color: bool) -> str:
    if any(finding.change is not None for finding in run.findings):
        return _upgrade(run, color)
    painter = _Painter(run, color)
    parts: list[str] = []
    group = ""
    records = Records(run)
    told, causes = run.parted()
    for finding, others in _by_cause(run, told):
        record = labelled(records.one(finding), finding)
        if run.fold and record["path"] != group:
            parts.append("::endgroup::\n" if group else "")
            group = record["path"]
            parts.append(f"::group::{printable(group)}\n")
        same = [labelled(records.one(other), other) for other in others]
        parts.append(painter.finding(record, records.secrets_near(finding), same=same))
    if group:
        parts.append("::endgroup::\n")
    parts += (painter.cause(cause, records.message(cause.findings[0])) for cause in causes)
    return "".join(parts)


def _by_cause(run: Run, told: list[Finding]) -> Iterator[tuple[Finding, list[Finding]]]:
    """The findings that are told in full, each with the others of its cause."""
    if len(told) == len(run.findings):
        causes = run.causes
    else:
        from kcheck.causes import causes as causes_of

        causes = causes_of(told)
    leads = {id(cause.lead): cause for cause in causes}
    for finding in told:
        cause = leads.get(id(finding))
        if cause is not None:
            yield finding, cause.others


def _upgrade(run: Run, color: bool) -> str:
    """The findings of an upgrade: under headings, and those that are alike told as one."""
    from kcheck.report import upgrades

    painter = _Painter(run, color)
    records = Records(run)
    made = [records.one(finding) for finding in run.findings]
    several = len({record["cluster"] for record in made}) > 1
    groups: dict[tuple[object, ...], list[int]] = {}
    for at, record in enumerate(made):
        groups.setdefault(upgrades.alike(record), []).append(at)
    parts: list[str] = []
    above = ""
    for first, *others in groups.values():
        heading = upgrades.heading(made[first], several, [made[at] for at in others])
        if heading != above:
            parts.append(painter.heading(heading))
            above = heading
        also = [made[at] for at in others]
        near = records.secrets_near(run.findings[first])
        parts.append(painter.change(made[first], also, near))
    return "".join(parts)


class _Painter:
    def __init__(self, run: Run, color: bool) -> None:
        self._run = run
        self._color = color
        self._sources = Sources(run, run.width)

    def _paint(self, style: str, text: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self._color and text else text

    def heading(self, text: str) -> str:
        return f"{self._paint(_BOLD, f'== {printable(text)} ==')}\n\n"

    def cause(self, cause: Cause, message: str) -> str:
        """What a value of a named file does to findings of others, in one line."""
        first = cause.findings[0]
        severity = f"{cause.severity}[{first.code} {first.name}]"
        where = self._paint(_FRAME, printable(cause.where))
        text = printable(cause.in_place(message))
        return f"{where}: {self._paint(_COLORS[cause.severity], severity)}: {text}\n"

    def change(self, record: dict[str, Any], also: list[dict[str, Any]], near: list[str]) -> str:
        """A finding of an upgrade, with the others that are like it."""
        from kcheck.report import upgrades

        change = record["upgrade"]
        gone = change["change"] == DISAPPEARS
        # A step or a default has no line to show: nobody wrote it.
        bare = gone or (bool(record["evidence"]) and record["evidence"][0]["path"] is None)
        shown = {**record, "message": record["message"] + upgrades.since(record)}
        if bare:
            shown["evidence"] = []
        notes = [("note", upgrades.previous(record))] if upgrades.previous(record) else []
        if also:
            places = [
                f"{r['resource']['kind']} {r['resource']['name']} ({r['path']}:{r['line']})"
                for r in also
            ]
            few = ", ".join(places[:_FEW])
            more = f" and {len(places) - _FEW} more" if places[_FEW:] else ""
            notes.append(("also", few + more))
        return self.finding(shown, near, notes, bare, "means" if change["when"] == WITH else "")

    def finding(
        self,
        record: dict[str, Any],
        near: list[str],
        more: Sequence[tuple[str, str]] = (),
        bare: bool = False,
        breaks: str = "",
        same: Sequence[dict[str, Any]] = (),
    ) -> str:
        """A finding with its lines (``bare``: without them), ``more`` notes, and the ``same`` cause."""
        marks, notes = sorted_out(record)
        lines = [mark.line for place in marks.values() for mark in place]
        gutter = len(str(max(lines)))
        rows = [self._head(record)]
        arrow = "-->"
        for path, places in marks.items():
            first = next((m for m in places if m.primary), places[0])
            where = printable(f"{path}:{first.line}:{first.start + 1}")
            rows.append(f"{' ' * gutter} {self._paint(_FRAME, arrow)} {where}")
            if not bare:
                rows += self._snippet(path, places, gutter, record["severity"], near, notes)
            arrow = ":::"
        if "inferred" in record and by_version(record):
            notes.append(("note", record["inferred"]))
        notes += more
        if self._run.gate is not None and self._run.by_gate(record["severity"], record["rule"]):
            notes.append(("gate", f"fails {self._run.gate.name}"))
        notes += [
            (word, record_text)
            for word, record_text in (
                ("effective in", ", ".join(record.get("clusters", ()))),
                (breaks or "breaks", record["consequence"]),
                ("fix", record["fix"]["text"] if record["fix"] else ""),
                ("owner", ", ".join(record.get("owners", ()))),
            )
            if record_text
        ]
        for word, text in notes:
            rows.append(self._note(" " * (gutter + 1), word, text))
        rows += self._same(record, same, gutter)
        return "\n".join(rows) + "\n\n"

    def _same(
        self, record: dict[str, Any], same: Sequence[dict[str, Any]], gutter: int
    ) -> list[str]:
        """What else follows from the cause: each rule once, with its first places."""
        own = {item["key"] for item in record["evidence"]}
        copies: list[dict[str, Any]] = []
        others: list[dict[str, Any]] = []
        for other in record.get("also", ()):
            alike = other["rule"] == record["rule"] and own.issuperset(other["keys"])
            (copies if alike else others).append(other)
        for other in same:
            others += [other, *other.get("also", ())]
        edge = " " * (gutter + 1)
        rows = [self._note(edge, "also at", _places(copies))] if copies else []
        if not others:
            return rows
        sign = self._paint(_FRAME, "=")
        rows.append(f"{edge}{sign} {self._paint(_BOLD, 'same cause:')}")
        by_rule: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
        for other in others:
            key = (other["severity"], other["rule"], other["name"])
            by_rule.setdefault(key, []).append(other)
        lead = edge + "  "
        fix = record["fix"]["text"] if record["fix"] else ""
        for (severity, rule, name), ones in by_rule.items():
            first = ones[0]
            told = self._paint(_COLORS[severity], f"{severity}[{printable(f'{rule} {name}')}]")
            mark, taken = self._mark(first) if isinstance(first["fix"], dict) else ("", 0)
            begin = len(f"{lead}{severity}[{rule} {name}]: ") + taken
            message = self._broken(first["message"], begin, len(lead) + 4)
            rows.append(f"{lead}{told}{mark}: {message}")
            where = self._broken(_places(ones), len(lead) + 6, len(lead) + 6)
            rows.append(f"{lead}  {self._paint(_FRAME, '-->')} {where}")
            given = first["fix"]
            text = given["text"] if isinstance(given, dict) else given
            if text and text != fix:
                rows.append(self._note(f"{lead}  ", "fix", text))
        return rows

    def _note(self, lead: str, word: str, text: str) -> str:
        """``= word: text``, broken where it reaches the edge, and hanging under its beginning."""
        begin = len(f"{lead}= {word}: ")
        label = f"{self._paint(_FRAME, '=')} {self._paint(_BOLD, word + ':')}"
        return f"{lead}{label} {self._broken(text, begin, begin)}"

    def _broken(self, text: str, begin: int, hang: int) -> str:
        """The text in lines that the terminal need not break; ``begin`` columns are taken."""
        return folded(printable(text), self._run.width, begin, hang)

    def _head(self, record: dict[str, Any]) -> str:
        rule = printable(f"{record['rule']} {record['name']}")
        if self._run.links:
            rule = f"\x1b]8;;{printable(record['url'])}\x1b\\{rule}\x1b]8;;\x1b\\"
        severity = self._paint(_COLORS[record["severity"]], f"{record['severity']}[{rule}]")
        mark, taken = self._mark(record)
        begin = len(f"{record['severity']}[{record['rule']} {record['name']}]: ") + taken
        message = self._broken(record["message"], begin, 4)
        return f"{severity}{mark}{self._paint(_BOLD, ': ' + message)}"

    def _mark(self, record: dict[str, Any]) -> tuple[str, int]:
        """`` [fix]`` or `` [unsafe fix]`` as it is printed, and its columns; nothing without edits."""
        word = self._run.mark(record)
        if not word:
            return "", 0
        return f" {self._paint(_MARKS[word], f'[{word}]')}", len(word) + 3

    def _snippet(
        self,
        path: str,
        marks: list[Mark],
        gutter: int,
        severity: str,
        near: list[str],
        notes: list[tuple[str, str]],
    ) -> list[str]:
        """The marked lines of one file; what cannot be shown there is added to the notes."""
        blank = f"{' ' * gutter} {self._paint(_FRAME, '|')}"
        rows: list[str] = []
        previous = 0
        shown: Shown | None = None
        for mark in sorted(marks, key=lambda m: (m.line, not m.primary, m.start)):
            if shown is None or mark.line != previous or not shown.holds(mark.start):
                found = self._sources.shown(path, mark.line, mark.start, near)
                if found is None:
                    if mark.label:
                        place = f"{path}:{mark.line}:{mark.start + 1}"
                        notes.append(("note", f"{mark.label} at {place}"))
                    continue
                shown = found
                if previous and mark.line > previous + 1:
                    rows.append(f"{' ' * gutter} {self._paint(_FRAME, '…')}")
                number = self._paint(_FRAME, f"{mark.line:>{gutter}} |")
                rows.append(f"{number} {shown.text}".rstrip())
                previous = mark.line
            column, width = shown.extent(mark.start, mark.end)
            style = _COLORS[severity] if mark.primary else _FRAME
            sign = ("^" if mark.primary else "-") * width
            for begin, told in self._signed(sign, printable(mark.label), column, gutter + 3):
                rows.append(f"{blank} {' ' * begin}{self._paint(style, told)}")
        return [blank, *rows] if rows else []

    def _signed(self, sign: str, label: str, column: int, edge: int) -> list[tuple[int, str]]:
        """A sign and what is said of it, in rows with their first column; ``edge`` are before it."""
        begin = column + len(sign) + 1
        columns = self._run.width - edge
        if not label or columns < NARROW or begin + len(label) <= columns:
            return [(column, f"{sign} {label}".rstrip())]
        if columns - begin >= _LABEL:
            first, *others = lines_of(label, columns - begin, columns - begin)
            return [(column, f"{sign} {first}"), *((begin, line) for line in others)]
        begin = max(0, min(column, columns - 2 * _LABEL))
        room = columns - begin
        return [(column, sign), *((begin, line) for line in lines_of(label, room, room))]


def _places(records: Sequence[dict[str, Any]]) -> str:
    """Where some records are, each place once."""
    places = dict.fromkeys(f"{one['path']}:{one['line']}:{one['column']}" for one in records)
    few = ", ".join([*places][:_FEW])
    return f"{few} and {len(places) - _FEW:,} more" if len(places) > _FEW else few

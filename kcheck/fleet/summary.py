"""What the terminal says at the end of an audit, read from the published tables."""

from __future__ import annotations

from kcheck import paths
from kcheck.fleet import lifecycle, publish
from kcheck.fleet.audit import Outcome
from kcheck.fleet.tables import Tables
from kcheck.model import ERROR, INFO, SEVERITY_RANK, WARNING
from kcheck.report.printable import printable
from kcheck.report.run import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rich.console import Console

#: Rows of each table; the report has all of them.
_FEW = 10
#: Inputs that could not be read: who has many knows where to look after these.
_FEWER = 3

_COLORS = {ERROR: "bold red", WARNING: "bold yellow", INFO: "bold cyan"}
_GRAVEST = tuple(reversed(SEVERITY_RANK))

#: What became of the findings of the run before, in words.
_STATES = {
    lifecycle.NEW: "new",
    lifecycle.PERSISTING: "persisting",
    lifecycle.RESOLVED: "resolved",
    lifecycle.UNCHECKED: "unchecked because their cluster failed",
    lifecycle.ABSENT: "absent because their cluster is not an input of this run",
}


def text(outcome: Outcome, fail_on: str, color: bool, width: int = 100) -> str:
    """The summary: counts, rules by the number of clusters, worst clusters, errors."""
    from io import StringIO

    from rich.console import Console

    out = StringIO()
    console = Console(
        file=out, force_terminal=color, no_color=not color, width=width, highlight=False
    )
    told, tables = outcome.manifest, outcome.published.tables
    _say(console, _first_line(told, fail_on))
    if told["previous"]:
        _say(console, _since(told))
    _rules(console, tables.whole("rules").to_pylist(), told["units"])
    _worst(console, tables.whole("worst").to_pylist())
    if told["strays"]:
        strays = _count(told["strays"], "value deviates", "values deviate")
        _say(console, f"\n{strays} from their peers: see Drift in the report.")
    if told["errors"]:
        _errors(console, tables, told)
    _say(console, f"\nReport: {_place(outcome.published.report)}")
    _say(console, f"Tables: {_place(outcome.published.home)}")
    return out.getvalue()


def _place(path: str) -> str:
    return path if publish.is_remote(path) else paths.relative(path)


def _say(console: Console, line: str) -> None:
    """A line that the terminal may wrap and people may copy; names in it are no markup."""
    console.print(line, markup=False, soft_wrap=True)


def _first_line(told: dict[str, Any], fail_on: str) -> str:
    units, findings = told["units"], told["findings"]
    audited = _count(units["audited"], "cluster")
    if told["clusters"] != units["audited"]:
        audited = f"{_count(units['audited'], 'unit')} with {_count(told['clusters'], 'cluster')}"
    failed = f" ({units['failed']:,} more failed)" if units["failed"] else ""
    fails = "nothing fails the run" if fail_on == NEVER else f"fails on: {fail_on}"
    return f"Audited {audited} in {told['seconds']:,g} s{failed}: {_severities(findings)}; {fails}."


def _since(told: dict[str, Any]) -> str:
    states = told["lifecycle"]
    always = (lifecycle.NEW, lifecycle.PERSISTING, lifecycle.RESOLVED)
    parts = [
        f"{states.get(state, 0):,} {words}"
        for state, words in _STATES.items()
        if state in always or states.get(state)
    ]
    if states.get(lifecycle.NEW):
        parts[0] += f" ({_severities(told['new'])})"
    return f"Since run {told['previous']}: {', '.join(parts)}."


def _severities(counts: dict[str, int]) -> str:
    parts = [_count(counts[s], s, "info" if s == INFO else "") for s in _GRAVEST if counts[s]]
    return ", ".join(parts) or "nothing found"


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _rules(console: Console, rows: list[dict[str, Any]], units: dict[str, int]) -> None:
    if not rows:
        return
    table = _table(("Rule", ""), ("", ""), ("", ""), ("Clusters", "right"), ("Findings", "right"))
    rows.sort(key=lambda row: (-SEVERITY_RANK[row["severity"]], -row["units"], row["rule"]))
    for row in rows[:_FEW]:
        table.add_row(
            row["rule"],
            row["name"],
            _painted(row["severity"]),
            f"{row['units']:,}",
            f"{row['findings']:,}",
        )
    console.print()
    console.print(table)
    if len(rows) > _FEW:
        _say(console, f"… and {len(rows) - _FEW} more")


def _worst(console: Console, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    severities = ((name, "right") for name in ("Errors", "Warnings", "Info"))
    table = _table(("Worst clusters", ""), ("Environment", ""), ("Owner", ""), *severities)
    rows.sort(key=lambda row: row["rank"])
    for row in rows[:_FEW]:
        names = (row["unit"], row["environment"] or "", row["owner"] or "")
        counts = (row[f"findings_{name}"] for name in _GRAVEST)
        table.add_row(*map(_plain, names), *(f"{count:,}" for count in counts))
    console.print()
    console.print(table)


def _table(*columns: tuple[str, Any]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, justify in columns:
        table.add_column(name, justify=justify or "left", overflow="fold")
    return table


def _painted(severity: str) -> Any:
    from rich.text import Text

    return Text(severity, _COLORS[severity])


def _plain(name: str) -> Any:
    """A name of the user's, which Rich takes for no markup of its own."""
    from rich.text import Text

    return Text(printable(name))


def _errors(console: Console, tables: Tables, told: dict[str, Any]) -> None:
    """The gravest of what could not be read or judged, by name."""
    failed = told["units"]["failed"]
    whole = f", including {_count(failed, 'whole cluster')}" if failed else ""
    inputs = _count(told["errors"], "input")
    _say(console, f"\n{inputs} could not be read or checked{whole}:")
    columns = ["unit", "path", "reason"]
    rows: list[dict[str, Any]] = []
    for fatal in (True, False):
        left = _FEWER - len(rows)
        if left:
            found = tables.first("errors", columns, left, {"fatal": fatal})
            rows += found.to_pylist()
    for row in rows:
        _say(console, printable(f"  {row['path'] or row['unit']}: {row['reason']}"))
    if told["errors"] > len(rows):
        _say(console, f"  … and {told['errors'] - len(rows):,} more in the table errors")

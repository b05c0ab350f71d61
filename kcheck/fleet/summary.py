"""What the terminal says at the end of an audit, read from the published tables."""

from __future__ import annotations

import os

from kcheck.fleet.audit import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FEW = 10


def text(outcome: Outcome, color: bool, width: int = 100) -> str:
    """The summary: counts, rules by the number of clusters, worst clusters, errors."""
    from io import StringIO

    from rich.console import Console
    from rich.table import Table

    out = StringIO()
    console = Console(
        file=out, force_terminal=color, no_color=not color, width=width, highlight=False
    )
    told = outcome.manifest
    units, findings, states = told["units"], told["findings"], told["lifecycle"]
    console.print(
        f"Audited {units['audited']:,} directories with {told['clusters']:,} clusters "
        f"in {told['seconds']:g} s: {_listed(findings)}."
    )
    if told["previous"]:
        carried = {name: n for name, n in states.items() if n}
        console.print(f"Since run {told['previous']}: {_listed(carried)}.")
    rules = _rows(outcome.folder, "rules")
    if rules:
        table = Table("Rule", "Name", "Severity", "Clusters", "Findings", box=None, pad_edge=False)
        rank = {"error": 0, "warning": 1, "info": 2}
        rules.sort(key=lambda row: (rank[row["severity"]], -row["units"], row["rule"]))
        for row in rules[:_FEW]:
            table.add_row(
                row["rule"],
                row["name"],
                row["severity"],
                f"{row['units']:,}",
                f"{row['findings']:,}",
            )
        console.print()
        console.print(table)
        if len(rules) > _FEW:
            console.print(f"… and {len(rules) - _FEW} more")
    worst = sorted(_rows(outcome.folder, "worst"), key=lambda row: row["rank"])[:_FEW]
    if worst:
        table = Table("Worst", "Errors", "Warnings", "Info", box=None, pad_edge=False)
        for row in worst:
            counts = (row[f"findings_{name}"] for name in ("error", "warning", "info"))
            table.add_row(row["unit"], *(f"{count:,}" for count in counts))
        console.print()
        console.print(table)
    console.print()
    if told["strays"]:
        console.print(f"{told['strays']:,} values stray from their peers.")
    if told["errors"]:
        console.print(
            f"{told['errors']:,} inputs could not be read or judged, "
            f"{units['failed']:,} whole directories among them: {outcome.folder}/errors"
        )
    console.print(f"Report: {os.path.join(outcome.folder, 'report.html')}", soft_wrap=True)
    return out.getvalue()


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in counts.items())


def _rows(folder: str, name: str) -> list[dict[str, Any]]:
    import pyarrow.dataset as ds

    rows: list[dict[str, Any]] = (
        ds.dataset(os.path.join(folder, name), format="parquet").to_table().to_pylist()
    )
    return rows

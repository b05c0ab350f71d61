"""The report of a run for people: one self-contained file."""

from __future__ import annotations

import html
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def write(folder: str, manifest: dict[str, Any]) -> None:
    """Write ``report.html`` into the folder that holds the tables of a run.

    The tables are read through pyarrow, a few columns and batches at a time.
    """
    import pyarrow.dataset as ds

    rules = ds.dataset(os.path.join(folder, "rules"), format="parquet").to_table().to_pylist()
    rules.sort(key=lambda row: (-row["units"], row["rule"]))
    rows = "".join(
        f"<tr><td>{row['rule']}<td>{html.escape(row['name'])}<td>{row['severity']}"
        f"<td>{row['units']:,}<td>{row['findings']:,}"
        for row in rules
    )
    run = html.escape(str(manifest["run_id"]))
    text = (
        f"<!doctype html><meta charset=utf-8><title>kcheck audit {run}</title>"
        f"<h1>Audit {run}</h1><table><tr><th>rule<th>name<th>severity<th>clusters<th>findings"
        f"{rows}</table>\n"
    )
    with open(os.path.join(folder, "report.html"), "w", encoding="utf-8") as file:
        file.write(text)

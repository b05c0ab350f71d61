"""Findings → text, json, sarif, junit …: one module per format, imported late."""

from __future__ import annotations

from importlib import import_module

from kcheck.report.run import NEVER, Run

__all__ = ["FORMATS", "NEVER", "Run", "footer", "render", "statistics"]

#: The formats: module and function of each.
FORMATS = {
    "text": ("text", "render"),
    "concise": ("concise", "render"),
    "json": ("json", "render"),
    "jsonl": ("json", "render_lines"),
    "sarif": ("sarif", "render"),
    "github": ("github", "render"),
    "gitlab": ("gitlab", "render"),
    "junit": ("junit", "render"),
    "checkstyle": ("checkstyle", "render"),
    "markdown": ("markdown", "render"),
    "html": ("html", "render"),
}


#: Formats in which a run without findings has no text: nothing is loaded for it.
_SILENT = ("text", "concise")


def render(format: str, run: Run, color: bool = False) -> str:
    """The run's report in one of ``FORMATS``, ready to be written; "" where there is no text.

    ``color`` asks for ANSI colours where the format has them. Raises KeyError for an unknown
    format.
    """
    module, function = FORMATS[format]
    if not run.findings and format in _SILENT:
        return ""
    text: str = getattr(import_module(f"kcheck.report.{module}"), function)(run, color)
    return text


def statistics(run: Run) -> str:
    """How often each rule speaks, and in whose files, in place of a report."""
    from kcheck.report.counts import render

    return render(run)


def footer(run: Run) -> str:
    """What the reader is told on stderr beside the report: what was found, hidden and not read."""
    from kcheck.report.summary import footer

    return footer(run, run.width)

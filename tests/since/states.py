"""Two states of a project, given as text, and what the rules on changes say of them."""

from __future__ import annotations

from kcheck.changes import Before, look
from kcheck.circumstances import Circumstances
from kcheck.engine import Project, lint_project
from kcheck.model import Finding
from kcheck.settings import Settings

Files = dict[str, str]


def _project(files: Files) -> tuple[list[tuple[str, bytes]], dict[str, bytes]]:
    data = {path: text.encode() for path, text in files.items()}
    return sorted(data.items()), data


def compared(old: Files, new: Files) -> list[Finding]:
    """What a change from one to the other does, as ``--since`` tells it."""
    settings, about = Settings(), Circumstances(changes=True)
    sources, lookup = _project(old)
    before = Before(lint_project(sources, settings, lookup.get, circumstances=about), "main")
    sources, lookup = _project(new)
    project: Project = lint_project(
        sources,
        settings,
        lookup.get,
        also=lambda after, runner: look(before, after, runner),
        circumstances=about,
    )
    assert project.failures == []
    return [finding for finding in project.findings if finding.code.startswith("KC19")]

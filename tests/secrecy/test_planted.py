"""No canary that stands where a secret may stand leaves kcheck, whatever asks for it."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

import planted
import pytest

from kcheck import engine, report
from kcheck.__main__ import main
from kcheck.fleet import effective, profile
from kcheck.report.record import Records
from kcheck.report.run import Run
from kcheck.report.source import Sources
from kcheck.settings import Settings

SEED = 20_11
#: Two seconds each: ``--thorough`` asks them, too.
AT_LENGTH = pytest.mark.thorough


class Project:
    """A folder with a file of each format, and the canaries in them."""

    def __init__(self, folder: Path, seed: int = SEED) -> None:
        self.folder = folder
        self.canaries = planted.Canaries(seed)
        self.files = planted.project(self.canaries)
        for path, text in self.files.items():
            write(folder / path, text)

    def run(self, *args: str) -> str:
        """What a command writes, to both streams."""
        out = io.StringIO()
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                code = main([*args])
        finally:
            os.chdir(before)
        assert code in (0, 1, 2), args
        return out.getvalue()

    def leaks(self, text: str) -> list[str]:
        return self.canaries.found_in(text)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("planted"))


def test_there_are_many_kinds() -> None:
    kinds = len(planted.NAMES) + len(planted.VALUES) + len(planted.LOOKS)
    assert kinds >= 150
    assert len(planted.FORMATS) >= 30


def test_the_files_are_read_and_found_fault_with(project: Project) -> None:
    """Or the rest would show nothing."""
    import json

    out = project.run("lint", "--output", "json", "--extend-select", "all", ".")
    found, _ = json.JSONDecoder().raw_decode(out)
    told = {finding["path"] for finding in found["findings"]}
    assert len(found["findings"]) > 500
    assert len(told) > 20


def test_no_format_of_a_report_shows_one(project: Project, tmp_path: Path) -> None:
    outputs = [f"--output={format}={tmp_path / format}" for format in report.FORMATS]
    out = project.run("lint", *outputs, "--extend-select", "all", ".")
    assert project.leaks(out) == []
    for format in report.FORMATS:
        text = (tmp_path / format).read_text()
        assert len(text) > 100
        assert project.leaks(text) == [], format


@pytest.mark.parametrize(
    "command",
    [
        ["show", "--all", "."],
        ["show", "--all", "--output", "json", "."],
        ["files", "-v", "."],
        ["files", "--output", "json", "."],
        ["limits", "."],
        ["limits", "--output", "json", "."],
        ["limits", "--output", "markdown", "."],
        pytest.param(["upgrade", "--from", "2.8", "--to", "4.0", "."], marks=AT_LENGTH),
        ["upgrade", "--from", "2.8", "--to", "4.0", "--output", "json", "."],
        ["files", "--why", "broker/server.properties", "clients/producer.properties"],
        ["lint", "--verbose", "--output", "concise", "."],
        pytest.param(
            ["lint", "--fix", "--unsafe-fixes", "--diff", "--exit-zero", "."], marks=AT_LENGTH
        ),
        ["lint", "--statistics", "--extend-select", "all", "."],
    ],
    ids=" ".join,
)
def test_no_command_shows_one(project: Project, command: list[str]) -> None:
    out = project.run(*command)
    assert "Usage:" not in out
    assert project.leaks(out) == []


def test_a_baseline_holds_none(tmp_path: Path) -> None:
    made = Project(tmp_path)
    made.run("baseline", "create", ".")
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.relative_to(tmp_path).as_posix() not in made.files:
            assert made.leaks(path.read_text()) == [], path


@AT_LENGTH
def test_what_is_fixed_is_told_without_one(tmp_path: Path) -> None:
    made = Project(tmp_path)
    assert made.leaks(made.run("lint", "--fix", "--unsafe-fixes", "--exit-zero", ".")) == []


@pytest.mark.parametrize("path", planted.FORMATS)
def test_no_line_of_a_file_shows_one(path: str) -> None:
    """Whatever is found, and whether the file is read or not: each line might be shown."""
    canaries = planted.Canaries(SEED)
    text = planted.project(canaries, [path])[path]
    assert canaries.found_in(lines_shown(path, text)) == []
    broken = text.replace("\n", "\n\t%{ [\n", 1)
    assert canaries.found_in(lines_shown(path, broken)) == []


def lines_shown(path: str, text: str) -> str:
    """Every line of a file that nobody has read, as excerpts show it."""
    project = engine.Project([], [], [], [])
    sources = Sources(Run(project, read_source=lambda _: text.encode()))
    count = text.count("\n") + 1
    shown = (sources.shown(path, number, 0, []) for number in range(1, count + 1))
    return "\n".join(line.text for line in shown if line is not None)


def test_no_row_of_the_audit_shows_one(project: Project) -> None:
    sources = [(path, text.encode()) for path, text in project.files.items()]
    linted = engine.lint_project(sources, Settings())
    rows: list[object] = [*Records(Run(linted)).all()]
    for cluster in linted.clusters:
        held = effective.values(cluster, b"salt")
        rows += effective.rows(cluster, held, b"salt")
        rows += profile.strays(cluster, held)
        rows.append(profile.profile(cluster, held, None, None))
    assert len(rows) > 1000
    assert project.leaks(repr(rows)) == []

"""The two sides of every test here: a project linted by one process, and by several."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kcheck import discover, engine, pool, report
from kcheck.__main__ import main
from kcheck.pool import processes, worker
from kcheck.pool.result import Part, packed, unpacked
from kcheck.report import Run
from kcheck.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

#: (exit code, stdout, stderr, text of every format).
Reports = tuple[int, str, str, dict[str, str]]
Lint = Callable[..., Reports]


@pytest.fixture
def pooled(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each time that a run asked for several processes, whether it got them."""
    used: list[bool] = []
    real = pool.lint_project

    def seen(*args: Any, **more: Any) -> engine.Project | None:
        made = real(*args, **more)
        used.append(made is not None)
        return made

    monkeypatch.setattr(pool, "lint_project", seen)
    return used


@pytest.fixture
def lint(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Lint:
    """``kcheck lint`` with all that it writes, into files and on both streams."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)

    def run(*args: str) -> Reports:
        out = tmp_path_factory.mktemp("reports")
        formats = [word for word in report.FORMATS if word != "text"]
        written = [f"--output={word}={out / word}" for word in formats]
        capfd.readouterr()
        code = main(["lint", "-v", "--output=text", *written, *args])
        text, said = capfd.readouterr()
        return code, text, said, {word: (out / word).read_text() for word in formats}

    return run


class InOneProcess:
    """What stands in for a crew where a test makes hundreds of them."""

    def __init__(self, work: worker.Work, *_: object) -> None:
        self._work = work

    def __enter__(self) -> InOneProcess:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def parts(self) -> Iterator[tuple[int, Part | None]]:
        for number, batch in enumerate(self._work.batches):
            yield number, unpacked(packed(worker.lint(self._work, batch)))


@pytest.fixture
def in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "Crew", InOneProcess)
    # However much of it has to be done again.
    monkeypatch.setattr(pool, "_ENTANGLED", 1.0)


def reports(inputs: discover.Inputs, settings: Settings, project: engine.Project) -> list[str]:
    """The project in every format, and what else a run tells of it."""
    project.documents.extend(inputs.documents())
    findings = [f for f in project.findings if inputs.reported(f.path)]
    run = Run(project, inputs.source, findings=findings, fail_on=settings.fail_on)
    told = [report.render(word, run) for word in report.FORMATS]
    documents = [f"{d.path} {d.format} {d.status} {d.reason}" for d in project.documents]
    return [*told, report.footer(run), *documents, *project.failures, str(inputs.missing)]


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports that tell when they were made tell the same."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


@pytest.fixture
def both() -> Callable[..., tuple[list[str], list[str] | None]]:
    """The reports of one process and of several; None if the pool leaves it to one."""

    def run(*paths: str, settings: Callable[[], Settings] = Settings, **more: Any) -> Any:
        inputs, told = discover.Inputs(paths, **more), settings()
        alone = engine.lint_project(inputs, told, inputs.lookup, inputs.named)
        expected = reports(inputs, told, alone)
        inputs, told = discover.Inputs(paths, **more), settings()
        made = pool.lint_project(inputs, told, 2)
        return expected, made and reports(inputs, told, made)

    return run

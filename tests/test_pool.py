"""Linting many folders in several processes gives what one process gives, byte for byte."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kcheck import discover, engine, pool
from kcheck.__main__ import main
from kcheck.model import Document
from kcheck.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

import make_fleet  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("generated")
    make_fleet.write(root, 90, topics=2, faults=0.5, corrupt=0.3)
    # A finding on a line with a secret that only its place gives away.
    (root / "fleet" / "c000007" / "more.yaml").write_text(
        'producers:\n  - {name: p, config: {ssl.key.password: !!str kept-from-all, acks: "7"}}\n'
    )
    return root


def pooled(path: str) -> engine.Project | None:
    return pool.lint_project(discover.Inputs([path]), Settings(), processes=2)


@pytest.mark.parametrize("format", ["json", "text", "sarif"])
def test_the_same_report(
    fleet: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    format: str,
) -> None:
    monkeypatch.chdir(fleet)
    (fleet / "fleet" / "node_modules").mkdir(exist_ok=True)
    args = ["lint", "--output", format, "-v", "fleet"]

    def report() -> tuple[int, str, str]:
        code = main(args)
        return code, *capsys.readouterr()

    used: list[bool] = []
    real = pool.lint_project

    def both(inputs: discover.Inputs, settings: Settings) -> engine.Project | None:
        made = real(inputs, settings, processes=2)
        used.append(made is not None)
        return made

    monkeypatch.setattr(pool, "lint_project", both)
    several = report()
    assert used == [True]
    monkeypatch.setattr(pool, "lint_project", lambda *args: None)
    assert several == report()
    assert several[0] == 1
    assert "c000007/more.yaml" in several[1]
    assert "kept-from-all" not in several[1]


def test_folders_that_belong_together_are_linted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seventy nodes of one quorum, a folder each, are one cluster: no worker can know that."""
    for node in range(70):
        folder = tmp_path / "fleet" / f"kafka{node}"
        folder.mkdir(parents=True)
        (folder / "server.properties").write_text(
            f"process.roles=broker\nnode.id={node}\n"
            "controller.quorum.voters=100@q1:9093,101@q2:9093,102@q3:9093\n"
            "controller.listener.names=C\nlisteners=PLAINTEXT://:9092\n"
        )
    monkeypatch.chdir(tmp_path)
    assert pooled("fleet") is None
    assert len(engine.lint_project(discover.Inputs(["fleet"]), Settings()).clusters) == 1


def test_a_file_above_the_folders_is_for_all_of_them(
    fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    shutil.copytree(fleet / "fleet", tmp_path / "fleet")
    (tmp_path / "fleet" / "kcheck.yaml").write_text(
        "kcheck: 1\ncluster: {environment: production}\n"
    )
    monkeypatch.chdir(tmp_path)
    made = pooled("fleet")
    whole = engine.lint_project(discover.Inputs(["fleet"]), Settings())
    if made is not None:
        assert list(map(repr, made.findings)) == list(map(repr, whole.findings))
        assert len(made.clusters) == len(whole.clusters)


def test_few_folders_are_not_worth_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert not discover.Inputs([str(tmp_path)]).many()


@pytest.mark.parametrize("name", sorted(p.name for p in (ROOT / "fixtures").iterdir()))
def test_grouping_needs_no_more_than_what_travels(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "fixtures")
    assert _clusters(name, reduce=True) == _clusters(name, reduce=False)


def _clusters(path: str, reduce: bool) -> list[tuple[str, list[str]]]:
    from kcheck.graph import assign

    project = engine.Project([], [], [], [])
    inputs = discover.Inputs([path])
    engine.read_documents(project, inputs, Settings(), inputs.lookup)
    documents: list[Document] = project.documents
    if reduce:
        documents = [pool.reduced(document) for document in documents]
    found = assign.group(documents, Settings())
    return [(cluster.name, list(map(repr, cluster.resources))) for cluster in found]

"""What settings and links may reach: the project is written, little beyond it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playground import FAULTY, Project

EXTENDED = 'fail-on = "never"\n'


@pytest.mark.parametrize(
    ("baseline", "linked"),
    [("../theirs.jsonl", False), ("/tmp/theirs.jsonl", False), ("in.jsonl", True)],
)
def test_a_baseline_of_the_settings_stays_in_the_project(
    baseline: str, linked: bool, project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    beyond = tmp_path_factory.mktemp("beyond") / "theirs.jsonl"
    if linked:
        (project.root / baseline).symlink_to(beyond)
    elif baseline.startswith("/"):
        baseline = str(beyond)
    project.file("kcheck.toml", f'baseline = "{baseline}"\n')
    project.file("topics.yaml", FAULTY)
    for command in ("create", "prune"):
        result = project.run("baseline", command)
        assert result.code == 2
        assert "is outside" in result.err
        assert "--baseline" in result.err
    assert not beyond.exists()
    assert not (project.root.parent / "theirs.jsonl").exists()
    # Whoever names it on the command line means it.
    assert project.run("baseline", "create", "--baseline", str(beyond)).code == 0
    assert beyond.read_text().count("\n") == 1
    assert project.run("lint", "--baseline", str(beyond)).code == 0


@pytest.fixture
def deep(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A repository two folders below the one where the tests are."""
    root = project.root / "team/repo"
    (root / ".git").mkdir(parents=True)
    (project.root / ".git").rmdir()
    monkeypatch.chdir(root)
    project.file("team/repo/topics.yaml", FAULTY)
    return project


@pytest.mark.parametrize(
    ("extends", "told"),
    [("config/base.toml", False), ("../shared/base.toml", False), ("../../base.toml", True)],
)
def test_what_is_extended_from_afar_is_told(extends: str, told: bool, deep: Project) -> None:
    deep.file(f"team/repo/{extends}", EXTENDED)
    deep.file("team/repo/kcheck.toml", f'extends = "{extends}"\n')
    result = deep.run("lint")
    assert result.code == 0
    assert ("--allow-outside" in result.err) == told
    assert (f"kcheck.toml:1: extends {extends} is outside" in result.err) == told
    result = deep.run("lint", "--allow-outside")
    assert (result.code, "is outside" in result.err) == (0, False)


def test_what_a_link_leads_to_counts(deep: Project) -> None:
    deep.file("far.toml", EXTENDED)
    (deep.root / "team/repo/near.toml").symlink_to("../../far.toml")
    deep.file("team/repo/kcheck.toml", 'extends = "near.toml"\n')
    assert "extends near.toml is outside" in deep.run("lint").err


BROKER = "broker.id=1\nlog.dirs=/data/kafka\nunclean.leader.election.enable=true\nzookeeper.connect=zk1:2181\n"


def test_a_fix_writes_what_was_named_alone(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    beyond = tmp_path_factory.mktemp("beyond")
    for name in ("file.properties", "folder/server.properties"):
        (beyond / name).parent.mkdir(exist_ok=True)
        (beyond / name).write_text(BROKER)
    project.file("own/server.properties", BROKER)
    project.file("context/server.properties", BROKER.replace("id=1", "id=2"))
    (project.root / "own/linked.properties").symlink_to(beyond / "file.properties")
    (project.root / "own/folder").symlink_to(beyond / "folder")
    os.chmod(project.root / "context/server.properties", 0o600)
    before = {path: path.read_text() for path in _files(beyond, project.root / "context")}
    result = project.run(
        "lint", "--fix", "--unsafe-fixes", "--select", "all", "--context", ".", "own"
    )
    assert result.code in (0, 1), result.err
    assert (project.root / "own/server.properties").read_text() != BROKER
    assert {path: path.read_text() for path in _files(beyond, project.root / "context")} == before


def _files(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]

"""``kcheck init``: what it writes says no more than what it found, and nothing is overwritten."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml
from playground import FAULTY, Project

from kcheck import SOURCE

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.mark.parametrize(
    "name", ["payments", "strimzi", "bad-input", "compose-dev", "production", "fleet/clusters"]
)
def test_the_settings_change_no_verdict(project: Project, name: str) -> None:
    shutil.copytree(FIXTURES / name, project.root / "conf")
    for told in (project.root / "conf").rglob("kcheck.toml"):
        told.unlink()
    before = project.run("lint", "--output", "jsonl", "conf")
    made = project.run("init", "conf")
    assert made.code == 0 and "conf/kcheck.toml written" in made.err
    settings = tomllib.loads((project.root / "conf" / "kcheck.toml").read_text())
    assert settings["required-version"] == ">=0.1"
    after = project.run("lint", "--output", "jsonl", "conf")
    assert (after.code, _named(after.out)) == (before.code, _named(before.out))


def _named(lines: str) -> list[dict[str, object]]:
    """Findings without what tells clusters apart by where they were found: now they have a name."""
    found = [json.loads(line) for line in lines.splitlines()]
    for record in found:
        del record["cluster_id"]
    return found


def test_what_is_found_is_told(project: Project) -> None:
    project.file(
        "clusters/payments-prod/kcheck.yaml", FAULTY.replace("environment: development, ", "")
    )
    project.file(
        "clusters/lab/kcheck.yaml", "cluster: {name: lab}\ntopics: [{name: a, partitions: 1}]\n"
    )
    project.run("init")
    text = (project.root / "kcheck.toml").read_text()
    assert "read 2 files and found 2 clusters" in text
    clusters = {c["name"]: c["paths"] for c in tomllib.loads(text)["clusters"]}
    assert clusters == {"core": ["clusters/payments-prod/**"], "lab": ["clusters/lab/**"]}
    assert '# kafka-version = "3.6"   # read from the files' in text
    assert '# kafka-version = "4.1"   # not stated in any file' in text
    assert '# environment = "production"   # suggested by the path' in text


def test_everything_on_demand(project: Project) -> None:
    project.file("kcheck.yaml", FAULTY)
    assert project.run("lint", ".").code == 1
    result = project.run("init", "--baseline", "--pre-commit", "--ci", "github")
    assert result.code == 0
    assert project.run("lint", ".").code == 0
    known = (project.root / "kcheck-baseline.jsonl").read_text().splitlines()
    assert all(json.loads(line)["rule"] for line in known) and known
    hooks = yaml.safe_load((project.root / ".pre-commit-config.yaml").read_text())
    assert hooks["repos"][0]["hooks"] == [{"id": "kcheck"}]
    assert hooks["repos"][0]["rev"] == "v0.1.0"
    workflow = yaml.safe_load((project.root / ".github/workflows/kcheck.yml").read_text())
    assert workflow["jobs"]["kcheck"]["steps"][1]["uses"] == f"{SOURCE}@v0.1.0"
    assert hooks["repos"][0]["repo"] == SOURCE
    # What is written cannot fetch what is somebody else's, and says so.
    assert f"kcheck is not released yet: replace {SOURCE}" in result.err
    for name in (".pre-commit-config.yaml", ".github/workflows/kcheck.yml"):
        assert "not released yet" in (project.root / name).read_text()
    docs = (FIXTURES.parent / "docs" / "ci.md").read_text()
    assert yaml.safe_load(docs.split("```yaml\n")[1].split("```")[0]) == workflow
    project.run("init", "--ci", "gitlab")
    job = yaml.safe_load((project.root / ".gitlab-ci.yml").read_text())
    assert yaml.safe_load(docs.split("```yaml\n")[2].split("```")[0]) == job


def test_nothing_is_overwritten(project: Project) -> None:
    project.file("kcheck.yaml", FAULTY)
    mine = {
        "kcheck.toml": 'fail-on = "never"\n',
        "kcheck-baseline.jsonl": "",
        ".pre-commit-config.yaml": "repos: []\n",
        ".gitlab-ci.yml": "kcheck: {script: [kcheck lint]}\n",
    }
    for name, text in mine.items():
        project.file(name, text)
    result = project.run("init", "--baseline", "--pre-commit", "--ci", "gitlab")
    assert result.code == 0
    assert {name: (project.root / name).read_text() for name in mine} == mine
    assert result.err.count("already exists") == 4
    # What is missing there is printed, what is there is not.
    assert "      - id: kcheck\n" in result.err
    assert "remote:" not in result.err
    assert 'baseline = "kcheck-baseline.jsonl"' in result.err


def test_no_folder(project: Project) -> None:
    assert project.run("init", "nowhere").code == 2
    project.file("a.yaml", FAULTY)
    assert "is not a folder" in project.run("init", "a.yaml").err


def test_nothing_of_kafka_s(project: Project) -> None:
    assert project.run("init").code == 0
    assert "found 0 clusters" in (project.root / "kcheck.toml").read_text()

"""The steps of the GitHub action and the script of the GitLab job, run as they are written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from kcheck import SOURCE
from kcheck.cli.commands import COMMANDS
from kcheck.cli.options import LINT
from kcheck.formats import endings

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GITLAB: dict[str, Any] = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))
DOCS = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")

BEFORE = "topics:\n  - {name: orders, partitions: 12, replication_factor: 3}\n"
KNOWN = "topics:\n  - {name: wide, partitions: 1, replication_factor: 3, config: {retention.ms: week}}\n"


def git(root: Path, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *words], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A pull request that takes partitions away, beside a fault that was there."""
    root = tmp_path / "a repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", ".")
    (root / "topics.yaml").write_text(BEFORE)
    (root / "known.yaml").write_text(KNOWN)
    git(root, "add", ".")
    git(root, "commit", "-qm", "before")
    git(root, "checkout", "-q", "-b", "change")
    (root / "topics.yaml").write_text(BEFORE.replace("12", "6"))
    git(root, "commit", "-qam", "fewer")
    return root


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """What install.sh would make, with this checkout in it."""
    program = tmp_path / "venv" / "bin" / "kcheck"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m kcheck "$@"\n')
    program.chmod(0o755)
    return tmp_path / "venv"


class Workflow:
    """Runs the composite action's own steps, with what GitHub would put in place of ``${{ … }}``."""

    def __init__(self, repository: Path, venv: Path, event: dict[str, str], **inputs: str) -> None:
        self.repository = repository
        self._values = {
            **{f"inputs.{k}": v.get("default", "") for k, v in ACTION["inputs"].items()},
            **{f"inputs.{k.replace('_', '-')}": v for k, v in inputs.items()},
            "github.action_path": str(ROOT),
            "github.event.pull_request.base.sha": event.get("base", ""),
            "runner.temp": "",
        }
        self._venv = str(venv)
        self.output = repository.parent / "output"
        self.summary = repository.parent / "summary"
        self.output.touch()

    def step(self, name: str) -> subprocess.CompletedProcess[str]:
        (step,) = (s for s in ACTION["runs"]["steps"] if s["name"] == name)
        environment = {key: self._put(str(text)) for key, text in step.get("env", {}).items()}
        environment |= {"GITHUB_OUTPUT": str(self.output), "GITHUB_STEP_SUMMARY": str(self.summary)}
        if "KCHECK_VENV" in environment:
            environment["KCHECK_VENV"] = self._venv
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.repository,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def outputs(self) -> dict[str, str]:
        lines = self.output.read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def _put(self, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            name = match[1].strip()
            if name.startswith("steps.lint.outputs."):
                return self.outputs().get(name.rpartition(".")[2], "")
            return self._values[name]

        return re.sub(r"\$\{\{(.*?)\}\}", value, text)


def test_the_action_in_a_pull_request(repository: Path, venv: Path) -> None:
    flow = Workflow(repository, venv, {"base": git(repository, "rev-parse", "main")})
    done = flow.step("Lint Kafka configuration")
    assert done.returncode == 0, done.stderr
    errors = [line for line in done.stdout.splitlines() if line.startswith("::error")]
    assert len(errors) == 1 and "file=topics.yaml,line=2" in errors[0] and "KC1901" in errors[0]
    assert flow.outputs() == {"exit-code": "1", "sarif": "true"}
    log = json.loads((repository / "kcheck.sarif").read_text())
    assert [r["ruleId"] for r in log["runs"][0]["results"]] == ["KC1901"]
    assert flow.summary.read_text().startswith("<!-- kcheck -->")
    assert flow.step("Fail on findings").returncode == 1


def test_the_action_on_a_branch_tells_everything(repository: Path, venv: Path) -> None:
    flow = Workflow(repository, venv, {}, fail_on="never", args="-q\n--select=KC0103\n")
    done = flow.step("Lint Kafka configuration")
    assert "KC0103" in done.stdout and "KC1901" not in done.stdout
    assert flow.outputs()["exit-code"] == "0"
    assert flow.step("Fail on findings").returncode == 0


def test_what_the_action_cannot_do_fails_at_once(repository: Path, venv: Path) -> None:
    flow = Workflow(repository, venv, {}, paths="nowhere\n")
    done = flow.step("Lint Kafka configuration")
    assert done.returncode == 1
    assert "nowhere: does not exist" in done.stderr
    assert flow.outputs()["exit-code"] == "2"


def test_inputs_are_no_code(repository: Path, venv: Path) -> None:
    flow = Workflow(
        repository, venv, {}, paths="$(touch owned)\n.\n", args="--exclude=`touch owned`\n"
    )
    flow.step("Lint Kafka configuration")
    assert not (repository / "owned").exists()
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_the_gitlab_job(repository: Path, venv: Path) -> None:
    job = GITLAB["kcheck"]
    (repository / ".kcheck-venv").symlink_to(venv)
    told = {
        **{key: str(value) for key, value in job["variables"].items()},
        "CI_PROJECT_DIR": str(repository),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(repository, "rev-parse", "main"),
    }
    for environment, code in ((told, 1), ({**told, "KCHECK_ARGS": "--exit-zero"}, 0)):
        done = subprocess.run(
            ["sh", "-e", "-c", "\n".join(job["script"])],
            cwd=repository,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        reports = job["artifacts"]["reports"]
        entries = json.loads((repository / reports["codequality"]).read_text())
        assert [e["check_name"] for e in entries] == ["KC1901 partitions-reduced"]
        suites = ET.parse(repository / reports["junit"]).getroot()
        assert sum(int(suite.get("failures") or 0) for suite in suites) == 1


def test_the_docs_say_what_there_is() -> None:
    lint = {name for option in LINT for name in option.names}
    everywhere = lint | {n for c in COMMANDS for o in c.options for n in o.names}
    prose = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", DOCS))
    assert prose <= everywhere | {"--describe", "--install-completion"}
    blocks = re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)
    assert all(yaml.safe_load(block) for block in blocks)
    inputs = re.search(r"([^.]*) are its inputs", " ".join(DOCS.split()))
    assert inputs is not None
    assert set(re.findall(r"`([a-z-]+)`", inputs[1])) | {"upload"} == set(ACTION["inputs"])
    for path in re.findall(r"\]\((\.\./[^)]*)\)", DOCS):
        assert (ROOT / "docs" / path).exists()


def test_the_hooks_are_called_for_every_file_that_a_format_reads() -> None:
    """One that a pattern leaves out is never linted before a commit."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    # Without it pre-commit hides the warnings of a hook that passes.
    assert all(hook["verbose"] for hook in hooks)
    names = [f"a/file{ending}" for ending in endings.BY_ENDING]
    names += ["roles/kafka/templates/server.properties.j2", ".env.prod", "values.yaml.tpl"]
    for hook in hooks:
        pattern = re.compile(hook["files"])
        assert [name for name in names if not pattern.search(name)] == []
        assert not any(map(pattern.search, ("main.py", "image.png", "README.md", "Main.java")))


#: What recipes, documents and messages tell a reader to fetch or install.
_TOLD = [
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "action.yml")),
    *(ROOT / "ci").glob("*.[sy]*"),
    *(ROOT / "kcheck").rglob("*.py"),
]
#: The index name and the repository are not the project's before the first release.
_UNCLAIMED = re.compile(
    r"(?:pip|pipx|uvx?|uv tool|pip3) (?:install|run|tool install|download)\b[^\n]*?[ '\"]kcheck(?:[\[=~' \"]|$)"
    r"|\buvx (?:--\S+ )*kcheck\b|(?:uses|repo|remote|image): *\S*kcheck/kcheck"
    # What a registry is asked for, where no image of that name is there.
    r"|\b(?:docker|podman|buildah) (?:run|pull|from)\b[^\n]*? (?!localhost/)(?:[\w.-]+/)*kcheck\b(?!-)"
    r"|image: *(?:[\w.-]+/)*kcheck\b",
    re.MULTILINE,
)


def unclaimed(text: str) -> list[str]:
    return _UNCLAIMED.findall(text.replace("a clone of kcheck", "a clone"))


def test_no_recipe_installs_or_fetches_a_name_that_is_not_ours() -> None:
    told = {str(path): unclaimed(path.read_text(encoding="utf-8")) for path in _TOLD}
    assert {path: found for path, found in told.items() if found} == {}


def test_what_an_unclaimed_name_looks_like() -> None:
    for told in (
        "pip install kcheck",
        "uv tool install 'kcheck[spark]'",
        "pipx run kcheck lint",
        "uvx kcheck lint",
        "pip install --quiet kcheck==0.1.0",
        "- uses: kcheck/kcheck@v0.1.0",
        "repo: https://github.com/kcheck/kcheck",
        'docker run --rm -v "$PWD:/src:ro" kcheck lint',
        "podman pull ghcr.io/somebody/kcheck:0.1.0",
        "  image: kcheck:0.1.0-shell",
    ):
        assert unclaimed(told), told
    for told in (
        "pip install .",
        "pip install '.[spark]'  # in a clone of kcheck",
        "pip install ./kcheck-0.1.0.whl",
        "podman run --rm localhost/kcheck lint",
        "image: <your-copy-of-kcheck>:0.1.0-shell",
    ):
        assert not unclaimed(told), told


def test_actions_of_others_are_pinned_by_commit() -> None:
    texts = [ROOT / "action.yml", ROOT / "README.md", ROOT / "docs" / "ci.md"]
    found = [use for path in texts for use in re.findall(r"uses: (\S+)([^\n]*)", path.read_text())]
    assert found
    for use, behind in found:
        if SOURCE not in use:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", use), use
            assert re.search(r"# v\d+\.\d+\.\d+", behind), use


def test_the_gitlab_job_installs_nothing_by_itself(tmp_path: Path) -> None:
    job = GITLAB["kcheck"]
    assert job["variables"]["KCHECK_SPEC"] == ""
    done = subprocess.run(
        ["sh", "-e", "-c", next(line for line in job["before_script"] if "KCHECK_SPEC" in line)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "KCHECK_SPEC": ""},
    )
    assert done.returncode == 2 and "KCHECK_SPEC" in done.stderr

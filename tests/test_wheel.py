"""The wheel holds all that a run needs: installed elsewhere, or read as a zip, it lints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

_TOPIC = "topics:\n  - {name: a/b, partitions: 3, replication_factor: 3}\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT],
        check=True,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
    return next(folder.glob("*.whl"))


def lint(path: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    program = (
        f"import sys; sys.path[:0] = {path!r}; from kcheck.__main__ import main; sys.exit(main())"
    )
    return subprocess.run(
        [sys.executable, "-c", program, "lint", "--output", "concise", "topics.yaml"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )


def test_installed(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-compile",
            "-t",
            target,
        ]
        + [wheel],
        check=True,
    )
    (tmp_path / "topics.yaml").write_text(_TOPIC)
    ran = lint([str(target)], tmp_path)
    assert ran.returncode == 1
    assert "topic-name-charset" in ran.stdout or "KC06" in ran.stdout
    assert (target / "kcheck" / "schemas" / "kafka" / "topic.tsv").exists()


def test_from_a_zip(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.yaml").write_text(_TOPIC)
    ran = lint([str(wheel)], tmp_path)
    assert ran.returncode == 1, ran.stderr
    assert "KC06" in ran.stdout

"""Where no JDK or no jar is at hand the comparison says so at once, and that is no disagreement."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMPARE = Path(__file__).resolve().parent / "compare.py"


def asked(path: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(COMPARE), "--rules", "KC1403", "--releases", "4.4.0", "--jars", path],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        timeout=60,
    )


def test_without_a_compiler(tmp_path: Path) -> None:
    run = asked(str(tmp_path), PATH=str(tmp_path), JAVA_HOME="")
    assert run.returncode == 2
    assert "no javac" in run.stderr and run.stdout == ""


@pytest.mark.skipif(os.name == "nt", reason="the compiler here is a script of a shell")
def test_without_maven(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    javac = tmp_path / "bin" / "javac"
    javac.write_text("#!/bin/sh\necho javac 17.0.1\n", encoding="utf-8")
    javac.chmod(0o755)
    run = asked(str(tmp_path / "jars"), PATH=str(javac.parent), JAVA_HOME="")
    assert run.returncode == 2
    assert "no Maven" in run.stderr and run.stdout == ""


def test_an_old_compiler(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    javac = tmp_path / "bin" / "javac"
    javac.write_text("#!/bin/sh\necho javac 1.8.0_392\n", encoding="utf-8")
    javac.chmod(0o755)
    run = asked(str(tmp_path / "jars"), PATH="", JAVA_HOME=str(tmp_path))
    assert run.returncode == 2
    assert "17 or newer" in run.stderr and run.stdout == ""


def test_ci_reads_the_exit_code_of_the_comparison_itself() -> None:
    """Through a pipe into grep the 2 of a comparison that prints nothing became a 1."""
    text = (COMPARE.parents[2] / ".ci" / "run").read_text(encoding="utf-8")
    command = text.split("tests/oracle/compare.py")[1].split("|| oracle=$?")[0]
    assert "|" not in command and "grep" not in command

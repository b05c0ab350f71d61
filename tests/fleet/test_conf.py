"""``--conf``: settings for Spark from the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kcheck.__main__ import main

from .conftest import ROOT


def test_a_setting_that_keeps_spark_from_starting(tmp_path: Path) -> None:
    (tmp_path / "fleet").mkdir()
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "kcheck", "audit", str(tmp_path / "fleet")),
            *("--out", str(tmp_path / "out"), "--conf", "spark.jars.packages=nonsense"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("kcheck: Spark does not start: ")
    assert "nonsense" in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", [["spark.a"], ["spark.a=1", "spark.a=2"]])
def test_what_is_no_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    options = [option for word in words for option in ("--conf", word)]
    assert main(["audit", str(tmp_path), "--out", str(tmp_path / "out"), *options]) == 2
    assert "KEY=VALUE" in capsys.readouterr().err

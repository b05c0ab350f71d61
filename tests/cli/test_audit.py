"""``kcheck audit`` and ``pack`` where Spark is not, and where the options make no sense."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kcheck.__main__ import main

INSTALL = "kcheck: kcheck audit requires Spark: pip install '.[spark]' in a clone of kcheck (and Java 17)\n"


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "fleet" / "a"
    folder.mkdir(parents=True)
    (folder / "topics.yaml").write_text("topics:\n  - {name: orders, partitions: 3}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", ["audit", "pack"])
@pytest.mark.parametrize("missing", ["pyspark", "pandas", "pyarrow"])
def test_without_the_extra_one_line_says_how_to_get_it(
    fleet: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    missing: str,
) -> None:
    for name in ("pandas", "pyarrow", "pyspark", "pyspark.sql"):
        if name.split(".")[0] == missing:
            monkeypatch.setitem(sys.modules, name, None)
        elif name not in sys.modules:
            # Whether the others are there does not matter to this test.
            monkeypatch.setitem(sys.modules, name, type(sys)(name))
    if missing != "pyspark":
        monkeypatch.setattr(sys.modules["pyspark.sql"], "SparkSession", None, raising=False)
    assert main([command, "fleet", "--out", "out"]) == 2
    assert capsys.readouterr().err == INSTALL
    assert not (fleet / "out").exists()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "name at least one INPUT"),
        (["fleet"], "--out DIR is required"),
        (["fleet", "--out", "o", "--partitions", "many"], "--partitions must be a whole number"),
        (["fleet", "--out", "o", "--cluster-seconds", "-1"], "--cluster-seconds"),
        (
            ["fleet", "--out", "o", "--master", "local", "--remote", "sc://h"],
            "are mutually exclusive",
        ),
    ],
)
def test_options_that_make_no_sense(
    fleet: Path, capsys: pytest.CaptureFixture[str], args: list[str], words: str
) -> None:
    assert main(["audit", *args]) == 2
    assert words in capsys.readouterr().err

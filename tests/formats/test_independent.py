"""Another reader of the same files finds what kcheck finds: in the fixtures, and in every format."""

from __future__ import annotations

from pathlib import Path

import independent
import pytest
import second_readers
from one_fault import ROWS, Row

from kcheck import formats
from kcheck.discover import Inputs
from kcheck.model import Setting

FIXTURES = Path(__file__).parents[2] / "fixtures"


def test_the_fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)
    inputs = Inputs(["."])
    verdicts = [
        verdict
        for document, data in independent.read(inputs)
        for verdict in independent.judged(document, data, inputs.lookup)
    ]
    assert len(verdicts) > 400
    wrong = [v for v in verdicts if v.kind not in ("same", *independent.REASONS)]
    assert [str(verdict) for verdict in wrong] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.format}-{row.path}-{row.key}")
def test_every_format(row: Row) -> None:
    if row.path.endswith((".tf", ".tfvars", ".nomad")):
        pytest.importorskip("hcl2")
    data = row.text.encode()
    document = formats.read(row.path, data, {}.get)
    verdicts = independent.judged(document, data, lambda _: None)
    assert {v.kind for v in verdicts if v.setting.text == "two"} == {"same"}
    assert {v.kind for v in verdicts} <= {"same", *independent.REASONS}


def test_what_would_be_wrong_is_told() -> None:
    """The comparison is worth something: another text, line or name is no agreement."""
    text = "broker.id=1\nzookeeper.connect=z:2181\nlog.dirs=/data\nlog.dirs=/other\n"
    document = formats.read("server.properties", text.encode(), {}.get)
    (broker,) = document.resources

    def kinds() -> set[str]:
        found = independent.judged(document, text.encode(), lambda _: None)
        return {verdict.kind for verdict in found}

    assert kinds() == {"same"}
    made = broker.settings["log.dirs"]
    for wrong, kind in (
        (Setting("log.dirs", "/data", made.path, made.at, made.key_at), "line"),
        (Setting("log.dirs", "/data2", made.path, made.at, made.key_at), "differs"),
        (Setting("log.dirs", None, made.path, made.at, made.key_at), "differs"),
        (Setting("log.dirs", "/other", made.path, made.at, made.key_at, "log.dir"), "differs"),
    ):
        broker.settings["log.dirs"] = wrong
        assert kinds() == {"same", kind}


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a=1\n b : 2\nc 3\n\n#d=4\n!e=5", [("a", "1"), ("b", "2"), ("c", "3")]),
        ("a=1,\\\n   2\nb=\\u00e9\\t\\q", [("a", "1,2"), ("b", "é\tq")]),
        ("a\\=b\\ c=d\\\\\n=x\nk", [("a=b c", "d\\"), ("", "x"), ("k", "")]),
        ("a=1\\\n\nb=2\r\nc=3\rd=4\\", [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]),
        ("a==b\na:=c", [("a", "=b"), ("a", "=c")]),
    ],
)
def test_the_strict_reader_is_javas(text: str, pairs: list[tuple[str, str]]) -> None:
    assert [(leaf.name, leaf.value) for leaf in second_readers.properties(text)] == pairs


@pytest.mark.jvm
def test_java_says_so_too() -> None:
    texts = ["a=1,\\\n   2\nb=\\u00e9\\t\\q\n", "a=\\u12", "a\\=b\\ c=d\\\\\n=x\nk"]
    answers = second_readers.java_of(texts)
    if answers is None:
        pytest.skip("no Java")
    assert answers[1] is None
    for text, answer in zip(texts, answers, strict=True):
        if answer is not None:
            assert answer == [(leaf.name, leaf.value) for leaf in second_readers.properties(text)]

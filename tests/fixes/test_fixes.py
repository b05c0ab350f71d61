"""Fixes: what is written, what stays, and that a fixed file is clean of what was fixed."""

from __future__ import annotations

import pytest

from kcheck import discover, engine, fixes, rules
from kcheck.circumstances import Circumstances
from kcheck.cli import fix
from kcheck.examples import Example, examples
from kcheck.fixes import applied
from kcheck.model import WARNING, Edit, Finding, Fix, Resource
from kcheck.rule import Rule
from kcheck.settings import Settings

TODAY = Circumstances(today="2026-06-01")


def settings() -> Settings:
    return Settings(sets=("default", "advice", "preview"))


class Tree(discover.Inputs):
    """Files that lie nowhere but here."""

    def __init__(self, texts: dict[str, bytes]) -> None:
        super().__init__((), given=texts)

    def renewed(self, texts: dict[str, bytes]) -> Tree:
        return Tree({**self._given, **texts})


def lint(inputs: discover.Inputs, only: str = "") -> fix.Linted:
    project = engine.lint_project(
        sorted((path, inputs.read(path)) for path in inputs.files()),
        settings(),
        inputs.lookup,
        circumstances=TODAY,
    )
    assert project.failures == []
    return project, [f for f in project.findings if only in ("", f.code)]


WITH_EDITS = [rule for rule in rules.load().values() if rule.scopes != ("Upgrade",)]


@pytest.mark.parametrize("rule", WITH_EDITS, ids=lambda rule: f"{rule.code}-{rule.name}")
def test_a_fixed_file_is_clean_of_what_was_fixed(rule: Rule) -> None:
    for example in examples(rule):
        if example.bad:
            assert_clean_of_what_was_fixed(rule, example)


def assert_clean_of_what_was_fixed(rule: Rule, example: Example) -> None:
    tree = Tree({name: text.encode() for name, text in example.files.items()})
    found = [f for f in lint(tree, rule.code)[1] if f.fix and f.fix.edits]
    if not found:
        return
    state = fix.fix(tree, lint(tree, rule.code), lambda inputs: lint(inputs, rule.code), True)
    made = {(f.resource.kind, f.resource.name, f.message) for f in state.made}
    left = {(f.resource.kind, f.resource.name, f.message) for f in state.findings}
    if not made:
        # It draws something else that is as grave, so it is left to people; done, it holds.
        assert state.refused
        texts, by_hand = applied(found, tree.source)
        assert by_hand, f"the edit of {rule.code} cannot be made"
        made = {(f.resource.kind, f.resource.name, f.message) for f in by_hand}
        _, rest = lint(tree.renewed(texts), rule.code)
        left = {(f.resource.kind, f.resource.name, f.message) for f in rest}
    assert not made & left
    # A second time nothing changes.
    again = fix.fix(
        state.inputs, (state.project, state.findings), lambda i: lint(i, rule.code), True
    )
    assert again.texts == {}
    # Nothing else changes: the lines that no edit touched are there, in their order.
    for path, data in state.texts.items():
        lines = example.files[path].split("\n")
        touched = {
            line
            for f in state.made
            for edit in f.fix.edits
            if edit.path == path
            for line in range(edit.at[0], edit.at[2] + 1)
        }
        rest = iter(data.decode().split("\n"))
        assert all(line in rest for n, line in enumerate(lines, 1) if n not in touched)


def edited(
    path: str, text: str | bytes, at: str, to: str, old: str | None = None, own: bool = False
) -> bytes | None:
    """The file after one edit of the only place that says ``at``; None where it is not made.

    ``own``: without a look at what it says there.
    """
    data = text.encode() if isinstance(text, str) else text
    whole = data.decode("utf-8-sig" if path.endswith(".yaml") else "utf-8", "replace")
    offset = whole.index(at)
    lines = whole[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    line, column = len(lines), len(lines[-1]) + 1
    span = (line, column, line, column + len(at))
    before = at.strip("\"'") if old is None else old
    edit = Edit(path, span, to, None if own else before)
    finding = Finding("", Resource("topic", "t", path), (), path, span, "", Fix("", (edit,)))
    finding.severity = WARNING
    changed, made = applied([finding], {path: data}.get)
    assert bool(made) == bool(changed)
    return changed.get(path)


@pytest.mark.parametrize(
    ("path", "text", "at", "to", "after"),
    [
        ("a.yaml", "a: 1 # why\n", "1", "2", "a: 2 # why\n"),
        ("a.yaml", "a:   '1'\n", "'1'", "all", "a:   'all'\n"),
        ("a.yaml", 'a: "true"\n', '"true"', "false", 'a: "false"\n'),
        # A text stays a text: compose refuses a boolean in its environment.
        ("a.yaml", "a: maybe\n", "maybe", "true", 'a: "true"\n'),
        ("a.yaml", "a: gzip\n", "gzip", "1", 'a: "1"\n'),
        ("a.yaml", "a: true\n", "true", "false", "a: false\n"),
        ("a.yaml", "a: 1\n", "1", "all", "a: all\n"),
        ("a.yaml", "a: [x]\n", "x", "b c", 'a: ["b c"]\n'),
        ("a.yaml", "- KAFKA_A=1\n", "1", "true", "- KAFKA_A=true\n"),
        ("a.yaml", "- KAFKA_A=1\n", "1", "b c", None),
        ("a.yaml", "a: &one 1\n", "&one 1", "2", None),
        ("a.yaml", "a: ${A:-1}\n", "${A:-1}", "2", None),
        ("a.yaml", 'a: "x\\ty"\n', '"x\\ty"', "2", None),
        ("a.yaml", "\ufeffa: 1\r\nb: 2\r\n", "2", "3", "\ufeffa: 1\r\nb: 3\r\n"),
        ("a.yaml", "\ufeffa: 1\n", "1", "2", "\ufeffa: 2\n"),
        ("a.yaml", "a: 'größer'\nb: 1\n", "1", "2", "a: 'größer'\nb: 2\n"),
        ("a.json", '{"a": "1", "b": 2}', "2", "all", '{"a": "1", "b": "all"}'),
        ("a.json", '{"a": "1", "b": 2}', "2", "3", '{"a": "1", "b": 3}'),
        ("a.json", '{"a": ""}', '""', "all", '{"a": "all"}'),
        ("a.yaml", "a: ''\n", "''", "https", "a: 'https'\n"),
        ("a.properties", "a = 1\r# b\r\n", "1", "2", "a = 2\r# b\r\n"),
        ("a.properties", "a=x\\ty\n", "x\\ty", "2", None),
        ("a.properties", "a=1\n", "1", "\\x", None),
    ],
)
def test_a_value_is_written_as_the_file_writes_it(
    path: str, text: str, at: str, to: str, after: str | None
) -> None:
    old = {"&one 1": "1", "${A:-1}": "1", '"x\\ty"': "x\ty", "x\\ty": "x\ty"}.get(at)
    assert edited(path, text, at, to, old) == (None if after is None else after.encode())


def test_latin_1_stays_latin_1() -> None:
    data = "# grö\u00dfer\na=1\n".encode("latin-1")
    assert edited("a.properties", data, "1", "2") == data.replace(b"=1", b"=2")


def test_what_does_not_say_what_it_should_is_left_alone() -> None:
    assert edited("a.yaml", "a: 5\n", "5", "2", "6") is None
    assert edited("a.properties", b"\xff\xfea\0=\x005\0", "5", "2", "5") is None


@pytest.mark.parametrize(
    ("text", "at", "to", "after"),
    [
        ("a: 1\n  # gone\nb: 2\n", "# gone", "", "a: 1\nb: 2\n"),
        ("a: 1  # gone\nb: 2\n", "# gone", "", "a: 1\nb: 2\n"),
        ("a: 1 # some\r\n", "# some", "# other", "a: 1 # other\r\n"),
        ("a: 1\r\nb: 2\r\n", "b", "# new\n", None),
    ],
)
def test_comments_of_our_own(text: str, at: str, to: str, after: str | None) -> None:
    if to.endswith("\n"):
        edit = Edit("a.yaml", (2, 1, 2, 1), to)
        finding = Finding("", Resource("topic", "t", ""), (), "", edit.at, "", Fix("", (edit,)))
        finding.severity = WARNING
        assert applied([finding], {"a.yaml": text.encode()}.get)[0] == {
            "a.yaml": b"a: 1\r\n# new\r\nb: 2\r\n"
        }
        return
    assert edited("a.yaml", text, at, to, own=True) == (after or "").encode()


def test_of_two_fixes_of_one_place_the_graver_finding_s_is_made() -> None:
    def made(severity: str, to: str, column: int = 4) -> Finding:
        edit = Edit("a.yaml", (1, column, 1, column + 1), to, "1")
        found = Finding("", Resource("topic", "t", ""), (), "", edit.at, "", Fix("", (edit,)))
        found.severity = severity
        return found

    mild, grave, other = made("warning", "2"), made("error", "3"), made("info", "4", 9)
    assert fixes.chosen([mild, grave, other], True) == [grave, other]
    assert fixes.chosen([mild, grave, other], False) == []

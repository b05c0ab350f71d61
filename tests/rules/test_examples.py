"""Every rule's own examples, executed: each bad one draws the rule, no good one does."""

from __future__ import annotations

import re

import pytest

from kcheck import catalogue, rules
from kcheck.changes import Before, look
from kcheck.engine import Project, lint_project
from kcheck.examples import Example, examples
from kcheck.rule import Rule
from kcheck.settings import Settings
from kcheck.upgrade import upgrade_project

ALL = rules.load()
CASES = [
    pytest.param(rule, example, id=f"{rule.code}-{rule.name}-{'bad' if example.bad else 'good'}{i}")
    for rule in ALL.values()
    for i, example in enumerate(examples(rule))
]


def looked_at(
    rule: Rule, files: dict[str, bytes], settings: Settings, version: str = ""
) -> Project:
    """The files as the rule's command reads them: rules on upgrades see one to the newest.

    It begins at the version that the files tell, unless another one is given. Rules on changes
    see what lies in ``before`` beside what lies in ``after``.
    """
    if rule.family == "change":
        old, new = (
            {path.removeprefix(at): data for path, data in files.items() if path.startswith(at)}
            for at in ("before/", "after/")
        )
        before = Before(lint_project(sorted(old.items()), settings, old.get), "main")
        return lint_project(
            sorted(new.items()),
            settings,
            new.get,
            also=lambda project, runner: look(before, project, runner),
        )
    if rule.scopes == ("Upgrade",):
        newest = catalogue.newest()
        return upgrade_project(sorted(files.items()), settings, newest, version, lookup=files.get)
    return lint_project(sorted(files.items()), settings, files.get)


def codes(example: Example, rule: Rule) -> list[str]:
    settings = Settings()
    settings.sets = ("default", "advice", "preview")
    settings.today = "2026-06-01"
    files = {name: text.encode() for name, text in example.files.items()}
    project = looked_at(rule, files, settings)
    assert not project.failures
    return [finding.code for finding in project.findings]


@pytest.mark.parametrize(("rule", "example"), CASES)
def test_example(rule: Rule, example: Example) -> None:
    assert example.files, "an example holds at least one file"
    assert (rule.code in codes(example, rule)) == example.bad


@pytest.mark.parametrize("word", ["many", "9" * 5001], ids=["many", "9…"])
@pytest.mark.parametrize("rule", ALL.values(), ids=lambda rule: rule.code)
def test_no_rule_fails_on_what_should_be_a_number(rule: Rule, word: str, thorough: bool) -> None:
    """In place of each number of the examples in turn, or of each second: the word has the others."""
    at = len(word) % 2
    settings = Settings()
    settings.selected = frozenset({rule.code})
    for example in examples(rule):
        files = {path: text.encode() for path, text in example.files.items()}
        for path, text in example.files.items():
            for match in re.finditer(r"(?<=[:=]) ?\"?\d[\w.]*", text):
                at += 1
                if not thorough and at % 2:
                    continue
                odd = f"{text[: match.start()]} {word}{text[match.end() :]}"
                files[path] = odd.encode()
                project = looked_at(rule, files, settings, catalogue.oldest())
                assert project.failures == [], odd
            files[path] = text.encode()


#: A file of more than 5 MiB does not fit a docstring: tests/test_file_rules.py makes one.
TOO_LARGE_TO_SHOW = {"KC0005"}


@pytest.mark.parametrize("rule", ALL.values(), ids=lambda rule: rule.code)
def test_every_rule_has_both(rule: Rule) -> None:
    kinds = {example.bad for example in examples(rule)}
    assert kinds == ({False} if rule.code in TOO_LARGE_TO_SHOW else {True, False})

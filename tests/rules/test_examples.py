"""Every rule's own examples, executed: each bad one draws the rule, no good one does.

What the rule says of the bad ones lies in ``said/``; ``KCHECK_UPDATE=1 pytest
tests/rules/test_examples.py`` writes it anew, to be read before it is committed.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import pytest
from trial import cases_without_rule, examples_of, looked_at, module_of, said, tried

from kcheck import catalogue, rules
from kcheck.examples import Example, examples
from kcheck.rule import Rule
from kcheck.settings import Settings

ALL = rules.load()
EXAMPLES = {rule: examples_of(rule) for rule in ALL.values()}
EACH = pytest.mark.parametrize("rule", ALL.values(), ids=lambda rule: f"{rule.code}-{rule.name}")


@cache
def outcome(rule: Rule, example: Example) -> tuple[list[str], str]:
    """What failed when all rules ran on the example, and all that this one said."""
    project = tried(rule, example)
    return project.failures, said(rule, project)


@EACH
def test_the_examples(rule: Rule) -> None:
    for number, example in enumerate(EXAMPLES[rule]):
        kind = f"{'bad' if example.bad else 'good'}, number {number} of the rule"
        assert example.files, f"{kind}: an example holds at least one file"
        failures, words = outcome(rule, example)
        assert not failures, kind
        assert bool(words) == example.bad, kind
    # A file of more than 5 MiB does not fit a docstring: tests/test_file_rules.py makes one.
    kinds = {example.bad for example in examples(rule)}
    assert kinds == ({False} if rule.code in TOO_LARGE_TO_SHOW else {True, False})


TOO_LARGE_TO_SHOW = {"KC0005"}


@pytest.mark.parametrize("module", rules.MODULES)
def test_a_module_says_what_its_rules_look_at(module: str) -> None:
    """A run loads the modules alone that say so of what it met."""
    ours = [rule for rule in ALL.values() if module_of(rule) == module]
    looked_at = {scope for rule in ours for scope in rule.scopes}
    assert rules.MODULES[module] == " ".join(sorted(looked_at))


SAID = Path(__file__).resolve().parent / "said"


@pytest.mark.parametrize("module", rules.MODULES)
def test_what_is_said(module: str) -> None:
    """Place, severity, words, evidence and fix of each finding on a module's bad examples."""
    text = "".join(
        f"== {rule.code} {rule.name}, bad {number}\n{outcome(rule, example)[1]}\n"
        for rule, mine in EXAMPLES.items()
        if module_of(rule) == module
        for number, example in enumerate((e for e in mine if e.bad), 1)
    )
    path = SAID / f"{module.replace('.', '/')}.txt"
    if os.environ.get("KCHECK_UPDATE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_further_cases_belong_to_a_rule() -> None:
    assert cases_without_rule(ALL) == set()


@EACH
def test_no_rule_fails_on_what_should_be_a_number(rule: Rule, thorough: bool) -> None:
    """In place of each number of the examples in turn, or of each fourth: the next word has others."""
    for at, word in ((0, "many"), (2, "9" * 5001)):
        _put_in_place_of_numbers(rule, word, at, thorough)


def _put_in_place_of_numbers(rule: Rule, word: str, at: int, thorough: bool) -> None:
    settings = Settings(selected=frozenset({rule.code}))
    for example in examples(rule):
        files = {path: text.encode() for path, text in example.files.items()}
        for path, text in example.files.items():
            for match in re.finditer(r"(?<=[:=]) ?\"?\d[\w.]*", text):
                at += 1
                if not thorough and at % 4 != 1:
                    continue
                odd = f"{text[: match.start()]} {word}{text[match.end() :]}"
                files[path] = odd.encode()
                project = looked_at(rule, files, settings, catalogue.oldest())
                assert project.failures == [], odd
            files[path] = text.encode()

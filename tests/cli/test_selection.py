"""What a word means to ``--select`` and ``--ignore``, and which of two words wins."""

from __future__ import annotations

import pytest

from kcheck import rules
from kcheck.model import WARNING
from kcheck.rule import ADVICE, DEFAULT_SET, PREVIEW, Rule
from kcheck.selection import Layer, Unknown, meant, selected


def made(code: str, name: str, set: str = DEFAULT_SET, aliases: tuple[str, ...] = ()) -> Rule:
    def check(topic: Topic) -> None:  # noqa: F821 - a scope is a word
        """One sentence."""

    rule = Rule(code, name, WARNING, check)  # type: ignore[arg-type]
    rule.set, rule.aliases = set, aliases
    return rule


RULES = {
    rule.code: rule
    for rule in (
        made("KC0301", "one", aliases=("uno",)),
        made("KC0302", "two", ADVICE),
        made("KC0311", "three", PREVIEW),
        made("KC0501", "four"),
        made("KC0502", "five", ADVICE),
    )
}


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        ("KC0301", "01"),
        ("kc0301", "01"),
        ("one", "01"),
        ("uno", "01"),
        ("three", "11"),
        ("durability", "01 02"),
        ("KC03", "01 02"),
        ("KC030", "01 02"),
        ("KC031", ""),
        ("message_size", "51 52"),
        ("message-size", "51 52"),
        ("KC17", ""),
        ("KC", "01 02 51 52"),
        ("default", "01 51"),
        ("advice", "02 52"),
        ("preview", "11"),
        ("all", "01 02 11 51 52"),
    ],
)
def test_meant(word: str, codes: str) -> None:
    expected = {{"5": f"KC050{c[1]}"}.get(c[0], f"KC03{c}") for c in codes.split()}
    assert meant(word, RULES)[1] == expected


@pytest.mark.parametrize("word", ["KC99", "KC0399", "KC03011", "nope", "KCxx", "", "DEFAULT"])
def test_unknown(word: str) -> None:
    with pytest.raises(Unknown):
        meant(word, RULES)


FILE_IGNORES_ONE = Layer(ignore=("one",))


@pytest.mark.parametrize(
    ("layers", "codes"),
    [
        ([], "KC0301 KC0501"),
        ([Layer()], "KC0301 KC0501"),
        ([Layer(select=("KC05",))], "KC0501 KC0502"),
        ([Layer(extend=("advice",))], "KC0301 KC0302 KC0501 KC0502"),
        ([Layer(ignore=("KC03",))], "KC0501"),
        ([Layer(select=("durability",), ignore=("two",))], "KC0301"),
        ([Layer(select=("two",), ignore=("durability",))], "KC0302"),
        ([Layer(select=("one",), ignore=("one",))], ""),
        ([Layer(select=("all",), ignore=("preview",))], "KC0301 KC0302 KC0501 KC0502"),
        ([FILE_IGNORES_ONE, Layer()], "KC0501"),
        ([FILE_IGNORES_ONE, Layer(select=("durability",))], "KC0302"),
        ([FILE_IGNORES_ONE, Layer(select=("one",))], "KC0301"),
        ([FILE_IGNORES_ONE, Layer(extend=("one",))], "KC0301 KC0501"),
        ([Layer(select=("KC05",)), Layer(select=("one",))], "KC0301"),
        ([Layer(select=("KC05",)), Layer(extend=("one",))], "KC0301 KC0501 KC0502"),
        ([Layer(extend=("two",)), Layer(select=("one",))], "KC0301"),
        ([Layer(extend=("two",)), Layer(ignore=("two",))], "KC0301 KC0501"),
    ],
)
def test_selected(layers: list[Layer], codes: str) -> None:
    assert selected(layers, RULES) == set(codes.split())


def test_without_a_word_the_default_set_runs() -> None:
    known = rules.load()
    assert selected([Layer()], known) == {c for c, r in known.items() if r.set == DEFAULT_SET}

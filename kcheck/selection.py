"""Which rules a word means: a code, a prefix (``KC03``), a name, a family, or a set of rules."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.rule import ADVICE, DEFAULT_SET, FAMILIES, PREVIEW, Rule

ALL = "all"
SETS = (DEFAULT_SET, ADVICE, PREVIEW, ALL)

#: How exact a word is; a more exact one wins over a less exact one, whatever either says.
SET, FAMILY, ONE = 1, 2, 9

Rules = dict[str, Rule]


#: What is longer is no slip of a word that means something.
_LONGEST = 100


class Unknown(ValueError):
    """A word that means no rule; ``nearest`` is what may have been meant, or nothing."""

    def __init__(self, word: str, rules: Rules, guess: bool = True) -> None:
        self.word = word
        self.nearest = nearest(word, words(rules)) if guess else ""
        hint = f"; did you mean {self.nearest}?" if self.nearest else " (see kcheck rules)"
        super().__init__(f"no rule, family or set is named {word}{hint}")


def words(rules: Rules) -> list[str]:
    """Every word that means something, prefixes aside."""
    names = [name for rule in rules.values() for name in (rule.name, rule.code, *rule.aliases)]
    return [*names, *FAMILIES.values(), *SETS]


def nearest(word: str, candidates: Iterable[str]) -> str:
    """The candidate that looks most like the word; "" where none does."""
    from difflib import get_close_matches

    if len(word) > _LONGEST or (word[:2].upper() == "KC" and word[2:].isdigit()):
        # Codes are numbers: the one that looks most like another says nothing of what was meant.
        return ""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    close = get_close_matches(word.lower(), by_lower, 1, 0.6)
    return by_lower[close[0]] if close else ""


def meant(word: str, rules: Rules, guess: bool = True) -> tuple[int, frozenset[str]]:
    """(how exact the word is, the codes that it means). Raises Unknown, with a guess or without.

    A prefix or family takes its opt-in rules along; rules on trial come only by their own name,
    by ``preview`` or by ``all``.
    """
    if word == ALL:
        return 0, frozenset(rules)
    if word in SETS:
        return SET, frozenset(code for code, rule in rules.items() if rule.set == word)
    family = word.replace("-", "_")
    if family in FAMILIES.values():
        return FAMILY, _tried(rule for rule in rules.values() if rule.family == family)
    code = word.upper()
    if code in rules:
        return ONE, frozenset((code,))
    for rule in rules.values():
        if word == rule.name or word in rule.aliases:
            return ONE, frozenset((rule.code,))
    if code.startswith("KC") and (code == "KC" or code[2:].isdigit()) and len(code) < 6:
        if code == "KC":
            return SET, _tried(rules.values())
        # A family without rules yet is no mistake, a family that does not exist is one.
        if (len(code) == 4 and code[2:] in FAMILIES) or any(c.startswith(code) for c in rules):
            found = (rule for rule in rules.values() if rule.code.startswith(code))
            return len(code) - 2, _tried(found)
    raise Unknown(word, rules, guess)


def _tried(found: Iterable[Rule]) -> frozenset[str]:
    return frozenset(rule.code for rule in found if rule.set != PREVIEW)


class Layer:
    """What one place (settings file, command line) says: words to select, add and ignore."""

    __slots__ = ("extend", "ignore", "select")

    def __init__(
        self,
        select: tuple[str, ...] = (),
        extend: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
    ) -> None:
        self.select = select
        self.extend = extend
        self.ignore = ignore


def selected(layers: Iterable[Layer], rules: Rules) -> frozenset[str]:
    """The codes that are on. Raises Unknown for a word that means nothing.

    The last layer that has ``select`` says where to begin, and what earlier layers added counts
    no more. Then the more exact word wins, of two equal ones the later layer's, in one layer
    ``ignore``: ``select = ["KC03"]`` with ``ignore = ["KC0301"]`` leaves one rule out, and
    ``--select KC0301`` brings it back.
    """
    steps: list[tuple[int, int, int, frozenset[str]]] = []
    begin: tuple[str, ...] = (DEFAULT_SET,)
    place = 0
    for number, layer in enumerate(layers):
        if layer.select:
            begin, place = layer.select, number
            steps = [step for step in steps if step[2]]
        steps.extend((*_step(word, rules, number, 0),) for word in layer.extend)
        steps.extend((*_step(word, rules, number, 1),) for word in layer.ignore)
    steps.extend(_step(word, rules, place, 0) for word in begin)
    on: set[str] = set()
    for _, _, ignored, codes in sorted(steps, key=lambda step: step[:3]):
        if ignored:
            on -= codes
        else:
            on |= codes
    return frozenset(on)


def _step(
    word: str, rules: Rules, layer: int, ignored: int
) -> tuple[int, int, int, frozenset[str]]:
    exact, codes = meant(word, rules)
    return exact, layer, ignored, codes

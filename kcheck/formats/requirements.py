"""What products' documents require of the fields of their resources and files, one by one or of two together.

``schemas/names/requirements.tsv`` has a row for each requirement. What a resource is made of (blocks of
Terraform, trees of YAML, options of a program) its reader shows as a tree that has facts at paths; the
rows are the same for all. A fact that is not known breaks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from kcheck import data
from kcheck.formats.fact_trees import Fact, Facts, Node, Options, Tree
from kcheck.formats.unknown_words import word_of
from kcheck.model import ERROR, WARNING, Document, Problem, Setting
from kcheck.secrets import keeps, spans
from kcheck.syntax import yaml
from kcheck.units import whole

REFUSED, IDLE = "KC0276", "KC0277"
#: A longer value is not shown.
_LONGEST = 60
_OTHERWISE = {REFUSED: "{} rejects it", IDLE: "{} ignores it"}


class _Row:
    """One requirement: ``test`` of what is at ``path``, where all conditions hold.

    ``objects``, if there are any, are where the paths begin: it is required of each of them.
    """

    __slots__ = (
        *("breaks", "code", "conditions", "fix", "objects", "path", "rule", "severity", "test"),
    )

    def __init__(self, row: list[str]) -> None:
        _, path, self.test, when, code, self.rule, self.fix, self.breaks, _ = row
        self.path, _, objects = path.partition(" in ")
        self.objects = objects.split("+") if objects else []
        self.code, _, weak = code.partition(" ")
        self.severity = WARNING if weak or self.code == IDLE else ERROR
        parts = (one.partition(" ") for one in when.split(" & ") if one)
        self.conditions = [(path, test) for path, _, test in parts]


_rows: dict[str, list[_Row]] = {}


def _table() -> dict[str, list[_Row]]:
    if not _rows:
        for row in data.rows("names/requirements.tsv"):
            for holder in row[0].split("|"):
                _rows.setdefault(holder, []).append(_Row(row))
    return _rows


def has(holder: str) -> bool:
    """Whether anything is required of that kind of resource."""
    return holder in _table()


def check(
    document: Document, holder: str, owner: str, tree: Tree, product: str = "the service"
) -> None:
    """Report what a resource has that its product refuses or ignores; ``product`` is who that is."""
    for row in _table().get(holder, ()):
        objects = (one for path in row.objects for one in tree.objects(path))
        for one in objects if row.objects else (tree,):
            if all(_holds(one, path, test) for path, test in row.conditions):
                _judge(document, row, owner, one, product)


def of_node(
    document: Document, holder: str, owner: str, node: yaml.Node, product: str, name: str = ""
) -> None:
    """The same for a tree of YAML of that name."""
    check(document, holder, owner, Node(node, name), product)


def of_options(
    document: Document,
    holder: str,
    owner: str,
    options: Iterable[tuple[str, Fact]],
    product: str,
    complete: bool = True,
) -> None:
    """The same for options, each with the path at which it is looked for."""
    held: dict[str, list[Fact]] = {}
    for path, fact in options:
        held.setdefault(path, []).append(fact)
    if held:
        place = next(iter(held.values()))[0].key_at
        check(document, holder, owner, Options(held, place, complete), product)


def _holds(tree: Tree, path: str, test: str) -> bool:
    """Whether a condition is known to hold."""
    facts = _at(tree, path)
    if facts is None:
        return False
    if test in _PRESENCE or not facts:
        return bool(facts) is (test == "set") if test in _PRESENCE else test[:4] == "not "
    return any(_passes(tree, fact, test) for fact in facts)


def _at(tree: Tree, path: str) -> Facts:
    """What is at the first of some paths that has anything; of paths with a plus, at all of them."""
    found: Facts = []
    for one in path.split("|"):
        several = [tree.facts(part) for part in one.split("+")]
        if None in several:
            return None
        found = [fact for part in several for fact in part or ()]
        if found:
            return found
    return found


_PRESENCE = ("set", "unset")


def _judge(document: Document, row: _Row, owner: str, tree: Tree, product: str) -> None:
    facts = _at(tree, row.path)
    if facts is None:
        return
    demanded = row.test == "set" or row.test.startswith("!")
    test = row.test.removeprefix("!")
    if not facts:
        if demanded:
            _lacking(document, row, owner, tree, product)
        return
    if test == "unique":
        _repeated(document, row, owner, facts, product)
        return
    if test == "counted":
        numbers = sorted({int(one.text) for one in facts if one.text})
        facts = facts[-1:] if numbers != [*range(len(numbers))] else []
        test = "never"
    elif test.startswith("some "):
        known = [one.text for one in facts]
        facts = facts[:1] if None not in known and test[5:] not in known else []
        test = "never"
    for fact in facts:
        if test in ("unset", "never") or (test != "set" and _passes(tree, fact, test) is False):
            _told(document, row, owner, tree, fact, product)
            return


def _passes(tree: Tree, fact: Fact, test: str) -> bool | None:
    """Whether one value passes a test; None where that is not known."""
    kind, _, want = test.partition(" ")
    if kind.endswith("written"):
        found = re.fullmatch(want, fact.source.strip('"')) is not None
        return found is (kind == "written")
    if fact.text is None or (fact.text == "" and kind != "not"):
        return None
    return _TESTS[kind](tree, fact.text, want)


def _in(tree: Tree, text: str, want: str) -> bool | None:
    return text in want.split("|")


def _between(tree: Tree, text: str, want: str) -> bool | None:
    low, _, high = want.partition("..")
    number = whole(text)
    if number is None:
        return None
    return (not low or int(low) <= number) and (not high or number <= int(high))


def _among(tree: Tree, text: str, want: str) -> bool | None:
    """Whether each part of a list with commas is one of the values elsewhere."""
    missing = _missing(tree, text, want)
    return None if missing is None else not missing


def _missing(tree: Tree, text: str, want: str) -> list[str] | None:
    """The parts of a list with commas that are none of the values elsewhere; None where these are unknown."""
    several = [tree.facts(one) for one in want.split()]
    there = [fact for one in several for fact in one or ()]
    if None in several or not there or any(one.text is None for one in there):
        return None
    known = {part.strip() for one in there for part in (one.text or "").split(",")}
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return [part for part in parts if part not in known]


def _differs(tree: Tree, text: str, want: str) -> bool | None:
    there = tree.facts(want)
    return None if not there or there[0].text is None else text != there[0].text


def _compared(passes: Callable[[int, int], bool]) -> Callable[[Tree, str, str], bool | None]:
    def test(tree: Tree, text: str, want: str) -> bool | None:
        path, _, default = want.partition(":")
        there = tree.facts(path)
        if there is None:
            return None
        number, other = whole(text), whole(there[0].text if there else default)
        return None if number is None or not other else passes(number, other)

    return test


def _fits(tree: Tree, text: str, want: str) -> bool | None:
    """Whether a size, in binary units, is no larger than another one."""
    there = tree.facts(want)
    own, other = _bytes(text), _bytes(there[0].text) if there else None
    return None if own is None or other is None else own <= other


def _bytes(text: str | None) -> float | None:
    found = _SIZE.fullmatch(text or "")
    if found is None:
        return None
    return float(found[1]) * float(1024 ** (" kmgt".index(found[2].lower()) if found[2] else 0))


_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([kKmMgGtT]?)i?[bB]?")


def _like(tree: Tree, text: str, want: str) -> bool | None:
    return re.fullmatch(want, text) is not None


#: By the first word of a test; the rest of it is what is wanted.
_TESTS: dict[str, Callable[[Tree, str, str], bool | None]] = {
    "is": lambda _, text, want: text.lower() == want.lower(),
    "not": lambda _, text, want: text.lower() != want.lower(),
    "in": _in,
    "between": _between,
    "like": _like,
    "among": _among,
    "least": _compared(lambda number, other: number >= other),
    "most": _compared(lambda number, other: number <= other),
    "above": _compared(lambda number, other: number > other),
    "below": _compared(lambda number, other: number < other),
    "differs": _differs,
    "times": _compared(lambda number, other: number % other == 0),
    "fits": _fits,
    "odd": lambda _, text, want: None if (n := whole(text)) is None else n % 2 == 1,
}


def _told(document: Document, row: _Row, owner: str, tree: Tree, fact: Fact, product: str) -> None:
    name = fact.name
    setting = Setting(fact.key, fact.text, document.path, fact.at, fact.key_at)
    if not _shown(setting):
        setting.text = None
    if row.test.startswith("in ") and not row.rule and fact.text is not None:
        known = tuple(row.test[3:].split("|"))
        where, otherwise = f"{owner}: {name}", f"{product} rejects it"
        word_of(document, known, where, fact.key, fact.text, fact.at, otherwise)
        return
    value = f"={setting.text}" if setting.text else ""
    if row.test.startswith("among ") and not keeps(setting) and not spans(fact.text or ""):
        missing = _missing(tree, fact.text or "", row.test[6:]) or [""]
        value = value if missing == [setting.text] else f" with {missing[0]}"
    made = f"sets {name}{value}" if row.test == "unset" or not fact.text else f"has {name}{value}"
    _problem(document, row, f"{owner} {made}", setting, product)


def _shown(setting: Setting) -> bool:
    text = setting.text
    if not text or len(text) > _LONGEST or "\n" in text:
        return False
    return not keeps(setting) and not spans(text)


def _lacking(document: Document, row: _Row, owner: str, tree: Tree, product: str) -> None:
    path = min(row.path.split("|"), key=len).rpartition(">")[2]
    name = tree.called(path)
    setting = Setting(path.rpartition("/")[2], None, document.path, tree.place)
    _problem(document, row, f"{owner} does not set {name}", setting, product)


def _repeated(document: Document, row: _Row, owner: str, facts: list[Fact], product: str) -> None:
    seen: set[str] = set()
    for fact in facts:
        if fact.text and fact.text in seen:
            setting = Setting(fact.key, fact.text, document.path, fact.at, fact.key_at)
            _problem(document, row, f"{owner} has {fact.name}={fact.text} twice", setting, product)
            return
        seen.add(fact.text or "")


def _problem(document: Document, row: _Row, told: str, setting: Setting, product: str) -> None:
    document.problems.append(
        Problem(
            f"{told}, but {row.rule}",
            setting.at,
            row.code,
            row.severity,
            row.breaks or _OTHERWISE.get(row.code, "{} rejects it").format(product),
            row.fix,
            setting=setting,
        )
    )

"""Cases on both sides of each rule's bound, drawn until there are enough of either.

The linter leads: its findings tell which keys a rule weighs, and on which side a drawn case lies.
What Kafka says of the cases is asked afterwards; no case is dropped for what it says.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import verdicts
from cases import BASES, BROKERS, PLANES, Case
from generate import collected, history, kept, keys_of, related, texts
from hypothesis import strategies as st
from neighbours import by_rule
from recipes import RECIPES
from sides import ENOUGH, View, view
from sides import texts as texts_of

from kcheck.model import ERROR
from kcheck.rule import registered

#: Drawn beyond what is needed: of some cases Kafka says something for another reason.
_SPARE = 8
_ROUNDS, _DRAWS = 5, 120
_NUMBER = re.compile(r"-?[0-9]{1,18}")
#: Letters that slip into a key, and ways to lose its shape.
_SLIPS = (
    lambda key: key[:-1],
    lambda key: key + "s",
    lambda key: key.replace(".", "_"),
    lambda key: key.replace(".", "-", 1),
    lambda key: key.upper(),
    lambda key: key.title(),
    lambda key: key[1:],
    lambda key: key[:2] + key[3:],
    lambda key: key[:3] + key[2:],
    lambda key: ".".join(reversed(key.split("."))),
    lambda key: f"kafka.{key}",
    lambda key: f"topic.{key}",
)


class Hunt:
    """What is known of one rule: the releases it speaks in, the keys it weighs, its cases."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.releases: set[str] = set()
        #: Releases that take what another refuses.
        self.silent: set[str] = set()
        self.keys: dict[str, set[str]] = defaultdict(set)
        #: Plane → (the keys that a finding weighs, those of them that are set): a neighbour sets these.
        self.weighed: dict[str, set[tuple[frozenset[str], frozenset[str]]]] = defaultdict(set)
        self.beyond: dict[View, dict[str, Case]] = defaultdict(dict)
        self.before: dict[View, dict[str, Case]] = defaultdict(dict)

    def look(self, case: Case, releases: Iterable[str]) -> None:
        """Which side the case lies on; on both, where one release refuses what another takes."""
        beyond, quiet = [], []
        for release in releases:
            if not case.asked_of(release):
                continue
            told = verdicts.judge(case, release)
            mine = [finding for finding in told.findings if finding.code == self.code]
            if any(finding.severity == ERROR or self._warns for finding in mine):
                keys = told.weighed[self.code]
                self.keys[case.plane].update(keys)
                mine_set = frozenset(keys).intersection(texts_of(case))
                self.weighed[case.plane].add((frozenset(keys), mine_set))
                self.beyond[view(case, keys)].setdefault(case.key, case)
                beyond.append(release)
            elif not mine and not told.refusals:
                quiet.append(release)
        self.releases.update(beyond)
        self.silent.update(quiet if beyond else ())
        given = {*texts_of(case)}
        touched = {*case.properties, *case.broker}
        for keys, needed in self.weighed.get(case.plane, ()) if quiet else ():
            if needed <= given and not keys.isdisjoint(touched):
                self.before[view(case, keys)].setdefault(case.key, case)
                return

    @property
    def _warns(self) -> bool:
        return self.code in _WARNERS

    def wants(self) -> bool:
        return any(len(side) < ENOUGH + _SPARE for side in (self.beyond, self.before))

    def full(self) -> bool:
        """Enough cases, though some may look the same to the rule."""
        sides = (self.beyond, self.before)
        return all(sum(map(len, side.values())) >= ENOUGH + _SPARE for side in sides)

    def cases(self) -> list[Case]:
        """So many of both sides, first those that differ in what the rule weighs."""
        found: dict[str, Case] = {}
        for side in (self.beyond, self.before):
            groups = [[*group.values()] for group in side.values()]
            mine: dict[str, Case] = {}
            for at in range(max(map(len, groups), default=0)):
                for group in groups:
                    if at < len(group) and len(mine) < ENOUGH + _SPARE:
                        mine[group[at].key] = group[at]
            found |= mine
        return [*found.values()]


#: Rules that warn where Kafka refuses, since the program may add what lacks.
_WARNERS = ("KC0907",)


def drawn(codes: Iterable[str], number: int, releases: Sequence[str]) -> dict[str, list[Case]]:
    """Rule → its cases. The releases are those that will be asked."""
    codes, newest_first = [*codes], [*reversed(releases)]
    seeds = by_rule(codes)
    spoken = _spoken(newest_first)
    found = {}
    for code in codes:
        hunt = Hunt(code)
        mine = [*seeds.get(code, ()), *spoken.get(code, ())]
        for case in mine:
            hunt.look(case, newest_first)
        _chase(hunt, mine, number)
        # What the examples set on the accepted side is seen once the keys are known.
        for case in mine:
            hunt.look(case, newest_first)
        found[code] = hunt.cases()
    return found


def _spoken(releases: Sequence[str]) -> dict[str, list[Case]]:
    """Rule → the kept cases, and those without a key of the base, that it speaks of somewhere."""
    found: dict[str, list[Case]] = defaultdict(list)
    lacking = [Case(plane, {key: None}) for plane, base in BASES.items() for key in base]
    for case in (*kept(PLANES), *lacking):
        codes: set[str] = set()
        for release in (releases[0], releases[len(releases) // 2], releases[-1]):
            if case.asked_of(release):
                codes.update(verdicts.judge(case, release).weighed)
        for code in codes:
            found[code].append(case)
    return found


def _chase(hunt: Hunt, seeds: list[Case], number: int) -> None:
    """Draw around what was found, round by round, until both sides have enough."""
    last = (0, 0)
    for at in range(_ROUNDS):
        known = len(hunt.beyond), len(hunt.before)
        if not hunt.releases or not hunt.wants() or (known == last and hunt.full()):
            return
        last = known
        # Half of the draws start on the side that lacks more.
        sides = sorted((hunt.before, hunt.beyond), key=len)
        weighed = {plane: sorted(keys) for plane, keys in hunt.keys.items()}
        ways = []
        for side in (sides[0], hunt.beyond):
            near = [case for group in side.values() for case in group.values()][-60:]
            ways.append(_around(near or seeds, weighed, 6 if at < 3 else 3))
        for slug, (planes, keys) in RECIPES.items():
            bare = {key.removeprefix("^") for key in keys}
            for plane in planes:
                if not hunt.keys.get(plane, set()).isdisjoint(bare):
                    ways.append(related(plane, slug))
        # Relations help where few keys are weighed; a rule on any key has its own ways.
        ways = [*ways[:2] * 3, *ways[2:6]]
        order = sorted(hunt.releases)
        silent = sorted(hunt.silent, reverse=True)[:1]
        for turn, case in enumerate(collected(st.one_of(ways), _DRAWS, number * 100 + at)):
            if hunt.wants():
                hunt.look(case, [order[turn % len(order)], *silent])


@st.composite
def _around(draw: st.DrawFn, seeds: list[Case], weighed: dict[str, list[str]], often: int) -> Case:
    """One of the cases with some texts or keys altered, so many of ten what the rule weighs."""
    seed = draw(st.sampled_from(seeds))
    own, broker = dict(seed.properties), dict(seed.broker)
    for _ in range(draw(st.integers(1, 3))):
        way = draw(st.integers(0, 9))
        keys = weighed.get(seed.plane, [])
        if way < often and keys:
            key = draw(st.sampled_from(keys))
            side, plane = _side(seed, own, broker, key)
            side[key] = draw(_texts(plane, key, side.get(key)))
        elif way == 6 and own:
            own.pop(draw(st.sampled_from(sorted(own))))
        elif way == 7 and own:
            # Another name for what is set: a slip, or a key of another plane.
            key = draw(st.sampled_from(sorted(own)))
            text = own.pop(key)
            known = draw(st.sampled_from(keys_of(seed.plane)))
            own[draw(_names(seed.plane, known))] = text
        else:
            key = draw(st.sampled_from(keys_of(seed.plane)))
            own[key] = draw(texts(seed.plane, key))
    return Case(seed.plane, own, broker, seed.bare)


def _side(
    seed: Case, own: dict[str, str | None], broker: dict[str, str | None], key: str
) -> tuple[dict[str, str | None], str]:
    if seed.plane in ("topic", "group") and (key in broker or not history(seed.plane, key)):
        return broker, "combined"
    return own, seed.plane


def _texts(plane: str, key: str, text: str | None) -> st.SearchStrategy[str | None]:
    """Texts of the key, and ones like the text that it has."""
    like: list[str] = []
    if text:
        like = [f" {text}", f"{text} ", text.upper(), text.lower(), f"{text},{text}", f"{text},"]
        if _NUMBER.fullmatch(text):
            like = [str(int(text) + step) for step in (-1000, -2, -1, 1, 2, 1000)]
            like += [str(int(text) * 2), str(int(text) // 2), f" {text} ", f"+{text}", f"0{text}"]
    drawn = texts(plane, key)
    return st.one_of(drawn, drawn, st.sampled_from(like)) if like else drawn


def _names(plane: str, known: str) -> st.SearchStrategy[str]:
    own = ("broker", *BROKERS) if plane in BROKERS else (plane,)
    others = [name for name in ("broker", "topic", "producer", "consumer") if name not in own]
    foreign = st.sampled_from(others).flatmap(
        lambda other: st.sampled_from(keys_of("zookeeper" if other == "broker" else other))
    )
    return st.one_of(st.sampled_from([slip(known) for slip in _SLIPS]), foreign)


def refusing() -> list[str]:
    """The codes of the rules that tell of refusals."""
    from kcheck import rules

    rules.load()
    return [code for code, rule in registered().items() if rule.kafka == "refuses"]

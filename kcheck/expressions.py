"""Regular expressions of settings, searched in texts of others: in time that grows with the text.

An expression becomes an automaton without any choice to take back (Glushkov's: its states are the
characters of the expression). What no automaton can tell, look-around and references to groups, is
left to ``re`` where it is too simple to take long, and refused otherwise.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Characters of an expression, each repetition with a bound counted as often as it may occur.
_MOST_STATES = 2000
#: Characters of a text times those of the expression: half a second of work.
_MOST_STEPS = 400_000
#: What ``re`` may have to do: so many repetitions of one character, so many ways through all
#: alternatives, so long a text.
_MOST_REPEATS, _MOST_WAYS, _MOST_TEXT = 2, 32, 256

_DEEP = "it is nested too deeply"
_SETS = "it has sets of characters inside of others, which Java and Python read differently"
_HARD = (
    "it could run forever: with look-around, references, atomic groups or possessive repetitions, "
    f"at most {_MOST_REPEATS} repetitions of one character each are allowed"
)


class ExpressionError(ValueError):
    """The expression is none, or one that no time suffices for."""


def check(pattern: str) -> None:
    """Raises ExpressionError for an expression that cannot be searched for."""
    _compiled(pattern)


def found(pattern: str, text: str) -> bool | None:
    """Whether the expression matches anywhere in the text; None where the text is too long."""
    return _compiled(pattern).found(text)


def whole(pattern: str, text: str) -> bool | None:
    """Whether the expression matches the whole text; None where nobody can tell in time."""
    try:
        return found(rf"\A(?:{pattern})\Z", text)
    except ExpressionError:
        return None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> _Automaton | _Simple:
    parser: Any = import_module("re._parser")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            whole = re.compile(pattern)
            tree = parser.parse(pattern)
        try:
            return _Automaton(tree, whole.flags)
        except _Unfit:
            if _ways(tree) > _MOST_WAYS or len([*_repeats(tree)]) > _MOST_REPEATS:
                raise ExpressionError(_HARD) from None
            return _Simple(whole)
    except FutureWarning:
        raise ExpressionError(_SETS) from None
    except re.error as error:
        raise ExpressionError(str(error)) from None
    except (RecursionError, OverflowError):
        raise ExpressionError(_DEEP) from None


class _Unfit(Exception):
    """No automaton can tell."""


class _Simple:
    """An expression that ``re`` searches for, in texts that are short enough."""

    def __init__(self, whole: re.Pattern[str]) -> None:
        self._whole = whole

    def found(self, text: str) -> bool | None:
        if len(text) > _MOST_TEXT:
            return None
        return self._whole.search(text) is not None


#: (whether it matches nothing, the states that may come first, those that may come last).
_Ends = tuple[bool, int, int]

_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.ASCII


class _Automaton:
    """Sets of states are numbers, a bit for each; ``follow`` are the states that may come next."""

    def __init__(self, tree: Any, flags: int) -> None:
        self._constants: Any = import_module("re._constants")
        self._parser: Any = import_module("re._parser")
        self._compile: Any = import_module("re._compiler").compile
        self._state = tree.state
        #: What each state takes: an expression of one character, or one of a place between two.
        self._takes: list[re.Pattern[str]] = []
        self._made: dict[str, re.Pattern[str]] = {}
        self._follow: list[int] = []
        self._places = 0
        self._nothing, self._first, self._last = self._sequence(tree, flags & _FLAGS)
        self._by_char: dict[str, int] = {}

    def found(self, text: str) -> bool | None:
        if self._nothing:
            return True
        if len(text) * len(self._takes) > _MOST_STEPS:
            return None
        first, last, follow = self._first, self._last, self._follow
        ready = 0
        for at in range(len(text) + 1):
            ready |= first
            places = ready & self._places
            while places:
                held = sum(1 << p for p in _bits(places) if self._takes[p].match(text, at))
                if held & last:
                    return True
                more = 0
                for state in _bits(held):
                    more |= follow[state]
                more &= ~ready
                ready |= more
                places = more & self._places
            if at == len(text):
                break
            taken = ready & self._taking(text[at])
            if taken & last:
                return True
            ready = 0
            for state in _bits(taken):
                ready |= follow[state]
        return False

    def _taking(self, char: str) -> int:
        """The states that take this character."""
        known = self._by_char.get(char)
        if known is None:
            held: dict[re.Pattern[str], bool] = {}
            known = 0
            for state, takes in enumerate(self._takes):
                if takes not in held:
                    held[takes] = takes.match(char) is not None
                if held[takes]:
                    known |= 1 << state
            known = self._by_char[char] = known & ~self._places
        return known

    # -- from the parsed expression ------------------------------------------------------------

    def _sequence(self, nodes: Iterable[Any], flags: int) -> _Ends:
        return self._joined(self._node(operator, value, flags) for operator, value in nodes)

    def _joined(self, parts: Iterable[_Ends]) -> _Ends:
        nothing, first, last = True, 0, 0
        for empty, begins, ends in parts:
            self._lead(last, begins)
            if nothing:
                first |= begins
            last = ends | (last if empty else 0)
            nothing = nothing and empty
        return nothing, first, last

    def _lead(self, states: int, further: int) -> None:
        for state in _bits(states):
            self._follow[state] |= further

    def _node(self, operator: Any, value: Any, flags: int) -> _Ends:
        known = self._constants
        if operator in (known.LITERAL, known.NOT_LITERAL, known.ANY, known.IN, known.AT):
            return self._state_of(operator, value, flags)
        if operator is known.SUBPATTERN:
            _, more, less, inside = value
            return self._sequence(inside, (flags | more & _FLAGS) & ~less)
        if operator is known.BRANCH:
            ways = [self._sequence(way, flags) for way in value[1]]
            nothing, first, last = False, 0, 0
            for empty, begins, ends in ways:
                nothing, first, last = nothing or empty, first | begins, last | ends
            return nothing, first, last
        if operator in (known.MAX_REPEAT, known.MIN_REPEAT):
            least, most, inside = value
            return self._joined(self._times(least, most, inside, flags))
        raise _Unfit

    def _times(self, least: int, most: int, inside: Any, flags: int) -> Iterator[_Ends]:
        endless = most is self._constants.MAXREPEAT
        for number in range(max(least, 1) if endless else most):
            empty, first, last = self._sequence(inside, flags)
            if endless and number + 1 >= least:
                self._lead(last, first)
            yield empty or number >= least, first, last
            if not first:
                break  # nothing, as often as one likes

    def _state_of(self, operator: Any, value: Any, flags: int) -> _Ends:
        if len(self._takes) >= _MOST_STATES:
            raise ExpressionError(f"it is longer than {_MOST_STATES:,} characters")
        name = f"{operator} {value} {flags}"
        if name not in self._made:
            alone = self._parser.SubPattern(self._state, [(operator, value)])
            self._made[name] = self._compile(alone, flags)
        bit = 1 << len(self._takes)
        self._takes.append(self._made[name])
        self._follow.append(0)
        if operator is self._constants.AT:
            self._places |= bit
        return False, bit, bit


def _bits(states: int) -> Iterator[int]:
    while states:
        low = states & -states
        yield low.bit_length() - 1
        states ^= low


# -- what is left to ``re`` ---------------------------------------------------------------------


def _inner(tree: Any) -> Iterator[tuple[str, Any]]:
    """(operator, value) of everything in an expression, however deep."""
    for operator, value in tree:
        yield str(operator), value
        for inside in _trees(value):
            yield from _inner(inside)


def _trees(value: Any) -> Iterator[Any]:
    if hasattr(value, "getwidth"):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _trees(one)


def _repeats(tree: Any) -> Iterator[Any]:
    """The repetitions; one of more than a character counts for all that are allowed and more."""
    for operator, value in _inner(tree):
        if operator.endswith("_REPEAT"):
            inside = value[2]
            plain = len(inside) == 1 and str(inside[0][0]) in (
                *("LITERAL", "NOT_LITERAL", "ANY", "IN"),
            )
            yield from [value] * (1 if plain else _MOST_REPEATS + 1)


def _ways(tree: Any) -> int:
    """In how many ways alternatives can be combined."""
    ways = 1
    for operator, value in _inner(tree):
        if operator == "BRANCH":
            ways *= len(value[1])
        elif operator == "GROUPREF_EXISTS":
            ways *= 2
    return ways

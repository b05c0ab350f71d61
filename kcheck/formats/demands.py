"""What the options of one object demand of each other: a plugin's, a resource's, an application's.

``schemas/names/demands.tsv`` has a row for each demand that a program checks, or that decides whether an
option has an effect. Options that something else fills in are unknown: they satisfy what needs them, and
make no condition true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kcheck import data
from kcheck.formats.pairs import relaxed
from kcheck.formats.text import templated
from kcheck.model import ERROR, WARNING, Document, Position, Problem, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from kcheck.formats.pairs import Pair, Texts

    class Stated(Protocol):
        """An option as a file has it: its name, its text (None where that is unknown), and its place."""

        @property
        def name(self) -> str: ...
        @property
        def text(self) -> str | None: ...
        @property
        def at(self) -> Position: ...


NEEDED, REFUSED, IDLE = "KC0184", "KC0172", "KC0173"
#: A condition: the options, an operator and what it compares with.
_TERM = re.compile(r"(!?)([^=<>!~#]++)(?:(!=|<=|>=|=|<|>|~)([^#]*+))?(?:#(.*+))?")
_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)(ms|s|m|h)")
_MILLISECONDS = {"ms": 1.0, "s": 1000.0, "m": 60_000.0, "h": 3_600_000.0}
_DOTTED = re.compile(r"-?\d{1,12}(?:\.\d{1,12}){0,5}")


class Said:
    """A pair of an application's file as an option; ``text`` is what is left when placeholders are filled in."""

    __slots__ = ("at", "name", "path", "text")

    def __init__(self, pair: Pair, text: str | None) -> None:
        self.name = pair.written
        self.text = text
        self.path = pair.path
        self.at = pair.at


def said(pairs: Iterable[tuple[str, Pair]], texts: Texts) -> Iterator[tuple[str, Said]]:
    """The pairs that set something, under the names that they are given; a placeholder may be filled in
    with nothing if it has a default."""
    for name, pair in pairs:
        text = texts.filled(pair.text)
        if text or (text is None and pair.text and ":" not in pair.text.partition("${")[2]):
            yield name, Said(pair, text)


#: What stands before names of Spring Boot's, and is not written in the table.
_BOOT = "spring.kafka."


def key_of(form: str, name: str) -> str:
    """A name of an option as it is compared: Spring's without what parts its words."""
    if not form.startswith("spring"):
        return name
    outer = "" if form != "spring" or name.startswith("spring.") else _BOOT
    return ".".join(map(relaxed, f"{outer}{name}".split(".")))


def _named(name: str, given: dict[str, Stated]) -> Stated | None:
    """The option of a name, in whatever case."""
    return next((one for key, one in given.items() if key.lower() == name), None)


class _Term:
    """One condition on options; several names are alternatives, of which the first that is set counts.

    A name may have a default behind a colon, which counts where it is not set. ``wanted`` says in words
    what the values are.
    """

    __slots__ = ("default", "keys", "names", "negated", "operator", "pattern", "values", "wanted")

    def __init__(self, text: str, form: str) -> None:
        found = _TERM.fullmatch(text)
        if found is None:
            raise ValueError(f"no condition on options: {text}")
        names, _, default = found[2].partition(":")
        self.negated = found[1] == "!"
        self.names: tuple[str, ...] = tuple(names.split("|"))
        #: The names as they are compared.
        self.keys = tuple(key_of(form, name) for name in self.names)
        self.default: str = default
        self.operator = found[3] or ""
        self.values: tuple[str, ...] = tuple((found[4] or "").lower().split("|"))
        self.pattern = re.compile(found[4], re.IGNORECASE) if self.operator == "~" else None
        self.wanted = found[5] or (" or ".join(self.values) if self.operator == "=" else "")

    def option(self, given: dict[str, Stated]) -> Stated | None:
        """The option that the condition is about, if it is set; a section is by any of its options."""
        for key in self.keys:
            if key in given:
                return given[key]
        if self.operator:
            return None
        inside = tuple(f"{key}." for key in self.keys)
        return next((one for name, one in given.items() if name.startswith(inside)), None)

    def holds(self, given: dict[str, Stated]) -> bool | None:
        """Whether it does; None where that hangs on something that is not known."""
        option = self.option(given)
        if not self.operator:
            return (option is not None) != self.negated
        if option is None and not self.default:
            return self.negated
        text = self.default if option is None else option.text
        if text is None or "${" in text or "%{" in text or templated(text):
            return None
        if self.pattern is not None:
            return (self.pattern.fullmatch(text) is not None) != self.negated
        held = self._compared(text.lower(), given)
        return None if held is None else held != self.negated

    def _compared(self, text: str, given: dict[str, Stated]) -> bool | None:
        if self.operator in ("=", "!="):
            return (text in self.values) == (self.operator == "=")
        other = self.other(given)
        left, right = _number(text), _number(other or "")
        if not left or not right or left[0] != right[0]:
            return None
        (_, mine), (_, theirs) = left, right
        width = max(len(mine), len(theirs))
        mine, theirs = (one + (0.0,) * (width - len(one)) for one in (mine, theirs))
        if self.operator[0] == "<":
            return mine < theirs or (self.operator == "<=" and mine == theirs)
        return mine > theirs or (self.operator == ">=" and mine == theirs)

    def other(self, given: dict[str, Stated]) -> str | None:
        """The text that a number is compared with: a literal, or that of another option."""
        name, _, default = self.values[0].partition(":")
        if name[:1].isdigit():
            return name
        option = _named(name, given)
        if option is None:
            return default
        return option.text.lower() if option.text else None

    def said(self, given: dict[str, Stated]) -> str:
        """The condition in the words of the file."""
        option = self.option(given)
        if option is None:
            if self.negated:
                other = f" other than {' or '.join(self.values)}" if self.operator else ""
                return f"{self.names[0]}{other}" if other else f"no {self.names[0]}"
            return self.names[0] + (f" (default {self.default})" if self.default else "")
        return f"{option.name}={option.text}" if self.operator else option.name


class _Row:
    """A demand: when it holds, what it is, and what breaks."""

    __slots__ = ("demand", "severity", "verb", "when", "why")

    def __init__(self, form: str, when: str, demand: str, severity: str, why: str) -> None:
        self.when = [_Term(one, form) for one in when.split(" & ")] if when else []
        self.verb, _, told = demand.partition(" ")
        self.demand = _Term(told, form)
        self.severity = severity
        self.why = why


#: The rows of the table by form, and those that were asked for as demands by form and holder.
_texts: dict[str, list[list[str]]] = {}
_rows: dict[str, dict[str, list[_Row]]] = {}


def _table(form: str, holders: Iterable[str]) -> Iterator[_Row]:
    if not _texts:
        for row in data.rows("names/demands.tsv"):
            for one in row[0].split():
                _texts.setdefault(one, []).append(row)
    if form not in _rows:
        mine = _rows[form] = {}
        for _, held, when, demand, severity, why, _ in _texts.get(form, ()):
            mine.setdefault(held, []).append(_Row(form, when, demand, severity, why))
    for holder in dict.fromkeys(("*", *holders)):
        yield from _rows[form].get(holder, ())


def tell(
    document: Document,
    form: str,
    holders: Iterable[str],
    owner: str,
    options: Iterable[Stated] | Mapping[str, Stated],
    at: Position,
    consequence: str,
) -> None:
    """Report what options demand of each other and do not get.

    ``owner`` is what has them, at ``at``; ``consequence`` is what breaks where a row has nothing of its own.
    ``options`` with other names than the table's are given by those.
    """
    path = document.path
    named = options.items() if isinstance(options, Mapping) else ((o.name, o) for o in options)
    given = {key_of(form, name): option for name, option in named}
    for row in _table(form, holders):
        if any(term.holds(given) is not True for term in row.when):
            continue
        told = _BROKEN[row.verb](row.demand, given)
        if told is None:
            continue
        option, code, message, fix = told
        because = " and ".join(term.said(given) for term in row.when)
        causes = (option, *(term.option(given) for term in row.when))
        here = [o for o in causes if o is not None and getattr(o, "path", path) == path]
        if not here and any(causes):
            continue  # another file has all of it
        place = here[0].at if here else at
        said = owner + message + (_JOINED[row.verb].format(because) if because else "")
        name = row.demand.names[0] if option is None else option.name
        text = None if option is None else option.text
        document.problems.append(
            Problem(
                said,
                place,
                code,
                row.severity or _SEVERITIES[code],
                row.why or consequence,
                fix,
                setting=Setting(name, text, path, place),
            )
        )


_SEVERITIES = {NEEDED: WARNING, REFUSED: ERROR, IDLE: WARNING}


def _needs(term: _Term, given: dict[str, Stated]) -> _Told | None:
    if term.option(given) is not None:
        return None
    return None, NEEDED, f" has no {' or '.join(term.names)}", f"set {term.names[0]}"


def _excludes(term: _Term, given: dict[str, Stated]) -> _Told | None:
    option = term.option(given)
    if option is None or (term.operator and term.holds(given) is not True):
        return None
    said = f"{option.name}={option.text}" if term.operator else option.name
    return option, REFUSED, f": {said} is not allowed", f"remove {option.name}"


def _takes(term: _Term, given: dict[str, Stated]) -> _Told | None:
    option = term.option(given)
    if term.holds(given) is not False or (option is None and not term.default):
        return None
    wanted = term.wanted or _bound(term, given)
    stated = f"{option.name}={option.text}" if option is not None else term.said(given)
    message = f": {stated} is not {wanted}"
    return option, REFUSED, message, f"set {term.names[0]} to {wanted}"


def _bound(term: _Term, given: dict[str, Stated]) -> str:
    """The bound of a number in words."""
    words = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}
    name, _, default = term.values[0].partition(":")
    told = _named(name, given)
    named = f"{name} (default {default})" if default else name
    return f"{words[term.operator]} {named if told is None else f'{told.name}={told.text}'}"


def _ignores(term: _Term, given: dict[str, Stated]) -> _Told | None:
    option = term.option(given)
    if option is None or (term.operator and term.holds(given) is not True):
        return None
    return option, IDLE, f": {option.name} has no effect", f"remove {option.name}"


_BROKEN = {"needs": _needs, "excludes": _excludes, "takes": _takes, "ignores": _ignores}
#: How the reason joins the message, by what is demanded.
_JOINED = {
    "needs": ", which {} requires",
    "excludes": " with {}",
    "takes": ", which {} requires",
    "ignores": " with {}",
}


def _number(text: str) -> tuple[str, tuple[float, ...]] | None:
    """What a text is, and its size: a duration in milliseconds, or a number or release by its parts."""
    duration = _DURATION.fullmatch(text)
    if duration is not None:
        return "duration", (float(duration[1]) * _MILLISECONDS[duration[2]],)
    if _DOTTED.fullmatch(text):
        return "number", tuple(map(float, text.split(".")))
    return None


if TYPE_CHECKING:
    #: The option, the rule, the message behind the owner, and the fix.
    _Told = tuple[Stated | None, str, str, str]

"""What Helm makes of an expression or a condition of a template, as far as values and literals tell.

Values, literals, comparisons and some functions are read. Nothing is called and nothing repeats: a
text costs no more than its length, whoever wrote it. What is not understood is unknown: None.
"""

from __future__ import annotations

import re

from kcheck.syntax.tokens import Unread, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    #: Of an expression; None is unknown, NOTHING what Go calls nil.
    Value = str | int | bool | None
    Names = Callable[[str], Value]

#: The value of a name that nobody sets; as a condition it fails, as a text it is empty.
NOTHING = ""
_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"[^\"\\]*\"|`[^`]*`)|(?P<number>-?[0-9]{1,18})(?![\w.])"
    r"|(?P<name>(?:\$?\.|\$)?[A-Za-z_][\w.]*)|(?P<sign>[|()])"
    r"|(?P<here>[$.](?![\w.$])))"
)
_CONSTANTS: dict[str, bool] = {"true": True, "false": False}
#: Functions that leave a value as it is, or quote it, which YAML takes away again.
_PLAIN = frozenset({"quote", "squote", "toString", "int", "int64", "trim", "required"})
#: Those of them that make whole numbers, and that hand on what they are given.
_WHOLE, _AS_GIVEN = ("int", "int64"), ("required",)
#: Deeper nesting is nobody's.
_DEEPEST = 20
#: So long is what a text with others in it may be.
_LONGEST = 10_000


#: From a million on Go writes floats with an exponent (``%v`` of its fmt).
LARGE = re.compile(r"-?[1-9][0-9]{6,18}")
#: Below that each whole number is a float of its own.
_EXACT = 1 << 53


class Float(str):
    """A large number without quotes in a file of values, which Helm reads as a float of 64 bits."""

    __slots__ = ()

    @property
    def shown(self) -> str:
        """The number as Go writes it."""
        number = int(self)
        if abs(number) >= _EXACT:
            return repr(float(number))
        sign, digits = "-" * (number < 0), str(abs(number))
        rest = digits[1:].rstrip("0")
        return f"{sign}{digits[0]}{'.' * bool(rest)}{rest}e+{len(digits) - 1:02}"


def _shown(found: Value) -> Value:
    return found.shown if isinstance(found, Float) else found


def value(text: str, names: Names) -> Value:
    """The value of an expression, which is written without its braces, as it is written out."""
    try:
        return _shown(_Reader(text, names).whole())
    except Unread:
        return None


def truth(text: str, names: Names) -> bool | None:
    """Whether a condition holds; None if that is not known."""
    found = value(text, names)
    return None if found is None else bool(found)


class _Reader:
    """Reads a pipeline from left to right."""

    def __init__(self, text: str, names: Names) -> None:
        self.names = names
        self.depth = 0
        #: The next one last.
        self.tokens = tokens(text, _TOKEN)[::-1]

    def whole(self) -> Value:
        found = self._pipeline()
        if self.tokens:
            raise Unread
        return found

    def _pipeline(self) -> Value:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unread
        found = self._command([])
        while self.tokens and self.tokens[-1] == ("sign", "|"):
            self.tokens.pop()
            found = self._command([found])
        self.depth -= 1
        return found

    def _command(self, piped: list[Value]) -> Value:
        """A function with its arguments, of which a pipe gives the last; or a value alone."""
        kind, word = self.tokens[-1] if self.tokens else ("", "")
        if kind == "name" and word[0] not in ".$" and word not in _CONSTANTS:
            self.tokens.pop()
            return _called(word, [*self._arguments(), *piped])
        found = self._arguments()
        if piped or len(found) != 1:
            raise Unread
        return found[0]

    def _arguments(self) -> list[Value]:
        found: list[Value] = []
        while self.tokens and self.tokens[-1] not in (("sign", "|"), ("sign", ")")):
            kind, word = self.tokens.pop()
            if kind == "sign":
                found.append(self._pipeline())
                if not self.tokens or self.tokens.pop() != ("sign", ")"):
                    raise Unread
            elif kind == "text":
                found.append(word[1:-1])
            elif kind == "number":
                found.append(int(word))
            elif word in _CONSTANTS:
                found.append(_CONSTANTS[word])
            elif kind == "here":  # what the action stands in as a whole
                found.append(None)
            else:
                found.append(self.names(word))
        return found


def _called(name: str, given: list[Value]) -> Value:
    """What a function makes of its arguments."""
    if name == "default" and len(given) == 2:
        return given[1] if given[1] is None or given[1] else given[0]
    if name == "coalesce":
        return next((one for one in given if one is None or one), NOTHING)
    if name in ("and", "or") and given:
        return _decided(name, given)
    if not given or None in given:
        return None
    if name == "not":
        return not given[0]
    if name in ("eq", "ne") and len(given) > 1:
        # Of several, any may be the same.
        return (str(given[0]) in map(str, given[1:])) == (name == "eq")
    if name in _WHOLE:
        return str(given[-1])
    if name in _PLAIN:
        return given[-1] if name in _AS_GIVEN else _shown(given[-1])
    return _text(name, given)


def _text(name: str, given: list[Value]) -> Value:
    """What a function of texts makes of its arguments, all of which are known."""
    if name == "printf":
        return _printed(str(given[0]), given[1:])
    if name == "replace" and len(given) == 3:
        return str(given[2]).replace(str(given[0]), str(given[1]))[:_LONGEST]
    if name in ("lower", "upper"):
        return str(given[-1]).lower() if name == "lower" else str(given[-1]).upper()
    return None


def _printed(form: str, given: list[Value]) -> Value:
    """``printf`` of words and numbers; unknown with any other verb."""
    parts = form.split("%")
    if len(parts) != len(given) + 1:
        return None
    made = parts[0]
    for part, one in zip(parts[1:], given, strict=True):
        if part[:1] not in ("s", "d", "v") or isinstance(one, bool):
            return None
        made += f"{one if part[0] == 'd' else _shown(one)}{part[1:]}"
    return made if len(made) <= _LONGEST else None


def _decided(name: str, given: list[Value]) -> Value:
    """The first argument that decides; unknown where one that is unknown comes before it."""
    for one in given[:-1]:
        if one is None or bool(one) == (name == "or"):
            return one
    return given[-1]

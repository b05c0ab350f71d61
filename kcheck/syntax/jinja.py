"""What Jinja makes of an expression or a condition, as far as variables and literals tell.

Names and their members, literals, comparisons, sums, tests, and the filters and methods that
``jinja_filters`` has are read. Nothing of the text is run, and nothing of it repeats: it costs no more
than its length and the lists that it names, whoever wrote it. What is not understood, and what hangs
on a variable that is not known, is unknown: None.
"""

from __future__ import annotations

import re

from kcheck.syntax import jinja_filters
from kcheck.syntax.jinja_filters import UNDEFINED, Members, call, filtered
from kcheck.syntax.tokens import Unread, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kcheck.syntax.jinja_filters import Value as Value

    Names = Callable[[str], Value]

__all__ = ["EXPRESSION", "UNDEFINED", "Members", "rendered", "truth", "value"]

#: An expression on one line.
EXPRESSION = re.compile(r"\{\{[-+]?(.*?)[-+]?\}\}")

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?P<number>-?[0-9]{1,19})(?![\w.])"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>==|!=|<=|>=|//|[|().,:\[\]<>~+*%=-]))",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(['\"\\])")
_WORDS = frozenset({"and", "or", "not", "in", "is", "if", "else"})
_CONSTANTS: dict[str, bool] = {"true": True, "True": True, "false": False, "False": False}
#: Deeper nesting is nobody's.
_DEEPEST = 20


def value(text: str, names: Names) -> Value:
    """The value of an expression, which is written without its braces."""
    try:
        return _Reader(text, names).whole()
    except Unread:
        return None


def truth(text: str, names: Names) -> bool | None:
    """Whether a condition holds; None if that is not known."""
    found = value(text, names)
    return None if found is None else bool(found)


def rendered(text: str, names: Names) -> str | None:
    """A line with the values of its expressions; None if one of them is unknown."""
    parts: list[str] = []
    end = 0
    for match in EXPRESSION.finditer(text):
        found = value(match.group(1), names)
        if found is None or isinstance(found, (list, Members)):
            return None
        parts += (text[end : match.start()], str(found))
        end = match.end()
    return "".join(parts) + text[end:]


class _Reader:
    """Reads an expression from left to right."""

    def __init__(self, text: str, names: Names) -> None:
        self.names = names
        self.depth = 0
        #: Whether what was read last is surely not defined.
        self.missing = False
        #: The next one last.
        self.tokens = [
            ("word" if word in _WORDS else kind, word)
            for kind, word in reversed(tokens(text, _TOKEN))
        ]

    def whole(self) -> Value:
        found = self._expression()
        if self.tokens:
            raise Unread
        return found

    def _next(self, *words: str) -> str:
        """The next token, if it is one of these; "" if not, and it stays the next."""
        if self.tokens and self.tokens[-1][0] in ("sign", "word") and self.tokens[-1][1] in words:
            return self.tokens.pop()[1]
        return ""

    def _expect(self, word: str) -> None:
        if not self._next(word):
            raise Unread

    def _expression(self) -> Value:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unread
        found = self._either()
        if self._next("if"):
            holds = self._either()
            other = self._expression() if self._next("else") else ""
            found = None if holds is None else found if holds else other
        self.depth -= 1
        return found

    def _either(self) -> Value:
        found = self._both()
        while self._next("or"):
            other = self._both()
            # A known truth decides, whatever the other is.
            decided = bool(found) or bool(other)
            found = True if decided else None if None in (found, other) else False
        return found

    def _both(self) -> Value:
        found = self._negation()
        while self._next("and"):
            other = self._negation()
            unknown = [one for one in (found, other) if one is None]
            fails = any(one is not None and not one for one in (found, other))
            found = False if fails else None if unknown else True
        return found

    def _negation(self) -> Value:
        negated = False
        while self._next("not"):
            negated = not negated
        found = self._comparison()
        return found if not negated or found is None else not found

    def _comparison(self) -> Value:
        left = self._joined()
        if self._next("is"):
            negated = bool(self._next("not"))
            return self._test(left, negated)
        negated = bool(self._next("not"))
        sign = self._next("==", "!=", "in", "<", ">", "<=", ">=")
        if negated and sign != "in":
            raise Unread
        if not sign:
            return left
        return _compared(left, sign, self._joined(), negated)

    def _test(self, left: Value, negated: bool) -> Value:
        kind, word = self.tokens.pop() if self.tokens else ("", "")
        if kind != "name" or word not in ("defined", "undefined"):
            raise Unread
        if self.missing:
            return (word == "undefined") != negated
        return None if left is None else (word == "defined") != negated

    def _joined(self) -> Value:
        found = self._sum()
        while self._next("~"):
            other = self._sum()
            plain = not isinstance(found, (list, Members)) and not isinstance(
                other, (list, Members)
            )
            known = plain and None not in (found, other)
            found = jinja_filters.reckoned(str(found), "+", str(other)) if known else None
        return found

    def _sum(self) -> Value:
        found = self._product()
        while sign := self._next("+", "-"):
            found = jinja_filters.reckoned(found, sign, self._product())
        return found

    def _product(self) -> Value:
        found = self._filtered()
        while sign := self._next("*", "//", "%"):
            found = jinja_filters.reckoned(found, sign, self._filtered())
        return found

    def _filtered(self) -> Value:
        found = self._primary()
        while self._next("|"):
            found = filtered(self._name(), found, *self._arguments(self._next("(")))
        self.missing = found is UNDEFINED
        return None if self.missing else found

    def _name(self) -> str:
        kind, name = self.tokens.pop() if self.tokens else ("", "")
        if kind != "name":
            raise Unread
        return name

    def _arguments(self, opened: str) -> tuple[list[Value], dict[str, Value]]:
        """What stands in the brackets of a call: (by place, by name)."""
        given: list[Value] = []
        named: dict[str, Value] = {}
        while opened and not self._next(")"):
            if given or named:
                self._expect(",")
            if self.tokens[-1:] and self.tokens[-2:-1] == [("sign", "=")]:
                name = self._name()
                self._expect("=")
                named[name] = self._expression()
            else:
                given.append(self._expression())
        return given, named

    def _members(self) -> list[Value]:
        found: list[Value] = []
        while not self._next("]"):
            if found:
                self._expect(",")
            found.append(self._expression())
        return found

    def _primary(self) -> Value:
        found = self._atom()
        while sign := self._next(".", "["):
            if sign == "[":
                inner = self._expression()
                self._expect("]")
                found = jinja_filters.member(found, inner)
                continue
            name = self._name()
            if self._next("("):
                found = call(name, found, *self._arguments("("))
            else:
                found = jinja_filters.member(found, name)
        return found

    def _atom(self) -> Value:
        if self._next("("):
            found = self._expression()
            self._expect(")")
            return found
        if self._next("["):
            members = self._members()
            # A list of lists of lists would grow with each that is made of it.
            return None if None in members or any(map(jinja_filters.nested, members)) else members
        kind, word = self.tokens.pop() if self.tokens else ("", "")
        if kind == "text":
            return _ESCAPE.sub(r"\1", word[1:-1])
        if kind == "number":
            return int(word)
        if kind != "name" or self.tokens[-1:] == [("sign", "(")]:
            raise Unread  # a call of a function
        return _CONSTANTS[word] if word in _CONSTANTS else self.names(word)


def _compared(left: Value, sign: str, right: Value, negated: bool) -> Value:
    if left is None or right is None:
        return None
    if sign in ("==", "!="):
        return (left == right) == (sign == "==")
    if sign == "in":
        if isinstance(left, (list, Members)):
            return None
        if isinstance(right, list):
            return (left in right or str(left) in right) != negated
        return (str(left) in right) != negated if isinstance(right, str) else None
    if isinstance(left, int) and isinstance(right, int):
        return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[
            sign
        ]
    return None

"""What Jinja makes of an expression or a condition, as far as variables and literals tell.

Names, literals, comparisons, tests and some filters are read. Nothing is called and nothing repeats:
a text costs no more than its length, whoever wrote it. What is not understood, and what hangs on a
variable that is not known, is unknown: None.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    #: Of a variable or an expression; None is unknown.
    Value = str | int | bool | list[str] | None
    Names = Callable[[str], Value]

#: An expression on one line.
EXPRESSION = re.compile(r"\{\{[-+]?(.*?)[-+]?\}\}")

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'[^'\\]*'|\"[^\"\\]*\")|(?P<number>-?[0-9]{1,19})(?![\w.])|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>==|!=|<=|>=|[|().,\[\]<>~]))"
)
_NUMBER = re.compile(r"-?[0-9]{1,19}")
_WORDS = frozenset({"and", "or", "not", "in", "is", "if", "else"})
_CONSTANTS: dict[str, bool] = {"true": True, "True": True, "false": False, "False": False}
#: Deeper nesting is nobody's.
_DEEPEST = 20


class _Unread(Exception):
    """Something that is not read here."""


def value(text: str, names: Names) -> Value:
    """The value of an expression, which is written without its braces."""
    try:
        return _Reader(text, names).whole()
    except _Unread:
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
        if found is None or isinstance(found, list):
            return None
        parts += (text[end : match.start()], str(found))
        end = match.end()
    return "".join(parts) + text[end:]


class _Reader:
    """Reads an expression from left to right."""

    def __init__(self, text: str, names: Names) -> None:
        self.names = names
        self.tokens: list[tuple[str, str]] = []
        self.depth = end = 0
        text = text.rstrip()
        while end < len(text):
            match = _TOKEN.match(text, end)
            if match is None:
                raise _Unread
            kind = match.lastgroup or ""
            word = match.group(kind)
            self.tokens.append(("word" if word in _WORDS else kind, word))
            end = match.end()
        self.tokens.reverse()

    def whole(self) -> Value:
        found = self._expression()
        if self.tokens:
            raise _Unread
        return found

    def _next(self, *words: str) -> str:
        """The next token, if it is one of these; "" if not, and it stays the next."""
        if self.tokens and self.tokens[-1][0] in ("sign", "word") and self.tokens[-1][1] in words:
            return self.tokens.pop()[1]
        return ""

    def _expect(self, word: str) -> None:
        if not self._next(word):
            raise _Unread

    def _expression(self) -> Value:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Unread
        found = self._either()
        if self._next("if"):
            holds = self._either()
            self._expect("else")
            other = self._expression()
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
            raise _Unread
        if not sign:
            return left
        return _compared(left, sign, self._joined(), negated)

    def _test(self, left: Value, negated: bool) -> Value:
        kind, word = self.tokens.pop() if self.tokens else ("", "")
        if kind != "name" or word not in ("defined", "undefined"):
            raise _Unread
        return None if left is None else (word == "defined") != negated

    def _joined(self) -> Value:
        found = self._filtered()
        while self._next("~"):
            other = self._filtered()
            lists = isinstance(found, list) or isinstance(other, list)
            found = None if lists or None in (found, other) else f"{found}{other}"
        return found

    def _filtered(self) -> Value:
        found = self._primary()
        while self._next("|"):
            kind, name = self.tokens.pop() if self.tokens else ("", "")
            if kind != "name":
                raise _Unread
            given: list[Value] = []
            if self._next("("):
                given = self._members(")")
            found = _filter(name, found, given)
        return found

    def _members(self, end: str) -> list[Value]:
        found: list[Value] = []
        while not self._next(end):
            if found:
                self._expect(",")
            found.append(self._expression())
        return found

    def _primary(self) -> Value:
        if self._next("("):
            found = self._expression()
            self._expect(")")
            return found
        if self._next("["):
            members = self._members("]")
            return None if None in members else [str(one) for one in members]
        kind, word = self.tokens.pop() if self.tokens else ("", "")
        if kind == "text":
            return word[1:-1]
        if kind == "number":
            return int(word)
        if kind != "name":
            raise _Unread
        if self.tokens and self.tokens[-1] in (("sign", "."), ("sign", "["), ("sign", "(")):
            raise _Unread  # a part of a variable, or a call
        return _CONSTANTS[word] if word in _CONSTANTS else self.names(word)


def _compared(left: Value, sign: str, right: Value, negated: bool) -> Value:
    if left is None or right is None:
        return None
    if sign in ("==", "!="):
        return (left == right) == (sign == "==")
    if sign == "in":
        if not isinstance(right, (str, list)) or isinstance(left, list):
            return None
        return (str(left) in right) != negated
    if isinstance(left, int) and isinstance(right, int):
        return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[
            sign
        ]
    return None


def _filter(name: str, found: Value, given: list[Value]) -> Value:
    if name in ("default", "d"):
        empty = len(given) > 1 and given[1] is True and not found and found is not None
        return given[0] if empty else found
    if found is None or None in given:
        return None
    if isinstance(found, list):
        if name == "join" and all(isinstance(one, str) for one in given):
            return "".join(map(str, given[:1])).join(found)
        picked = {"first": found[:1], "last": found[-1:]}.get(name)
        return picked[0] if picked else len(found) if name in ("length", "count") else None
    if name in ("lower", "upper", "trim", "string"):
        text = str(found)
        return {"lower": text.lower(), "upper": text.upper(), "trim": text.strip()}.get(name, text)
    if name == "int" and _NUMBER.fullmatch(str(found).strip()):
        return int(str(found))
    if name == "bool":
        return str(found).lower() in ("true", "yes", "on", "1")
    return None

"""``sasl.jaas.config`` as Kafka reads it: one login module with its control flag and options.

Kafka takes it apart with Java's StreamTokenizer (``org.apache.kafka.common.security.JaasConfig``):
a word that begins with a digit is a number and no value, a slash begins a comment, an open quote
ends with its line. The secrets in it are mostly filled in by something else; what stands around
them is read all the same.
"""

from __future__ import annotations

from kcheck.model import Framed, Setting

#: What stands for a part that something else fills in.
_HOLE = "\0"
#: ${a}, ${a:${b}}, {{ a }}, <%= a %>, $(a), %{a}, <a>, {a}, __A__, %ABC%, CHANGEME.
_PLACEHOLDER = (
    r"\$\{(?:[^{}]|\{[^{}]*\})*\}|\{\{.*?\}\}|<%=.*?%>|\$\([^()]*\)|%\{[^{}]*\}"
    r"|<[\w .-]+>|\{[\w .-]+\}|__[A-Z][A-Z0-9_]*__|%[A-Z][A-Z_]{2}[A-Z0-9_]*%|CHANGEME|changeme"
)
#: Marks of statements, or of placeholders that do not close: anything may come of those.
_UNREADABLE = ("${", "{{", "{%", "<%", "$(", "%{")

_FLAGS = frozenset({"required", "requisite", "sufficient", "optional"})
_DIGITS = frozenset("0123456789.")
#: What Java takes for letters, as it does with all from _FOREIGN on.
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$")
_FOREIGN = "\xa0"
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_OCTAL = frozenset("01234567")

END, WORD, QUOTED, NUMBER, HOLE = "end", "word", "quoted", "number", "hole"


class Login:
    """What a text makes of itself: the first login module, and why Kafka refuses the whole.

    ``module`` is "" where it is unknown; an option that is filled in has the value None. What
    follows on a place where anything may be filled in is unknown: it is not ``whole`` then.
    """

    __slots__ = ("fault", "module", "options", "whole")

    def __init__(self) -> None:
        self.module = ""
        self.options: dict[str, str | None] = {}
        self.fault = ""
        self.whole = True

    def __repr__(self) -> str:
        return f"Login({self.module} {self.fault})"


def of(setting: Setting | None) -> Login:
    """The login of a setting; an empty one where there is none, or all of it comes from elsewhere."""
    if setting is not None and setting.text is not None:
        return read(setting.text)
    unknown = Login()
    unknown.whole = False
    if not isinstance(setting, Framed):
        return unknown
    import re  # what few files need is no part of the start

    masked = re.sub(_PLACEHOLDER, _HOLE, setting.frame.replace(_HOLE, "{{"))
    if _HOLE not in masked or any(mark in masked for mark in _UNREADABLE):
        return unknown
    return read(masked)


def read(text: str) -> Login:
    """The login of a text; a zero character in it stands for what nobody here can know."""
    found = Login()
    try:
        _entries(_Tokens(text), found)
    except _Unknown:
        found.whole = False
    except _Refused as refused:
        found.fault = str(refused)
    return found


class _Unknown(Exception):
    """Whether it goes on, and how, hangs on what is filled in."""


class _Refused(Exception):
    """What Kafka rejects, in words that follow the key."""


class _Tokens:
    """Java's StreamTokenizer as JaasConfig sets it up."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        #: Whether a quote was still open where the text ended.
        self.open = False
        #: Whether a slash outside of quotes began a comment.
        self.comment = False
        #: Whether something is filled in outside of quotes, where it may hold a semicolon.
        self.vague = False
        self.kind, self.value = END, ""

    def next(self) -> str:
        """Go on to the next token and give its kind; a character of its own is its own kind."""
        self.value = ""
        self.kind = self._next()
        return self.kind

    def _next(self) -> str:
        text, size = self.text, len(self.text)
        while self.at < size and text[self.at] <= " " and text[self.at] != _HOLE:
            self.at += 1
        if self.at >= size:
            return END
        char = text[self.at]
        if char == "/":
            self._skip()
            return self._next()
        if char in "\"'":
            return self._quoted(char)
        if char == _HOLE:
            self.at += 1
            return HOLE
        kind = self._kind(char)
        if not kind:
            self.at += 1
            return char
        start = self.at
        self.at += 1
        while self.at < size and _goes_on(text[self.at], kind):
            self.at += 1
        self.value = text[start : self.at]
        if text[self.at : self.at + 1] == _HOLE:
            raise _Unknown
        return kind

    def _kind(self, char: str) -> str:
        """What a character begins: a word, a number, or "" for nothing but itself."""
        after = self.text[self.at + 1 : self.at + 2]
        if char in _DIGITS or (char == "-" and after in _DIGITS):
            return NUMBER
        return WORD if char in _LETTERS or char >= _FOREIGN else ""

    def _skip(self) -> None:
        """Pass over a comment. A single slash begins one, too."""
        self.comment = True
        if self.text.startswith("/*", self.at):
            end = self.text.find("*/", self.at + 2)
            self.at = len(self.text) if end < 0 else end + 2
            return
        # Java looks at the character behind the slash before it looks for the line's end.
        self.at += 2
        while self.at < len(self.text) and self.text[self.at] not in "\r\n":
            self.at += 1

    def _octal(self) -> str:
        """The octal digits at this place that Java takes for one character."""
        most = 3 if self.text[self.at] in "0123" else 2
        end = self.at
        while end < min(self.at + most, len(self.text)) and self.text[end] in _OCTAL:
            end += 1
        return self.text[self.at : end]

    def _quoted(self, quote: str) -> str:
        text, size = self.text, len(self.text)
        self.at += 1
        parts: list[str] = []
        while self.at < size and text[self.at] not in (quote, "\n", "\r"):
            char = text[self.at]
            self.at += 1
            if char == "\\" and self.at < size:
                digits = self._octal()
                if digits:
                    self.at += len(digits)
                    char = chr(int(digits, 8)) if digits.strip("0") else ""
                else:
                    char = _ESCAPES.get(text[self.at], text[self.at])
                    self.at += 1
            parts.append(char)
        self.value = "".join(parts)
        if self.at < size and text[self.at] == quote:
            self.at += 1
        else:
            self.open = True
            if _HOLE in self.value:
                raise _Unknown
        return QUOTED


def _goes_on(char: str, kind: str) -> bool:
    """Whether a character goes on with a word or a number."""
    if kind == NUMBER:
        return char in _DIGITS
    return char in _LETTERS or char in _DIGITS or char == "-" or char >= _FOREIGN


def _entries(tokens: _Tokens, found: Login) -> None:
    count = 0
    while tokens.next() != END:
        count += 1
        _entry(tokens, found if count == 1 else Login())
    if not count:
        raise _Refused("is empty")
    if count > 1:
        raise _Refused(f"has {count} login modules, but only one is allowed")


def _entry(tokens: _Tokens, found: Login) -> None:
    """One login module, from the token that names it to its semicolon."""
    if tokens.kind == HOLE or _HOLE in tokens.value:
        raise _Unknown
    if tokens.kind not in (WORD, QUOTED):
        raise _Refused("does not begin with a login module class")
    found.module = tokens.value
    flag = tokens.next()
    if flag == HOLE or _HOLE in tokens.value:
        raise _Unknown
    if flag not in (WORD, QUOTED) or tokens.value.lower() not in _FLAGS:
        raise _Refused(
            "lacks the control flag (required, requisite, sufficient, optional) after the class"
        )
    while tokens.next() not in (END, ";"):
        _option(tokens, found)
    if tokens.kind == END:
        if tokens.vague:
            raise _Unknown
        if tokens.open:
            raise _Refused("has an unclosed quote")
        if tokens.comment:
            raise _Refused("has a / outside quotes, which turns the rest into a comment")
        raise _Refused("does not end with a semicolon")


def _option(tokens: _Tokens, found: Login) -> None:
    """``name=value``, the value in quotes or a word."""
    if tokens.kind == HOLE or _HOLE in tokens.value:
        raise _Unknown
    name = tokens.value
    if tokens.next() == HOLE:
        raise _Unknown
    if tokens.kind != "=":
        raise _Refused(f"has no value for {name}" if name else "has an option without a name")
    kind = tokens.next()
    if kind in (WORD, QUOTED):
        found.options[name] = None if _HOLE in tokens.value else tokens.value
    elif kind == HOLE:
        found.options[name] = None
        tokens.vague = True
        # More of the same value may follow on it.
        if tokens.text[tokens.at : tokens.at + 1] not in ("", ";", " ", "\n", "\t"):
            raise _Unknown
    elif kind == NUMBER:
        raise _Refused(f"has an unquoted number as {name}, which Kafka does not accept as a value")
    elif kind == END and tokens.comment:
        raise _Refused(f"has a / outside quotes as {name}, which starts a comment")
    else:
        raise _Refused(f"has no value for {name}")

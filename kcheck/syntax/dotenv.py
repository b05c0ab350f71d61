r"""docker compose's env files (``.env`` and ``env_file``), with places.

The grammar is that of compose-go's ``dotenv`` package, which is not a shell's: a statement need
not start a line (``A="x" B=1`` is two), ``KEY: value`` works, ``A=  # x`` has the value ``# x``
because only a ``#`` after text and a blank starts a comment, and quotes count only as the first
character of a value. Variables are not expanded here: see ``EnvEntry.quote``.
"""

from __future__ import annotations

from bisect import bisect_right

from kcheck.syntax.entry import ParseError, Placed, Position, lines_of

#: Blanks inside a line; Go's unicode.IsSpace knows these, the line feed and those of Unicode.
_BLANKS = "\t\v\f\r \x85\xa0"
_SPACES = _BLANKS + "\n\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(8192, 8203)))
#: ``\$`` becomes the ``$$`` which interpolation turns into one literal dollar sign.
_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    '"': '"',
    "\\": "\\",
    "$": "$$",
}


class EnvEntry(Placed):
    """One variable. ``value`` is None for a ``KEY`` alone, which compose takes from its own
    environment.

    ``quote`` is ``'``, ``"`` or empty. Compose expands variables in ``value`` unless it is ``'``;
    until then a literal dollar sign is ``$$``.
    """

    __slots__ = ("quote", "value")

    def __init__(
        self, key: str, value: str | None, key_at: Position, at: Position, quote: str = ""
    ) -> None:
        self.key = key
        self.value = value
        self.key_at = key_at
        self.at = at
        self.quote = quote

    def __repr__(self) -> str:
        return f"EnvEntry({self.key}={self.value!r} {self.at[0]}:{self.at[1]})"


class DotenvError(ParseError):
    """Compose refuses the whole file here. ``entries`` are those before the place."""

    entries: list[EnvEntry]

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(line, column, message)
        self.entries = []


def parse(text: str) -> list[EnvEntry]:
    """All entries in file order, duplicates included; the last of a key wins.

    Raises DotenvError where compose would stop.
    """
    entries: list[EnvEntry] = []
    reader = _Reader(text)
    try:
        while reader.find_statement():
            entry = reader.entry()
            if entry.key or entry.value is not None:  # an ``export`` with nothing behind it
                entries.append(entry)
    except DotenvError as error:
        error.entries = entries
        raise
    return entries


class _Reader:
    """A text and how far it has been read."""

    __slots__ = ("at", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith("\ufeff") else 0
        #: The offset at which each line starts.
        self.starts: list[int] = []
        start = 0
        for line in lines_of(text):
            self.starts.append(start)
            start += len(line)
            start += 2 if text.startswith("\r\n", start) else 1

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def skip(self, characters: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in characters:
            self.at += 1

    def end_of_line(self) -> int:
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end

    def find_statement(self) -> bool:
        """Go to the next character that is neither space nor in a comment."""
        self.skip(_SPACES)
        while self.text.startswith("#", self.at):
            self.at = self.end_of_line()
            self.skip(_SPACES)
        return self.at < len(self.text)

    def entry(self) -> EnvEntry:
        if self.text.startswith(
            ("export ", "export\t", "export\r", "export\f", "export\n"), self.at
        ):
            self.at += len("export")
            self.skip(_BLANKS)
        start = self.at
        key = self.key()
        end = start + len(key)
        key_at = self.place(start) + self.place(end)
        separator = self.text[self.at : self.at + 1]
        self.at += 1
        if separator not in ("=", ":"):
            return EnvEntry(key, None, key_at, self.place(end) * 2)
        after = self.at
        self.skip(_BLANKS)
        start = self.at
        quote = self.text[start : start + 1]
        if quote == '"' or quote == "'":
            value = self.quoted(quote)
            end = self.at
        else:
            quote = ""
            value = self.unquoted()
            end = start + len(value)
            if not value:  # not behind the blanks, which may be the \r of a line end
                start = end = after
        return EnvEntry(key, value, key_at, self.place(start) + self.place(end), quote)

    def key(self) -> str:
        """The name up to its separator, the end of the line or of the file.

        The one thing read otherwise than compose-go 2.16 does: at the end of a file without
        newline it takes ``KEY`` for a value that has no key.
        """
        text, start = self.text, self.at
        while self.at < len(text) and text[self.at] not in "=:\n":
            char = text[self.at]
            if not (char.isalnum() or char in "_.-[]" or char in _BLANKS):
                message = f"unexpected character {char!r} in a variable name"
                raise DotenvError(*self.place(self.at), message)
            self.at += 1
        key = text[start : self.at].rstrip(_SPACES)
        if " " in key:
            raise DotenvError(*self.place(start), f"the variable name {key!r} contains a blank")
        return key

    def unquoted(self) -> str:
        end = self.end_of_line()
        value = self.text[self.at : end].partition(" #")[0].rstrip(_SPACES)
        self.at = end
        return value

    def quoted(self, quote: str) -> str:
        text = self.text
        end = start = self.at + 1
        while end < len(text) and text[end] != quote:
            end += 2 if text[end] == "\\" else 1
        if end >= len(text):
            raise DotenvError(*self.place(self.at), f"the closing {quote} of this value is missing")
        self.at = end + 1
        value = text[start:end].replace("\\" + quote, quote)
        return value if quote == "'" else _unescaped(value)


def _unescaped(text: str) -> str:
    r"""The escapes of double quotes; a backslash before anything else stays."""
    head, *rest = text.split("\\")
    parts = [head]
    pieces = iter(rest)
    for piece in pieces:
        char = piece[:1]
        if not char:  # two backslashes in a row, or one at the end
            following = next(pieces, None)
            parts.append("\\" if following is None else "\\" + following)
        elif char in _ESCAPES:
            parts.append(_ESCAPES[char] + piece[1:])
        elif char == "0":
            parts.append(_octal(piece))
        else:
            parts.append("\\" + piece)
    return "".join(parts)


def _octal(piece: str) -> str:
    r"""``\0`` and three octal digits are one character up to 255; else just the 0 is lost."""
    digits = piece[1:4]
    if len(digits) == 3 and not digits.strip("01234567") and digits <= "377":
        return chr(int(digits, 8)) + piece[4:]
    return "\\" + piece[1:]

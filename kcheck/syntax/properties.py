r"""Java's ``.properties`` files: the pairs of java.util.Properties.load, with their places.

A *logical* line is one physical line, or several that a backslash at the end joins. Nearly all
lines are ``key=value`` without any backslash and are read without looking at single characters;
the others go through ``_Logical``, which remembers where each joined piece came from.
"""

from __future__ import annotations

from kcheck.syntax.entry import Entry, ParseError, lines_of, settings_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANKS = " \t\f"
_HEX = "0123456789abcdefABCDEF"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


class PropertiesError(ParseError):
    """Java refuses the whole file here. ``entries`` are those before the place."""

    entries: list[Entry]

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(line, column, message)
        self.entries = []


class Remark:
    """What Java reads otherwise than its author: ``bom``, ``utf16`` or ``non-latin1``."""

    __slots__ = ("code", "column", "line", "message")

    def __init__(self, line: int, column: int, code: str, message: str) -> None:
        self.line = line
        self.column = column
        self.code = code
        self.message = message

    def __repr__(self) -> str:
        return f"Remark({self.code} {self.line}:{self.column} {self.message})"


def parse(text: str) -> list[Entry]:
    r"""All entries in file order, duplicates included; Java's map keeps the last of each key.

    Raises PropertiesError for a ``\u`` without four hexadecimal digits, and Exceeded for a file of
    more lines than anybody writes.
    """
    entries: list[Entry] = []
    lines = settings_lines(text)
    rows = iter(enumerate(lines, 1))
    for number, line in rows:
        if not line or line[0] == "#":  # half the lines of most files
            continue
        body = line.lstrip(_BLANKS)
        if not body or body[0] in "#!":
            continue
        if "\\" not in body:
            key, equals, value = body.partition("=")
            if " " in key:
                key = key.rstrip(_BLANKS)
            if equals and not (":" in key or " " in key or "\t" in key or "\f" in key):
                value = value.lstrip(_BLANKS)
                end = len(line) + 1
                start = end - len(body)
                entries.append(
                    Entry(
                        key,
                        value,
                        (number, start, number, start + len(key)),
                        (number, end - len(value), number, end),
                    )
                )
                continue
        elif body == "\\" and not _ends_the_file(text, lines, number):
            continue  # joins nothing to the next line, which may then even be a comment
        logical = _Logical(number, line, body, lines, rows)
        try:
            entries.append(logical.entry())
        except PropertiesError as error:
            error.entries = entries
            raise
    return entries


def torn(entries: list[Entry], at: int) -> tuple[str, ...]:
    """The keys of the lines below an entry that were meant to continue its value.

    Its value is unfinished (a login without its semicolon, a list that ends with a comma), and the
    lines right below it are indented further. Java gives indentation no meaning.
    """
    first = entries[at]
    unfinished = first.value.endswith(",") or (
        first.key.endswith("jaas.config") and not first.value.endswith(";")
    )
    if not unfinished:
        return ()
    keys: list[str] = []
    line = first.end_line
    for entry in entries[at + 1 :]:
        if entry.key_column <= first.key_column or entry.key_line != line + 1:
            break
        keys.append(entry.key)
        line = entry.end_line
    return tuple(keys)


def _ends_the_file(text: str, lines: list[str], number: int) -> bool:
    r"""Whether Java finds no character after the backslash that ends line ``number``.

    It looks before it skips the ``\n`` of a ``\r\n``. A lone backslash is an entry without key
    and value exactly then.
    """
    rest = len(lines) - number
    return rest == 0 or (rest == 1 and not lines[-1] and not text.endswith("\r\n"))


class _Logical:
    """A logical line: its text without the joints, and the place of each of its pieces."""

    __slots__ = ("pieces", "text")

    def __init__(
        self,
        number: int,
        line: str,
        body: str,
        lines: list[str],
        rows: Iterator[tuple[int, str]],
    ) -> None:
        #: (offset in the text, line, column) of each physical line's part
        self.pieces: list[tuple[int, int, int]] = []
        parts: list[str] = []
        length = 0
        while True:
            self.pieces.append((length, number, len(line) - len(body) + 1))
            joined = _joins(body)
            part = body[:-1] if joined else body
            parts.append(part)
            length += len(part)
            # A joint before the end of the file joins nothing: the entry ends before it.
            if not joined or number == len(lines) or (number + 1 == len(lines) and not lines[-1]):
                break
            number, line = next(rows)
            body = line.lstrip(_BLANKS)
        self.text = "".join(parts)

    def place(self, offset: int, end: bool = False) -> tuple[int, int]:
        """(line, column) of the character at ``offset``, or just after the one before it."""
        for start, line, column in reversed(self.pieces):
            if start < offset or start == 0 or (start == offset and not end):
                return line, column + offset - start
        raise AssertionError("the first piece starts at 0")

    def entry(self) -> Entry:
        text = self.text
        key_end = self._key_end()
        rest = text[key_end:].lstrip(_BLANKS)
        if rest.startswith(("=", ":")):
            rest = rest[1:].lstrip(_BLANKS)
        start = len(text) - len(rest)
        return Entry(
            self._unescaped(0, key_end),
            self._unescaped(start, len(text)),
            self.place(0) + self.place(key_end, end=True),
            self.place(start) + self.place(len(text)),
        )

    def _key_end(self) -> int:
        escaped = False
        for offset, char in enumerate(self.text):
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char in "=: \t\f":
                return offset
        return len(self.text)

    def _unescaped(self, start: int, end: int) -> str:
        text = self.text[start:end]
        at = text.find("\\")
        if at < 0:
            return text
        done = 0
        parts: list[str] = []
        surrogates = False
        while at >= 0:
            parts.append(text[done:at])
            char = text[at + 1]
            done = at + 2
            if char == "u":
                digits = text[done : done + 4]
                if len(digits) < 4 or digits.strip(_HEX):
                    raise PropertiesError(
                        *self.place(start + at), r"malformed \u escape: four hex digits must follow"
                    )
                char = chr(int(digits, 16))
                surrogates = surrogates or "\ud800" <= char <= "\udfff"
                done += 4
            else:
                char = _ESCAPES.get(char, char)
            parts.append(char)
            at = text.find("\\", done)
        parts.append(text[done:])
        value = "".join(parts)
        if surrogates:  # Java's text is UTF-16: two escapes make one character, one may stay alone
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return value


def _joins(body: str) -> bool:
    """Whether the line ends in an odd number of backslashes."""
    return body.endswith("\\") and (len(body) - len(body.rstrip("\\"))) % 2 == 1


def decode(data: bytes) -> tuple[str, list[Remark]]:
    """The text as an editor shows it, with remarks where Java's ISO-8859-1 reads another one.

    Bytes that are no UTF-8 are taken for ISO-8859-1. UTF-16 and UTF-32 give a remark and no
    text. Raises PropertiesError for other bytes with a NUL among them.
    """
    # Without its mark, UTF-16 still shows: every other byte of Latin text is NUL.
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data.count(b"\0") * 3 > len(data):
        return "", [Remark(1, 1, "utf16", "the file is UTF-16 or UTF-32; Java reads single bytes")]
    nul = data.find(b"\0")
    if nul >= 0:
        lines = lines_of(data[:nul].decode("latin-1"))
        raise PropertiesError(len(lines), len(lines[-1]) + 1, "not a text file: a NUL byte")
    if data.isascii():
        return data.decode("ascii"), []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1"), []
    remarks: list[Remark] = []
    if text.startswith("\ufeff"):
        message = "a byte order mark (BOM) starts the file; Java makes it part of the first key"
        remarks.append(Remark(1, 1, "bom", message))
    foreign = _first_foreign(text)
    if foreign:
        line, column, char = foreign
        message = (
            f"Java reads .properties files as ISO-8859-1: {char} becomes "
            f"{char.encode().decode('latin-1')!r}; write {_escape(char)}"
        )
        remarks.append(Remark(line, column, "non-latin1", message))
    return text, remarks


def _first_foreign(text: str) -> tuple[int, int, str] | None:
    """The first character beyond ASCII outside comments and the byte order mark."""
    joined = False
    for number, line in enumerate(lines_of(text), 1):
        body = line.lstrip(_BLANKS)
        if not joined and body.startswith(("#", "!")):
            continue
        if not line.isascii():
            for column, char in enumerate(line, 1):
                if char > "\x7f" and not (char == "\ufeff" and number == column == 1):
                    return number, column, char
        joined = _joins(body) and (joined or body != "\\")
    return None


def _escape(char: str) -> str:
    units = char.encode("utf-16-be").hex()
    return "".join(rf"\u{units[at : at + 4]}" for at in range(0, len(units), 4))

"""Templates as trees: texts, expressions, and statements with what they enclose.

Jinja's are read, ERB's, Go's and Terraform's; of Jinja's alone it is known what statements say.
Nothing of a template is run. White space is taken away as the tools do it: Jinja removes all of it on
the side of a ``-``, and Ansible the line break after a statement or a comment; ERB removes the line
break after ``-%>``; Go all of it on the side of a ``-``, and Terraform on that of a ``~``.
"""

from __future__ import annotations

import re

from kcheck.syntax.go_rendering import Tag

JINJA, ERB, GO, TERRAFORM = "jinja", "erb", "go", "terraform"
TEXT, VALUE, STATEMENT, COMMENT = "text", "value", "statement", "comment"
IF, FOR, OTHER = "if", "for", "other"

#: What tags begin with.
_OPEN = {
    JINJA: re.compile(r"\{[{%#]"),
    ERB: re.compile(r"<%"),
    GO: re.compile(r"\{\{"),
    TERRAFORM: re.compile(r"[$%]\{"),
}
_CLOSE = {"{{": "}}", "{%": "%}", "{#": "#}", "<%": "%>", "%{": "}", "${": "}"}
_KINDS = {
    "{{": VALUE,
    "{%": STATEMENT,
    "{#": COMMENT,
    "<%": STATEMENT,
    "%{": STATEMENT,
    "${": VALUE,
}
#: In Go's templates statements are written as expressions are.
_GOES = re.compile(r"(?:if|range|with|define|block|else|end|template)\b|\w*\s*\$?\w*\s*:?=")
#: Statements with an end, beside conditions and loops.
_OPENS = re.compile(r"(macro|call|filter|block|with|raw|unless|case|while|until)\b|set\s+\w+\s*\Z")
#: In Ruby what opens may stand anywhere.
_RUBY = re.compile(
    r"(if|for|range|with|define|block)\b|.*(\bdo\s*(\|[^|]*\|)?|\{\s*\|[^|]*\|)\s*\Z", re.DOTALL
)
_CLOSES = re.compile(r"end\w*\b|\}")
_OTHERWISE = ("elif", "else", "elsif", "when")
_CUTS = ("-", "+", "~")
#: What a template of Ansible begins with whose statements leave their line breaks.
_UNTRIMMED = re.compile(r"#jinja2:[^\n]*\btrim_blocks:[ \t]*[Ff]alse")
_DEEPEST = 30
#: Of longer statements the rest is not looked at.
_LONGEST = 4_000


class Piece:
    """A text or a tag; ``body`` is what stands between the marks of a tag, ``words`` without blanks."""

    __slots__ = ("body", "end", "kind", "known", "start", "trims_after", "trims_before")

    def __init__(self, kind: str, start: int, end: int, body: str) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.body = body
        #: Whether it is of a language that is read: Jinja's.
        self.known = True
        self.trims_before = False
        #: What is taken away behind it: ``space``, a ``line`` break, or nothing.
        self.trims_after = ""

    @property
    def words(self) -> str:
        return self.body[:_LONGEST].strip()


class Branch:
    """What a statement encloses, from its beginning or an ``else`` of it on."""

    __slots__ = ("condition", "inner", "piece")

    def __init__(self, piece: Piece, condition: str | None) -> None:
        self.piece = piece
        #: None for an ``else``.
        self.condition = condition
        self.inner: list[Piece | Block] = []


class Block:
    """A statement with an end. ``end`` is where that stands; None if it never ends."""

    __slots__ = ("branches", "end", "kind")

    def __init__(self, kind: str, piece: Piece, condition: str) -> None:
        self.kind = kind
        self.branches = [Branch(piece, condition)]
        self.end: Piece | None = None


def tree(text: str, language: str = JINJA) -> list[Piece | Block]:
    """The pieces and blocks of a template in their order."""
    top: list[Piece | Block] = []
    open_: list[Block] = []
    for piece in _trimmed(text, _pieces(text, language)):
        inner = open_[-1].branches[-1].inner if open_ else top
        if piece.kind != STATEMENT:
            if piece.kind != COMMENT:
                inner.append(piece)
            continue
        words = piece.words
        word, _, rest = words.partition(" ")
        if _CLOSES.match(words):
            if open_:
                open_.pop().end = piece
        elif word in _OTHERWISE and open_:
            condition = rest.strip() if rest.strip() else None
            open_[-1].branches.append(Branch(piece, condition))
        elif (kind := _kind(word, piece)) and len(open_) < _DEEPEST:
            block = Block(kind, piece, rest.strip())
            inner.append(block)
            open_.append(block)
        else:
            inner.append(piece)
    return top


def _kind(word: str, piece: Piece) -> str:
    """The kind of block that a statement opens; "" if it opens none."""
    if not piece.known:
        return OTHER if _RUBY.match(piece.words) or _OPENS.match(piece.words) else ""
    if word in (IF, FOR):
        return word
    return OTHER if _OPENS.match(piece.words) else ""


def _pieces(text: str, language: str) -> list[Piece]:
    """Texts and tags by turns. A tag that does not end is text, as is what looks like a tag in one."""
    found: list[Piece] = []
    at = end = 0
    unclosed: set[str] = set()
    opens = _OPEN[language]
    while (match := opens.search(text, at)) is not None:
        mark = match.group()
        close = -1 if mark in unclosed else _end(text, match, language)
        if close < 0:
            unclosed.add(mark)
            at = match.end()
            continue
        if match.start() > end:
            found.append(Piece(TEXT, end, match.start(), text[end : match.start()]))
        at = end = close + len(_CLOSE[mark])
        found.append(_tag(text, mark, match.start(), close, language))
    if end < len(text):
        found.append(Piece(TEXT, end, len(text), text[end:]))
    return found


def _end(text: str, opened: re.Match[str], language: str) -> int:
    """Where what closes a tag stands; -1 where nothing does."""
    if language == GO:
        # A comment of Go's may hold what closes another tag.
        return max(Tag(text, opened.start()).end, 1) - 2
    return text.find(_CLOSE[opened.group()], opened.end())


def _tag(text: str, mark: str, start: int, close: int, language: str) -> Piece:
    body = text[start + 2 : close]
    made = Piece(_KINDS[mark], start, close + len(_CLOSE[mark]), body)
    made.known = language == JINJA
    if language == ERB:
        made.kind = VALUE if body[:1] == "=" else COMMENT if body[:1] == "#" else STATEMENT
        body = body[1:] if body[:1] in ("=", "#") else body
    first, last = body[:1], body[-1:] if len(body) > 1 else ""
    if language == ERB:
        made.trims_after = "line" if last == "-" else ""
    else:
        cuts = "~" if language == TERRAFORM else "-"
        made.trims_before = first == cuts
        plain = "line" if made.known and made.kind != VALUE and last != "+" else ""
        made.trims_after = "space" if last == cuts else plain
    made.body = body[first in _CUTS : len(body) - (last in _CUTS)]
    if language == GO and (_GOES.match(made.words) or made.words.startswith("/*")):
        made.kind = COMMENT if made.words.startswith("/*") else STATEMENT
    return made


def _trimmed(text: str, pieces: list[Piece]) -> list[Piece]:
    """The pieces, the texts without the white space that tags beside them take away."""
    whole = _UNTRIMMED.match(text) is not None
    for number, piece in enumerate(pieces):
        if piece.kind != TEXT:
            continue
        before = pieces[number - 1].trims_after if number else ""
        after = number + 1 < len(pieces) and pieces[number + 1].trims_before
        if before == "space":
            piece.start += len(piece.body) - len(piece.body.lstrip())
        elif before == "line" and not whole:
            breaks = 2 if piece.body.startswith("\r\n") else piece.body.startswith("\n")
            piece.start += int(breaks)
        if after:
            piece.end = max(piece.start, piece.end - len(piece.body) + len(piece.body.rstrip()))
        piece.body = text[piece.start : piece.end]
    return pieces

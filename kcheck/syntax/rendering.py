"""What a template is rendered to, as far as its variables are known, and where each part of it stands.

Conditions, loops and assignments of Jinja are followed. What hangs on something unknown is in doubt,
and no line with a part in doubt is put out. Expressions outside of loops stay as they are written,
unless they make a key or whole lines: who reads the settings knows which of them to fill in. Texts
grow to no more than ``_MOST`` characters, whatever loops say.
"""

from __future__ import annotations

import re

from kcheck.syntax import jinja
from kcheck.syntax.jinja_filters import UNDEFINED, Members, nested, reckoned
from kcheck.syntax.rendered import Line, Rendered
from kcheck.syntax.template_tree import FOR, IF, JINJA, TEXT, VALUE, Block, Branch, Piece, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kcheck.syntax.jinja import Names
    from kcheck.syntax.jinja_filters import Value

    Others = Callable[[str], str | None]

_MOST = 2_000_000
_MOST_TURNS = 10_000
_LOOP = re.compile(r"(?P<names>\w+(?:\s*,\s*\w+)?)\s+in\s+(?P<list>.*)\Z", re.DOTALL)
_FILTERED = re.compile(r"(?P<list>.*?)\sif\s(?P<condition>(?:(?!\selse\s).)*)\Z", re.DOTALL)
_SET = re.compile(r"set\s+(?P<name>\w+)\s*=(?P<made>[^=].*)\Z", re.DOTALL)
_APPEND = re.compile(
    r"(?:set\s+\w+\s*=|do\s)\s*(?P<name>\w+)\.append\((?P<made>.*)\)\s*\Z", re.DOTALL
)
_CHANGE = re.compile(r"(\w+)\.(?:append|extend|insert|update|pop|remove|clear)\(")
#: A loop over the pairs of a variable, and a line that is such a pair.
_PAIRS = re.compile(
    r"(?P<key>\w+)\s*,\s*(?P<value>\w+)\s+in\s+(?P<name>[A-Za-z_][\w.]*?)"
    r"\s*(?:\.items\(\)|\|\s*dictsort)\s*"
)
_ITEMS = re.compile(r"(?P<item>\w+)\s+in\s+(?P<name>[A-Za-z_][\w.]*)\s*\|\s*dict2items\s*")
_PAIR = re.compile(r"\{\{\s*([\w.]+)\s*\}\}\s*=\s*\{\{\s*([\w.]+)\s*(?:\|[^{}]*)?\}\}")
#: Another template that stands in the place of a statement.
_INCLUDE = re.compile(r"include\s+[\"']([\w./-]+)[\"']\s*(?:with context|without context)?\Z")
_DEEPEST = 5
_WORD = re.compile(r"[A-Za-z_]\w*")
#: In the place of an expression of a loop whose value is not known.
_UNKNOWN = "{{ ? }}"
_EXPRESSIONS = ("{{", "<%=", "${")


def render(
    text: str,
    names: Names,
    whole: bool = False,
    language: str = JINJA,
    others: Others | None = None,
) -> Rendered:
    """The lines of a template that are put out whatever is not known.

    With ``whole`` no expression stays as it is written. ``others`` gives the texts of templates that
    this one includes, by their names; lines of one that is not known are in doubt.
    """
    renderer = _Renderer(text, names, whole, others)
    for node in tree(text, language):
        renderer.follow(node, False)
    rendered = Rendered(text)
    rendered.maps = renderer.maps
    rendered.put(renderer.certain(), renderer.left, renderer.off)
    return rendered


class _Renderer:
    def __init__(self, text: str, names: Names, whole: bool, others: Others | None) -> None:
        self.text = text
        self.whole = whole
        self.others = others
        self.depth = 0
        self.outer = names
        self.maps: list[str] = []
        #: Where in the template stands what is not put out because it is in doubt.
        self.left: list[int] = []
        #: From where to where branches go that the variables leave out.
        self.off: list[tuple[int, int]] = []
        self.scopes: list[dict[str, Value]] = [{}]
        self.lines = [Line()]
        self.size = self.turns = 0
        #: A line with text that is sure, whose end is in doubt.
        self.ending: Line | None = None

    def names(self, name: str) -> Value:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return self.outer(name)

    def certain(self) -> list[Line]:
        """The lines, those emptied that are in doubt or go on in one that is."""
        first = 0
        for number, line in enumerate(self.lines):
            text = line.text.rstrip("\r")
            comment = text.lstrip().startswith(("#", "!")) and first == number
            if (
                not comment
                and (len(text) - len(text.rstrip("\\"))) % 2
                and number + 1 < len(self.lines)
            ):
                continue
            together = self.lines[first : number + 1]
            # What an unknown expression begins is a key that nobody knows, or a comment.
            unknown = together[0].text.lstrip().startswith(_EXPRESSIONS)
            if unknown or any(one.doubtful for one in together):
                for one in together:
                    self.left += [source for _, source, _ in one.runs]
                    one.empty()
            first = number + 1
        return self.lines

    def follow(self, node: Piece | Block, doubt: bool) -> None:
        if self.size > _MOST:
            self.lines[-1].doubtful = True
        elif isinstance(node, Piece):
            self._piece(node, doubt)
        elif node.end is None:
            self._all(node, True)
        elif node.kind == IF:
            self._choose(node, doubt)
        elif node.kind == FOR:
            self._repeat(node, doubt)
        else:
            self._all(node, True)

    def _all(self, block: Block, doubt: bool) -> None:
        for branch in block.branches:
            for node in branch.inner:
                self.follow(node, doubt)

    def _choose(self, block: Block, doubt: bool) -> None:
        ends = [
            *(branch.piece.start for branch in block.branches[1:]),
            block.end.start if block.end else 0,
        ]
        settled = False
        for branch, end in zip(block.branches, ends, strict=True):
            told = branch.condition
            holds = True if told is None else not settled and jinja.truth(told, self.names)
            if settled or holds is False:
                self.off.append((branch.piece.end, end))
                continue
            for node in branch.inner:
                self.follow(node, doubt or holds is None)
            settled = bool(holds)
            doubt = doubt or holds is None  # whether this or one of the others

    def _repeat(self, block: Block, doubt: bool) -> None:
        first, *others = block.branches
        if not doubt and self._pairs(block, first):
            return
        members = None if others else self._members(first.condition or "")
        names = _names(first.condition or "")
        if members is None or self.turns + len(members) > _MOST_TURNS:
            self.scopes.append(dict.fromkeys(names))
            self._all(block, True)
            self.scopes.pop()
            return
        self.turns += len(members)
        for number, one in enumerate(members):
            self.scopes.append({**_taken(names, one), "loop": _loop(number, len(members))})
            for node in first.inner:
                self.follow(node, doubt)
            self.scopes.pop()

    def _members(self, told: str) -> list[Value] | None:
        """What a loop goes over; None where that is not known."""
        loop = _LOOP.match(told)
        if loop is None:
            return None
        chosen = _FILTERED.match(loop["list"])
        found = jinja.value(chosen["list"] if chosen else loop["list"], self.names)
        if isinstance(found, Members) and found is not UNDEFINED:
            found = [*found.names]
        if not isinstance(found, list) or chosen is None:
            return found if isinstance(found, list) else None
        kept: list[Value] = []
        for one in found[:_MOST_TURNS]:
            self.scopes.append(_taken(_names(told), one))
            holds = jinja.truth(chosen["condition"], self.names)
            self.scopes.pop()
            if holds is None:
                return None
            if holds:
                kept.append(one)
        return kept

    def _pairs(self, block: Block, branch: Branch) -> bool:
        """Whether a loop writes nothing but the pairs of a variable, which is remembered."""
        told = branch.condition or ""
        loop, items = _PAIRS.fullmatch(told), _ITEMS.fullmatch(told)
        found = loop or items
        if found is None or len(self.scopes) > 1 or block.end is None:
            return False
        pair = _PAIR.fullmatch(self.text[branch.piece.end : block.end.start].strip())
        names = (loop["key"], loop["value"]) if loop else (f"{found[1]}.key", f"{found[1]}.value")
        if pair is None or pair.groups() != names:
            return False
        self.maps.append(found["name"])
        return True

    def _piece(self, piece: Piece, doubt: bool) -> None:
        if piece.kind == TEXT:
            self._put(piece.body, piece.start, -1, doubt)
        elif piece.kind == VALUE:
            self._value(piece, doubt)
        elif piece.known and piece.words.startswith("include"):
            self._include(piece, doubt)
        elif piece.known:
            self._assign(piece.words, doubt)

    def _include(self, piece: Piece, doubt: bool) -> None:
        """Put out what another template is rendered to, all of it at the place of the statement."""
        named = _INCLUDE.match(piece.words)
        text = self.others(named[1]) if named and self.others and self.depth < _DEEPEST else None
        if text is None:
            self.left.append(piece.start)
            return
        inner = _Renderer(text, self.names, self.whole, self.others)
        inner.depth, inner.turns, inner.size = self.depth + 1, self.turns, self.size
        for node in tree(text):
            inner.follow(node, False)
        made = "\n".join(line.text for line in inner.certain())
        self.turns = inner.turns
        if inner.left or inner.size > _MOST:
            self.left.append(piece.start)
        self.maps += [] if doubt else inner.maps
        self._put(made, piece.start, piece.end - piece.start, doubt)

    def _value(self, piece: Piece, doubt: bool) -> None:
        length = piece.end - piece.start
        line = self.lines[-1]
        inside = "=" in line.text
        # What only the template itself knows.
        own = self.whole or len(self.scopes) > 1 or self._assigned(piece)
        found = None
        if piece.known and (own or not inside):
            found = jinja.value(piece.body, self.names)
        if found is not None and not isinstance(found, (list, Members)):
            text = str(found)
            if own or line.text.strip() or "=" in text:
                self._put(text, piece.start, length, doubt)
                return
        written = _UNKNOWN if own and piece.known else self.text[piece.start : piece.end]
        if own or "\n" in written:
            self._put(" ".join(written.split()), piece.start, length, doubt)
        else:
            self._put(written, piece.start, -1, doubt)

    def _assigned(self, piece: Piece) -> bool:
        """Whether an expression names what the template assigned."""
        names = self.scopes[0]
        return bool(names) and any(word in names for word in _WORD.findall(piece.body))

    def _assign(self, words: str, doubt: bool) -> None:
        """Follow an assignment; what a statement that is not read may change is not known."""
        appended = _APPEND.match(words)
        if appended is not None:
            name = appended["name"]
            known, made = self.names(name), jinja.value(appended["made"], self.names)
            unread = doubt or made is None or nested(made) or not isinstance(known, list)
            self._change(name, None if unread else reckoned(known, "+", [made]))
            return
        for changed in _CHANGE.finditer(words):
            self._change(changed.group(1), None)
        made_of = _SET.match(words)
        if made_of is not None:
            made = None if doubt else jinja.value(made_of["made"], self.names)
            self.scopes[-1][made_of["name"]] = made

    def _change(self, name: str, made: Value) -> None:
        scope = next((one for one in reversed(self.scopes) if name in one), self.scopes[0])
        scope[name] = made

    def _put(self, text: str, source: int, length: int, doubt: bool) -> None:
        """Put text out: as it is written at an offset (length -1), or instead of what is there."""
        self.size += len(text)
        if not doubt:
            self._settle(text)
        for number, part in enumerate(text.split("\n")):
            if number:
                if doubt and self.lines[-1].certain:
                    self.ending = self.lines[-1]
                self.lines.append(Line())
                source += 1 if length < 0 else 0
            line = self.lines[-1]
            if part:
                line.runs.append((len(line.text), source, length))
                line.text += part
                blank = part.isspace()
                line.doubtful = line.doubtful or (doubt and not blank)
                line.certain = line.certain or not (doubt or blank)
            source += len(part) if length < 0 else 0

    def _settle(self, text: str) -> None:
        """See whether a line ends before a text, which only a line break in doubt has ended so far."""
        if self.ending is None or not text.strip(" \t\r"):
            return
        if not text.lstrip(" \t\r").startswith("\n"):
            self.ending.doubtful = self.lines[-1].doubtful = True
        self.ending = None


def _names(told: str) -> list[str]:
    loop = _LOOP.match(told)
    return [name.strip() for name in loop["names"].split(",")] if loop else []


def _taken(names: list[str], one: Value) -> dict[str, Value]:
    """The variables of a loop at one of its members."""
    if len(names) == 1:
        return {names[0]: one}
    whole = isinstance(one, list) and len(one) == len(names)
    return dict(
        zip(names, one if whole and isinstance(one, list) else [None] * len(names), strict=True)
    )


def _loop(number: int, count: int) -> Members:
    told: dict[str, Value] = {
        "index": number + 1,
        "index0": number,
        "first": number == 0,
        "last": number + 1 == count,
        "length": count,
    }
    return Members(told.get, told)

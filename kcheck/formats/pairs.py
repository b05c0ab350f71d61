"""Configuration of application frameworks as flat pairs: ``a.b.c`` → text, with the places of both.

YAML trees and ``.properties`` lines become the same pairs, so that a framework's reader need not
know which of the two it reads. Names keep their spelling and their brackets; ``elements`` takes
them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcheck.formats.text import templated
from kcheck.model import Derived, Framed, Position, Problem, Setting, Torn
from kcheck.syntax import yaml
from kcheck.syntax.entry import Entry
from kcheck.syntax.properties import PropertiesError, decode, parse, torn

#: An honest file has some hundreds; aliases of aliases make any number.
MOST = 20_000
_DEEPEST = 40
#: Placeholders within placeholders.
_NESTED = 20


class TooMany(Exception):
    """A file that aliases blow up."""


class Pair:
    """One name and its text; None for null and for what is no plain value.

    ``written`` is the name as the file has it, where that says more (a profile, quotes). ``literal``
    is false where the file has the text in another form. ``torn`` are the keys that lines became
    which were meant to continue the text.
    """

    __slots__ = (
        *("_form", "_parts", "_words", "at", "key_at", "literal", "name", "path", "text", "torn"),
        "written",
    )

    def __init__(
        self,
        name: str,
        text: str | None,
        path: str,
        at: Position,
        key_at: Position,
        written: str = "",
    ) -> None:
        self.written = written or name
        self.name = name
        self.text = text
        self.path = path
        self.at = at
        self.key_at = key_at
        self.literal = True
        self.torn: tuple[str, ...] = ()
        self._parts: list[str] | None = None
        self._words: list[str] | None = None
        self._form: str | None = None

    @property
    def parts(self) -> list[str]:
        """The parts of its name."""
        if self._parts is None:
            self._parts = elements(self.name)
        return self._parts

    @property
    def words(self) -> list[str]:
        """The parts of its name as Spring compares them."""
        if self._words is None:
            self._words = [relaxed(part) for part in self.parts]
        return self._words

    @property
    def form(self) -> str:
        """Its name as Spring compares it."""
        if self._form is None:
            self._form = ".".join(self.words)
        return self._form

    def __repr__(self) -> str:
        return f"Pair({self.name}={self.text!r} {self.path}:{self.at[0]})"

    def setting(self, key: str, text: str | None) -> Setting:
        """The pair as a setting of that key, with the text that Kafka gets."""
        if text is None and self.text is not None and templated(self.text):
            return Framed(key, self.text, self.path, self.at, self.key_at, self.written)
        if self.torn and text == self.text:
            made = Torn(key, text, self.path, self.at, self.key_at, self.written)
            made.keys = self.torn
            return made
        kind = Setting if text is None or (text == self.text and self.literal) else Derived
        return kind(key, text, self.path, self.at, self.key_at, self.written)


def in_yaml(path: str) -> bool:
    """Whether a file with such a name is YAML; all others have the syntax of ``.properties``."""
    return ".yml" in path.lower() or ".yaml" in path.lower()


def of_file(path: str, data: bytes, quoting: bool = False) -> tuple[list[Pair], Problem | None]:
    """All pairs of a file, in either syntax, and what is wrong with it.

    With ``quoting``, a YAML key with dots below another is one part of the name, in brackets.
    """
    if in_yaml(path):
        nodes, problem = yaml.documents(data)
        try:
            return [pair for node in nodes for pair in of_yaml(node, path, quoting)], problem
        except TooMany:
            return [], Problem("it has too many settings")
    return of_properties(path, data)


def of_properties(path: str, data: bytes) -> tuple[list[Pair], Problem | None]:
    """The pairs of a ``.properties`` file, of a broken one those before the place, and what is wrong."""
    try:
        return of_entries(parse(decode(data)[0]), path), None
    except PropertiesError as error:
        at = (error.line, error.column, error.line, error.column + 1)
        return of_entries(error.entries, path), Problem(error.message, at)


def of_entries(entries: list[Entry], path: str) -> list[Pair]:
    """The pairs of a ``.properties`` file; ``a[0]``, ``a[1]`` are one text with commas."""
    found: list[Pair] = []
    listed: dict[str, Pair] = {}
    for at, entry in enumerate(entries):
        name, bracket, index = entry.key.rpartition("[")
        if bracket and index.rstrip("]").isdecimal():
            if name in listed:
                listed[name].text = f"{listed[name].text},{entry.value}"
                continue
            listed[name] = Pair(name, entry.value, path, entry.at, entry.key_at)
            found.append(listed[name])
            continue
        found.append(pair := Pair(entry.key, entry.value, path, entry.at, entry.key_at))
        pair.torn = torn(entries, at)
    return found


def of_yaml(node: yaml.Node, path: str, quoting: bool = False) -> list[Pair]:
    """All scalars below the node; a list of scalars is one text with commas, as binders read it.

    Raises TooMany.
    """
    found: list[Pair] = []
    _walk(node, "", path, found, 0, quoting)
    return found


def _walk(
    node: yaml.Node, prefix: str, path: str, found: list[Pair], depth: int, quoting: bool
) -> None:
    if depth > _DEEPEST or len(found) > MOST:
        raise TooMany
    for key, key_node, value in yaml.pairs(node):
        name = f"{prefix}.{key}" if prefix and not key.startswith("[") else prefix + key
        if quoting and prefix and "." in key and '"' not in key and key[0] != "[":
            name = f"{prefix}[{key}]"
        if isinstance(value, yaml.MappingNode):
            _walk(value, name, path, found, depth + 1, quoting)
            continue
        at, text = yaml.position(value), yaml.text(value)
        if isinstance(value, yaml.SequenceNode):
            listed = yaml.items(value)
            if not all(isinstance(item, yaml.ScalarNode) for item in listed):
                for number, item in enumerate(listed):
                    _walk(item, f"{name}[{number}]", path, found, depth + 1, quoting)
                continue
            text = ",".join(yaml.text(item) or "" for item in listed)
            if listed and not value.flow_style:  # which would begin at the dash
                at = (*yaml.position(listed[0])[:2], *yaml.position(listed[-1])[2:])
        meant = yaml.resolved(value)
        pair = Pair(name, meant or text, path, at, yaml.position(key_node))
        pair.literal = meant is None
        found.append(pair)


def elements(name: str) -> list[str]:
    """The parts of a name; a part in brackets, which may hold dots, is one, without them."""
    if "[" not in name:
        return name.split(".")
    found: list[str] = []
    rest = name
    while rest:
        if rest[0] == "[":
            inside, _, rest = rest[1:].partition("]")
            found.append(inside)
            rest = rest.removeprefix(".")
            continue
        ends = [at for at in (rest.find("."), rest.find("[")) if at >= 0]
        end = min(ends, default=len(rest))
        found.append(rest[:end])
        rest = rest[end:].removeprefix(".")
    return found


def relaxed(element: str) -> str:
    """A part of a name as Spring compares it: ``maxPollRecords``, ``max_poll_records`` are one."""
    return element.replace("-", "").replace("_", "").lower()


class Texts:
    """The texts of one application with their placeholders filled in from each other.

    Names are compared in the form that ``same`` gives them, which ``form`` gives for a pair.

    ``${name}`` is another pair of the file, ``${name:default}`` its default where there is none:
    the environment may know better, which nobody sees here. What stays open is unknown (None), and
    so is what comes to nothing: an empty default, or an empty pair that something fills in later.
    """

    def __init__(
        self,
        pairs: Iterable[Pair],
        same: Callable[[str], str] = lambda name: name,
        form: Callable[[Pair], str] = lambda pair: pair.name,
    ) -> None:
        self._same = same
        self._texts = {form(pair): pair.text for pair in pairs}
        #: What was filled in, by name; None while it is under way: a name within itself is unknown.
        self._values: dict[str, str | None] = {}

    def of(self, name: str) -> str | None:
        """The text of the pair of that name; None where there is none, or it is unknown."""
        return self._value(name, 0)

    def filled(self, text: str | None) -> str | None:
        found = self._fill(text, 0) if text is not None else None
        return None if found is None or templated(found) or "#{" in found else found

    def _value(self, name: str, depth: int) -> str | None:
        form = self._same(name)
        if form not in self._values:
            self._values[form] = None
            text = self._texts.get(form)
            found = self._fill(text, depth + 1) if text is not None else None
            self._values[form] = None if found is None or templated(found) else found
        return self._values[form]

    def _fill(self, text: str, depth: int) -> str | None:
        start = text.find("${")
        if start < 0 or depth > _NESTED:
            return text
        end = _closing(text, start + 2)
        if end < 0:
            return text
        name, colon, default = _parted(text[start + 2 : end])
        value = (self._value(name, depth + 1) or None) if "${" not in name else None
        if value is None and colon and default:
            value = self._fill(default, depth + 1)
        rest = self._fill(text[end + 1 :], depth + 1)
        if value is None or rest is None:
            return None
        return text[:start] + value + rest


def _closing(text: str, at: int) -> int:
    """Where the brace that opened before ``at`` closes; -1 where it does not."""
    opened = 1
    for index in range(at, len(text)):
        if text[index] == "{":
            opened += 1
        elif text[index] == "}":
            opened -= 1
            if not opened:
                return index
    return -1


def _parted(text: str) -> tuple[str, str, str]:
    """``name:default`` at the first colon that is not inside of another placeholder."""
    name, colon, default = text.partition(":")
    return (text, "", "") if "${" in name else (name, colon, default)

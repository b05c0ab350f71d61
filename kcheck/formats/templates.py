"""Templates of Ansible's roles and Puppet's modules: what a properties template says in any case.

Lines outside of all conditions and loops hold whatever the variables are. Variables of a role give
values and decide conditions as far as its files tell; a condition that they do not decide may or may
not hold, so everything that the lines in force do not set is unknown. Templates of other files are
named, and skipped.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup, properties
from kcheck.formats.role_variables import Variables
from kcheck.formats.text import unrendered
from kcheck.model import ANSIBLE, PASSED_OVER, PUPPET, SKIPPED, Document
from kcheck.syntax import jinja

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.syntax.jinja import Names

#: The layout in which a tool keeps its templates, by the ending of theirs.
_LAYOUTS = ((".erb", "modules", "puppet-hiera"), (".j2", "roles", "ansible"))
_DEPLOYERS = {".erb": PUPPET, ".j2": ANSIBLE}

#: Statements and comments of Jinja and ERB, and expressions that go over several lines.
_STATEMENT = re.compile(
    r"\{%[-+]?(?P<jinja>.*?)%\}|\{#.*?#\}|<%(?![=%])-?(?P<erb>.*?)%>"
    r"|\{\{[^}\n]*\n.*?\}\}|<%=[^%\n]*\n.*?%>",
    re.DOTALL,
)
#: Where tags begin and end.
_MARK = re.compile(r"\{[{%#][-+]?|[-+]?[}%#]\}|<%=?-?|-?%>")
_CLOSE = {"{{": "}}", "{%": "%}", "{#": "#}", "<%": "%>"}
_OPENS = re.compile(r"\s*(if|for|macro|call|filter|block|with|raw|unless|case|while|until)\b")
_DOES = re.compile(r"\bdo\s*(\|[^|]*\|)?\s*-?\s*\Z|\{\s*\|[^|]*\|\s*-?\s*\Z")
_CLOSES = re.compile(r"\s*(end\w*\b|\})")
#: A line that is one expression: comments, or settings that nobody sees here.
_ALONE = re.compile(r"\s*(\{\{[^{}]*\}\}|<%=[^%]*%>)\s*")
#: A loop over the pairs of a variable, and a line that is such a pair.
_PAIRS = re.compile(
    r"\s*for\s+(?P<key>\w+)\s*,\s*(?P<value>\w+)\s+in\s+(?P<name>[A-Za-z_]\w*)"
    r"\s*(\.items\(\)|\|\s*dictsort)\s*"
)
_PAIR = re.compile(r"\{\{\s*(\w+)\s*\}\}\s*=\s*\{\{\s*(\w+)\s*(?:\|[^{}]*)?\}\}")


def recognise(path: str, data: bytes) -> str | None:
    for ending, folder, name in _LAYOUTS:
        if path.endswith(ending):
            parts = path.split("/")[:-1]
            ours = b"kafka" in data.lower() or "kafka" in path.lower()
            # A role of its own, as Galaxy has it, is no folder of roles.
            role = ending == ".j2" and path.endswith(".properties.j2")
            kept = "templates" in parts and (folder in parts or role)
            if not kept or not unrendered(data):
                return None
            # One without a word of Kafka may be a broker's, by its keys.
            return name if ours or properties.recognise(path[: -len(ending)], data) else None
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    stem, _, ending = document.path.rpartition(".")
    text = data.decode("utf-8", "replace") if stem.endswith(".properties") else ""
    variables = Variables(document.path, lookup) if text and ending == "j2" else None
    template = _Template(text, variables.value if variables is not None else _unknown)
    plain = template.certain().encode()
    inner = Document(document.path)
    inner.format = properties.recognise(stem, plain) if text else None
    if inner.format is None:
        document.status = SKIPPED
        document.reason = "an unrendered template"
        return
    properties.read(inner, plain, lookup)
    document.status, document.reason = inner.status, inner.reason
    for resource in inner.resources:
        if variables is not None:
            variables.fill(resource)
            for name in template.maps:
                resource.settings.update((one.key, one) for one in variables.pairs(name))
        resource.traits.deployer = _DEPLOYERS["." + ending]
        resource.traits.partial = True
        document.resources.append(resource)
        if resource.kind in ("broker", "controller"):
            document.extent.whole = True
    if not document.resources and document.status not in (SKIPPED, PASSED_OVER):
        document.status, document.reason = SKIPPED, "an unrendered template"


def _unknown(_name: str) -> None:
    """What ERB's expressions and conditions are: Ruby, which is not read."""


class _Branch:
    """A statement that is open: whether what follows is put out, and whether a branch before was."""

    __slots__ = ("body", "loop", "put_out", "settled")

    def __init__(self, holds: bool | None, body: int, loop: re.Match[str] | None = None) -> None:
        self.put_out = self.settled = holds
        self.body = body
        self.loop = loop

    def otherwise(self, holds: bool | None) -> None:
        """Go on with the next branch, whose own condition holds or not."""
        if self.settled is False:
            self.put_out = self.settled = holds
        else:
            self.put_out = False if self.settled else None


class _Template:
    """A template of properties, with ``names`` for the variables of its conditions.

    ``maps`` are the variables whose pairs it writes as settings, one to a line.
    """

    def __init__(self, text: str, names: Names) -> None:
        self.text = text
        self.names = names
        self.maps: list[str] = []
        self._open: list[_Branch] = []

    def certain(self) -> str:
        """The text with the lines emptied that may not be put out as they stand."""
        text = self.text
        lines = text.split("\n")
        doubtful = {at for at, line in enumerate(lines) if _ALONE.fullmatch(line)}
        number = end = 0
        for match in _STATEMENT.finditer(text):
            start = number + text.count("\n", end, match.start())
            if not self._put_out():
                doubtful.update(range(number, start + 1))
            number = start + match.group().count("\n")
            doubtful.update(range(start, number + 1))
            end = match.end()
            self._step(match)
        if self._open:  # it never ends: so that what follows is in doubt
            doubtful.update(range(number, len(lines)))
        doubtful |= _joined(text)
        for at in range(len(lines) - 1, -1, -1):
            # A line that goes on in one that is in doubt.
            if at + 1 in doubtful and _goes_on(lines[at]):
                doubtful.add(at)
        return "\n".join("" if at in doubtful else line for at, line in enumerate(lines))

    def _put_out(self) -> bool:
        return all(branch.put_out for branch in self._open)

    def _step(self, match: re.Match[str]) -> None:
        """Follow a statement into its branch, or out of it."""
        statement = match["jinja"] if match["jinja"] is not None else match["erb"]
        if statement is None:
            return
        word, _, rest = statement.strip(" \t\r\n-+").partition(" ")
        if _CLOSES.match(statement):
            if self._open:
                self._close(self._open.pop(), match.start())
        elif word in ("elif", "else", "elsif", "when"):
            if self._open:
                self._open[-1].otherwise(self._holds(rest) if rest else True)
        elif word == "if" and match["jinja"] is not None:
            self._open.append(_Branch(self._holds(rest), match.end()))
        elif _OPENS.match(statement) or _DOES.search(statement):
            self._open.append(_Branch(None, match.end(), _PAIRS.fullmatch(statement)))

    def _holds(self, condition: str) -> bool | None:
        return jinja.truth(condition, self.names)

    def _close(self, branch: _Branch, end: int) -> None:
        """Remember the variable of a loop that writes nothing but its pairs."""
        loop = branch.loop
        if loop is None or not self._put_out():
            return
        pair = _PAIR.fullmatch(self.text[branch.body : end].strip())
        if pair is not None and pair.groups() == (loop["key"], loop["value"]):
            self.maps.append(loop["name"])


def _joined(text: str) -> set[int]:
    """The lines that become one with another, because a tag removes the line break between them.

    Jinja removes all white space on the side of a ``-``, and Ansible the line break after a
    statement or a comment; ERB removes the line break after ``-%>``.
    """
    joined: set[int] = set()
    began = -1  # the line with the first text of the one that is put out
    number = end = 0
    close = trims = ""
    for match in _MARK.finditer(text):
        mark = match.group()
        if mark.lstrip("-+") != close if close else mark[0] not in "{<":
            continue
        between = text[end : match.start()]
        if close:
            number += between.count("\n")
            trims = "space" if mark[0] == "-" else "line" if mark[0] in "%#" else ""
            if close == "%>":
                trims = "line" if mark[0] == "-" else ""
            close = ""
        else:
            close = _CLOSE[mark[:2]]
            trim_end = mark[0] == "{" and mark[-1] == "-"
            began, number = _follow(between, trims, trim_end, number, began, joined)
            if mark.startswith(("{{", "<%=")):
                began = _put(number, began, joined)
        end = match.end()
    if not close:
        _follow(text[end:], trims, False, number, began, joined)
    return joined


def _follow(
    text: str, trims: str, trim_end: bool, number: int, began: int, joined: set[int]
) -> tuple[int, int]:
    """Where the line that is put out began, and the line of the template, after a text between tags."""
    lines = text.split("\n")
    blank = [not line or line.isspace() for line in lines]
    last = len(lines) - 1
    # The first and the last line break that is put out.
    first = 0
    if trims == "line" and not lines[0].strip("\r"):
        first = 1
    elif trims == "space":
        while first < last and blank[first]:
            first += 1
    if trim_end:
        while last > first and blank[last]:
            last -= 1
    for at, empty in enumerate(blank):
        if first < at <= last:
            began = -1
        if not empty:
            began = _put(number + at, began, joined)
    return began, number + len(lines) - 1


def _put(number: int, began: int, joined: set[int]) -> int:
    """Where the line that is put out began, after a text on a line of the template."""
    if began in (-1, number):
        return number
    joined.update((began, number))
    return began


def _goes_on(line: str) -> bool:
    line = line.rstrip("\r")
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1

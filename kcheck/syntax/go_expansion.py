"""A Go template with its loops, helpers and lists of values written out, as far as values tell.

``range`` over a map or a list that is known becomes as many copies of its body, ``with`` its body,
``include`` the helper's text, ``toYaml`` the lines of the values themselves. All else stays as it is:
what a name stands for in a copy, ``names`` tells by a name that is made for it. Nothing is run, and
depth and size are bounded: a template that would grow beyond them stays as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from kcheck.syntax import go_template, yaml
from kcheck.syntax.go_names import PATH, MadeNames, Place, empties
from kcheck.syntax.go_rendering import Tag
from kcheck.syntax.go_tree import Block, Text, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model import Position
    from kcheck.syntax.go_names import Made
    from kcheck.syntax.go_tree import Branch, Node

_MOST_CHARACTERS, _MOST_ROUNDS, _DEEPEST = 300_000, 2_000, 12
_MOST_COUNTED, _MOST_STEPS = 50, 100_000
_RANGE = re.compile(r"(?:\$(\w+)[ \t]*(?:,[ \t]*\$(\w+)[ \t]*)?:=[ \t]*)?(.+)", re.DOTALL)
_ASSIGNED = re.compile(r"\$(\w+)[ \t]*(:?=)[ \t]*(.+)", re.DOTALL)
_INCLUDE = re.compile(
    r"(?:include|template)[ \t]+\"([^\"]+)\"[ \t]+(\([^()]*\)|[.$][\w.]*|\$)[ \t]*"
    r"(?:\|[ \t]*(n?)indent[ \t]+(\d{1,2}))?"
)
_YAML = re.compile(r"toYaml[ \t]+([.$][\w.]*)[ \t]*(?:\|[ \t]*(n?)indent[ \t]+(\d{1,2}))?")
_DICT = re.compile(r"\(dict((?:[ \t]+\"\w+\"[ \t]+[.$][\w.]*)*)[ \t]*\)")
_PAIR = re.compile(r"\"(\w+)\"[ \t]+([.$][\w.]*)")
_LIST = re.compile(r"\(?(?:list|tuple)((?:[ \t]+\"[^\"\\]*\")+)[ \t]*\)?")
_UNTIL = re.compile(r"until[ \t]+(.+)")


class Origin:
    """Where a line stands: in which file ("" for the template), and how far its text moved."""

    __slots__ = ("line", "path", "shift")

    def __init__(self, path: str, line: int, shift: int) -> None:
        self.path = path
        self.line = line
        self.shift = shift


class Helper:
    """The text between ``define`` and its ``end``, and the file that it stands in."""

    __slots__ = ("nodes", "path", "source")

    def __init__(self, path: str, source: str, nodes: list[Node]) -> None:
        self.path = path
        self.source = source
        self.nodes = nodes


class _Overgrown(Exception):
    """More than is worked out."""


class Expansion:
    """A template written out: ``text``, and the ``origins`` of its lines.

    ``names`` tells of the values; ``values`` are the path and the text of the file that has them.
    """

    def __init__(self, template: str, names: MadeNames, values: tuple[str, bytes]) -> None:
        self.text = ""
        self.origins: list[Origin] = []
        self.names = names
        self._values = values
        self._lines: list[str] = []
        self._helpers: dict[str, Helper] = {}
        self._parts: list[str] = []
        self._starts: dict[str, list[int]] = {}
        self._size = self._rounds = self._steps = 0
        #: The variables that were set anew.
        self._reset: set[str] = set()
        self._template = template
        self._source, self._path = template, ""

    def helpers(self, path: str, text: str) -> None:
        """Take the helpers that a file defines."""
        for node in tree(text) or ():
            if isinstance(node, Block) and node.word == "define":
                name = node.branches[0].rest.strip().strip('"`')
                self._helpers.setdefault(name, Helper(path, text, node.branches[0].inner))

    def write(self) -> bool:
        """Write the template out; whether anything of it had to be."""
        nodes = tree(self._template)
        if nodes is None:
            return False
        self.helpers("", self._template)
        self.origins = [Origin("", 1, 0)]
        try:
            self._nodes(nodes, Place("", {}, None), "", 0)
        except _Overgrown:
            return False
        self.text = "".join(self._parts)
        return self._rounds > 0

    def place(self, at: Position) -> tuple[str, Position]:
        """Where a position of the text written out stands: the file, "" for the template, and where."""
        first = self.origins[min(at[0], len(self.origins)) - 1]
        last = self.origins[min(at[2], len(self.origins)) - 1]
        column, end = max(at[1] - first.shift, 1), max(at[3] - last.shift, 1)
        if last.path != first.path or last.line < first.line:
            last, end = first, column
        return first.path, (first.line, column, last.line, end)

    # -- what is put out -----------------------------------------------------------------------

    def _put(self, text: str, line: int, indent: str = "", path: str | None = None) -> None:
        shift = len(indent)
        text = text.replace("\n", "\n" + indent) if indent else text
        self._size += len(text)
        if self._size > _MOST_CHARACTERS:
            raise _Overgrown
        where = self._path if path is None else path
        if self._parts and not "".join(self._parts[-1:]).rpartition("\n")[2].strip():
            self.origins[-1] = Origin(where, line, shift)
        self._parts.append(text)
        for number in range(text.count("\n")):
            self.origins.append(Origin(where, line + number + 1, shift))

    def _line(self, start: int) -> int:
        starts = self._starts.get(self._path)
        if starts is None:
            starts = [found.end() for found in re.finditer("\n", self._source)]
            self._starts[self._path] = starts
        return bisect_right(starts, start) + 1

    def _nodes(self, nodes: list[Node], place: Place, indent: str, depth: int) -> None:
        if depth > _DEEPEST:
            raise _Overgrown
        for node in nodes:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise _Overgrown
            if isinstance(node, Text):
                self._put(node.text, self._line(node.start), indent)
            elif isinstance(node, Block):
                self._block(node, place, indent, depth + 1)
                # Whether a branch came to what it sets anew is not followed.
                for name in self._reset.intersection(place.variables):
                    place.variables[name] = self.names.make(None)
            else:
                self._action(node, place, indent, depth)

    def _tag(self, tag: Tag, place: Place, indent: str) -> None:
        """A tag as it is, but for its names."""
        self._put(self.names.renamed(tag.text, place), self._line(tag.start), indent)

    def _block(self, block: Block, place: Place, indent: str, depth: int) -> None:
        first = block.branches[0]
        if block.word == "define":
            return
        if block.word == "range" and self._range(block, first, place, indent, depth):
            return
        if block.word == "with" and self._with(block, first, place, indent, depth):
            return
        for branch in block.branches:
            self._tag(branch.tag, place, indent)
            # What a branch sets is set for that alone, or not at all.
            inner = Place(place.dot, dict(place.variables), place.members)
            self._nodes(branch.inner, inner, indent, depth)
        if block.end is not None:
            self._tag(block.end, place, indent)

    def _round(self) -> None:
        self._rounds += 1
        if self._rounds > _MOST_ROUNDS:
            raise _Overgrown

    def _range(self, block: Block, first: Branch, place: Place, indent: str, depth: int) -> bool:
        found = _RANGE.fullmatch(first.rest)
        members = self._members(self.names.renamed(found[3].strip(), place)) if found else None
        if found is None or members is None:
            return False
        one, other = found[1], found[2]
        for key, value in members:
            self._round()
            variables = dict(place.variables)
            item = self.names.make(value)
            if other:
                variables |= {one: self.names.make(key), other: item}
                if isinstance(key, yaml.Node):
                    self.names.keys.add(variables[one])
                    self.names.key_of[item] = key
            elif one:
                variables[one] = item
            self._nodes(first.inner, Place(item, variables, None), indent, depth)
        if not members:
            self._round()
            self._else(block, place, indent, depth)
        return True

    def _with(self, block: Block, first: Branch, place: Place, indent: str, depth: int) -> bool:
        found = _RANGE.fullmatch(first.rest)
        name = self.names.renamed(found[3].strip(), place) if found is not None else ""
        if found is None or not PATH.fullmatch(name):
            return False
        value = self.names.value(name)
        if value is None:
            return False
        self._round()
        if not value and not isinstance(value, int):
            self._else(block, place, indent, depth)
            return True
        variables = dict(place.variables)
        if found[1]:
            variables[found[1]] = name
        self._nodes(first.inner, Place(name, variables, None), indent, depth)
        return True

    def _else(self, block: Block, place: Place, indent: str, depth: int) -> None:
        for branch in block.branches[1:]:
            if not branch.rest:
                self._nodes(branch.inner, place, indent, depth)

    def _action(self, tag: Tag, place: Place, indent: str, depth: int) -> None:
        content = tag.content
        set_ = _ASSIGNED.fullmatch(content)
        if set_ is not None:
            self._assign(set_, place)
            return
        helper = _INCLUDE.fullmatch(content)
        if helper is not None and self._include(helper, tag, place, indent, depth):
            return
        listed = _YAML.fullmatch(content)
        if listed is not None and self._yaml(listed, tag, place, indent):
            return
        self._tag(tag, place, indent)

    def _assign(self, found: re.Match[str], place: Place) -> None:
        self._round()
        expression = self.names.renamed(found[3].strip(), place)
        if found[2] == "=":
            self._reset.add(found[1])
            place.variables[found[1]] = self.names.make(None)
        elif PATH.fullmatch(expression):
            place.variables[found[1]] = expression
        else:
            value = go_template.value(expression, self.names.value)
            place.variables[found[1]] = self.names.make(value)

    def _alone(self, tag: Tag) -> bool:
        """Whether a tag has its line for itself."""
        start = self._source.rfind("\n", 0, tag.start) + 1
        end = self._source.find("\n", tag.end)
        behind = self._source[tag.end : end if end >= 0 else len(self._source)]
        return not (self._source[start : tag.start].strip() or behind.strip())

    def _include(
        self, found: re.Match[str], tag: Tag, place: Place, indent: str, depth: int
    ) -> bool:
        helper = self._helpers.get(found[1])
        if helper is None or not (found[3] or self._alone(tag)):
            return False
        inner = self._argument(found[2], place)
        if inner is None:
            return False
        self._round()
        own = indent + " " * int(found[4] or 0)
        if found[3]:
            self._put("\n" + own, self._line(tag.start))
        source, path = self._source, self._path
        self._source, self._path = helper.source, helper.path
        self._nodes(helper.nodes, inner, own, depth + 1)
        self._source, self._path = source, path
        self._put("", self._line(tag.start))
        return True

    def _argument(self, text: str, place: Place) -> Place | None:
        """What a helper is given: the top, a value, or a dict of both."""
        if text.startswith("("):
            found = _DICT.fullmatch(text)
            if found is None:
                return None
            pairs = {key: self.names.renamed(name, place) for key, name in _PAIR.findall(found[1])}
            return Place("", {}, pairs)
        name = self.names.renamed(text, place)
        return Place("" if name in (".", "$") else name, {}, place.members if text == "." else None)

    def _yaml(self, found: re.Match[str], tag: Tag, place: Place, indent: str) -> bool:
        node = self.names.find(self.names.renamed(found[1], place))
        lines = self._written(node) if node is not None else None
        if lines is None or not (found[2] or self._alone(tag)):
            return False
        self._round()
        own = indent + " " * int(found[3] or 0)
        for number, (text, line, column) in enumerate(lines):
            begin = "\n" if number or found[2] else ""
            self._put(begin, self._line(tag.start))
            self.origins[-1] = Origin(self._values[0], line, len(own) - column)
            self._parts.append(own + text)
            self._size += len(own) + len(text)
        return True

    def _written(self, node: yaml.Node) -> list[tuple[str, int, int]] | None:
        """The lines of a node of the values: text, line, and the column that it begins at."""
        first, last = node.start_mark, node.end_mark
        self._lines = self._lines or self._values[1].decode("utf-8", "replace").split("\n")
        if isinstance(node, yaml.ScalarNode) or getattr(node, "flow_style", False):
            if first.line != last.line:
                return None
            text = self._lines[first.line][first.column : last.column]
            return [(text, first.line + 1, first.column)]
        found = []
        open_ = dict(empties(node))
        end = last.line + (last.column > first.column)
        for number in range(first.line, min(end, len(self._lines))):
            line = self._lines[number].rstrip("\r")
            line = f"{line[: open_[number]]} ${{{number}}}" if number in open_ else line
            if line[: first.column].strip() and number > first.line:
                break
            found.append((line[first.column :], number + 1, first.column))
        return found

    def _members(self, expression: str) -> list[tuple[Made, Made]] | None:
        """What is gone through, with the keys; None where that is not known."""
        counted = _UNTIL.fullmatch(expression)
        if counted is not None:
            number = go_template.value(counted[1].strip().strip("()"), self.names.value)
            text = str(number)
            if not text.isdecimal() or int(text) > _MOST_COUNTED:
                return None
            return [(at, at) for at in range(int(text))]
        listed = _LIST.fullmatch(expression)
        if listed is not None:
            return [*enumerate(re.findall(r"\"([^\"]*)\"", listed[1]))]
        if not PATH.fullmatch(expression):
            return None
        node = self.names.find(expression)
        if node is None:
            return [] if self.names.value(expression) == go_template.NOTHING else None
        if isinstance(node, yaml.MappingNode):
            # Go goes through a map in the order of its keys.
            keyed = {key: (key_node, value) for key, key_node, value in yaml.pairs(node)}
            return [keyed[key] for key in sorted(keyed)]
        if isinstance(node, yaml.SequenceNode):
            return [*enumerate(yaml.items(node))]
        return [] if yaml.is_null(node) else None

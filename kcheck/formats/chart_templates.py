"""Templates of Helm's charts, rendered with the chart's own values as far as plain substitution goes.

Helm is never called. What a template puts out line by line, and the branches of conditions that the
values decide, are read as YAML; of loops, helpers and other values nothing is known. The values of
``values.yaml`` are what the chart installs by itself: whoever sets others has those checked where
they are written.
"""

from __future__ import annotations

import re

from kcheck.formats.text import templated
from kcheck.model import READ, Derived, Document, Setting
from kcheck.syntax import go_template, yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kcheck.formats import Lookup
    from kcheck.syntax.go_template import Value

    Parse = Callable[[str, bytes, Lookup], Document]

_VALUES = ".Values."
_OPENS = ("if", "range", "with", "define", "block")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
#: What stands in the place of a value that is not known: all formats take it for one that is.
_UNKNOWN = "${%s}"
_NO_WORD = re.compile(r"[^\w.-]+")
#: A document that a condition switches as a whole.
_WHOLE = re.compile(r"^(apiVersion|kind):", re.MULTILINE)


def chart_of(path: str, lookup: Lookup) -> str | None:
    """The folder of the chart whose template stands at the path, with a slash; None of no chart's."""
    folder, inside, _ = f"/{path}".rpartition("/templates/")
    while inside:
        chart = f"{folder[1:]}/" if folder else ""
        if lookup(f"{chart}Chart.yaml") is not None:
            return chart
        folder, inside, _ = folder.rpartition("/templates/")
    return None


def rendered(path: str, data: bytes, lookup: Lookup) -> Rendered | None:
    """The text of a chart's template; None where it is none, or nothing of it is sure."""
    chart = chart_of(path, lookup)
    if chart is None:
        return None
    template = Rendered(data.decode("utf-8", "replace"), Values(f"{chart}values.yaml", lookup))
    return template if template.text.strip() else None


def read(document: Document, data: bytes, lookup: Lookup, parse: Parse) -> Document:
    """What a template declares that no YAML parser reads as it stands; the document itself where it is
    none of a chart's, or still no YAML.
    """
    template = rendered(document.path, data, lookup)
    if template is None:
        return document
    made = parse(document.path, template.text.encode(), lookup)
    broken = any(problem.code == "KC0001" for problem in made.problems)
    if broken or made.status != READ:
        return document
    settle(made, template)
    return made


class Values:
    """The values of a chart, by their names with dots."""

    def __init__(self, path: str, lookup: Lookup) -> None:
        self.path = path
        data = lookup(path)
        nodes, problem = yaml.documents(data) if data else ([], None)
        self.node = nodes[0] if len(nodes) == 1 and problem is None else None

    def find(self, name: str) -> yaml.Node | None:
        node = self.node
        for part in name.split("."):
            node = yaml.child(node, part)
        return node

    def value(self, name: str) -> Value:
        """The value of ``.Values.a.b``; None is unknown, as that of everything else."""
        name = name.removeprefix("$")
        if not name.startswith(_VALUES) or self.node is None:
            return None
        node = self.find(name.removeprefix(_VALUES))
        if node is None:
            return go_template.NOTHING
        if not isinstance(node, yaml.ScalarNode):
            # A condition asks whether it is empty.
            return True if node.value else go_template.NOTHING
        text: str = node.value
        plain = node.style not in ("'", '"', "|", ">")
        if plain and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if plain and text in ("", "~", "null"):
            return go_template.NOTHING
        return None if templated(text) else text


class _Branch:
    """A block that is open: whether it is put out, and whether a branch before was."""

    __slots__ = ("put_out", "settled")

    def __init__(self, holds: bool | None) -> None:
        self.put_out = self.settled = holds

    def otherwise(self, holds: bool | None) -> None:
        if self.settled is False:
            self.put_out = self.settled = holds
        else:
            self.put_out = False if self.settled else None


class Rendered:
    """A template's text, line for line.

    ``sources`` are the values that stand in a line by the number of it, None where more than one value
    made it; ``lost`` tells that something is not in the text that the template may put out.
    """

    def __init__(self, template: str, values: Values) -> None:
        self.values = values
        self.sources: dict[int, str | None] = {}
        self.lost = False
        self._open: list[_Branch] = []
        self._parts: list[str] = []
        self._line = 1
        self._template = template
        end = 0
        for match in go_template.TAG.finditer(template):
            self._text(template[end : match.start()])
            self._tag(match)
            end = match.end()
        self._text(template[end:])
        self.text = "".join(self._parts)

    def _text(self, text: str) -> None:
        if not all(branch.put_out for branch in self._open):
            # A line that parts documents parts them whatever stands around it.
            lines = text.split("\n")
            text = "\n".join(line if line.rstrip() == "---" else "" for line in lines)
        self._parts.append(text)
        self._line += text.count("\n")

    def _tag(self, match: re.Match[str]) -> None:
        content = _COMMENT.sub("", match[1]).strip()
        word, _, rest = content.partition(" ")
        if word in _OPENS:
            self._open.append(_Branch(self._holds(word, rest, match.end())))
        elif word == "else" and self._open:
            condition = rest.strip().removeprefix("if ")
            self._open[-1].otherwise(self._holds("if", condition, match.end()) if rest else True)
        elif word == "end" and self._open:
            self._open.pop()
        elif content and not content.startswith("$") and all(one.put_out for one in self._open):
            self._put(content, match)
        broken = match.group().count("\n")
        self._parts.append("\n" * broken)
        self._line += broken
        self.lost = self.lost or any(branch.put_out is None for branch in self._open)

    def _holds(self, word: str, condition: str, end: int) -> bool | None:
        if word == "if":
            holds = go_template.truth(condition, self.values.value)
            if holds is None and self._at_top(end):
                return True
            return holds
        return False if word in ("define", "block") else None

    def _at_top(self, end: int) -> bool:
        """Whether what follows is a document from its beginning."""
        following = self._template[end : end + 400].lstrip("\r\n \t-")
        return bool(_WHOLE.match(following))

    def _put(self, content: str, match: re.Match[str]) -> None:
        found = go_template.value(content, self.values.value)
        if found == go_template.NOTHING and not isinstance(found, bool):
            # An empty value is there to be filled in by who installs the chart.
            found = None
        line = self._template[self._template.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]
        if found is None and line.strip() == match.group():
            # A helper that puts out lines of its own.
            self.lost = True
            return
        if found is None:
            self.lost = True
            self._parts.append(_UNKNOWN % _NO_WORD.sub("-", content).strip("-"))
        else:
            text = str(found).lower() if isinstance(found, bool) else str(found)
            quoted = "quote" in content and '"' not in text and "\\" not in text
            self._parts.append(f'"{text}"' if quoted else text)
        name = content.partition("|")[0].strip()
        alone = self._line not in self.sources and name.startswith(_VALUES)
        self.sources[self._line] = (
            name.removeprefix(_VALUES) if alone and found is not None else None
        )


def settle(document: Document, template: Rendered) -> None:
    """Put each value where it is written, and leave out what rests on what is not known."""
    if template.lost:
        # What lacks, and what is misplaced, may be in what is not known.
        document.problems.clear()
        document.processes = ()
    for resource in document.resources:
        resource.traits.partial = resource.traits.partial or template.lost
        for name in ("settings", "dynamic", "facts"):
            settings: dict[str, Setting] = getattr(resource, name)
            settings.update({key: _placed(one, template) for key, one in settings.items()})


def _placed(setting: Setting, template: Rendered) -> Setting:
    if setting.at[0] not in template.sources or isinstance(setting, Derived):
        return setting
    name = template.sources[setting.at[0]]
    node = template.values.find(name) if name else None
    path, at, key_at = setting.path, setting.at, setting.key_at
    if node is not None:
        path, at = template.values.path, yaml.position(node)
        key_at = at
    made = Derived(setting.key, setting.raw, path, at, key_at, setting.name)
    made.amount = setting.amount
    return made

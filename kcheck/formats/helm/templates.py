"""Templates of Helm's charts, rendered with the chart's own values as far as plain substitution goes.

Helm is never called. What a template puts out line by line, the branches of conditions that the values
decide, loops over values and helpers are read as YAML; of all else nothing is known. The values of
``values.yaml`` are what the chart installs by itself: whoever sets others has those checked where
they are written.
"""

from __future__ import annotations

import re

from kcheck.formats.folders import files_in
from kcheck.formats.scalars import derived
from kcheck.formats.text import templated
from kcheck.left_out import LEFT_OUT
from kcheck.model import PASSED_OVER, READ, START, Derived, Document, Setting
from kcheck.syntax import go_template, yaml
from kcheck.syntax.go_rendering import Rendered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kcheck.formats import Lookup
    from kcheck.syntax.go_expansion import Expansion
    from kcheck.syntax.go_names import MadeNames
    from kcheck.syntax.go_template import Value

    Parse = Callable[[str, bytes, Lookup], Document]

_VALUES = ".Values."
#: What names that are made begin with.
MADE = ".KC"


def chart_of(path: str, lookup: Lookup) -> str | None:
    """The folder of the chart whose template stands at the path, with a slash; None of no chart's."""
    folder, inside, _ = f"/{path}".rpartition("/templates/")
    while inside:
        chart = f"{folder[1:]}/" if folder else ""
        if lookup(f"{chart}Chart.yaml") is not None:
            return chart
        folder, inside, _ = folder.rpartition("/templates/")
    return None


def read(document: Document, data: bytes, lookup: Lookup, parse: Parse) -> Document:
    """What a template declares that no YAML parser reads as it stands; the document itself where it is
    still no YAML. Of what is no chart's no value is known.
    """
    chart = chart_of(document.path, lookup)
    if chart is None and (document.status == READ or b"{%" in data):
        return document
    values = Values(f"{chart}values.yaml" if chart is not None else "", lookup)
    text = data.decode("utf-8", "replace")
    expansion = _expanded(text, chart, values, lookup) if chart is not None else None
    keys = values.made.keys if values.made is not None else frozenset()
    template = Rendered(expansion.text if expansion is not None else text, values.value, keys)
    if not template.text.strip():
        if not template.lost:
            document.status, document.reason = PASSED_OVER, LEFT_OUT
        return document
    made = parse(document.path, template.text.encode(), lookup)
    broken = any(problem.code == "KC0001" for problem in made.problems)
    if broken or made.status != READ:
        return document
    settle(made, template, values)
    for resource in made.resources if document.status == READ else ():
        if resource.name.startswith("${"):
            resource.name = "?"  # as it was before anything was filled in
    off = template.off
    if expansion is not None:
        _place(made, expansion)
        places = (expansion.place((line, 1, line, 2)) for line in off)
        off = {at[0] for path, at in places if not path}
    made.extent.off = frozenset(off)
    return made


#: What stands in a template of which loops, helpers or lists of values are written out.
_WRITTEN = re.compile(r"\{\{-?[ \t]*(?:(?:range|with|include|template|toYaml)\b|\$\w+[ \t]*:=)")
TEMPLATES, _HELPERS, _TPL = "templates/", "_helpers.tpl", ".tpl"
#: So many files of helpers, and folders with some, are looked into.
_MOST_HELPERS = 40


def _helpers(folder: str, lookup: Lookup) -> list[str]:
    """The files of helpers of a chart: at the top of its templates, and in the folders there."""
    held = files_in(folder, lookup, _MOST_HELPERS) or [folder + _HELPERS]
    return [path for path in held if path.endswith(_TPL)][:_MOST_HELPERS]


def _expanded(text: str, chart: str, values: Values, lookup: Lookup) -> Expansion | None:
    """The template written out; None where nothing of it has to be."""
    if not _WRITTEN.search(text):
        return None
    from kcheck.syntax.go_expansion import Expansion  # few templates have any
    from kcheck.syntax.go_names import MadeNames

    names = MadeNames(values.find, values.value, values.plain)
    made = Expansion(text, names, (values.path, values.data or b""))
    for path in _helpers(f"{chart}{TEMPLATES}", lookup):
        helpers = lookup(path)
        if helpers is not None:
            made.helpers(path, helpers.decode("utf-8", "replace"))
    if not made.write():
        return None
    values.made = names
    return made


def _place(document: Document, expansion: Expansion) -> None:
    """Put all to the places that it has in the template itself, its helpers and its values."""
    document.processes = ()
    for problem in document.problems:
        if problem.at is not None:
            problem.at = expansion.place(problem.at)[1]
    found: list[Setting | None] = [*document.extent.weighed]
    for resource in document.resources:
        path, at = expansion.place(resource.at)
        resource.at = at if not path else START
        traits = resource.traits
        found += (*resource.placed, *traits.weighed, *(one.setting for one in traits.addresses))
        found += (traits.instances, traits.concurrency, traits.label)
        for key, told in [*resource.settings.items()]:
            # What stands in a loop or a helper stands there for others as well.
            if type(told) is Setting:
                resource.settings[key] = derived(told, told.text)
                found.append(resource.settings[key])
    for setting in {id(one): one for one in found if one is not None}.values():
        if setting.path == document.path:
            path, key_at = expansion.place(setting.key_at)
            other, at = expansion.place(setting.at)
            setting.path = other or setting.path
            setting.at, setting.key_at = at, key_at if path == other else at


class Values:
    """The values of a chart, by their names with dots."""

    def __init__(self, path: str, lookup: Lookup) -> None:
        self.path = path
        self.data = data = lookup(path) if path else None
        #: The names that are made when a template is written out.
        self.made: MadeNames | None = None
        nodes, problem = yaml.documents(data) if data else ([], None)
        self.node = nodes[0] if len(nodes) == 1 and problem is None else None

    def find(self, name: str) -> yaml.Node | None:
        """The node of ``.Values.a.b``, or of a name that is made."""
        name = name.removeprefix("$")
        if not name.startswith(_VALUES):
            return self.made.find(name) if self.made and name.startswith(MADE) else None
        name = name.removeprefix(_VALUES)
        node = self.node
        for part in name.split("."):
            node = yaml.child(node, part)
        return node

    def value(self, name: str) -> Value:
        """The value of ``.Values.a.b``; None is unknown, as that of everything else."""
        name = name.removeprefix("$")
        if name.startswith(MADE) and self.made is not None:
            return self.made.value(name)
        if not name.startswith(_VALUES) or self.node is None:
            return None
        node = self.find(name)
        return go_template.NOTHING if node is None else self.plain(node)

    def plain(self, node: yaml.Node) -> Value:
        """The value of a node."""
        if not isinstance(node, yaml.ScalarNode):
            # A condition asks whether it is empty.
            return True if node.value else go_template.NOTHING
        text: str = node.value
        plain = node.style not in ("'", '"', "|", ">")
        if plain and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if plain and text in ("", "~", "null"):
            return go_template.NOTHING
        if plain and go_template.LARGE.fullmatch(text):
            return go_template.Float(text)
        return None if templated(text) else text


def settle(document: Document, template: Rendered, values: Values) -> None:
    """Put each value where it is written, and leave out what rests on what is not known."""
    partial = template.lost or template.unknown
    if partial:
        # What lacks, and what is misplaced, may be in what is not known.
        document.problems.clear()
        document.processes = ()
    for resource in document.resources:
        resource.traits.partial = resource.traits.partial or partial
        for name in ("settings", "dynamic", "facts"):
            settings: dict[str, Setting] = getattr(resource, name)
            settings.update({key: _placed(one, template, values) for key, one in settings.items()})


def _placed(setting: Setting, template: Rendered, values: Values) -> Setting:
    if setting.at[0] not in template.sources or isinstance(setting, Derived):
        return setting
    name = template.sources[setting.at[0]]
    node = values.find(name) if name else None
    path, at, key_at = setting.path, setting.at, setting.key_at
    if node is not None and name is not None:
        path, at = values.path, yaml.position(node)
        key = values.made.key_of.get(name) if values.made is not None else None
        key_at = yaml.position(key) if key is not None else at
    made = Derived(setting.key, setting.raw, path, at, key_at, setting.name)
    made.amount = setting.amount
    return made

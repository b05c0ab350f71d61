"""Templates of Helm's charts, rendered with the chart's own values as far as plain substitution goes.

Helm is never called. What a template puts out line by line, and the branches of conditions that the
values decide, are read as YAML; of loops, helpers and other values nothing is known. The values of
``values.yaml`` are what the chart installs by itself: whoever sets others has those checked where
they are written.
"""

from __future__ import annotations

from kcheck.formats.text import templated
from kcheck.model import READ, Derived, Document, Setting
from kcheck.syntax import go_template, yaml
from kcheck.syntax.go_rendering import Rendered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kcheck.formats import Lookup
    from kcheck.syntax.go_template import Value

    Parse = Callable[[str, bytes, Lookup], Document]

_VALUES = ".Values."


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
    none of a chart's, or still no YAML.
    """
    chart = chart_of(document.path, lookup)
    if chart is None:
        return document
    values = Values(f"{chart}values.yaml", lookup)
    template = Rendered(data.decode("utf-8", "replace"), values.value)
    if not template.text.strip():
        return document
    made = parse(document.path, template.text.encode(), lookup)
    broken = any(problem.code == "KC0001" for problem in made.problems)
    if broken or made.status != READ:
        return document
    settle(made, template, values)
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
    node = values.find(name.removeprefix(_VALUES)) if name else None
    path, at, key_at = setting.path, setting.at, setting.key_at
    if node is not None:
        path, at = values.path, yaml.position(node)
        key_at = at
    made = Derived(setting.key, setting.raw, path, at, key_at, setting.name)
    made.amount = setting.amount
    return made

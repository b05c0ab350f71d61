"""Programs in the values of Helm charts: variables of Spring's, and files that the chart hands on.

Charts of programs have names of their own for all that; a mapping or list of variables is known by
the variables in it, a file by its name and text.
"""

from __future__ import annotations

from kcheck.formats import embedded
from kcheck.formats.environment import Variable
from kcheck.formats.scalars import inside
from kcheck.model import HELM, Document
from kcheck.syntax import yaml

_SPRING = "SPRING_KAFKA_"
_DEPTH = 5


def read(document: Document, node: yaml.Node, lines: list[str]) -> None:
    """Add the clients of the programs to the document; ``node`` are all values of the file."""
    folder = document.path.rpartition("/")[0].rpartition("/")[2]
    _walk(document, node, lines, folder or document.path, _DEPTH)


def _walk(document: Document, node: yaml.Node, lines: list[str], name: str, depth: int) -> None:
    """``name`` is the dependency or part that the mapping is for, or the chart's folder."""
    for key, _, value in yaml.pairs(node):
        variables = _variables(document, value)
        if any(one.name.startswith(_SPRING) for one in variables):
            from kcheck.formats import spring_variables

            spring_variables.clients(document, name, variables, HELM)
        elif isinstance(value, yaml.MappingNode) and depth:
            members = [(inner, text) for inner, _, text in yaml.pairs(value) if "." in inner]
            if members:
                found = embedded.programs(document, f"{name}.{key}", members, lines)
                document.resources.extend(found)
            _walk(document, value, lines, key, depth - 1)


def _variables(document: Document, node: yaml.Node) -> list[Variable]:
    """Variables as a mapping or as the list that a container takes; what is neither has none."""
    named = [(yaml.child(item, "name"), item) for item in yaml.items(node)]
    told = [(key, yaml.child(item, "value")) for key, item in named if key is not None]
    told += [(key, v) for _, key, v in yaml.pairs(node) if isinstance(v, yaml.ScalarNode)]
    return [
        Variable(
            yaml.text(key) or "",
            yaml.text(value),
            document.path,
            inside(value or key),
            yaml.position(key),
        )
        for key, value in told
    ]

"""kcheck's own YAML: facts and resources that no other file holds (``kcheck-yaml``).

The shape is in ``schemas/kcheck.schema.json``. A good file is checked here by hand, which costs
nothing; ``jsonschema`` is loaded only to explain a bad one.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.declarations import entries
from kcheck.formats.declarations.entries import Reader, TooMany
from kcheck.formats.declarations.shape import TOP, ours
from kcheck.model import PASSED_OVER, Document, Problem, Resource
from kcheck.syntax import yaml

FORMAT = "kcheck-yaml"

_MARKERS = tuple(f"{name}:".encode() for name in TOP)


def recognise(path: str, data: bytes) -> str | None:
    name = path.rsplit("/", 1)[-1]
    # A workflow that runs kcheck is called so, too.
    if name in ("kcheck.yaml", "kcheck.yml") and ".github/" not in path:
        return FORMAT
    for marker in _MARKERS:
        at = data.find(marker)
        while at >= 0:
            if at == 0 or data[at - 1 : at] in (b"\n", b"\xbf"):
                return FORMAT if ours(data) else None
            at = data.find(marker, at + 1)
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes, problem = yaml.documents(data)
    if problem is not None:
        document.problems.append(problem)
    reader = Reader(document)
    try:
        for node in nodes:
            before = len(document.resources)
            reader.declaration(node)
            _belong(document.resources[before:])
    except TooMany:
        document.problems.append(
            Problem(f"it declares more than {entries.MOST_SETTINGS:,} settings")
        )
        return
    if reader.wrong:
        from kcheck.formats.declarations.errors import problems

        document.problems.extend(problems(nodes, reader.wrong))
    if not document.resources and not document.problems:
        document.status = PASSED_OVER
        document.reason = "it declares nothing"


def _belong(resources: list[Resource]) -> None:
    """What one declaration holds belongs to the cluster that it names."""
    names = {r.facts["name"].text for r in resources if r.kind == "cluster" and "name" in r.facts}
    name = names.pop() if len(names) == 1 else None
    for resource in resources:
        resource.cluster = name

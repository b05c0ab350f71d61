"""Cruise Control's own file: what its admin client has of it.

Its names are its own but for those of the client, which it hands on as they are.
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.formats import Lookup, requirements
from kcheck.formats.clients.application import Application, Layer, Replaced
from kcheck.formats.fact_trees import Fact
from kcheck.formats.pairs import of_properties
from kcheck.formats.text import templated
from kcheck.model import PASSED_OVER, Document


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    pairs, problem = of_properties(document.path, data)
    if problem is not None:
        document.problems.append(problem)
    layer: Layer = {}
    replaced = Replaced()
    for pair in pairs:
        if pair.name in catalogue.plane("admin"):
            text = pair.text
            known = None if text is None or templated(text) else text
            replaced.put(layer, pair.setting(pair.name, known))
    if "bootstrap.servers" not in layer:
        if not document.problems:
            document.status, document.reason = PASSED_OVER, "contains no Kafka client setting"
        return
    told = [(one.name, Fact(one.name, one.name, one.text, one.at, one.key_at)) for one in pairs]
    owner = document.path.rpartition("/")[2]
    requirements.of_options(document, "cruise-control", owner, told, "Cruise Control")
    at = layer["bootstrap.servers"].key_at
    client = Application(document, document.path).client("admin", at, [(layer, False)])
    client.earlier.extend(replaced.pairs)

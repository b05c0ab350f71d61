"""Cruise Control's own file: what its admin client has of it.

Its names are its own but for those of the client, which it hands on as they are.
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.formats import Lookup
from kcheck.formats.application import Application, Layer, Replaced
from kcheck.formats.pairs import of_entries
from kcheck.formats.text import templated
from kcheck.model import PASSED_OVER, Document, Problem
from kcheck.syntax.properties import PropertiesError, decode, parse


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    try:
        pairs = of_entries(parse(decode(data)[0]), document.path)
    except PropertiesError as error:
        at = (error.line, error.column, error.line, error.column + 1)
        document.problems.append(Problem(error.message, at))
        pairs = of_entries(error.entries, document.path)
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
    at = layer["bootstrap.servers"].key_at
    client = Application(document, document.path).client("admin", at, [(layer, False)])
    client.earlier.extend(replaced.pairs)

"""Micronaut's ``kafka.``: what all clients get, ``kafka.producers.<id>.`` and ``kafka.consumers.<id>.``.

``default`` is what a client without settings of its own gets. Keys are Kafka's own.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.application import Application, Layer, Replaced
from kcheck.formats.pairs import Pair, Texts, elements, of_file
from kcheck.formats.text import unrendered
from kcheck.model import PASSED_OVER, SKIPPED, Document, Resource

_KINDS = {"producers": "producer", "consumers": "consumer", "streams": "streams"}
#: Settings below ``kafka.`` that are Micronaut's own.
_OWN = ("enabled", "health", "metrics", "embedded", "topics", "wrapped-connection-factory")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    pairs, problem = of_file(document.path, data)
    if problem is not None and unrendered(data):
        document.status, document.reason = SKIPPED, "an unrendered template"
        return
    if problem is not None:
        document.problems.append(problem)
    folder, slash, _ = document.path.rpartition("/")
    _clients(Application(document, f"{folder}{slash}application"), pairs)
    if not document.resources and not document.problems:
        document.status, document.reason = PASSED_OVER, "contains no Kafka client setting"


def _clients(application: Application, pairs: list[Pair]) -> None:
    texts = Texts(pairs)
    shared: Layer = {}
    named: dict[tuple[str, str], Layer] = {}
    firsts: dict[tuple[str, str], Pair] = {}
    replaced = Replaced()
    first: Pair | None = None
    for pair in pairs:
        parts = elements(pair.name)
        if parts[0] != "kafka" or len(parts) < 2 or parts[1] in _OWN:
            continue
        text = texts.filled(pair.text)
        kind = _KINDS.get(parts[1])
        if kind is None:
            first = first or pair
            replaced.put(shared, pair.setting(".".join(parts[1:]), text))
        elif len(parts) > 3:
            place = (kind, parts[2])
            firsts.setdefault(place, pair)
            replaced.put(named.setdefault(place, {}), pair.setting(".".join(parts[3:]), text))
    made: list[Resource] = []
    for (kind, name), layer in named.items():
        layers = [(shared, True), (layer, False)]
        resource = application.client(kind, firsts[kind, name].key_at, layers)
        if resource.name == resource.path and name != "default":
            resource.name = name
        made.append(resource)
    if not made and first is not None and "bootstrap.servers" in shared:
        made.append(application.client("client", first.key_at, [(shared, True)]))
    if made:
        made[0].earlier.extend(replaced.pairs)

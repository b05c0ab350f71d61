"""Micronaut's ``kafka.``: what all clients get, ``kafka.producers.<id>.`` and ``kafka.consumers.<id>.``.

``default`` is what a client without settings of its own gets. Keys are Kafka's own.
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.formats import Lookup
from kcheck.formats.application import Application, Layer, Replaced
from kcheck.formats.pairs import Pair, Texts, elements, of_file
from kcheck.formats.text import unrendered
from kcheck.model import PASSED_OVER, SKIPPED, WARNING, Document, Problem, Resource, Setting

_KINDS = {"producers": "producer", "consumers": "consumer", "streams": "streams"}
#: What some call the sections of these clients.
_SINGULAR = ("producer", "consumer")
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
    _singular(application.document, pairs)
    if made:
        made[0].earlier.extend(replaced.pairs)


def _singular(document: Document, pairs: list[Pair]) -> None:
    """Report settings of clients below a section that Micronaut does not have, once for each."""
    told: set[str] = set()
    for pair in pairs:
        parts = elements(pair.name)
        word = parts[1] if parts[0] == "kafka" and len(parts) > 3 else ""
        if (
            word not in _SINGULAR
            or word in told
            or ".".join(parts[3:]) not in catalogue.plane(word)
        ):
            continue
        told.add(word)
        document.problems.append(
            Problem(
                f"{pair.name}: Micronaut has no section kafka.{word}; did you mean kafka.{word}s?",
                pair.key_at,
                "KC0135",
                WARNING,
                f"no {word} gets it, and all keep the defaults",
                f"rename it to {pair.name.replace(f'kafka.{word}.', f'kafka.{word}s.', 1)}",
                setting=Setting(f"kafka.{word}", None, pair.path, pair.at, pair.key_at),
            )
        )

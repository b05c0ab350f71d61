"""Micronaut's ``kafka.``: what all clients get, ``kafka.producers.<id>.`` and ``kafka.consumers.<id>.``.

``default`` is what a client without settings of its own gets. Keys are Kafka's own. The file of an environment goes over the main one.
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.formats import Lookup
from kcheck.formats.clients.application import Application, Layer, Replaced
from kcheck.formats.pairs import Pair, Texts, elements, of_file
from kcheck.formats.spring import profile_files
from kcheck.formats.text import unrendered
from kcheck.model import (
    PASSED_OVER,
    SKIPPED,
    START,
    WARNING,
    Document,
    Position,
    Problem,
    Resource,
    Setting,
)

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
    owner = f"{folder}{slash}application"
    application = Application(document, owner, profile_files.profile_of(document.path))
    _clients(application, [profile_files.base_of(document.path, lookup), pairs])
    if not document.resources and not document.problems:
        document.status, document.reason = PASSED_OVER, "contains no Kafka client setting"


class _Tree:
    """What stands below ``kafka.``: for all clients, and for each of those with a name."""

    def __init__(self, parts: list[list[Pair]]) -> None:
        self.shared: Layer = {}
        self.named: dict[tuple[str, str], Layer] = {}
        self.firsts: dict[tuple[str, str], Pair] = {}
        self.first: Pair | None = None
        self.replaced = Replaced()
        texts = Texts(pair for part in parts for pair in part)
        for part in parts:
            # What the file of an environment sets goes over the main file's on purpose.
            self.replaced.part()
            for pair in part:
                names = pair.parts
                if names[0] == "kafka" and len(names) > 1 and names[1] not in _OWN:
                    self._pair(pair, names, texts.filled(pair.text))

    def _pair(self, pair: Pair, names: list[str], text: str | None) -> None:
        kind = _KINDS.get(names[1])
        if kind is None:
            self.first = self.first or pair
            self.replaced.put(self.shared, pair.setting(".".join(names[1:]), text))
        elif len(names) > 3:
            place = (kind, names[2])
            self.firsts.setdefault(place, pair)
            layer = self.named.setdefault(place, {})
            self.replaced.put(layer, pair.setting(".".join(names[3:]), text))


def _clients(application: Application, parts: list[list[Pair]]) -> None:
    if not any(pair.name.startswith("kafka.") for pair in parts[-1]):
        return
    tree = _Tree(parts)
    made: list[Resource] = []
    for (kind, name), layer in tree.named.items():
        layers = [(tree.shared, True), (layer, False)]
        at = _place(tree.firsts[kind, name], application)
        resource = application.client(kind, at, layers)
        if resource.name == resource.path and name != "default":
            resource.name = name
        made.append(resource)
    if not made and tree.first is not None and "bootstrap.servers" in tree.shared:
        at = _place(tree.first, application)
        made.append(application.client("client", at, [(tree.shared, True)]))
    _singular(application.document, parts[-1])
    if made:
        made[0].earlier.extend(tree.replaced.pairs)


def _place(pair: Pair, application: Application) -> Position:
    return pair.key_at if pair.path == application.document.path else START


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

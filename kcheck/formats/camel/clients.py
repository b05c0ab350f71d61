"""Clients of Camel's Kafka component: of its own options, of endpoints (``kafka:topic?brokers=…``)
and of Kamelets.

Camel hands every option to Kafka's clients with a default of its own where nobody sets it, so that
what is not set is not Kafka's default. A route that reads an endpoint is a consumer, one that writes
it a producer; what the component is told holds for all of them.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from kcheck.formats.camel.names import ADDITIONAL, keys_of, text_of
from kcheck.formats.clients.application import Application, Layer, Replaced
from kcheck.formats.pairs import Pair, Texts, elements, relaxed
from kcheck.formats.text import templated
from kcheck.model import Derived, Framed, Position, Resource, Setting

#: What stands before the component's options.
COMPONENT = ("camel", "component", "kafka")
SIDES = ("consumer", "producer")
_SCHEME = "kafka:"
_OPTION = re.compile(r"(?<![\w.\-\[\]])([\w.\-\[\]]+)=(RAW\([^)]*\)|RAW\{[^}]*\}|[^&]*)")
_COUNT = "consumerscount"


class Options:
    """The options of one endpoint, or of the component, as Kafka's settings by side."""

    __slots__ = ("count", "layers", "pattern")

    def __init__(self) -> None:
        self.layers: dict[str, Layer] = {side: {} for side in SIDES}
        #: Consumers of one endpoint, and whether its topic is a pattern of names.
        self.count: Setting | None = None
        self.pattern = False

    def take(self, option: str, setting: Setting) -> bool:
        """Take an option, of which ``setting`` has the text and the place; whether it is Kafka's."""
        word = relaxed(option)
        if word == _COUNT:
            self.count = _as("concurrency", setting, setting.text)
        self.pattern = self.pattern or (word == "topicispattern" and setting.text == "true")
        plain = _additional(option)
        for side in SIDES:
            key = plain or keys_of(option).get(side, "")
            if key:
                self.layers[side][key] = _as(key, setting, text_of(key, setting.text))
        return bool(plain or keys_of(option))

    @property
    def sides(self) -> list[str]:
        """The sides that options speak of which the other has not."""
        names = {side: set(layer) for side, layer in self.layers.items()}
        return [side for side in SIDES if names[side] - names[SIDES[side == SIDES[0]]]]


def _as(key: str, setting: Setting, text: str | None) -> Setting:
    """The setting of a key, where Kafka may get another text than the file has."""
    place = setting.path, setting.at, setting.key_at, setting.name
    if isinstance(setting, Framed) and text is None:
        return Framed(key, setting.frame, *place)
    kind = type(setting) if text == setting.text else Derived
    return kind(key, text, *place)


def _additional(option: str) -> str:
    """Kafka's own key behind ``additionalProperties``; "" for any other option."""
    names = elements(option)
    return ".".join(names[1:]) if relaxed(names[0]) == ADDITIONAL and len(names) > 1 else ""


def is_component(names: list[str]) -> bool:
    """Whether a name, by its parts in the relaxed form, is an option of the Kafka component."""
    return tuple(names[:3]) == COMPONENT and len(names) > 3


def component(
    application: Application, parts: list[list[Pair]], texts: Texts, replaced: Replaced
) -> list[Resource]:
    """Add the clients that the component's options describe: all that its endpoints share."""
    options = Options()
    first: Pair | None = None
    for part in parts:
        replaced.part()
        for pair in part:
            names = pair.parts
            if not is_component(pair.words):
                continue
            rest = names[4:] if relaxed(names[3]) == "configuration" and names[4:] else names[3:]
            option = rest[0] + "".join(f"[{name}]" for name in [".".join(rest[1:])] if name)
            if options.take(option, pair.setting(option, texts.filled(pair.text))):
                first = first or pair
    if first is None:
        return []
    made = [
        application.client(side, first.key_at, [(options.layers[side], False)])
        for side in options.sides
    ] or [
        application.client("client", first.key_at, [(options.layers[side], True) for side in SIDES])
    ]
    for one in made:
        one.traits.partial = True
    return made


def is_endpoint(text: str | None) -> bool:
    """Whether a text is the URI of an endpoint of Kafka's."""
    return text is not None and text.startswith(_SCHEME) and len(text) > len(_SCHEME)


def parsed(uri: str, path: str, at: Position, literal: bool) -> tuple[str, Options]:
    """(topic, options) of an endpoint's URI, whose text stands at a place; ``literal`` where the
    file has it there letter by letter."""
    options = Options()
    head, _, query = uri[len(_SCHEME) :].partition("?")
    start = len(uri) - len(query)
    for found in _OPTION.finditer(query):
        written = found[2]
        raw = written if written.startswith(("RAW(", "RAW{")) else unquote(written)
        spot, key_spot = at, at
        if literal and at[0] == at[2]:
            column = at[1] + start
            spot = (at[0], column + found.start(2), at[0], column + found.end(2))
            key_spot = (at[0], column + found.start(1), at[0], column + found.end(1))
        kind = Framed if templated(raw) else Setting if raw == written else Derived
        options.take(found[1], kind(found[1], raw, path, spot, key_spot, found[1]))
    return head.lstrip("/"), options


def endpoint(
    application: Application, side: str, topic: str, options: Options, at: Position
) -> Resource:
    """Add the client of an endpoint that a route reads (``consumer``) or writes."""
    known = bool(topic) and not templated(topic) and not options.pattern
    topics = [name.strip() for name in topic.split(",")] if known else None
    made = application.client(side, at, [(options.layers[side], False)], topics=topics)
    made.traits.partial = True
    if topics and made.name == made.path:
        made.name = f"{_SCHEME}{topic}"
    if side == "consumer":
        made.traits.concurrency = options.count
    return made

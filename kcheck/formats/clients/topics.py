"""Topics that a program's own settings name beside those of its client: ``"Topic": "orders"``."""

from __future__ import annotations

import re

from kcheck.formats.scalars import known
from kcheck.model import Resource
from kcheck.syntax import yaml

#: ``Topic``, ``TopicName``, ``Topics``, ``ConsumerTopic``: what .NET's binder and others call it.
_NAME = re.compile(r"(consumer|producer|)[-_.]?topic(?:[-_.]?name)?s?", re.IGNORECASE)
#: What Kafka takes for a topic; anything else is a pattern or a word of the program's own.
_TOPIC = re.compile(r"[\w.-]{1,249}", re.ASCII)


def give(clients: list[Resource], *layers: yaml.Node | None) -> None:
    """Let clients of one program have the topics that the layers name, the innermost layer first.

    What is not named for a consumer or a producer in so many words is that of a client alone.
    """
    for layer in layers:
        for client in clients if layer is not None else ():
            if client.traits.topics is None:
                client.traits.topics = named(layer, client.kind, len(clients) == 1)


def named(node: yaml.Node | None, role: str, alone: bool = True) -> tuple[str, ...] | None:
    """The topics that a mapping names for a client in that role (consumer, producer or any other).

    None where it names none, or one of them is not known. Unless the client is ``alone`` there,
    the name has to say the role.
    """
    found: list[str] = []
    for key, _, value in yaml.pairs(node):
        name = _NAME.fullmatch(key)
        if name is None or name[1].lower() not in (role, "" if alone else role):
            continue
        texts = [known(item) for item in yaml.items(value)]
        if isinstance(value, yaml.ScalarNode):
            texts = [part.strip() for part in known(value).split(",")]
        if not texts or not all(_TOPIC.fullmatch(text) for text in texts):
            return None
        found += texts
    return tuple(dict.fromkeys(found)) or None

"""Terraform's ``.tfvars`` where they hold topics: what a module makes resources of.

A variable named for topics is a map or a list of objects with partitions; fields and Kafka's keys are
read as in ``topic_lists``, which reads ``.tfvars.json``.
"""

from __future__ import annotations

import re

from kcheck.formats.scalars import nothing, take
from kcheck.formats.text import templated
from kcheck.formats.topic_lists import CONFIGS, FACTS, VARIABLES
from kcheck.model import SKIPPED, Document, Resource, Setting
from kcheck.units import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup
    from kcheck.syntax.hcl import Entry, Value

FORMAT = "terraform-vars"

_TOPICS = re.compile(rb"^[ \t]*(kafka_)?topics[ \t]*=", re.MULTILINE)


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if b"partitions" in data and _TOPICS.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    try:
        from kcheck.formats import terraform_blocks  # with the parser
        from kcheck.syntax.hcl import File, Scalar
    except ImportError:
        document.status, document.reason = SKIPPED, "requires the package tree-sitter-hcl"
        return
    file = File(data, document.path)
    for name, entry in file.attributes().items():
        if name not in VARIABLES:
            continue
        held = entry.value
        if isinstance(held, list):
            for topic in held:
                _topic(document, topic.key, topic.key_at, topic.value)
        elif isinstance(held, tuple):
            for member in held:
                told = _attribute(member, "name")
                if told is not None and isinstance(told.value, Scalar):
                    _topic(document, told.value.text, told.value.at, member)
    terraform_blocks.faulty(document, file, data)
    nothing(document, "contains no topic")


def _attribute(value: Value, name: str) -> Entry | None:
    return next((e for e in value if e.key == name), None) if isinstance(value, list) else None


def _topic(document: Document, name: str, at: tuple[int, int, int, int], value: Value) -> None:
    if not isinstance(value, list) or not {e.key for e in value} & {*FACTS, *CONFIGS}:
        return
    topic = Resource("topic", name, document.path, at)
    document.resources.append(topic)
    for entry in value:
        if entry.key == "name":
            own = _setting(document, "name", entry)
            topic.name, topic.at = (own.text or name), (own.at if own.text else at)
        elif entry.key in FACTS:
            made = _setting(document, FACTS[entry.key], entry)
            made.amount = whole(made.text)
            topic.facts[made.key] = made
        elif entry.key in CONFIGS and isinstance(entry.value, list):
            for inner in entry.value:
                take(topic, _setting(document, inner.key, inner))


def _setting(document: Document, key: str, entry: Entry) -> Setting:
    from kcheck.syntax.hcl import Scalar

    value = entry.value
    if isinstance(value, Scalar):
        raw = None if templated(value.text) else value.text
        return Setting(key, raw, document.path, value.at, entry.key_at, entry.key)
    return Setting(key, None, document.path, entry.at, entry.key_at, entry.key)

"""Large numbers in values of charts whose templates quote them.

Helm reads each number of a values file as a float of 64 bits, and Go writes those from a million on
with an exponent (helm/helm#1707; ``%v`` of Go's fmt).
"""

from __future__ import annotations

from collections.abc import Container

from kcheck.model import Note, Resource, Setting
from kcheck.syntax import yaml
from kcheck.syntax.go_template import LARGE, Float

CODE = "KC0119"


def note(resource: Resource, node: yaml.Node | None, names: Container[str] | None = None) -> None:
    """Note the numbers of a mapping that get an exponent on their way; of ``names`` alone, if given."""
    for key, _, value in yaml.pairs(node):
        if names is not None and key not in names:
            continue
        text = yaml.text(value) or ""
        if not isinstance(value, yaml.ScalarNode) or value.style or value.tag:
            continue
        if not LARGE.fullmatch(text):
            continue
        resource.notes.append(
            Note(
                CODE,
                Setting(key, text, resource.path, yaml.position(value)),
                f"{key}={text} has no quotes, so Helm passes it on as {Float(text).shown}",
                "Kafka rejects the value: it is not a whole number",
                f'write "{text}" in quotes',
            )
        )

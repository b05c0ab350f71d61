"""Large numbers in values of charts whose templates quote them.

Helm reads each number of a values file as a float of 64 bits, and Go writes those from a million on
with an exponent (helm/helm#1707; ``%v`` of Go's fmt).
"""

from __future__ import annotations

import re
from collections.abc import Container

from kcheck.model import Note, Resource, Setting
from kcheck.syntax import yaml

CODE = "KC0119"

#: From a million on Go writes an exponent; no number of Kafka's has more digits.
_LONG = re.compile(r"-?[1-9][0-9]{6,18}")
#: Below that each whole number is a float of its own.
_EXACT = 1 << 53


def note(resource: Resource, node: yaml.Node | None, names: Container[str] | None = None) -> None:
    """Note the numbers of a mapping that get an exponent on their way; of ``names`` alone, if given."""
    for key, _, value in yaml.pairs(node):
        if names is not None and key not in names:
            continue
        text = yaml.text(value) or ""
        if not isinstance(value, yaml.ScalarNode) or value.style or value.tag:
            continue
        if not _LONG.fullmatch(text):
            continue
        resource.notes.append(
            Note(
                CODE,
                Setting(key, text, resource.path, yaml.position(value)),
                f"{key}={text} has no quotes, so Helm passes it on as {_rendered(int(text))}",
                "Kafka rejects the value: it is not a whole number",
                f'write "{text}" in quotes',
            )
        )


def _rendered(number: int) -> str:
    """The number as Go writes its float."""
    if abs(number) >= _EXACT:
        return repr(float(number))
    sign, digits = "-" * (number < 0), str(abs(number))
    rest = digits[1:].rstrip("0")
    return f"{sign}{digits[0]}{'.' * bool(rest)}{rest}e+{len(digits) - 1:02}"

"""Amounts of memory, cores and storage that Kubernetes cannot read, or reads as next to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.text import templated
from kcheck.model import Document, Problem, Setting
from kcheck.syntax import yaml

CODE = "KC0194"

#: apimachinery, resource.Quantity: a suffix of powers of 1024, of 1000, or an exponent.
_QUANTITY = re.compile(
    r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?", re.ASCII
)
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgtp]?)", re.IGNORECASE | re.ASCII)
#: Thousandths of a byte: meant are megabytes.
_MILLI = re.compile(r"\d+m", re.ASCII)
_SIZES = ("memory", "storage", "ephemeral-storage", "size", "sizeLimit")
#: Where disks have a size in these kinds of objects.
_DISKS = frozenset({"storage", "volumes", "emptyDir"})
_KINDS = frozenset({"Kafka", "KafkaNodePool", "KafkaConnect", "KafkaMirrorMaker2", "StatefulSet"})

#: What ``held`` calls the parts that have amounts.
AMOUNTS = _DISKS | {"resources.limits", "resources.requests"}

_Entries = list[tuple[str, yaml.Node, yaml.Node]]


def held(kind: str, name: str, node: yaml.Node) -> Iterator[tuple[str, _Entries]]:
    """The amounts in a part of an object that is called so, with what they are the amounts of."""
    if name == "resources":
        for part in ("limits", "requests"):
            yield f"resources.{part}", yaml.pairs(yaml.child(node, part))
    elif name in _DISKS and kind in _KINDS:
        for one in (node, *yaml.items(node)):
            sizes = [entry for entry in yaml.pairs(one) if entry[0] in ("size", "sizeLimit")]
            yield name, sizes


def report(document: Document, kind: str, name: str, entries: _Entries) -> None:
    for key, _, value in entries:
        text = yaml.text(value) if isinstance(value, yaml.ScalarNode) else None
        if not text or not text[0].isdigit() or templated(text):
            continue
        milli = key in _SIZES and _MILLI.fullmatch(text) is not None
        if not milli and _QUANTITY.fullmatch(text):
            continue
        document.problems.append(
            Problem(
                f"{key} in {name} is {text}, "
                + ("thousandths of a byte" if milli else "which is no quantity of Kubernetes"),
                yaml.position(value),
                CODE,
                consequence=f"the pods of the {kind} are not created"
                if not milli
                else "the containers do not start: no program fits into it",
                fix=f"write {_meant(key, text)}",
                setting=Setting(key, text, document.path, yaml.position(value), name=key),
            )
        )


def _meant(key: str, text: str) -> str:
    """The amount in Kubernetes' spelling: bytes in powers of 1024, cores as they are."""
    found = _NUMBER.match(text)
    number, unit = (found[1], found[2]) if found is not None else (text, "")
    if key == "cpu":
        return number + ("m" if unit == "m" else "")
    return f"{number}{unit.upper()}i" if unit else number

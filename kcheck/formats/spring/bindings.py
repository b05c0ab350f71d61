"""Bindings of Spring Cloud Stream, and the properties that their levels have."""

from __future__ import annotations

import re

from kcheck.formats.clients.application import Layer, misnamed
from kcheck.formats.pairs import Pair
from kcheck.model import Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.spring.clients import Reader

#: The end of a binding's name where it is made of its function's.
FUNCTION = re.compile(r"-(?:in|out)-\d+$")
#: Typed properties of a binding and Kafka's keys for them.
TYPED = {
    ("consumer", "startoffset"): "auto.offset.reset",
    ("producer", "compressiontype"): "compression.type",
    ("producer", "buffersize"): "batch.size",
    ("producer", "batchtimeout"): "linger.ms",
}


def misplaced_note(pair: Pair, right: str) -> Note:
    return misnamed(
        "KC0160",
        pair,
        f"{pair.written} is not a property of that level",
        "Spring ignores it",
        f"set {right}",
        pair.text,
    )


class Binding:
    """What is said of one binding, in whichever of the trees."""

    def __init__(self, name: str, first: Pair) -> None:
        self.name = name
        self.first = first
        self.plain: dict[str, Pair] = {}
        self.sides: set[str] = set()
        self.layers: dict[str, Layer] = {}
        #: What its binder alone has of it: ``consumer.enabledlq``.
        self.own: dict[str, Pair] = {}
        self.topic: Layer = {}
        #: Its own replication factor.
        self.copies: Pair | None = None
        self.streams = False
        #: Other bindings that stand below it by a slip of the indentation.
        self.nested: set[str] = set()
        #: Whether its destination is a pattern of names.
        self.pattern = False
        self.notes: list[Note] = []

    def misplaced(self, pair: Pair, right: str) -> None:
        """Note a property that the level on which it stands does not have."""
        self.notes.append(misplaced_note(pair, right))

    @property
    def side(self) -> str:
        """``consumer`` or ``producer``; "" where nobody says which."""
        if len(self.sides) == 1:
            return next(iter(self.sides))
        if "group" in self.plain or "-in-" in self.name:
            return "consumer"
        # Sink.INPUT and Source.OUTPUT of the annotations.
        if self.name.rstrip("0123456789") in ("input", "output"):
            return "consumer" if self.name.startswith("in") else "producer"
        return "producer" if "-out-" in self.name else ""


def destinations(reader: Reader, binding: Binding) -> list[str] | None:
    """The topics of a binding, which has its own name for one; None where they are not known."""
    destination = binding.plain.get("destination")
    names = reader.texts.filled(destination.text) if destination else binding.name
    return [name.strip() for name in names.split(",")] if names and not binding.pattern else None

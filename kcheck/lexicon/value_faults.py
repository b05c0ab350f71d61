"""What may be wrong with the text of a value."""

from __future__ import annotations

from kcheck.catalogue import Fact
from kcheck.lexicon.planes import Place

#: What is wrong with a text: its type; bounds and enumerations; a unit or other number syntax; a
#: comment inside it; an empty element; the word null; a number that reads like another unit; a name
#: that Java will not find.
TYPE, RANGE, UNIT, COMMENT, ELEMENT, NULL, MAGNITUDE, WORD = (
    "type",
    "range",
    "unit",
    "comment",
    "element",
    "null",
    "magnitude",
    "word",
)


class Fault:
    """What is wrong with a text.

    ``reason`` goes on from ``key=text``: "is below the minimum 1". ``certain`` says that each
    version in question refuses it; ``since`` is the first that does where only newer ones do, and
    ``gone`` the first that ignores the key where only older ones refuse the value.
    ``better`` is the text to set where there is one; ``why`` what happens if Kafka does not refuse
    the text at once. ``parsed`` says that ConfigDef itself refuses it, whether or not anything asks
    for the value.
    """

    __slots__ = (
        *("better", "certain", "fact", "gone", "kind", "parsed", "place", "reason", "since"),
        "why",
    )

    #: Where the key was looked up; ``verdict`` fills it in.
    place: Place

    def __init__(
        self,
        kind: str,
        reason: str,
        fact: Fact,
        certain: bool = True,
        since: str = "",
        better: str = "",
        why: str = "",
    ) -> None:
        self.kind = kind
        self.reason = reason
        self.fact = fact
        self.certain = certain
        self.since = since
        self.gone = ""
        self.parsed = False
        self.better = better
        self.why = why

    def __repr__(self) -> str:
        return f"Fault({self.kind} {self.reason} certain={self.certain} since={self.since})"


def before_comment(text: str) -> str | None:
    """The text before ``#`` behind a blank; None where there is no such sign."""
    for at, char in enumerate(text):
        if char == "#" and at and text[at - 1] in " \t":
            return text[:at].strip()
    return None

"""Kafka versions: compared by minor, with the patch where it is known. Unknown is a version too."""

from __future__ import annotations


def parse(text: str) -> tuple[int, ...] | None:
    """``"3.9.1"`` → (3, 9, 1); None where the text does not start like a version."""
    parts: list[int] = []
    for part in text.strip().split("-")[0].split("."):
        digits = ""
        for char in part:
            if not char.isdecimal():
                break
            digits += char
        # A name of 20 digits and more is a hash, not a version.
        if not digits or len(digits) >= 20:
            break
        parts.append(int(digits))
        if digits != part:
            break
    return tuple(parts) if len(parts) >= 2 else None


#: By the texts in the code and the fact tables.
_parsed: dict[str, tuple[int, ...]] = {}


def _known(text: str) -> tuple[int, ...]:
    """A version that the code names, parsed once."""
    found = _parsed.get(text)
    if found is None:
        found = _parsed[text] = parse(text) or ()
    return found


class Version:
    """One Kafka version, or the unknown one.

    ``at_least`` and ``below`` are both false where the version is unknown: a rule that asks
    either of them stays silent then.
    """

    __slots__ = ("minor", "numbers", "text")

    def __init__(self, text: str | None = None) -> None:
        self.numbers = parse(text) if text else None
        self.text = text.strip() if text and self.numbers else None
        #: ``"3.9"`` for 3.9.1; None where the version is unknown.
        self.minor = f"{self.numbers[0]}.{self.numbers[1]}" if self.numbers else None

    @property
    def known(self) -> bool:
        return self.numbers is not None

    def at_least(self, other: str) -> bool:
        """True where this is known to be ``other`` or newer. A minor alone is its newest patch."""
        return self.numbers is not None and not self._older(other)

    def below(self, other: str) -> bool:
        """True where this is known to be older than ``other``."""
        return self.numbers is not None and self._older(other)

    def is_patch(self, other: str) -> bool:
        """True where this is exactly that patch release, and known to be."""
        return self.numbers is not None and self.numbers == _known(other)

    def _older(self, other: str) -> bool:
        mine, theirs = self.numbers or (), _known(other)
        if mine[:2] != theirs[:2]:
            return mine[:2] < theirs[:2]
        # "3.9" alone stands for its newest patch, so it is not older than 3.9.1.
        return len(mine) > 2 and len(theirs) > 2 and mine[2:] < theirs[2:]

    def __str__(self) -> str:
        return self.text or "unknown"


UNKNOWN = Version()

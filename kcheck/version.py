"""Kafka versions: compared by minor, with the patch where it is known. Unknown is a version too,
and so is one of which only bounds are known.
"""

from __future__ import annotations

from kcheck.bounded_cache import BoundedCache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model import Setting


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


#: The oldest release that is common still. While a version is unknown, what holds for older ones
#: alone is no warning.
OLDEST_COMMON = "3.9"


def old(until: str) -> bool:
    """Whether all versions before that one are old; an empty text is no bound."""
    return bool(until) and _known(until) <= _known(OLDEST_COMMON)


class Bound:
    """One end of the range that an unknown version lies in, and the setting that shows it."""

    __slots__ = ("numbers", "setting", "text")

    def __init__(self, text: str, setting: Setting | None = None) -> None:
        self.text = text
        self.numbers = parse(text) or ()
        self.setting = setting

    def __repr__(self) -> str:
        return f"Bound({self.text})"


class Version:
    """One Kafka version, a range in which it lies, or the unknown one.

    ``known`` is true of an exact version alone. Of a range, ``least`` is its inclusive and ``end``
    its exclusive bound, None where it is open. ``at_least`` and ``below`` are both false where the
    version could be on either side: a rule that asks either of them stays silent then.
    """

    __slots__ = ("end", "identity", "least", "minor", "numbers", "text")

    def __init__(
        self, text: str | None = None, least: Bound | None = None, end: Bound | None = None
    ) -> None:
        self.numbers = parse(text) if text else None
        self.text = text.strip() if text and self.numbers else None
        #: ``"3.9"`` for 3.9.1; None where the version is unknown.
        self.minor = f"{self.numbers[0]}.{self.numbers[1]}" if self.numbers else None
        self.least = least if self.numbers is None else None
        self.end = end if self.numbers is None else None
        #: What verdicts are remembered by: the version or the range; None for the unknown one.
        self.identity = self.text
        if self.least is not None or self.end is not None:
            low, high = (bound.text if bound else "" for bound in (self.least, self.end))
            self.identity = f"{low}<={high}"

    @property
    def known(self) -> bool:
        return self.numbers is not None

    @property
    def bounded(self) -> bool:
        """Whether it is a range: not known, and not any version either."""
        return self.least is not None or self.end is not None

    @property
    def shown(self) -> str:
        """The settings that show the bounds of a range, with their places."""
        settings = [one.setting for one in (self.least, self.end) if one is not None]
        told = [f"{s.name} ({s.path}:{s.at[0]})" for s in settings if s is not None]
        return " and ".join(dict.fromkeys(told))

    def at_least(self, other: str) -> bool:
        """True where this is known to be ``other`` or newer. A minor alone is its newest patch."""
        if self.numbers is None:
            return self.least is not None and self.least.numbers >= _known(other)
        return not self._older(other)

    def below(self, other: str) -> bool:
        """True where this is known to be older than ``other``."""
        if self.numbers is None:
            return self.end is not None and self.end.numbers <= _known(other)
        return self._older(other)

    def within(self, since: str = "", until: str = "") -> bool | None:
        """Whether it lies from ``since`` on and before ``until``; None where it may or may not.

        An empty bound is open.
        """
        if (since and self.below(since)) or (until and self.at_least(until)):
            return False
        if (not since or self.at_least(since)) and (not until or self.below(until)):
            return True
        return None

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
        if self.text is None and self.least is not None:
            if self.end is None:
                return f"{self.least.text} or newer"
            return f"{self.least.text} to before {self.end.text}"
        if self.text is None and self.end is not None:
            return f"older than {self.end.text}"
        return self.text or "unknown"


_stated = BoundedCache(1_000)


def stated(text: str) -> Version:
    """The version that a text states; all clients of a service share it, and ask each time."""
    found: Version | None = _stated.get(text)
    if found is None:
        found = _stated[text] = Version(text)
    return found


UNKNOWN = Version()

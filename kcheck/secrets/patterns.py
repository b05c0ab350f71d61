"""Regular expressions that are made when they are first needed: most texts need few of them."""

from __future__ import annotations

import re


class Lazy:
    """A regular expression; called, it is compiled."""

    __slots__ = ("_made", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._made: re.Pattern[str] | None = None

    def __call__(self) -> re.Pattern[str]:
        if self._made is None:
            self._made = re.compile(self._text)
        return self._made

"""Expressions of templates as tokens."""

from __future__ import annotations

import re


class Unread(Exception):
    """Something that is not read."""


def tokens(text: str, pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """The tokens of a text, each with the name of its group in the pattern. Raises Unread."""
    found: list[tuple[str, str]] = []
    end = 0
    text = text.rstrip()
    while end < len(text):
        match = pattern.match(text, end)
        if match is None:
            raise Unread
        kind = match.lastgroup or ""
        found.append((kind, match.group(kind)))
        end = match.end()
    return found

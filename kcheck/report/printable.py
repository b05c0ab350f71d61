"""Text from audited files on a terminal: no control character gets through, widths are known."""

from __future__ import annotations

#: Characters that reorder or hide what follows them: a source line must read as it is.
_INVISIBLE = dict.fromkeys(
    (0x061C, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF), "·"
)
#: C0 as their pictures, which are one column wide; DEL and C1 as a dot.
_PICTURES = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    **dict.fromkeys(range(0x7F, 0xA0), "·"),
    **_INVISIBLE,
}


def printable(text: str) -> str:
    """The text with a visible sign of one column in place of each control character."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_PICTURES)


def width(text: str) -> int:
    """How many columns a terminal takes for a printable text."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)

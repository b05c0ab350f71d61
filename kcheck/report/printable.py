"""Text from audited files on a terminal and in the log of a CI: it gives no orders to either.

No control character gets through, no command of a CI, and widths are known.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match, Pattern

#: Characters that reorder or hide what follows them: a source line must read as it is.
_INVISIBLE = dict.fromkeys(
    (0x061C, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF), "·"
)
#: GitHub's ``::name::`` and ``::name parameters::``, its older ``##[name``, and what Azure
#: Pipelines and TeamCity take. In addresses there is a digit, a colon or a bracket behind the word.
_COMMAND = r"::(?=[a-z][a-z_-]*(?:::|\s|\Z))|##(?=(?:vso|teamcity)?\[)"
_command: Pattern[str] | None = None

#: The same and the controls that JSON allows, as escapes of JSON.
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *_INVISIBLE)}
#: C0 as their pictures, which are one column wide; DEL and C1 as a dot.
_PICTURES = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    **dict.fromkeys(range(0x7F, 0xA0), "·"),
    **_INVISIBLE,
}


def printable(text: str) -> str:
    """The text with a visible sign of one column in place of each control character.

    Commands of a CI are broken up.
    """
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_PICTURES)
    return broken(text)


def broken(text: str) -> str:
    """The text with a sign in place of one character of each command of a CI: ``:·error::``."""
    return _broken(text, "·", "·")


def in_json(text: str) -> str:
    """JSON text that is the same to programs, and gives no orders to a terminal or a CI.

    What UTF-8 cannot hold is replaced.
    """
    if not text.isascii() or "\x7f" in text:
        text = text.encode("utf-8", "replace").decode("utf-8").translate(_ESCAPES)
    return _broken(text, "\\u003a", "\\u0023")


def _broken(text: str, colon: str, hash: str) -> str:
    if "::" not in text and "##" not in text:
        return text
    global _command
    if _command is None:
        from re import IGNORECASE, compile

        _command = compile(_COMMAND, IGNORECASE)

    def changed(match: Match[str]) -> str:
        return f"#{hash}" if match.group() == "##" else f":{colon}"

    return _command.sub(changed, text)


def width(text: str) -> int:
    """How many columns a terminal takes for a printable text."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)

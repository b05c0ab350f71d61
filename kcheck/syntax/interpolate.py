"""docker compose's interpolation: ``$X``, ``${X}``, ``${X:-default}`` and its relatives.

The rules are those of compose-go's ``template`` package: an operator's operand may hold further
references, ``$$`` is a dollar sign, a ``$`` before anything else is text, and a reference ends on
its line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Operands within operands: a hostile file shall not exhaust the stack.
_MAX_DEPTH = 30
#: So long no value is that somebody means; references make it from very little.
LARGEST = 1_000_000
#: Nor does anybody write so many references into one value. Without this bound a value of five
#: megabytes takes seconds to be found too long.
MOST_REFERENCES = 100_000


class Overgrown(Exception):
    """A text has more than ``MOST_REFERENCES``, or would with them be longer than ``LARGEST``."""


def expand(text: str, lookup: Callable[[str], str | None]) -> tuple[str, bool]:
    """The text with its references replaced, and whether all of them could be.

    ``lookup`` gives None for a variable that is not set. A reference that needs one stays as it
    is written, and so does one that compose refuses: an unset ``${X:?message}``, an unclosed or
    malformed ``${``. Raises Overgrown.
    """
    if text.count("$") > MOST_REFERENCES:
        raise Overgrown
    return _expand(text, lookup, 0)


def _expand(text: str, lookup: Callable[[str], str | None], depth: int) -> tuple[str, bool]:
    at = text.find("$")
    if at < 0:
        return text, True
    parts: list[str] = []
    done, resolved = 0, True
    length = 0
    line = _Line()
    while at >= 0:
        parts.append(text[done:at])
        follower = text[at + 1 : at + 2]
        value: str | None
        if follower == "$":
            done, value = at + 2, "$"
        elif follower == "{":
            done, value = _braced(text, at, line, lookup, depth)
        else:
            done = _name_end(text, at + 1)
            value = lookup(text[at + 1 : done]) if done > at + 1 else "$"
        if value is None:
            value, resolved = text[at:done], False
        parts.append(value)
        length += len(value)
        if length > LARGEST:
            raise Overgrown
        at = text.find("$", done)
    parts.append(text[done:])
    return "".join(parts), resolved


class _Line:
    """The line that is being read: where it ends, and its last closing brace."""

    __slots__ = ("end", "last")

    def __init__(self) -> None:
        self.end = self.last = -1

    def close(self, text: str, start: int) -> int:
        """The last brace that closes at or behind ``start``, which only goes on; -1 for none."""
        if start > self.end:
            end = text.find("\n", start)
            self.end = len(text) if end < 0 else end
            self.last = text.rfind("}", start, self.end)
        return self.last if self.last >= start else -1


def _braced(
    text: str, start: int, line: _Line, lookup: Callable[[str], str | None], depth: int
) -> tuple[int, str | None]:
    """The end of the ``${…}`` at ``start`` and its value, None where it has none."""
    name_end = _name_end(text, start + 2)
    name = text[start + 2 : name_end]
    operand = name_end + (2 if text.startswith(":", name_end) else 1)
    operator = text[name_end:operand]
    if name and operator == "}":
        return operand, lookup(name)
    if not name or operator[-1:] not in ("-", "?", "+"):
        return start + 2, None
    close = _close(text, start, operand, line)
    if close < 0:
        return start + 2, None
    value = lookup(name)
    present = value is not None and (value != "" or len(operator) == 1)
    if operator[-1] == "+" and not present:
        return close + 1, ""
    if present and operator[-1] != "+":
        return close + 1, value
    if operator[-1] == "?" or depth == _MAX_DEPTH:
        return close + 1, None
    replacement, resolved = _expand(text[operand:close], lookup, depth + 1)
    return close + 1, replacement if resolved else None


def _name_end(text: str, start: int) -> int:
    end = start
    while end < len(text) and (text[end] == "_" or (text[end].isascii() and text[end].isalnum())):
        end += 1
    return start if text[start : start + 1].isdigit() else end


def _close(text: str, start: int, operand: int, line: _Line) -> int:
    """Where the brace closes: at its counterpart, else at the last one of the line, else -1.

    Like compose, the count overlooks whatever follows an opening brace, even a closing one.
    """
    last = line.close(text, operand)
    opened = 1
    at = start + 3
    while at <= last:
        if text[at] == "{":
            opened += 1
            at += 1
        elif text[at] == "}":
            opened -= 1
            if opened == 0:
                return at
        at += 1
    return last

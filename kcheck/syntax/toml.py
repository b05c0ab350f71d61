"""TOML with line numbers: ``tomllib`` reads the values, a light scan finds where they stand."""

from __future__ import annotations

#: A place in the document: table and key names, numbers for entries of ``[[tables]]``.
Place = tuple[str | int, ...]


class TomlError(ValueError):
    """The text is not TOML; ``line`` is where that shows, 0 where it is not known."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def load(text: str) -> dict[str, object]:
    """The document as plain values. Raises TomlError."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        # Before 3.14 the position is in the message only: "… (at line 3, column 7)".
        before, found, rest = message.rpartition(" (at line ")
        digits = rest.split(",")[0].rstrip(")")
        if found and digits.isdigit():
            raise TomlError(before, int(digits)) from None
        raise TomlError(
            message.removesuffix(" (at end of document)"), text.count("\n") + 1
        ) from None
    except RecursionError:
        raise TomlError("nested too deeply", _deepest(text)) from None
    except ValueError as error:
        # Python reads no number of thousands of digits.
        longest = max(range(len(rows := text.split("\n"))), key=lambda row: len(rows[row]))
        raise TomlError(str(error).partition(";")[0], longest + 1) from None


def _deepest(text: str) -> int:
    """The line where brackets, or else dotted names, are nested deepest."""
    depth, quote, most, found = 0, "", 0, 1
    for number, line in enumerate(text.split("\n"), 1):
        opened = max(depth + line.count("[") + line.count("{"), line.count("."))
        depth, quote = _after(line, depth, quote)
        if opened > most:
            most, found = opened, number
    return found


def lines(text: str) -> dict[Place, int]:
    """The line of every table header and of every key that starts a line.

    Keys inside inline tables and arrays are not listed: ask for the nearest key around them.
    """
    found: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    table: Place = ()
    depth, quote = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        start = depth == 0 and not quote
        stripped = line.strip()
        if start and stripped.startswith("[["):
            name = _names(stripped[2:].partition("]")[0])
            count = counts[name] = counts.get(name, -1) + 1
            table = (*name, count)
            found[table] = number
            continue
        if start and stripped.startswith("["):
            table = _inside(_names(stripped[1:].partition("]")[0]), counts)
            found[table] = number
            continue
        if start and "=" in stripped and not stripped.startswith("#"):
            found.setdefault((*table, *_names(stripped.partition("=")[0])), number)
        depth, quote = _after(line, depth, quote)
    return found


def line_of(found: dict[Place, int], place: Place) -> int:
    """The line of a place, or of the nearest thing around it; 1 for the whole document."""
    while place:
        if place in found:
            return found[place]
        place = place[:-1]
    return 1


def _inside(name: Place, counts: dict[Place, int]) -> Place:
    """``[overrides.severity]`` belongs to the last ``[[overrides]]`` before it."""
    for length in range(len(name) - 1, 0, -1):
        if name[:length] in counts:
            return (*name[:length], counts[name[:length]], *name[length:])
    return name


def _names(dotted: str) -> Place:
    """``rules."KC0301"`` → ("rules", "KC0301"); dots in quotes do not part."""
    names: list[str] = []
    name, quote = "", ""
    for char in dotted:
        if quote:
            if char == quote:
                quote = ""
            else:
                name += char
        elif char in "\"'":
            quote = char
        elif char == ".":
            names.append(name.strip())
            name = ""
        else:
            name += char
    return (*names, name.strip())


def _after(line: str, depth: int, quote: str) -> tuple[int, str]:
    """Bracket depth and open quote at the end of a line, given those at its start."""
    at = 0
    while at < len(line):
        char = line[at]
        if quote:
            if char == "\\" and quote[0] == '"':
                at += 1
            elif line.startswith(quote, at):
                at += len(quote) - 1
                quote = ""
        elif char == "#":
            break
        elif char in "\"'":
            quote = char * 3 if line.startswith(char * 3, at) else char
            at += len(quote) - 1
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
        at += 1
    # A quote of one line that is not closed there is no TOML; tomllib has said so.
    return max(depth, 0), quote if len(quote) == 3 else ""

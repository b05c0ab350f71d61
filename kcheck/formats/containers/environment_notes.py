"""A fault of an image's environment, as a note on its resource, with the codes of the rules that report them."""

from __future__ import annotations

from kcheck.formats.containers.environment import Reading
from kcheck.formats.containers.variables import Variable
from kcheck.model import WARNING, Note

NOT_READ, UNDERSCORES, LEGACY, LINES, REFUSED, FILES, REPLACED, QUOTES = (
    "KC0120",
    "KC0121",
    "KC0122",
    "KC0123",
    "KC0124",
    "KC0125",
    "KC0126",
    "KC0175",
)


def add(
    reading: Reading,
    code: str,
    variable: Variable,
    message: str,
    consequence: str,
    fix: str,
    severity: str = WARNING,
) -> None:
    setting = variable.setting(variable.name, variable.raw)
    reading.resource.notes.append(Note(code, setting, message, consequence, fix, severity))


def listed(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last

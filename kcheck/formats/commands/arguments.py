"""What Kafka's tools demand of their arguments (``schemas/names/commands.tsv``).

Options may be shortened as long as they are unique, as their parsers take them. Nothing is said of a
command to which a shell adds words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcheck import data
from kcheck.formats.commands.tools import Command
from kcheck.syntax.shell_values import Word

EXITS = "the command exits with an error: nothing is applied"
#: So many options are shown as a list.
_MANY = 4
#: The shortest beginning of an option that is taken for it.
_SHORTEST = 4
_rows: dict[str, list[tuple[list[str], str, list[str], str, str]]] = {}


def faults(command: Command) -> Iterator[Told]:
    """What the tool does not accept of its own arguments, by the table."""
    rows = _table().get(command.tool, [])
    if not rows or command.has("--help", "--version", "-h"):
        return
    grown = command.grows()
    given = {name.text for name, _ in command.options()}
    given |= {word.text for word in command.words if not word.text.startswith("-")}
    for when, form, options, severity, breaks in rows:
        if all(one in given for one in when) and not (grown and form == "needs"):
            told = _FORMS[form](command, " ".join(when), options, given)
            if told is not None:
                key, at, message, fix = told
                yield key.lstrip("-"), at, None, message, fix, severity, breaks or EXITS


def _table() -> dict[str, list[tuple[list[str], str, list[str], str, str]]]:
    if not _rows:
        for tool, when, form, options, severity, breaks, *_ in data.rows("names/commands.tsv"):
            row = (when.split(), form, options.split(), severity, breaks)
            _rows.setdefault(tool, []).append(row)
    return _rows


def _needs(command: Command, when: str, options: list[str], given: set[str]) -> _Fault | None:
    own = {one for row in _rows[command.tool] for one in (*row[0], *row[2])}
    written = {one for one in given if one not in own}
    if given & {*options} or any(_begins(one, option) for one in written for option in options):
        return None
    shown = " or ".join(options) if len(options) < _MANY else f"one of {', '.join(options)}"
    return options[0], _place(command, when), f"requires {shown} with {when}", f"add {shown}"


def _excludes(command: Command, when: str, options: list[str], given: set[str]) -> _Fault | None:
    found = next((name for name, _ in command.options() if name.text in options), None)
    if found is None:
        return None
    return found.text, found, f"does not accept {found.text} with {when}", f"remove {found.text}"


def _one(command: Command, _when: str, options: list[str], given: set[str]) -> _Fault | None:
    found = list(dict.fromkeys(one.text for one, _ in command.options() if one.text in options))
    if len(found) < 2:
        return None
    return (
        found[1],
        _place(command, found[1]),
        f"does not accept {' and '.join(found)} together",
        f"remove {' or '.join(found)}",
    )


def _gone(command: Command, when: str, options: list[str], _given: set[str]) -> _Fault | None:
    since, *instead = options
    if not command.version.at_least(since):
        return None
    own = when or command.tool
    what = f"has no option {when}, which {since} removed" if when else f"is gone since {since}"
    other = " ".join(instead)
    meant = f"use {other}" if other else f"remove {own}, which needs ZooKeeper"
    of = " with the address of the brokers" if other == "--bootstrap-server" else ""
    return own, _place(command, own), f"of Kafka {command.version} {what}", f"{meant}{of}"


_FORMS: dict[str, Callable[[Command, str, list[str], set[str]], _Fault | None]]
_FORMS = {"needs": _needs, "excludes": _excludes, "one": _one, "gone": _gone}


def _begins(written: str, option: str) -> bool:
    return len(written) >= _SHORTEST and option.startswith(written)


def _place(command: Command, when: str) -> Word:
    """The last of those words in the command, or its tool."""
    last = when.rpartition(" ")[2]
    for name, _ in command.options():
        if name.text == last:
            return name
    return next((word for word in command.words if word.text == last), command.at)


TYPE_CHECKING = False
if TYPE_CHECKING:
    _Fault = tuple[str, Word, str, str]
    Told = tuple[str, Word, str | None, str, str, str, str]

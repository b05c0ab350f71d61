"""What commands of a shell's own change of its variables: ``read``, ``source``, ``shift`` …"""

from __future__ import annotations

import re

from kcheck.syntax.shell_values import Scope, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.syntax.shell_command import Call

_FIELD = re.compile(r"\S+")


def run(name: str, made: Call, scope: Scope) -> None:
    """What a command of the shell's own changes of its variables."""
    if name == "read":
        read(made, scope)
    elif name in ("source", "."):
        scope.strict = True
    elif name in ("mapfile", "readarray", "unset", "set", "shift"):
        _forget(made, scope)


def read(made: Call, scope: Scope) -> None:
    """``read`` of a text that is known; a separator other than blanks is in IFS."""
    names = [word.text for word in made.words[1:] if not word.text.startswith("-")]
    options = [word.text for word in made.words[1:] if word.text.startswith("-")]
    separator = scope.get("IFS")
    told = made.input if all(one in ("-r", "-er") for one in options) else None
    if told is None or not told.known or "\n" in told.text.rstrip("\n"):
        for name in names:
            scope.set(name, None)
        return
    sign = separator.text if isinstance(separator, Word) and separator.text.strip() else ""
    end = len(told.text.rstrip("\n"))
    told = told.part(0, end)
    if sign:
        fields = told.split(sign[0])
    else:
        fields = [told.part(*one.span()) for one in _FIELD.finditer(told.text)]
    for number, name in enumerate(names):
        rest = fields[number:] if number == len(names) - 1 else fields[number : number + 1]
        empty = Word([], told.end, told.end)
        scope.set(name, rest[0] if len(rest) == 1 else None if rest else empty)


def _forget(made: Call, scope: Scope) -> None:
    """Set what the command changes to unknown."""
    if made.words[0].text in ("set", "shift"):
        if made.words[0].text == "shift" and scope.positional and len(made.words) == 1:
            scope.positional = scope.positional[1:]
        elif made.words[0].text == "shift" or any(w.text == "--" for w in made.words):
            scope.positional = None
        return
    for word in made.words[1:]:
        scope.set(word.text, None)

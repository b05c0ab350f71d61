"""Whose a file is: CODEOWNERS as GitHub reads it, and with GitLab's sections."""

from __future__ import annotations

import os

from kcheck import regular
from kcheck.globs import GlobError, Match, nothing, source

#: Where the file may lie, in the order in which the hosts look.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")

#: What tells the paths that are meant, and the owners they have; none: nobody owns them.
_Entry = tuple[Match, tuple[str, ...]]

#: GitHub reads no larger file.
_MOST = 3_000_000


class Owners:
    """The owners of paths from the repository's root: of each section the last pattern that fits."""

    def __init__(self, text: str) -> None:
        #: By section, of which only GitLab has more than the one without a name.
        self._sections: dict[str, list[_Entry]] = {"": []}
        self._known: dict[str, list[str]] = {}
        section = ""
        default: tuple[str, ...] = ()
        for line in text.splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith(("[", "^[")) and "]" in line:
                section, default = _section(line)
                self._sections.setdefault(section, [])
                continue
            pattern, owners = _entry(line)
            self._sections[section].append((_matcher(pattern), owners or default))

    def of(self, path: str) -> list[str]:
        """The owners of a file, each once."""
        known = self._known.get(path)
        if known is None:
            found: dict[str, None] = {}
            for entries in self._sections.values():
                for matches, owners in reversed(entries):
                    if matches(path):
                        found |= dict.fromkeys(owners)
                        break
            known = self._known[path] = list(found)
        return known


def load(root: str) -> Owners | None:
    """The owners of a repository; None where it has no such file."""
    for place in PLACES:
        try:
            return Owners(regular.read(os.path.join(root, place), _MOST).decode("utf-8", "replace"))
        except OSError:
            continue
    return None


def _section(line: str) -> tuple[str, tuple[str, ...]]:
    """``^[Name][2] @owner``: the name, and who owns what its entries give nobody."""
    name, _, rest = line.removeprefix("^")[1:].partition("]")
    if rest.startswith("["):
        rest = rest.partition("]")[2]
    return name.strip().lower(), tuple(rest.split())


def _entry(line: str) -> tuple[str, tuple[str, ...]]:
    """A pattern, in which a backslash protects a blank or a ``#``, and the owners behind it."""
    words: list[str] = []
    word, at = "", 0
    while at < len(line):
        char = line[at]
        if char == "\\" and line[at + 1 : at + 2] in (" ", "#"):
            word += line[at + 1]
            at += 2
            continue
        if char == "#" and not word:
            break
        if char.isspace():
            if word:
                words.append(word)
            word = ""
        else:
            word += char
        at += 1
    if word:
        words.append(word)
    return words[0] if words else "", tuple(words[1:])


def _matcher(pattern: str) -> Match:
    """Whether a path is meant; no path is where the pattern means nothing."""
    import re

    # ``docs/*`` is what lies in docs, and no more; a name alone is that folder with all in it.
    below = not pattern.endswith("/*")
    try:
        match = re.compile(source(pattern, below)).match
    except GlobError:
        return nothing
    return lambda path: match(path) is not None

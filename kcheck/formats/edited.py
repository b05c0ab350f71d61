"""Keys of a file of properties that scripts of the project set before Kafka reads it.

An installer copies the file and has ``sed`` put the host's own address into it, or appends lines. What
such a line sets is unknown here: the file's own value is where it starts from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.folders import names_in
from kcheck.model import Document, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

_KINDS = ("broker", "controller", "worker")
_SCRIPTS = re.compile(r".*\.(?:sh|bash)|Dockerfile.*|Vagrantfile")
#: So many folders up scripts are searched for, so many in each, and of at most this size.
_HIGHEST = 2
_MOST = 10
_LARGEST = 50_000
_LONGEST = 4_000
#: A line that edits a file in its place, or appends to one.
_EDITS = re.compile(r"\bsed\b.{0,2000}?\s(?:-[A-Za-z]*i|--in-place)|>>|\btee[ \t]+-a")
_KEY = re.compile(r"([\w.-]++)=")
_CONTINUED = re.compile(r"\\\r?\n")


def forget(document: Document, lookup: Lookup) -> None:
    """Make the keys unknown that a script beside or above the file sets in it."""
    nodes = [one for one in document.resources if one.kind in _KINDS]
    if not nodes:
        return
    edits = {key for line in _lines(document.path, lookup) for key in _KEY.findall(line)}
    for node in nodes:
        for key in edits & node.settings.keys():
            told = node.settings[key]
            node.settings[key] = Setting(key, None, told.path, told.at, told.key_at, told.name)


def _lines(path: str, lookup: Lookup) -> Iterator[str]:
    """The lines of scripts that edit files and name this one, without backslashes."""
    folder, _, name = path.rpartition("/")
    for _ in range(_HIGHEST + 1):
        names = [one for one in names_in(folder, lookup) or () if _SCRIPTS.fullmatch(one)]
        for script in names[:_MOST]:
            data = lookup(f"{folder}/{script}".lstrip("/")) or b""
            if len(data) > _LARGEST or name.encode() not in data:
                continue
            text = _CONTINUED.sub(" ", data.decode("utf-8", "replace"))
            for line in text.split("\n"):
                if len(line) <= _LONGEST and _EDITS.search(line):
                    yield line.replace("\\", "")
        if not folder:
            return
        folder = folder.rpartition("/")[0]

"""The version in which a script installs a chart with a file of values that lies beside or below it."""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.folders import names_in

_CONTINUED = re.compile(r"\\\r?\n[ \t]*")
_ENDINGS = (".sh", ".bash", ".mk")
_NAMES = ("makefile", "justfile", "taskfile.yml", "taskfile.yaml")
#: So many folders up, and so many scripts in each; scripts of more bytes tell nothing.
_UP, _MOST, _LONGEST = 3, 10, 100_000
_VERSION = re.compile(r"--version[= ][\"']?v?(\d[\w.]{0,30})[\"']?(?=\s|$)")
_VALUES = re.compile(r"(?:-f|--values)[= ]?[\"']?([^\s\"',]+)")


def version(path: str, chart: str, lookup: Lookup) -> str:
    """``path`` is that of the values, ``chart`` the name of Bitnami's chart; "" where no script tells
    a version, or several tell others."""
    folder, _, name = path.rpartition("/")
    sign = re.compile(rf"\bbitnami(?:charts)?/{chart}(?=[\s\"']|$)")
    found: set[str] = set()
    for _ in range(_UP):
        below = path[len(folder) + 1 :] if folder else path
        for text in _scripts(folder, lookup):
            lines = _CONTINUED.sub(" ", text).split("\n")
            for line in filter(sign.search, (one.partition("helm ")[2] for one in lines)):
                named = [one.removeprefix("./") for one in _VALUES.findall(line)]
                told = _VERSION.search(line)
                if any(one == below or one.endswith(f"/{name}") for one in named):
                    found.add(told[1] if told is not None else "")
        if not folder:
            break
        folder = folder.rpartition("/")[0]
    return found.pop() if len(found) == 1 else ""


def _scripts(folder: str, lookup: Lookup) -> list[str]:
    names = [
        one
        for one in names_in(folder, lookup) or ()
        if one.lower().endswith(_ENDINGS) or one.lower() in _NAMES
    ]
    held = (lookup(f"{folder}/{one}".lstrip("/")) for one in names[:_MOST])
    return [
        data.decode("utf-8", "replace")
        for data in held
        if data is not None and len(data) < _LONGEST and b"helm" in data
    ]

"""Compose files that are read on top of others: ``-f docker-compose.yml -f docker-compose.prod.yml``.

Which files these are, somebody says who starts them: a Makefile, a script, ``COMPOSE_FILE`` in
``.env``, a dev container, a text beside the files. A file whose services have neither image nor build
lies over the one of the usual name, whoever starts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.compose.file import DEFAULT_NAMES, ENDINGS, File, joined
from kcheck.formats.folders import names_in
from kcheck.syntax import yaml

#: Who may say which files are read together.
_TELLERS = ("makefile", "gnumakefile", "justfile", "taskfile.yml", "taskfile.yaml", ".env")
_TELLING = ("package.json", "devcontainer.json", "readme.md", "jenkinsfile")
_SCRIPTS = (".sh", ".mk", ".bash")
#: So many of them in a folder, and so many folders up, are asked.
_MOST_TELLERS, _HIGHEST = 20, 2
_OPTION = re.compile(r"(?:^|\s)(?:-f|--file)(?:[ \t]+|=)[\"']?([\w./-]{1,200}\.ya?ml)\b")
_VARIABLE = re.compile(
    r"^[ \t]*(?:export[ \t]+)?COMPOSE_FILE=[\"']?([\w./:-]{1,500})", re.MULTILINE
)
_LISTED = re.compile(r"\"dockerComposeFile\"\s*:\s*\[([^\]]{1,1000})\]")
_QUOTED = re.compile(r"\"([^\"]{1,200})\"")


def below(file: File) -> list[File]:
    """The files that compose reads before this one, the strongest first; none where it is alone."""
    name = file.path.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    if ending not in ENDINGS or stem in DEFAULT_NAMES:
        return []
    for paths in _told(file, name):
        found = [one for path in reversed(paths) if (one := file.other(path)) is not None]
        if found and any(name in base.nodes for base in found for name in file.nodes):
            return found
    usual = _usual(file)
    if usual is not None and any(
        name in usual.nodes and not _complete(node) for name, (_, node) in file.nodes.items()
    ):
        return [usual]
    return []


def included(file: File) -> list[str]:
    """The paths of the files that a file includes."""
    found: list[str] = []
    for item in yaml.items(yaml.child(file.root, "include")):
        told = yaml.child(item, "path") or item
        for one in yaml.items(told) or [told]:
            text = yaml.text(one)
            path = file.variables.filled(text) if text else None
            if path and "://" not in path:
                found.append(joined(file.folder, path))
    return found


def _usual(file: File) -> File | None:
    """The file of the usual name beside another one."""
    for stem in DEFAULT_NAMES:
        for ending in ENDINGS:
            found = file.other(joined(file.folder, f"{stem}.{ending}"))
            if found is not None:
                return found
    return None


def _complete(node: yaml.Node) -> bool:
    return any(yaml.child(node, key) is not None for key in ("image", "build", "extends"))


def _told(file: File, name: str) -> Iterator[list[str]]:
    """The files that stand before this one where somebody names them together."""
    folder = file.folder
    texts = [("\n".join(file.lines), folder)]
    for _ in range(_HIGHEST + 1):
        texts += _tellers(file, folder, name)
        if not folder:
            break
        folder = folder.rpartition("/")[0]
    for text, where in texts:
        for listed in _lists(text):
            paths = [joined(where, one) for one in listed]
            # Comments name the files of the folder, wherever they are.
            if file.path in paths and paths.index(file.path):
                yield paths[: paths.index(file.path)]


def _tellers(file: File, folder: str, name: str) -> Iterator[tuple[str, str]]:
    names = names_in(folder, file.lookup) or [*_TELLERS, "Makefile"]
    asked = [
        one
        for one in names
        if one.lower() in _TELLERS or one.lower() in _TELLING or one.endswith(_SCRIPTS)
    ]
    for one in asked[:_MOST_TELLERS]:
        data = file.lookup(joined(folder, one))
        if data is not None and name.encode() in data:
            yield data.decode("utf-8", "replace"), folder


def _lists(text: str) -> Iterator[list[str]]:
    """The compose files that a text names together, each list in its order."""
    for line in text.replace("\\\n", " ").split("\n"):
        found = _OPTION.findall(line) if "-f" in line else []
        if len(found) > 1:
            yield found
    for variable in _VARIABLE.findall(text):
        yield variable.split(":")
    for inner in _LISTED.findall(text):
        yield _QUOTED.findall(inner)

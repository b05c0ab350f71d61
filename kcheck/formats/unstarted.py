"""Files of brokers and workers in an image that starts another one of its files.

An image may have a file for each way to start Kafka, of which its command takes one. That is known where
the project's Dockerfile copies the file, and the command, or a script that it copies too, names another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from kcheck.formats.folders import names_in
from kcheck.model import Document
from kcheck.syntax import dockerfile, yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

#: What starts a file of a kind.
_STARTERS = {
    "broker": r"kafka-server-start",
    "controller": r"kafka-server-start",
    "worker": r"connect-(?:distributed|standalone)",
}
_ARGUMENT = r"(?:\.sh)?[\"']?[ \t]+(?:-[ \t\w]*[ \t])?[\"']?([^\s\"';&|]+)"
#: So many folders up a compose file or a Dockerfile is searched for.
_HIGHEST = 4
_COMPOSE = ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml")
_CONTEXT = re.compile(rb"^[ \t]*(?:context|build):[ \t]*[\"']?([^\s\"'#]+)", re.MULTILINE)
_DOCKERFILE = re.compile(rb"^[ \t]*dockerfile:[ \t]*[\"']?([^\s\"'#]+)", re.MULTILINE)
#: A project of so many has generated them.
_MOST = 50


class _Image:
    """What a Dockerfile starts, and where it has each of the project's files that it copies by itself."""

    __slots__ = ("command", "path", "places")

    def __init__(self, path: str, stage: dockerfile.Stage, context: str) -> None:
        self.path = path
        self.command = stage.command()
        self.places: dict[str, str] = {}
        for source, target in stage.copies():
            name = source.rpartition("/")[2] if target.endswith("/") else ""
            # A slash at the beginning is the folder of the build as well.
            self.places[_joined(context, source.lstrip("/"))] = target + name


def condition(document: Document, lookup: Lookup) -> str:
    """What must hold for the file to be in use, as a clause; "" where its image may start it."""
    starters = {_STARTERS.get(one.kind, "") for one in document.resources}
    # A file at the top of a project is the one that people start.
    if len(starters) > 1 or "" in starters or "/" not in document.path:
        return ""
    told, starter = "", starters.pop()
    for image in _images(document.path, lookup):
        other = _other(image, document.path, starter, lookup)
        if not other or _named(document.path, image.places[document.path], lookup):
            return ""
        told = f"if {document.path} is started, although the image of {image.path} starts {other}"
    return told


def composed(path: str, dirs: str, lookup: Lookup) -> str:
    """The file above that runs a broker's on a machine with all others: the compose file that mounts it,
    or its folder, in a service of which no volume keeps the data in ``dirs``, or the Vagrantfile of
    virtual machines; "" for none."""
    folder = path.rpartition("/")[0]
    for _ in range(_HIGHEST + 1):
        if path.endswith(".properties") and lookup(at := f"{folder}/Vagrantfile".lstrip("/")):
            return at
        below = path[len(folder) :].lstrip("/")
        marks = tuple(f"./{one}:" for one in (below, below.rpartition("/")[0]) if one)
        for name in _COMPOSE:
            data = lookup(at := f"{folder}/{name}".lstrip("/"))
            named = data is not None and any(mark[1:].encode() in data for mark in marks)
            if data is not None and named and _loses(data, marks, dirs):
                return at
        if not folder:
            break
        folder = folder.rpartition("/")[0]
    return ""


def _loses(data: bytes, marks: tuple[str, ...], dirs: str) -> bool:
    """Whether a service mounts one of the marked places, and nothing at the directories."""
    nodes, problem = yaml.documents(data)
    if problem is not None or len(nodes) != 1:
        return False
    for _, _, service in yaml.pairs(yaml.child(nodes[0], "services")):
        mounts = [yaml.text(item) or "" for item in yaml.items(yaml.child(service, "volumes"))]
        if any(f"./{mount.removeprefix('./')}".startswith(marks) for mount in mounts):
            targets = [mount.split(":")[1].rstrip("/") for mount in mounts if ":" in mount]
            kept = [
                f"{one.strip()}/".startswith(f"{t}/") for one in dirs.split(",") for t in targets
            ]
            return "" not in mounts and not any(kept)
    return False


def _images(path: str, lookup: Lookup) -> Iterator[_Image]:
    """The project's images that have the file by its name."""
    folder, _, name = path.rpartition("/")
    for _ in range(_HIGHEST + 1):
        for at, context in dict.fromkeys(_files(folder, lookup)):
            data = lookup(at)
            if data is not None and name.encode() in data:
                stage = dockerfile.read(data.decode("utf-8", "replace"), {})
                image = _Image(at, stage, context) if stage is not None else None
                if image is not None and path in image.places:
                    yield image
        if not folder:
            break
        folder = folder.rpartition("/")[0]


def _files(folder: str, lookup: Lookup) -> Iterator[tuple[str, str]]:
    """Dockerfiles that a folder has or its compose files name, each with the folder of the build."""
    start = f"{folder}/" if folder else ""
    yield f"{start}Dockerfile", folder
    for one in _COMPOSE:
        data = lookup(start + one)
        if data is None or b"build" not in data:
            continue
        contexts = [b".", *_CONTEXT.findall(data)]
        names = [b"Dockerfile", *_DOCKERFILE.findall(data)]
        for context in dict.fromkeys(contexts[:_MOST]):
            base = _joined(folder, context.decode("utf-8", "replace"))
            for name in dict.fromkeys(names[:_MOST]):
                yield _joined(base, name.decode("utf-8", "replace")), base


def _named(path: str, target: str, lookup: Lookup) -> bool:
    """Whether a compose file or script around names the file: it may start a container with it."""
    tail = "/".join(target.split("/")[-2:]).encode()
    folder = path.rpartition("/")[0]
    for _ in range(_HIGHEST + 1):
        start = f"{folder}/" if folder else ""
        for name in names_in(start, lookup) or ():
            told = "compose" in name or name.endswith((".sh", ".mk")) or name == "Makefile"
            if told and tail in (lookup(start + name) or b""):
                return True
        folder = folder.rpartition("/")[0]
        if not start:
            break
    return False


def _other(image: _Image, path: str, starter: str, lookup: Lookup) -> str:
    """The file that the image starts in place of this one; "" where that is not certain."""
    command, places = image.command, image.places
    texts = [command]
    for source, target in places.items():
        if target in command.split():
            texts.append((lookup(source) or b"").decode("utf-8", "replace"))
    text = "\n".join(texts)
    started = re.findall(starter + _ARGUMENT, text)
    mine = places[path]
    # The last folder too: config/kraft/server.properties is not config/server.properties.
    if not started or "/".join(mine.split("/")[-2:]) in text:
        return ""
    certain = all(one.startswith("/") and "$" not in one and one != mine for one in started)
    return str(started[0]) if certain else ""


def _joined(folder: str, path: str) -> str:
    found = normpath(f"{folder}/{path}".lstrip("/"))
    return "" if found == "." else found

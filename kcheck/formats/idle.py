"""Files that nothing applies at present, as far as their folders tell."""

from __future__ import annotations

import re
from functools import lru_cache
from posixpath import normpath

from kcheck.model import Document
from kcheck.syntax import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

#: Folders of what is no longer in use.
_PARKED = frozenset(
    [
        *("backup", "backups", "bak", "old", "archive", "archives", "archived"),
        *("deprecated", "obsolete", "attic", "unused", "outdated", "trash"),
    ]
)
#: What commands to be typed one by one are called: of a course, of who tried them.
_NOTES = frozenset(
    [
        *("notes", "note", "commands", "cheatsheet", "cheat", "snippets", "cmds", "history"),
        *("tutorial", "exercise", "exercises", "scratch", "scratchpad"),
    ]
)
#: Where editors build Java.
_COPIES = ("/bin/main/", "/bin/test/", "/bin/src/main/", "/out/production/", "/out/test/")
#: What programs do as well.
_KEEPING = frozenset(("backup", "backups", "archive", "archives", "archived"))
#: Formats of what is applied to Kubernetes file by file.
_MANIFESTS = frozenset(
    ("cfk-cr", "k8s-plain", "koperator-cr", "redpanda-cr", "stackable-cr", "strimzi-cr")
)
#: So many folders up a kustomization is searched for that lists the file.
_HIGHEST = 3
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_ENDINGS = (".yaml", ".yml")


def condition(document: Document, lookup: Lookup) -> str:
    """What must hold for the file to matter, as a clause; "" where nothing speaks against it."""
    path = document.path
    if told := _put_aside(path, any(one.kind == "broker" for one in document.resources)):
        return told
    # A connector that writes an archive lies in a folder of that name.
    if document.format != "connector-json" and _parked(path.rpartition("/")[0]):
        return f"if {path} is still in use, in spite of its folder"
    if path.endswith(".properties"):
        from kcheck.formats import unstarted  # few files are of a node

        return unstarted.condition(document, lookup)
    unlisting = _unlisting(path, lookup) if document.format in _MANIFESTS else ""
    return f"if {path} is applied, although {unlisting} does not list it" if unlisting else ""


def _put_aside(path: str, of_brokers: bool) -> str:
    """The same by the name of a file, or by folders that an editor's build copies the sources to.

    A mirror or connector that makes backups is called so; brokers are not.
    """
    folder, _, name = path.lower().rpartition("/")
    # Terraform reads what begins with a line as it does all others; ``.env`` is a name by itself.
    if name[0] in "._" and not name.startswith((".env", ".gitlab-ci")) and not name.endswith(".tf"):
        return f"if {path} is in use, although its name puts it aside"
    stem = re.split(r"[^a-z0-9]+", name)[:-1]
    copied = " copy" in name or name.startswith("copy of ")
    parked = bool(stem) and stem[-1] in (_PARKED if of_brokers else _PARKED - _KEEPING)
    if copied or (parked and "src" not in folder.split("/")):
        return f"if {path} is still in use, in spite of its name"
    if name.endswith((".sh", ".txt", ".bash")) and not _NOTES.isdisjoint(stem):
        return f"if {path} is run as it stands: its name is one of notes"
    if any(copies in f"/{folder}/" for copies in _COPIES):
        return f"if {path} is in use, and no copy that an editor made"
    return ""


@lru_cache(1000)
def _parked(folder: str) -> bool:
    """Whether it is a folder of what is no longer in use; a program's source is in none."""
    folders = folder.lower().split("/")
    # ``aws-old`` is one as well, but an ``archive-bucket`` holds what is in use.
    return "src" not in folders and any(
        one.strip("._-").replace("_", "-").rpartition("-")[2] in _PARKED for one in folders
    )


def _unlisting(path: str, lookup: Lookup) -> str:
    """The kustomization that lists other files of the folder; "" where one names the file."""
    own, _, name = path.rpartition("/")
    found = ""
    for at in _kustomizations(own):
        data = lookup(at)
        if data is None:
            continue
        if _names(data, name.encode()):
            return ""
        above = at.rpartition("/")[0]
        found = found or (at if _lists_beside(above, data, own) else "")
    return found


@lru_cache(1000)
def _kustomizations(folder: str) -> list[str]:
    """Where a kustomization would be that lists files of a folder, the nearest first."""
    found: list[str] = []
    for _ in range(_HIGHEST):
        found += [f"{folder}/{one}".lstrip("/") for one in _KUSTOMIZATIONS]
        if not folder:
            break
        folder = folder.rpartition("/")[0]
    return found


def _names(data: bytes, name: bytes) -> bool:
    """Whether a line that is no comment names a file."""
    lines = (line for line in data.split(b"\n") if name in line)
    return any(not line.lstrip().startswith(b"#") for line in lines)


def _lists_beside(above: str, data: bytes, folder: str) -> bool:
    """Whether a kustomization of the folder ``above`` lists a file of a folder among its resources."""
    nodes, problem = yaml.documents(data)
    if problem is not None or len(nodes) != 1:
        return False
    for item in yaml.items(yaml.child(nodes[0], "resources")):
        path = normpath(f"{above}/{yaml.text(item) or ''}".lstrip("/"))
        if path.endswith(_ENDINGS) and path.rpartition("/")[0] == folder:
            return True
    return False

"""The version of a client's library: what the build beside the client's file says of it.

Lock files go before ranges, and a version of the library itself before that of a platform. Nothing
is read for a client that states its version. What each kind of file says, and how, is in
``build_files``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from kcheck import carriers
from kcheck.formats import build_files
from kcheck.formats.build_files import Package
from kcheck.model import Document, Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

_KINDS = ("producer", "consumer", "streams", "admin", "client")

#: (its folder, its kind, its path, what is in it) of a file.
_Held = tuple[str, str, str, bytes]


class _File:
    def __init__(self, held: _Held) -> None:
        self.folder, self.kind, self.path, data = held
        self.text = build_files.uncommented(self.kind, data.decode("utf-8", "replace"))


def tell(document: Document, lookup: Lookup) -> None:
    """Add the version of their library to the clients of a document that state none."""
    clients = [
        one
        for one in document.resources
        if one.kind in _KINDS and "client.version" not in one.facts
    ]
    groups: dict[tuple[str, str], list[Resource]] = {}
    for one in clients:
        package = one.facts.get("client.library")
        said = package.text if package is not None else ""
        groups.setdefault((one.dialect, said or ""), []).append(one)
    for (library, said), ones in groups.items():
        packages = build_files.packages(library, said)
        files = _above(document.path, packages, lookup) if packages else ()
        found = _found(packages, files) if files else None
        for one in ones if found is not None else ():
            if found is not None:
                one.facts["client.version"] = found
                one.traits.version_inferred = True
                # What was found is the version of the library inside its package.
                one.traits.own_versions = False


def _above(path: str, packages: Iterable[Package], lookup: Lookup) -> tuple[_Held, ...]:
    """The builds in the folders above a file, up to the root, the nearest first."""
    kinds = dict.fromkeys(kind for package in packages for kind in package.files)
    found = []
    for folder in build_files.folders_above(path):
        for kind in kinds:
            for name in build_files.names(kind, folder):
                place = f"{folder}/{name}" if folder else name
                data = lookup(place)
                if data is not None:
                    found.append((folder, kind, place, data))
    return tuple(found)


@lru_cache(maxsize=16)
def _found(packages: tuple[Package, ...], held: tuple[_Held, ...]) -> Setting | None:
    """The version that build files state; the services of a repository mostly share theirs.

    The packages of a library go before platforms that bring it. Two packages of one folder that
    disagree say nothing.
    """
    files = [_File(one) for one in held]
    for platform in (False, True):
        own = [one for one in packages if one.platform is platform]
        for folder in dict.fromkeys(file.folder for file in files):
            told = [
                found
                for package in own
                if (found := _of_package(package, folder, files)) is not None
            ]
            if told:
                return told[0] if len({one.text for one in told}) == 1 else None
    return None


def _of_package(package: Package, folder: str, files: list[_File]) -> Setting | None:
    """What the first file of a folder that names a package says of the client inside."""
    for kind, patterns in package.files.items():
        for file in files:
            if file.folder == folder and file.kind == kind:
                told = _match(file, patterns, files)
                if told is not None:
                    return _client(package, *told)
    return None


def _match(
    file: _File, patterns: tuple[str, ...], files: list[_File]
) -> tuple[_File, re.Match[str]] | None:
    """Where a version stands: as a number, or as a name that the same build gives a number."""
    for pattern in patterns:
        found = re.search(pattern, file.text, re.MULTILINE)
        if found is None:
            continue
        if found.group(1):
            return file, found
        named = found.group(2) if found.re.groups > 1 else None
        for other in files if named else ():
            number = re.search(build_files.value_of(named or ""), other.text, re.MULTILINE)
            if number is not None:
                return other, number
    return None


def _client(package: Package, file: _File, found: re.Match[str]) -> Setting | None:
    version = release = found.group(1)
    if package.carries:
        version = carriers.inside(package.name, release)
        if not version:
            return None
    before = file.text[: found.start(1)]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    at = (line, column, line, column + len(release))
    return Setting("client.version", version, file.path, at, name=f"{package.name} {release}")

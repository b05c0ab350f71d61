"""The version of a client's library: what the build beside the client's file says of it.

Lock files go before ranges, and a version of the library itself before that of a platform. Nothing
is read for a client that states its version.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kcheck import data
from kcheck.model import Document, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

#: How far above a client's file its build may lie: src/main/resources/config is four folders deep.
_DEPTH = 6
_KINDS = ("producer", "consumer", "streams", "admin", "client")
_NUMBER = r"(\d+\.\d+(?:\.\d+)?)"
_MAVEN, _GRADLE = "pom.xml", ("build.gradle.kts", "build.gradle")
_LOCK, _CATALOG = "gradle.lockfile", "gradle/libs.versions.toml"
_ARTIFACTS = r"kafka-(?:clients|streams)"

#: An exact version of the library in each kind of file; a group of a property's name, where it has one.
_EXACT = {
    _LOCK: (rf"org\.apache\.kafka:{_ARTIFACTS}:{_NUMBER}=",),
    _MAVEN: (
        rf"<artifactId>{_ARTIFACTS}</artifactId>\s*<version>(?:{_NUMBER}|\$\{{([\w.-]+)\}})</version>",
        rf"<(?:kafka|kafka-clients|apache-kafka)\.version>{_NUMBER}</",
    ),
    _CATALOG: (
        rf"org\.apache\.kafka:{_ARTIFACTS}:{_NUMBER}[\"']",
        rf"{_ARTIFACTS}\"[^\n]*version\s*=\s*\"{_NUMBER}\"",
        rf"{_ARTIFACTS}\"[^\n]*version\.ref\s*=\s*\"()([\w.-]+)\"",
    ),
    "build.gradle": (
        rf"org\.apache\.kafka:{_ARTIFACTS}:(?:{_NUMBER}|\$\{{?(\w+)\}}?)[\"']",
        rf"kafka\.version[\"'\])]*\s*(?:=|,|\]\s*=)\s*[\"']{_NUMBER}[\"']",
    ),
}
_BOOT = {
    _MAVEN: (
        rf"<artifactId>spring-boot-(?:starter-parent|dependencies)</artifactId>\s*"
        rf"<version>(?:{_NUMBER}[^<]*|\$\{{([\w.-]+)\}})</version>",
    ),
    _CATALOG: (rf"org\.springframework\.boot\"[^\n]*version\s*=\s*\"{_NUMBER}",),
    "build.gradle": (
        rf"org\.springframework\.boot[\"']\)?\s*version\s*[\"']{_NUMBER}",
        rf"spring-boot-(?:dependencies|gradle-plugin):{_NUMBER}",
    ),
}
#: Python's: the files, and what a pinned version looks like there.
_PINNED = (
    ("poetry.lock", r'name = "{library}"\s*version = "' + _NUMBER + '"'),
    ("uv.lock", r'name = "{library}"\s*version = "' + _NUMBER + '"'),
    ("requirements.txt", r"^{library}(?:\[[\w,-]*\])?\s*==\s*" + _NUMBER),
    ("pyproject.toml", r"[\"']{library}(?:\[[\w,-]*\])?\s*==\s*" + _NUMBER),
)
_PYTHON = ("kafka-python", "aiokafka")


class _File:
    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        name = path.rpartition("/")[2]
        self.kind = "build.gradle" if name in _GRADLE else name
        if path.endswith(_CATALOG):
            self.kind = _CATALOG


def tell(document: Document, lookup: Lookup) -> None:
    """Add the version of their library to the clients of a document that state none."""
    clients = [
        one
        for one in document.resources
        if one.kind in _KINDS and "client.version" not in one.facts
    ]
    for library in dict.fromkeys(one.dialect for one in clients):
        files = _above(document.path, _names(library), lookup)
        found = _found(library, files) if files else None
        for one in clients if found is not None else ():
            if one.dialect == library and found is not None:
                one.facts["client.version"] = found


def _names(library: str) -> tuple[str, ...]:
    """The files that may state a version of the library, the surest first."""
    if library == "java":
        return _LOCK, _MAVEN, *_GRADLE, _CATALOG
    return tuple(name for name, _ in _PINNED) if library in _PYTHON else ()


def _above(path: str, names: tuple[str, ...], lookup: Lookup) -> tuple[tuple[str, bytes], ...]:
    """The files of these names in the folders above a file, up to the root, the nearest first."""
    if not names:
        return ()
    folder = path.rpartition("/")[0]
    # A build lies beside its folder of sources, not in it.
    at = f"/{folder}/".rfind("/src/")
    folder = folder[: max(at - 1, 0)] if at >= 0 else folder
    found = []
    for _ in range(_DEPTH):
        for name in names:
            place = f"{folder}/{name}" if folder else name
            data = lookup(place)
            if data is not None:
                found.append((place, data))
        if not folder or folder == "/":
            break
        folder = folder.rpartition("/")[0]
    return tuple(found)


@lru_cache(maxsize=16)
def _found(library: str, held: tuple[tuple[str, bytes], ...]) -> Setting | None:
    """The version that build files state; the services of a repository mostly share theirs."""
    files = [_File(place, data.decode("utf-8", "replace")) for place, data in held]
    if library != "java":
        for file in files:
            pattern = dict(_PINNED)[file.kind].replace("{library}", re.escape(library))
            found = _match(file, (pattern,), [])
            if found is not None:
                return found
        return None
    for patterns in (_EXACT, _BOOT):
        for file in files:
            found = _match(file, patterns.get(file.kind, ()), files)
            if found is not None:
                return _client_of(found) if patterns is _BOOT else found
    return None


def _match(file: _File, patterns: tuple[str, ...], files: list[_File]) -> Setting | None:
    for pattern in patterns:
        found = re.search(pattern, file.text, re.MULTILINE)
        if found is None:
            continue
        if found.group(1):
            return _setting(file, found, 1)
        named = found.group(2) if found.re.groups > 1 else None
        for other in files if named else ():
            name = re.escape(named or "")
            told = re.search(rf"(?:<{name}>|\b{name}[\"'\]]*\s*[=,]\s*[\"']){_NUMBER}", other.text)
            if told is not None:
                return _setting(other, told, 1)
    return None


def _setting(file: _File, found: re.Match[str], group: int) -> Setting:
    before = file.text[: found.start(group)]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    at = (line, column, line, column + len(found.group(group)))
    return Setting("client.version", found.group(group), file.path, at)


def _client_of(boot: Setting) -> Setting | None:
    """The client that a release of Spring Boot brings along."""
    minor = ".".join((boot.text or "").split(".")[:2])
    for platform, release, kafka in data.rows("clients/boms.tsv"):
        if (platform, release) == ("spring-boot", minor):
            return Setting("client.version", kafka, boot.path, boot.at)
    return None

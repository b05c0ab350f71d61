"""What stands in a file and was not read: Kafka's keys in places that no format looks into.

For ``kcheck files`` alone, which would otherwise call such a file read, or unrelated.
"""

from __future__ import annotations

import re

from kcheck import catalogue, dialects, images
from kcheck.lexicon.planes import TABLES
from kcheck.libraries import LIBRDKAFKA
from kcheck.model import PASSED_OVER, READ, Document, Resource, Setting

#: A key where keys stand: at the beginning of a line, or behind a brace or a comma.
_KEY = re.compile(
    r"(?:^[ \t]*(?:-[ \t]+)?|[{,][ \t]*)[\"']?([A-Za-z][\w.-]*[A-Za-z0-9])[\"']?[ \t]*(?:[:=]|=>)",
    re.MULTILINE,
)
#: What is Kafka's, whatever holds it: kinds and groups of operators, binders of frameworks.
_MARKS = re.compile(
    r"^[ \t-]*apiVersion:[ \t]*[\"']?[\w.-]*kafka|^[ \t-]*kind:[ \t]*[\"']?Kafka[A-Z\s\"']"
    r"|spring\.cloud\.stream\.kafka|^[ \t]*type:[ \t]*[\"']?kafka\b",
    re.MULTILINE,
)
#: Files with none of these words hold nothing of Kafka's.
_WORDS = (b"kafka", b"bootstrap", b"broker", b"connect", b"replica", b"insync", b"linger")
#: Keys that other software has as well.
_COMMON = frozenset(
    ("client.id", "node.id", "group.id", "log.dir", "log.dirs", "task.class", "host.name")
)
_PREFIXES = ("producer.", "consumer.", "admin.")
#: So many of the keys are named.
_FEW = 3
#: Of larger files only the beginning is searched.
_MOST = 1_000_000
_ELSEWHERE = "mentions Kafka in a form that kcheck does not read"
#: Reasons that say that a file holds nothing of Kafka's.
_NOTHING = ("no Kafka configuration", "contains no ", "no service ")


def settle(document: Document, data: bytes) -> None:
    """Complete the document's reason with what was not read in it."""
    # Of what Kafka's own tools list, only what somebody has set is read.
    if any(resource.traits.described for resource in document.resources):
        return
    if document.status == READ:
        left = keys(document, data)
        if left:
            few = ", ".join(left[:_FEW]) + (" …" if left[_FEW:] else "")
            known = "known key" if len(left) == 1 else "known keys"
            document.reason = f"{len(left)} {known} not read: {few}"
        return
    nothing = document.status == PASSED_OVER and document.reason.startswith(_NOTHING)
    if nothing and mentions(data):
        document.reason = _ELSEWHERE


def mentions(data: bytes) -> bool:
    """Whether a text that no format takes for Kafka's has keys, variables or kinds of Kafka's."""
    text = _text(data)
    return bool(_MARKS.search(text)) or any(
        key not in _COMMON and _is_known(key) for key, _ in _found(text)
    )


def keys(document: Document, data: bytes) -> list[str]:
    """Kafka's keys in a file that was read which no resource has, each once."""
    read: dict[int, list[str]] = {}
    for resource in document.resources:
        for setting in _settings(resource):
            names = read.setdefault(setting.key_at[0], [])
            names += (setting.key, setting.name)
            read.setdefault(setting.at[0], []).append(setting.key)
    every = {name for names in read.values() for name in names}
    left = [
        key
        for key, line in _found(_text(data))
        # A line that was read is read whole, unless it holds an object.
        if _is_known(key) and not _among(key, read.get(line, ())) and not _among(key, every)
    ]
    return list(dict.fromkeys(left))


def _among(key: str, names: object) -> bool:
    assert isinstance(names, (list, tuple, set))
    return any(key == name or key.endswith(f".{name}") or name.endswith(key) for name in names)


def _settings(resource: Resource) -> list[Setting]:
    return [
        *resource.settings.values(),
        *resource.dynamic.values(),
        *resource.image.values(),
        *resource.facts.values(),
        *(setting for pair in resource.earlier for setting in pair),
        *(note.setting for note in resource.notes),
    ]


def _text(data: bytes) -> str:
    lowered = data.lower()
    if not any(word in lowered for word in _WORDS):
        return ""
    return data[:_MOST].decode("utf-8", "replace")


def _found(text: str) -> list[tuple[str, int]]:
    """Every word in a key's place, with its line."""
    found: list[tuple[str, int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(("#", "//", ";", "!")):
            continue
        found += ((match.group(1), number) for match in _KEY.finditer(line))
    return found


def _behind(key: str) -> str:
    """The key behind the prefix of a worker's own clients."""
    return next((key.removeprefix(p) for p in _PREFIXES if key.startswith(p)), "")


_keys: set[str] = set()


def _is_known(word: str) -> bool:
    """Whether it is a key of Kafka's or librdkafka's with a dot, or an image's variable for one."""
    if not _keys:
        for table in {table for tables in TABLES.values() for table in tables}:
            _keys.update(catalogue.plane(table).keys())
        _keys.update(dialects.library(LIBRDKAFKA.name) or ())
    if "." in word:
        return word in _keys
    if "_" in word and word.isupper():
        made = (family.key(word) or "" for family in images.families().values())
        return any(key in _keys or _behind(key) in _keys for key in made)
    return False

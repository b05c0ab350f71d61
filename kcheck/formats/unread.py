"""What stands in a file and was not read: Kafka's keys in places that no format looks into.

A file that no format takes for Kafka's is searched when it is read (``mention``); what a format has
left of a file that it read is of interest to ``kcheck files`` alone (``settle``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from kcheck import catalogue, dialects, images
from kcheck.lexicon.planes import TABLES
from kcheck.libraries import LIBRDKAFKA
from kcheck.model import PASSED_OVER, READ, Document, Setting, Unread

#: A name with a dot, or a variable's.
_NAME = r"([A-Za-z][\w-]*(?:\.[\w-]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"
#: One that is set: by what follows it, in a list of names and values, or by ``ENV`` and its like.
_KEY = re.compile(
    rf"(?:(?<![\w.$])(?<!\w-)|(?<=\}}\}}\.)){_NAME}(?=[\"'\]]{{0,2}}[ \t]*(?:=>|[:=]))"
    rf"|\b(?:name|key)[\"']?[ \t]*[:=][ \t]*[\"']?{_NAME}(?=[\"'\s,>]|$)"
    rf"|^[ \t]*ENV[ \t]+{_NAME}[ \t]"
    rf"|<name>[ \t]*{_NAME}[ \t]*</name>",
    re.MULTILINE,
)
#: What is Kafka's, whatever holds it: kinds and groups of operators, binders of frameworks.
_MARKS = re.compile(
    r"^[ \t-]*apiVersion:[ \t]*[\"']?([\w.-]*kafka[\w.-]*)|^[ \t-]*kind:[ \t]*[\"']?(Kafka\w*)[\s\"']"
    r"|(spring\.cloud\.stream\.kafka)|^[ \t]*type:[ \t]*[\"']?(kafka)\b",
    re.MULTILINE,
)
#: What stands in each name of ``_KEY``, and in each mark.
_WITHIN = re.compile(r"\.[\w-]|_[A-Z0-9]")
_NAMED = re.compile("afka")
_COMMENTS = ("#", "//", ";", "!", "--")
#: Keys that other software has as well.
_COMMON = frozenset(
    ("client.id", "node.id", "group.id", "log.dir", "log.dirs", "task.class", "host.name")
)
_PREFIXES = ("producer.", "consumer.", "admin.")
#: So many of the keys are named.
_FEW = 3
#: Of larger files only the beginning is searched.
MOST = 1_000_000
#: A text has no NUL among so many bytes.
_HEAD = 4_096
_ELSEWHERE = "mentions Kafka in a form that kcheck does not read"
#: Reasons that say that a file is read where others name it, or is none of Kafka's own.
_USED = (
    "read only where",
    "read together with",
    "input of kustomize",
    "its services of Kafka have",
    "ZooKeeper's own",
    "an assertion of a test",
    "left out by",
    "binary",
    "larger than",
)
#: Reasons that say that a file holds nothing of Kafka's.
_NOTHING = ("no Kafka configuration", "contains no ", "no service ", "unsupported format")


def mention(document: Document, data: bytes) -> None:
    """Say of a file that is not read what of Kafka's it has all the same."""
    if document.reason.startswith(_USED) or b"\0" in data[:_HEAD]:
        return
    text = data[:MOST].decode("utf-8", "replace")
    kafkas = "kafka" in text.lower()
    found = [
        key
        for key in _found(text)
        if key.name not in _COMMON or (kafkas and key.name == "group.id")
    ]
    if document.format is None:
        found = found or _marks(text)
    if found:
        document.unread = tuple(found)
        nothing = document.reason.startswith(_NOTHING)
        document.reason = f"{_ELSEWHERE if nothing else document.reason}: {_few(found)}"


def settle(document: Document, data: bytes) -> None:
    """Complete the reason of a document that was read with what was not read in it."""
    # Of what Kafka's own tools list, only what somebody has set is read.
    if document.status != READ or any(one.traits.described for one in document.resources):
        return
    left = keys(document, data)
    off = document.extent.off
    document.extent.left_out = tuple(key for key in left if key.line in off)
    left = [key for key in left if key.line not in off]
    if left:
        document.unread = tuple(left)
        names = {key.name for key in left}
        known = "known key" if len(names) == 1 else "known keys"
        told = f"{len(names)} {known} not read: {_few(left)}"
        if told not in document.reason:
            document.reason = f"{document.reason}; {told}" if document.reason else told


def settle_variables(documents: list[Document]) -> None:
    """Let files of variables know which of their keys other files were read with."""
    left = {one.path: one for one in documents if one.unread and one.status == PASSED_OVER}
    read: dict[str, set[int]] = {}
    for document in documents if left else ():
        for setting in known(document):
            if setting.path != document.path and setting.path in left:
                read.setdefault(setting.path, set()).add(setting.key_at[0])
    for path, lines in read.items():
        document = left[path]
        document.unread = tuple(one for one in document.unread if one.line not in lines)
        more = f": {_few([*document.unread])}" if document.unread else ""
        document.reason = f"{_ELSEWHERE}{more}" if more else "read where templates use it"


def keys(document: Document, data: bytes) -> list[Unread]:
    """Kafka's keys in a file that was read which no resource has."""
    read: dict[int, list[str]] = {}
    #: The keys of a template whose values stand in files of variables.
    elsewhere: set[str] = set()
    for setting in known(document):
        if setting.path != document.path:
            elsewhere.update((setting.key, setting.name))
        else:
            read.setdefault(setting.key_at[0], []).extend((setting.key, setting.name))
            read.setdefault(setting.at[0], []).append(setting.key)
    doubtful, off = document.extent.doubtful, document.extent.off
    # A line of a template that is sure is read, unless what reads it takes no such key.
    every = elsewhere.union(*read.values())
    return [
        key
        for key in _found(data[:MOST].decode("utf-8", "replace"))
        if doubtful is None or key.line in doubtful | off or not _among(key.name, every)
        # A line that was read is read whole, unless it holds an object.
        if not _among(key.name, read.get(key.line, ())) and not _among(key.name, elsewhere)
    ]


def known(document: Document) -> Iterator[Setting]:
    """All settings and variables of a document that were read, be they keys of its resources or not."""
    yield from document.extent.weighed
    for reference in document.references:
        yield reference.setting
    for resource in document.resources:
        yield from resource.placed
        yield from resource.traits.weighed
        yield from resource.traits.asks
        for caller in resource.traits.callers:
            yield from caller.placed


def _few(found: list[Unread]) -> str:
    names = list(dict.fromkeys(key.name for key in found))
    return ", ".join(names[:_FEW]) + (" …" if names[_FEW:] else "")


def _among(key: str, names: object) -> bool:
    """Whether one of the names is the key, or what an image makes of a variable of that name."""
    assert isinstance(names, (list, tuple, set))
    if names and "." not in key and key.isupper():
        made = {family.key(key) for family in images.families().values()}
        return key in names or not made.isdisjoint(names)
    return any(key == name or key.endswith(f".{name}") or name.endswith(key) for name in names)


def _found(text: str) -> list[Unread]:
    """Every key of Kafka's in the place of a key, with its line; comments are left out."""
    found: list[Unread] = []
    line = counted = 0
    for start, end in _lines(text, _WITHIN):
        # Of a text on one line, as tools write JSON, only the beginning matters.
        if text[start : min(end, start + 200)].lstrip().startswith(_COMMENTS):
            continue
        for match in _KEY.finditer(text, start, end):
            name = match[match.lastindex or 1]
            if _is_known(name):
                line += text.count("\n", counted, start)
                counted = start
                found.append(Unread(name, line + 1))
    return found


def _marks(text: str) -> list[Unread]:
    found = (
        Unread(match[match.lastindex or 0], text.count("\n", 0, start) + 1)
        for start, end in _lines(text, _NAMED)
        for match in _MARKS.finditer(text, start, end + 1)
    )
    return [*islice(found, _FEW)]


def _lines(text: str, sign: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where the lines begin and end that have a sign in them: few of a large file's, which are
    found in a tenth of the time that it takes to look at each character for all that may be there.
    """
    end = -1
    while (at := sign.search(text, end + 1)) is not None:
        start, end = text.rfind("\n", 0, at.start()) + 1, text.find("\n", at.end())
        end = len(text) if end < 0 else end
        yield start, end


_keys: set[str] = set()


@lru_cache(10_000)
def _is_known(word: str) -> bool:
    """Whether it is a key of Kafka's or librdkafka's with a dot, alone or behind a prefix, or an
    image's variable for one.
    """
    if not _keys:
        for table in {table for tables in TABLES.values() for table in tables}:
            _keys.update(catalogue.plane(table).keys())
        _keys.update(dialects.library(LIBRDKAFKA.name) or ())
    if "." in word:
        return any(key in _keys for key in _behind(word))
    if "_" in word and word.isupper():
        made = (family.key(word) or "" for family in images.families().values())
        return any(key in _keys or _prefixed(key) in _keys or _named(key) in _keys for key in made)
    return False


def _behind(word: str) -> Iterator[str]:
    """What a name with dots ends with, as long as a dot is in it: ``a.b.c``, ``b.c``."""
    while "." in word:
        yield word
        word = word.partition(".")[2]


def _named(key: str) -> str:
    """The key of several words behind a name that an application gives it: ``ORDERS_GROUP_ID``."""
    rest = key.partition(".")[2]
    return rest if "." in rest else ""


def _prefixed(key: str) -> str:
    """The key behind the prefix of a worker's own clients."""
    return next((key.removeprefix(p) for p in _PREFIXES if key.startswith(p)), "")

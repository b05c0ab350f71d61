"""Whether an application takes a property itself, by a class of properties or by its name.

Asked only of names that Spring Boot does not bind. The sources beside the file are looked through as
text; those of other modules are not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.folders import names_in
from kcheck.model import Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup
    from kcheck.formats.pairs import Pair

#: So many folders and sources are looked through.
_MOST_FOLDERS, _MOST_SOURCES = 200, 300
_SOURCES = (".java", ".kt", ".groovy")
_PREFIX = re.compile(
    r"@ConfigurationProperties\s*\(\s*(?:(?:prefix|value)\s*=\s*)?\[?\s*\"([\w.-]+)\""
)
_PROPERTY, _PROTOCOL = "spring.kafka", "security.protocol"
#: What makes clients of a map, and what of Boot's properties or of a protocol.
_FACTORY = re.compile(r"new\s+DefaultKafka(?:Producer|Consumer)Factory\s*<")
_BOOTS = re.compile(
    r"KafkaProperties|build(?:Producer|Consumer|Admin|Streams)Properties|SECURITY_PROTOCOL"
    r"|security\.protocol|SslBundle"
)


def leave_open(client: Resource, path: str, lookup: Lookup) -> None:
    """Take the protocol for unknown where the application makes its clients itself, with none that it or
    Boot would give them."""
    texts = sources(path, lookup, b"Kafka")
    if any(map(_FACTORY.search, texts)) and not any(map(_BOOTS.search, texts)):
        told = client.settings[_PROTOCOL]
        client.settings[_PROTOCOL] = Setting(
            _PROTOCOL, None, told.path, told.at, told.key_at, told.name
        )


def fill_in(clients: list[Resource], pairs: list[Pair]) -> None:
    """Take names that are empty for unknown where others of the file are, too: whoever runs the
    application fills them in."""
    if sum(pair.text == "" for pair in pairs) <= _MOST_EMPTY:
        return
    for client in clients:
        for key in _NAMES:
            told = client.settings.get(key)
            if told is not None and told.text == "":
                client.settings[key] = Setting(
                    key, None, told.path, told.at, told.key_at, told.name
                )


#: A file with more empty values than these is a form.
_MOST_EMPTY = 2
_NAMES = ("group.id", "client.id", "bootstrap.servers")


def leave_unread(clients: list[Resource], path: str, lookup: Lookup) -> None:
    """Take for unknown what the application does not take, of names of its own from which it takes
    others one by one: ``@Value("${app.kafka.servers}")``."""
    for client in clients:
        told = [setting for setting in client.settings.values() if setting.path == path]
        firsts = {setting.name.partition(".")[0] for setting in told}
        texts = [text for first in firsts for text in sources(path, lookup, first.encode())]
        read = {one.name for one in told if _alone(texts, one.name)}
        holders = {name.rpartition(".")[0] for name in read}
        for setting in told:
            holder = setting.name.rpartition(".")[0]
            if setting.name in read or holder not in holders or _bound(texts, setting.name):
                continue
            if setting.key == "transactional.id":
                # Its presence alone would make transactions of what the client sends.
                del client.settings[setting.key]
                continue
            client.settings[setting.key] = Setting(
                setting.key, None, path, setting.at, setting.key_at, setting.name
            )


def _alone(texts: list[str], name: str) -> bool:
    return any(f"{{{name}{end}" in text for text in texts for end in "}:")


def _bound(texts: list[str], name: str) -> bool:
    """Whether a source may take the property by the beginning of its name, or by a text with it."""
    parts = name.split(".")
    starts = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return any(f'"{start}{end}' in text for text in texts for start in starts for end in '".')


def sources(path: str, lookup: Lookup, word: bytes = _PROPERTY.encode()) -> list[str]:
    """The sources with a word, by default those that name Kafka's properties, of the application whose
    resources a file is among."""
    root, found, _ = path.partition("src/main/resources/")
    if not found:
        root, found, _ = path.partition("src/test/resources/")
    if not found:
        return []
    return [
        text
        for kind in ("main", "test")[: 1 + ("test" in found)]
        for language in ("java", "kotlin", "groovy")
        for text in _below(f"{root}src/{kind}/{language}/", lookup, word)
    ]


def _below(folder: str, lookup: Lookup, word: bytes) -> Iterator[str]:
    folders, looked, read = [folder], 0, 0
    while folders and looked < _MOST_FOLDERS:
        here = folders.pop()
        looked += 1
        for name in names_in(here, lookup) or ():
            if name.endswith(_SOURCES) and read < _MOST_SOURCES:
                read += 1
                data = lookup(here + name) or b""
                if word in data:
                    yield data.decode("utf-8", "replace")
            elif name and "." not in name:
                folders.append(f"{here}{name}/")


def take(texts: list[str], name: str) -> bool:
    """Whether one of the sources takes the property: by its name, or by a class with its prefix that has
    a field of its own for it."""
    for text in texts:
        if f"{name}}}" in text or f"{name}:" in text or f'"{name}"' in text:
            return True
        for found in _PREFIX.finditer(text):
            prefix = found[1]
            field = name.removeprefix(f"{prefix}.").partition(".")[0]
            if name.startswith(f"{prefix}.") and _squeezed(field) in _squeezed(text[found.end() :]):
                return True
    return False


def _squeezed(text: str) -> str:
    return text.lower().replace("-", "").replace("_", "")

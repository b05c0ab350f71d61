"""Clients that scripts start with ``kcat``, or ``kafkacat`` as it was called before 1.7.

What stands behind ``-X`` are settings of librdkafka. A call without any of them is left out: it says no
more than where the brokers are.
"""

from __future__ import annotations

import re

from kcheck import libraries
from kcheck.formats.commands.tools import is_known
from kcheck.model import Resource, Setting
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word

#: What a file has that holds anything of this.
SIGNS = (b"kcat", b"kafkacat")
OPTION = b"-X"
#: The tool by its name, or its image.
_TOOL = re.compile(r"(?:\S*/)?(?:kcat|kafkacat)(?::[\w.-]+)?")
_MODES = {"-P": "producer", "-C": "consumer", "-G": "consumer"}
_BROKERS = "bootstrap.servers"
#: Words of ``-X`` that are no setting; ``topic.`` may stand before one of a topic.
_ASKS, _TOPICS = ("list", "dump"), "topic."


def clients(calls: list[Call], path: str, place: Placed) -> list[Resource]:
    """The clients of the commands of a text."""
    made: list[Resource] = []
    for call in calls:
        if call.prints:
            continue
        at = next((n for n, word in enumerate(call.words) if _TOOL.fullmatch(word.text)), None)
        client = None if at is None else _client(call.words[at], call.words[at + 1 :], path, place)
        if client is not None:
            client.traits.conditional = call.conditional
            made.append(client)
    return made


def _client(tool: Word, words: list[Word], path: str, place: Placed) -> Resource | None:
    kind, found, brokers = "client", 0, None
    client = Resource(kind, "kcat", path, place(tool.start, tool.end))
    client.dialect = libraries.LIBRDKAFKA.name
    # It is run by hand: the brokers beside the script tell nothing of it.
    client.traits.apart = True
    for number, word in enumerate(words):
        option, told = word.text[:2], word.part(2)
        if not told.text and option in ("-X", "-b", "-F"):
            if number + 1 == len(words):
                break
            told = words[number + 1]
        if option == "-X" and told.text.partition("=")[0] not in _ASKS:
            found += _take(client, told, path, place)
        elif option == "-b":
            brokers = told
        elif option == "-F":
            client.traits.partial = True
        elif word.text in _MODES:
            kind = _MODES[word.text]
    if not found:
        return None
    client.kind = client.plane = kind
    if brokers is not None and brokers.text:
        at = place(brokers.start, brokers.end)
        text = brokers.text if is_known(brokers) else None
        client.settings[_BROKERS] = Setting(_BROKERS, text, path, at, name="-b")
    return client


def _take(client: Resource, told: Word, path: str, place: Placed) -> int:
    """Take ``key=value``; a key that the text does not tell makes the client a part of one."""
    key, equals, _ = told.text.partition("=")
    if not equals or not is_known(told.part(0, len(key))):
        client.traits.partial = True
        return 0
    value = told.part(len(key) + 1)
    name = key.removeprefix(_TOPICS)
    key_at = place(told.start, told.part(0, len(key)).end)
    at = place(value.start, value.end) if value.text else key_at
    text = value.text if is_known(value) else None
    client.settings[name] = Setting(name, text, path, at, key_at, key)
    return 1


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed

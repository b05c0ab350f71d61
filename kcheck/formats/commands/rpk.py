"""Topics that ``rpk topic create`` makes: Redpanda's tool, whose names are arguments, several of which
have the same partitions, replicas and configuration.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.commands.tools import is_known
from kcheck.model import REDPANDA, Resource, Setting
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word
from kcheck.units import whole

#: Options with a value, by what they are; all others but the flags have one that is of no interest.
_COUNTS = {
    "-p": "partitions",
    "--partitions": "partitions",
    "-r": "replication.factor",
    "--replicas": "replication.factor",
}
_CONFIGS = ("-c", "--topic-config")
_BROKERS = ("--brokers",)
_FLAGS = ("-d", "--dry", "-v", "--verbose", "--if-not-exists", "-h", "--help")


def topics(calls: list[Call], path: str, place: Placed) -> Iterator[Resource]:
    """The topics of each call, at their names."""
    for call in calls:
        words = _arguments(call)
        options = [*_options(words)]
        for name, value in options:
            if not name.text and value is not None and is_known(value) and value.text:
                made = Resource("topic", value.text, path, place(value.start, value.end))
                made.traits.conditional = call.conditional
                made.traits.product = REDPANDA
                _fill(made, options, place)
                yield made


def _arguments(call: Call) -> list[Word]:
    """What stands behind ``rpk topic create``."""
    texts = [word.text for word in call.words]
    for number, text in enumerate(texts if not call.prints else ()):
        if text.rpartition("/")[2] == "rpk" and texts[number + 1 : number + 3] == [
            "topic",
            "create",
        ]:
            return call.words[number + 3 :]
    return []


def _options(words: list[Word]) -> Iterator[tuple[Word, Word | None]]:
    """The options with their values; an argument is the value of an empty name."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.text.startswith("-"):
            yield word.part(0, 0), word
            continue
        name, equals, _ = word.text.partition("=")
        short = not word.text.startswith("--")
        if word.text in _FLAGS:
            continue
        if short and len(word.text) > 2:
            yield word.part(0, 2), word.part(3 if word.text[2] == "=" else 2)
        elif equals and not short:
            yield word.part(0, len(name)), word.part(len(name) + 1)
        else:
            yield word, words[at] if at < len(words) else None
            at += 1


def _fill(made: Resource, options: list[tuple[Word, Word | None]], place: Placed) -> None:
    for name, value in options:
        if value is None:
            continue
        if name.text in _COUNTS:
            key = _COUNTS[name.text]
            count = made.facts[key] = _setting(key, name, value, made.path, place)
            count.amount = whole(count.text) if count.text is not None else None
        elif name.text in _CONFIGS:
            key, equals, _ = value.text.partition("=")
            named = value.part(0, len(key))
            if equals and is_known(named):
                told = value.part(len(key) + 1)
                made.settings[key] = _setting(key, named, told, made.path, place)
        elif name.text in _BROKERS:
            made.traits.asks = (_setting("bootstrap.servers", name, value, made.path, place),)


def _setting(key: str, name: Word, value: Word, path: str, place: Placed) -> Setting:
    text = value.text if is_known(value) else None
    at, key_at = place(value.start, value.end), place(name.start, name.end)
    return Setting(key, text, path, at, key_at, name.text)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed

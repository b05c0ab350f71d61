"""Topics that ``rpk topic create`` makes and ``rpk topic alter-config`` changes: Redpanda's tool, whose
names are arguments, several of which have the same partitions, replicas and configuration.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.commands import dynamic
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
_SET = ("-s", "--set")
_BROKERS = ("--brokers",)
#: Settings of rpk itself, of which the brokers are one: ``-X brokers=…``.
_OWN = ("-X", "--config-opt")
_FLAGS = ("-d", "--dry", "-v", "--verbose", "--if-not-exists", "-h", "--help")


def topics(calls: list[Call], path: str, place: Placed) -> Iterator[Resource]:
    """The topics of each call, at their names."""
    for call in calls:
        options = [*_options(_arguments(call, "create"))]
        for value in _names(options):
            made = Resource("topic", value.text, path, place(value.start, value.end))
            made.traits.conditional = call.conditional
            made.traits.product = REDPANDA
            _fill(made, options, _CONFIGS, place)
            yield made


def altered(
    calls: list[Call], made: list[Resource], path: str, place: Placed
) -> Iterator[Resource]:
    """The topics whose configuration is changed; of those that the script itself has ``made``, it
    becomes theirs."""
    created = {one.name: one for one in made if one.kind == "topic"}
    for call in calls:
        options = [*_options(_arguments(call, "alter-config"))]
        sets = any(name.text in _SET for name, _ in options)
        for value in _names(options) if sets else ():
            topic = created.get(value.text)
            if topic is None:
                topic = dynamic.changed(value, path, place)
                topic.traits.product = REDPANDA
                yield topic
            _fill(topic, options, _SET, place)


def _names(options: list[tuple[Word, Word | None]]) -> Iterator[Word]:
    for name, value in options:
        if not name.text and value is not None and is_known(value) and value.text:
            yield value


def _arguments(call: Call, verb: str) -> list[Word]:
    """What ``rpk topic`` and a verb are given, before and behind these words."""
    texts = [word.text for word in call.words]
    for number, text in enumerate(texts if not call.prints else ()):
        if text.rpartition("/")[2] != "rpk":
            continue
        at = number + 1
        while texts[at : at + 1] and texts[at] in _OWN:
            at += 2
        if texts[at : at + 2] == ["topic", verb]:
            return [*call.words[number + 1 : at], *call.words[at + 2 :]]
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


def _fill(
    made: Resource,
    options: list[tuple[Word, Word | None]],
    settings: tuple[str, ...],
    place: Placed,
) -> None:
    for name, value in options:
        if value is None:
            continue
        if name.text in _COUNTS:
            key = _COUNTS[name.text]
            count = made.facts[key] = _setting(key, name, value, made.path, place)
            count.amount = whole(count.text) if count.text is not None else None
        elif name.text in settings:
            key, equals, _ = value.text.partition("=")
            named = value.part(0, len(key))
            if equals and is_known(named):
                told = value.part(len(key) + 1)
                made.settings[key] = _setting(key, named, told, made.path, place)
        elif name.text in _OWN and value.text.startswith("brokers="):
            told = value.part(len("brokers="))
            made.traits.asks = (_setting("bootstrap.servers", name, told, made.path, place),)
        elif name.text in _BROKERS:
            made.traits.asks = (_setting("bootstrap.servers", name, value, made.path, place),)


def _setting(key: str, name: Word, value: Word, path: str, place: Placed) -> Setting:
    text = value.text if is_known(value) else None
    at, key_at = place(value.start, value.end), place(name.start, name.end)
    return Setting(key, text, path, at, key_at, name.text)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed

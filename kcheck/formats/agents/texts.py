"""Values of programs' options that the format reads otherwise than they are meant."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import unknown_words
from kcheck.model import ERROR, WARNING, Position, Problem, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.agents.options import Option

#: Options that take a version of Kafka as a text.
_VERSIONS = {"beats": ("version",), "otel-collector": ("protocol_version",)}
#: Behind these a program takes texts alone (vectordotdev/vector, a map of texts to texts).
_TEXTS = {"vector": "librdkafka_options."}
#: Options that take one topic.
_ONE = ("topic", "topic_id")
#: How the one option of Flink's separates topics.
_SEPARATORS = {"flink": ";"}


def faults(
    path: str, program: str, called: str, owner: str, options: list[Option]
) -> Iterator[Problem]:
    """What is wrong with the texts of a plugin's options; ``owner`` is the plugin."""
    for option in options:
        if option.rounded and option.name in _VERSIONS.get(program, ()):
            yield _rounded(path, called, owner, option)
        if option.number and option.name.startswith(_TEXTS.get(program, "\0")):
            yield _number(path, called, owner, option)
        if option.name in _ONE and option.text:
            separator = _SEPARATORS.get(program, "")
            yield from joined(path, owner, (option.name, option.text, option.at), separator)


def joined(
    path: str, owner: str, option: tuple[str, str, Position], separator: str = ""
) -> Iterator[Problem]:
    """Several topics in the text of one; ``option`` is its name, its text and its place."""
    name, text, at = option
    if "," not in text or any(sign in text for sign in "%{$!"):
        return
    yield Problem(
        f"{owner}: {name}={text} is one topic with a comma in its name",
        at,
        unknown_words.WORDS,
        WARNING,
        "Kafka rejects the name (InvalidTopicException)",
        f"separate the topics by {separator}" if separator else "list the topics one by one",
        setting=Setting(name, text, path, at),
    )


def _rounded(path: str, called: str, owner: str, option: Option) -> Problem:
    """A version whose last digit is a zero, without quotes: YAML reads a number."""
    return Problem(
        f"{owner}: {option.name}={option.text} is the number {option.rounded} in YAML",
        option.at,
        unknown_words.WORDS,
        ERROR,
        f"{called} read{'' if called.endswith('s') else 's'} version {option.rounded}, which "
        "does not exist or is another one",
        f'set {option.name} to "{option.text}" with quotes',
        setting=Setting(option.name, option.text, path, option.at),
    )


def _number(path: str, called: str, owner: str, option: Option) -> Problem:
    """A number without quotes where the program reads texts alone."""
    return Problem(
        f"{owner}: {option.name}={option.text} is no text",
        option.at,
        unknown_words.WORDS,
        ERROR,
        f"{called} rejects the configuration: invalid type, expected a string",
        f'set {option.name} to "{option.text}" with quotes',
        setting=Setting(option.name.partition(".")[2], option.text, path, option.at),
    )

"""What a channel of SmallRye's Kafka connector does with records that cannot be processed.

``failure-strategy`` and ``commit-strategy`` name beans: those of the connector, or the application's
own with that identifier (KafkaSource.createFailureHandler of smallrye-reactive-messaging@d22275a).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kcheck.formats.pairs import Pair
from kcheck.formats.text import templated
from kcheck.lexicon import fields
from kcheck.model import DeadLetters, Derived, Note, Setting

#: The strategies of an attribute, other words for them, and the default where there is one.
_STRATEGIES = {
    "failure-strategy": ("fail", "ignore", "dead-letter-queue", "delayed-retry-topic"),
    "commit-strategy": ("latest", "ignore", "throttled", "checkpoint"),
}
_INSTEAD = {
    "dlq": "dead-letter-queue",
    "dead-letter": "dead-letter-queue",
    "dead-letter-topic": "dead-letter-queue",
    "dlt": "dead-letter-queue",
    "retry": "delayed-retry-topic",
    "delayed-retry": "delayed-retry-topic",
    "retry-topic": "delayed-retry-topic",
    "fail-fast": "fail",
    "fail-stop": "fail",
    "skip": "ignore",
    "throttle": "throttled",
}
_QUEUE = "dead-letter-queue.topic"
_BEANS = {"failure-strategy": "KafkaFailureHandler", "commit-strategy": "KafkaCommitHandler"}
#: Attributes by their beginning: the attribute that makes use of them, its values that do, the
#: default ("" where it depends on other settings).
_USED = (
    (
        "dead-letter-queue.",
        "failure-strategy",
        ("dead-letter-queue", "delayed-retry-topic"),
        "fail",
    ),
    ("delayed-retry-topic.", "failure-strategy", ("delayed-retry-topic",), "fail"),
    ("checkpoint.", "commit-strategy", ("checkpoint",), "throttled"),
)


def notes(
    channel: str,
    given: Mapping[str, Pair],
    texts: Mapping[str, str | None],
    topics: Iterable[str],
) -> Iterator[Note]:
    """Notes on the strategies of a channel; ``given`` are its attributes, ``texts`` their values, and
    ``topics`` what it reads, as far as that is known."""
    told = {name: texts.get(name) for name in _STRATEGIES if name in given}
    for name, text in told.items():
        right = _meant(name, text)
        if right:
            pair = given[name]
            yield Note(
                "KC0953",
                _spot(name, pair),
                f"{pair.name}={text} names no strategy of the connector; did you mean {right}?",
                "the application fails to start, unless it has a "
                f"{_BEANS[name]}.Factory with the identifier {text}",
                f"set {pair.name}={right}",
            )
    yield from _loop(channel, given, texts, topics)
    for beginning, name, users, default in _USED:
        key = next((key for key in given if key.startswith(beginning)), "")
        text = told.get(name, default)
        if not key or text is None or text in users or text not in _STRATEGIES[name]:
            continue
        stated = f"{name}={text}" + ("" if name in told else " (default)")
        pair = given[key]
        prefix = pair.name.removesuffix(key)
        yield Note(
            "KC0954",
            _spot(key, pair),
            f"{pair.name} has no effect: channel {channel} has {stated}",
            "the first record that cannot be processed stops the channel"
            if text == "fail"
            else f"{text} does not use it",
            f"set {prefix if prefix != pair.name else ''}{name}={users[0]}, or remove {pair.name}",
            others=(_spot(name, given[name]),) if name in told else (),
        )


def failed(
    channel: str, given: Mapping[str, Pair], texts: Mapping[str, str | None]
) -> DeadLetters | None:
    """Where a channel sends the records that it cannot process (KafkaDeadLetterQueue)."""
    strategy, queue = given.get("failure-strategy"), given.get(_QUEUE)
    if strategy is None or texts.get("failure-strategy") != "dead-letter-queue":
        return None
    if queue is not None:
        text = texts.get(_QUEUE)
        return DeadLetters(_spot(_QUEUE, queue)) if text and not templated(text) else None
    place = (strategy.path, strategy.at, strategy.key_at, strategy.name)
    return DeadLetters(Derived(_QUEUE, f"dead-letter-topic-{channel}", *place))


def _loop(
    channel: str,
    given: Mapping[str, Pair],
    texts: Mapping[str, str | None],
    topics: Iterable[str],
) -> Iterator[Note]:
    """A note on a dead-letter topic that the channel reads itself."""
    queue = texts.get(_QUEUE)
    used = texts.get("failure-strategy") in ("dead-letter-queue", "delayed-retry-topic")
    if queue and used and queue in topics:
        pair = given[_QUEUE]
        yield Note(
            "KC0955",
            _spot(_QUEUE, pair),
            f"{pair.name}={queue} is also the topic of channel {channel}",
            "records that cannot be processed are read again endlessly",
            "set another topic for dead letters",
        )


def _meant(name: str, text: str | None) -> str:
    """The strategy that a text, which is none, nearly is."""
    if not text or templated(text) or text in _STRATEGIES[name]:
        return ""
    found = _INSTEAD.get(text.lower().replace("_", "-"), "")
    return found if found in _STRATEGIES[name] else fields.near(text, _STRATEGIES[name])


def _spot(key: str, pair: Pair) -> Setting:
    return Setting(key, pair.text, pair.path, pair.at, pair.key_at, pair.name)

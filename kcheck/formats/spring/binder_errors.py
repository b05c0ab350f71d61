"""What the message binder of Spring Cloud Stream does with records that cannot be processed."""

from __future__ import annotations

from kcheck.formats.pairs import Pair
from kcheck.formats.text import templated
from kcheck.model import ERROR, DeadLetters, Derived, Note, Resource, Retries, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.spring.binders import Binders
    from kcheck.formats.spring.bindings import Binding

_ENABLE = "consumer.enabledlq"
#: Settings of the dead-letter queue that only enable-dlq makes use of.
_OF_QUEUE = ("consumer.dlqname", "consumer.dlqpartitions", "consumer.dlqproducerproperties")
#: The retry template's properties and their defaults (ConsumerProperties of spring-cloud-stream).
_ATTEMPTS, _FIRST = "consumer.maxattempts", "consumer.backoffinitialinterval"
_FACTOR, _LONGEST = "consumer.backoffmultiplier", "consumer.backoffmaxinterval"
_DEFAULTS = {_ATTEMPTS: 3.0, _FIRST: 1000.0, _FACTOR: 2.0, _LONGEST: 10000.0}
#: What lets somebody else decide: a batch, a template of the application's, exceptions by name.
_OTHERWISE = ("consumer.batchmode", "consumer.retrytemplatename", "consumer.defaultretryable")
#: No pause is as long, and no number that is none.
_BEYOND = 1e12
#: No sum of more pauses is worth its loop.
_MOST = 10_000


def tell(client: Resource, binders: Binders, binding: Binding, group: Pair | None) -> None:
    """Note what is wrong with the error path of a consumer's binding, and how long it retries."""
    enabled = binding.own.get(_ENABLE) or binders.own_defaults.get(_ENABLE)
    _queue(client, binders, binding, enabled, group)
    client.traits.retries = _retries(binders, binding)


def _queue(
    client: Resource, binders: Binders, binding: Binding, enabled: Pair | None, group: Pair | None
) -> None:
    on = _text(binders, enabled)
    if enabled is not None and on == "true":
        if binding.pattern:
            client.notes.append(
                _note(
                    "KC0955",
                    enabled,
                    f"{enabled.name}=true, but the destination of {binding.name} is a pattern",
                    "the application fails to start: enableDlq is not allowed with a topic pattern",
                    "remove destination-is-pattern or enable-dlq",
                    ERROR,
                )
            )
        elif group is None or group.text == "":
            client.notes.append(
                _note(
                    "KC0955",
                    enabled,
                    f"{enabled.name}=true, but {binding.name} has no group",
                    "the application fails to start: DLQ support is not available for anonymous "
                    "subscriptions, unless another profile or a variable sets the group",
                    f"set spring.cloud.stream.bindings.{binding.name}.group",
                )
            )
        else:
            _loop(client, binders, binding)
            client.traits.failed = _failed(client, binders, binding, enabled, group)
        return
    if on not in ("", "false"):
        return
    for word, pair in binding.own.items():
        if word.startswith(_OF_QUEUE):
            client.notes.append(
                _note(
                    "KC0954",
                    pair,
                    f"{pair.name} is set, but enable-dlq is not true for {binding.name}",
                    "no record is sent to a dead-letter queue: after the last attempt it is logged and "
                    "skipped",
                    f"set spring.cloud.stream.kafka.bindings.{binding.name}.consumer.enable-dlq=true",
                )
            )
            return


def _failed(
    client: Resource, binders: Binders, binding: Binding, enabled: Pair, group: Pair
) -> DeadLetters | None:
    """Where the records go: to the partition that they had, unless the queue has one alone."""
    queue, topics = binding.own.get("consumer.dlqname"), client.traits.topics or ()
    name = binders.reader.texts.filled(queue.text) if queue is not None else None
    aligned = "consumer.dlqpartitions" not in binding.own
    if queue is not None:
        return DeadLetters(queue.setting(queue.name, name), aligned) if name else None
    ours = binders.reader.texts.filled(group.text)
    if len(topics) != 1 or not ours:
        return None
    place = (enabled.path, enabled.at, enabled.key_at, enabled.name)
    return DeadLetters(Derived(enabled.name, f"error.{topics[0]}.{ours}", *place), aligned)


def _loop(client: Resource, binders: Binders, binding: Binding) -> None:
    """Note a dead-letter queue that the binding reads itself."""
    queue = binding.own.get("consumer.dlqname")
    name = _text(binders, queue)
    if queue is not None and name and name in (client.traits.topics or ()):
        client.notes.append(
            _note(
                "KC0955",
                queue,
                f"{queue.name}={name} is also the destination of {binding.name}",
                "records that cannot be processed are read again endlessly",
                "set dlq-name to a topic that the binding does not read",
            )
        )


def _retries(binders: Binders, binding: Binding) -> Retries | None:
    """How long the retry template sleeps at most between the attempts at one record."""
    given = {word: binding.plain.get(word) or binders.defaults.get(word) for word in _DEFAULTS}
    others = (binding.plain.get(word) or binders.defaults.get(word) for word in _OTHERWISE)
    if (
        any(other is not None for other in others)
        or "transactional.id" in binders.binder["producer"]
    ):
        return None
    numbers: dict[str, float] = {}
    for word, default in _DEFAULTS.items():
        pair = given[word]
        text = _text(binders, pair)
        try:
            numbers[word] = default if pair is None else float(text)
        except ValueError:
            return None
        if not -_BEYOND < numbers[word] < _BEYOND:
            return None
    pause, total = numbers[_FIRST], 0.0
    count = int(numbers[_ATTEMPTS]) - 1
    if not 0 < count <= _MOST:
        return None
    for _ in range(count):
        total += min(pause, numbers[_LONGEST])
        pause = min(pause * numbers[_FACTOR], numbers[_LONGEST])
    told = tuple(pair.setting(pair.name, pair.text) for pair in given.values() if pair is not None)
    return Retries(int(total), told, f"{count + 1} attempts at a record") if told else None


def _text(binders: Binders, pair: Pair | None) -> str:
    """The text of a pair in lower case; "" where there is none, "?" where it is filled in later."""
    if pair is None:
        return ""
    text = binders.reader.texts.filled(pair.text)
    return "?" if text is None or templated(text) else text.strip().lower()


def _note(
    code: str, pair: Pair, message: str, consequence: str, fix: str, severity: str = ""
) -> Note:
    spot = Setting(pair.name, pair.text, pair.path, pair.at, pair.key_at, pair.name)
    return Note(code, spot, message, consequence, fix, severity)

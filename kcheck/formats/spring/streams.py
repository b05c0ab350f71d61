"""The applications of the Kafka Streams binder, whose tree is its own: the message binder reads none of it.

An application of Spring's may have several binders of that kind, each with a name, an environment and
clusters of its own, and each function is an application of Kafka Streams'.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.spring.binder_levels import PREFIX
from kcheck.formats.spring.binders import Binders, function_of
from kcheck.formats.spring.bindings import FUNCTION, Binding, destinations
from kcheck.model import INFO, WARNING, Note, Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.spring.clients import Reader


def applications(reader: Reader, binders: Binders) -> list[Resource]:
    """The Streams applications of all binders of that kind."""
    named = [name for name in binders.names if binders.runs_streams(name)]
    if not named:
        return _of_binder(reader, binders, "")
    return [one for name in named for one in _of_binder(reader, binders.of(name), name)]


def _of_binder(reader: Reader, binders: Binders, name: str) -> list[Resource]:
    """The Streams applications of one binder, of which ``name`` may be ""."""
    mine = [b for b in binders.bindings.values() if name and _has(binders, b, name)]
    first = binders.streams_first or (mine[0].first if mine else None)
    if first is None:
        return []
    base = [*binders.reader.layers("streams"), (binders.streams, False)]
    made = [
        reader.application.client("streams", first.key_at, [*base, (layer, False)])
        for layer in binders.applications.values()
    ]
    others = {function_of(b.name) for b in mine if "-in-" in b.name} - binders.applications.keys()
    if not made or others:
        made.append(reader.application.client("streams", first.key_at, base))
    if len(made) == 1:
        _flows(reader, binders, made[0], name)
    made[0].notes.extend(_one_id(binders, name))
    made[0].notes.extend(_of_the_other(binders))
    made[0].notes.extend(_without_brokers(binders, made))
    for binding in binders.bindings.values():
        made[0].notes.extend(binding.notes if binding.streams else ())
    return made


def _without_brokers(binders: Binders, made: list[Resource]) -> Iterator[Note]:
    """A note where brokers are told to the message binder alone."""
    if binders.brokers is None or any("bootstrap.servers" in one.settings for one in made):
        return
    pair = binders.brokers
    right = f"{PREFIX}kafka.streams.binder.brokers"
    yield Note(
        "KC0132",
        Setting(pair.name, pair.text, pair.path, pair.key_at, pair.key_at, pair.name),
        f"{pair.name} is read only by the message binder, so the Kafka Streams binder of this "
        "application has no brokers",
        "the Streams application connects to localhost:9092",
        f"set {right}",
        # That is where it asked for them.
        INFO if pair.text in ("localhost", "localhost:9092") else WARNING,
    )


def _flows(reader: Reader, binders: Binders, streams: Resource, name: str) -> None:
    """The topics that the one Streams application reads and writes, where all of them are told."""
    for part, direction in (("-in-", "topics"), ("-out-", "writes")):
        bindings = [
            b for b in binders.bindings.values() if part in b.name and _has(binders, b, name)
        ]
        topics = [destinations(reader, binding) for binding in bindings]
        if topics and None not in topics:
            told = tuple(name for names in topics for name in names or ())
            setattr(streams.traits, direction, told)


def _has(binders: Binders, binding: Binding, name: str) -> bool:
    """Whether the Streams binder of that name ("" for the only one) has the binding."""
    if name:
        return binders.name_of(binding) == name
    told = binding.plain.get("binder")
    if told is None:
        return binding.streams or not (binding.layers or binding.topic)
    return binders.runs_streams(told.text or "")


def _one_id(binders: Binders, name: str) -> Iterator[Note]:
    """A note where several processors of the Streams binder have one application's id.

    Inputs of one function are told by their names; of other bindings nobody knows which processor
    they belong to.
    """
    shared = binders.shared or binders.group
    inputs = [
        one for one in binders.inputs if not name or _has(binders, binders.bindings[one], name)
    ]
    processors = {function_of(one) for one in inputs}
    if shared is None or not shared.text or binders.applications or len(processors) < 2:
        return
    names = sorted(processors)
    key = "application.id" if shared is binders.shared else "spring.cloud.stream.default.group"
    yield Note(
        "KC1509",
        Setting(key, shared.text, shared.path, shared.at, shared.key_at, shared.name),
        f"{', '.join(names[:-1])} and {names[-1]} share {shared.name}={shared.text} as their "
        "application.id",
        "if they are separate processors, each is assigned partitions of topics that it does not "
        "read: only one of them gets records",
        "set a unique applicationId for each processor",
    )


def _only_function(binders: Binders) -> str:
    """The one function that the application has; "" where it may have others, or other bindings.

    With one function, one of the two binders has nothing to bind.
    """
    definition = binders.definition
    told = binders.reader.texts.filled(definition.text) if definition else ""
    if told is None or any(sign in told for sign in ",;|"):
        return ""
    if binders.types or binders.elsewhere or binders.other_work:
        return ""
    names = {FUNCTION.sub("", name) for name in binders.bindings if FUNCTION.search(name)}
    if told.strip():
        names.add(told.strip())
    alike = all(
        FUNCTION.search(name)
        and binding.plain.get("binder") is None
        and not binding.layers
        and not binding.topic
        for name, binding in binders.bindings.items()
    )
    return names.pop() if alike and len(names) == 1 else ""


def _of_the_other(binders: Binders) -> Iterator[Note]:
    """Notes on how topics are to be made, told to the binder that the application does not use."""
    function = _only_function(binders)
    for word, pair in binders.of_topics.items() if function else ():
        if word in binders.told_streams:
            continue
        right = pair.name.replace(".binder", ".streams.binder")
        yield Note(
            "KC0134",
            Setting(pair.name, pair.text, pair.path, pair.at, pair.key_at, pair.name),
            f"{pair.name} is read only by the message binder, but {function}, the only function of "
            "this application, uses the Kafka Streams binder",
            "the Streams binder creates its topics with its own default",
            f"set {right}",
        )

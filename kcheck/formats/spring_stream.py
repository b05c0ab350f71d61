"""Spring Cloud Stream on Kafka: the message binder's bindings, and the Kafka Streams binder.

A binding is a consumer or a producer of its destination. It gets what Boot gives to its clients,
then the binder's configuration, then its own. A binder with a name has an environment of its own,
which goes over the application's. The Streams binder has a tree of its own and reads nothing of the
other's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.binder_levels import PREFIX
from kcheck.formats.spring_binders import Binders, Binding
from kcheck.model import INFO, START, WARNING, Creation, Note, Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.spring import Reader

#: Serializers of other things than bytes.
_SERIALIZER = re.compile(
    r"org\.apache\.kafka\.common\.serialization\.(?!Byte)\w+Serializer"
    r"|(?:io\.confluent\.kafka|org\.springframework\.kafka|io\.apicurio\.registry)\.[\w.]+Serializer"
)
#: The end of a binding's name where it is made of its function's.
_FUNCTION = re.compile(r"-(?:in|out)-\d+$")


def clients(reader: Reader) -> list[Resource]:
    """The clients of all bindings, and the applications of the Streams binder."""
    binders = Binders(reader)
    made = [r for b in binders.bindings.values() if (r := _bound(reader, binders, b)) is not None]
    made += _applications(reader, binders)
    if made:
        from kcheck.formats import binder_names

        made[0].notes.extend(binder_names.notes(binders))
    for one in () if made else _asking(binders):
        layers = [*one.reader.layers(""), (one.binder[""], True)]
        at = one.brokers.key_at if one.brokers is not None else START
        made.append(reader.application.client("client", at, layers))
    for client in made[:1]:
        client.notes.extend(binders.notes)
    return made


def _asking(binders: Binders) -> list[Binders]:
    """The binders that are told brokers, of an application whose bindings nobody lists."""
    named = [binders.of(name) for name in sorted(binders.elsewhere) if binders.for_kafka(name)]
    found = [one for one in named or [binders] if one.brokers is not None]
    return found if len({id(one.brokers) for one in found}) == len(found) else found[:1]


def _bound(reader: Reader, binders: Binders, binding: Binding) -> Resource | None:
    side = binding.side
    if not side or binders.foreign(binding):
        return None
    mine = binders.of(binders.name_of(binding))
    layers = mine.reader.layers(side)
    layers += [(mine.binder[""], True), (mine.binder[side], False)]
    own = dict(binding.layers.get(side, {}))
    group = binding.plain.get("group") or binders.group
    if side == "consumer" and group is not None:
        own["group.id"] = group.setting("group.id", reader.texts.filled(group.text))
    layers.append((own, False))
    topics = _destinations(reader, binding)
    if not any(layer for layer, _ in layers):
        return None
    at = binding.first.key_at
    if binding.topic and topics:
        topic = Resource("topic", topics[0], reader.path, at)
        topic.settings.update(binding.topic)
        topic.traits.application = reader.application.owner
        reader.application.document.resources.append(topic)
    client = reader.application.client(side, at, layers, topics=topics)
    client.notes.extend(binding.notes)
    made = _provisioned(mine, binding)
    if made is not None:
        client.traits.creates = (made,)
    if side == "producer":
        client.notes.extend(_encoding(mine, binding))
    if side == "consumer":
        from kcheck.formats import binder_errors

        binder_errors.tell(client, mine, binding, group)
        for word, name in (("concurrency", "concurrency"), ("instancecount", "instances")):
            pair = binding.plain.get(f"consumer.{word}") or binders.counts.get(word)
            if pair is not None:
                count = pair.setting(name, reader.texts.filled(pair.text))
                setattr(client.traits, name, count)
    return client


def _encoding(binders: Binders, binding: Binding) -> Iterator[Note]:
    """A note where the binder gives a serializer bytes: the framework converts the payload first."""
    key, word = "value.serializer", "producer.usenativeencoding"
    told = binding.layers.get("producer", {}).get(key) or binders.binder["producer"].get(key)
    if told is None or not _SERIALIZER.fullmatch(told.text or ""):
        return
    if word in binding.plain or word in binders.defaults:
        pair = binding.plain.get(word) or binders.defaults[word]
        if binders.reader.texts.filled(pair.text) != "false":
            return
    right = f"{PREFIX}bindings.{binding.name}.producer.use-native-encoding"
    yield Note(
        "KC0634",
        told,
        f"binding {binding.name} sets {key}={told.text}, but not use-native-encoding",
        "the framework converts the payload to bytes first: the serializer gets byte[] instead of the "
        "object, and fails or writes bytes within its own format",
        f"set {right}=true",
    )


def _provisioned(binders: Binders, binding: Binding) -> Creation | None:
    """How the binder creates the destination, where its properties say with how many replicas."""
    if (told := binders.of_topics.get("autocreatetopics")) and (told.text or "") != "true":
        return None
    pair = binding.copies or binders.of_topics.get("replicationfactor")
    if pair is None:
        return None
    factor = pair.setting("replication.factor", binders.reader.texts.filled(pair.text))
    # -1 is the brokers' default.
    return Creation("its destination", factor.key, factor, -1)


def _destinations(reader: Reader, binding: Binding) -> list[str] | None:
    """The topics of a binding, which has its own name for one; None where they are not known."""
    destination = binding.plain.get("destination")
    names = reader.texts.filled(destination.text) if destination else binding.name
    return [name.strip() for name in names.split(",")] if names and not binding.pattern else None


def _flows(reader: Reader, binders: Binders, streams: Resource) -> None:
    """The topics that the one Streams application reads and writes, where all of them are told."""
    for part, direction in (("-in-", "topics"), ("-out-", "writes")):
        bindings = [
            b for b in binders.bindings.values() if part in b.name and not _others(binders, b)
        ]
        topics = [_destinations(reader, binding) for binding in bindings]
        if topics and None not in topics:
            told = tuple(name for names in topics for name in names or ())
            setattr(streams.traits, direction, told)


def _others(binders: Binders, binding: Binding) -> bool:
    """Whether the message binder has the binding, or another binder than Kafka's."""
    told = binding.plain.get("binder")
    if told is None:
        return bool(binding.layers or binding.topic) and not binding.streams
    kind = binders.types.get(told.text or "", told.text or "")
    return kind not in ("kstream", "ktable", "globalktable")


def _one_id(binders: Binders) -> Iterator[Note]:
    """A note where several processors of the Streams binder have one application's id.

    Inputs of one function are told by their names; of other bindings nobody knows which processor
    they belong to.
    """
    shared = binders.shared or binders.group
    processors = {name.partition("-in-")[0] for name in binders.inputs}
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
    names = {_FUNCTION.sub("", name) for name in binders.bindings if _FUNCTION.search(name)}
    if told.strip():
        names.add(told.strip())
    alike = all(
        _FUNCTION.search(name)
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


def _applications(reader: Reader, binders: Binders) -> list[Resource]:
    first = binders.streams_first
    if first is None:
        return []
    base = [*reader.layers("streams"), (binders.streams, False)]
    made = [
        reader.application.client("streams", first.key_at, [*base, (layer, False)])
        for layer in binders.applications.values()
    ] or [reader.application.client("streams", first.key_at, base)]
    if len(made) == 1:
        _flows(reader, binders, made[0])
    made[0].notes.extend(_one_id(binders))
    made[0].notes.extend(_of_the_other(binders))
    for binding in binders.bindings.values():
        made[0].notes.extend(binding.notes if binding.streams else ())
    if binders.brokers is not None and all("bootstrap.servers" not in r.settings for r in made):
        pair = binders.brokers
        right = f"{PREFIX}kafka.streams.binder.brokers"
        spot = Setting(pair.name, pair.text, pair.path, pair.key_at, pair.key_at, pair.name)
        made[0].notes.append(
            Note(
                "KC0132",
                spot,
                f"{pair.name} is read only by the message binder, so the Kafka Streams binder of this "
                "application has no brokers",
                "the Streams application connects to localhost:9092",
                f"set {right}",
                # That is where it asked for them.
                INFO if pair.text in ("localhost", "localhost:9092") else WARNING,
            )
        )
    return made

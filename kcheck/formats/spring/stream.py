"""Spring Cloud Stream on Kafka: the message binder's bindings, and the Kafka Streams binder.

A binding is a consumer or a producer of its destination. It gets what Boot gives to its clients,
then the binder's configuration, then its own. A binder with a name has an environment of its own,
which goes over the application's. The Streams binder has a tree of its own and reads nothing of the
other's (spring_streams).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import demands
from kcheck.formats.spring import streams as spring_streams
from kcheck.formats.spring.binder_levels import PREFIX
from kcheck.formats.spring.binders import Binders
from kcheck.formats.spring.bindings import Binding, destinations
from kcheck.model import INFO, START, Creation, Note, Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.spring.clients import Reader

_BINDER = f"{PREFIX}kafka.binder."
#: What makes a binder write in transactions.
_TRANSACTION = f"{PREFIX}kafka.binder.transaction."
#: Serializers of other things than bytes.
_SERIALIZER = re.compile(
    r"org\.apache\.kafka\.common\.serialization\.(?!Byte)\w+Serializer"
    r"|(?:io\.confluent\.kafka|org\.springframework\.kafka|io\.apicurio\.registry)\.[\w.]+Serializer"
)


def clients(reader: Reader) -> list[Resource]:
    """The clients of all bindings, and the applications of the Streams binder."""
    binders = Binders(reader)
    made = [r for b in binders.bindings.values() if (r := _bound(reader, binders, b)) is not None]
    messages = bool(made)
    made += spring_streams.applications(reader, binders)
    if made:
        from kcheck.formats.spring import binder_names

        made[0].notes.extend(binder_names.notes(binders))
    if not made:
        made += [_shared(reader, one) for one in _asking(binders)]
    elif not messages and _configures(binders):
        made.append(_shared(reader, binders))
    for client in made[:1]:
        client.notes.extend([*binders.notes, *_contents(binders)])
    own = [(pair.form, pair) for pair in reader.pairs if pair.form.startswith(_BINDER)]
    if own:
        stated = dict(demands.said(own, reader.texts))
        effect = "the application fails to start"
        document = reader.application.document
        demands.tell(document, "spring-stream", ("binder",), "the binder", stated, START, effect)
    return made


def _configures(binders: Binders) -> bool:
    """Whether the message binder is told more than brokers, of an application with Streams that may
    have functions of other kinds, too."""
    return not binders.types and not binders.elsewhere and len(binders.binder[""]) > 1


def _shared(reader: Reader, binders: Binders) -> Resource:
    """What all clients of a binder have."""
    layers = [*binders.reader.layers(""), (binders.binder[""], True)]
    at = binders.brokers.key_at if binders.brokers is not None else START
    return reader.application.client("client", at, layers)


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
    topics = destinations(reader, binding)
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
    _demands(reader, mine, binding, side)
    made = _provisioned(mine, binding)
    if made is not None:
        client.traits.creates = (made,)
    if side == "producer":
        client.notes.extend(_encoding(mine, binding))
        client.traits.expected = _partitions(mine, binding)
    if side == "consumer":
        from kcheck.formats.spring import binder_errors

        binder_errors.tell(client, mine, binding, group)
        for word, name in (("concurrency", "concurrency"), ("instancecount", "instances")):
            pair = binding.plain.get(f"consumer.{word}") or binders.counts.get(word)
            if pair is not None:
                count = pair.setting(name, reader.texts.filled(pair.text))
                setattr(client.traits, name, count)
    return client


def _demands(reader: Reader, binders: Binders, binding: Binding, side: str) -> None:
    """Report what the properties of a binding demand of each other and of its binder."""
    pairs = [*binding.plain.items(), *binding.own.items()]
    pairs += [
        (pair.form, pair) for pair in binders.reader.pairs if pair.form.startswith(_TRANSACTION)
    ]
    demands.tell(
        reader.application.document,
        "spring-stream",
        (side,),
        f"binding {binding.name}",
        dict(demands.said(pairs, reader.texts)),
        START,
        "the application fails to start",
    )


def _encoding(binders: Binders, binding: Binding) -> Iterator[Note]:
    """A note where the binder gives a serializer bytes, for the framework converts the payload first,
    or no serializer takes what the framework leaves as it is."""
    key, word = "value.serializer", "producer.usenativeencoding"
    told = binding.layers.get("producer", {}).get(key) or binders.binder["producer"].get(key)
    if told is None:
        yield from _unconverted(binders, binding, key, word)
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


def _unconverted(binders: Binders, binding: Binding, key: str, word: str) -> Iterator[Note]:
    """A note where the framework leaves the payload as it is, and the binder's own serializer takes bytes."""
    pair = binding.plain.get(word) or binders.defaults.get(word)
    layers = [*binders.reader.layers("producer"), (binders.binder[""], True)]
    if pair is None or any(key in layer for layer, _ in layers):
        return
    if binders.reader.texts.filled(pair.text) == "true":
        yield Note(
            "KC0634",
            pair.setting(pair.name, pair.text),
            f"binding {binding.name} sets {pair.name}=true, but no {key} is set",
            "the framework does not convert the payload, and the binder's default is "
            "ByteArraySerializer: whatever is not bytes cannot be sent",
            f"set {PREFIX}kafka.bindings.{binding.name}.producer.configuration.{key}, or remove "
            f"{pair.name}",
            INFO,
        )


#: What switches the framework's conversion off, by side.
_NATIVE = ("producer.usenativeencoding", "consumer.usenativedecoding")


def _contents(binders: Binders) -> Iterator[Note]:
    """Notes on types of content that bindings have beside native encoding, which ignores them."""
    for binding in binders.bindings.values():
        told = binding.plain.get("contenttype")
        native = next((binding.plain[one] for one in _NATIVE if one in binding.plain), None)
        if told is None or native is None:
            continue
        if binders.reader.texts.filled(native.text) == "true":
            yield Note(
                "KC0634",
                told.setting(told.name, told.text),
                f"binding {binding.name} sets {told.name}={told.text} with {native.name}=true",
                "the framework does not convert the payload: content-type has no effect, and the "
                "client's serializer or Serde decides",
                f"remove {told.name}, or set {native.name}=false",
                INFO,
            )


def _partitions(binders: Binders, binding: Binding) -> Setting | None:
    """The partitions that the binder expects of a topic that it writes, where it adds none itself."""
    pair = binding.plain.get("producer.partitioncount")
    adds = binders.of_topics.get("autoaddpartitions")
    if pair is None or (adds is not None and adds.text != "false"):
        return None
    return pair.setting(pair.name, binders.reader.texts.filled(pair.text))


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

"""KC01: keys and values that a client library of another language does not take."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, dialects
from kcheck.dialects import LIKE, NONE, SAME, Library
from kcheck.graph.clients import Client
from kcheck.lexicon import quantities, suggest
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.rule import rule
from kcheck.rules.keys.keys_wording import assigned, rewrite
from kcheck.rules.shared.keys_wording import evidence, key_evidence
from kcheck.units import whole
from kcheck.version import Version

#: Java's keys that bindings take as objects, whatever the library inside knows.
_OBJECTS = frozenset(
    {"key.serializer", "value.serializer", "key.deserializer", "value.deserializer"}
)


_PLANES = ("producer", "consumer", "admin")


_OTHERS = {"producer": "consumer", "consumer": "producer"}


#: Bounds of consumers, where the table is wider since 2.16 for the sake of share consumers.
_OF_CONSUMERS = {"fetch.min.bytes": (1.0, 100_000_000.0)}


#: Keys of Kafka's first clients, in Scala, that no other library took over. Those that programs use
#: for purposes of their own (zookeeper.connect, consumer.id, consumer.timeout.ms) are not among them.
_SCALAS = frozenset(
    {
        "compressed.topics",
        "dual.commit.enabled",
        "key.serializer.class",
        "num.consumer.fetchers",
        "offsets.channel.backoff.ms",
        "offsets.channel.socket.timeout.ms",
        "offsets.commit.max.retries",
        "offsets.storage",
        "producer.type",
        "queue.enqueue.timeout.ms",
        "queued.max.message.chunks",
        "rebalance.backoff.ms",
        "rebalance.max.retries",
        "refresh.leader.backoff.ms",
        "serializer.class",
    }
)


def _reports(client: Client) -> bool:
    """Whether somebody says which library it is, instead of the keys in its file alone."""
    return "client.library" in client.resource.facts


def _library(client: Client) -> Library | None:
    return None if client.java else dialects.library(client.library.name)


def _role(client: Client) -> str:
    """What somebody says that the client is, and its keys do not deny; "" where these alone tell.

    A file that a producer and a consumer share has keys of both.
    """
    told = client.resource.traits.role
    return client.resource.kind if told == client.resource.kind else ""


def _named(client: Client) -> str:
    """``librdkafka 2.3``, or the library alone."""
    version = client.version
    return f"{client.library.name} {version}" if version.known else client.library.name


@rule(
    "KC0112",
    "library-unknown-key",
    ERROR,
    invariants=("unknown-key",),
    versions="librdkafka 1.0–2.16, kafka-python 1.4–3.0, aiokafka 0.7–0.14",
)
def library_unknown_key(client: Client) -> Iterator[Finding]:
    """A key that the client's library does not have.

    librdkafka and the clients around it, kafka-python and aiokafka refuse to create a client with a
    key that they do not know, where Java's clients say so in their log and go on. Many of Java's
    keys are not among theirs, or have another name. Told are Java's keys, those of Kafka's
    first clients (producer.type), slips of the library's own, and keys that another version of the
    library has. Of kafka-python and aiokafka also keys that their other
    clients have: these refuse them too. Where only the keys of a file suggest
    librdkafka, this is a warning.

    Bad: Java's name
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {max.request.size: 5000000}}
    Bad: the same under another name
        --- kcheck.yaml
        consumers:
          - {name: reader, client: {library: librdkafka}, config: {fetch.max.wait.ms: 500}}
    Bad: nothing like it
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: node-rdkafka}, config: {max.block.ms: 1000}}
    Bad: in the newest releases only
        --- kcheck.yaml
        consumers:
          - {name: reader, client: {library: node-rdkafka}, config: {max.poll.records: 100}}
    Bad: a slip
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: confluent-kafka}, config: {mesage.timeout.ms: 5000}}
    Bad: younger than the library
        --- kcheck.yaml
        consumers:
          - name: reader
            client: {library: librdkafka, version: "1.9.2"}
            config: {group.protocol: consumer}
    Bad: the file of a program with librdkafka
        --- producer.conf
        # librdkafka
        bootstrap.servers=k1:9092
        buffer.memory=67108864
    Bad: gone with version 3
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: kafka-python, version: "3.0.2"}
            config: {api_version_auto_timeout_ms: 5000}
    Good:
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {message.max.bytes: 5000000, queue.buffering.max.kbytes: 65536, acks: all}
    Good: what bindings and programs read
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: confluent-kafka}
            config: {key.serializer: JSONSerializer, schema.registry.url: "http://r:8081", my.topic: a}
    Good: Java's names stand for kafka-python's
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: kafka-python}, config: {max.request.size: 5000000}}
    """
    library = _library(client)
    if library is None or not library.row.refuses_unknown_keys:
        return
    for key, setting in client.resource.settings.items():
        if key not in _OBJECTS:
            found = _unknown(client, library, key, setting)
            if found is not None:
                yield found


def _unknown(client: Client, library: Library, key: str, setting: Setting) -> Finding | None:
    version = client.version
    relation, here, note = library.java.get(key, ("", (), ""))
    # A key that most releases lack, in a client that does not say which one it has.
    young = not version.known and relation in (LIKE, NONE) and key in library
    # Others have a table for each kind of client, and refuse what is in another's alone.
    role = "" if library.row.shared_keys else _role(client)
    # librdkafka alone does not know Java's name of a key that it has under another one.
    foreign = library.row.separator == "." and key not in library
    known = any(library.possible(name, version, role) for name in library.names(key))
    if known and not young and not foreign:
        return None
    dated = "" if foreign else next((name for name in library.names(key) if name in library), "")
    right: tuple[str, ...] = ()
    fix = f"remove {key}"
    if young:
        youngest, *_ = library.history(key)
        message = f"{client} sets {key}, which {library.name} has from {youngest.since} on only"
    elif role and any(library.possible(name, version) for name in library.names(key)):
        message = f"{client} sets {key}, which no {role} of {library.name} has"
    elif dated:
        message = f"{client} sets {key}, which {_named(client)} {_when(library, dated, version)}"
        first = library.history(dated)[0].since
        if version.below(first):
            fix += f", or use {library.name} {first} or newer"
    elif any(key in catalogue.plane(p) for p in _PLANES):
        message = f"{client} sets {key}, which is Java's; {library.name} has no such key"
        right = here if relation in (LIKE, SAME) else ()
    elif key in catalogue.plane("topic"):
        message = f"{client} sets {key}, which is a topic key; {library.name} has no such key"
    elif key in _SCALAS:
        message = (
            f"{client} sets {key}, which Kafka's first clients had; {library.name} has no such key"
        )
    else:
        right = tuple(suggest.sure(key, tuple(library)))
        if not right:
            return None
        message = f"{client} sets {key}, which {library.name} does not have"
        message += f"; did you mean {' or '.join(right)}?"
    if right:
        fix = f"set {' and '.join(right)} instead"
    return client.finding(
        message,
        at=key_evidence(client, setting, key),
        breaks=("with an older one " if young else "") + _refused(client, library),
        fix=f"{fix}: {note}" if note else fix,
        set_to=rewrite(setting, *right) if len(right) == 1 and not note else None,
        severity=ERROR if _reports(client) and not young else WARNING,
        safe=library.row.separator == ".",
    )


def _when(library: Library, key: str, version: Version) -> str:
    """``does not have any more (up to 2.8)`` or ``does not have yet (from 2.4 on)``."""
    history = library.history(key)
    first, last = history[0].since, history[-1].until
    if version.below(first):
        return f"does not have yet (from {first} on)"
    return f"does not have any more (up to {last})"


def _refused(client: Client, library: Library) -> str:
    error = library.row.unknown_key
    if _reports(client):
        return f'{library.name} refuses to create the client ("{error}")'
    return f'if the program hands it on, {library.name} refuses to create the client ("{error}")'


@rule(
    "KC0117",
    "library-other-role",
    WARNING,
    invariants=("cross-plane-key-misplacement",),
    versions="librdkafka 1.0–2.16",
)
def library_other_role(client: Client) -> Iterator[Finding]:
    """A consumer of librdkafka sets what only producers heed, or the reverse.

    librdkafka has one table for all its clients: it takes the key and goes on without it,
    from 1.6 on with a warning in its log. Told is only where somebody says which of the two the client is, in a
    declaration, by the name of its file or of its section: a file for both has keys of both.

    Bad:
        --- kcheck.yaml
        consumers:
          - {name: reader, client: {library: librdkafka}, config: {group.id: reader, linger.ms: 1}}
    Bad: the other way round
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {auto.offset.reset: earliest}}
    Bad: the file's name tells
        --- consumer.conf
        bootstrap.servers=k1:9092
        group.id=reader
        enable.auto.offset.store=false
        transaction.timeout.ms=60000
    Good:
        --- kcheck.yaml
        consumers:
          - {name: reader, client: {library: librdkafka}, config: {group.id: reader, fetch.wait.max.ms: 1}}
    Good: for both
        --- client.conf
        bootstrap.servers=k1:9092
        group.id=reader
        enable.auto.offset.store=false
        transaction.timeout.ms=60000
    """
    role = _role(client)
    library = _library(client)
    if library is None or not library.row.shared_keys or role not in _OTHERS:
        return
    shared = client.resource.traits.shared_keys
    for key, setting in client.resource.settings.items():
        rows = library.possible(key, client.version)
        if not rows or any(row.takes(role) for row in rows) or key in shared:
            continue
        other = _OTHERS[role]
        yield client.finding(
            f"{client} sets {key}, which only {other}s of {library.name} heed",
            at=key_evidence(client, setting, key),
            breaks=f"{library.name} goes on without it"
            + ("" if client.version.below("1.6") else ", with a warning in its log (CONFWARN)"),
            fix=f"remove {key}, and set it on the {other} that needs it",
        )


@rule(
    "KC0113",
    "library-value",
    ERROR,
    invariants=("unknown-key",),
    versions="librdkafka 1.0–2.16",
)
def library_value(client: Client) -> Iterator[Finding]:
    """librdkafka rejects the value, or reads it as another number.

    It has bounds and words of its own, and reads numbers as C does: as far as they go, so that
    10MB is ten.

    Bad: beyond its bounds
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {message.max.bytes: 2000000000}}
    Bad: Java's class where librdkafka has a word
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {partitioner: org.apache.kafka.clients.producer.RoundRobinPartitioner}
    Bad: five, not five seconds
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {linger.ms: 5s}}
    Bad: -1, which means never
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {topic.metadata.refresh.interval.ms: 9223372036854775807}
    Good:
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {message.max.bytes: 20000000, acks: all, security.protocol: SASL_SSL}
    Bad: at least one
        --- kcheck.yaml
        consumers:
          - {name: reader, client: {library: librdkafka}, config: {fetch.min.bytes: 0}}
    """
    library = _library(client)
    if library is None or not library.row.reads_as_c:
        return
    for key, setting in client.resource.settings.items():
        if setting.text is None:
            continue
        rows = library.possible(key, client.version)
        if not rows:
            continue
        newest, reasons = rows[-1], [library.refusal(row, setting.text) for row in rows]
        own = _OF_CONSUMERS.get(key) if client.resource.plane == "consumer" else None
        if own and own != newest.bounds:
            number, _ = library.convert("int", setting.text)
            if isinstance(number, int) and not own[0] <= number <= own[1]:
                reasons[-1] = f"is not within {own[0]:.0f} to {own[1]:.0f}"
        if all(reasons):
            yield client.finding(
                f"{client}: {assigned(setting)} {reasons[-1]}",
                at=evidence(client, setting),
                breaks="librdkafka refuses to create the client",
                fix=f"set {key} to a value that it takes: {_wanted(newest, own or newest.bounds)}",
                severity=ERROR if _reports(client) else WARNING,
            )
        elif newest.type in ("int", "double"):
            read, _ = library.convert(newest.type, setting.text)
            short = _cut_short(setting.text, newest.type)
            if read is not None and (short or _too_long(setting.text)):
                meant = quantities.plain(key, setting.text) if short else None
                plain = meant.text if meant else ""
                yield client.finding(
                    f"{client}: {assigned(setting)} is {read} to librdkafka, which reads "
                    + ("as far as the number goes" if short else "numbers of 32 bits"),
                    at=evidence(client, setting),
                    breaks=f"it goes by {key}={read}",
                    fix=f"set {key}={plain}" if plain else f"set {key} to a plain number",
                    set_to=plain or None,
                    severity=WARNING,
                )


def _wanted(row: dialects.Property, bounds: tuple[float, float] | None) -> str:
    if row.words:
        return ", ".join(row.words)
    if row.type == "boolean":
        return "true or false"
    return f"{bounds[0]:.0f} to {bounds[1]:.0f}" if bounds else "a plain number"


def _too_long(text: str) -> bool:
    """Whether the number does not fit into an int, which has 31 bits beside its sign."""
    number = whole(text)
    return number is not None and number.bit_length() > 31


def _cut_short(text: str, kind: str) -> bool:
    """Whether the number ends before the text does."""
    end = text.strip().lower()
    if end.startswith("0x"):
        return False
    try:
        float(end) if kind == "double" else int(end)
    except ValueError:
        return True
    return "_" in end

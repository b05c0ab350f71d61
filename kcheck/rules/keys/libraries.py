"""KC01: keys that a non-Java client library rejects or ignores."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, dialects
from kcheck.dialects import LIKE, NONE, SAME, Library
from kcheck.graph.clients import Client
from kcheck.lexicon import suggest
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.rule import SOME, rule
from kcheck.rules.keys.keys_wording import rewrite
from kcheck.rules.shared.keys_wording import key_evidence
from kcheck.version import Version, parse

#: Java's keys that bindings accept as objects, even if the library has no such key.
_OBJECTS = frozenset(
    {"key.serializer", "value.serializer", "key.deserializer", "value.deserializer"}
)


_PLANES = ("producer", "consumer", "admin")


_OTHERS = {"producer": "consumer", "consumer": "producer"}


#: Keys of the legacy Scala clients that no other library supports. Those that programs use for their
#: own purposes (zookeeper.connect, consumer.id, consumer.timeout.ms) are not among them.
_SCALA = frozenset(
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


def is_declared(client: Client) -> bool:
    """Whether the library is declared, or that of a program which hands the keys on as they are; not
    only suggested by the keys in the file."""
    return "client.library" in client.resource.facts or _is_agents(client)


def _is_agents(client: Client) -> bool:
    """Whether the keys are options of a program that has no others of that form."""
    return client.resource.traits.language.startswith("agent ")


def library_of(client: Client) -> Library | None:
    return None if client.java else dialects.library(client.library.name)


def _role(client: Client) -> str:
    """The declared role of the client, if its keys agree; "" where only the keys suggest it.

    A file that a producer and a consumer share has keys of both.
    """
    role = client.resource.traits.role
    return client.resource.kind if role == client.resource.kind else ""


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
    """The client library does not support this key.

    librdkafka and its bindings, kafka-python and aiokafka fail to create a client with an unknown
    key, while Java's clients log it and continue. They lack many of Java's keys or have them under
    another name. The rule reports Java's keys, keys of the legacy Scala clients (producer.type), typos
    of the library's own keys, and keys that another version of the library has. For kafka-python and
    aiokafka it also reports keys of their other clients, which they reject, too. If only the keys of
    a file suggest librdkafka, this is a warning.

    Bad: a Java key
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {max.request.size: 5000000}}
    Bad: a Java key with another name in librdkafka
        --- kcheck.yaml
        consumers:
          - {name: reader, client: {library: librdkafka}, config: {fetch.max.wait.ms: 500}}
    Bad: a Java key without a counterpart
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: node-rdkafka}, config: {max.block.ms: 1000}}
    Bad: in the newest releases only
        --- kcheck.yaml
        consumers:
          - {name: reader, client: {library: node-rdkafka}, config: {max.poll.records: 100}}
    Bad: a typo
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: confluent-kafka}, config: {mesage.timeout.ms: 5000}}
    Bad: newer than the library
        --- kcheck.yaml
        consumers:
          - name: reader
            client: {library: librdkafka, version: "1.9.2"}
            config: {group.protocol: consumer}
    Bad: a file whose keys suggest librdkafka
        --- producer.conf
        # librdkafka
        bootstrap.servers=k1:9092
        buffer.memory=67108864
    Bad: removed in version 3
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: kafka-python, version: "3.0.2"}
            config: {api_version_auto_timeout_ms: 5000}
    Bad: the next upgrade meets it
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: kafka-python}, config: {buffer_memory: 33554432}}
    Good:
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {message.max.bytes: 5000000, queue.buffering.max.kbytes: 65536, acks: all}
    Good: keys of bindings and programs
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: confluent-kafka}
            config: {key.serializer: JSONSerializer, schema.registry.url: "http://r:8081", my.topic: a}
    Good: Java's spelling of kafka-python's keys
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: kafka-python}, config: {max.request.size: 5000000}}
    """
    library = library_of(client) if client.library.refuses_unknown_keys else None
    if library is None:
        return
    for key, setting in client.resource.settings.items():
        if key not in _OBJECTS:
            found = _unknown(client, library, key, setting)
            if found is not None:
                yield found


def _unknown(client: Client, library: Library, key: str, setting: Setting) -> Finding | None:  # noqa: C901
    version = client.version
    relation, here, note = library.java.get(key, ("", (), ""))
    # A key that most releases lack, in a client whose release is unknown.
    young = not version.known and relation in (LIKE, NONE) and key in library
    # Others have a table per kind of client, and reject keys that only another kind has.
    role = "" if library.row.shared_keys else _role(client)
    # Only librdkafka rejects Java's name of a key that it has under another name.
    foreign = library.row.separator == "." and key not in library
    # An alias may be younger than the key that it stands for.
    exact = library.row.separator == "." and key in library
    names = (key,) if exact else library.names(key)
    rows = [row for name in names for row in library.possible(name, version, role)]
    # Newer releases refuse what they removed, which the next upgrade meets.
    gone = not version.known and bool(rows) and all(row.until != library.newest for row in rows)
    if rows and not young and not foreign and not gone:
        return None
    dated = "" if foreign else next((name for name in names if name in library), "")
    right: tuple[str, ...] = ()
    new = False  # whether it may be a key of a release to come
    fix, since, last, some = f"remove {key}", "", "", ""
    if young:
        some = SOME
        since = library.history(key)[0].since
        message = f"{client} sets {key}, which {library.name} supports only from {since} on"
    elif gone:
        some = SOME
        last = max((row.until for row in rows), key=lambda minor: parse(minor) or ())
        message = (
            f"{client} sets {key}, which {library.name} no longer supports (removed after {last})"
        )
    elif role and any(library.possible(name, version) for name in library.names(key)):
        message = f"{client} sets {key}, which {library.name} {role}s do not support"
    elif dated:
        message = f"{client} sets {key}, which {_named(client)} {_when(library, dated, version)}"
        first = library.history(dated)[0].since
        right = tuple(one for one in library.names(key) if library.possible(one, version, role))[:1]
        if version.below(first) and not right:
            fix += f", or use {library.name} {first} or newer"
    elif any(key in catalogue.plane(p) for p in _PLANES):
        message = f"{client} sets {key}, a Java client key, but {library.name} has no such key"
        right = here if relation in (LIKE, SAME) else ()
    elif key in catalogue.plane("topic"):
        message = f"{client} sets {key}, a topic key, but {library.name} has no such key"
    elif key in _SCALA:
        message = (
            f"{client} sets {key}, a key of the legacy Scala clients, but {library.name} has no "
            "such key"
        )
    else:
        right = tuple(suggest.sure(key, tuple(library))) or _longer(client, library, key)
        if not right and not _is_agents(client):
            return None
        message = f"{client} sets {key}, which {library.name} does not support"
        message += f"; did you mean {' or '.join(right)}?" if right else ""
        new = not right
    if right:
        fix = f"set {' and '.join(right)} instead"
    finding = client.finding(
        message,
        at=key_evidence(client, setting, key),
        breaks=_rejection(client, library, since, f" after {last}" if gone else ""),
        fix=f"{fix}: {note}" if note else fix,
        set_to=rewrite(setting, *right) if len(right) == 1 and not note else None,
        severity=ERROR if is_declared(client) and not (young or gone or new) else WARNING,
        safe=library.row.separator == ".",
    )
    finding.kafka = some
    return finding


def _longer(client: Client, library: Library, key: str) -> tuple[str, ...]:
    """The one key that a key is without its first word, where it can be none of the program's own."""
    own = is_declared(client) and "." in key
    found = tuple(one for one in library if one.endswith(f".{key}")) if own else ()
    return found if len(found) == 1 else ()


def _when(library: Library, key: str, version: Version) -> str:
    """``no longer supports (removed after 2.8)`` or ``does not support yet (new in 2.4)``."""
    history = library.history(key)
    first, last = history[0].since, history[-1].until
    if version.below(first):
        return f"does not support yet (new in {first})"
    return f"no longer supports (removed after {last})"


def _rejection(client: Client, library: Library, since: str = "", when: str = "") -> str:
    """How the library rejects a key that it has from ``since`` on, or not at all; ``when`` it does."""
    name = f"{library.name} before {since}" if since else f"{library.name}{when}"
    rejects = f'{name} rejects the key ("{library.row.unknown_key}"): the client cannot be created'
    return rejects if is_declared(client) else f"if the program passes it on, {rejects}"


@rule(
    "KC0117",
    "library-other-role",
    WARNING,
    invariants=("cross-plane-key-misplacement",),
    versions="librdkafka 1.0–2.16",
)
def library_other_role(client: Client) -> Iterator[Finding]:
    """A librdkafka consumer sets a producer key, or a producer a consumer key.

    librdkafka has one table for all its clients: it accepts the key and ignores it, from 1.6 on with a
    warning in its log. Reported only if the role of the client is known from a declaration or from the
    name of its file or section: a file for both has keys of both.

    Bad:
        --- kcheck.yaml
        consumers:
          - {name: reader, client: {library: librdkafka}, config: {group.id: reader, linger.ms: 1}}
    Bad: a consumer key on a producer
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {auto.offset.reset: earliest}}
    Bad: the file's name shows the role
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
    library = library_of(client)
    if library is None or not library.row.shared_keys or role not in _OTHERS:
        return
    shared = client.resource.traits.shared_keys
    for key, setting in client.resource.settings.items():
        rows = library.possible(key, client.version)
        if not rows or any(row.takes(role) for row in rows) or key in shared:
            continue
        other = _OTHERS[role]
        yield client.finding(
            f"{client} sets {key}, which only {library.name} {other}s use",
            at=key_evidence(client, setting, key),
            breaks=f"{library.name} ignores it"
            + ("" if client.version.below("1.6") else " and logs a warning (CONFWARN)"),
            fix=f"remove {key} and set it on the {other} that needs it",
        )

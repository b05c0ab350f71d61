"""The clients inside of Schema Registry, the REST Proxy and ksqlDB, by the prefixes of each.

Schema Registry hands on what stands behind ``kafkastore.`` and is not its own, and before that all
that stands behind no prefix, which is for its own server first; the REST Proxy
``client.``, ``producer.``, ``consumer.`` and ``admin.``; ksqlDB ``ksql.streams.`` and what it shares
with Kafka Streams. Everything else is the server's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, endpoints, model
from kcheck.formats import Lookup
from kcheck.formats.clients.application import Application, Layer, Replaced
from kcheck.formats.pairs import Pair, of_properties
from kcheck.formats.properties.signs import KSQLDB, REST_PROXY, SCHEMA_REGISTRY
from kcheck.formats.servers.brokers import (
    REPLICAS,
    STORE,
    ZOOKEEPER,
    by_zookeeper,
    few_replicas,
    known_text,
    unspoken,
)
from kcheck.model import (
    PASSED_OVER,
    START,
    Creation,
    Derived,
    Document,
    Note,
    Position,
    Setting,
)
from kcheck.version import UNKNOWN, Version

#: What each format is a file of, as others ask it.
_KINDS = {
    SCHEMA_REGISTRY: model.SCHEMA_REGISTRY,
    REST_PROXY: model.REST_PROXY,
    KSQLDB: model.KSQLDB,
}
#: Of the keys behind ``kafkastore.``, those that no client gets, or not every one: Schema Registry's own,
#: and those that it sets itself whatever the file says (KafkaStore and KafkaStoreReaderThread in
#: confluentinc/schema-registry).
_STORES_OWN = frozenset(
    {
        ZOOKEEPER,
        "topic",
        "topic.replication.factor",
        "topic.skip.validation",
        "group.id",
        "timeout.ms",
        "init.timeout.ms",
        "zk.session.timeout.ms",
        "commit.interval.ms",
        "checkpoint.dir",
        "checkpoint.version",
        "update.handlers",
        "write.max.retries",
        "write.retry.backoff.ms",
        "acks",
        "retries",
        "enable.idempotence",
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "auto.offset.reset",
        "enable.auto.commit",
        "client.id",
    }
)
_SCHEMAS = "_schemas"
#: Whom the server itself asks for schemas, behind whatever prefix.
_REGISTRY = "schema.registry.url"
#: The fact whether an instance of Schema Registry may become the leader, where it is told.
LEADS = "registry.leader.eligibility"
_SECURITY = ("security.", "ssl.", "sasl.")
#: What the REST Proxy reads itself under a name that clients have, too (KafkaRestConfig, RestConfig).
_PROXYS_OWN = frozenset(
    {"bootstrap.servers", "metric.reporters", "metrics.num.samples", "metrics.sample.window.ms"}
)
#: How long it keeps a consumer of its API that nobody asks for records (KafkaRestConfig).
_IDLE = "consumer.instance.timeout.ms"
#: What the client of Schema Registry reads behind the same prefixes (KafkaRestConfig,
#: AbstractKafkaSchemaSerDeConfig).
_REGISTRYS = ("basic.auth.", "bearer.auth.")
_PROXYS_OWN_BEHIND = frozenset(("instance.timeout.ms",))
_ROLES = ("producer", "consumer", "admin")
_STREAMS = "ksql.streams."
_CENTER_STREAMS = "confluent.controlcenter.streams."
#: What ksqlDB takes for Kafka Streams without its own prefix, too.
_INSIDE = ("producer.", "consumer.", "main.consumer.", "restore.consumer.", "global.consumer.")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    pairs, problem = of_properties(document.path, data)
    if problem is not None:
        document.problems.append(problem)
    server = Server(document, pairs)
    {SCHEMA_REGISTRY: server.registry, REST_PROXY: server.rest, KSQLDB: server.ksql}[
        document.format or ""
    ]()
    server.listen(_KINDS[document.format or ""])
    from kcheck.formats.containers import program_names
    from kcheck.formats.servers import addresses as server_addresses

    program_names.of_file(document, pairs)
    server_addresses.tell(document, _KINDS[document.format or ""], pairs)
    if document.resources:
        document.resources[0].earlier.extend(server.replaced.pairs)
    elif not document.problems:
        document.status, document.reason = PASSED_OVER, "contains no Kafka client setting"


_LEAST = "ksql.internal.topic.min.insync.replicas"
#: Of Control Center: its settings for replication factors, each with the topics; 3 by default.
CENTER_FACTORS = {
    "confluent.controlcenter.command.topic.replication": "the command topic",
    "confluent.controlcenter.internal.topics.replication": "the internal topics",
    "confluent.metrics.topic.replication": "the metrics topic",
    "confluent.monitoring.interceptor.topic.replication": "the monitoring topic",
}
#: What the image of the next generation is called by, whose metrics are in Prometheus and in no topic.
NEXT_GENERATION = "control-center-next-gen"


class Server:
    """The settings of one server, from which it makes its clients."""

    def __init__(self, document: Document, pairs: list[Pair]) -> None:
        self.pairs = pairs
        self.application = Application(document, document.path)
        self.replaced = Replaced()
        self._before = len(document.resources)

    def listen(self, kind: str) -> None:
        """Note what is wrong with the listeners of the server, at the first of its clients."""
        from kcheck.formats.servers import listeners as server_listeners

        for client in self.application.document.resources[self._before : self._before + 1]:
            client.notes.extend(server_listeners.notes(kind, self.pairs))
            for pair in self.pairs:
                if pair.name.endswith(_REGISTRY):
                    client.facts[_REGISTRY] = pair.setting(pair.name, known_text(pair))

    def _layer(self, prefix: str, without: frozenset[str] = frozenset()) -> Layer:
        """The settings behind a prefix, under Kafka's names."""
        layer: Layer = {}
        for pair in self.pairs:
            key = pair.name.removeprefix(prefix)
            if pair.name.startswith(prefix) and key and key not in without:
                self.replaced.put(layer, pair.setting(key, known_text(pair)))
        return layer

    def _pair(self, name: str) -> Pair | None:
        """The pair of that name that counts: the last one."""
        return next((p for p in reversed(self.pairs) if p.name == name), None)

    def _value(self, name: str) -> str:
        found = self._pair(name)
        return (found and known_text(found)) or ""

    def registry(self, version: Version = UNKNOWN) -> None:
        """Schema Registry's own client; ``version`` is Schema Registry's where it is known."""
        layer = self._layer(STORE, _STORES_OWN)
        url = None if "bootstrap.servers" in layer else self._pair(f"{STORE}{ZOOKEEPER}")
        if url is not None and version.at_least("7.0"):
            client = self.application.client("client", url.key_at, [(layer, False)])
            client.image["bootstrap.servers"] = url.setting("bootstrap.servers", None)
            client.notes.append(by_zookeeper(url))
        elif layer or url is not None:
            topic = self._value("kafkastore.topic") or _SCHEMAS
            at = next(iter(layer.values())).key_at if url is None else url.key_at
            client = self.application.client("client", at, [(layer, False)], topics=[topic])
            client.image.update(self._handed_on(layer))
            if url is not None:
                client.image["bootstrap.servers"] = url.setting("bootstrap.servers", None)
            client.notes.extend(unspoken(layer))
            client.traits.identities = self._identity("host.name")
            client.traits.registry = (
                self._given("schema.registry.group.id", "schema-registry", at),
                self._given(f"{STORE}topic", _SCHEMAS, at),
            )
            eligible = self._pair("leader.eligibility") or self._pair("master.eligibility")
            if eligible is not None:
                client.facts[LEADS] = eligible.setting(eligible.name, known_text(eligible))
            key, what = f"{STORE}topic.replication.factor", f"the topic {topic}"
            client.traits.creates = (self._creation(what, key, 3, capped=True, waits=True),)

    def _handed_on(self, layer: Layer) -> Layer:
        """The keys that the clients have from the server's own settings, as unknown ones.

        They are written for the server, so nobody says that they are wrong for its clients; but what
        clients have from there they do not lack.
        """
        return {
            pair.name: pair.setting(pair.name, None)
            for pair in self.pairs
            if pair.name.startswith(_SECURITY)
            and pair.name not in layer
            and pair.name in catalogue.plane("admin")
        }

    def _of_listener(self) -> Layer:
        """ksqlDB's TLS settings without a prefix where they may be for its https listener, as unknown
        ones: its clients get them, too."""
        listeners = self._pair("listeners")
        text = "" if listeners is None else known_text(listeners)
        if text is not None and "https://" not in text.lower():
            return {}
        return {p.name: p.setting(p.name, None) for p in self.pairs if p.name.startswith("ssl.")}

    def _identity(self, name: str) -> tuple[Setting, ...]:
        """The address by which other servers ask this one, where it is known."""
        pair = self._pair(name)
        return (
            (pair.setting(name, known_text(pair)),) if pair is not None and known_text(pair) else ()
        )

    def _given(self, name: str, default: str, at: Position) -> Setting:
        """A setting of the server's own, or its default as one that nobody wrote."""
        pair = self._pair(name)
        if pair is not None:
            return pair.setting(name, known_text(pair))
        return Derived(name, default, self.application.document.path, at)

    def _creation(
        self,
        topics: str,
        key: str,
        default: int,
        named: str = "",
        capped: bool = False,
        waits: bool = False,
    ) -> Creation:
        pair = self._pair(key)
        factor = pair.setting(key, known_text(pair)) if pair is not None else None
        return Creation(topics, key, factor, default, named=named, capped=capped, waits=waits)

    def center(self, named: str = "", image: str = "") -> None:
        """Control Center's own client; ``named`` is what sets all its replication factors at once."""
        layer = {**self._plain(("bootstrap.servers",)), **self._layer(_CENTER_STREAMS)}
        if not layer:
            return
        at = next(iter(layer.values())).key_at
        client = self.application.client("client", at, [(layer, False)])
        client.traits.creates = tuple(
            self._creation(topics, key, 3, named, waits=True)
            for key, topics in CENTER_FACTORS.items()
            if NEXT_GENERATION not in image or key.startswith("confluent.controlcenter.")
        )

    def rest(self) -> None:
        """The clients of the REST Proxy."""
        before = len(self.application.document.resources)
        self._rest_clients()
        for client in self.application.document.resources[before : before + 1]:
            client.notes.extend(self._bare())
            client.traits.identities = self._identity("id")

    def _bare(self) -> Iterator[Note]:
        """Notes on client keys without a prefix, which the proxy hands to none of its clients."""
        for pair in self.pairs:
            name = pair.name
            if name.startswith("ssl.") or name in _PROXYS_OWN:
                continue
            roles = [role for role in _ROLES if name in catalogue.plane(role)]
            if not roles and not name.startswith(_REGISTRYS):
                continue
            right = f"{roles[0] if len(roles) == 1 else 'client'}.{name}"
            if self._pair(right) is None and self._pair(f"client.{name}") is None:
                yield Note(
                    "KC0161",
                    pair.setting(name, known_text(pair)),
                    f"REST Proxy sets {name} without a prefix, so none of its clients gets it",
                    "its clients use the default",
                    f"rename it to {right}",
                )

    def _rest_clients(self) -> None:
        shared = {**self._plain(("bootstrap.servers",)), **self._layer("client.")}
        idle = self._pair(_IDLE)
        own = {role: self._layer(f"{role}.", _PROXYS_OWN_BEHIND) for role in _ROLES}
        for role, layer in own.items():
            if layer or (role == "consumer" and idle is not None):
                at = next(iter((layer or shared).values())).key_at
                client = self.application.client(role, at, [(shared, True), (layer, False)])
                if role == "consumer" and idle is not None:
                    client.traits.periods = (idle.setting(_IDLE, known_text(idle)),)
        if shared and idle is None and not any(own.values()):
            at = next(iter(shared.values())).key_at
            self.application.client("client", at, [(shared, True)])

    def ksql(self) -> None:
        known = ("streams", "producer", "consumer", "admin")
        names = [
            p.name
            for p in self.pairs
            if p.name.startswith((*_INSIDE, "config.providers."))
            or any(p.name in catalogue.plane(t) for t in known)
        ]
        own = self._of_listener()
        plain = tuple(name for name in names if name not in own)
        layer = {**self._plain(plain), **self._layer(_STREAMS)}
        if not layer:
            return
        first = next(iter(layer.values()), None)
        at = first.key_at if first is not None else START
        name = self._value("ksql.service.id")
        streams = self.application.client("streams", at, [(layer, False)], name=name)
        streams.image.update({key: one for key, one in own.items() if key not in layer})
        streams.traits.transactional = first
        streams.traits.identities = self._identity("ksql.advertised.listener")
        service, queries = self._pair("ksql.service.id"), self._pair("ksql.queries.file")
        if service is not None and known_text(service):
            streams.traits.service_id = service.setting("ksql.service.id", known_text(service))
        if queries is not None and known_text(queries):
            streams.traits.queries = queries.setting("ksql.queries.file", known_text(queries))
        told = self._pair(REPLICAS)
        commands = self._creation("the command topic", REPLICAS, 1)
        least = self._pair(_LEAST)
        commands.least = least.setting(_LEAST, known_text(least)) if least is not None else None
        streams.traits.creates = (commands,)
        brokers = layer.get("bootstrap.servers")
        if brokers is not None and endpoints.service(brokers.text or "") == model.CONFLUENT_CLOUD:
            streams.notes.extend(few_replicas(told, brokers))

    def _plain(self, names: tuple[str, ...]) -> Layer:
        layer: Layer = {}
        for pair in self.pairs:
            if pair.name in names:
                self.replaced.put(layer, pair.setting(pair.name, known_text(pair)))
        return layer

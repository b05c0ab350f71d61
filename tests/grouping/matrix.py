"""Small projects with one fault between a client and its brokers, in every format and layout.

A cell is a format of clients, a format of brokers, a layout and a fault; ``files`` writes its
project. What each format can express is told by its own table here, so that a cell that a format
has no words for is not applicable rather than silent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import NamedTuple

Files = dict[str, str]
Settings = dict[str, object]


class Fault(NamedTuple):
    """Settings that are each right, and wrong together, with the rules of which one must tell.

    ``of_services`` are rules that know a managed service's listeners without a file of its own.
    ``factor`` is for topics that the client makes; ``topic`` goes into the topic's own settings.
    """

    name: str
    rules: frozenset[str]
    common: Settings = {}
    producer: Settings = {}
    consumer: Settings = {}
    factor: int = 0
    brokers: Settings = {}
    topic: Settings = {}
    login: bool = False
    of_services: frozenset[str] = frozenset({"KC0493"})


def _fault(name: str, *rules: str, **parts: object) -> Fault:
    return Fault(name, frozenset(rules), **parts)  # type: ignore[arg-type]


FAULTS = (
    _fault("acks", "KC0307", producer={"acks": "1"}, brokers={"min.insync.replicas": 2}),
    _fault("topic-isr", "KC0307", producer={"acks": "1"}, topic={"min.insync.replicas": "2"}),
    _fault(
        "request-size",
        "KC0501",
        producer={"acks": "all", "max.request.size": 4000000},
        brokers={"message.max.bytes": 1048588},
    ),
    _fault(
        "session-short",
        "KC0901",
        consumer={"session.timeout.ms": 10000, "heartbeat.interval.ms": 3000},
        brokers={"group.min.session.timeout.ms": 15000},
    ),
    _fault(
        "session-long",
        "KC0901",
        consumer={"session.timeout.ms": 120000, "heartbeat.interval.ms": 3000},
        brokers={"group.max.session.timeout.ms": 60000},
    ),
    _fault(
        "transaction",
        "KC1211",
        producer={
            "acks": "all",
            "transactional.id": "orders-1",
            "transaction.timeout.ms": 600000,
        },
        brokers={"transaction.max.timeout.ms": 300000},
    ),
    _fault(
        "tls", "KC0403", "KC0493", common={"security.protocol": "SSL"}, producer={"acks": "all"}
    ),
    _fault("mechanism", "KC0443", "KC0493", producer={"acks": "all"}, login=True),
    _fault("factor", "KC1513", "KC1403", factor=5),
    _fault(
        "fetch",
        "KC0509",
        consumer={"fetch.max.bytes": 104857600},
        brokers={"fetch.max.bytes": 57671680},
    ),
)

#: What a client would have in place of the fault's values.
_MENDED: Settings = {
    "acks": "all",
    "max.request.size": 1000000,
    "session.timeout.ms": 30000,
    "transaction.timeout.ms": 60000,
    "security.protocol": "PLAINTEXT",
    "fetch.max.bytes": 52428800,
}


class Asked(NamedTuple):
    """What a client's file has to say."""

    servers: str
    common: Settings
    producer: Settings
    consumer: Settings
    factor: int


class Client(NamedTuple):
    """A format of clients: its files by name, and the faults that it has no words for.

    ``inside``: whether the client runs beside its brokers and not on somebody's desk.
    """

    name: str
    write: Callable[[Asked], Files]
    cannot: frozenset[str] = frozenset()
    inside: bool = False
    resources: bool = False


def _lines(settings: Settings, prefix: str = "", mark: str = "=") -> str:
    return "".join(f"{prefix}{key}{mark}{value}\n" for key, value in settings.items())


def _spring(asked: Asked) -> Settings:
    """Spring Boot's properties by name; ``*.properties`` takes what has none of its own."""
    found: Settings = {"spring.kafka.bootstrap-servers": asked.servers}
    own = {
        "acks": "acks",
        "transactional.id": "transaction-id-prefix",
        "heartbeat.interval.ms": "heartbeat-interval",
    }
    for role, settings in (("producer", asked.producer), ("consumer", asked.consumer)):
        if role == "consumer" and settings:
            found["spring.kafka.consumer.group-id"] = "orders"
        for key, value in settings.items():
            found[f"spring.kafka.{role}.{own.get(key, f'properties.{key}')}"] = value
    for key, value in asked.common.items():
        found[f"spring.kafka.properties.{key}"] = value
    if asked.factor:
        found["spring.kafka.streams.application-id"] = "orders"
        found["spring.kafka.streams.replication-factor"] = asked.factor
    return found


def _flow(settings: Settings) -> str:
    """YAML of flat names, one a line."""
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items())


def _tree(settings: Settings) -> str:
    """Nested YAML of flat names; what stands below ``properties`` keeps its dots."""
    root: dict[str, object] = {}
    for name, value in settings.items():
        head, mark, key = name.partition(".properties.")
        parts = [*head.split("."), *(("properties", key) if mark else ())]
        at = root
        for part in parts[:-1]:
            at = at.setdefault(part, {})  # type: ignore[assignment]
        at[parts[-1]] = value
    return _block(root)


def _block(node: dict[str, object], indent: str = "") -> str:
    text = ""
    for key, value in node.items():
        if isinstance(value, dict):
            text += f"{indent}{key}:\n{_block(value, indent + '  ')}"
        else:
            text += f"{indent}{key}: {json.dumps(value)}\n"
    return text


def _indented(text: str, spaces: int) -> str:
    return "".join(f"{' ' * spaces}{line}\n" for line in text.splitlines())


def _spring_yaml(asked: Asked) -> Files:
    return {"application.yml": _tree(_spring(asked))}


def _spring_properties(asked: Asked) -> Files:
    return {"application.properties": _lines(_spring(asked))}


def _spring_stream(asked: Asked) -> Files:
    binder = "spring.cloud.stream.kafka.binder"
    found: Settings = {f"{binder}.brokers": asked.servers}
    producer = dict(asked.producer)
    if producer.pop("transactional.id", None):
        found[f"{binder}.transaction.transaction-id-prefix"] = "orders-"
        timeout = producer.pop("transaction.timeout.ms")
        found[f"{binder}.transaction.producer.configuration.transaction.timeout.ms"] = timeout
    for part, settings in (
        ("configuration", asked.common),
        ("producer-properties", producer),
        ("consumer-properties", asked.consumer),
    ):
        found |= {f"{binder}.{part}.{key}": value for key, value in settings.items()}
    if asked.producer:
        found["spring.cloud.stream.bindings.send-out-0.destination"] = "orders"
    if asked.consumer:
        found["spring.cloud.stream.bindings.take-in-0.destination"] = "orders"
        found["spring.cloud.stream.bindings.take-in-0.group"] = "orders"
    if asked.factor:
        streams = "spring.cloud.stream.kafka.streams.binder"
        found[f"{streams}.brokers"] = asked.servers
        found[f"{streams}.application-id"] = "orders"
        found[f"{streams}.configuration.replication.factor"] = asked.factor
    return {"application.yml": _flow(found)}


def _quarkus(asked: Asked) -> Files:
    found: Settings = {"kafka.bootstrap.servers": asked.servers}
    found |= {f"kafka.{key}": value for key, value in asked.common.items()}
    for way, settings in (("outgoing", asked.producer), ("incoming", asked.consumer)):
        if settings:
            channel = f"mp.messaging.{way}.orders-{way[:-5]}"
            found |= {f"{channel}.connector": "smallrye-kafka", f"{channel}.topic": "orders"}
            found |= {f"{channel}.{key}": value for key, value in settings.items()}
    if asked.consumer:
        found["mp.messaging.incoming.orders-incom.group.id"] = "orders"
    found = {key.replace("orders-incom.", "orders-in."): value for key, value in found.items()}
    if asked.factor:
        found["quarkus.kafka-streams.application-id"] = "orders"
        found["quarkus.kafka-streams.bootstrap-servers"] = asked.servers
        found["quarkus.kafka-streams.topics"] = "orders"
        found["kafka-streams.replication.factor"] = asked.factor
    return {"application.properties": _lines(found)}


def _micronaut(asked: Asked) -> Files:
    found: Settings = {"kafka.bootstrap.servers": asked.servers}
    found |= {f"kafka.{key}": value for key, value in asked.common.items()}
    found |= {f"kafka.producers.default.{key}": value for key, value in asked.producer.items()}
    found |= {f"kafka.consumers.default.{key}": value for key, value in asked.consumer.items()}
    if asked.consumer:
        found["kafka.consumers.default.group.id"] = "orders"
    if asked.factor:
        found["kafka.streams.default.application.id"] = "orders"
        found["kafka.streams.default.replication.factor"] = asked.factor
    return {"application.yml": _tree({"micronaut.application.name": "orders", **found})}


def _variables(asked: Asked) -> Settings:
    """Spring Boot's properties as variables: dots become underscores, dashes go."""
    found = _spring(asked)
    return {key.upper().replace("-", "").replace(".", "_"): v for key, v in found.items()}


def _compose_service(asked: Asked) -> Files:
    found = {
        key.replace("BOOTSTRAPSERVERS", "BOOTSTRAP_SERVERS"): str(value)
        for key, value in _variables(asked).items()
    }
    variables = _indented(_flow(dict(found)), 6)
    head = "services:\n  orders:\n    image: registry.example.com/orders:1.4.0\n    environment:\n"
    return {"docker-compose.orders.yml": head + variables}


def _deployment(asked: Asked) -> Files:
    variables = "".join(
        f"        - {{name: {key}, value: {json.dumps(str(value))}}}\n"
        for key, value in _variables(asked).items()
    )
    head = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: orders, namespace: shop}\nspec:\n"
        "  replicas: 1\n  selector: {matchLabels: {app: orders}}\n  template:\n"
        "    metadata: {labels: {app: orders}}\n    spec:\n      containers:\n"
        "      - name: orders\n        image: registry.example.com/orders:1.4.0\n        env:\n"
    )
    return {"deployment.yaml": head + variables}


def _config_map(asked: Asked) -> Files:
    head = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: orders, namespace: shop}\ndata:\n"
        "  application.yml: |\n"
    )
    return {"configmap.yaml": head + _indented(_tree(_spring(asked)), 4)}


def _rdkafka(asked: Asked) -> tuple[Settings, Settings]:
    """What a producer and a consumer of librdkafka's are told, beside their brokers."""
    names = {"max.request.size": "message.max.bytes"}
    words = {
        "SSL": "ssl",
        "PLAINTEXT": "plaintext",
        "SASL_PLAINTEXT": "sasl_plaintext",
        "SASL_SSL": "sasl_ssl",
    }
    common = {key: words.get(str(value), value) for key, value in asked.common.items()}
    producer = {names.get(key, key): value for key, value in asked.producer.items()}
    consumer = {"group.id": "orders", **asked.consumer} if asked.consumer else {}
    return ({**common, **producer} if producer else {}), (
        {**common, **consumer} if consumer else {}
    )


def _rdkafka_json(asked: Asked) -> Files:
    producer, consumer = _rdkafka(asked)
    found = {"client": "librdkafka", "bootstrap.servers": asked.servers, **producer, **consumer}
    return {"kafka.json": json.dumps(found, indent=2)}


def _rdkafka_ini(asked: Asked) -> Files:
    text = f"[default]\nbootstrap.servers={asked.servers}\n"
    for role, settings in zip(("producer", "consumer"), _rdkafka(asked), strict=True):
        text += f"\n[{role}]\n{_lines(settings)}" if settings else ""
    return {"kafka.ini": text}


def _plain(asked: Asked) -> Files:
    role = "producer" if asked.producer else "consumer"
    found: Settings = {"bootstrap.servers": asked.servers, **asked.common}
    found |= {**asked.producer, **({"group.id": "orders"} if asked.consumer else {})}
    return {f"{role}.properties": _lines({**found, **asked.consumer})}


def _kafkajs(asked: Asked) -> Files:
    names = {
        "session.timeout.ms": "sessionTimeout",
        "heartbeat.interval.ms": "heartbeatInterval",
        "fetch.max.bytes": "maxBytes",
        "transactional.id": "transactionalId",
        "transaction.timeout.ms": "transactionTimeout",
    }
    shared: dict[str, object] = {"clientId": "orders", "brokers": asked.servers.split(",")}
    protocol = str(asked.common.get("security.protocol", ""))
    if protocol:
        shared["ssl"] = protocol.endswith("SSL")
    if protocol.startswith("SASL"):
        mechanism = str(asked.common["sasl.mechanism"]).lower()
        shared["sasl"] = {"mechanism": mechanism, "username": "orders", "password": "${PASSWORD}"}
    found: dict[str, object] = {"kafka": shared}
    for role, settings in (("producer", asked.producer), ("consumer", asked.consumer)):
        if settings:
            own = {names.get(key, key): value for key, value in settings.items()}
            if "acks" in own:
                own["acks"] = {"all": -1}.get(str(own["acks"]), 1)
            found[role] = {**({"groupId": "orders"} if role == "consumer" else {}), **own}
    return {"kafka.json": json.dumps(found, indent=2)}


def _appsettings(asked: Asked) -> Files:
    words = {
        "SSL": "Ssl",
        "SASL_PLAINTEXT": "SaslPlaintext",
        "SASL_SSL": "SaslSsl",
        "PLAIN": "Plain",
        "SCRAM-SHA-512": "ScramSha512",
        "1": "Leader",
        "all": "All",
    }

    def camel(settings: Settings) -> Settings:
        return {
            "".join(part.capitalize() for part in key.split(".")): words.get(str(v), v)
            for key, v in settings.items()
        }

    producer, consumer = (
        {k: v for k, v in s.items() if k not in asked.common} for s in _rdkafka(asked)
    )
    kafka = {"BootstrapServers": asked.servers, **camel(asked.common)}
    if producer:
        kafka["Producer"] = camel(producer)
    if consumer:
        kafka["Consumer"] = camel(consumer)
    return {"appsettings.json": json.dumps({"Logging": {}, "Kafka": kafka}, indent=2)}


def _streams(asked: Asked) -> Files:
    found: Settings = {"application.id": "orders", "bootstrap.servers": asked.servers}
    found |= asked.common
    for role, settings in (("producer", asked.producer), ("consumer", asked.consumer)):
        found |= {f"{role}.{key}": value for key, value in settings.items()}
    if found.pop("producer.transactional.id", None):
        found["processing.guarantee"] = "exactly_once_v2"
    if asked.factor:
        found["replication.factor"] = asked.factor
    return {"streams.properties": _lines(found)}


def _connect(asked: Asked) -> Files:
    factor = asked.factor or 3
    worker: Settings = {
        "bootstrap.servers": asked.servers,
        "group.id": "orders-connect",
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "connector.client.config.override.policy": "All",
    }
    for topic in ("offset", "config", "status"):
        worker[f"{topic}.storage.topic"] = f"orders-{topic}"
        worker[f"{topic}.storage.replication.factor"] = factor
    worker |= asked.common
    connector: Settings = {"tasks.max": "1"}
    if asked.consumer:
        connector["connector.class"] = "org.apache.kafka.connect.file.FileStreamSinkConnector"
        connector |= {"topics": "orders", "file": "/data/orders"}
    else:
        connector["connector.class"] = "org.apache.kafka.connect.file.FileStreamSourceConnector"
        connector |= {"topic": "orders", "file": "/data/orders"}
    for role, settings in (("producer", asked.producer), ("consumer", asked.consumer)):
        connector |= {f"{role}.override.{key}": str(value) for key, value in settings.items()}
    return {
        "connect-distributed.properties": _lines(worker),
        "orders-connector.json": json.dumps({"name": "orders", "config": connector}, indent=2),
    }


def _declared(asked: Asked) -> Files:
    text = "kcheck: 1\n"
    base = {"bootstrap.servers": asked.servers, **asked.common}
    consumer = {"group.id": "orders", **asked.consumer} if asked.consumer else {}
    streams = (
        {"application.id": "orders", "replication.factor": asked.factor} if asked.factor else {}
    )
    for part, settings in (
        ("producers", asked.producer),
        ("consumers", consumer),
        ("streams", streams),
    ):
        if settings:
            text += f"{part}:\n  - name: orders\n    topics: [orders]\n    config:\n"
            text += _indented(_flow({**base, **settings}), 6)
    return {"orders.kcheck.yaml": text}


_NO_STREAMS = frozenset({"factor"})

CLIENTS = (
    Client("spring-yaml", _spring_yaml, resources=True),
    Client("spring-properties", _spring_properties, resources=True),
    Client("spring-stream", _spring_stream, resources=True),
    Client("quarkus", _quarkus, resources=True),
    Client("micronaut", _micronaut, resources=True),
    Client("compose-service", _compose_service, inside=True),
    Client("deployment", _deployment, inside=True),
    Client("configmap", _config_map, inside=True),
    Client("librdkafka-json", _rdkafka_json, _NO_STREAMS),
    Client("librdkafka-ini", _rdkafka_ini, _NO_STREAMS),
    Client("properties", _plain, _NO_STREAMS, resources=True),
    # KafkaJS bounds its requests nowhere.
    Client("kafkajs", _kafkajs, _NO_STREAMS | {"request-size"}),
    Client("appsettings", _appsettings, _NO_STREAMS),
    Client("streams", _streams, resources=True),
    Client("connect", _connect),
    Client("declaration", _declared),
)


class Place(NamedTuple):
    """A cluster: its name, and where its brokers answer to those on a desk."""

    name: str
    port: int


#: The cluster of a cell, another one in the same repository, and one that no file tells of.
SHOP, BILLING, NOWHERE = Place("shop", 29092), Place("billing", 39092), Place("nowhere", 49092)


class Broker(NamedTuple):
    """A format of brokers: its files by name, and where they answer (outside, inside).

    ``offered`` is the mechanism that its logins are by, ``protocol`` what they go over.
    """

    name: str
    write: Callable[[Place, Fault], Files]
    servers: Callable[[Place, Fault, bool], str]
    offered: str = "SCRAM-SHA-512"
    protocol: str = "SASL_PLAINTEXT"
    cannot: frozenset[str] = frozenset()


def _hosts(place: Place) -> list[str]:
    return [f"kafka-{n}.{place.name}.example.com" for n in (1, 2, 3)]


def _by_host(place: Place, fault: Fault, inside: bool) -> str:
    return ",".join(f"{host}:9092" for host in _hosts(place))


def _spoken(fault: Fault) -> str:
    return "SASL_PLAINTEXT" if fault.login else "PLAINTEXT"


def _mechanisms(fault: Fault) -> Settings:
    if not fault.login:
        return {}
    key = "sasl.mechanism.inter.broker.protocol"
    return {"sasl.enabled.mechanisms": "SCRAM-SHA-512", key: "SCRAM-SHA-512"}


def _node(place: Place, number: int, host: str, fault: Fault) -> Settings:
    spoken = _spoken(fault)
    voters = ",".join(f"{n}@{h}:9093" for n, h in enumerate(_hosts(place), 1))
    return {
        "process.roles": "broker,controller",
        "node.id": number,
        "controller.quorum.voters": voters,
        "controller.listener.names": "CONTROLLER",
        "listeners": f"{spoken}://:9092,CONTROLLER://:9093",
        "advertised.listeners": f"{spoken}://{host}:9092",
        "listener.security.protocol.map": f"{spoken}:{spoken},CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": spoken,
        "log.dirs": "/var/lib/kafka/data",
        "default.replication.factor": 3,
        **_mechanisms(fault),
        **fault.brokers,
    }


def _declared_topic(place: Place, fault: Fault) -> Files:
    """The topic where the format of the brokers has none: a declaration beside them."""
    if not fault.topic:
        return {}
    config = json.dumps(fault.topic)
    return {
        "topics.kcheck.yaml": "kcheck: 1\ntopics:\n  - {name: orders, partitions: 6, "
        f"replication_factor: 3, config: {config}}}\n"
    }


def _server_properties(place: Place, fault: Fault) -> Files:
    files = {
        f"server-{n}.properties": _lines(_node(place, n, host, fault))
        for n, host in enumerate(_hosts(place), 1)
    }
    return files | _declared_topic(place, fault)


_IMAGES = {
    "apache": ("apache/kafka:4.1.0", "KAFKA_"),
    "confluent": ("confluentinc/cp-kafka:7.9.2", "KAFKA_"),
    "bitnami": ("bitnami/kafka:3.9.0", "KAFKA_CFG_"),
}


def _compose_brokers(image: str) -> Callable[[Place, Fault], Files]:
    named, prefix = _IMAGES[image]

    def write(place: Place, fault: Fault) -> Files:
        text = f"name: {place.name}\nservices:\n"
        for n, host in enumerate(_hosts(place), 1):
            spoken, port = _spoken(fault), place.port + n - 1
            settings = _node(place, n, host, fault)
            settings |= {
                "listeners": f"{spoken}://:9092,CONTROLLER://:9093,HOST://:{port}",
                "advertised.listeners": f"{spoken}://{host}:9092,HOST://localhost:{port}",
                "listener.security.protocol.map": (
                    f"{spoken}:{spoken},CONTROLLER:PLAINTEXT,HOST:{spoken}"
                ),
            }
            if image == "confluent":
                del settings["log.dirs"]
            variables = {
                prefix + key.upper().replace(".", "_"): str(value)
                for key, value in settings.items()
            }
            text += f"  kafka-{n}:\n    image: {named}\n    hostname: {host}\n"
            text += f'    ports: ["{port}:{port}"]\n    environment:\n'
            if image == "confluent":
                text += "      CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qk\n"
            text += _indented(_flow(dict(variables)), 6)
        return {"docker-compose.yml": text} | _declared_topic(place, fault)

    return write


def _by_port(place: Place, fault: Fault, inside: bool) -> str:
    return _by_host(place, fault, inside) if inside else f"localhost:{place.port}"


def _strimzi(pools: bool) -> Callable[[Place, Fault], Files]:
    def write(place: Place, fault: Fault) -> Files:
        login = ", authentication: {type: scram-sha-512}" if fault.login else ""
        meta = f"metadata:\n  name: {place.name}\n  namespace: kafka\n"
        listener = f"{{name: plain, port: 9092, type: internal, tls: false{login}}}"
        text = (
            f"apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\n{meta}spec:\n  kafka:\n"
            f"    version: 3.9.0\n    listeners: [{listener}]\n"
        )
        if not pools:
            text += "    replicas: 3\n    storage: {type: persistent-claim, size: 100Gi}\n"
        config = {"default.replication.factor": 3, **fault.brokers}
        text += f"    config: {json.dumps(config)}\n"
        text += "  entityOperator: {topicOperator: {}}\n"
        if not pools:
            storage = "storage: {type: persistent-claim, size: 10Gi}"
            text += f"  zookeeper: {{replicas: 3, {storage}}}\n"
        files = {"kafka.yaml": text}
        label = f"  labels: {{strimzi.io/cluster: {place.name}}}\n"
        if pools:
            files["pool.yaml"] = (
                "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaNodePool\nmetadata:\n"
                f"  name: dual\n  namespace: kafka\n{label}spec:\n  replicas: 3\n"
                "  roles: [broker, controller]\n"
                "  storage: {type: persistent-claim, size: 100Gi}\n"
            )
        if fault.topic:
            files["topics.yaml"] = (
                "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata:\n"
                f"  name: orders\n  namespace: kafka\n{label}spec:\n  partitions: 6\n"
                f"  replicas: 3\n  config: {json.dumps(fault.topic)}\n"
            )
        return files

    return write


def _by_service(place: Place, fault: Fault, inside: bool) -> str:
    return f"{place.name}-kafka-bootstrap.kafka.svc.cluster.local:9092"


def _confluent(place: Place, fault: Fault) -> Files:
    text = (
        "apiVersion: platform.confluent.io/v1beta1\nkind: Kafka\nmetadata:\n"
        f"  name: kafka\n  namespace: {place.name}\nspec:\n  replicas: 3\n"
        "  image: {application: confluentinc/cp-server:7.9.2}\n  dataVolumeCapacity: 100Gi\n"
    )
    if fault.login:
        secret = "{type: plain, jaasConfig: {secretRef: credential}}"
        text += f"  listeners:\n    internal:\n      authentication: {secret}\n"
    lines = [f"{key}={value}" for key, value in fault.brokers.items()]
    lines.append("default.replication.factor=3")
    text += f"  configOverrides:\n    server: {json.dumps(lines)}\n"
    files = {"kafka.yaml": text}
    if fault.topic:
        files["topics.yaml"] = (
            "apiVersion: platform.confluent.io/v1beta1\nkind: KafkaTopic\nmetadata:\n"
            f"  name: orders\n  namespace: {place.name}\nspec:\n  partitionCount: 6\n"
            f"  replicas: 3\n  configs: {json.dumps(fault.topic)}\n"
            "  kafkaClusterRef: {name: kafka}\n"
        )
    return files


def _by_confluent(place: Place, fault: Fault, inside: bool) -> str:
    return f"kafka.{place.name}.svc.cluster.local:9071"


def _bitnami(place: Place, fault: Fault) -> Files:
    spoken = _spoken(fault)
    text = (
        "image: {registry: docker.io, repository: bitnami/kafka, tag: 3.9.0}\n"
        f"fullnameOverride: {place.name}-kafka\nnamespaceOverride: shop\n"
        f"listeners:\n  client: {{protocol: {spoken}}}\n  interbroker: {{protocol: {spoken}}}\n"
        "  controller: {protocol: PLAINTEXT}\n"
        "controller: {replicaCount: 3, controllerOnly: false}\n"
    )
    if fault.login:
        text += "sasl: {enabledMechanisms: SCRAM-SHA-512, interBrokerMechanism: SCRAM-SHA-512}\n"
    overrides = {"default.replication.factor": 3, **fault.brokers}
    text += "extraConfig: |\n" + _indented(_lines(overrides), 2)
    if fault.topic:
        config = json.dumps(fault.topic)
        topic = f"{{name: orders, partitions: 6, replicationFactor: 3, config: {config}}}"
        text += f"provisioning:\n  enabled: true\n  topics: [{topic}]\n"
    return {"kafka-values.yaml": text}


def _by_chart(place: Place, fault: Fault, inside: bool) -> str:
    return f"{place.name}-kafka.shop.svc.cluster.local:9092"


def _msk(place: Place, fault: Fault) -> Files:
    wanted = {"default.replication.factor": 3, **fault.brokers}
    lines = "".join(f"    {key} = {value}\n" for key, value in wanted.items())
    text = (
        f'resource "aws_msk_configuration" "main" {{\n  name = "{place.name}"\n'
        f'  kafka_versions = ["3.9.x"]\n  server_properties = <<-EOT\n{lines}  EOT\n}}\n\n'
        f'resource "aws_msk_cluster" "main" {{\n  cluster_name = "{place.name}"\n'
        '  kafka_version = "3.9.x"\n  number_of_broker_nodes = 3\n'
        '  broker_node_group_info {\n    instance_type = "kafka.m7g.large"\n'
        "    client_subnets = var.subnets\n    security_groups = [var.group]\n  }\n"
        "  configuration_info {\n    arn = aws_msk_configuration.main.arn\n"
        "    revision = aws_msk_configuration.main.latest_revision\n  }\n"
        '  encryption_info {\n    encryption_in_transit { client_broker = "TLS_PLAINTEXT" }\n  }\n'
    )
    if fault.login:
        text += "  client_authentication {\n    sasl { scram = true }\n  }\n"
    text += "}\n"
    files = {"msk.tf": text}
    if fault.topic:
        config = "".join(f'    "{key}" = "{value}"\n' for key, value in fault.topic.items())
        files["topics.tf"] = (
            'provider "kafka" {\n'
            '  bootstrap_servers = split(",", aws_msk_cluster.main.bootstrap_brokers)\n}\n\n'
            'resource "kafka_topic" "orders" {\n  name = "orders"\n  partitions = 6\n'
            f"  replication_factor = 3\n  config = {{\n{config}  }}\n}}\n"
        )
    return files


def _by_msk(place: Place, fault: Fault, inside: bool) -> str:
    port = 9096 if fault.login else 9092
    domain = f"{place.name}.k3x9ab.c6.kafka.eu-central-1.amazonaws.com"
    return ",".join(f"b-{n}.{domain}:{port}" for n in (1, 2, 3))


def _declared_brokers(place: Place, fault: Fault) -> Files:
    spoken = _spoken(fault)
    text = f"kcheck: 1\ncluster:\n  name: {place.name}\n  kafka_version: '3.9'\n"
    text += "  config:\n" + _indented(_flow({**_mechanisms(fault), **fault.brokers}), 4)
    if not fault.brokers and not fault.login:
        text += "    default.replication.factor: 3\n"
    text += "  brokers:\n"
    for n, host in enumerate(_hosts(place), 1):
        config = {"advertised.listeners": f"{spoken}://{host}:9092"}
        text += f"    - {{id: {n}, config: {json.dumps(config)}}}\n"
    if fault.topic:
        config = json.dumps(fault.topic)
        topic = f"{{name: orders, partitions: 6, replication_factor: 3, config: {config}}}"
        text += f"topics:\n  - {topic}\n"
    return {"kcheck.yaml": text}


BROKERS = (
    Broker("server-properties", _server_properties, _by_host),
    Broker("compose-apache", _compose_brokers("apache"), _by_port),
    Broker("compose-confluent", _compose_brokers("confluent"), _by_port),
    Broker("compose-bitnami", _compose_brokers("bitnami"), _by_port),
    Broker("strimzi", _strimzi(False), _by_service),
    Broker("strimzi-pools", _strimzi(True), _by_service),
    Broker("confluent", _confluent, _by_confluent, offered="PLAIN"),
    Broker("bitnami-chart", _bitnami, _by_chart),
    Broker("msk", _msk, _by_msk, protocol="SASL_SSL"),
    Broker("declaration", _declared_brokers, _by_host),
)


class Layout(NamedTuple):
    """Folders of brokers and clients; ``other`` is where another cluster's brokers are."""

    name: str
    brokers: str
    client: str
    #: What stands between the client's folder and files that are resources of a Java project.
    resources: str = ""
    other: str = ""


LAYOUTS = (
    Layout("one-folder", "", ""),
    Layout("siblings", "kafka/", "orders/"),
    Layout("infra", "infra/kafka/", "services/orders/", "src/main/resources/"),
    Layout("deep", "platform/", "teams/sales/backend/orders/app/config/"),
    Layout(
        "monorepo", "clusters/shop/", "apps/orders/", "src/main/resources/", "clusters/billing/"
    ),
)


class Cell(NamedTuple):
    client: Client
    broker: Broker
    layout: Layout
    fault: Fault
    #: Whether the client's side is as wrong as the fault has it, or as right as can be.
    faulty: bool = True
    asks: Place = SHOP

    def __str__(self) -> str:
        return "/".join(part.name for part in self[:4])

    @property
    def applicable(self) -> bool:
        """Whether both formats have words for the fault."""
        return self.fault.name not in self.client.cannot | self.broker.cannot

    @property
    def mended(self) -> Cell:
        """The same project without the fault: the client's settings fit what the brokers say."""
        return self._replace(faulty=False)

    @property
    def estranged(self) -> Cell:
        """The same project, of which the client asks brokers that no file tells of."""
        return self._replace(asks=NOWHERE)

    @property
    def client_files(self) -> Files:
        folder = self.layout.client + (self.layout.resources if self.client.resources else "")
        broker, fault = self.broker, self.fault
        common, producer, consumer = (
            part if self.faulty else {key: _MENDED.get(key, value) for key, value in part.items()}
            for part in (fault.common, fault.producer, fault.consumer)
        )
        factor = fault.factor if self.faulty else min(fault.factor, 3)
        if fault.login:
            wanted = broker.offered
            if self.faulty:
                wanted = "PLAIN" if broker.offered != "PLAIN" else "SCRAM-SHA-512"
            common = {"security.protocol": broker.protocol, "sasl.mechanism": wanted}
        servers = broker.servers(self.asks, fault, self.client.inside or self.asks is NOWHERE)
        asked = Asked(servers, common, producer, consumer, factor)
        return {folder + name: text for name, text in self.client.write(asked).items()}

    @property
    def broker_files(self) -> Files:
        written = self.broker.write(SHOP, self.fault)
        return {self.layout.brokers + name: text for name, text in written.items()}

    @property
    def other_files(self) -> Files:
        """Brokers with the same fault that the client has nothing to do with."""
        if not self.layout.other:
            return {}
        written = self.broker.write(BILLING, self.fault)
        return {self.layout.other + name: text for name, text in written.items()}


def cells() -> Iterator[Cell]:
    """All of them, those that are not applicable too."""
    return (Cell(*parts) for parts in product(CLIENTS, BROKERS, LAYOUTS, FAULTS))


def pairwise() -> list[Cell]:
    """Few cells in which every two values of two parts meet that can; the same at each call.

    Greedy: the next cell holds one pair that is still missing and as many more as can be.
    """
    parts: tuple[tuple[NamedTuple, ...], ...] = (CLIENTS, BROKERS, LAYOUTS, FAULTS)
    places = list(combinations(range(len(parts)), 2))
    usable = [
        cell
        for cell in product(*(range(len(part)) for part in parts))
        if Cell(*(part[n] for part, n in zip(parts, cell, strict=True))).applicable  # type: ignore[arg-type]
    ]
    holds = {cell: {(a, cell[a], b, cell[b]) for a, b in places} for cell in usable}
    missing = set().union(*holds.values())
    by_pair: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for cell in usable:
        for pair in holds[cell]:
            by_pair.setdefault(pair, []).append(cell)
    chosen = []
    for pair in sorted(missing):
        if pair in missing:
            best = max(by_pair[pair], key=lambda cell: len(holds[cell] & missing))
            missing -= holds[best]
            chosen.append(best)
    return [
        Cell(*(part[n] for part, n in zip(parts, cell, strict=True)))  # type: ignore[arg-type]
        for cell in chosen
    ]

"""Files that ask for more than they are worth: a table of shapes, each written at any size.

A shape is a file's head, an item that is repeated, and its end; ``@`` in an item is its number.
``write`` makes the files of one shape in a folder.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

#: Path of each file of a shape, and its text.
Files = dict[str, str]
#: The files of a shape at about so many bytes.
Making = Callable[[int], Files]

SHAPES: dict[str, Making] = {}


def many(
    name: str, path: str, head: str, item: str, end: str = "", *, beside: Files | None = None
) -> None:
    """Items one after the other."""

    def make(size: int) -> Files:
        left = size - len((head + end).encode())
        parts = item.split("@")
        plain, numbers = len(item.encode()) - len(parts) + 1, len(parts) - 1
        written: list[str] = []
        while left > 0 and item:
            number = str(len(written))
            written.append(number.join(parts))
            left -= plain + numbers * len(number)
        return {path: head + "".join(written) + end, **(beside or {})}

    _add(name, make)


def nested(name: str, path: str, head: str, opens: str, closes: str, end: str = "") -> None:
    """Items within one another."""

    def make(size: int) -> Files:
        count = max(1, (size - len(head)) // (len(opens) + len(closes)))
        return {path: head + opens * count + closes * count + end}

    _add(name, make)


def bomb(
    name: str, path: str, make_text: Callable[[int], str], beside: Files | None = None
) -> None:
    """What is small and expands: its steps double with each doubling of the size."""

    def make(size: int) -> Files:
        return {path: make_text(min(40, max(4, size.bit_length() * 2))), **(beside or {})}

    _add(name, make)


def _add(name: str, make: Making) -> None:
    if name in SHAPES:
        raise ValueError(f"two shapes are called {name}")
    SHAPES[name] = make


def write(name: str, folder: Path, size: int) -> int:
    """Write the files of a shape; gives their bytes."""
    written = 0
    for path, text in SHAPES[name](size).items():
        data = text.encode("utf-8", "surrogateescape")
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        written += len(data)
    return written


# --- .properties ---------------------------------------------------------------------------------

_BROKER = "broker.id=1\nzookeeper.connect=z:2181\n"
_CLIENT = "bootstrap.servers=k:9092\nacks=all\n"
_CONNECT = (
    "bootstrap.servers=k:9092\ngroup.id=g\nconfig.storage.topic=c\n"
    "offset.storage.topic=o\nstatus.storage.topic=s\n"
)
_SERVER = "server.properties"

many("properties: unknown keys", _SERVER, _BROKER, "mesage.max.bytez@=1\n")
many("properties: keys of nothing", _SERVER, _BROKER, "k@=v\n")
many("properties: near misses of one key", _SERVER, _BROKER, "log.retention.m@=1\n")
many("properties: one key again and again", _SERVER, _BROKER, "num.partitions=@\n")
many("properties: duplicates of long keys", _SERVER, _BROKER, "ssl.keystore.location@=/a\n" * 2)
many("properties: log.dirs", _SERVER, _BROKER + "log.dirs=/d", ",/d@")
many("properties: log.dirs of one name", _SERVER, _BROKER + "log.dirs=/d", ",/d")
many("properties: listeners", _SERVER, _BROKER + "listeners=A://:1", ",L@://:9@")
many(
    "properties: listeners and their protocols",
    _SERVER,
    _BROKER
    + "advertised.listeners=A://h:1\nlisteners=A://:1\nlistener.security.protocol.map=A:SSL",
    ",L@:SSL",
)
many("properties: keys of listeners", _SERVER, _BROKER, "listener.name.l@.ssl.keystore.type=a\n")
many(
    "properties: voters",
    _SERVER,
    "process.roles=broker\nnode.id=1\ncontroller.quorum.voters=1@a:1",
    ",@" + "@h:9093",
)
many(
    "properties: bootstrap servers",
    "client.properties",
    "acks=all\nbootstrap.servers=k:1",
    ",k@:9092",
)
many("properties: joined lines", _SERVER, _BROKER + "log.dirs=", "\\\n")
many("properties: joined texts", _SERVER, _BROKER + "log.dirs=", "/a@,\\\n ")
many("properties: escapes", _SERVER, _BROKER + "log.dirs=", "\\u0041")
many("properties: a key of backslashes", _SERVER, _BROKER, "\\\\\\\\")
many("properties: references", _SERVER, _BROKER + "log.dirs=", "${a@}")
many("properties: unclosed references", _SERVER, _BROKER + "log.dirs=", "${A:-")
many(
    "properties: placeholders of Spring",
    "application.properties",
    "spring.kafka.consumer.group-id=a\nspring.kafka.client-id=",
    "${A@:",
)
many("properties: ignores", _SERVER, _BROKER, "# kcheck: ignore[min-isr-eq-rf] until=2099-01-01\n")
many("properties: ignores that nothing needs", _SERVER, _BROKER, "# kcheck: ignore[KC0103]\nk@=v\n")
many("properties: malformed ignores", _SERVER, _BROKER, "# kcheck: ignore[no-such-rule@]\n")
many("properties: ignores for the file", _SERVER, "", "# kcheck: ignore-file[KC0103]\n", _BROKER)
many("properties: comments", _SERVER, _BROKER, "# log.dirs=/a@\n")
many("properties: blank lines", _SERVER, _BROKER, "\n")
many("properties: one long line", _SERVER, _BROKER + "log.dirs=", "a")
many("properties: one long key", _SERVER, _BROKER, "a")
many("properties: characters beyond Latin-1", _SERVER, _BROKER, "größe@=ß\u20ac\n")
many("properties: numbers too large", _SERVER, _BROKER + "message.max.bytes=", "9")
many("properties: digits and signs", _SERVER, _BROKER + "log.retention.ms=", "1_")
many("properties: transforms", "c.properties", _CONNECT + "connector.class=A\ntransforms=a", ",t@")
many(
    "properties: transforms with keys",
    "c.properties",
    "name=c\nconnector.class=FileStreamSink\ntopics=a\n",
    "transforms.t@.type=a\npredicates.p@.type=b\n",
)
many("properties: connector topics", "c.properties", "name=c\nconnector.class=S\ntopics=a", ",t@")
many("properties: config providers", "w.properties", _CONNECT + "config.providers=a", ",p@")
many("properties: plugin paths", "w.properties", _CONNECT + "plugin.path=/a", ",/p@")
many("properties: prefixes of clients", "w.properties", _CONNECT, "producer.override.k@=1\n")
many("properties: jaas", _SERVER, _BROKER + "sasl.jaas.config=a.B required ", 'u@="p" ')
many("properties: jaas never ends", _SERVER, _BROKER + "sasl.jaas.config=", "a.B required ")
many(
    "properties: jaas users",
    _SERVER,
    _BROKER + "listener.name.a.plain.sasl.jaas.config=a.B required ",
    'user_u@="p" ',
)
many("properties: super users", _SERVER, _BROKER + "super.users=User:a", ";User:u@")
many(
    "properties: principal rules",
    _SERVER,
    _BROKER + "ssl.principal.mapping.rules=DEFAULT",
    ",RULE:^CN=(.*?)$/$1/L",
)
many(
    "properties: spring bindings",
    "application.properties",
    "spring.kafka.bootstrap-servers=k:1\n",
    "spring.cloud.stream.kafka.bindings.b@.consumer.enableDlq=true\n",
)
many(
    "properties: quarkus channels",
    "application.properties",
    "kafka.bootstrap.servers=k:1\n",
    "mp.messaging.incoming.c@.connector=smallrye-kafka\n",
)
many(
    "properties: profiles of quarkus",
    "application.properties",
    "kafka.bootstrap.servers=k:1\n",
    "%p@.mp.messaging.incoming.a.connector=smallrye-kafka\n",
)
many(
    "properties: placeholders of one another",
    "application.properties",
    "spring.kafka.consumer.group-id=${a0}\n",
    "a@=${a@}${a@}\n",
)
many(
    "properties: a template",
    "roles/k/templates/server.properties.j2",
    _BROKER,
    "{% if a@ %}\na=1\n",
)
many(
    "properties: a template's expressions",
    "roles/k/templates/server.properties.j2",
    _BROKER,
    "{{ a\n",
)
many(
    "properties: statements that never end",
    "roles/k/templates/server.properties.j2",
    _BROKER,
    "{% {# <% ",
)


def _mirrors(size: int) -> Files:
    count = max(2, size // 40)
    names = [f"c{number}" for number in range(count)]
    text = "clusters=" + ",".join(names) + "\n"
    return {"mm2.properties": text + "".join(f"{n}.bootstrap.servers={n}:1\n" for n in names)}


def _pairs(size: int) -> Files:
    count = max(2, int((size / 25) ** 0.5))
    names = [f"c{number}" for number in range(count)]
    text = "clusters=" + ",".join(names) + "\n"
    return {
        "mm2.properties": text
        + "".join(f"{a}->{b}.enabled=true\n" for a in names for b in names if a != b)
    }


_add("mirrors: clusters", _mirrors)
_add("mirrors: pairs of clusters", _pairs)
many(
    "mirrors: topics of one flow",
    "mm2.properties",
    "clusters=a,b\na.bootstrap.servers=a:1\nb.bootstrap.servers=b:1\na->b.enabled=true\na->b.topics=x",
    ",t@",
)

# --- YAML ----------------------------------------------------------------------------------------

_OWN = "kcheck.yaml"
_STRIMZI = "apiVersion: kafka.strimzi.io/v1beta2\nkind: "
_COMPOSE = "docker-compose.yml"

many("yaml: topics", _OWN, "kcheck: 1\ntopics:\n", "  - {name: t@, partitions: 3}\n")
many("yaml: topics of one name", _OWN, "kcheck: 1\ntopics:\n", "  - {name: t, partitions: 3}\n")
many(
    "yaml: topics with faults",
    _OWN,
    "kcheck: 1\ntopics:\n",
    "  - {name: t@, partitions: 0, config: {retention.ms: x}}\n",
)
many(
    "yaml: one topic's unknown keys",
    _OWN,
    "kcheck: 1\ntopics:\n  - name: t\n    config:\n",
    "      retention.mss@: 1\n",
)
many(
    "yaml: one mapping with one key",
    _OWN,
    "kcheck: 1\ntopics:\n  - name: t\n    config:\n",
    "      retention.ms: 1\n",
)
many("yaml: unknown words", _OWN, "kcheck: 1\n", "topicz@: []\n")
many(
    "yaml: brokers",
    _OWN,
    "kcheck: 1\ncluster:\n  name: c\n  brokers:\n",
    "    - {id: @, config: {log.dirs: /d}}\n",
)
many(
    "yaml: clients",
    _OWN,
    "kcheck: 1\ncluster: {name: c}\ntopics: [{name: t, partitions: 3}]\nconsumers:\n",
    "  - {name: c@, topics: [t]}\n",
)
many(
    "yaml: producers and consumers of one topic",
    _OWN,
    "kcheck: 1\ncluster: {name: c}\ntopics: [{name: t, partitions: 3}]\nproducers:\n",
    "  - {name: p@, topics: [t], config: {acks: '1'}}\n",
    "consumers:\n" + "".join(f"  - {{name: c{n}, topics: [t]}}\n" for n in range(500)),
)
many("yaml: a list of nothing", _OWN, "kcheck: 1\ntopics: [", "a,", "]\n")
many(
    "yaml: a list within a topic",
    _OWN,
    "kcheck: 1\ntopics:\n  - name: t\n    config: [",
    "a,",
    "]\n",
)
nested("yaml: lists in lists", _OWN, "kcheck: 1\ntopics: ", "[", "]")
nested("yaml: mappings in mappings", _OWN, "kcheck: 1\ntopics: ", "{a: ", "}")
many("yaml: lists that never end", _OWN, "kcheck: 1\ntopics: ", "[")
many("yaml: dashes", _OWN, "kcheck: 1\ntopics:\n  ", "- ")
many("yaml: questions", _OWN, "kcheck: 1\ntopics:\n  ", "? ")
many("yaml: anchors", _OWN, "kcheck: 1\ntopics:\n", "  - &a@ {name: t@}\n")
many("yaml: one anchor again and again", _OWN, "kcheck: 1\ntopics:\n", "  - &a {name: t@}\n")
many(
    "yaml: aliases",
    _OWN,
    "kcheck: 1\ntopics:\n  - &a {name: t, config: {retention.ms: 1}}\n",
    "  - *a\n",
)
many(
    "yaml: aliases of a long list",
    _COMPOSE,
    "x-a: &a {" + "".join(f"KAFKA_A{n}: 1, " for n in range(300)) + "}\nservices:\n",
    "  s@: {image: apache/kafka:4.1.0, environment: *a}\n",
)
many(
    "yaml: merges",
    _COMPOSE,
    "x-a: &a {KAFKA_NODE_ID: 1}\nservices:\n  k:\n    image: apache/kafka:4.1.0\n    environment:\n",
    "      <<: *a\n",
)
many(
    "yaml: a chain of merges",
    _COMPOSE,
    "x-0: &a0 {KAFKA_NODE_ID: 1}\n",
    "x-@: &b@ {<<: *a0, KAFKA_A@: 1}\n",
    "services: {k: {image: apache/kafka:4.1.0}}\n",
)
many(
    "yaml: merges of a long mapping",
    _COMPOSE,
    "x-a: &a {" + "".join(f"KAFKA_A{n}: 1, " for n in range(300)) + "}\nservices:\n",
    "  s@: {image: apache/kafka:4.1.0, environment: {<<: *a}}\n",
)
many(
    "yaml: documents",
    "topics.yaml",
    "",
    f"---\n{_STRIMZI}KafkaTopic\nmetadata: {{name: t@, labels: {{strimzi.io/cluster: c}}}}\nspec: {{partitions: 3, replicas: 3}}\n",
)
many(
    "yaml: topics of many clusters",
    "topics.yaml",
    "",
    f"---\n{_STRIMZI}KafkaTopic\nmetadata: {{name: t@, labels: {{strimzi.io/cluster: c@}}}}\nspec: {{partitions: 3, replicas: 3}}\n",
)
many(
    "yaml: clusters",
    "kafkas.yaml",
    "",
    f"---\n{_STRIMZI}Kafka\nmetadata: {{name: c@}}\nspec: {{kafka: {{version: 4.1.0, replicas: 3, config: {{a: 1}}}}}}\n",
)
many(
    "yaml: node pools",
    "pools.yaml",
    f"{_STRIMZI}Kafka\nmetadata: {{name: c}}\nspec: {{kafka: {{version: 4.1.0}}}}\n",
    f"---\n{_STRIMZI}KafkaNodePool\nmetadata: {{name: p@, labels: {{strimzi.io/cluster: c}}}}\nspec: {{replicas: 3, roles: [broker]}}\n",
)
many("yaml: empty documents", "topics.yaml", f"{_STRIMZI}KafkaTopic\n", "---\n")
many(
    "yaml: listeners of a cluster",
    "kafka.yaml",
    f"{_STRIMZI}Kafka\nmetadata: {{name: c}}\nspec:\n  kafka:\n    version: 4.1.0\n    listeners:\n",
    "      - {name: l@, port: 9@, type: internal, tls: false}\n",
)
many(
    "yaml: mirrors of Strimzi",
    "mm.yaml",
    f"{_STRIMZI}KafkaMirrorMaker2\nmetadata: {{name: m}}\nspec:\n  clusters:\n",
    "    - {alias: a@, bootstrapServers: 'a@:9092'}\n",
)
many(
    "yaml: ignores",
    _OWN,
    "kcheck: 1\ntopics:\n",
    "  # kcheck: ignore[min-isr-eq-rf]\n  - {name: t@, partitions: 3}\n",
)
many(
    "yaml: ignores without anything",
    _OWN,
    "kcheck: 1\ntopics:\n",
    "  # kcheck: ignore[min-isr-eq-rf]\n",
    "  - {name: t, partitions: 3}\n",
)
many(
    "yaml: ignores over documents",
    "topics.yaml",
    "",
    f"---\n# kcheck: ignore[min-isr-eq-rf]\n{_STRIMZI}KafkaTopic\nmetadata: {{name: t@}}\nspec: {{partitions: 3}}\n",
)
many("yaml: a long scalar", _OWN, "kcheck: 1\ntopics: [{name: ", "a", "}]\n")
many(
    "yaml: a block scalar",
    "kafka.yaml",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  server.properties: |\n    broker.id=1\n    zookeeper.connect=z:2181\n",
    "    k@=1\n",
)
many(
    "yaml: a config map of files",
    "kafka.yaml",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n",
    "  s@.properties: |\n    bootstrap.servers=k:9092\n    acks=all\n",
)
many(
    "yaml: containers",
    "kafka.yaml",
    "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: kafka}\nspec:\n  template:\n    spec:\n      containers:\n",
    "        - {name: k@, image: 'apache/kafka:3.9.0', env: [{name: KAFKA_BROKER_ID, value: '1'}]}\n",
)
many(
    "yaml: variables of variables",
    "kafka.yaml",
    "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: kafka}\nspec:\n  template:\n    spec:\n      containers:\n        - name: k\n          image: apache/kafka:3.9.0\n          env:\n            - {name: KAFKA_A0, value: aaaaaaaa}\n",
    "            - {name: KAFKA_A@, value: $(KAFKA_A0)$(KAFKA_A@)}\n",
)
many(
    "yaml: spring",
    "application.yml",
    "spring:\n  kafka:\n    bootstrap-servers: k:9092\n    properties:\n",
    "      a@.b: ${A@:1}\n",
)
many(
    "yaml: profiles of spring",
    "application.yml",
    "spring: {kafka: {bootstrap-servers: 'k:9092'}}\n",
    "---\nspring: {config.activate.on-profile: p@, kafka: {consumer: {group-id: g@}}}\n",
)
many(
    "yaml: profiles that contradict one another",
    "application.yml",
    "spring: {kafka: {bootstrap-servers: 'k:9092', consumer: {group-id: g}}}\n",
    "---\nspring: {config.activate.on-profile: 'p@ & !q@', kafka: {consumer: {max-poll-records: @}}}\n",
)
many(
    "yaml: channels of quarkus",
    "application.yml",
    "quarkus: {http: {port: 80}}\nkafka: {bootstrap.servers: 'k:1'}\nmp:\n  messaging:\n    incoming:\n",
    "      c@: {connector: smallrye-kafka, topic: t@}\n",
)
many(
    "yaml: micronaut",
    "application.yml",
    "micronaut: {}\nkafka:\n  producers:\n",
    "    p@: {retries: 1}\n",
)
many(
    "yaml: ansible",
    "group_vars/kafka_broker.yml",
    "kafka_broker_custom_properties:\n",
    "  k@: '{{ kafka_@ }}'\n",
)
many(
    "sql: texts of ClickHouse that escape their ends",
    "queue.sql",
    "ENGINE = Kafka('k:9092', 'orders', 'reader') SETTINGS kafka_format = 'JSONEachRow';\n",
    "'\\",
)
many("sql: tables of ClickHouse", "tables.sql", "", "ENGINE = Kafka(\n")
nested(
    "conf: sections of Fluentd", "fluent.conf", "<match a>\n@type kafka2\n", "<a>\nb c\n", "</a>\n"
)
many("yaml: puppet", "hieradata/kafka.yaml", "", "profile::kafka::broker::k@: 'two'\n")
many(
    "yaml: helm",
    "bitnami/values.yaml",
    "image: {repository: bitnami/kafka}\nextraConfig: |\n",
    "  k@=1\n",
)
many(
    "yaml: provisioned topics",
    "bitnami/values.yaml",
    "image: {repository: bitnami/kafka}\nprovisioning:\n  enabled: true\n  topics:\n",
    "    - {name: t@, partitions: 1, replicationFactor: 1}\n",
)
many(
    "yaml: julie",
    "topology.yaml",
    "context: shop\nprojects:\n",
    "  - {name: p@, topics: [{name: t@, config: {num.partitions: '1'}}]}\n",
)
many(
    "yaml: topics of a list",
    "topics.yml",
    "topics:\n",
    "  - {name: t@, partitions: 3, replication: 3, configs: 'retention.ms=1,cleanup.policy=a'}\n",
)
many(
    "yaml: topics of gitops",
    "state.yaml",
    "topics:\n",
    "  t@:\n    partitions: 3\n    replication: 3\n",
)
many("yaml: kafkactl", "config.yml", "contexts:\n", "  c@: {brokers: ['k@:9092']}\n")
many(
    "yaml: asyncapi",
    "api.yaml",
    "asyncapi: 3.0.0\nchannels:\n",
    "  c@: {bindings: {kafka: {partitions: 1, topicConfiguration: {retention.ms: 1}}}}\n",
)
many(
    "yaml: overrides of Confluent",
    "kafka.yaml",
    "apiVersion: platform.confluent.io/v1beta1\nkind: Kafka\nmetadata: {name: core}\nspec:\n  configOverrides:\n    server:\n",
    '      - "k@=1"\n',
)
many(
    "yaml: cloudformation",
    "template.yaml",
    "Resources:\n  Settings:\n    Type: AWS::MSK::Configuration\n    Properties:\n      Name: a\n      ServerProperties: |\n",
    "        k@=1\n",
)
many(
    "yaml: kustomizations",
    "kustomization.yaml",
    "resources:\n",
    "  - base@.yaml\n",
    beside={
        "base1.yaml": f"{_STRIMZI}Kafka\nmetadata: {{name: c}}\nspec: {{kafka: {{version: 4.1.0}}}}\n"
    },
)
many(
    "yaml: patches",
    "kustomization.yaml",
    "resources: [base.yaml]\npatches:\n",
    "  - {target: {kind: Kafka}, patch: '[{op: replace, path: /spec/kafka/version, value: 4.@}]'}\n",
    beside={
        "base.yaml": f"{_STRIMZI}Kafka\nmetadata: {{name: c}}\nspec: {{kafka: {{version: 4.1.0}}}}\n"
    },
)

# --- compose -------------------------------------------------------------------------------------

_KAFKA = "services:\n  k:\n    image: apache/kafka:4.1.0\n    environment:\n"

many(
    "compose: brokers",
    _COMPOSE,
    "services:\n",
    "  s@: {image: 'apache/kafka:4.1.0', environment: {KAFKA_NODE_ID: @}}\n",
)
many(
    "compose: brokers without anything",
    _COMPOSE,
    "services:\n",
    "  s@: {image: 'apache/kafka:4.1.0'}\n",
)
many(
    "compose: brokers with listeners",
    _COMPOSE,
    "services:\n",
    "  s@: {image: 'apache/kafka:4.1.0', environment: {KAFKA_NODE_ID: @, KAFKA_LISTENERS: 'A://:9092', KAFKA_ADVERTISED_LISTENERS: 'A://s@:9092'}}\n",
)
many(
    "compose: programs that ask one broker",
    _COMPOSE,
    "services:\n  k: {image: 'apache/kafka:4.1.0', environment: {KAFKA_NODE_ID: 1}}\n",
    "  s@: {image: 'a:1', depends_on: [k], environment: {KAFKA_BOOTSTRAP_SERVERS: 'k:9092'}}\n",
)
many(
    "compose: programs that ask one another",
    _COMPOSE,
    "services:\n  k: {image: 'apache/kafka:4.1.0'}\n",
    "  s@: {image: 'confluentinc/cp-kafka-connect:7.5.0', environment: {CONNECT_BOOTSTRAP_SERVERS: 's@:9092', CONNECT_GROUP_ID: g}}\n",
)
many(
    "compose: services that extend",
    _COMPOSE,
    "services:\n  s0: {image: 'apache/kafka:4.1.0'}\n",
    "  t@: {extends: {service: s0}}\n",
)
many(
    "compose: topics made at start",
    _COMPOSE,
    _KAFKA + "      KAFKA_CREATE_TOPICS: 'a:1:1",
    ",t@:1:1",
    "'\n",
)
many(
    "compose: commands that make topics",
    _COMPOSE,
    "services:\n  k: {image: 'apache/kafka:4.1.0'}\n  i:\n    image: apache/kafka:4.1.0\n    command: |\n",
    "      kafka-topics.sh --create --topic t@ --partitions 1\n",
)
many("compose: variables", _COMPOSE, _KAFKA, "      KAFKA_K@: 1\n")
many(
    "compose: variables of connectors",
    _COMPOSE,
    "services:\n  c:\n    image: confluentinc/cp-kafka-connect:7.5.0\n    environment:\n",
    "      CONNECT_K@: 1\n",
)
many("compose: references", _COMPOSE, _KAFKA + "      KAFKA_LOG_DIRS: '", "${A@:-b}", "'\n")
many(
    "compose: references in references",
    _COMPOSE,
    _KAFKA + "      KAFKA_LOG_DIRS: '",
    "${A:-",
    "'\n",
)
nested(
    "compose: closed references in references",
    _COMPOSE,
    _KAFKA + "      KAFKA_LOG_DIRS: '",
    "${A:-",
    "}",
    "'\n",
)
many(
    "compose: references behind references",
    _COMPOSE,
    _KAFKA + "      KAFKA_LOG_DIRS: '",
    "${A:-}${",
    "'\n",
)
many(
    "compose: a file of variables",
    _COMPOSE,
    "",
    "",
    "services: {k: {image: 'apache/kafka:4.1.0', env_file: a.env, environment: {KAFKA_LOG_DIRS: '${A9}'}}}\n",
    beside={"a.env": "".join(f"A{n}=${{A{n - 1}}}\n" for n in range(50_000))},
)
many(
    "compose: volumes",
    _COMPOSE,
    "services:\n  k:\n    image: apache/kafka:4.1.0\n    environment: {KAFKA_LOG_DIRS: /d}\n    volumes:\n",
    "      - a@:/d@\n",
)
many(
    "compose: ports",
    _COMPOSE,
    "services:\n  k:\n    image: apache/kafka:4.1.0\n    environment: {KAFKA_NODE_ID: 1}\n    ports:\n",
    "      - '9@:9092'\n",
)
many(
    "compose: networks",
    _COMPOSE,
    "services:\n  k:\n    image: apache/kafka:4.1.0\n    networks:\n",
    "      - n@\n",
)


def _doubling_variables(steps: int) -> str:
    text = "A0=" + "a" * 16 + "\n"
    return text + "".join(f"A{n + 1}=${{A{n}}}${{A{n}}}\n" for n in range(steps))


_ASKING = "services: {k: {image: 'apache/kafka:4.1.0', environment: {KAFKA_LOG_DIRS: '${A%d}'}}}\n"


def _doubling(size: int) -> Files:
    steps = min(40, max(4, size.bit_length() * 2))
    return {_COMPOSE: _ASKING % steps, ".env": _doubling_variables(steps)}


def _doubling_operands(size: int) -> Files:
    text = "x"
    for _ in range(min(28, size.bit_length())):
        text = "${A:-" + text + "}"
    return {_COMPOSE: _KAFKA + f"      KAFKA_LOG_DIRS: '{text * 100}'\n"}


def _multiplied(size: int) -> Files:
    """A long variable, many times."""
    half = size // 2
    uses = "${A}" * (half // 4)
    return {
        ".env": "A=" + "a" * half + "\n",
        _COMPOSE: _KAFKA + f"      KAFKA_LOG_DIRS: '{uses}'\n",
    }


_add("compose: variables that double", _doubling)
_add("compose: operands in operands", _doubling_operands)
_add("compose: a long variable many times", _multiplied)


def _merge_bomb(steps: int) -> str:
    text = "x-0: &a0 {KAFKA_A: 1}\n"
    text += "".join(
        f"x-{n + 1}: &a{n + 1} {{a: *a{n}, b: *a{n}, <<: [*a{n}, *a{n}]}}\n" for n in range(steps)
    )
    return (
        text + f"services: {{k: {{image: 'apache/kafka:4.1.0', environment: {{<<: *a{steps}}}}}}}\n"
    )


def _alias_bomb(steps: int) -> str:
    text = "kcheck: 1\nx: &a0 [a]\n"
    text += "".join(f"x{n}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(steps))
    return text + f"topics: *a{steps}\n"


def _alias_bomb_spring(steps: int) -> str:
    text = "x0: &a0 {k: v}\n"
    text += "".join(f"x{n + 1}: &a{n + 1} {{p: *a{n}, q: *a{n}}}\n" for n in range(steps))
    return text + f"spring: {{kafka: {{bootstrap-servers: 'k:1', properties: *a{steps}}}}}\n"


bomb("yaml: merges that double", _COMPOSE, _merge_bomb)
bomb("yaml: aliases that grow", _OWN, _alias_bomb)
bomb("yaml: aliases that grow in spring", "application.yml", _alias_bomb_spring)

# --- Terraform -----------------------------------------------------------------------------------

_TOPIC = 'resource "kafka_topic" "t" {\n  name = "t"\n  partitions = 1\n  config = { "a" = local.a%d }\n}\n'

many(
    "terraform: topics",
    "t.tf",
    "",
    'resource "kafka_topic" "t@" {\n  name = "t@"\n  partitions = 3\n}\n',
)
many(
    "terraform: topics of a map",
    "t.tf",
    'resource "kafka_topic" "t" {\n  for_each = local.t\n  name = each.key\n  partitions = each.value.p\n}\nlocals {\n  t = {\n',
    "    t@ = { p = 3 }\n",
    "  }\n}\n",
)
many(
    "terraform: topics of a set",
    "t.tf",
    'resource "kafka_topic" "t" {\n  for_each = toset([',
    '"t@",',
    "])\n  name = each.key\n  partitions = 1\n}\n",
)
many(
    "terraform: merges",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = "t"\n  config = merge(',
    "local.a,",
    '{})\n}\nlocals {\n  a = { "retention.ms" = 1 }\n}\n',
)
many("terraform: locals", "t.tf", _TOPIC % 1 + "locals {\n", "  a@ = local.b@\n", "}\n")
many(
    "terraform: a sum",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = "t"\n  partitions = 1',
    " + 1",
    "\n}\n",
)
nested(
    "terraform: parentheses",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = "t"\n  partitions = ',
    "(",
    ")",
    "\n}\n",
)
nested(
    "terraform: lists in lists",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = "t"\n  config = ',
    "[",
    "]",
    "\n}\n",
)
many("terraform: lists that never end", "t.tf", 'resource "kafka_topic" "t" {\n  name = ', "[{")
many(
    "terraform: comments that never end",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = "t"\n}\n',
    "/*",
)
many(
    "terraform: interpolations",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = "',
    "${local.a}",
    '"\n}\nlocals {\n  a = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"\n}\n',
)
many(
    "terraform: interpolations that never end",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = "',
    "${",
)
many("terraform: texts that never end", "t.tf", 'resource "kafka_topic" "t" {\n  name = ', '"a\n')
many(
    "terraform: a heredoc",
    "msk.tf",
    'resource "aws_msk_configuration" "c" {\n  server_properties = <<-EOT\n',
    "    k@ = 1\n",
    "  EOT\n}\n",
)
many(
    "terraform: heredocs that never end",
    "msk.tf",
    'resource "aws_msk_configuration" "c" {\n',
    "  a = <<-E@\n",
)
many(
    "terraform: attributes",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = "t"\n  config = {\n',
    '    "k@" = 1\n',
    "  }\n}\n",
)
many(
    "terraform: one long line",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = "t"\n  config = {',
    ' "ö@" = 1,',
    " }\n}\n",
)
many(
    "terraform: one long line of topics", "t.tf", "", 'resource "kafka_topic" "ö@" { name = "ö@" } '
)
many(
    "terraform: variables of a file",
    "prod.tfvars",
    "topics = {\n",
    '  t@ = { partitions = 6, config = { "max.message.bytes" = "1" } }\n',
    "}\n",
)
many(
    "terraform: ignores",
    "t.tf",
    "",
    '# kcheck: ignore[KC0103]\nresource "kafka_topic" "t@" {\n  name = "t@"\n}\n',
)
many(
    "terraform: conditions",
    "t.tf",
    'resource "kafka_topic" "t" {\n  name = ',
    "true ? ",
    '"t"\n}\n',
)


def _doubling_locals(steps: int) -> str:
    text = 'locals {\n  a0 = "aaaaaaaaaaaaaaaa"\n'
    text += "".join(f'  a{n + 1} = "${{local.a{n}}}${{local.a{n}}}"\n' for n in range(steps))
    return text + "}\n" + _TOPIC % steps


def _merging_locals(steps: int) -> str:
    text = 'locals {\n  a0 = { "k" = 1 }\n'
    text += "".join(f"  a{n + 1} = merge(local.a{n}, local.a{n})\n" for n in range(steps))
    end = f'resource "kafka_topic" "t" {{\n  name = "t"\n  config = local.a{steps}\n}}\n'
    return text + "}\n" + end


def _listing_locals(steps: int) -> str:
    text = 'locals {\n  a0 = ["a"]\n'
    text += "".join(f"  a{n + 1} = concat(local.a{n}, local.a{n})\n" for n in range(steps))
    each = f"toset(local.a{steps})"
    end = f'resource "kafka_topic" "t" {{\n  for_each = {each}\n  name = each.key\n}}\n'
    return text + "}\n" + end


def _joining_locals(steps: int) -> str:
    text = 'locals {\n  a0 = "aaaaaaaaaaaaaaaa"\n'
    text += "".join(
        f'  a{n + 1} = format("%s%s", local.a{n}, join("", [local.a{n}, local.a{n}]))\n'
        for n in range(steps)
    )
    return text + "}\n" + _TOPIC % steps


def _multiplying_locals(steps: int) -> str:
    text = "locals {\n  a0 = 9999999999\n"
    text += "".join(f"  a{n + 1} = local.a{n} * local.a{n}\n" for n in range(steps))
    return text + "}\n" + _TOPIC % steps


def _setproduct(steps: int) -> str:
    names = ", ".join(f'"a{n}"' for n in range(steps * 30))
    return (
        f"locals {{\n  a = [{names}]\n  b = {{ for p in setproduct(local.a, local.a, local.a) : "
        '"${p[0]}-${p[1]}-${p[2]}" => p }\n}\n'
        'resource "kafka_topic" "t" {\n  for_each = local.b\n  name = each.key\n}\n'
    )


bomb("terraform: locals that double", "t.tf", _doubling_locals)
bomb("terraform: locals that merge", "t.tf", _merging_locals)
bomb("terraform: locals that list", "t.tf", _listing_locals)
bomb("terraform: locals that join", "t.tf", _joining_locals)
bomb("terraform: locals that multiply", "t.tf", _multiplying_locals)
bomb("terraform: products of sets", "t.tf", _setproduct)

# --- JSON, INI, environment, text ----------------------------------------------------------------

_CONNECTOR = '{"name": "c", "config": {"connector.class": "FileStreamSink", "topics": "a"'

many("json: transforms", "c.json", _CONNECTOR + ', "transforms": "a', ",t@", '"}}\n')
many("json: transforms with keys", "c.json", _CONNECTOR, ', "transforms.t@.type": "a"', "}}\n")
many("json: keys of a connector", "c.json", _CONNECTOR, ', "k@": "v"', "}}\n")
many("json: one key again and again", "c.json", _CONNECTOR, ', "tasks.max": "@"', "}}\n")
many("json: topics of a connector", "c.json", _CONNECTOR[:-1], ",t@", '"}}\n')
many(
    "json: connectors",
    "c.json",
    "[",
    '{"name": "c@", "config": {"connector.class": "S", "topics": "a"}},',
    '{"name": "c", "config": {"connector.class": "S"}}]\n',
)
nested("json: lists in lists", "c.json", _CONNECTOR + ', "a": ', "[", "]", "}}")
many("json: escapes", "c.json", _CONNECTOR + ', "a": "', "\\u0041", '"}}\n')
many("json: a text that never ends", "c.json", _CONNECTOR + ', "a": "', "\\\\a")
many(
    "json: clients",
    "client.json",
    "{",
    '"c@": {"bootstrap.servers": "k:9092", "acks": "1"},',
    '"z": {"bootstrap.servers": "k:1"}}\n',
)
many(
    "json: containers",
    "task.json",
    "[",
    '{"name": "k@", "image": "apache/kafka:3.9.0", "essential": true, "environment": [{"name": "KAFKA_BROKER_ID", "value": "@"}]},',
    '{"name": "k", "image": "a"}]\n',
)
many(
    "json: terraform",
    "t.tf.json",
    '{"resource": {"kafka_topic": {',
    '"t@": {"name": "t@", "partitions": 1},',
    '"z": {"name": "z"}}}}\n',
)
many(
    "ini: sections",
    "clients.ini",
    "[default]\nbootstrap.servers=k:9092\n" + "".join(f"k{n}=1\n" for n in range(500)),
    "[consumer-@]\ngroup.id=g@\n",
)
many("ini: keys", "clients.ini", "[kafka]\nbootstrap.servers=k:9092\n", "k@=1\n")
many(
    "ini: one section again and again",
    "clients.ini",
    "[default]\nbootstrap.servers=k:9092\n",
    "[c]\nacks=1\n",
)
many("env: variables", "kafka.env", "KAFKA_BROKER_ID=1\n", "KAFKA_K@=1\n")
many("env: references", "kafka.env", "KAFKA_BROKER_ID=1\nKAFKA_LOG_DIRS=", "${A@}")
many(
    "env: variables of variables",
    "kafka.env",
    "KAFKA_BROKER_ID=1\nKAFKA_A0=aaaaaaaaaaaaaaaa\n",
    "KAFKA_A@=${KAFKA_A0}${KAFKA_A@}\n",
)
many("env: quotes that never end", "kafka.env", "KAFKA_BROKER_ID=1\n", 'KAFKA_A@="a\n')
many(
    "logstash: plugins",
    "pipeline.conf",
    "",
    "input {\n kafka {\n topics => ['t@']\n group_id => 'g@' } }\n",
)
many("logstash: options", "pipeline.conf", "input {\n kafka {\n", "  k@ => 1\n", "} }\n")
many("logstash: braces", "pipeline.conf", "input {\n kafka {\n", "  a => {")
many(
    "logstash: conditions", "pipeline.conf", "input {\n kafka {} }\nfilter {\n", " if [a] == 'b' {"
)
many("logstash: texts that never end", "pipeline.conf", "input {\n kafka {\n", '  a => "\\"')
many("host: units", "kafka.service", "[Service]\n", "Environment=KAFKA_HEAP_OPTS=-Xmx@m\n")
many("host: blanks", "kafka.service", "[Service]\n# kafka\n", "  Environment =        \t       \n")
many("host: limits", "limits.conf", "", "kafka soft nofile @\n")
many(
    "text: topics",
    "topics.txt",
    "",
    "Topic: t@\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: max.message.bytes=1\n",
)
many(
    "text: partitions",
    "topics.txt",
    "Topic: t\tPartitionCount: 9\tReplicationFactor: 1\tConfigs: a=1\n",
    "\tTopic: t\tPartition: @\tLeader: 1\tReplicas: 1\tIsr: 1\n",
)
many(
    "text: settings of a topic",
    "topics.txt",
    "Topic: t\tPartitionCount: 9\tReplicationFactor: 1\tConfigs: a=1",
    ",k@=1",
    "\n",
)
many(
    "text: dynamic settings",
    "brokers.txt",
    "Dynamic configs for broker 1 are:\n",
    "  k@=8 sensitive=false synonyms={A:b=c}\n",
)
many(
    "text: synonyms",
    "brokers.txt",
    "Dynamic configs for broker 1 are:\n  a=8 sensitive=false synonyms={",
    "A:b=c, ",
    "}\n",
)
many(
    "text: quotas",
    "quotas.txt",
    "Topic: t\tPartitionCount: 9\tReplicationFactor: 1\tConfigs: a=1\n",
    "Quota configs for client-id 'c@' are producer_byte_rate=1.0\n",
)
many("text: control characters", "server.properties", _BROKER + "log.dirs=", "\x1b[31m@")

# --- the settings of a run, and trees ------------------------------------------------------------

_PLAIN = {"server.properties": _BROKER}

many(
    "settings: ignores",
    "kcheck.toml",
    "",
    '[[ignore]]\nrule = "KC0103"\npath = "a@/**"\nreason = "r"\n',
    beside=_PLAIN,
)
many(
    "settings: clusters",
    "kcheck.toml",
    "",
    '[[clusters]]\nname = "c@"\npaths = ["a@/**"]\n',
    beside=_PLAIN,
)
many(
    "settings: stars",
    "kcheck.toml",
    'exclude = ["',
    "*a",
    '"]\n',
    beside={"a" * 200 + ".properties": _BROKER},
)
many("settings: patterns", "kcheck.toml", "exclude = [", '"**/a@/**",', "]\n", beside=_PLAIN)


def _tree(size: int) -> Files:
    """As many small files as would make the size."""
    count = max(2, size // 2000)
    return {
        f"c{n % 100}/s{n}/server.properties": _BROKER.replace("1", str(n), 1) for n in range(count)
    }


def _clients(size: int) -> Files:
    count = max(2, size // 2000)
    return {
        f"clients/c{n}.properties": f"bootstrap.servers=k{n % 7}:9092\nacks=1\n"
        for n in range(count)
    } | {
        f"brokers/b{n}.properties": f"broker.id={n}\nzookeeper.connect=z:1\nadvertised.listeners=A://k{n}:9092\n"
        for n in range(7)
    }


_add("tree: brokers in folders of their own", _tree)
_add("tree: clients of some brokers", _clients)

"""What inputs are made of: a good file of every format, and texts that break things."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "formats"))

import one_fault  # noqa: E402

from kcheck import catalogue  # noqa: E402
from kcheck.formats.endings import BY_ENDING  # noqa: E402

#: (path, text) of files that are read.
Seed = tuple[str, str]

_MORE: tuple[Seed, ...] = (
    (
        "kcheck.yaml",
        "cluster:\n  name: payments\n  kafka_version: '4.1'\n  environment: production\n"
        "  brokers: [{id: 1, config: {log.dirs: /data}}, {id: 2}]\n"
        "  host: &host {ram: 64GiB, nofile: 1024}\n  config: {num.partitions: 3}\n"
        "topics:\n  - {name: orders, partitions: 3, replication_factor: 3, config: {cleanup.policy: compact}}\n"
        "producers:\n  - {name: p, topics: [orders], config: {acks: '1', linger.ms: 5}}\n"
        "consumers:\n  - {name: c, topics: [orders], instances: 3}\n",
    ),
    (
        "strimzi.yaml",
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: payments}\nspec:\n"
        "  kafka:\n    version: 4.1.0\n    replicas: 3\n"
        "    listeners:\n      - {name: plain, port: 9092, type: internal, tls: false}\n"
        "    config: {min.insync.replicas: 2, default.replication.factor: '3'}\n"
        "---\napiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata:\n  name: orders\n"
        "  labels: {strimzi.io/cluster: payments}\nspec:\n  partitions: 3\n  replicas: 2\n",
    ),
    (
        "connect.yaml",
        "apiVersion: kafka.strimzi.io/v1\nkind: KafkaConnect\nmetadata: {name: etl}\nspec:\n"
        "  bootstrapServers: payments-kafka-bootstrap:9092\n  config: {producer.linger.ms: 5}\n"
        "---\napiVersion: kafka.strimzi.io/v1\nkind: KafkaMirrorMaker2\nmetadata: {name: mm}\nspec:\n"
        "  target: {alias: b, bootstrapServers: 'b:9092'}\n  mirrors:\n"
        "    - source: {alias: a, bootstrapServers: 'a:9092'}\n"
        "      sourceConnector: {tasksMax: 2, config: {offset.lag.max: 10}}\n",
    ),
    (
        "docker-compose.yml",
        "x-env: &env\n  KAFKA_PROCESS_ROLES: broker,controller\nservices:\n  kafka:\n"
        "    image: apache/kafka:${VERSION:-4.1.0}\n    env_file: [kafka.env]\n    environment:\n      <<: *env\n"
        "      KAFKA_NODE_ID: 1\n      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093\n"
        "      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093\n      KAFKA_LOG_DIRS: ${DIRS:-/data}\n"
        "    ports: ['9092:9092']\n    volumes: ['data:/data']\n    mem_limit: 4g\n"
        "  connect:\n    image: confluentinc/cp-kafka-connect:7.5.0\n    depends_on: [kafka]\n"
        "    environment: {CONNECT_BOOTSTRAP_SERVERS: 'kafka:9092', CONNECT_GROUP_ID: g}\n",
    ),
    ("kafka.env", "KAFKA_BROKER_ID=1\nKAFKA_ZOOKEEPER_CONNECT=${Z:-z}:2181\nKAFKA_A='b c'\n"),
    (".env", 'VERSION=4.0.0\nDIRS="/data,/data2"\nA=${DIRS}${VERSION}\n'),
    (
        "each.tf",
        'locals {\n  t = { a = { p = 3 * 2 }, b = {} }\n}\nresource "kafka_topic" "x" {\n'
        "  for_each = local.t\n  name = each.key\n  partitions = each.value.p\n"
        '  config = merge({ "retention.ms" = lookup(each.value, "r", -1) }, local.t)\n}\n'
        'resource "aws_msk_cluster" "c" {\n  number_of_broker_nodes = 3\n}\n',
    ),
    (
        "state.txt",
        "Topic: a\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: min.insync.replicas=1\n"
        "\tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\n"
        "Dynamic configs for broker 1 are:\n  num.io.threads=8 sensitive=false synonyms={A:b=c}\n",
    ),
    ("sysctl.conf", "vm.max_map_count = 65530\n"),
    ("limits.conf", "kafka soft nofile 100000\nkafka hard nofile 100000\n"),
    (
        "kafka.service",
        '[Service]\nLimitNOFILE=65536\nEnvironment="KAFKA_HEAP_OPTS=-Xmx4g -Xms4g"\n'
        "ExecStart=/opt/kafka/bin/kafka-server-start.sh\n",
    ),
    ("clients.ini", "[default]\nbootstrap.servers=k:9092\n[consumer]\ngroup.id=g\n"),
    (
        "kustomization.yaml",
        "resources: [strimzi.yaml, topic.yaml]\nnamePrefix: a-\npatches:\n"
        "  - target: {kind: Kafka}\n    patch: '[{op: replace, path: /spec/kafka/replicas, value: 5}]'\n",
    ),
    (
        "roles/kafka/templates/server.properties.j2",
        "broker.id={{ id }}\n{% if tls %}\nlisteners=SSL://:9093\n{% endif %}\nlog.dirs=/data\nzookeeper.connect=z:1\n",
    ),
    (
        "mm2.properties",
        "clusters = A, B\nA.bootstrap.servers = a:9092\nB.bootstrap.servers = b:9092\n"
        "A->B.enabled = true\nB.producer.linger.ms = 5\ntasks.max = 4\n",
    ),
    (
        "sink.properties",
        "name=c\nconnector.class=FileStreamSink\ntopics=a,b\ntransforms=t,u\ntransforms.t.type=a.B\n",
    ),
    (
        "server.properties",
        "# kcheck: ignore[KC0103] until=2099-01-01 why\nbroker.id=1\nzookeeper.connect=z:2181\n"
        "listeners=PLAINTEXT://:9092,SSL://:9093\nlog.retention.hours = 168\n"
        'sasl.jaas.config=a.Login required \\\n    user="x";\nmessage.max.bytes=1048588\n',
    ),
    (
        "kraft.properties",
        "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@a:9093,2@b:9093\n"
        "listeners=PLAINTEXT://:9092,CONTROLLER://:9093\ncontroller.listener.names=CONTROLLER\n"
        "offsets.topic.replication.factor=3\nmin.insync.replicas=3\ndefault.replication.factor=3\n",
    ),
)

SEEDS: tuple[Seed, ...] = (*((row.path, row.text) for row in one_fault.ROWS), *_MORE)

SETTINGS = """\
kafka-version = "4.1"
environment = "production"
fail-on = "warning"
select = ["default", "advice"]
exclude = ["old/**", "**/target"]
require-reason = true

[rules.KC0312]
severity = "info"
ignorable = false

[[clusters]]
name = "payments"
paths = ["a/**", "*.yaml"]
kafka-version = "3.9"

[[overrides]]
paths = ["b/**"]
ignore = ["KC0103"]

[[ignore]]
rule = "KC0103"
path = "**/*.yaml"
until = "2099-01-01"
reason = "lab"

[[require]]
code = "ORG001"
on = "topic"
key = "retention.ms"
max = "30d"
message = "topics keep data for at most 30 days"

[[require]]
code = "ORG002"
on = "topic"
key = "name"
matches = "^[a-z-]+$"
message = "names are lower case"
"""

#: What stands in the place of a value, or anywhere.
SCRAPS: tuple[str, ...] = (
    *(
        "",
        " ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "\0",
        "\ufeff",
        "\u2028",
        "\x85",
        "\x1b[31m",
        "é",
        "日本",
        "\U0001f600",
    ),
    *(
        "0",
        "-1",
        "00",
        "1e999",
        "9" * 400,
        "2147483648",
        "9223372036854775808",
        "0x10",
        "1_000",
        "²",
        "NaN",
        ".5",
    ),
    *(
        "true",
        "null",
        "~",
        "two",
        "''",
        '""',
        '"',
        "'",
        "[]",
        "{}",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "*",
        "&a",
        "*a",
        "<<: *a",
    ),
    *(
        "${",
        "${A}",
        "${A:-b}",
        "${A:-${B}}",
        "$$",
        "$(A)",
        "{{ a }}",
        "{% if a %}",
        "<%= a %>",
        "%{a}",
        "$A",
        "__A__",
    ),
    *(
        "#",
        " # a",
        "# kcheck: ignore[KC0103]",
        "# kcheck: ignore",
        "# kcheck: ignore-file[all]",
        "/*",
        "*/",
        "//",
        "<<EOT",
    ),
    *(
        "\\",
        "\\\\",
        "\\u0041",
        "\\u12",
        "\\x",
        "\\\n",
        "|",
        ">",
        "|-\n",
        "---\n",
        "...\n",
        "- ",
        "? ",
        ": ",
        ":",
        "=",
        ",",
        ";",
        "!",
    ),
    *(
        "!!binary a",
        "!Sub a",
        "!Ref",
        "a:9092",
        "SSL://:1",
        "://",
        ":::",
        "1@a:1",
        "a,b,,c",
        ",",
        "/a,/a",
        "../..",
        "/",
        "~/x",
    ),
    *(
        "PLAINTEXT://k:9092,SSL://k:9093",
        "-Xmx4g",
        "10GB",
        "-5ms",
        "P1D",
        "1.2.3.4.5",
        "4.1",
        "99.0",
        "trunk",
        "2099-01-01",
    ),
)

#: Keys of Kafka's own, over all planes.
KEYS: tuple[str, ...] = tuple(
    sorted(
        {
            key
            for plane in ("broker", "topic", "producer", "consumer", "connect-distributed")
            for key in catalogue.plane(plane).keys()  # noqa: SIM118
        }
    )
)

ENDINGS = tuple(BY_ENDING)
VERSIONS = (
    "2.8",
    "3.3",
    "3.9",
    "4.0",
    "4.1",
    "4.4",
    "99.0",
    "0.8",
    "4.1.0-ccs",
    "x",
    "2.8",
    "4.1.1",
)

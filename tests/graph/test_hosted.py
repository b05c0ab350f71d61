"""Clients inside others are clients: host × role × fault, each told once, where the key stands."""

from __future__ import annotations

import json

import pytest

from kcheck.engine import Project, lint_project, read_project
from kcheck.graph.cluster import Cluster
from kcheck.graph.seats import SEATS
from kcheck.model import Finding
from kcheck.settings import Settings

BROKERS = """\
cluster:
  name: core
  kafka_version: "3.9"
  client_version: "3.9"
  brokers: 3
  config:
    auto.create.topics.enable: false
    default.replication.factor: 3
    min.insync.replicas: 2
    group.min.session.timeout.ms: 10000
    message.max.bytes: 1000000
topics: [{name: orders, partitions: 6, replication_factor: 3}]
"""

PRODUCER = {
    ("acks", "banana"): "KC0104",
    ("lingr.ms", "5"): "KC0101",
    ("acks", "1"): "KC0307",
    ("max.request.size", "5000000"): "KC0501",
}
CONSUMER = {
    ("auto.offset.reset", "banana"): "KC0104",
    ("max.pol.records", "5"): "KC0101",
    ("session.timeout.ms", "7000"): "KC0901",
}
ADMIN = {
    ("request.timeout.ms", "soon"): "KC0103",
    ("reqest.timeout.ms", "5000"): "KC0101",
}
#: What a client that is apart from its host's cluster or in no group may be told.
ALONE = {"KC0101", "KC0103", "KC0104"}

ELSEWHERE = {"KC0307", "KC0501", "KC0901"}

WORKER = """\
bootstrap.servers=k1:9092
group.id=etl
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
config.storage.topic=etl-configs
offset.storage.topic=etl-offsets
status.storage.topic=etl-status
"""


def _json(settings: dict[str, str]) -> dict[str, str]:
    return {"rows.json": json.dumps({"name": "rows", "config": settings}, indent=1)}


def _properties(settings: dict[str, str]) -> dict[str, str]:
    lines = "".join(f"{key}={value}\n" for key, value in {"name": "rows", **settings}.items())
    return {"connect-rows.properties": lines}


def _strimzi(settings: dict[str, str]) -> dict[str, str]:
    given = dict(settings)
    kind = given.pop("connector.class")
    config = "".join(f"    {key}: '{value}'\n" for key, value in given.items())
    return {
        "rows.yaml": "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaConnector\n"
        "metadata:\n  name: rows\n  labels: {strimzi.io/cluster: etl}\n"
        f"spec:\n  class: {kind}\n  tasksMax: 1\n  config:\n{config}"
    }


def _terraform(settings: dict[str, str]) -> dict[str, str]:
    config = "".join(f'    "{key}" = "{value}"\n' for key, value in settings.items())
    return {
        "main.tf": 'resource "kafka-connect_connector" "this" {\n'
        f'  name   = "rows"\n  config = {{\n{config}  }}\n}}\n'
    }


def _declared(settings: dict[str, str]) -> dict[str, str]:
    config = "".join(f"      {key}: '{value}'\n" for key, value in settings.items())
    return {"kcheck.yaml": f"{BROKERS}connectors:\n  - name: rows\n    config:\n{config}"}


SOURCE = {"connector.class": "FileStreamSource", "topic": "orders"}
OFFSETS = {**SOURCE, "offsets.storage.topic": "rows-offsets"}
SINK = {"connector.class": "FileStreamSink", "topics": "orders"}
HISTORY = {"connector.class": "io.debezium.connector.mysql.MySqlConnector", "topic": "orders"}
DEAD = {**SINK, "errors.deadletterqueue.topic.name": "dead"}
FORMS = {
    "json": _json,
    "properties": _properties,
    "strimzi": _strimzi,
    "declared": _declared,
    "terraform": _terraform,
}

#: host, the settings that it has beside, prefix, role, what of the faults it cannot be told.
CONNECTORS = [
    ("source", SOURCE, "producer.override.", PRODUCER, set()),
    ("source", OFFSETS, "consumer.override.", CONSUMER, {"KC0901"}),
    # The workers, which nobody knows, may write exactly once.
    ("source", SOURCE, "consumer.override.", CONSUMER, {"KC0901"}),
    ("source", SOURCE, "admin.override.", ADMIN, set()),
    ("sink", SINK, "consumer.override.", CONSUMER, set()),
    ("sink", DEAD, "producer.override.", PRODUCER, set()),
    # Without dead letters it has none.
    ("sink", SINK, "producer.override.", PRODUCER, set(PRODUCER.values())),
    ("sink", SINK, "admin.override.", ADMIN, set()),
    ("history", HISTORY, "schema.history.internal.producer.", PRODUCER, {"KC0307", "KC0501"}),
    ("history", HISTORY, "schema.history.internal.consumer.", CONSUMER, {"KC0901"}),
    ("history", HISTORY, "database.history.consumer.", CONSUMER, {"KC0901"}),
]
STREAMS = "application.id=totals\nbootstrap.servers=k1:9092\n"
KSQL = "bootstrap.servers=k1:9092\nksql.service.id=totals\nlisteners=http://0.0.0.0:8088\n"
REST = "id=rest\nlisteners=http://0.0.0.0:8082\nschema.registry.url=http://sr:8081\nbootstrap.servers=k1:9092\n"
STORE = "listeners=http://0.0.0.0:8081\nkafkastore.bootstrap.servers=PLAINTEXT://k1:9092\n"
MIRROR = "clusters=near, core\nnear.bootstrap.servers=n1:9092\ncore.bootstrap.servers=k1:9092\nnear->core.enabled=true\n"
SPRING = "spring.kafka.bootstrap-servers=k1:9092\nspring.kafka.streams.application-id=totals\n"
QUARKUS = (
    "quarkus.kafka-streams.application-id=totals\nquarkus.kafka-streams.bootstrap-servers=k1:9092\n"
)
PROGRAMS = [
    ("connect-distributed.properties", WORKER, "producer.", PRODUCER, set()),
    ("connect-distributed.properties", WORKER, "consumer.", CONSUMER, set()),
    ("connect-distributed.properties", WORKER, "admin.", ADMIN, set()),
    ("streams.properties", STREAMS, "producer.", PRODUCER, set()),
    ("streams.properties", STREAMS, "consumer.", CONSUMER, set()),
    ("streams.properties", STREAMS, "main.consumer.", CONSUMER, set()),
    ("streams.properties", STREAMS, "restore.consumer.", CONSUMER, {"KC0901"}),
    ("streams.properties", STREAMS, "global.consumer.", CONSUMER, {"KC0901"}),
    ("streams.properties", STREAMS, "admin.", ADMIN, set()),
    ("ksql-server.properties", KSQL, "ksql.streams.producer.", PRODUCER, set()),
    ("ksql-server.properties", KSQL, "ksql.streams.consumer.", CONSUMER, set()),
    ("kafka-rest.properties", REST, "producer.", PRODUCER, set()),
    ("kafka-rest.properties", REST, "consumer.", CONSUMER, set()),
    ("kafka-rest.properties", REST, "admin.", ADMIN, set()),
    ("kafka-rest.properties", REST, "client.", ADMIN, set()),
    ("schema-registry.properties", STORE, "kafkastore.", ADMIN, set()),
    (
        "application.properties",
        SPRING,
        "spring.kafka.streams.properties.producer.",
        PRODUCER,
        set(),
    ),
    (
        "application.properties",
        SPRING,
        "spring.kafka.streams.properties.consumer.",
        CONSUMER,
        set(),
    ),
    ("application.properties", QUARKUS, "kafka-streams.producer.", PRODUCER, set()),
    ("application.properties", QUARKUS, "kafka-streams.consumer.", CONSUMER, set()),
    ("ksql-server.properties", KSQL, "producer.", PRODUCER, set()),
    ("ksql-server.properties", KSQL, "consumer.", CONSUMER, set()),
    # Their clients are of two clusters and in no group.
    *(
        ("mm2.properties", MIRROR, f"near->core.{side}{role}.", faults, ELSEWHERE)
        for side in ("", "source.", "target.")
        for role, faults in (("producer", PRODUCER), ("consumer", CONSUMER), ("admin", ADMIN))
    ),
    ("mm2.properties", MIRROR, "near->core.producer.override.", PRODUCER, set()),
    ("mm2.properties", MIRROR, "near->core.admin.override.", ADMIN, set()),
    # Without a cluster or a flow before them MirrorMaker hands them on to nobody.
    ("mm2.properties", MIRROR, "producer.", PRODUCER, set(PRODUCER.values())),
    ("mm2.properties", MIRROR, "core.producer.", PRODUCER, set()),
    ("mm2.properties", MIRROR, "core.consumer.", CONSUMER, set()),
    ("mm2.properties", MIRROR, "core.admin.", ADMIN, set()),
]


def sources(files: dict[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in {"kcheck.yaml": BROKERS, **files}.items()}


def project(files: dict[str, str]) -> Project:
    given = sources(files)
    return read_project(given.items(), Settings(), given.get)


def findings(files: dict[str, str]) -> list[Finding]:
    given = sources(files)
    read = lint_project(given.items(), Settings(), given.get)
    assert not read.failures
    return read.findings


def there(found: list[Finding], files: dict[str, str], key: str) -> list[Finding]:
    """The findings on the line that says the key."""
    ((path, line),) = [
        (path, number)
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if key in line
    ]
    return [one for one in found if (one.path, one.at[0]) == (path, line)]


CELLS = [
    pytest.param(
        form,
        given,
        prefix,
        fault,
        code,
        code not in never,
        id=f"{name}-{form}-{prefix}{fault[0]}={fault[1]}",
    )
    for form in FORMS
    for name, given, prefix, faults, never in CONNECTORS
    for fault, code in faults.items()
]


@pytest.mark.parametrize(("form", "given", "prefix", "fault", "code", "told"), CELLS)
def test_a_connectors_clients(
    form: str, given: dict[str, str], prefix: str, fault: tuple[str, str], code: str, told: bool
) -> None:
    key, value = fault
    files = FORMS[form]({**given, prefix + key: value})
    here = [one for one in there(findings(files), files, prefix + key) if one.code == code]
    assert len(here) == told
    for one in here:
        assert (one.resource.kind, one.resource.name) == ("connector", "rows")
        assert one.evidence[0].key == key or code == "KC0901"
        assert prefix + key in [value.from_key for value in one.evidence]
        assert "of connector rows" in one.message


@pytest.mark.parametrize(
    ("path", "text", "prefix", "fault", "code", "told"),
    [
        pytest.param(
            path,
            text,
            prefix,
            fault,
            code,
            code not in never,
            id=f"{path}-{prefix}{fault[0]}={fault[1]}",
        )
        for path, text, prefix, faults, never in PROGRAMS
        for fault, code in faults.items()
    ],
)
def test_clients_of_programs(
    path: str, text: str, prefix: str, fault: tuple[str, str], code: str, told: bool
) -> None:
    key, value = fault
    files = {path: f"{text}{prefix}{key}={value}\n"}
    here = [one for one in there(findings(files), files, prefix + key) if one.code == code]
    assert len(here) == told


CONTAINERS = {
    "connect": "    image: confluentinc/cp-kafka-connect:7.9.0\n    environment:\n"
    "      CONNECT_BOOTSTRAP_SERVERS: k1:9092\n      CONNECT_GROUP_ID: etl\n      CONNECT_",
    "rest": "    image: confluentinc/cp-kafka-rest:7.9.0\n    environment:\n"
    "      KAFKA_REST_BOOTSTRAP_SERVERS: k1:9092\n      KAFKA_REST_",
    "ksqldb": "    image: confluentinc/cp-ksqldb-server:7.9.0\n    environment:\n"
    "      KSQL_BOOTSTRAP_SERVERS: k1:9092\n      KSQL_KSQL_STREAMS_",
}


@pytest.mark.parametrize("program", CONTAINERS)
@pytest.mark.parametrize(("role", "faults"), [("producer", PRODUCER), ("consumer", CONSUMER)])
def test_clients_of_programs_in_containers(
    program: str, role: str, faults: dict[tuple[str, str], str]
) -> None:
    for (key, value), code in faults.items():
        name = f"{role}.{key}".upper().replace(".", "_")
        text = f"services:\n  {program}:\n{CONTAINERS[program]}{name}: '{value}'\n"
        files = {"docker-compose.yml": text}
        assert [one.code for one in there(findings(files), files, name)].count(code) == 1, key


OPERATED = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: {kind}
metadata: {{name: copies}}
spec:
"""
NAMED = "core-kafka-bootstrap:9092"
KINDS = {
    ("KafkaConnect", "producer."): f"  bootstrapServers: {NAMED}\n  config:\n    ",
    ("KafkaConnect", "consumer."): f"  bootstrapServers: {NAMED}\n  config:\n    ",
    (
        "KafkaMirrorMaker",
        "producer",
    ): f"  producer:\n    bootstrapServers: {NAMED}\n    config:\n      ",
    (
        "KafkaMirrorMaker",
        "consumer",
    ): f"  consumer:\n    bootstrapServers: {NAMED}\n    groupId: copies\n    config:\n      ",
    ("KafkaMirrorMaker2", "producer."): "  connectCluster: core\n  clusters:\n  - alias: core\n"
    f"    bootstrapServers: {NAMED}\n    config:\n      ",
    (
        "KafkaMirrorMaker2",
        "producer.override.",
    ): "  connectCluster: core\n  clusters:\n  - alias: core\n"
    f"    bootstrapServers: {NAMED}\n  mirrors:\n  - sourceCluster: near\n    targetCluster: core\n"
    "    sourceConnector:\n      config:\n        ",
}


@pytest.mark.parametrize(("kind", "prefix"), KINDS)
def test_clients_of_strimzis_programs(kind: str, prefix: str) -> None:
    faults = CONSUMER if prefix.startswith("consumer") else PRODUCER
    for (key, value), code in faults.items():
        name = f"{prefix}{key}" if prefix.endswith(".") else key
        text = f"{OPERATED.format(kind=kind)}{KINDS[kind, prefix]}{name}: '{value}'\n"
        files = {"copies.yaml": text}
        assert [one.code for one in there(findings(files), files, name)].count(code) == 1, key


def test_what_exactly_once_forces_cannot_be_overridden() -> None:
    """Idempotence stays on, so that the producer refuses acks=1."""
    exact = WORKER + "exactly.once.source.support=enabled\n"
    files = {
        "connect-distributed.properties": exact,
        **_json({**SOURCE, "producer.override.acks": "1"}),
    }
    own = next(c for c in hosted(files).hosted if c.outer.resource.kind == "connector")
    assert own["enable.idempotence"].value is True
    (one,) = [one for one in findings(files) if one.code == "KC1201"]
    assert one.path == "rows.json"


def test_what_only_a_worker_that_is_not_read_tells_is_not_guessed() -> None:
    """Connect switches idempotence off: acks=1 of a connector takes nothing away."""
    files = _json({**SOURCE, "producer.override.acks": "1"})
    assert not [one for one in findings(files) if one.code == "KC1204"]


def hosted(files: dict[str, str]) -> Cluster:
    (found,) = project(files).clusters
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("given", [SOURCE, DEAD], ids=["source", "sink"])
def test_what_a_host_gives_by_default_is_no_client(form: str, given: dict[str, str]) -> None:
    assert hosted(FORMS[form](given)).hosted == []


def test_a_connector_has_what_its_worker_gives() -> None:
    files = {
        "connect-distributed.properties": WORKER + "producer.linger.ms=7\nproducer.acks=0\n",
        **_json({**SOURCE, "producer.override.acks": "1"}),
    }
    own = next(c for c in hosted(files).hosted if c.outer.resource.kind == "connector")
    assert [own[key].value for key in ("acks", "linger.ms", "delivery.timeout.ms")] == [
        "1",
        7,
        2**31 - 1,
    ]
    assert (own["linger.ms"].resource.kind, own["linger.ms"].from_key) == (
        "worker",
        "producer.linger.ms",
    )
    assert own[IN_FLIGHT].value == 1


IN_FLIGHT = "max.in.flight.requests.per.connection"


def test_nobody_knows_what_workers_give_that_are_not_read() -> None:
    (own,) = hosted(_json({**SOURCE, "producer.override.linger.ms": "5"})).hosted
    assert own["linger.ms"].value == 5
    assert not own["security.protocol"].known
    assert own["key.serializer"].text.endswith("ByteArraySerializer")


def test_nobody_knows_what_secret_settings_are() -> None:
    (given,) = _terraform({**SOURCE, "producer.override.sasl.mechanism": "PLAIN"}).values()
    assert [one for one in findings({"main.tf": given}) if one.code == "KC0401"] == []
    secret = given.replace("  config =", "  config_sensitive = var.secrets\n  config =")
    (own,) = hosted({"main.tf": secret}).hosted
    assert not own["security.protocol"].known


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("count = var.n", 0),
        ("for_each = var.all", 0),
        ("count = 2", 1),
        ('for_each = toset(["a"])', 1),
    ],
)
def test_a_connector_of_terraform_that_may_be_several_is_not_read(line: str, count: int) -> None:
    (given,) = _terraform(SOURCE).values()
    assert hosted({"main.tf": given}).connectors
    repeated = given.replace("  name ", f"  {line}\n  name ", 1)
    assert len(hosted({"main.tf": repeated}).connectors) == count


def test_another_cluster_is_another_matter() -> None:
    settings = {
        **SOURCE,
        "producer.override.bootstrap.servers": "far:9092",
        "producer.override.acks": "1",
        "producer.override.max.request.size": "5000000",
    }
    assert not [one for one in findings(_json(settings)) if one.code in ("KC0307", "KC0501")]


def test_a_workers_fault_is_its_own() -> None:
    """Connectors that override something else do not say again what is wrong with the worker."""
    files = {
        "connect-distributed.properties": WORKER + "producer.max.request.size=5000000\n",
        **_json({**SOURCE, "producer.override.linger.ms": "5"}),
    }
    (one,) = [one for one in findings(files) if one.code == "KC0501"]
    assert one.resource.kind == "worker"


def test_the_prefix_that_is_nearer_wins() -> None:
    text = STREAMS + "restore.consumer.max.poll.records=7\nconsumer.max.poll.records=9\n"
    restore, main = (
        next(c for c in hosted({"streams.properties": text}).hosted if c.seat.label == label)
        for label in ("restore consumer", "consumer")
    )
    assert (restore["max.poll.records"].value, main["max.poll.records"].value) == (7, 9)
    assert (restore["group.id"].value, main["group.id"].value) == (None, "totals")


def test_every_host_has_a_client_of_each_role_at_most_once_by_prefix() -> None:
    for plane, seats in SEATS.items():
        first = [seat.prefixes[0] for seat in seats]
        assert len(first) == len(set(first)), plane


IAM = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "AWS_MSK_IAM",
    "sasl.jaas.config": "software.amazon.msk.auth.iam.IAMLoginModule required;",
}


def _with_history(
    class_name: str, *roles: str, prefix: str = "schema.history.internal."
) -> dict[str, str]:
    clients = {f"{prefix}{role}.{key}": text for role in roles for key, text in IAM.items()}
    return {"connector.class": class_name, "topic.prefix": "shop", **clients}


@pytest.mark.parametrize("form", [form for form in FORMS if form != "declared"])
def test_what_both_clients_of_a_history_lack_is_told_once_where_the_key_stands(form: str) -> None:
    files = FORMS[form](
        _with_history("io.debezium.connector.mysql.MySqlConnector", "producer", "consumer")
    )
    (one,) = [one for one in findings(files) if one.code == "KC0492"]
    deciding = [value.setting for value in one.evidence if value.setting is not None]
    (text,) = files.values()
    lines = [number for number, line in enumerate(text.splitlines(), 1) if "sasl.mechanism" in line]
    assert one.at[0] == lines[0]
    assert [setting.at[0] for setting in deciding] == lines
    assert one.message.endswith("; the same for the schema history's consumer")
    assert one.fix is not None
    assert "set schema.history.internal.producer.sasl.client.callback." in one.fix.text


KEEPERS = [
    "io.debezium.connector.mysql.MySqlConnector",
    "io.debezium.connector.mariadb.MariaDbConnector",
    "io.debezium.connector.sqlserver.SqlServerConnector",
    "io.debezium.connector.oracle.OracleConnector",
    "io.debezium.connector.db2.Db2Connector",
    "io.debezium.connector.informix.InformixConnector",
    "MySqlConnector",
    "Oracle",
]
OTHERS = [
    "io.debezium.connector.postgresql.PostgresConnector",
    "io.debezium.connector.mongodb.MongoDbConnector",
    "io.debezium.connector.vitess.VitessConnector",
    "com.example.MySqlConnector",
    "FileStreamSource",
    "${CLASS}",
]


@pytest.mark.parametrize("class_name", [*KEEPERS, *OTHERS])
@pytest.mark.parametrize("prefix", ["schema.history.internal.", "database.history."])
def test_a_history_is_kept_by_some_connectors_only(class_name: str, prefix: str) -> None:
    found = findings(_json(_with_history(class_name, "consumer", prefix=prefix)))
    assert [one.code for one in found].count("KC0492") == (class_name in KEEPERS)


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        ("io.debezium.storage.kafka.history.KafkaSchemaHistory", True),
        ("io.debezium.storage.file.history.FileSchemaHistory", False),
        ("io.debezium.storage.redis.history.RedisSchemaHistory", False),
        ("${HISTORY}", False),
    ],
)
def test_a_history_outside_kafka_has_no_clients(kind: str, kept: bool) -> None:
    given = _with_history(KEEPERS[0], "producer")
    found = findings(_json({**given, "schema.history.internal": kind}))
    assert [one.code for one in found].count("KC0492") == kept


def test_what_a_history_gives_its_producer_differs_by_debeziums_version() -> None:
    newer, older = (
        hosted(_json(_with_history(KEEPERS[0], "producer", prefix=prefix))).hosted[0]
        for prefix in ("schema.history.internal.", "database.history.")
    )
    assert not any(newer[key].known for key in ("acks", "linger.ms", IN_FLIGHT))
    assert newer["buffer.memory"].value == older["buffer.memory"].value == 1_048_576
    assert [older[key].value for key in ("acks", "linger.ms", "max.block.ms")] == ["1", 0, 10_000]


def test_clients_of_one_host_that_lack_the_same_are_told_together() -> None:
    roles = ("producer", "consumer")
    given = {f"{role}.override.{key}": text for role in roles for key, text in IAM.items()}
    files = {"connect-distributed.properties": WORKER, **_json({**DEAD, **given})}
    (one,) = [one for one in findings(files) if one.code == "KC0492"]
    assert one.message.count("; the same for the ") == 1


def test_a_key_with_a_backslash_is_a_key_like_others() -> None:
    # It stands in the text of a fix, where a backslash means nothing.
    files = {
        "connect-distributed.properties": b"bootstrap.servers=k1:9092\ngroup.id=g\n"
        b"config.storage.topic=c\noffset.storage.topic=o\nstatus.storage.topic=s\n"
        b"producer.request.timeout\\\\q.ms=1\nproducer.linger.mss\\\\q=1\n"
    }
    project = lint_project(sorted(files.items()), Settings(), files.get)
    assert project.failures == []
    assert any("\\q" in finding.message for finding in project.findings)

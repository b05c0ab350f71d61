"""Versions that nothing states: ranges that settings show, and versions that other files tell."""

from __future__ import annotations

import time
from textwrap import dedent

import pytest

from kcheck import catalogue, formats
from kcheck.engine import lint_project, read_project
from kcheck.graph.cluster import Cluster
from kcheck.lexicon import values
from kcheck.lexicon.name_faults import STRICT, goes_without
from kcheck.lexicon.planes import FAMILIES, TABLES, place
from kcheck.model import ERROR, Finding
from kcheck.refusal import refused
from kcheck.settings import Settings
from kcheck.version import UNKNOWN, Bound, Version

NODE = """\
process.roles=broker,controller
node.id=7
controller.quorum.voters=7@k7:9093
listeners=DATA://:9092,QUORUM://:9093
advertised.listeners=DATA://k7:9092
inter.broker.listener.name=DATA
listener.security.protocol.map=DATA:PLAINTEXT,QUORUM:PLAINTEXT
controller.listener.names=QUORUM
log.dirs=/srv/kafka
"""
ZOOKEEPER = "broker.id=1\nzookeeper.connect=zk1:2181\nlog.dirs=/srv/kafka\n"


def clusters(files: dict[str, str]) -> list[Cluster]:
    sources = {name: dedent(text).encode() for name, text in files.items()}
    return read_project(sources.items(), Settings(), sources.get).clusters


def found(files: dict[str, str]) -> list[Finding]:
    sources = {name: dedent(text).encode() for name, text in files.items()}
    return lint_project(sources.items(), Settings(), sources.get).findings


# -- a range ---------------------------------------------------------------------------------


def test_a_range_answers_what_all_of_it_answers() -> None:
    version = Version(None, Bound("3.6"), Bound("4.0"))
    assert not version.known and version.bounded and version.text is None
    assert version.at_least("3.5") and version.at_least("3.6") and not version.at_least("3.6.1")
    assert version.below("4.0") and version.below("4.1") and not version.below("3.9")
    assert version.within("3.1") is True and version.within("", "3.6") is False
    assert version.within("3.7") is None and version.within("3.1", "4.0") is True
    assert UNKNOWN.within() is True and UNKNOWN.within("2.0") is None
    assert (
        str(version) == "3.6 to before 4.0" and str(Version(None, Bound("3.9"))) == "3.9 or newer"
    )


def test_facts_are_those_of_the_range() -> None:
    newer = Version(None, Bound("4.0"))
    (row,) = catalogue.possible("producer", "linger.ms", newer)
    assert row.default == "=5" and len(catalogue.possible("producer", "linger.ms", UNKNOWN)) == 2
    assert catalogue.span(Version(None, Bound("3.9"), Bound("4.1"))) == "3.9-4.0"
    assert catalogue.source(Version("5.0")) == "4.4" and catalogue.source(Version("1.1")) == "2.8"
    assert catalogue.source(Version("3.9.1")) == "3.9.1"


@pytest.mark.parametrize(
    ("version", "since", "until", "severity", "words"),
    [
        (UNKNOWN, "", "", "error", "it stops"),
        (UNKNOWN, "4.0", "", "warning", "it stops (Kafka 4.0 and later)"),
        (UNKNOWN, "", "4.0", "warning", "it stops (Kafka before 4.0)"),
        (UNKNOWN, "3.1", "3.9", "info", "it stops (Kafka 3.1 to before 3.9)"),
        (Version(None, Bound("3.5")), "3.1", "3.9", "info", "it stops (Kafka before 3.9)"),
        (Version(None, Bound("3.5"), Bound("3.8")), "3.1", "3.9", "error", "it stops"),
        (Version(None, Bound("3.9")), "3.1", "3.9", None, ""),
        (Version("3.6"), "3.1", "3.9", "error", "it stops"),
    ],
)
def test_always_in_some_never(
    version: Version, since: str, until: str, severity: str | None, words: str
) -> None:
    told = refused(version, "it stops", since, until)
    assert told == (None if severity is None else (severity, words))


# -- what settings show ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ("", None),
        ("log.retention.hours=24\n", None),
        ("share.coordinator.threads=2\n", "4.0<="),
        ("share.coordinator.threads=2\ngroup.streams.assignors=uniform\n", "4.4<="),
        ("controller.quorum.bootstrap.servers=k:9093\n", "3.9<="),
        ("inter.broker.protocol.version=3.9\n", "3.9<="),
        ("inter.broker.protocol.version=4.0-IV0\n", "3.9<="),
        ("inter.broker.protocol.version=4.0\n", "4.0<="),
        ("inter.broker.protocol.version=2.8\n", None),
        ("inter.broker.protocol.version=nine\n", None),
        ("log.message.format.version=3.4\n", "3.4<="),
        # Read long before it was defined.
        ("config.providers=env\n", None),
        # Removed keys show nothing.
        ("log.message.downconversion.enable=false\n", None),
        # No release takes both.
        ("share.coordinator.threads=2\nlog.segment.bytes=1024\n", None),
    ],
)
def test_settings_show_the_least_version(settings: str, shown: str | None) -> None:
    (one,) = clusters({"server.properties": NODE + settings})
    assert one.version.identity == shown and not one.version.known


def test_zookeeper_mode_contradicts_what_came_after_it() -> None:
    (one,) = clusters({"server.properties": ZOOKEEPER + "share.coordinator.threads=2\n"})
    assert not one.version.bounded


def test_a_stated_version_goes_before_what_settings_show() -> None:
    told = {"kcheck.yaml": "cluster: {kafka_version: '3.9'}\n"}
    (one,) = clusters({"server.properties": NODE + "share.coordinator.threads=2\n", **told})
    assert one.version.text == "3.9"


@pytest.mark.parametrize(
    ("config", "shown"),
    [
        ("group.id: a", None),
        ("group.id: a, group.protocol: consumer", "3.7<="),
        ("group.id: a, 'auto.offset.reset': 'by_duration:P1D'", "4.0<="),
        ("group.id: a, 'auto.offset.reset': 'by_duration:P1D', client.dns.lookup: default", None),
    ],
)
def test_settings_of_a_client_show_its_version(config: str, shown: str | None) -> None:
    (one,) = clusters({"kcheck.yaml": f"consumers: [{{name: a, config: {{{config}}}}}]\n"})
    (client,) = one.clients
    assert client.version.identity == shown


def test_two_versions_of_nodes_are_a_range() -> None:
    service = (
        "  {name}:\n    image: apache/kafka:{version}\n    environment: {{KAFKA_NODE_ID: 1}}\n"
    )
    text = "services:\n" + service.format(name="a", version="3.6.1")
    (one,) = clusters({"compose.yaml": text + service.format(name="b", version="3.9.0")})
    assert (one.version.identity, one.version.below("4.0")) == ("3.6.1<=3.10", True)


def test_the_inferred_range_is_told() -> None:
    config = (
        "min.insync.replicas=2\noffsets.topic.replication.factor=1\nshare.coordinator.threads=2\n"
    )
    told = [f for f in found({"server.properties": NODE + config}) if f.inferred]
    words = "Kafka 4.0 or newer, inferred from share.coordinator.threads (server.properties:12)"
    assert told and {f.inferred for f in told} == {words}


# -- removed keys --------------------------------------------------------------------------------

_REMOVED = [
    (plane, key)
    for plane in ("broker", "producer", "consumer", "admin", "connect-distributed", "streams")
    for key in list(catalogue.plane(plane).keys())
    if catalogue.plane(plane).history(key)[-1].until != catalogue.newest()
]


@pytest.mark.parametrize(("plane", "key"), _REMOVED)
def test_no_value_of_a_removed_key_is_an_error_while_the_version_is_unknown(
    plane: str, key: str
) -> None:
    where = place(plane, key)
    assert where is not None and FAMILIES[where.plane] not in STRICT
    for text in ("nonsense", "-99", "", "1.5"):
        fault = values.verdict(where, UNKNOWN, text)
        assert fault is None or not fault.certain or not fault.gone
        if fault is not None and where.tables == TABLES[plane][:1]:
            assert not fault.certain and fault.gone
            assert values.verdict(where, Version(fault.gone), text) is None


def test_a_value_that_kafka_follows_anyway_loses_nothing() -> None:
    for plane, key, same, other in (
        ("connect-distributed", "rest.port", "8083", "18083"),
        ("broker", "log.message.downconversion.enable", "false", "true"),
        ("consumer", "auto.commit.enable", "true", "false"),
    ):
        where = place(plane, key)
        assert where is not None
        assert goes_without(where, same) and not goes_without(where, other)
        assert not goes_without(where, None)


# -- what other files tell -------------------------------------------------------------------------

ROLE = "ansible/roles/broker/templates/server.properties.j2"
TEMPLATE = (
    "broker.id={{ broker_id }}\nzookeeper.connect={{ zk }}\nlog.dirs=/srv\nnum.io.threads={{ n }}\n"
)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("ansible/roles/broker/defaults/main.yml", "kafka_version: 2.8.1\n", "2.8.1"),
        ("ansible/roles/broker/vars/main.yml", "kafka_version: '3.6.2' # pinned\n", "3.6.2"),
        ("ansible/group_vars/kafka.yml", "kafka_broker_version: 3.7.0\n", "3.7.0"),
        ("ansible/inventories/prod/group_vars/all/main.yml", "kafka:\n  version: 3.7.0\n", "3.7.0"),
        ("ansible/group_vars/all.yml", "confluent_package_version: 7.5.1\nkafka_x: 1\n", "3.5"),
        ("ansible/group_vars/all.yml", "kafka_url: 'https://x/kafka_2.13-3.5.1.tgz'\n", "3.5.1"),
        # Another role's, of something else, of Scala, or templated.
        ("ansible/roles/other/defaults/main.yml", "kafka_version: 2.8.1\n", None),
        ("ansible/group_vars/all.yml", "kafka_exporter_version: 1.7.0\n", None),
        ("ansible/group_vars/all.yml", "kafka_scala_version: '2.13'\n", None),
        ("ansible/group_vars/all.yml", "upgrade_kafka_version: 3.7.0\n", None),
        ("ansible/group_vars/all.yml", "min_kafka_version: 3.7.0\n", None),
        (
            "ansible/group_vars/all.yml",
            "my_kafka_version: 3.6.0\nnext_kafka_version: 3.7.0\n",
            "3.6.0",
        ),
        ("ansible/group_vars/all.yml", "kafka_version: '{{ wanted }}'\n", None),
        ("ansible/group_vars/all.yml", "# kafka_version: 3.6.0\nkafka_x: 1\n", None),
        # Ansible takes the last of two.
        ("ansible/group_vars/all.yml", "kafka_version: 3.6.0\nkafka_version: 3.7.0\n", "3.7.0"),
    ],
)
def test_variables_of_ansible_tell_the_version(path: str, text: str, expected: str | None) -> None:
    (one,) = clusters({ROLE: TEMPLATE, path: text})
    assert one.version.text == expected


def test_inventories_go_before_the_defaults_of_a_role() -> None:
    files = {
        ROLE: TEMPLATE,
        "ansible/roles/broker/defaults/main.yml": "kafka_version: 2.8.1\n",
        "ansible/group_vars/kafka.yml": "kafka_version: 3.9.0\n",
    }
    (one,) = clusters(files)
    assert one.version.text == "3.9.0"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"ansible/roles/broker/defaults/main.yml": "n: eight\n"}, "eight"),
        ({"ansible/roles/broker/vars/main.yml": 'n: "8" # cores\n'}, "8"),
        ({"ansible/roles/broker/defaults/main.yml": "n: '{{ cores }}'\n"}, None),
        ({"ansible/roles/broker/defaults/main.yml": "n:\n  - 8\n"}, None),
        ({"ansible/roles/other/defaults/main.yml": "n: 8\n"}, None),
        (
            {
                "ansible/roles/broker/defaults/main.yml": "n: 8\n",
                "ansible/group_vars/all.yml": "n: 9\nkafka: 1\n",
            },
            "9",
        ),
    ],
)
def test_a_template_has_the_values_of_its_role(files: dict[str, str], expected: str | None) -> None:
    (one,) = clusters({ROLE: TEMPLATE, **files})
    (broker,) = one.brokers
    assert broker["num.io.threads"].text == expected
    assert broker["broker.id"].text is None


def test_what_each_host_has_of_its_own_is_no_default() -> None:
    defaults = {"ansible/roles/broker/defaults/main.yml": "broker_id: 0\nzk: localhost:2181\n"}
    (one,) = clusters({ROLE: TEMPLATE, **defaults})
    (broker,) = one.brokers
    assert broker["broker.id"].text is None and broker["zookeeper.connect"].text is None


KAFKA = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: core}
spec:
  kafka:
    replicas: 3
    listeners: [{name: plain, port: 9092, type: internal, tls: false}]
    storage: {type: ephemeral}
    config:
      client.quota.callback.static.produce: "1000000"
      broker.session.timeout.ms: 9000
"""
OPERATORS = {
    "deployment": "kind: Deployment\nspec:\n  image: quay.io/strimzi/operator:0.39.0\n",
    "chart": "dependencies:\n- name: strimzi-kafka-operator\n  version: 0.39.0\n- name: x\n  version: 9.0.0\n",
    "above": "dependencies:\n- version: 0.39.0\n  name: strimzi-kafka-operator\n",
    "release": "spec:\n  chart:\n    spec:\n      chart: strimzi-kafka-operator\n      version: '0.39.0'\n",
    "application": "spec:\n  source:\n    chart: strimzi-kafka-operator\n    targetRevision: 0.39.0\n",
    "csv": "spec:\n  startingCSV: strimzi-cluster-operator.v0.39.0\n",
    "kustomize": "images:\n- name: quay.io/strimzi/operator\n  newTag: 0.39.0\n",
}


@pytest.mark.parametrize("text", OPERATORS.values(), ids=OPERATORS)
def test_the_release_of_the_operator_is_read_where_it_is_deployed(text: str) -> None:
    (one,) = clusters({"operator/operator.yaml": text, "kafka/kafka.yaml": KAFKA})
    (broker,) = one.brokers
    assert one.version.text == "3.6.1"
    # Dropped from 0.42 on, and passed on by way of exception from 0.48 on.
    assert broker.sets("client.quota.callback.static.produce")
    assert not broker.sets("broker.session.timeout.ms")


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"a/op.yaml": "# image: quay.io/strimzi/operator:0.39.0\n"},
        {"a/op.yaml": "image: quay.io/strimzi/operator:latest\n"},
        {
            "a/op.yaml": "image: quay.io/strimzi/operator:0.39.0\n",
            "b/op.yaml": "image: quay.io/strimzi/operator:0.45.0\n",
        },
    ],
)
def test_without_one_release_the_newest_operator_is_meant(files: dict[str, str]) -> None:
    (one,) = clusters({"kafka/kafka.yaml": KAFKA, **files})
    (broker,) = one.brokers
    assert not one.version.known
    assert not broker.sets("client.quota.callback.static.produce")
    assert broker.sets("broker.session.timeout.ms")


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("apiVersion: operators.coreos.com/v1alpha1", "# startingCSV:", []),
        ("kind: Chart", "version: 0.39.0", ["0.39.0"]),
    ],
)
def test_many_names_of_the_operator_take_no_time(
    first: str, last: str, expected: list[str]
) -> None:
    """Quadratic, these took minutes."""
    names = "  name: strimzi-kafka-operator\n" * 20_000
    began = time.process_time()
    document = formats.read(
        "operator.yaml", f"{first}\nspec:\n{names}  {last}\n".encode(), lambda _: None
    )
    assert time.process_time() - began < 5
    assert [one.told.text for one in document.extent.releases] == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [("install.sh", "4.2.0"), ("upgrade-to-42.sh", None), ("migrate.sh", None)],
)
def test_a_script_that_changes_the_release_tells_it_of_itself(
    script: str, expected: str | None
) -> None:
    text = "tar -xzf /tmp/kafka_2.13-4.2.0.tgz -C /opt\n"
    (one,) = clusters({f"files/{script}": text, "files/server.properties": NODE})
    assert one.version.text == expected


def test_the_nearest_operator_counts() -> None:
    files = {
        "dev/op.yaml": "image: quay.io/strimzi/operator:0.45.0\n",
        "prod/op.yaml": "image: quay.io/strimzi/operator:0.39.0\n",
        "prod/kafka.yaml": KAFKA,
    }
    (one,) = clusters(files)
    assert one.version.text == "3.6.1"


COMPOSE = "services:\n  k:\n    {of}\n    volumes: ['./conf/server.properties:{at}']\n"


@pytest.mark.parametrize(
    ("of", "at", "files", "expected"),
    [
        ("image: apache/kafka:3.9.1", "/mnt/shared/config/server.properties", {}, "3.9.1"),
        ("image: 'apache/kafka:${TAG}'", "/mnt/shared/config/server.properties", {}, None),
        ("image: redis:7.0", "/x", {}, None),
        ("build: ./k", "/x", {"k/Dockerfile": "FROM a\nENV KAFKA_VERSION=4.0.0\n"}, "4.0.0"),
        ("build: ./k", "/x", {"k/Dockerfile": "FROM a\nARG KAFKA_VERSION=3.8.0\n"}, "3.8.0"),
        (
            "build: {context: ./k, args: {V: 3.9.1}}",
            "/x",
            {"k/Dockerfile": "FROM a\nARG V\nRUN curl https://x/kafka_2.13-$V.tgz\n"},
            "3.9.1",
        ),
        # Nobody gives the argument, and a Dockerfile of something else.
        ("build: ./k", "/x", {"k/Dockerfile": "FROM a\nARG KAFKA_VERSION\n"}, None),
        ("build: ./k", "/x", {"k/Dockerfile": "FROM a\nENV APP_VERSION=4.0.0\n"}, None),
    ],
)
def test_a_mounted_file_has_the_version_of_its_container(
    of: str, at: str, files: dict[str, str], expected: str | None
) -> None:
    compose = COMPOSE.replace("{of}", of).replace("{at}", at)
    found = clusters({"compose.yaml": compose, "conf/server.properties": NODE, **files})
    (one,) = [c for c in found if any(r.path == "conf/server.properties" for r in c.resources)]
    assert one.version.text == expected


def test_a_copied_file_has_the_version_of_its_image() -> None:
    files = {
        "compose.yaml": "services:\n  k:\n    build: .\n",
        "Dockerfile": "FROM a\nENV KAFKA_VERSION=3.7.1\nCOPY conf/server.properties /opt/kafka/config/\n",
        "conf/server.properties": NODE,
    }
    (one,) = clusters(files)
    assert one.version.text == "3.7.1"


def test_an_error_needs_every_version() -> None:
    config = "inter.broker.protocol.version=4.0\nquota.producer.default=none\n"
    assert not [f for f in found({"server.properties": NODE + config}) if f.severity == ERROR]


@pytest.mark.parametrize(
    ("values", "template", "expected"),
    [
        ("kafka:\n  version: 3.6.1\n", "'{{ .Values.kafka.version }}'", "3.6.1"),
        ("kafkaVersion: 3.6.1\n", "'{{ .Values.kafkaVersion }}'", "3.6.1"),
        ("kafkaVersion: 3.6.1\n", "3.7.0", "3.7.0"),
        ("kafka:\n  replicas: 3\nother:\n  version: 3.6.1\n", "'{{ .Values.x }}'", None),
    ],
)
def test_values_of_a_chart_fill_in_its_templates(
    values: str, template: str, expected: str | None
) -> None:
    resource = KAFKA.replace("  kafka:\n", f"  kafka:\n    version: {template}\n")
    (one,) = clusters({"chart/values.yaml": values, "chart/templates/kafka.yaml": resource})
    assert one.version.text == expected


def test_values_say_nothing_of_files_beside_the_chart() -> None:
    (one,) = clusters({"values.yaml": "kafkaVersion: 3.6.1\n", "server.properties": NODE})
    assert not one.version.known

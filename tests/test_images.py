"""Facts on container images: which family an image is, and what it makes of names and tags."""

from __future__ import annotations

import re

import pytest

from kcheck import catalogue, configdef, data, images
from kcheck.version import Version


@pytest.mark.parametrize(
    ("reference", "family", "version"),
    [
        ("apache/kafka:3.9.1", "apache", "3.9.1"),
        ("docker.io/apache/kafka-native:4.0.0", "apache", "4.0.0"),
        ("apache/kafka", "apache", ""),
        ("apache/kafka:latest", "apache", ""),
        ("apache/kafka@sha256:0123", "apache", ""),
        ("confluentinc/cp-kafka:7.5.0", "confluent", "3.5"),
        ("confluentinc/cp-kafka:7.9.1-1-ubi8", "confluent", "3.9"),
        ("confluentinc/cp-kafka:8.1.0@sha256:0123", "confluent", "4.1"),
        (
            "registry.example.com:5000/mirror/confluentinc/cp-server:6.2.15",
            "confluent-server",
            "2.8",
        ),
        ("cp-enterprise-kafka:5.0.0", "confluent-enterprise", "2.0"),
        ("CONFLUENTINC/CP-KAFKA-CONNECT:5.4.0", "confluent-connect", "2.4"),
        ("confluentinc/cp-kafka-connect-base:latest-ubi8", "confluent-connect", ""),
        ("confluentinc/cp-kafka:99.0.0", "confluent", ""),
        ("bitnami/kafka:3.6", "bitnami", "3.6"),
        ("public.ecr.aws/bitnami/kafka:3.6.1-debian-11-r0", "bitnami", "3.6.1"),
        ("bitnamilegacy/kafka:3", "bitnami", ""),
        ("wurstmeister/kafka:2.13-2.8.1", "wurstmeister", "2.8.1"),
        # Its last image: nobody builds others.
        ("wurstmeister/kafka", "wurstmeister", "2.8.1"),
        ("wurstmeister/kafka:latest", "wurstmeister", "2.8.1"),
        ("wurstmeister/kafka:0.11.0.1", "wurstmeister", "0.11.0.1"),
        ("quay.io/debezium/kafka:2.7.3.Final", "debezium", "3.7"),
        ("debezium/connect:1.9", "debezium-connect", "3.2"),
        ("debezium/connect:nightly", "debezium-connect", ""),
    ],
)
def test_family_and_version(reference: str, family: str, version: str) -> None:
    repository, tag = images.split(reference)
    found = images.family_of(repository)
    assert found is not None
    assert (found.id, found.version(tag)) == (family, version)


@pytest.mark.parametrize(
    "reference",
    [
        "example/kafka:1",
        "kafka",
        "bitnami/zookeeper:3.9",
        "confluentinc/cp-zookeeper",
        "my/cp-kafka2",
    ],
)
def test_nobodys_image(reference: str) -> None:
    assert images.family_of(images.split(reference)[0]) is None


@pytest.mark.parametrize(
    ("family", "variable", "key"),
    [
        ("apache", "KAFKA_LOG_DIRS", "log.dirs"),
        ("apache", "KAFKA_LISTENER_NAME_A__B_SSL_CLIENT_AUTH", "listener.name.a_b.ssl.client.auth"),
        (
            "apache",
            "KAFKA_LISTENER_NAME_A___B_SSL_CLIENT_AUTH",
            "listener.name.a-b.ssl.client.auth",
        ),
        ("confluent", "KAFKA_CONFLUENT_TIER_ENABLE", "confluent.tier.enable"),
        (
            "confluent-server",
            "CONFLUENT_METRICS_REPORTER_TOPIC",
            "confluent.metrics.reporter.topic",
        ),
        ("confluent", "CONFLUENT_METRICS_REPORTER_TOPIC", None),
        ("confluent-connect", "CONNECT_PRODUCER_LINGER_MS", "producer.linger.ms"),
        ("bitnami", "KAFKA_CFG_LOG_DIRS", "log.dirs"),
        ("bitnami", "KAFKA_LOG_DIRS", None),
        ("bitnami", "KAFKA_CFG_A__B", "a..b"),
        (
            "bitnami",
            "KAFKA_CFG_LISTENER_NAME_SASL_SSL_SASL_ENABLED_MECHANISMS",
            "listener.name.sasl_ssl.sasl.enabled.mechanisms",
        ),
        ("wurstmeister", "KAFKA_A__B", "a..b"),
        ("debezium", "KAFKA_", None),
        ("debezium-connect", "CONNECT_CONSUMER_MAX_POLL_RECORDS", "consumer.max.poll.records"),
    ],
)
def test_keys(family: str, variable: str, key: str | None) -> None:
    assert images.families()[family].key(variable) == key


@pytest.mark.parametrize("family", ["apache", "confluent", "bitnami", "wurstmeister"])
def test_variables_and_keys_are_inverse(family: str) -> None:
    found = images.families()[family]
    for key in ("log.dirs", "listener.name.a_b.ssl.client.auth", "x-y.z"):
        variable = found.variable(key)
        if variable is None:
            assert not found.dashes and ("_" in key or "-" in key)
        else:
            assert found.key(variable) == key


@pytest.mark.parametrize(
    ("version", "range_", "inside"),
    [
        ("3.4", "3.4-3.9", True),
        ("3.9.2", "3.4-3.9", True),
        ("3.3", "3.4-", False),
        ("4.0.1", "-3.9", False),
        ("4.0.1", "4.0", True),
        ("4.1", "4.0", False),
        ("", "4.0-", None),
        ("", "", True),
    ],
)
def test_ranges(version: str, range_: str, inside: bool | None) -> None:
    assert images.within(Version(version), range_) is inside


def test_a_base_is_unknown_where_its_version_is() -> None:
    family = images.families()["bitnami"]
    key = "share.coordinator.state.topic.replication.factor"
    assert key not in family.base(set(), Version("3.9"))
    assert family.base(set(), Version("4.2"))[key] == "1"
    assert family.base(set(), Version())[key] is None
    assert family.base(set(), Version())["offsets.topic.replication.factor"] == "1"
    assert "process.roles" not in family.base({"kraft"}, Version("3.5"))
    assert family.base({"unset"}, Version("3.5"))["process.roles"] is None


def test_every_fact_is_about_something() -> None:
    """No row names a family, a key or an effect that does not exist, and each names its source."""
    families = images.families()
    known = {plane: catalogue.plane(plane) for plane in ("broker", "connect-distributed")}
    effects = {"own", "written", "key", "varies", "fact", "role", "topics", "legacy", "secret"}
    for names, variable, effect, key, _when, _versions, note, source in data.rows(
        "images/variables.tsv"
    ):
        assert names == "*" or set(names.split()) <= families.keys()
        assert effect in effects | {"replaced", "foreign", "refused", "required"}, variable
        if effect in ("key", "varies", "role", "legacy", "secret"):
            assert any(key in plane for plane in known.values()), key
        if effect == "legacy":
            assert images.families()[names].key(note) == key
        assert source, variable
    for family, _when, key, value, _versions, source in data.rows("images/base.tsv"):
        plane = "connect-distributed" if families[family].role == images.WORKER else "broker"
        converter = key.endswith(".schemas.enable")
        assert key in known[plane] or converter, key
        fact = catalogue.fact(plane, key, Version())
        if value != "?" and fact is not None:
            assert not configdef.refusal(fact, value), (key, value)
        assert source
    for scheme, _release, kafka, source in data.rows("images/versions.tsv"):
        assert scheme in {f.tags for f in families.values()}
        assert Version(kafka).known
        assert source


#: A file of a public repository, at a branch or tag where it is not on the main one, or a page.
SOURCE = re.compile(r"https://\S+|[\w-]+/[\w.-]+(@[\w.-]+)?:[\w.-]+(/[\w.-]+)*")


def sources(name: str) -> list[tuple[list[str], str]]:
    return [(row, row[-1]) for row in data.rows(f"images/{name}.tsv")]


@pytest.mark.parametrize("name", ["images", "variables", "base", "versions"])
def test_a_source_is_a_place_where_the_row_can_be_looked_up(name: str) -> None:
    for row, source in sources(name):
        if source in ("judgement", images.UNVERIFIED):
            assert name == "variables" and row[2] == "own", row
            continue
        assert all(SOURCE.fullmatch(part) for part in source.split(" ")), row


def test_the_rows_that_nobody_has_found_a_source_for() -> None:
    found = [
        (name, row[0], row[1])
        for name in ("images", "variables", "base", "versions")
        for row, source in sources(name)
        if source == images.UNVERIFIED
    ]
    assert found == [
        (
            "variables",
            "confluent confluent-server confluent-enterprise confluent-local",
            "KAFKA_LOG4J2_*",
        ),
        ("variables", "confluent-connect", "CONNECT_LOG4J2_*"),
    ]


@pytest.mark.parametrize(
    ("effect", "instead"),
    [
        ("key", "varies"),
        ("legacy", "varies"),
        ("role", "varies"),
        ("refused", "own"),
        ("required", "own"),
        ("foreign", "own"),
        ("own", "own"),
    ],
)
def test_an_unverified_row_only_raises_doubt(effect: str, instead: str) -> None:
    cells = ["X", effect, "node.id", "", "", ""]
    assert images.Meaning([*cells, "a/b:c"]).effect == effect
    assert images.Meaning([*cells, images.UNVERIFIED]).effect == instead


def test_an_unverified_base_value_and_release_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ["apache", "", "num.partitions", "7", ""]
    monkeypatch.setattr(images, "_base_rows", [[*row, "a/b:c"]])
    family = images.families()["apache"]
    assert family.base(set(), Version("3.9")) == {"num.partitions": "7"}
    monkeypatch.setattr(images, "_base_rows", [[*row, images.UNVERIFIED]])
    assert family.base(set(), Version("3.9")) == {"num.partitions": None}
    monkeypatch.setattr(images, "_versions", {})
    monkeypatch.setattr(data, "rows", lambda _: [["confluent", "7.5", "3.5", images.UNVERIFIED]])
    assert images.families()["confluent"].version("7.5.0") == ""


def test_a_base_asks_for_all_that_its_row_names() -> None:
    family = images.families()["debezium"]
    key = "inter.broker.listener.name"
    assert family.base({"kraft", "broker"}, Version("3.7"))[key] == "PLAINTEXT"
    assert key not in family.base({"kraft", "controller"}, Version("3.7"))
    assert key not in family.base({"zookeeper", "broker"}, Version("3.7"))


@pytest.mark.parametrize("name", ["images", "variables", "base", "versions"])
def test_every_row_of_the_tables_names_its_source_and_the_versions_it_holds_for(name: str) -> None:
    (header,) = [
        line.split("\t")
        for line in data.read(f"images/{name}.tsv").split("\n")
        if line and not line.startswith("# ")
    ][:1]
    for row in data.rows(f"images/{name}.tsv"):
        assert len(row) == len(header), row
        cells = dict(zip(header, row, strict=True))
        assert cells["source"], row
        # In the table of tags the version is what a row tells; elsewhere none means all.
        versions = cells.get("versions", cells.get("kafka", ""))
        since, _, until = versions.partition("-")
        assert all(Version(part).known for part in (since, until) if part), row
        assert versions or name in ("variables", "base"), row

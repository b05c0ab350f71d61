"""Where a key is looked up: tables, prefixes, and what nobody but a plug-in can tell."""

from __future__ import annotations

import pytest

from kcheck import catalogue, data
from kcheck.lexicon.planes import FAMILIES, TABLES, place


@pytest.mark.parametrize(
    ("plane", "key", "expected"),
    [
        ("broker", "log.dirs", ("broker", "log.dirs", "")),
        ("cluster", "log.dirs", ("cluster", "log.dirs", "")),
        (
            "broker",
            "listener.name.ext.max.connections",
            ("broker", "max.connections", "listener.name.ext."),
        ),
        # A key as a whole comes before a mechanism and the rest.
        (
            "broker",
            "listener.name.ext.advertised.listeners",
            ("broker", "advertised.listeners", "listener.name.ext."),
        ),
        (
            "broker",
            "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config",
            ("broker", "sasl.jaas.config", "listener.name.sasl_ssl.scram-sha-256."),
        ),
        (
            "broker",
            "listener.name.ext.aws_msk_iam.sasl.jaas.config",
            ("broker", "sasl.jaas.config", "listener.name.ext.aws_msk_iam."),
        ),
        (
            "broker",
            "rlmm.config.remote.log.metadata.topic.replication.factor",
            ("remote-metadata", "remote.log.metadata.topic.replication.factor", "rlmm.config."),
        ),
        (
            "broker",
            "rlmm.config.remote.log.metadata.producer.acks",
            ("producer", "acks", "rlmm.config.remote.log.metadata.producer."),
        ),
        ("connect-distributed", "producer.acks", ("producer", "acks", "producer.")),
        (
            "connect-distributed",
            "config.storage.replication.factor",
            ("connect-distributed", "config.storage.replication.factor", ""),
        ),
        (
            "connect-distributed",
            "status.storage.min.insync.replicas",
            ("topic", "min.insync.replicas", "status.storage."),
        ),
        (
            "connect-distributed",
            "admin.listeners.https.ssl.client.auth",
            ("connect-distributed", "ssl.client.auth", "admin.listeners.https."),
        ),
        (
            "streams",
            "main.consumer.max.poll.records",
            ("consumer", "max.poll.records", "main.consumer."),
        ),
        ("streams", "topic.retention.ms", ("topic", "retention.ms", "topic.")),
        ("producer", "schema.registr", ("producer", "schema.registr", "")),
    ],
)
def test_place(plane: str, key: str, expected: tuple[str, str, str]) -> None:
    found = place(plane, key)
    assert found is not None
    assert (found.plane, found.key, found.prefix) == expected


@pytest.mark.parametrize(
    ("plane", "key"),
    [
        ("broker", "confluent.license.topic"),
        ("broker", "super.users"),
        ("broker", "rsm.config.chunk.size"),
        ("broker", "listener.name.ext.confluent.something"),
        ("topic", "confluent.value.schema.validation"),
        ("connect-distributed", "value.converter.schema.registry.url"),
        ("connect-distributed", "producer.confluent.batch.expiry.ms"),
        ("connect-standalone", "config.providers.file.class"),
        ("streams", "client.tag.zone"),
    ],
)
def test_open(plane: str, key: str) -> None:
    assert place(plane, key) is None


def test_tiered_storage_prefixes_are_the_brokers_own() -> None:
    assert place("broker", "tier.bucket.name", "tier.") is None
    found = place("broker", "meta.remote.log.metadata.topic.num.partitions", "tier.", "meta.")
    assert found is not None
    assert (found.plane, found.prefix) == ("remote-metadata", "meta.")
    # The default prefix is no longer one then.
    other = place("broker", "rlmm.config.remote.log.metadata.topic.num.partitions", "", "meta.")
    assert other is not None
    assert other.plane == "broker"


def test_every_plane_has_tables_and_a_family() -> None:
    assert set(TABLES) == set(FAMILIES)
    for tables in TABLES.values():
        for table in tables:
            assert catalogue.plane(table).keys()


def test_open_keys_are_no_keys_of_the_catalogue() -> None:
    planes = {"broker": "broker", "topic": "topic", "worker": "connect-distributed"}
    for family, name, reader in data.rows("keys/open.tsv"):
        assert reader
        assert family in {*FAMILIES.values(), "any"}
        if family in planes:
            assert name not in catalogue.plane(planes[family])

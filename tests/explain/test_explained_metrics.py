"""The metrics that are explained: their rules exist, and every spelling leads to them."""

from __future__ import annotations

import pytest

from kcheck import rules
from kcheck.explain import errors, keys, metrics


def test_what_a_row_names_exists() -> None:
    known = rules.load()
    names = [name.lower() for metric in metrics.metrics() for name in metric.names]
    assert len(names) == len(set(names))
    for metric in metrics.metrics():
        assert set(metric.rules) <= known.keys(), metric.name
        assert metric.causes and metric.bad and ":type=" in metric.of
        for name in metric.names:
            assert errors.named(name) is None and keys.explained(name) is None, name


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("UnderReplicatedPartitions", "UnderReplicatedPartitions"),
        ("underreplicatedpartitions", "UnderReplicatedPartitions"),
        (
            "kafka.server:type=ReplicaManager,name=UnderMinIsrPartitionCount",
            "UnderMinIsrPartitionCount",
        ),
        ("kafka_server_replicamanager_underreplicatedpartitions", "UnderReplicatedPartitions"),
        ("kafka_network_requestmetrics_requestqueuetimems_99thpercentile", "RequestQueueTimeMs"),
        ("records_lag_max", "records-lag-max"),
        ("kafka.consumer.fetch.manager.records.lag.max", "records-lag-max"),
        ("kafka_consumer_consumer_fetch_manager_metrics_records_lag_max", "records-lag-max"),
    ],
)
def test_spellings(word: str, name: str) -> None:
    found = metrics.named(word)
    assert found is not None and found[0] == name


def test_other_words() -> None:
    for word in ("RequestQueueTimeMsXyzzy", "kafka", "kafka_server", "lag", "max.poll.records", ""):
        assert metrics.named(word) is None, word
    assert metrics.in_text("the quick brown fox") is None
    found = metrics.in_text("RequestHandlerAvgIdlePercent is 0.1 on broker 2")
    assert found is not None and found[0] == "RequestHandlerAvgIdlePercent"

"""A limit as it stands in a cluster: values, origins, use, what is missing, what is assumed."""

from __future__ import annotations

import math

import pytest
from clusters import cluster, line_of

from kcheck.limits import catalogue
from kcheck.limits.assumptions import assumed
from kcheck.limits.demand import Demand, declared
from kcheck.limits.entry import EMERGENT, FACTS, OVER, TIGHT, WITHIN
from kcheck.settings import ClusterSettings

TOPICS = """\
topics:
  - {name: orders, partitions: 60, replication_factor: 3, produce_rate: 30MB/s}
  - {name: state, partitions: 6, replication_factor: 3, config: {cleanup.policy: compact}}
"""
HOST = """\
  host: {ram: 64GiB, heap: 4GiB, nic: 1Gbit/s, disks: 2, disk_size: 1TiB, disk_rate: 200MB/s,
         nofile: 100000, vm.max_map_count: 65530}
"""
BROKERS = "cluster:\n  kafka_version: '4.1'\n  brokers: 3\n"
WHOLE = BROKERS + HOST + TOPICS


def test_nothing_is_computed_from_nothing() -> None:
    """Of a cluster without facts every estimate says what is missing, and none has a number."""
    for line in catalogue.of(cluster(kcheck="topics: [{name: orders}]")):
        if line.entry.kind != EMERGENT:
            continue
        assert line.used != line.used, line.entry.id
        assert line.state == ""
        assert line.missing, line.entry.id
        assert set(line.missing) <= set(FACTS)


def test_every_fact_that_is_missing_makes_its_line_whole() -> None:
    """With all facts declared nothing of a host is missing any more."""
    needed = set(FACTS) - {"partition_size"}
    text = WHOLE.replace("  brokers: 3\n", "  brokers: 3\n  config: {listeners: 'SSL://:9093'}\n")
    text = text.replace("compact}}", "compact}, partition_size: 1GiB, produce_rate: 1MB/s}")
    text += "producers: [{name: shop, topics: [orders], instances: 5}]\n"
    found = catalogue.of(cluster(kcheck=text))
    assert {name for line in found for name in line.missing} & needed == set()
    for line in found:
        if line.entry.kind == EMERGENT and line.entry.id != "page-cache":
            assert line.used == line.used, line.entry.id


# 30 MB/s over 60 partitions for a week is 302.4 GB per replica: 282 segments of 1 GiB, one more.
KEPT = 500_000 * 604_800


@pytest.mark.parametrize(
    ("id", "limit", "used"),
    [
        ("segments", math.nan, 60 * 283 + 6),
        ("memory-maps", 65_530, 2 * (60 * 283 + 6)),
        ("open-files", 100_000, 60 * 283 + 6 + 2),
        ("disk", 2 * 2**40, 60 * (KEPT + 2**30)),
        ("partitions-per-broker-maps", 32_765, 66),
        ("partitions-per-broker", 4_000, 66),
        ("partitions-per-cluster", 1_000_000, 66),
        ("brokers-per-cluster", 200, 3),
        ("replica-connections", math.nan, 2),
        ("heap-of-memory", 32 * 2**30, 4 * 2**30),
        ("heap", 4 * 2**30, (128 + 20 + 500) * 2**20 + 66 * 100_000),
        ("page-cache", 60 * 2**30 / 30e6 * 1000, math.nan),
        ("election", math.nan, 22 * 5),
        ("log-recovery", math.nan, 66 * 2**30 / 400e6 * 1000),
        ("partition-throughput", 6_000e6, 30e6),
        ("network-in", 125e6, 30e6),
        ("network-out", 125e6, 30e6),
        ("brokers-needed", 3, 3),
    ],
)
def test_estimates_by_hand(id: str, limit: float, used: float) -> None:
    line = line_of(id, kcheck=WHOLE)
    assert line.limit == pytest.approx(limit, nan_ok=True)
    assert line.used == pytest.approx(used, nan_ok=True)


def test_what_is_least_says_so() -> None:
    line = line_of("memory-maps", kcheck=WHOLE)
    assert line.least and line.used_text.startswith("≥ ")
    assert line.missing == ["partition_size"]
    told = WHOLE.replace("compact}}", "compact}, partition_size: 10GiB}")
    line = line_of("memory-maps", kcheck=told)
    assert not line.least and line.missing == []
    assert line.used == 2 * (60 * 283 + 6 * 11)


def test_a_limit_by_size_alone_is_the_most_that_can_be() -> None:
    text = WHOLE.replace("produce_rate: 30MB/s", "config: {retention.bytes: 10737418240}")
    line = line_of("disk", kcheck=text)
    assert line.used == 60 * (10 * 2**30 + 2**30)
    line = line_of("memory-maps", kcheck=text)
    assert line.used == 2 * (60 * 11 + 6)
    assert any("retention.bytes" in note for note in line.notes)


def test_segments_that_are_rolled_by_age() -> None:
    """A thousand bytes a second and partition: 168 hours in a week, or what 100 hours hold."""
    slow = "produce_rate: 60KB/s, config: {segment.ms: 3600000%s}"
    for more, each in (("", 169), (", retention.bytes: 360000000", 101)):
        line = line_of("segments", kcheck=WHOLE.replace("produce_rate: 30MB/s", slow % more))
        assert line.used == 60 * each + 6


def test_a_crash_leaves_no_more_to_read_than_is_kept() -> None:
    text = WHOLE.replace("compact}}", "compact}, partition_size: 1MiB}")
    line = line_of("log-recovery", kcheck=text)
    assert line.used == pytest.approx((60 * 2**30 + 6 * 2**20) / 400e6 * 1000)


def test_the_topic_with_the_most_for_each_partition_is_told() -> None:
    text = (
        WHOLE + "  - {name: narrow, partitions: 1, replication_factor: 3, produce_rate: 20MB/s}\n"
    )
    line = line_of("partition-throughput", kcheck=text)
    assert (line.whose, line.used, line.limit) == ("narrow", 20e6, 100e6)
    assert line.state == TIGHT


def test_what_lies_in_remote_storage_is_not_on_the_disks() -> None:
    text = WHOLE.replace(
        "produce_rate: 30MB/s",
        "produce_rate: 30MB/s, config: {remote.storage.enable: true, local.retention.ms: 3600000}",
    )
    line = line_of("disk", kcheck=text)
    assert line.used == 60 * (500_000 * 3_600 + 2**30)
    as_retention = text.replace("3600000", "-2")
    assert line_of("disk", kcheck=as_retention).used == 60 * (KEPT + 2**30)


def test_a_limit_by_size_counts_unless_the_policy_is_known_to_keep() -> None:
    sized = "config: {retention.bytes: 10737418240, cleanup.policy: '%s'}"
    for policy, used in (("${POLICY}", 60 * 11 * 2**30), ("compact", math.nan)):
        line = line_of("disk", kcheck=WHOLE.replace("produce_rate: 30MB/s", sized % policy))
        assert line.used == pytest.approx(used, nan_ok=True), policy


def test_what_is_kept_for_ever_is_no_number() -> None:
    text = WHOLE.replace("produce_rate: 30MB/s", "produce_rate: 30MB/s, config: {retention.ms: -1}")
    (orders, _) = Demand(found := cluster(kcheck=text), declared(found)).topics
    assert orders.kept == math.inf and orders.segments == 1
    line = line_of("disk", kcheck=text)
    assert line.used != line.used
    assert any("forever" in note for note in line_of("segments", kcheck=text).notes)


@pytest.mark.parametrize(
    ("maps", "state", "part"),
    [("33972", WITHIN, 1.0), ("33971", OVER, 33972 / 33971)],
)
def test_over_the_limit_is_more_than_it(maps: str, state: str, part: float) -> None:
    line = line_of("memory-maps", kcheck=WHOLE.replace("65530", maps))
    assert (line.state, line.part) == (state, pytest.approx(part))


def test_tight_is_more_than_is_planned_with() -> None:
    assert line_of("network-in", kcheck=WHOLE).state == WITHIN
    assert line_of("network-in", kcheck=WHOLE.replace("30MB/s", "75MB/s")).state == WITHIN
    assert line_of("network-in", kcheck=WHOLE.replace("30MB/s", "76MB/s")).state == TIGHT
    assert line_of("network-in", kcheck=WHOLE.replace("30MB/s", "126MB/s")).state == OVER


def test_the_weakest_broker_counts() -> None:
    text = (
        "cluster:\n  brokers:\n    - {id: 1, host: {vm.max_map_count: 262144}}\n"
        "    - {id: 2, host: {vm.max_map_count: 100}}\n" + TOPICS
    )
    line = line_of("memory-maps", kcheck=text)
    assert line.limit == 100
    ((_, value),) = line.values
    assert (value.setting.path, value.setting.at[0]) == ("kcheck.yaml", 4)


# -- assumptions ----------------------------------------------------------------------------


def test_who_wins_over_an_assumption() -> None:
    """Command line, declaration, default: in that order."""
    assert line_of("election", kcheck=WHOLE).used == 22 * 5
    declares = WHOLE.replace("  host:", "  assumptions: {election_time: 0.5ms}\n  host:")
    line = line_of("election", kcheck=declares)
    assert line.used == 22 * 0.5
    (found,) = line.assumed
    assert found.value is not None and found.value.setting is not None
    assert found.value.setting.at[0] == 4
    told = ClusterSettings()
    told.facts["assumptions.election_time"] = ("2ms", 2.0)
    line = line_of("election", told, kcheck=declares)
    assert line.used == 22 * 2
    assert line.assumed[0].text == "2ms"


def test_a_templated_assumption_makes_its_lines_unknown() -> None:
    text = WHOLE.replace("  host:", "  assumptions: {election_time: '${T}'}\n  host:")
    line = line_of("election", kcheck=text)
    assert line.used != line.used
    assert not assumed(cluster(kcheck=text), "election_time").known
    assert line_of("disk", kcheck=text).used == line_of("disk", kcheck=WHOLE).used


# -- compiled -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "version", "text"),
    [
        ("partitions-per-create", "3.9.0", "none"),
        ("partitions-per-create", "3.9.1", "10,000"),
        ("partitions-per-create", "3.9", "10,000"),
        ("partitions-per-create", "3.8", "none"),
        ("partitions-per-grow", "4.3", "none"),
        ("partitions-per-grow", "4.4", "10,000"),
        ("records-per-operation", "3.4", "none"),
        ("records-per-operation", "3.5", "10,000"),
        ("fetch-session-shards", "3.7", "none"),
        ("fetch-session-shards", "3.8", "8"),
        ("offsets", "3.8", "2^63 - 1"),
    ],
)
def test_constants_by_version(id: str, version: str, text: str) -> None:
    kafka = f"cluster: {{kafka_version: '{version}', brokers: 3}}\n" + TOPICS
    assert line_of(id, kcheck=kafka).limit_text == text


def test_a_constant_of_no_known_version() -> None:
    line = line_of("partitions-per-create", kcheck=TOPICS)
    assert line.limit == 10_000
    assert line.missing == ["kafka_version"]
    assert any("3.9.1" in note for note in line.notes)


def test_zookeepers_controller_has_no_such_bound() -> None:
    text = TOPICS + "cluster: {kafka_version: '3.9', config: {zookeeper.connect: 'zk:2181'}}\n"
    assert line_of("partitions-per-create", kcheck=text).limit_text == "none"
    line = line_of("partitions-per-cluster", kcheck=text)
    assert line.limit == 200_000


def test_requests_for_all_partitions() -> None:
    text = "topics:\n" + "".join(f"  - {{name: t{n}, partitions: 9000}}\n" for n in range(6))
    line = line_of("partitions-per-create", kcheck=text)
    assert (line.used, line.part) == (9_000, 0.9)
    assert "54,000 declared partitions in total: at least 6 requests" in line.notes


@pytest.mark.parametrize(
    ("id", "used", "whose"),
    [
        ("partitions-per-topic", 60, "orders"),
        ("records-per-operation", 61, "orders"),
        ("replication-factor", 3, "state"),
        ("topic-name", 6, "orders"),
        ("config-value", 7, "state: cleanup.policy"),
        ("segment-file", 2**30, "state"),
    ],
)
def test_who_uses_most(id: str, used: float, whose: str) -> None:
    line = line_of(id, kcheck=WHOLE)
    assert (line.used, line.whose) == (used, whose)


# -- settings -------------------------------------------------------------------------------


def test_a_setting_with_its_origin_and_default() -> None:
    line = line_of(
        "connections",
        kcheck="cluster: {kafka_version: '4.1', brokers: 3, config: {max.connections: 500}}\n"
        "producers: [{name: shop, instances: 400}]\n",
    )
    assert (line.limit, line.used, line.default) == (500, 402, "2147483647")
    ((_, value),) = line.values
    assert value.explicit
    assert "effective immediately" in line.move
    line = line_of("queued-requests", kcheck=WHOLE)
    assert line.move == "the brokers' files, effective after a restart"


def test_no_limit_is_unlimited() -> None:
    for id in ("connections", "queued-bytes", "producer-quota", "retention-bytes"):
        line = line_of(id, kcheck=WHOLE)
        assert line.limit_text == "unlimited", id
        assert math.isinf(line.limit)


def test_the_tightest_topic_is_told() -> None:
    text = """\
topics:
  - {name: small, partitions: 1, max_record_size: 900KB, config: {max.message.bytes: 1000000}}
  - {name: large, partitions: 1, max_record_size: 1MB, config: {max.message.bytes: 5000000}}
"""
    line = line_of("topic-batch-bytes", kcheck=text)
    assert (line.limit, line.used, line.whose) == (1_000_000, 900_000, "small")
    assert line.limit_text == "1,000,000 B … 5,000,000 B"
    assert {whose for whose, _ in line.values} == {"small", "large"}


def test_brokers_that_differ() -> None:
    kraft = "process.roles=broker\ncontroller.quorum.voters=9@c:9093\nlisteners=PLAINTEXT://:9092\n"
    line = line_of(
        "io-threads",
        one_properties=f"node.id=1\n{kraft}num.io.threads=8\n",
        two_properties=f"node.id=2\n{kraft}num.io.threads=16\n",
    )
    assert line.limit_text == "8 … 16"
    assert [value.number for _, value in line.values] == [8, 16]


def test_a_default_that_hangs_on_the_version() -> None:
    text = "cluster: {brokers: 3}\n" + TOPICS
    line = line_of("recovery-threads", kcheck=text)
    assert line.limit_text == "?"
    assert line.missing == ["kafka_version"]
    assert line.default == "1 (≤3.9) … 2 (4.0+)"


def test_a_service_sets_its_brokers_itself() -> None:
    line = line_of(
        "queued-requests", kcheck="cluster: {service: confluent-cloud, brokers: 3}\n" + TOPICS
    )
    assert line.limit_text == "?"
    assert line.notes == ["set by confluent-cloud"]


def test_another_library_has_names_of_its_own() -> None:
    text = "producers: [{name: c, client: {library: librdkafka, version: '2.3'}, config: {%s}}]\n"
    line = line_of("producer-request-bytes", kcheck=text % "message.max.bytes: 2000000")
    assert (line.limit, line.values[0][1].key) == (2_000_000, "message.max.bytes")
    line = line_of("producer-buffer", kcheck=text % "message.max.bytes: 2000000")
    assert line.limit_text == "-"
    assert "no such setting" in line.notes[0]
    assert line.missing == []


def test_a_producers_buffer_against_its_partitions() -> None:
    text = TOPICS + "producers: [{name: shop, topics: [orders], config: {batch.size: 1048576}}]\n"
    line = line_of("producer-buffer", kcheck=text)
    assert (line.limit, line.used) == (32 * 2**20, 60 * 2**20)
    assert line.state == OVER


def test_members_of_one_group() -> None:
    text = """\
cluster: {brokers: 3, config: {group.max.size: 100}}
consumers:
  - {name: a, instances: 30, config: {group.id: g}}
  - {name: b, instances: 40, config: {group.id: g}}
  - {name: c, instances: 60, config: {group.id: h}}
"""
    line = line_of("group-size", kcheck=text)
    assert (line.limit, line.used, line.whose) == (100, 70, "g")


def test_quotas_are_told() -> None:
    text = WHOLE + "quotas: [{client_id: loader, producer_byte_rate: 10MB/s}]\n"
    line = line_of("producer-quota", kcheck=text)
    assert line.limit == 10_000_000
    assert line.limit_text == "10 MB/s"


@pytest.mark.parametrize(
    ("spoken", "used", "note"),
    [("SSL", 5 * 122_000 + 2 * 122_000, ""), ("PLAINTEXT", 0, "no listener uses TLS")],
)
def test_tls_takes_memory(spoken: str, used: float, note: str) -> None:
    text = WHOLE.replace(
        "  brokers: 3\n", f"  brokers: 3\n  config: {{listeners: '{spoken}://:9093'}}\n"
    )
    line = line_of("tls-memory", kcheck=text + "producers: [{name: shop, instances: 5}]\n")
    assert line.used == used
    assert note in [*line.notes, ""]

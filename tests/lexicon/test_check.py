"""The verdicts on a whole resource, and that remembering them changes nothing."""

from __future__ import annotations

from kcheck.lexicon.check import assay
from kcheck.model import START, Resource, Setting
from kcheck.version import UNKNOWN, Version


def resource(kind: str, plane: str = "", **settings: str | None) -> Resource:
    made = Resource(kind, "x", "x.properties", START, plane)
    for name, text in settings.items():
        key = name.replace("_", ".")
        made.settings[key] = Setting(key, text, made.path, START)
    return made


def kinds(made: Resource, version: Version = UNKNOWN) -> list[str]:
    found = assay(made, version)
    return [n.kind for _, n in found.names] + [f.kind for _, f in found.values]


def test_one_resource_in_two_versions() -> None:
    made = resource("broker", zookeeper_connect="zk:2181", log_segment_bytes="2000")
    assert kinds(made, Version("3.9")) == []
    assert kinds(made, Version("4.0")) == ["gone", "range"]
    assert kinds(made, Version("3.9")) == []


def test_one_key_on_two_planes() -> None:
    assert kinds(resource("topic", retention_ms="5000")) == []
    assert kinds(resource("broker", retention_ms="5000")) == ["foreign"]
    assert kinds(resource("broker", "topic", retention_ms="5000")) == []


def test_one_key_with_two_texts() -> None:
    assert kinds(resource("topic", min_insync_replicas="0")) == ["range"]
    assert kinds(resource("topic", min_insync_replicas="1")) == []
    assert kinds(resource("topic", min_insync_replicas=None)) == []


def test_static_and_dynamic_values() -> None:
    made = resource("broker", follower_replication_throttled_rate="5")
    assert kinds(made) == ["dynamic"]
    moved = resource("broker")
    moved.dynamic = made.settings
    assert kinds(moved) == []


def test_the_prefixes_of_tiered_storage_are_the_resources_own() -> None:
    plain = resource("broker", tier_log_dirss="x", log_tier_x="y")
    assert kinds(plain) == ["unknown"]
    own = resource("broker", log_tier_x="y", remote_log_storage_manager_impl_prefix="log.tier.")
    assert kinds(own) == []


def test_other_dialects_and_planes_without_tables() -> None:
    made = resource("producer", acks="7")
    assert kinds(made) == ["range"]
    made = resource("producer", acks="7")
    made.dialect = "librdkafka"
    assert kinds(made) == []
    assert kinds(resource("mirror", acks="7")) == []


def test_workers_without_a_plane_are_distributed_ones() -> None:
    assert kinds(resource("worker", group_id="a", max_request_size="1")) == ["foreign"]

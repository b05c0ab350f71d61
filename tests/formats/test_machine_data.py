"""Maps of brokers' keys in the data of Chef, Salt and Puppet."""

from __future__ import annotations

import json

import pytest
from spans import under

from kcheck import formats
from kcheck.model import FAILED, PASSED_OVER, READ, SKIPPED, Document

PILLAR = """\
kafka:
  version: 2.8.0
  config:
    broker.id: 1
    log_dirs: [/a, /b]
    min.insync.replicas: 1
  clients:
    acks: all
    linger.ms: 5
other:
  config: {broker.id: 7, num.io.threads: 3}
"""


def read(text: str, path: str = "pillar/kafka.sls") -> Document:
    return formats.read(path, text.encode(), lambda _: None)


def values(document: Document) -> list[dict[str, str | None]]:
    return [{k: one.text for k, one in r.settings.items()} for r in document.resources]


def test_a_pillar_of_salt() -> None:
    document = read(PILLAR)
    assert (document.status, document.format) == (READ, "salt-pillar")
    assert values(document) == [{"broker.id": "1", "log.dirs": "/a,/b", "min.insync.replicas": "1"}]
    (broker,) = document.resources
    assert (broker.kind, broker.traits.partial) == ("broker", True)
    assert under(PILLAR, broker.settings["min.insync.replicas"].at) == "1"


@pytest.mark.parametrize("head", ["default_attributes", "override_attributes", "normal"])
def test_attributes_of_chef(head: str) -> None:
    kafka = {"broker": {"broker_id": 2, "num.io.threads": 9, "zookeeper": {"connect": "z:1"}}}
    text = json.dumps({"name": "n", "run_list": [], head: {"my-kafka": kafka}})
    document = read(text, "nodes/n.json")
    assert document.format == "chef-attributes"
    assert values(document) == [{"broker.id": "2", "num.io.threads": "9"}]


def test_hashes_of_hiera() -> None:
    text = (
        "profile::kafka::props:\n  offsets.topic.replication.factor: 1\n  log.retention.hours: 24\n"
    )
    document = read(text, "data/common.yaml")
    assert document.format == "puppet-hiera"
    assert values(document) == [
        {"offsets.topic.replication.factor": "1", "log.retention.hours": "24"}
    ]


@pytest.mark.parametrize(
    "text",
    [
        # Of topics or clients, with one key alone, or not below a name of Kafka's.
        "kafka:\n  topic: {retention.ms: 1, min.insync.replicas: 2} # broker\n",
        "kafka:\n  broker: {broker.id: 1}\n",
        "app: {broker.id: 1, num.io.threads: 2} # kafka\n",
        "kafka: [broker.id, log.dirs]\n",
        "kafka: broker\n",
    ],
)
def test_what_is_no_map_of_a_broker(text: str) -> None:
    document = read(text)
    assert (document.status, document.resources) == (PASSED_OVER, [])


def test_a_template_is_told() -> None:
    document = read(PILLAR.replace("id: 1", "id: {{ grains.id }}"))
    assert (document.status, document.resources) == (SKIPPED, [])
    assert document.reason.startswith("an unrendered template")


def test_broken_yaml_is_told_at_its_place() -> None:
    document = read("kafka: [broker.id\n  x: 1\n")
    assert document.status == FAILED
    assert document.problems[0].at[0] == 2


def test_deep_nesting_ends() -> None:
    text = (
        "kafka:\n"
        + "".join(f"{' ' * n}a{n}:\n" for n in range(1, 60))
        + " " * 60
        + "broker.id: 1\n"
    )
    assert read(text).resources == []


MANIFEST = """\
# 'broker.id' => 9, and a listeners of no hash's
class kafka::params($dir = '/data') {
  if $x == '{' { $y = { 'a' => { 'b' => 1 } } }
  $defaults = {
    'broker.id'         => 3,        # a note
    'log.dirs'          => "${dir}/logs",
    "num.partitions"    => '6',
    'zookeeper.connect' => join($nodes, ','),
    'min.insync.replicas' => $lax ? { true => 1, default => 2 },
    'listeners'         => '',
    'log.roll.hours'    => undef,
    'broker.rack'       => 'it\\'s',
    'delete.topic.enable' => true,
    'num.io.threads' => { 'value' => 4 },
    'advertised.listeners' => ['A://a:1', 'B://a:2'],
  }
  class { 'kafka::broker': config => { 'broker.id' => '7', 'num.network.threads' => $n }, }
}
"""


def test_hashes_of_a_manifest() -> None:
    document = read(MANIFEST, "manifests/params.pp")
    assert (document.status, document.format) == (READ, "puppet-manifest")
    assert values(document) == [
        {
            "broker.id": "3",
            "log.dirs": None,
            "num.partitions": "6",
            "zookeeper.connect": None,
            "min.insync.replicas": None,
            "broker.rack": "it's",
            "delete.topic.enable": "true",
            "num.io.threads": "4",
            "advertised.listeners": None,
        },
        {"broker.id": "7", "num.network.threads": None},
    ]
    first = document.resources[0].settings
    assert under(MANIFEST, first["num.partitions"].at) == "6"
    assert under(MANIFEST, first["broker.id"].key_at) == "broker.id"
    assert [one.key for one in document.extent.weighed] == ["listeners"]


@pytest.mark.parametrize(
    "text",
    [
        "$a = { 'broker.id' => {" * 200,
        "$a = { 'broker.id' =>",
        "$a = { 'broker.id' => 1, 'num.io.threads' => 'open",
        "$a = { 'broker.id' => \"" + "\\\\" * 50_000,
        "/*" * 20_000 + "broker.id => {",
        "'broker.id' => 1, 'log.dirs' => 2 } } ) ]",
    ],
)
def test_manifests_that_are_none(text: str) -> None:
    document = read(text, "a.pp")
    assert all(one.kind == "broker" for one in document.resources)


def test_an_edit_of_a_manifest() -> None:
    text = "$kafka = {\n  'broker.id' => 1,\n  'num.partitions' => 'two',\n}\n"
    (broker,) = read(text, "a.pp").resources
    assert under(text, broker.settings["num.partitions"].at) == "two"

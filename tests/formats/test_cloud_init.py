"""cloud-init: files that machines are given, and commands that run on them."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.model import FAILED, PASSED_OVER, READ, Document

TEXT = """\
#cloud-config
write_files:
  - path: /opt/kafka/config/server.properties
    content: |
      broker.id=1
      zookeeper.connect=zk:2181
      min.insync.replicas=1
  - path: /opt/kafka/config/producer.properties
    encoding: b64
    content: YWNrcz0x
  - {path: /etc/motd, content: hello}
runcmd:
  - [/opt/kafka/bin/kafka-topics.sh, --create, --topic, orders, --partitions, "3", --replication-factor, "1", --bootstrap-server, "localhost:9092"]
  - kafka-topics.sh --create --topic pay --partitions 6 --replication-factor 2 --bootstrap-server localhost:9092
"""


def read(text: str, path: str = "user-data.yaml") -> Document:
    return formats.read(path, text.encode(), lambda _: None)


@pytest.mark.parametrize(
    "path", ["user-data.yaml", "cloud-init.cfg", "infra/user-data", "cloud-config.yml"]
)
def test_files_and_commands_are_read(path: str) -> None:
    document = read(TEXT, path)
    assert (document.status, document.format, document.problems) == (READ, "cloud-init", [])
    broker, *topics = document.resources
    assert (broker.kind, broker.traits.partial) == ("broker", True)
    setting = broker.settings["min.insync.replicas"]
    assert (setting.text, setting.path, setting.at) == ("1", path, (7, 27, 7, 28))
    assert sorted((one.name, one.facts["partitions"].text) for one in topics) == [
        ("orders", "3"),
        ("pay", "6"),
    ]


def test_a_template_of_terraforms_is_read_as_far_as_it_is_literal() -> None:
    text = "## template: jinja\n" + TEXT.replace("replicas=1", "replicas=${isr}")
    (broker, *_) = read(text).resources
    assert broker.settings["min.insync.replicas"].text is None
    assert broker.settings["broker.id"].text == "1"


def test_other_cloud_configs_are_nobodys() -> None:
    assert read("#cloud-config\npackages: [kafka]\n").format is None
    assert read("# a comment\n" + TEXT).format != "cloud-init"


def test_broken_yaml_is_told_at_its_place() -> None:
    document = read("#cloud-config\nwrite_files: [\n  x: kafka-topics\n")
    assert document.status == FAILED
    assert document.problems[0].at[0] == 4


@pytest.mark.parametrize(
    "rest",
    [
        "write_files: 1",
        "write_files: [1, {}, {path: [a]}, {path: /x.properties, content: {}}]",
        "runcmd: kafka-topics",
        "runcmd: [[], [[]], {a: kafka-topics}]",
    ],
)
def test_other_shapes_are_survived(rest: str) -> None:
    document = read(f"#cloud-config\n# kafka-\n{rest}\n")
    assert (document.status, document.resources) == (PASSED_OVER, [])

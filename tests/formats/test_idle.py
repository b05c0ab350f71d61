"""Files that nothing applies at present: what says so, and what does not."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.folder_names import FolderNames

TOPIC = b"""\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: orders}
spec: {partitions: 3, replicas: 3, config: {retention.ms: 1000}}
"""


def condition(path: str, **others: str) -> str:
    """What must hold for a topic's file to matter, beside other files of the project."""
    there = {name.replace("__", "/") + ".yaml": text.encode() for name, text in others.items()}
    document = formats.read(path, TOPIC, {path: TOPIC, **there}.get)
    (topic,) = document.resources
    return topic.traits.idle


UNLISTED = "if k8s/orders.yaml is applied, although k8s/kustomization.yaml does not list it"


@pytest.mark.parametrize(
    ("kustomization", "expected"),
    [
        ("resources: [refunds.yaml]", UNLISTED),
        ("resources:\n  - refunds.yaml\n  # - orders.yaml\n", UNLISTED),
        ("resources: [refunds.yaml, orders.yaml]", ""),
        ("resources: [refunds.yaml]\npatches: [{path: orders.yaml}]", ""),
        ("resources: [refunds.yaml]\nconfigMapGenerator: [{name: a, files: [orders.yaml]}]", ""),
        ("resources: [../base]", ""),
        ("resources: [kafka]", ""),
        ("resources: []", ""),
        ("resources: [refunds.yaml", ""),
        ("[", ""),
    ],
)
def test_a_kustomization_that_lists_other_files_of_the_folder(
    kustomization: str, expected: str
) -> None:
    assert condition("k8s/orders.yaml", k8s__kustomization=kustomization) == expected


def test_a_kustomization_of_a_folder_above_may_list_it() -> None:
    there = {"k8s__kustomization": "resources: [topics/refunds.yaml]"}
    assert "k8s/kustomization.yaml" in condition("k8s/topics/orders.yaml", **there)
    there = {"k8s__kustomization": "resources: [topics/refunds.yaml, topics/orders.yaml]"}
    there["k8s__topics__kustomization"] = "resources: [refunds.yaml]"
    assert condition("k8s/topics/orders.yaml", **there) == ""


@pytest.mark.parametrize(
    ("path", "parked"),
    [
        ("backups/orders.yaml", True),
        ("deploy/_old/k8s/orders.yaml", True),
        ("Archive/orders.yaml", True),
        ("orders.yaml", False),
        ("backup.yaml", False),
        ("old-kafka/orders.yaml", False),
        ("archive/src/main/resources/orders.yaml", False),
    ],
)
def test_folders_of_what_is_no_longer_in_use(path: str, parked: bool) -> None:
    assert bool(condition(path)) is parked


def test_a_connector_of_an_archive_is_in_use() -> None:
    data = b'{"name": "a", "config": {"connector.class": "FileStreamSink", "topics": "a"}}'
    document = formats.read("archive/sink.json", data, {}.get)
    assert [one.traits.idle for one in document.resources] == [""]


NODE = b"""\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@k1:9093
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
"""
START = "exec /opt/kafka/bin/kafka-server-start.sh %s"
IMAGE = """\
FROM apache/kafka:3.8.0
COPY docker/start.sh /start.sh
COPY /docker/kraft.properties /opt/kafka/config/kraft/server.properties
ENTRYPOINT ["/start.sh"]
"""
OTHER = "/opt/kafka/config/server.properties"
UNSTARTED = (
    "if docker/kraft.properties is started, although the image of docker/Dockerfile.kafka starts "
    f"{OTHER}"
)


def started(start: str, image: str = IMAGE, more: str = "") -> str:
    """What must hold for a node's file to matter that an image has."""
    there = {
        "docker-compose.yml": f"services:\n  kafka:\n    build:\n      dockerfile: docker/Dockerfile.kafka\n{more}",
        "docker/Dockerfile.kafka": image,
        "docker/start.sh": start,
    }
    path = "docker/kraft.properties"
    files = {path: NODE, **{name: text.encode() for name, text in there.items()}}
    (broker,) = formats.read(path, NODE, files.get).resources
    return broker.traits.idle


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (START % OTHER, UNSTARTED),
        (START % f"-daemon {OTHER}", UNSTARTED),
        (START % "/opt/kafka/config/kraft/server.properties", ""),
        (START % "$CONFIG", ""),
        (START % "config/server.properties", ""),
        (f"{START % OTHER} # or config/kraft/server.properties", ""),
        ("exec /opt/kafka/bin/other.sh", ""),
    ],
)
def test_an_image_that_starts_another_file(start: str, expected: str) -> None:
    assert started(start) == expected


def test_an_image_that_does_not_say_what_it_starts() -> None:
    assert started(START % OTHER, IMAGE.replace('ENTRYPOINT ["/start.sh"]', "")) == ""
    assert started(START % OTHER, IMAGE.replace("COPY /docker/kraft", "COPY /docker/k")) == ""
    assert started(START % OTHER, IMAGE.replace("FROM", "#")) == ""


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("command: kafka-server-start /opt/kafka/config/kraft/server.properties", ""),
        ("command: kafka-server-start /opt/kafka/config/other.properties", UNSTARTED),
    ],
)
def test_a_compose_file_of_another_name_may_start_it(named: str, expected: str) -> None:
    path = "docker/kraft.properties"
    files = {
        path: NODE,
        "docker-compose.yml": b"services:\n  k:\n    build:\n      dockerfile: docker/Dockerfile.kafka\n",
        "docker-compose-kraft.yml": named.encode(),
        "docker/Dockerfile.kafka": IMAGE.encode(),
        "docker/start.sh": (START % OTHER).encode(),
    }
    names = FolderNames(files)

    def lookup(asked: str) -> bytes | None:
        folder = not asked or asked.endswith("/")
        return names.of(asked.rstrip("/")) if folder else files.get(asked)

    (broker,) = formats.read(path, NODE, lookup).resources
    assert broker.traits.idle == expected

"""Charts that scripts and steps of pipelines install with Helm."""

from __future__ import annotations

import textwrap

import pytest

from kcheck import formats
from kcheck.model import Document, Resource


def _read(text: str, path: str = "install.sh", **files: str) -> Document:
    held = {name.replace("__", "/"): text for name, text in files.items()}
    found = {f"{name}.yaml": textwrap.dedent(text).encode() for name, text in held.items()}
    return formats.read(path, textwrap.dedent(text).encode(), found.get)


def _brokers(document: Document) -> list[Resource]:
    return [one for one in document.resources if one.kind == "broker"]


def test_values_that_are_set() -> None:
    (broker,) = _brokers(
        _read(
            """\
            helm repo add bitnami https://charts.bitnami.com/bitnami
            helm upgrade --install events bitnami/kafka --version 22.1.1 -n data --wait \\
              --set replicaCount=3,offsetsTopicReplicationFactor=1 --set=deleteTopicEnable=true
            """
        )
    )
    assert broker.settings["offsets.topic.replication.factor"].text == "1"
    assert broker.settings["offsets.topic.replication.factor"].at == (3, 54, 3, 55)
    assert broker.settings["delete.topic.enable"].text == "true"
    assert broker.facts["replicas"].text == "3"
    assert broker.traits.namespace == "data"


def test_the_defaults_of_a_chart_that_is_told() -> None:
    """The chart of Confluent, whose values are all there: of Helm 2, and with a key's own dots."""
    (broker,) = _brokers(
        _read(
            r"""
            helm install --name trial --set cp-kafka.brokers=1 \
              --set "cp-kafka.configurationOverrides.default\.replication\.factor=1" \
              confluentinc/cp-helm-charts
            """
        )
    )
    assert broker.settings["default.replication.factor"].text == "1"
    assert broker.image["offsets.topic.replication.factor"].text == "3"
    assert not broker.traits.partial


def test_files_of_values_lie_below_what_is_set() -> None:
    document = _read(
        "helm install kafka bitnami/kafka -f kafka.yaml --set offsetsTopicReplicationFactor=2\n",
        "deploy/install.sh",
        deploy__kafka="""\
            replicaCount: 2
            offsetsTopicReplicationFactor: 3
            zookeeper: {enabled: false}
            """,
    )
    (broker,) = _brokers(document)
    assert broker.settings["offsets.topic.replication.factor"].text == "2"
    assert broker.facts["replicas"].text == "2"
    assert (broker.facts["replicas"].path, broker.facts["replicas"].at[0]) == (
        "deploy/kafka.yaml",
        1,
    )


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("--reuse-values", id="values of the release that is there"),
        pytest.param("-f missing.yaml", id="a file that is not there"),
        pytest.param("-f $FILE", id="a file that the shell names"),
        pytest.param("--set cp-kafka.imageTag=$TAG", id="a value that the shell fills in"),
        pytest.param("--set 'extraVolumes={a,b}'", id="a list"),
        pytest.param("--set-file config=server.properties", id="a value from a file"),
    ],
)
def test_what_is_unknown_leaves_the_broker_open(more: str) -> None:
    (broker,) = _brokers(
        _read(
            f"helm upgrade c confluentinc/cp-helm-charts --set cp-kafka.brokers=2 {more} # kafka\n"
        )
    )
    assert broker.traits.partial
    assert broker.facts["replicas"].text == "2"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("echo helm install kafka bitnami/kafka --set replicaCount=1", id="printed"),
        pytest.param("helm install kafka bitnami/kafka", id="no value"),
        pytest.param("helm list -f kafka --set a=b", id="another command"),
        pytest.param("helm install kafka-ui kafbat/kafka-ui --set a=b", id="another chart"),
        pytest.param(
            "helm install kafka own/cp-helm-charts --set cp-kafka.brokers=1", id="a fork of a chart"
        ),
        pytest.param("helm install --set", id="no argument"),
        pytest.param("helm install kafka x/kafka --set", id="no argument of the last option"),
        pytest.param("helm install kafka x/kafka --set =1,,a[=2,[0]=1", id="no route"),
        pytest.param("helm", id="no command"),
    ],
)
def test_what_tells_nothing(text: str) -> None:
    assert _brokers(_read(f"# kafka\n{text}\n")) == []


def test_steps_of_a_pipeline() -> None:
    (broker,) = _brokers(
        _read(
            """\
            jobs:
              test:
                steps:
                  - run: |
                      helm upgrade --install kafka bitnami/kafka --version 22.1.1 \\
                        --set replicaCount=1 \\
                        --set offsetsTopicReplicationFactor=3
            """,
            ".github/workflows/e2e.yml",
        )
    )
    assert broker.settings["offsets.topic.replication.factor"].at == (7, 49, 7, 50)


def test_recipes_of_make() -> None:
    (broker,) = _brokers(
        _read(
            "kafka:\n\thelm install kafka bitnami/kafka --set offsetsTopicReplicationFactor=3\n",
            "Makefile",
        )
    )
    assert broker.settings["offsets.topic.replication.factor"].text == "3"


def test_what_values_say_of_processes_stands_in_their_file() -> None:
    """And the file is found where kcheck is given an absolute path."""
    held = {"/srv/deploy/kafka.yaml": b"replicaCount: 3\nadvertisedListeners: PLAINTEXT://k:9092\n"}
    told = b"helm install events bitnami/kafka --version 20.0.0 -f kafka.yaml\n"
    document = formats.read("/srv/deploy/install.sh", told, held.get)
    (process,) = document.processes
    replicas, address = process.replicas, process.identity
    assert replicas is not None
    assert address is not None
    assert (replicas.path, replicas.at) == ("/srv/deploy/kafka.yaml", (1, 15, 1, 16))
    assert (address.path, address.at[0]) == ("/srv/deploy/kafka.yaml", 2)
    assert process.path == "/srv/deploy/kafka.yaml"

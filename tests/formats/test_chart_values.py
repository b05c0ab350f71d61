"""Values that the release of a chart does not read: where the release is told, and where not."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.folder_names import FolderNames
from kcheck.formats.helm import chart_values
from kcheck.model import Document


def read(path: str, files: dict[str, str]) -> Document:
    held = {name: text.encode() for name, text in files.items()}
    folders = FolderNames(held)
    return formats.read(
        path,
        held[path],
        lambda name: folders.of(name[:-1]) if name.endswith("/") else held.get(name),
    )


def told(document: Document) -> list[str]:
    return [
        note.message
        for resource in document.resources
        for note in resource.notes
        if note.code == chart_values.CODE
    ]


@pytest.mark.parametrize(
    ("version", "low", "high"),
    [
        ("32.1.3", (32, 1), (32, 2)),
        ("~32.1.0", (32, 1), (32, 2)),
        ("^26.4.0", (26, 4), (27, 0)),
        ("28.x.x", (28, 0), (29, 0)),
        ("v31", (31, 0), (32, 0)),
        (">=24.0.0", (24, 0), chart_values._LAST),
    ],
)
def test_the_releases_of_a_range(version: str, low: object, high: object) -> None:
    found = chart_values.releases("chart", version)
    assert found is not None
    assert (found.low, found.high, found.told) == (low, high, f"chart {version}")


@pytest.mark.parametrize(
    "version", ["", "*", "<24", ">=24 <26", "1.2 || 3", "{{ version }}", "x" * 9]
)
def test_a_range_that_may_be_anything_tells_nothing(version: str) -> None:
    assert chart_values.releases("chart", version) is None


VALUES = """\
replicaCount: 3
listeners:
  client: {containerPort: 9092, protocol: PLAINTEXT}
offsetsTopicReplicationFactor: 3
defaultReplicationFactor: 3
"""
SCRIPT = """\
#!/bin/sh
helm -n streams upgrade --install kafka bitnami/kafka \\
  -f ./values.yaml --version %s
"""


def test_a_script_tells_the_release() -> None:
    files = {"kafka/values.yaml": VALUES, "kafka/install.sh": SCRIPT % "18.3.1"}
    assert told(read("kafka/values.yaml", files)) == [
        "Bitnami's chart 18.3.1 expects a list of listeners in listeners; the mapping came with 24.0"
    ]
    files["kafka/install.sh"] = SCRIPT % "18.3.1" + SCRIPT % "25.0.0"  # which of them nobody knows
    messages = told(read("kafka/values.yaml", files))
    assert len(messages) == 3 and "replicaCount" in messages[0]


def test_a_script_above_names_the_file_by_its_route() -> None:
    script = "helm install kafka bitnami/kafka --values=kafka/values.yaml --version=18.3.1"
    files = {"kafka/values.yaml": VALUES, "Makefile": f"up:\n\t{script}\n"}
    assert len(told(read("kafka/values.yaml", files))) == 1
    files["Makefile"] = files["Makefile"].replace("bitnami/kafka ", "bitnami/kafka-ui ")
    assert "18.3.1" not in " ".join(told(read("kafka/values.yaml", files)))


CHART = """\
apiVersion: v2
name: platform
version: 0.1.0
dependencies: [{name: kafka, version: "%s", repository: "https://charts.bitnami.com/bitnami"}]
"""
INNER = """\
kafka:
  zookeeper: {enabled: true}
  extraConfig: |
    min.insync.replicas=2
"""


def test_a_lock_tells_what_a_range_was() -> None:
    files = {"values.yaml": INNER, "Chart.yaml": CHART % ">=26"}
    assert told(read("values.yaml", files)) == []
    files["Chart.lock"] = CHART % "32.1.0"
    assert len(told(read("values.yaml", files))) == 2


def test_values_that_a_template_around_the_chart_reads() -> None:
    files = {"values.yaml": INNER, "Chart.yaml": CHART % "32.1.0"}
    (zookeeper, _) = told(read("values.yaml", files))
    assert zookeeper.startswith("Bitnami's chart 32.1.0 does not read zookeeper.enabled")
    document = read("values.yaml", files)
    assert "min.insync.replicas" not in document.resources[0].settings
    files["templates/check.yaml"] = "{{ if .Values.kafka.zookeeper.enabled }}x: 1{{ end }}"
    assert told(read("values.yaml", files)) == []


@pytest.mark.parametrize(
    ("pools", "told"),
    [
        ("controller: {replicaCount: 1, overrideConfiguration: {min.insync.replicas: 2}}", "2"),
        ("controller: {replicaCount: 1, config: 'min.insync.replicas=2'}\n  broker: {replicaCount: 0}", "2"),
        ("controller: {controllerOnly: true}\n  broker: {overrideConfiguration: {min.insync.replicas: 2}}", "2"),
        # Two kinds of brokers, and what that release does not read.
        ("controller: {overrideConfiguration: {min.insync.replicas: 2}}\n  broker: {replicaCount: 3}", None),
        ("controller: {replicaCount: 1, extraConfig: {min.insync.replicas: 2}}", None),
    ],
)  # fmt: skip
def test_what_the_only_pool_of_brokers_has_of_its_own(pools: str, told: str | None) -> None:
    files = {
        "values.yaml": f"kafka:\n  image: {{repository: bitnami/kafka}}\n  {pools}\n",
        "Chart.yaml": CHART % "32.1.0",
    }
    (broker, *_) = read("values.yaml", files).resources
    found = broker.settings.get("min.insync.replicas")
    assert (found.text if found is not None else None) == told


def test_what_stands_in_both_places_is_for_both_releases() -> None:
    values = (
        INNER + "  overrideConfiguration: {min.insync.replicas: 2}\n  zookeeper: {enabled: false}\n"
    )
    files = {"values.yaml": values.replace("  zookeeper: {enabled: true}\n", "", 1)}
    assert told(read("values.yaml", {**files, "Chart.yaml": CHART % "32.1.0"})) == []


def test_a_value_beside_the_dependencies_that_a_template_reads() -> None:
    values = "kafka:\n  controller: {replicaCount: 3}\nextraConfig: a=b\n"
    files = {"values.yaml": values, "Chart.yaml": CHART % "28.3.0"}
    assert [one.code for one in read("values.yaml", files).problems] == ["KC0029"]
    files["templates/more.yaml"] = "data: {{ .Values.extraConfig | quote }}"
    assert not read("values.yaml", files).problems


def test_a_broken_chart_beside_is_no_fault_of_the_values() -> None:
    files = {"values.yaml": INNER, "Chart.yaml": "dependencies: [{name: kafka", "Chart.lock": "- ["}
    assert told(read("values.yaml", files)) == []


INSTALL = """\
#!/bin/bash
NS=kafka
helm upgrade --install kafka bitnami/kafka --version 26.3.2 -n $NS --create-namespace \\
  --set replicaCount=1 --wait \\
  --set listeners.client.protocol=PLAINTEXT,auth.enabled=false \\
  --set-string "extraConfig=min.insync.replicas=$ISR" --set controller.heapOpts=-Xmx1g
"""


def test_single_values_of_a_command() -> None:
    document = read("install.sh", {"install.sh": INSTALL})
    (broker,) = document.resources
    assert told(document) == [
        "Bitnami's chart 26.3.2 does not read replicaCount, which 24.0 removed",
        "Bitnami's chart 26.3.2 does not read auth.enabled, which 12.12 removed",
    ]
    assert [note.setting.key_at for note in broker.notes] == [(4, 9, 4, 21), (5, 45, 5, 57)]
    assert broker.notes[1].fix == "set listeners.client.protocol"
    assert (broker.name, broker.traits.namespace) == ("kafka", "kafka")
    assert broker.facts["heap"].amount == 1 << 30
    least = broker.settings.get("min.insync.replicas")
    assert least is None or least.text is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bitnami/kafka", "./charts/kafka"),
        ("bitnami/kafka", "$CHART"),
        ("helm upgrade", "echo helm upgrade"),
        ("bitnami/kafka", ""),
    ],
)
def test_commands_that_say_nothing_by_themselves(old: str, new: str) -> None:
    assert not read("install.sh", {"install.sh": INSTALL.replace(old, new)}).resources


def test_values_of_a_command_that_are_no_routes() -> None:
    sets = "--set '' --set a --set '=b,,=' --set 'a[=1' --set 'extraConfig={a,b},replicaCount=2'"
    text = INSTALL.partition("  --set")[0] + f"  {sets}\n"
    assert len(told(read("install.sh", {"install.sh": text}))) == 1

"""Argo CD's ApplicationSets: what their generators put into the values of a chart."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.folder_names import FolderNames
from kcheck.model import Document

SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: kafka}
spec:
  generators: GENERATORS
  template:
    metadata: {name: "kafka-{{cluster}}"}
    spec:
      source:
        chart: kafka
        helm:
          values: |
            extraConfig: |
              min.insync.replicas={{ .kafka.isr }}
            controller: {replicaCount: 3}
"""
LIST = "[{list: {elements: [{cluster: dev, kafka: {isr: 1}}, {cluster: prod, kafka: {isr: 2}}]}}]"
FILES = {
    "envs/dev/kafka.json": '{"cluster": "dev", "kafka": {"isr": "1"}}',
    "envs/prod/kafka.json": '{"cluster": "prod", "kafka": {"isr": "2"}}',
    "envs/prod/other.json": "{}",
}


def read(generators: str, text: str = SET) -> Document:
    text = text.replace("GENERATORS", generators)
    held = {path: one.encode() for path, one in {**FILES, "set.yaml": text}.items()}
    folders = FolderNames(held)
    return formats.read(
        "set.yaml",
        text.encode(),
        lambda path: folders.of(path[:-1]) if path.endswith("/") else held.get(path),
    )


def values(document: Document) -> list[tuple[str | None, str | None]]:
    return [(one.cluster, one.settings["min.insync.replicas"].text) for one in document.resources]


@pytest.mark.parametrize(
    "generators",
    [
        LIST,
        "[{git: {files: [{path: 'envs/*/kafka.json'}]}}]",
        "[{git: {files: [{path: envs/dev/kafka.json}, {path: 'envs/prod/k*.json'}]}}]",
        "[{matrix: {generators: [{list: {elements: [{cluster: dev}, {cluster: prod}]}},"
        " {git: {files: [{path: 'envs/{{cluster}}/kafka.json'}]}}]}}]",
        "[{matrix: {generators: [{clusters: {}}, " + LIST[1:-1] + "]}}]",
        "[{matrix: {generators: [" + LIST[1:-1] + ", {pullRequest: {}}]}}]",
    ],
)
def test_each_application_has_its_values(generators: str) -> None:
    document = read(generators)
    assert values(document) == [("kafka-dev", "1"), ("kafka-prod", "2")]
    first = document.resources[0].settings["min.insync.replicas"]
    assert (first.path, first.at[:2]) == ("set.yaml", (14, 35))


@pytest.mark.parametrize(
    "generators",
    [
        "[{clusters: {}}]",
        "[{list: {elements: []}}, {pullRequest: {}}]",
        "[{matrix: {generators: [{clusters: {}}, {pullRequest: {}}]}}]",
        "[{matrix: {generators: [{list: {elements: [{cluster: a}]}}]}}]",
        "[{matrix: {generators: [1, []]}}]",
        "[{git: {directories: [{path: '*'}]}}]",
        "[{git: {files: [{path: 'absent/*.json'}]}}]",
        "[{git: {files: [{path: '../*.json'}]}}]",
        "[{list: {elements: [1, [], {cluster: [x]}]}}]",
    ],
)
def test_what_others_give_is_unknown(generators: str) -> None:
    assert {text for _, text in values(read(generators))} <= {None}


def test_a_value_that_is_worked_out_is_unknown() -> None:
    text = SET.replace("{{ .kafka.isr }}", "{{ .kafka.isr | int }}")
    assert {text for _, text in values(read(LIST, text))} == {None}


def test_each_of_one_generator_with_each_of_another() -> None:
    crossed = (
        "[{matrix: {generators: [{list: {elements: [{cluster: a}, {cluster: b}]}},"
        " {list: {elements: [{kafka: {isr: 1}}, {kafka: {isr: 2}}]}}]}}]"
    )
    assert [text for _, text in values(read(crossed))] == ["1", "2", "1", "2"]
    many = ", ".join(f"{{cluster: c{at}}}" for at in range(60))
    assert len(read(crossed.replace("{cluster: a}, {cluster: b}", many)).resources) <= 50

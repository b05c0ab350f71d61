"""Folders that GitOps applies with changes of its own: Flux' Kustomization, Argo CD's Application."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.folder_names import FolderNames
from kcheck.formats import Lookup
from kcheck.model import Document, Framed
from kcheck.settings import Settings

TOPIC = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: orders}
spec:
  partitions: 3
  config:
    min.insync.replicas: 2
    retention.ms: ${retention:=5}
    max.message.bytes: ${bytes}
"""
PATCH = """\
patches:
  - target: {kind: KafkaTopic, name: orders}
    patch: |-
      - op: replace
        path: /spec/config/min.insync.replicas
        value: 1
"""
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  path: ./apps/kafka
  prune: true
"""
ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: kafka}
spec:
  source:
    path: apps/kafka
    kustomize:
"""
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {bytes: '1000', retention: '7'}\n"
FILES = {"apps/kafka/kustomization.yaml": "resources: [t.yaml]\n", "apps/kafka/t.yaml": TOPIC}
WHERE = "clusters/prod/apps.yaml"


def lookup(files: dict[str, str]) -> Lookup:
    held = {path: text.encode() for path, text in files.items()}
    folders = FolderNames(held)
    return lambda path: folders.of(path[:-1]) if path.endswith("/") else held.get(path)


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def read(text: str, files: dict[str, str]) -> Document:
    return formats.read(WHERE, text.encode(), lookup({**FILES, **files, WHERE: text}))


def values(document: Document) -> dict[str, str | None]:
    (topic,) = document.resources
    return {key: one.text for key, one in topic.settings.items()}


def lint(files: dict[str, str]) -> Project:
    held = {path: text.encode() for path, text in files.items()}
    project = lint_project(held.items(), Settings(), lookup(files))
    assert project.failures == []
    return project


@pytest.mark.parametrize("text", [FLUX + indented(PATCH, 2), ARGO + indented(PATCH, 6)])
def test_patches_are_applied_to_what_the_folder_builds(text: str) -> None:
    document = read(text, {})
    assert values(document)["min.insync.replicas"] == "1"
    setting = document.resources[0].settings["min.insync.replicas"]
    assert (setting.path, text.splitlines()[setting.at[0] - 1].strip()) == (WHERE, "value: 1") or (
        text.splitlines()[setting.at[0]].strip() == "value: 1"
    )
    assert document.resources[0].path == "apps/kafka/t.yaml"


def test_a_project_has_the_patched_topic_alone() -> None:
    project = lint({**FILES, WHERE: FLUX + indented(PATCH, 2)})
    topics = [one for cluster in project.clusters for one in cluster.topics]
    assert [one.resource.settings["min.insync.replicas"].text for one in topics] == ["1"]


def test_two_clusters_have_the_folder_each_in_its_own_way() -> None:
    staging = FLUX + "  postBuild: {substitute: {bytes: '9'}}\n"
    files = {**FILES, WHERE: FLUX + indented(PATCH, 2), "clusters/staging/apps.yaml": staging}
    topics = [one for cluster in lint(files).clusters for one in cluster.topics]
    keys = ("min.insync.replicas", "max.message.bytes")
    found = [tuple(one.resource.settings[key].text for key in keys) for one in topics]
    assert sorted(found, key=str) == [("1", None), ("2", "9")]


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        ("substitute: {bytes: '9'}", ("5", "9")),
        ("substituteFrom: [{kind: ConfigMap, name: settings}]", ("7", "1000")),
        (
            "{substitute: {bytes: '9'}, substituteFrom: [{kind: ConfigMap, name: settings}]}",
            ("7", "9"),
        ),
        # What a Secret or an absent map has, nobody knows: the defaults may not be used.
        ("{substitute: {bytes: '9'}, substituteFrom: [{kind: Secret, name: s}]}", (None, "9")),
        ("{substitute: {bytes: '9'}, substituteFrom: [{kind: ConfigMap, name: s}]}", (None, "9")),
    ],
)
def test_flux_puts_values_in(build: str, expected: tuple[str | None, str | None]) -> None:
    build = build if build.startswith("{") else f"{{{build}}}"
    document = read(f"{FLUX}  postBuild: {build}\n", {"clusters/prod/s.yaml": SETTINGS})
    found = values(document)
    assert (found["retention.ms"], found["max.message.bytes"]) == expected
    assert document.resources[0].settings["max.message.bytes"].path == "apps/kafka/t.yaml"


def test_nothing_is_put_into_what_forbids_it() -> None:
    note = "metadata:\n  name: orders\n  annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}\n"
    topic = TOPIC.replace("metadata: {name: orders}\n", note)
    text = f"{FLUX}  postBuild: {{substitute: {{bytes: '9'}}}}\n"
    assert read(text, {"apps/kafka/t.yaml": topic}).resources == []


def test_an_escaped_variable_stays() -> None:
    topic = TOPIC.replace("${bytes}", "$${bytes}")
    text = f"{FLUX}  postBuild: {{substitute: {{bytes: '9'}}}}\n"
    found = read(text, {"apps/kafka/t.yaml": topic}).resources[0].settings["max.message.bytes"]
    assert isinstance(found, Framed)
    assert (found.frame, found.text) == ("${bytes}", None)


def test_flux_makes_a_kustomization_of_a_folder_without_one() -> None:
    files = {"apps/kafka/kustomization.yaml": "", "other/in/t.yaml": TOPIC}
    text = FLUX.replace("apps/kafka", "other") + indented(PATCH, 2)
    assert values(read(text, files))["min.insync.replicas"] == "1"


@pytest.mark.parametrize(
    "text",
    [
        FLUX.replace("./apps/kafka", "../elsewhere") + indented(PATCH, 2),
        FLUX.replace("./apps/kafka", "/") + indented(PATCH, 2),
        FLUX + "  patches: 1\n",
        FLUX + "  patches: [{patch: '['}]\n",
        FLUX + "  postBuild: [1]\n",
        FLUX + "  postBuild: {substituteFrom: [1, {}]}\n",
        FLUX + "  images: {}\n",
        ARGO + "      images: [apache/kafka:4.0.0]\n",
        "kind: Application\napiVersion: argoproj.io/v1\nspec:\n source: [\n kustomize:\n",
    ],
)
def test_other_shapes_are_survived(text: str) -> None:
    # Of a patch of what is not here there is a piece.
    assert all(one.traits.partial for one in read(text, {}).resources)
    lint({**FILES, WHERE: text})


def test_values_that_grow_beyond_measure_are_not_put_in() -> None:
    topic = TOPIC.replace("${bytes}", "'" + "${a}" * 200_000 + "'")
    text = f"{FLUX}  postBuild: {{substitute: {{a: {'x' * 400}}}}}\n"
    found = read(text, {"apps/kafka/t.yaml": topic}).resources
    assert all(one.settings["max.message.bytes"].text is None for one in found)

"""kustomization.yaml as facts: what is built together, and what is changed in it."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.model import PASSED_OVER, Document, Kustomization

OVERLAY = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: kafka-dev
namePrefix: dev-
nameSuffix: -v2
resources:
  - ../../base
  - ./topics.yaml
  - https://github.com/strimzi/kafka?ref=1
bases: [../shared]
components: [../../components/tls/]
patchesStrategicMerge:
  - kafka.yaml
  - |-
    kind: Kafka
    metadata: {name: main}
patches:
  - path: ops.yaml
    target: {kind: KafkaTopic, name: orders}
  - patch: |
      # fewer
      - op: replace
        path: /spec/replicas
        value: 1
    target: {kind: Kafka}
"""


def document(text: str, path: str, **others: bytes) -> Document:
    return formats.read(path, text.encode(), lambda name: others.get(name.rpartition("/")[2][:3]))


def built(text: str, path: str, **others: bytes) -> Kustomization:
    made = document(text, path, **others).kustomize
    assert made is not None
    return made


def test_an_overlay_tells_what_it_builds() -> None:
    read = document(OVERLAY, "k/overlays/dev/kustomization.yaml", ops=b"- op: add\n")
    assert (read.status, read.format, read.problems) == (PASSED_OVER, "kustomize", [])
    made = read.kustomize
    assert made is not None
    assert made.resources == ("k/base", "k/overlays/dev/topics.yaml", "k/overlays/shared")
    assert made.components == ("k/components/tls",)
    assert (made.namespace, made.name_prefix, made.name_suffix) == ("kafka-dev", "dev-", "-v2")
    assert made.elsewhere
    patches = [(p.path, p.operations, p.kind, p.name, p.at[0]) for p in made.patches]
    assert patches == [
        ("k/overlays/dev/kafka.yaml", False, "", "", 13),
        ("", False, "Kafka", "main", 14),
        ("k/overlays/dev/ops.yaml", True, "KafkaTopic", "orders", 18),
        ("", True, "Kafka", "", 20),
    ]
    assert "name: main" in made.patches[1].text


@pytest.mark.parametrize("name", ["kustomization.yml", "Kustomization"])
def test_the_other_names_are_read_too(name: str) -> None:
    made = built("resources: [kafka.yaml, sub]\n", name)
    assert made.resources == ("kafka.yaml", "sub")
    assert not made.elsewhere


@pytest.mark.parametrize("entry", ["../up", "/etc/base", "github.com/a/b//c", "git@host:a/b"])
def test_what_lies_elsewhere_is_no_path(entry: str) -> None:
    made = built(f"resources: ['{entry}']\n", "kustomization.yaml")
    assert (made.resources, made.elsewhere) == ((), True)


def test_the_folder_at_the_top_has_no_name() -> None:
    assert built("resources: ['../']\n", "dev/kustomization.yaml").resources == ("",)


@pytest.mark.parametrize("text", ["resources: [", "", "resources: {{ x }}: y\n"])
def test_what_cannot_be_read_is_nobodys(text: str) -> None:
    read = document(text, "kustomization.yaml")
    assert (read.status, read.format, read.kustomize) == (PASSED_OVER, None, None)
    assert read.problems == []

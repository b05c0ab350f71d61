"""Crossplane's Object: an object of Kubernetes below ``spec.forProvider.manifest``."""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.kubernetes import manifests
from kcheck.formats.scalars import documents, known, nothing
from kcheck.model import Document
from kcheck.syntax import yaml


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    objects: list[yaml.Node] = []
    for node in documents(document, data):
        held = yaml.child(node, "spec", "forProvider", "manifest")
        whole = known(yaml.child(node, "kind")) == "Object" and held is not None
        # What stands beside Crossplane's resources in the file is read as it is.
        objects.append(held if whole and held is not None else node)
    manifests.take(document, data, lookup, objects)
    nothing(document, "contains no resource of Kafka or its clients")

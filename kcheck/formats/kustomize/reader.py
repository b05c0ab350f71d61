"""kustomization.yaml: which files are built together, and what is changed in them on the way.

What its patches set are pieces of resources; grouping asks what it builds.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.kustomize import kustomization
from kcheck.formats.kustomize import names as kustomize_names
from kcheck.model import PASSED_OVER, Document
from kcheck.syntax import yaml

#: Changes of objects that are no patches.
_CHANGES = (b"images:", b"replicas:", b"replacements:", b"vars:", b"configMapGenerator:")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    """Fill ``document.kustomize``; a file that no YAML parser reads is nobody's."""
    document.status, document.reason = PASSED_OVER, "input of kustomize"
    nodes, problem = yaml.documents(data)
    if problem is not None or len(nodes) != 1:
        document.format, document.reason = None, "no Kafka configuration"
        return
    document.kustomize = kustomization.of_node(document.path, nodes[0], lookup)
    made = document.kustomize
    if made.patches or made.components or any(key in data for key in _CHANGES):
        from kcheck.formats.kustomize import patches as kustomize_patches  # with what reads objects

        kustomize_patches.take(document, nodes[0], data, lookup)
    document.problems.extend(kustomize_names.faults(document, nodes[0], lookup))

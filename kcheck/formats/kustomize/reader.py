"""kustomization.yaml: which files are built together, and what is changed in them on the way.

What its patches set are pieces of resources; grouping asks what it builds.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.kustomize import kustomization
from kcheck.formats.kustomize import names as kustomize_names
from kcheck.model import PASSED_OVER, Document, Kustomization
from kcheck.syntax import yaml

#: The names by which kustomize finds its files.
_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
#: Changes of objects that are no patches.
_CHANGES = (b"images:", b"replicas:", b"replacements:", b"vars:", b"configMapGenerator:")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    """Fill ``document.kustomize``; a file that no YAML parser reads is nobody's."""
    document.status, document.reason = PASSED_OVER, "input of kustomize"
    nodes, problem = yaml.documents(data)
    if document.path.rpartition("/")[2] not in _NAMES:
        _applied(document, nodes if problem is None else [], data, lookup)
        return
    if problem is not None or len(nodes) != 1:
        document.format, document.reason = None, "no Kafka configuration"
        return
    document.kustomize = kustomization.of_node(document.path, nodes[0], lookup)
    made = document.kustomize
    if made.patches or made.components or any(key in data for key in _CHANGES):
        from kcheck.formats.kustomize import deployed  # with what reads objects
        from kcheck.formats.kustomize import patches as kustomize_patches

        own = deployed.Deployed(nodes[0], made)
        kustomize_patches.take(document, own, data, lookup)
    document.problems.extend(kustomize_names.faults(document, nodes[0], lookup))


def _applied(document: Document, nodes: list[yaml.Node], data: bytes, lookup: Lookup) -> None:
    """The folders that resources of GitOps apply with changes of their own, as one kustomization."""
    from kcheck.formats.kustomize import deployed
    from kcheck.formats.kustomize import patches as kustomize_patches

    whole = Kustomization()
    for one in deployed.found(document.path, nodes, lookup):
        kustomize_patches.take(document, one, data, lookup, False)
        made = one.made
        whole.resources += made.resources
        whole.components += made.components
        whole.patches += made.patches
        whole.rendered += made.rendered
        whole.followed |= made.followed
        whole.namespace = made.namespace or whole.namespace
    if whole.patches or whole.rendered:
        document.kustomize = whole

"""Strimzi's Drain Cleaner: whether it lets Kubernetes evict the pods of Kafka.

It denies evictions and marks the pods, so that Strimzi's operator rolls them. In its legacy mode it
only marks them, and the PodDisruptionBudget has to keep Kubernetes from evicting them
(strimzi/drain-cleaner@81dbda45163c:README.md and packaging/install/kubernetes/060-Deployment.yaml).
"""

from __future__ import annotations

from collections.abc import Mapping

from kcheck.formats.containers.variables import Variable
from kcheck.model import EVICTIONS, KUBERNETES, Asker, Document, Position, Reference

#: What the image is called, whatever the registry.
IMAGE = "strimzi/drain-cleaner"
_DENIES, _DRAINS = "STRIMZI_DENY_EVICTION", "STRIMZI_DRAIN_KAFKA"
#: The namespaces that it watches, all where there are none.
_NAMESPACES = "STRIMZI_DRAIN_NAMESPACES"


def read(document: Document, name: str, at: Position, variables: Mapping[str, Variable]) -> None:
    """Note that the pods of Kafka may be evicted, where the variables of the container say so."""
    told, drains = variables.get(_DENIES), variables.get(_DRAINS)
    if told is None or (told.known or "").lower() != "false":
        return
    if drains is not None and (drains.known or "").lower() != "true":
        return
    namespaces = variables.get(_NAMESPACES)
    if namespaces is not None and namespaces.known is None:
        return
    asker = Asker("client", name, document.path, at)
    asker.traits.deployer = KUBERNETES
    watched = namespaces.known if namespaces is not None else ""
    setting = told.setting(_DENIES, told.known)
    document.references += (Reference(asker, setting, EVICTIONS, False, watched or "*"),)
    document.reason = document.reason or "read only where there are Kafka resources of Strimzi's"

"""Whom the programs of a file ask beside brokers: what its format tells, and what its settings do."""

from __future__ import annotations

from kcheck.formats.asking import of_settings
from kcheck.model import KUBERNETES, ZOOKEEPER, Asker, Document, Reference

#: What of a resource tells which names it can mean.
_TRAITS = ("deployer", "namespace", "runs_on")


def references(document: Document) -> tuple[Reference, ...]:
    """The references of a document, each with as much of its asker as tells where that runs."""
    found = list(document.references)
    for resource in document.resources:
        told = of_settings(resource.settings)
        # Elsewhere a name may be that of any machine; here it is that of a Service.
        ensemble = resource.settings.get("zookeeper.connect")
        if ensemble is not None and resource.traits.deployer == KUBERNETES:
            told.append((ensemble, ZOOKEEPER))
        if not told:
            continue
        asker = Asker(resource.kind, resource.name, resource.path, resource.at)
        traits = vars(resource.traits)
        vars(asker.traits).update((name, traits[name]) for name in _TRAITS if name in traits)
        found += (Reference(asker, setting, role, False) for setting, role in told)
    return tuple(found)

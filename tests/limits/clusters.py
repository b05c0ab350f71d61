"""Clusters made of text, and their lines."""

from __future__ import annotations

from kcheck import engine
from kcheck.graph.cluster import Cluster
from kcheck.limits import catalogue
from kcheck.limits.entry import Line
from kcheck.settings import ClusterSettings, Settings


def cluster(told: ClusterSettings | None = None, **files: str) -> Cluster:
    """The only cluster of the files; ``kcheck`` is kcheck.yaml, ``x_properties`` x.properties."""
    sources = [
        ("kcheck.yaml" if name == "kcheck" else name.replace("_", "."), text.encode())
        for name, text in files.items()
    ]
    project = engine.read_project(sources, Settings(told))
    assert not [p.message for d in project.documents for p in d.problems]
    (found,) = project.clusters
    return found


def line_of(id: str, told: ClusterSettings | None = None, **files: str) -> Line:
    found = {line.entry.id: line for line in catalogue.of(cluster(told, **files))}
    return found[id]

"""kafka-lag-exporter's file, which is HOCON: the clusters whose groups it watches."""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.text import unrendered
from kcheck.model import PASSED_OVER, SKIPPED, Document

FORMAT = "lag-exporter-conf"


def recognise(path: str, data: bytes) -> str | None:
    ours = b"kafka-lag-exporter" in data and b"bootstrap-brokers" in data
    return FORMAT if ours else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    from kcheck.formats.observers import files as observer_files
    from kcheck.syntax import hocon

    node, problem = hocon.document(data)
    if problem is not None and unrendered(data):
        document.status, document.reason = SKIPPED, "an unrendered template"
        return
    if problem is not None:
        document.problems.append(problem)
        return
    if node is not None:
        observer_files.search(document, node)
    if not document.resources:
        document.status = PASSED_OVER
        document.reason = "contains no cluster that the program watches"

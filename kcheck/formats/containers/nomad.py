"""Nomad's job files: tasks that run brokers, workers and the programs around Kafka.

``nomad_jobs`` reads them, with the parser of HCL.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.model import SKIPPED, Document

FORMAT = "nomad"

_JOB = re.compile(rb"^[ \t]*job[ \t]+\"[^\"\n]*\"[ \t]*\{", re.MULTILINE)
_OURS = (b"kafka", b"KAFKA_", b"CONNECT_", b"SCHEMA_REGISTRY_", b"KSQL_")


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if any(one in data for one in _OURS) and _JOB.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    try:
        from kcheck.formats.containers.nomad_jobs import read as read_jobs  # with the parser
    except ImportError:  # a machine of a cluster that was given kcheck without what it depends on
        document.status, document.reason = SKIPPED, "requires the package tree-sitter-hcl"
        return
    read_jobs(document, data)

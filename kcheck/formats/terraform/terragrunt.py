"""Terragrunt: the ``inputs`` with which it calls a module of Terraform."""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.scalars import nothing
from kcheck.model import SKIPPED, Document

FORMAT = "terragrunt"

_INPUTS = re.compile(rb"^inputs[ \t]*=", re.MULTILINE)
_OURS = (b"kafka", b"partition", b"server_properties", b"broker_per_zone")


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if _INPUTS.search(data) and any(one in data for one in _OURS) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    try:
        from kcheck.formats.terraform import terragrunt_inputs  # with the parser
    except ImportError:  # a machine of a cluster that was given kcheck without what it depends on
        document.status, document.reason = SKIPPED, "requires the package tree-sitter-hcl"
        return
    terragrunt_inputs.read(document, data, lookup)
    if not document.extent.called:
        nothing(document, "contains no topic or broker")

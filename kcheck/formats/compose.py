"""YAML that kcheck knows and does not read (yet): named, so that ``kcheck files`` can tell."""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.model import PASSED_OVER, Document


def recognise(path: str, data: bytes) -> str | None:
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    document.status = PASSED_OVER
    document.reason = "kcheck does not read this format yet"

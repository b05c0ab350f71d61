"""JSON that is Kafka's: named here, read by a module of its own where there is one."""

from __future__ import annotations

from importlib import import_module

from kcheck.formats import Lookup
from kcheck.model import PASSED_OVER, Document

#: The modules that read a format, loaded when its first file comes.
_READERS = {"ecs-json": "ecs"}


def recognise(path: str, data: bytes) -> str | None:
    if b'"connector.class"' in data:
        return "connector-json"
    # A list of containers, or a whole task definition that has one.
    if b'"essential"' in data and b'"image"' in data and b"KAFKA_" in data:
        return "ecs-json"
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    reader = _READERS.get(document.format or "")
    if reader is not None:
        import_module(f"kcheck.formats.{reader}").read(document, data, lookup)
        return
    document.status = PASSED_OVER
    document.reason = "kcheck does not read this format yet"

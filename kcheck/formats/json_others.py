"""JSON that kcheck knows and does not read yet: connectors and ECS task definitions, by name only."""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.model import PASSED_OVER, Document


def recognise(path: str, data: bytes) -> str | None:
    if b'"connector.class"' in data:
        return "connector-json"
    # A list of containers, or a whole task definition that has one.
    if b'"essential"' in data and b'"image"' in data and b"KAFKA_" in data:
        return "ecs-json"
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    document.status = PASSED_OVER
    document.reason = "kcheck does not read this format yet"

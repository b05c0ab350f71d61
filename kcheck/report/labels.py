"""What people call a resource: ``producer checkout (profile prod)``, where its name alone is several's.

A label is for the eyes, in text, HTML and listings. Names, JSON and fingerprints are without it.
"""

from __future__ import annotations

import re

from kcheck.model import Finding, Resource
from kcheck.report.shown import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def suffix(resource: Resource) -> str:
    """`` (profile prod)`` of a resource that is there in one profile only; else ""."""
    profile = resource.traits.profile
    return f" (profile {named(profile)})" if profile else ""


def labelled(record: dict[str, Any], finding: Finding) -> dict[str, Any]:
    """The record of a finding as people read it: its resources bear their labels."""
    values = finding.evidence
    if not any(suffix(one) for one in (finding.resource, *(v.resource for v in values))):
        return record
    told = {
        **record,
        "message": _in_sentence(record["message"], finding.resource),
        "resource": _label(record["resource"], finding.resource),
    }
    told["evidence"] = [
        {**item, "resource": _label(item["resource"], value.resource)}
        for item, value in zip(record["evidence"], values, strict=True)
    ]
    return told


def _label(shown: dict[str, Any], resource: Resource) -> dict[str, Any]:
    """What a record says of a resource, labelled; what it says of the cluster stays."""
    same = (shown["kind"], shown["name"]) == (resource.kind, named(resource.name))
    return {**shown, "name": shown["name"] + suffix(resource)} if same else shown


def _in_sentence(sentence: str, resource: Resource) -> str:
    """The sentence with the label behind the resource, where that stands first by its kind and name."""
    label = suffix(resource)
    name = re.escape(f"{resource.kind} {named(resource.name)}")
    found = re.search(rf"\b{name}(?![\w.-])", sentence) if label else None
    return sentence if found is None else sentence[: found.end()] + label + sentence[found.end() :]

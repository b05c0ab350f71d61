"""Templates of Ansible's roles and Puppet's modules that mention Kafka: named, and skipped.

What they come to hangs on variables of other places; the data is where those are.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.text import unrendered
from kcheck.model import SKIPPED, Document

#: The layout in which a tool keeps its templates, by the ending of theirs.
_LAYOUTS = ((".erb", "modules", "puppet-hiera"), (".j2", "roles", "ansible"))


def recognise(path: str, data: bytes) -> str | None:
    for ending, folder, name in _LAYOUTS:
        if path.endswith(ending):
            parts = path.split("/")[:-1]
            ours = b"kafka" in data.lower() or "kafka" in path.lower()
            kept = folder in parts and "templates" in parts
            return name if kept and ours and unrendered(data) else None
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    document.status = SKIPPED
    document.reason = "an unrendered template"

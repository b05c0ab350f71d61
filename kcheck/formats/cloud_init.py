"""cloud-init: files that a machine is given when it starts, and the commands that run on it then."""

from __future__ import annotations

import re

from kcheck.formats import Lookup, embedded
from kcheck.formats.commands import steps as command_steps
from kcheck.formats.embedded import split_lines
from kcheck.formats.scalars import documents, known, nothing
from kcheck.model import Document
from kcheck.syntax import yaml

FORMAT = "cloud-init"
#: What cloud-init knows its files by, behind the comments of templates' authors.
_MARK = re.compile(rb"(?:[ \t]*(?:##[^\n]*)?\r?\n)*#cloud-config\b")
_FILES = re.compile(rb"\.properties\b|kafka-")


def recognise(path: str, data: bytes) -> str | None:
    ours = b"#cloud-config" in data and _MARK.match(data) and _FILES.search(data)
    return FORMAT if ours else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes, lines = documents(document, data), split_lines(data)
    for node in nodes:
        for item in yaml.items(yaml.child(node, "write_files")):
            path, content = known(yaml.child(item, "path")), yaml.child(item, "content")
            if not path or content is None or known(yaml.child(item, "encoding")) not in _PLAIN:
                continue
            members = [(path.rpartition("/")[2], content)]
            found = embedded.files(document, path, members, lines, lookup)
            for resource in found:
                # A command may change the file, or another one append to it.
                resource.traits.partial = True
            document.resources += found
    command_steps.add(document, nodes, lines, lookup)
    nothing(document, "contains no file and no command of Kafka's")


_PLAIN = ("", "text/plain")

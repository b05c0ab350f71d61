"""Terraform's ``.tfvars`` where they hold topics: what a module makes resources of."""

from __future__ import annotations

import re

from kcheck.formats.scalars import nothing
from kcheck.model import SKIPPED, Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

FORMAT = "terraform-vars"

_TOPICS = re.compile(rb"^[ \t]*(kafka_)?topics[ \t]*=", re.MULTILINE)
#: The files that Terraform takes by themselves, and where a variable of theirs is used.
_TAKEN = ("terraform.tfvars", "terraform.auto.tfvars")
_USED = re.compile(rb"\bvar\.(?:kafka_)?topics\b")


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if b"partitions" in data and _TOPICS.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    try:
        from kcheck.formats.terraform import blocks as terraform_blocks  # with the parser
        from kcheck.formats.terraform import modules as terraform_modules
        from kcheck.formats.terraform.inputs import Inputs
        from kcheck.syntax.hcl import File
    except ImportError:
        document.status, document.reason = SKIPPED, "requires the package tree-sitter-hcl"
        return
    file = File(data, document.path)
    folder, _, name = document.path.rpartition("/")
    held = terraform_modules.texts(folder, lookup) if name in _TAKEN else ()
    if any(_USED.search(text) for _, text in held):
        document.extent.called = True
        document.reason = "variables, read where they are used"
    else:
        Inputs(document, folder).topics(file.attributes())
    terraform_blocks.faulty(document, file, data)
    if not document.extent.called:
        nothing(document, "contains no topic")

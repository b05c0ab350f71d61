"""The ``inputs`` of a file of Terragrunt's → what the module that it names makes of them.

A module of the same project is read with the inputs as its variables; of any other the inputs tell topics
and the properties of brokers, as those of ``module`` blocks do. What ``dependency`` and functions of
Terragrunt's give is unknown.
"""

from __future__ import annotations

from posixpath import normpath

from kcheck.formats import Lookup
from kcheck.formats.terraform.blocks import faulty
from kcheck.formats.terraform.brokers import Brokers
from kcheck.formats.terraform.inputs import Inputs
from kcheck.formats.terraform.modules import Modules
from kcheck.model import Document
from kcheck.syntax.hcl import Block, File
from kcheck.syntax.hcl_values import Scalar


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    """Add what the inputs make, to the document of the file."""
    folder, _, name = document.path.rpartition("/")
    file = File(data, document.path)
    faulty(document, file, data)
    entry = file.attributes().get("inputs")
    value = entry.value if entry is not None else None
    if entry is None or not isinstance(value, list):
        return
    given = {one.key: one for one in value}
    label = folder.rpartition("/")[2] or name
    block = Labelled(label, entry.key_at, file)
    source = _source(file.blocks)
    called = normpath(f"{folder or '.'}/{source}") if source.startswith(".") else ""
    if called and Modules(document, file, folder, lookup).call(block, given, called):
        return
    Brokers(document, folder).of_inputs(block, given)
    Inputs(document, folder, entry.key_at).all(given, label)


class Labelled(Block):
    """The place of the inputs, with the name of their folder in the place of a block's label."""

    __slots__ = ()

    def __init__(self, label: str, at: tuple[int, int, int, int], file: File) -> None:
        self.type, self.labels, self.at = "inputs", [label], at
        self.file, self.scope, self._own = file, None, {}


def _source(blocks: list[Block]) -> str:
    """The source that the file's ``terraform`` block names; // parts it from the folder in it."""
    for block in blocks:
        if block.type == "terraform":
            entry = block.attributes().get("source")
            value = entry.value if entry is not None else None
            if isinstance(value, Scalar):
                return value.text.replace("//", "/")
    return ""

"""What a ``module`` block makes: the resources of a folder with the variables that the block gives.

Of a module that is elsewhere nothing is known but its inputs: maps and lists of topics have the fields
of topics whoever makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from kcheck.formats import Lookup
from kcheck.formats.provisioned import table as provisioned
from kcheck.formats.provisioned.resources import Resources, resource
from kcheck.formats.terraform.addresses import Providers
from kcheck.formats.terraform.inputs import Inputs
from kcheck.formats.terraform.names import FolderNames, Given, calls, loops
from kcheck.formats.terraform.turns import turns
from kcheck.model import Document, Position
from kcheck.syntax.hcl import Block, File, Scalar

#: The files in which a module's folder has its resources, and those that are read of one block.
_FILES = (
    *("main.tf", "topics.tf", "topic.tf", "kafka.tf", "kafka_topics.tf", "kafka-topics.tf"),
    *("connectors.tf", "connector.tf", "connect.tf", "msk_connect.tf", "quotas.tf", "eventhub.tf"),
    *("topics-acls.tf", "topics_acls.tf", "kafka_acls.tf", "cluster.tf", "msk.tf", "kafka-acls.tf"),
    *("eventhubs.tf", "lambda.tf", "confluent.tf", "aiven.tf", "resources.tf", "acls.tf", "acl.tf"),
)
_MOST = 500
_DEEPEST = 5


class Modules:
    """Reads the modules that one file calls, into its document."""

    def __init__(self, document: Document, file: File, folder: str, lookup: Lookup) -> None:
        self.document = document
        self._file = file
        self.folder = folder
        self._lookup = lookup
        self._parsed: dict[str, list[File]] = {}
        self._held: dict[str, File] = {}
        self._providers: dict[str, Providers] = {}
        #: The ACLs that they make, each with the place of the block that calls the module.
        self.acls: list[tuple[Block, Position]] = []
        self._made = 0

    def read(self, block: Block) -> bool:
        """Add what a ``module`` block makes; whether its folder itself finds the block, and has what is
        made once, such as a cluster, with what the block gives."""
        found = False
        for turn, conditional in turns(block):
            found = self._read(turn.attributes(), self.folder, block, 0, conditional)
        return found

    def call(self, block: Block, given: Given, folder: str) -> bool:
        """Add what a folder makes with variables, as Terragrunt calls it; whether there is one."""
        self._folder(folder, given, block, 0, False)
        return bool(self._files(folder))

    def _read(self, given: Given, folder: str, label: Block, depth: int, maybe: bool) -> bool:
        entry = given.get("source")
        value = entry.value if entry is not None else None
        if not isinstance(value, Scalar):
            return False
        local = value.text.startswith(".")
        called = normpath(f"{folder or '.'}/{value.text}") if local else ""
        called = "" if called == "." else called
        if not local or not self._files(called):
            Inputs(self.document, self.folder, label.at).all(given, label.labels[-1])
        elif not depth and self._once(called, given):
            return True
        else:
            self._folder(called, given, label, depth, maybe)
        return False

    def _once(self, folder: str, given: Given) -> bool:
        """Whether the folder finds its one caller itself: then it is read as it lies."""
        if loops(given):
            return False
        found = calls(self._file, self.folder, folder, self._lookup)
        return len(found) == 1 and found[0][1].file.path == self.document.path

    def _folder(self, folder: str, given: Given, label: Block, depth: int, maybe: bool) -> None:
        if depth > _DEEPEST:
            return
        for parsed in self._files(folder):
            names = FolderNames(folder, self._lookup, parsed.path, given, self._held)
            file = parsed.under(names)
            makes = Resources(self.document, folder, label)
            for block in file.blocks:
                if block.type == "module":
                    for turn, conditional in turns(block):
                        inner = turn.attributes()
                        self._read(inner, folder, label, depth + 1, maybe or conditional)
                elif block.type == "resource" and len(block.labels) == 2:
                    self._resource(block, makes, label, maybe)

    def _resource(self, block: Block, makes: Resources, label: Block, maybe: bool) -> None:
        row = provisioned.rows().get(block.labels[0])
        if row is not None and row.kind == provisioned.ACL and len(self.acls) < _MOST:
            self.acls += [(turn, label.at) for turn, _ in turns(block, switches=False)]
        if row is None or row.kind not in provisioned.MADE:
            return
        for turn, conditional in turns(block, switches=False):
            made = resource(makes, turn, row)
            if made is None or self._made >= _MOST:
                continue
            conditional = conditional or maybe
            if conditional and row.kind != provisioned.TOPIC:
                continue
            made.traits.conditional = conditional
            if row.type == "kafka_topic":
                self._provided(makes.folder, block).ask(made, turn)
            self._made += 1
            self.document.resources.append(made)

    def _provided(self, folder: str, block: Block) -> Providers:
        if folder not in self._providers:
            self._providers[folder] = Providers(block.file, folder, self._lookup)
        return self._providers[folder]

    def _files(self, folder: str) -> list[File]:
        """The parsed files of a folder; none of one that is outside of the project."""
        if folder.startswith(".."):
            return []
        if folder not in self._parsed:
            self._parsed[folder] = [
                File(data, path)
                for path, data in texts(folder, self._lookup)
                if b"module" in data or b"resource" in data
            ]
        return self._parsed[folder]


def texts(folder: str, lookup: Lookup) -> Iterator[tuple[str, bytes]]:
    """The files in which a folder of Terraform's has its resources, by their usual names."""
    for name in _FILES:
        path = f"{folder}/{name}".lstrip("/")
        data = lookup(path)
        if data is not None:
            yield path, data

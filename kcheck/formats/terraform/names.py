"""What ``local.x`` and ``var.x`` mean in a folder of Terraform's files, and what ``file`` reads.

A folder is a module: its names hold for all of its files. A variable has what the ``module`` block
gives that calls the folder; else what ``terraform.tfvars`` says, else its default. Where several
blocks call the folder and one of them gives it, nobody knows which of them is meant.
"""

from __future__ import annotations

from posixpath import normpath

from kcheck.formats import Lookup
from kcheck.formats.terraform.references import References
from kcheck.syntax.hcl import Block, File, Scalar, Scope
from kcheck.syntax.hcl_values import Entry, Names, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

#: The files in which a folder has its locals, and those in which it has its variables.
_LOCALS = ("locals.tf", "local.tf", "main.tf", "variables.tf", "topics.tf", "kafka.tf")
_VARIABLES = ("variables.tf", "vars.tf", "variable.tf", "inputs.tf", "input.tf", "main.tf")
_OUTPUTS = ("outputs.tf", "output.tf", "main.tf")
_MODULES = ("main.tf", "modules.tf", "kafka.tf", "msk.tf", "cluster.tf", "confluent.tf")
_GIVEN = ("terraform.tfvars", "terraform.auto.tfvars")

#: What a ``module`` block, or the ``inputs`` of Terragrunt, gives to variables.
Given = dict[str, Entry]


def calls(file: File, own: str, folder: str, lookup: Lookup) -> list[tuple[str, Block]]:
    """The ``module`` blocks that call a folder, with the folders that they are in, as far as a file
    of the folder ``own`` finds them."""
    return list(References(file, own, lookup).callers(folder))


def loops(attributes: Given) -> bool:
    """Whether a block is made any number of times."""
    return not attributes.keys().isdisjoint(("count", "for_each"))


def _filled(value: Value) -> Value:
    """A value of a file of variables, or a default: an empty one says that somebody else is to tell."""
    empty = not value.text if isinstance(value, Scalar) else not value
    return None if empty else value


class FolderNames(Names):
    """The names of one folder; ``given`` is what its caller gives, None where that is looked for."""

    __slots__ = ("_callers", "_files", "_held", "_lookup", "_own", "_parsed", "folder", "repeated")

    def __init__(
        self,
        folder: str,
        lookup: Lookup,
        own: str = "",
        given: Given | None = None,
        parsed: dict[str, File] | None = None,
    ) -> None:
        self.folder = folder
        self._lookup = lookup
        #: The file that is read, whose own names it knows itself.
        self._own = own
        self._callers: list[Given] | None = None if given is None else [given]
        #: Whether the folder is made several times, or nobody knows how often.
        self.repeated = False
        self._held: dict[str, bytes | None] = {}
        self._files: dict[str, File] = {}
        #: Files that are parsed already, whatever names they have.
        self._parsed = {} if parsed is None else parsed

    def local(self, name: str) -> tuple[File, Node] | None:
        for file in (self.file(path, b"locals") for path in _LOCALS):
            if file is not None and name in file.locals:
                return file, file.locals[name]
        return None

    def variable(self, name: str, file: File, scope: Scope) -> Value:
        callers = self.callers(file)
        givers = [one for one in callers if name in one]
        if givers:
            return givers[0][name].value if len(callers) == 1 else None
        entry = self._in_values(name) if not callers else None
        if entry is not None:
            return _filled(entry.value)
        found = self._default(name, file)
        return _filled(scope.within(found[0]).value(found[1])) if found is not None else None

    def given(self, name: str, file: File) -> Entry | None:
        callers = self.callers(file)
        if not callers:
            return self._in_values(name)
        return callers[0].get(name) if len(callers) == 1 else None

    def default(self, name: str, file: File) -> tuple[File, Node] | None:
        given = any(name in one for one in self.callers(file))
        return None if given else self._default(name, file)

    def _in_values(self, name: str) -> Entry | None:
        """What a file of variables gives."""
        for path in _GIVEN:
            values = self.file(path, name.encode())
            entry = values.attributes().get(name) if values is not None else None
            if entry is not None:
                return entry
        return None

    def output(self, module: str, name: str, file: File) -> Entry | None:
        block = self._module(module, file)
        source = block.attributes().get("source") if block is not None else None
        value = source.value if source is not None else None
        if block is None or not isinstance(value, Scalar) or not value.text.startswith("."):
            return None
        folder = normpath(f"{self.folder or '.'}/{value.text}")
        if folder.startswith(".."):
            return None
        names = FolderNames(
            "" if folder == "." else folder,
            self._lookup,
            given=block.attributes(),
            parsed=self._parsed,
        )
        for path in _OUTPUTS:
            held = names.file(path, b"output")
            for one in held.blocks if held is not None else ():
                if one.type == "output" and one.labels == [name]:
                    return one.attributes().get("value")
        return None

    def _module(self, label: str, file: File) -> Block | None:
        for holder in (file, *(self.file(path, b"module") for path in _MODULES)):
            for block in holder.blocks if holder is not None else ():
                if block.type == "module" and block.labels == [label]:
                    return block
        return None

    def callers(self, file: File) -> list[Given]:
        """What each ``module`` block gives that calls the folder, as far as they are found."""
        if self._callers is None:
            self._callers = []
            for folder, block in calls(file, self.folder, self.folder, self._lookup):
                named = block.file.under(FolderNames(folder, self._lookup, block.file.path))
                own = Block(block.node, named).attributes()
                self._callers.append(own)
                self.repeated = len(self._callers) > 1 or loops(own)
        return self._callers

    def _default(self, name: str, file: File) -> tuple[File, Node] | None:
        holders = [file, *(self.file(path, b"variable") for path in _VARIABLES)]
        for holder in holders:
            if holder is not None and name in holder.variables:
                node = holder.variables[name]
                return (holder, node) if node is not None else None
        return None

    def content(self, path: str) -> tuple[str, bytes] | None:
        found = normpath(f"{self.folder or '.'}/{path}")
        data = None if path.startswith("/") or found.startswith("..") else self._lookup(found)
        return (found, data) if data is not None else None

    def file(self, name: str, word: bytes) -> File | None:
        """A file of the folder that has a word in it, but for the one that is read."""
        path = f"{self.folder}/{name}".lstrip("/")
        if path == self._own:
            return None
        if path not in self._held:
            self._held[path] = self._lookup(path)
        data = self._held[path]
        if data is None or word not in data:
            return None
        if path not in self._files:
            if path not in self._parsed:
                self._parsed[path] = File(data, path)
            self._files[path] = self._parsed[path].under(self)
        return self._files[path]

"""Objects of Kubernetes and releases of charts in Terraform: ``kubernetes_manifest``,
``kubectl_manifest`` and ``helm_release``.

A text is read as it stands, with ``${…}`` unknown; of an object whatever is no literal of the same
file is unknown. What ``file`` and ``templatefile`` name is read where it lies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from kcheck.formats import Lookup
from kcheck.formats.helm import release as helm_release
from kcheck.formats.helm.release import MOST_SET, Release
from kcheck.formats.kubernetes import manifests
from kcheck.formats.origins import Origins, within
from kcheck.formats.terraform import kubernetes as terraform_kubernetes
from kcheck.model import Document, Position
from kcheck.syntax import trees, yaml
from kcheck.syntax.hcl import Block, Entry, File, Scalar, Value
from kcheck.syntax.hcl_values import Open
from kcheck.syntax.nodes import Mapping, Sequence
from kcheck.syntax.nodes import Scalar as Text

#: The attribute that holds the object, by the type of resource.
OBJECTS = {
    "kubectl_manifest": "yaml_body",
    "kubernetes_manifest": "manifest",
    "k8s_manifest": "content",
}
RELEASE = "helm_release"
#: How deep objects are followed.
_DEEPEST = 40
#: The style of what HCL writes without quotes: a number or a boolean, which a provider converts.
_BARE = "="
_REPEATED = ("count", "for_each")
_SETS = ("set", "set_list", "set_sensitive")


#: What stands in a text for a local of the file.
_LOCAL = re.compile(r"\$\{local\.(\w+)\}")
#: The column of a text that is put in, its length, and that of what stood there.
_Substitution = tuple[int, int, int]


class Reader:
    """Reads the blocks of one file into its document."""

    def __init__(self, document: Document, file: File, data: bytes, lookup: Lookup) -> None:
        self.document = document
        self.file = file
        self.data = data
        self.lookup = lookup

    def read(self) -> None:
        objects: list[yaml.Node] = []
        for block in self.file.blocks:
            kind = block.labels[0] if block.labels else ""
            if block.type != "resource" or _absent(block):
                continue
            if kind in OBJECTS:
                objects += self._objects(block, OBJECTS[kind])
            elif kind == RELEASE:
                self._release(block)
            elif own := terraform_kubernetes.kind_of(block):
                objects.append(
                    terraform_kubernetes.of_block(block, own, lambda entry: self.node(entry, 0))
                )
        before = len(self.document.resources)
        manifests.take(self.document, self.data, self.lookup, objects)
        repeated = [
            block.node
            for block in self.file.blocks
            if block.labels[:1] and _holds(block) and _repeated(block)
        ]
        for resource in self.document.resources[before:] if repeated else ():
            line = resource.at[0] - 1
            if any(node.start_point.row <= line <= node.end_point.row for node in repeated):
                resource.traits.conditional = True

    # -- objects ----------------------------------------------------------------------------

    def _objects(self, block: Block, key: str) -> list[yaml.Node]:
        entry = block.attributes().get(key)
        if entry is None:
            return []
        texts = self._text(entry)
        if texts is not None:
            return texts
        value = entry.value
        return [self._node(entry, value, 0)] if isinstance(value, list) else []

    def _text(self, entry: Entry) -> list[yaml.Node] | None:
        """The documents of a heredoc or of what decodes one; None for any other expression."""
        found = entry.heredoc()
        if found is None:
            return None
        lines, first, indent = found
        if any("%{" in line for line in lines):
            return []
        put = [self._substituted(line) for line in lines]

        def place(at: Position) -> Position:
            columns = [
                _column(put[line - 1][1] if line <= len(put) else [], column) + indent
                for line, column in ((at[0], at[1]), (at[2], at[3]))
            ]
            return at[0] + first - 1, columns[0], at[2] + first - 1, columns[1]

        text = "\n".join(line for line, _ in put)
        return manifests.documents_at(self.document, manifests.filled(text), place)

    def _substituted(self, line: str) -> tuple[str, list[_Substitution]]:
        """A line with the locals of the file in place of ``${local.x}``, and where they are."""
        done: list[_Substitution] = []
        made: list[str] = []
        at = length = 0
        for match in _LOCAL.finditer(line):
            value = self.file.known(match[1])
            if value is None or "\n" in value:
                continue
            made += [line[at : match.start()], value]
            length += match.start() - at
            done.append((length + 1, len(value), len(match[0])))
            length += len(value)
            at = match.end()
        made.append(line[at:])
        return "".join(made), done

    def _node(self, entry: Entry, value: Value, depth: int) -> yaml.Node:
        """What HCL says as YAML's nodes; what is not known here is a text to be filled in."""
        here = self.document.path
        if isinstance(value, Scalar) and not value.made:
            quoted = entry.quoted
            if value.path != here:
                return Text(value.text, entry.at, _BARE)
            line, column, end, last = value.at
            at = (line, column - 1, end, last + 1) if quoted else value.at
            return Text(value.text, at, '"' if quoted else _BARE)
        if isinstance(value, list) and not isinstance(value, Open) and depth < _DEEPEST:
            made = Mapping(entry.at)
            for inner in value:
                key = Text(inner.key, inner.key_at, "")
                made.pairs.append((inner.key, key, self.node(inner, depth + 1)))
            return made
        if isinstance(value, tuple) and depth < _DEEPEST:
            members = entry.members()
            return Sequence([self.node(one, depth + 1) for one in members], entry.at)
        source = manifests.filled(entry.source)
        quotes = len(source) > 1 and source[0] == source[-1] == '"' and "${" in source
        return Text(source[1:-1] if quotes else "${" + source + "}", entry.at, '"')

    def node(self, entry: Entry, depth: int = 0) -> yaml.Node:
        """What an expression says as YAML's nodes; a heredoc is a block scalar."""
        found = entry.heredoc()
        if found is None:
            return self._node(entry, entry.value, depth)
        lines, first, _ = found
        # As a block scalar: its text begins on the line below.
        return Text("\n".join(lines) + "\n", (first - 1, *entry.at[1:]), "|")

    # -- releases ---------------------------------------------------------------------------

    def _release(self, block: Block) -> None:
        own = block.attributes()
        made = Release(
            *(
                _known(own.get(key))
                for key in ("name", "namespace", "chart", "repository", "version")
            )
        )
        origins = Origins(self.document, self.data, self.lookup)
        told = own.get("values")
        for entry in told.members() if told is not None else ():
            self._lay(made, entry, origins)
        for key_node, route, value in islice(self._sets(block), MOST_SET):
            made.lay(trees.planted(route, key_node, value))
        before = len(self.document.resources)
        helm_release.take(self.document, self.lookup, [made], origins)
        for resource in self.document.resources[before:]:
            resource.traits.partial = True
            if _repeated(block):
                resource.traits.conditional = True

    def _lay(self, release: Release, entry: Entry, origins: Origins) -> None:
        """Lay one member of ``values`` over those before it: a text, an object, or a file."""
        texts = self._text(entry)
        if texts is not None:
            release.lay(texts[0] if len(texts) == 1 else None)
            release.open = release.open or len(texts) != 1
            return
        inner = entry.argument("yamlencode", "jsonencode")
        if inner is not None and isinstance(inner.value, list):
            release.lay(self._node(inner, inner.value, 0))
            return
        named = entry.argument("file")
        path = named.source.strip('"') if named is not None else ""
        folder = self.document.path.rpartition("/")[0]
        path = path.removeprefix("${path.module}/").removeprefix("${path.root}/")
        release.lay_file("" if "${" in path else within(folder, path), origins)

    def _sets(self, block: Block) -> Iterator[tuple[yaml.Node, str, yaml.Node]]:
        """What is set one by one: by blocks, or by the list that newer providers take."""
        for inner in block.blocks():
            if inner.type in _SETS:
                yield from self._set(inner.attributes())
        told = block.attributes().get("set")
        for entry in told.members() if told is not None else ():
            value = entry.value
            if isinstance(value, list):
                yield from self._set({one.key: one for one in value})

    def _set(self, parts: dict[str, Entry]) -> Iterator[tuple[yaml.Node, str, yaml.Node]]:
        name, value = parts.get("name"), parts.get("value")
        route = name.value if name is not None else None
        if name is not None and value is not None and isinstance(route, Scalar):
            yield self._node(name, route, 0), route.text, self._node(value, value.value, 0)


def _column(done: list[_Substitution], column: int) -> int:
    """The column of the file for one of a line in which something was put in."""
    moved = 0
    for start, length, old in done:
        if column >= start + length:
            moved += old - length
        elif column > start:
            return start + moved
    return column + moved


def _holds(block: Block) -> bool:
    return block.labels[0] in OBJECTS or bool(terraform_kubernetes.kind_of(block))


def _known(entry: Entry | None) -> str:
    value = entry.value if entry is not None else None
    return value.text if isinstance(value, Scalar) else ""


def _absent(block: Block) -> bool:
    return _known(block.attributes().get("count")) == "0"


def _repeated(block: Block) -> bool:
    return not block.attributes().keys().isdisjoint(_REPEATED)

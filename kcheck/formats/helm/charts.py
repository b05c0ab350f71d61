"""What the values of several Helm charts say alike, and what a file of values is."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.formats import Lookup, embedded
from kcheck.formats.containers.container import amount, heap, quantity
from kcheck.formats.helm import addresses as helm_addresses
from kcheck.formats.scalars import known, setting
from kcheck.model import HELM, Address, Claim, Document, Position, Resource
from kcheck.syntax import yaml

_BASES = ("values.yaml", "values.yml")
_ENVIRONMENTS = (
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "test",
    "qa",
    "local",
)


class Values:
    """The values of one document; ``release`` is the name under which the chart is installed."""

    def __init__(self, document: Document, data: bytes, lookup: Lookup, release: str = "") -> None:
        self.release = release
        self.document = document
        self.lookup = lookup
        self.lines = embedded.split_lines(data)
        #: Whether another file of values may be laid over this one, or under it.
        self.layered = not release and self._layered()
        #: Whether it is the lower one of them.
        self.below = self.layered and document.path.rpartition("/")[2] in _BASES
        #: The versions of Bitnami's chart of Kafka, by the name of the dependency; of a release "".
        self.versions: dict[str, str] | None = None

    def bitnami(self, name: str) -> str:
        """The version of Bitnami's chart of Kafka that is called so; "" where nothing tells one."""
        return self.versions.get(name, "") if self.of_bitnami(name) and self.versions else ""

    def of_bitnami(self, name: str) -> bool:
        """Whether what is called so is Bitnami's chart of Kafka, of whatever version."""
        if self.versions is None:
            self.versions = dict(bitnami_dependencies(self.document.path, self.lookup))
        return name in self.versions

    def installed(self) -> str:
        """The version in which a script beside the values installs Bitnami's chart with them; "" where
        none tells one."""
        if self.release:
            return ""
        from kcheck.formats.helm import installed

        return installed.version(self.document.path, "kafka", self.lookup)

    def _layered(self) -> bool:
        folder, _, name = self.document.path.rpartition("/")
        others = [*_BASES]
        if name in _BASES:
            others = [
                f"values{mark}{word}.{ending}"
                for word in _ENVIRONMENTS
                for mark in "-._"
                for ending in ("yaml", "yml")
            ]
        return any(self.lookup(f"{folder}/{other}".lstrip("/")) is not None for other in others)

    def made(self, kind: str, name: str, node: yaml.Node) -> Resource:
        """A new resource of the document, called as the chart is."""
        name = name or self.release or "kafka"
        resource = Resource(kind, name, self.document.path, start(node))
        resource.traits.deployer = HELM
        if kind == "broker":
            self.document.extent.whole = True
        self.document.resources.append(resource)
        return resource

    def placed(self, resource: Resource, node: yaml.Node, addresses: tuple[Address, ...]) -> None:
        """Where the brokers of a chart answer, and in which namespace."""
        resource.traits.addresses = addresses
        namespace = helm_addresses.namespace(node)
        if namespace:
            resource.traits.namespace = namespace


def bitnami_dependencies(path: str, lookup: Lookup) -> list[tuple[str, str]]:
    """(name, version) of Bitnami's charts of Kafka that the chart around some values depends on; the
    name is the alias, if it has one."""
    found = [
        (
            known(yaml.child(item, "alias")) or known(yaml.child(item, "name")),
            known(yaml.child(item, "version")),
        )
        for item in _listed("Chart.yaml", path, lookup)
        if _is_bitnami(item)
    ]
    if len(found) == 1 and not found[0][1].replace(".", "").isdecimal():
        # What was resolved of a range the last time.
        locked = [one for one in _listed("Chart.lock", path, lookup) if _is_bitnami(one)]
        if len(locked) == 1 and known(yaml.child(locked[0], "version")):
            found = [(found[0][0], known(yaml.child(locked[0], "version")))]
    return found


def _listed(name: str, path: str, lookup: Lookup) -> list[yaml.Node]:
    """The dependencies in a file of the chart around the values."""
    data = lookup(f"{path.rpartition('/')[0]}/{name}".lstrip("/"))
    if data is None or b"{{" in data:
        return []
    return [
        item
        for chart in yaml.documents(data)[0]
        for item in yaml.items(yaml.child(chart, "dependencies"))
    ]


def _is_bitnami(item: yaml.Node) -> bool:
    ours = "bitnami" in known(yaml.child(item, "repository"))
    return ours and known(yaml.child(item, "name")) == "kafka"


def hosted(
    resource: Resource, node: yaml.Node | None, unread: frozenset[str] | set[str] = frozenset()
) -> None:
    """Memory and cores of the container, heap, and the size of the disk; ``unread`` has no effect."""
    for key, key_node, value in [one for one in yaml.pairs(node) if one[0] not in unread]:
        if key in ("heapOptions", "heapOpts"):
            heap(resource, setting("heap", key_node, value, resource.path))
        elif key == "resources":
            for limit, limit_node, amount_node in yaml.pairs(yaml.child(value, "limits")):
                if limit in ("memory", "cpu"):
                    name = "ram" if limit == "memory" else "cores"
                    made = setting(name, limit_node, amount_node, resource.path)
                    amount(resource, name, made)
        elif key == "persistence":
            for part, part_node, size in yaml.pairs(value):
                if part == "size":
                    made = setting("disk_size", part_node, size, resource.path)
                    amount(resource, "disk_size", made)
                    resource.traits.claims = tuple(claims("", value, resource.path))
                elif part == "enabled" and yaml.text(size) == "false":
                    resource.traits.ephemeral = setting(
                        "persistence.enabled", part_node, size, resource.path
                    )


def brokers_own(key: str) -> bool:
    """Whether it is a key of Kafka's brokers, and no parameter of a chart."""
    return "." in key and bool(catalogue.plane("broker").history(key))


def start(node: yaml.Node) -> Position:
    """Where a mapping begins."""
    line, column = node.start_mark.line + 1, node.start_mark.column + 1
    return line, column, line, column


def claims(name: str, node: yaml.Node | None, path: str) -> Iterator[Claim]:
    """The volume that a chart's ``persistence`` claims, if its size is known."""
    for part, part_node, value in yaml.pairs(node):
        if part == "size":
            size = setting(f"{name}.persistence.size".lstrip("."), part_node, value, path)
            size.amount = quantity(size.text)
            yield Claim(name, size)

"""Why a file belongs to its cluster, or to none."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.model import Document, Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.grouping.group import Group

#: The kinds of evidence in the order in which they decide.
SETTINGS, REFERENCE, ADDRESS, PROJECT, NEARNESS = (
    "settings",
    "reference",
    "address",
    "project",
    "nearness",
)
#: The file itself tells the cluster: it holds brokers or declares it.
ANCHOR = "anchor"

# Why nothing decided.
#: The name or address that the file gives leads to no cluster that is read.
UNREAD = "unread"
#: Several clusters fit, and nothing tells them apart.
AMBIGUOUS = "ambiguous"
#: Clusters are read, and each is of another environment, region, namespace, service or example.
DENIED = "denied"
#: The file names no cluster, and there is none to fall back on.
UNNAMED = "unnamed"


class Join:
    """The evidence by which resources of a file are in their cluster.

    ``text`` says it in words; ``setting`` is the value that shows it, where one does. ``guessed``
    tells that other clusters of the name could be meant, and words of a path alone chose this one;
    ``inferred`` that nothing in the file leads to this cluster alone: it only lies near, is the only one,
    or is reached by a name that any other could have.
    """

    __slots__ = ("document", "guessed", "inferred", "kind", "resources", "setting", "text")

    def __init__(
        self,
        kind: str,
        text: str,
        document: Document,
        resources: list[Resource],
        setting: Setting | None = None,
    ) -> None:
        self.kind = kind
        self.text = text
        self.document = document
        self.resources = resources
        self.setting = setting
        self.guessed = False
        self.inferred = False

    def __repr__(self) -> str:
        return f"Join({self.kind}: {self.text})"


class Unjoined:
    """Resources of a file that belong to no cluster with brokers, and why that is.

    ``candidates`` are the clusters that could be meant; ``asked`` is what the file says of its
    cluster (a label or the bootstrap servers), None where it says nothing.
    """

    __slots__ = ("asked", "candidates", "document", "reason", "resources", "text")

    def __init__(
        self,
        reason: str,
        text: str,
        document: Document,
        resources: list[Resource],
        candidates: list[Group],
        asked: Setting | None = None,
    ) -> None:
        self.reason = reason
        self.text = text
        self.document = document
        self.resources = resources
        self.candidates = candidates
        self.asked = asked

    def __repr__(self) -> str:
        return f"Unjoined({self.document.path}: {self.reason})"


def parted(unjoined: Iterable[Unjoined]) -> set[int]:
    """The ids of documents of which a part only belongs to no cluster."""
    left: dict[int, set[int]] = {}
    of: dict[int, int] = {}
    for one in unjoined:
        key = id(one.document)
        left.setdefault(key, set()).update(map(id, one.resources))
        of[key] = len(one.document.resources)
    return {key for key, mine in left.items() if len(mine) < of[key]}


class Conflict:
    """Evidence of two clusters in one place: the weaker kind lost, and that is reported.

    ``setting`` leads to ``other`` although the resource is in ``group``; ``others`` are further
    entries of the same list. A bootstrap list that reaches two clusters is one with itself.
    """

    __slots__ = ("group", "other", "resource", "setting", "within")

    def __init__(
        self, resource: Resource, setting: Setting, group: Group, other: Group, within: bool
    ) -> None:
        self.resource = resource
        self.setting = setting
        self.group = group
        self.other = other
        #: Whether one list reaches both clusters.
        self.within = within

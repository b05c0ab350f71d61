"""How the files of a project met: what the rules of the scope ``Layout`` look at."""

from __future__ import annotations

from kcheck.graph.references import References
from kcheck.grouping.evidence import Conflict, Unjoined
from kcheck.grouping.gather import Gathered, ids, names
from kcheck.grouping.group import Group


class Layout:
    """The clusters of a project by name and id, what joined none, and where evidence contradicts."""

    __slots__ = ("_called", "_ids", "_names", "_references", "found")

    def __init__(self, found: Gathered) -> None:
        self.found = found
        self._names: dict[int, str] | None = None
        self._called: dict[int, str] | None = None
        self._ids: dict[int, str] = {}
        self._references: References | None = None

    @property
    def references(self) -> References:
        """Whom programs ask beside their own brokers, and who answers."""
        if self._references is None:
            self._references = References(self.found)
        return self._references

    @property
    def unjoined(self) -> list[Unjoined]:
        """What belongs to no cluster with brokers; empty where no file tells of brokers."""
        return self.found.unjoined if self.found.has_clusters else []

    @property
    def conflicts(self) -> list[Conflict]:
        return self.found.conflicts

    def name(self, group: Group) -> str:
        """What the cluster of a group is called; its id where another one is called alike."""
        if self._names is None:
            groups = self.found.groups
            called = names(groups)
            self._ids = dict(zip(map(id, groups), ids(groups), strict=True))
            self._names = {
                id(group): self._ids[id(group)] if called.count(name) > 1 else name
                for group, name in zip(groups, called, strict=True)
            }
        return self._names.get(id(group), group.path)

    def renamed(self, name: str) -> set[str]:
        """What the project's kustomizations make of the name of a resource."""
        made = (one.kustomize for one in self.found.documents if one.kustomize is not None)
        return {
            f"{one.name_prefix}{name}{one.name_suffix}"
            for one in made
            if one.name_prefix or one.name_suffix
        }

    def cluster_name(self, group: Group) -> str:
        """The name by which reports call the cluster."""
        if self._called is None:
            groups = self.found.groups
            self._called = dict(zip(map(id, groups), names(groups), strict=True))
        return self._called.get(id(group), "")

"""Which cluster each resource of a file is in, and why: what ``files``, ``show`` and reports tell."""

from __future__ import annotations

from kcheck.grouping.evidence import Join, Unjoined
from kcheck.grouping.gather import Gathered, ids, names
from kcheck.grouping.group import Group
from kcheck.model import Resource


class Home:
    """The cluster of some resources of a file: its name, its id, and the evidence."""

    __slots__ = ("cluster", "id", "join", "unjoined")

    def __init__(self, cluster: str, key: str, join: Join, unjoined: Unjoined | None) -> None:
        self.cluster = cluster
        self.id = key
        self.join = join
        self.unjoined = unjoined

    @property
    def resources(self) -> list[Resource]:
        return self.join.resources

    @property
    def evidence(self) -> str | None:
        """The kind of evidence; None for what is in no cluster that has brokers."""
        return None if self.unjoined is not None else self.join.kind

    @property
    def reason(self) -> str:
        """The evidence in words, or why there is none."""
        return self.unjoined.text if self.unjoined is not None else self.join.text

    def sentence(self) -> str:
        """Evidence and reason in one line."""
        if self.unjoined is not None:
            return f"no brokers: {self.reason}"
        return f"{self.join.kind}: {self.reason or 'it contains brokers or declares the cluster'}"


class Homes:
    """The homes of a project's files by path; looked up only when somebody asks."""

    def __init__(self, found: Gathered) -> None:
        self.gathered = found
        self._ids: dict[int, str] | None = None
        self._by_path: dict[str, list[Home]] | None = None

    def id_of(self, group: Group) -> str:
        """The id of the cluster that a group is."""
        if self._ids is None:
            groups = self.gathered.groups
            self._ids = dict(zip(map(id, groups), ids(groups), strict=True))
        return self._ids.get(id(group), group.path)

    def of(self, path: str) -> list[Home]:
        """The homes of a file's resources; several where they are of several clusters."""
        if self._by_path is None:
            self._by_path = {}
            groups = self.gathered.groups
            left = {id(one.resources[0]): one for one in self.gathered.unjoined}
            for one, name, key in zip(groups, names(groups), ids(groups), strict=True):
                for join in one.joins:
                    # Each file of a group without brokers has a reason of its own.
                    why = one.unjoined and left.get(id(join.resources[0]), one.unjoined)
                    home = Home(name, key, join, why)
                    self._by_path.setdefault(join.document.path, []).append(home)
        return self._by_path.get(path, [])

    def home(self, cluster_id: str, resource: Resource) -> Home | None:
        """How a resource got into one of the clusters; None for what only its file declares.

        A cluster may hold a copy of the resource that was read: they are known by their place.
        """
        for home in self.of(resource.path):
            if home.id == cluster_id and any(
                one.at == resource.at and one.kind == resource.kind for one in home.resources
            ):
                return home
        return None

    def cluster_id(self, path: str) -> str:
        """The id of the cluster that a file's first resources are in, "" if it has none."""
        homes = self.of(path)
        return homes[0].id if homes else ""

    def cluster(self, path: str) -> str:
        """The name of the cluster that a file's first resources are in, "" if it has none."""
        homes = self.of(path)
        return homes[0].cluster if homes else ""

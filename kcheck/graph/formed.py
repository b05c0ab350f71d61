"""A group of documents → the cluster that rules look at, with copies of what several files say."""

from __future__ import annotations

from kcheck.graph.cluster import Cluster
from kcheck.graph.membership import resource_key
from kcheck.grouping.gather import Gathered, ids, names
from kcheck.grouping.group import Group, declares
from kcheck.grouping.nodes import NODES, identity
from kcheck.model import Derived, Release, Resource, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.settings import Settings


def clusters(found: Gathered, settings: Settings) -> list[Cluster]:
    """The clusters of a project, in the order of its groups."""
    groups = found.groups
    return [
        formed(one, name, key, settings)
        for one, name, key in zip(groups, names(groups), ids(groups), strict=True)
    ]


def formed(one: Group, name: str, key: str, settings: Settings) -> Cluster:
    """The cluster of a group, called ``name`` and told from others of that name by ``key``."""
    facts = settings.cluster_settings(name, one.documents[0].path)
    made = Cluster(name, united(one), facts)
    made.id = key
    made.guessed = {
        resource_key(resource): one.path
        for join in one.joins
        if join.guessed
        for resource in join.resources
    }
    made.inferred = {
        resource_key(resource): one.path
        for join in one.joins
        if join.inferred
        for resource in join.resources
    }
    return made


def united(one: Group) -> list[Resource]:
    """The group's resources, with what several files say of one of them put together.

    A broker of a declaration is the node of that id in a broker file; the file's settings win,
    the declaration's facts do. Several declarations of a cluster are one. Of two layers, as base
    and overlay, the upper one wins. What is put together is a copy: no document changes.
    """
    resources = _layered(one)
    if one.releases:
        resources = [_released(resource, one.releases) for resource in resources]
    if not one.declared:
        return resources
    declared = {id(r) for d in one.documents if declares(d) for r in d.resources}
    nodes = {identity(r): r for r in resources if r.kind in NODES and id(r) not in declared}
    whole: Resource | None = None
    kept: list[Resource] = []
    made: dict[int, Resource] = {}

    def added(to: Resource, other: Resource) -> Resource:
        """``to`` with what ``other`` adds, at its place in ``kept`` or to come there."""
        merged = made.get(id(to))
        if merged is None:
            merged = made[id(to)] = _copy(to)
        _add(merged, other)
        return merged

    for resource in resources:
        if resource.kind == "cluster" and whole is not None:
            added(whole, resource)
        elif resource.kind == "broker" and id(resource) in declared and resource.name in nodes:
            added(nodes[resource.name], resource)
        else:
            whole = resource if resource.kind == "cluster" else whole
            kept.append(resource)
    return [made.get(id(resource), resource) for resource in kept] if made else kept


def _layered(one: Group) -> list[Resource]:
    """The resources with each upper layer over its lower one, in the place of the lower one."""
    if not one.layers and not one.unknown:
        return one.resources
    over: dict[int, Resource] = {}
    uppers = {id(upper) for _, upper in one.layers}
    for lower, upper in one.layers:
        merged = _copy(upper)
        if not upper.traits.rendered:
            _add(merged, _beneath(over.get(id(lower), lower), upper))
        # What replaces a name has told so.
        if not upper.traits.renames:
            merged.name = lower.name
        over[id(lower)] = merged
    for resource in one.unknown:
        if id(resource) not in uppers:
            over[id(resource)] = _unknown(over.get(id(resource), resource))
    return [over.get(id(r), r) for r in one.resources if id(r) not in uppers]


def _beneath(lower: Resource, upper: Resource) -> Resource:
    """What of the lower layer is left beneath the upper one: no line of a list that it replaces."""
    if not (upper.traits.restated and lower.traits.restated):
        return lower
    left = _copy(lower)
    left.settings = {key: one for key, one in left.settings.items() if isinstance(one, Derived)}
    return left


def _unknown(resource: Resource) -> Resource:
    """The resource with values that nobody knows: a patch that is not read may change each."""
    made = _copy(resource)
    made.traits.partial = True
    made.traits.listener_names = ()
    for settings in (made.settings, made.dynamic, made.facts):
        for name, setting in list(settings.items()):
            settings[name] = Setting(
                setting.key, None, setting.path, setting.at, setting.key_at, setting.name
            )
    return made


def _released(resource: Resource, releases: tuple[Release, ...]) -> Resource:
    """The resource with the versions that other files tell of it."""
    from kcheck.graph import released
    from kcheck.grouping.releases import of

    told = of(resource, [*releases])
    return released.told(_copy(resource), told) if told else resource


def _copy(resource: Resource) -> Resource:
    from copy import copy  # most clusters are of one file each

    made = copy(resource)
    for slot in ("settings", "dynamic", "image", "facts"):
        setattr(made, slot, dict(getattr(resource, slot)))
    made.traits = copy(resource.traits)
    made.earlier = list(resource.earlier)
    made.notes = list(resource.notes)
    return made


def _add(to: Resource, other: Resource) -> None:
    """Let ``to`` have what only ``other`` says."""
    for mine, theirs in (
        (to.settings, other.settings),
        (to.dynamic, other.dynamic),
        (to.facts, other.facts),
        (vars(to.traits), vars(other.traits)),
    ):
        for name, value in theirs.items():
            mine.setdefault(name, value)

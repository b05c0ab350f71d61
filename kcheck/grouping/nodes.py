"""Whether broker files can be the nodes of one cluster: ids, quorums, environments."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.grouping.names import generic, loopback, qualified
from kcheck.grouping.place import environments
from kcheck.model import Document, Resource

NODES = ("broker", "controller")

_QUORUMS = (
    ("controller.quorum.voters", "kraft"),
    ("controller.quorum.bootstrap.servers", "kraft"),
    ("zookeeper.connect", "zookeeper"),
)
_NO_DIGITS = str.maketrans("", "", "0123456789")


def identity(resource: Resource) -> str:
    """The node's id as its file writes it; "" where it is not known."""
    setting = resource.settings.get("node.id") or resource.settings.get("broker.id")
    return (setting.text or "") if setting else ""


def quorum(resource: Resource) -> dict[str, set[str]]:
    """The members of the node's quorum, by ``kraft`` or by ``zookeeper`` and its chroot."""
    found: dict[str, set[str]] = {}
    for key, kind in _QUORUMS:
        setting = resource.settings.get(key) or resource.image.get(key)
        if setting is None or not setting.text:
            continue
        hosts, slash, chroot = setting.text.partition("/")
        if kind == "zookeeper":
            kind = f"zookeeper{slash}{chroot}"
        members = {entry.rpartition("@")[2].strip() for entry in hosts.split(",")} - {""}
        found.setdefault(kind, set()).update(members)
    return found


def meet(one: dict[str, set[str]], other: dict[str, set[str]]) -> bool:
    """Whether two nodes can be of one quorum: a member in common, or one says nothing."""
    if not one or not other:
        return True
    return any(members & other.get(kind, set()) for kind, members in one.items())


def agree(documents: Iterable[Document]) -> bool:
    """Whether files can be the nodes of one cluster.

    Several need an id each, all different, quorums that meet and no two environments. Files that
    do not agree are alternatives of each other. Files of one numbered series need no ids, or with
    ids no quorums that meet: each of them as its own only voter is the fault then.
    """
    nodes = [r for document in documents for r in document.resources if r.kind in NODES]
    if len(nodes) < 2:
        return True
    ids = [identity(node) for node in nodes if identity(node)]
    if len(set(ids)) < len(ids):
        return False
    series = len({unnumbered(node.path) for node in nodes}) == 1 and len(
        {node.path for node in nodes}
    ) == len(nodes)
    if len(ids) < len(nodes) and not series:
        return False
    if len({environments(node.path) for node in nodes}) > 1:
        return False
    known = [q for q in map(quorum, nodes) if q]
    if all(meet(known[0], other) for other in known[1:]):
        return True
    if series and len(ids) == len(nodes) and self_elected(nodes):
        return True
    return complementary(nodes)


def _roles(nodes: list[Resource]) -> set[str]:
    told = (node.settings.get("process.roles") for node in nodes)
    return {(one.text or "") if one is not None else "" for one in told}


def complementary(nodes: list[Resource]) -> bool:
    """Whether some are controllers alone and the others brokers alone, with a quorum on one host.

    Neither is a cluster without the other: a port that differs is a fault then.
    """
    if _roles(nodes) != {"broker", "controller"}:
        return False
    hosts = [
        {member.rpartition(":")[0] for member in quorum(node).get("kraft", ())} for node in nodes
    ]
    shared = set.intersection(*hosts)
    return any(qualified(host) for host in shared)


def self_elected(nodes: list[Resource]) -> bool:
    """Whether each node is a KRaft quorum of its own, in which it is the only voter."""
    for node in nodes:
        voters = node.settings.get("controller.quorum.voters")
        entries = (voters.text or "").split(",") if voters is not None else []
        if len(entries) != 1 or entries[0].partition("@")[0].strip() != identity(node):
            return False
    return bool(nodes)


def unnumbered(path: str) -> str:
    """The path without its digits, which the members of a series share."""
    return path.translate(_NO_DIGITS)


def one_quorum(nodes: list[Resource]) -> bool:
    """Whether all nodes name one member of a quorum, by a host that is not just any: a broker and its
    controller may name any, for neither runs alone."""
    members = [set().union(*quorum(node).values()) for node in nodes]
    hosts = {member.rpartition(":")[0] or member for member in set.intersection(*members)}
    if _roles(nodes) == {"broker", "controller"}:
        return bool(hosts) or complementary(nodes)
    return not all(loopback(host) or generic(host) for host in hosts)


def shared_quorum(document: Document) -> bool:
    """Whether the file names a quorum of several members: strong enough to join siblings."""
    nodes = [r for r in document.resources if r.kind in NODES]
    return all(any(len(members) > 1 for members in quorum(node).values()) for node in nodes)

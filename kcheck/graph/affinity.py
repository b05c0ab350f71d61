"""Evidence that files belong to one cluster, or cannot: quorums, ids, environments, host names."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import endpoints
from kcheck.formats.text import templated
from kcheck.model import Document, Resource

NODES = ("broker", "controller")

_ENVIRONMENTS = {
    "dev": "dev",
    "devel": "dev",
    "development": "dev",
    "test": "test",
    "tests": "test",
    "testing": "test",
    "int": "int",
    "qa": "qa",
    "uat": "uat",
    "stg": "stage",
    "stage": "stage",
    "staging": "stage",
    "sandbox": "sandbox",
    "prod": "prod",
    "prd": "prod",
    "production": "prod",
    "real": "prod",
    "local": "local",
}
#: Every environment's word has one of these in it, few other names have.
_HINTS = (
    "dev",
    "test",
    "int",
    "qa",
    "uat",
    "stg",
    "stag",
    "sandbox",
    "prod",
    "prd",
    "real",
    "local",
)
_QUORUMS = (
    ("controller.quorum.voters", "kraft"),
    ("controller.quorum.bootstrap.servers", "kraft"),
    ("zookeeper.connect", "zookeeper"),
)
#: Names that mean another machine to everybody who writes them.
_LOOPBACK = ("", "localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]", "[::]")

_NO_DIGITS = str.maketrans("", "", "0123456789")

_words: dict[str, frozenset[str]] = {"": frozenset()}


def environments(path: str) -> frozenset[str]:
    """The environments that a path names: ``clusters/prod-eu/a.yaml`` → {"prod"}."""
    folder, _, name = path.rpartition("/")
    found = _words.get(folder)
    if found is None:
        found = _words[folder] = environments(folder)
    mine = _environments(name)
    return found | mine if mine else found


def _environments(name: str) -> set[str]:
    name = name.lower()
    for hint in _HINTS:
        if hint in name:
            parts = name.replace(".", "-").replace("_", "-").split("-")
            return {_ENVIRONMENTS[part] for part in parts if part in _ENVIRONMENTS}
    return set()


def compatible(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of environments can mean the same one: equal, or one says nothing."""
    return not one or not other or one == other


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
    do not agree are alternatives of each other. Files of one numbered series need no ids.
    """
    nodes = [r for document in documents for r in document.resources if r.kind in NODES]
    if len(nodes) < 2:
        return True
    ids = [identity(node) for node in nodes if identity(node)]
    if len(set(ids)) < len(ids):
        return False
    if len(ids) < len(nodes) and (
        len({unnumbered(node.path) for node in nodes}) > 1
        or len({node.path for node in nodes}) < len(nodes)
    ):
        return False
    if len({environments(node.path) for node in nodes}) > 1:
        return False
    known = [q for q in map(quorum, nodes) if q]
    return all(meet(known[0], other) for other in known[1:])


def unnumbered(path: str) -> str:
    """The path without its digits, which the members of a series share."""
    return path.translate(_NO_DIGITS)


def shared_quorum(document: Document) -> bool:
    """Whether the file names a quorum of several members: strong enough to join siblings."""
    nodes = [r for r in document.resources if r.kind in NODES]
    return all(any(len(members) > 1 for members in quorum(node).values()) for node in nodes)


def hosts(resource: Resource) -> set[str]:
    """The host names under which clients can know a node; a container's name is one."""
    names = resource.values.get("names")
    found = {resource.name, *(names if isinstance(names, list) else ())}
    for key in ("advertised.listeners", "listeners"):
        setting = resource.settings.get(key)
        if setting is not None and setting.text:
            found.update(host for host, _ in endpoints.split(setting.text))
    return found.difference(_LOOPBACK)


def bootstrap_hosts(resource: Resource) -> set[str]:
    """The host names that a client asks first."""
    setting = resource.settings.get("bootstrap.servers")
    if setting is None or not setting.text:
        return set()
    return {host for host, _ in endpoints.split(setting.text)}.difference(_LOOPBACK)


def names_others(member: Resource, nodes: Iterable[Resource]) -> bool:
    """Whether a client asks hosts that are surely none of these nodes'.

    Sure are only containers, whose names their file tells.
    """
    wanted = bootstrap_hosts(member)
    for node in nodes:
        told = node.settings.get("advertised.listeners")
        vague = told is not None and (told.text is None or templated(told.text))
        if node.managed != "compose" or vague or wanted & hosts(node):
            return False
    return bool(wanted)


#: Managed services that a format tells, because their own tools declare the resource.
SERVICES = ("msk", "confluent-cloud", "aiven")


def service(resource: Resource) -> str:
    """The managed service that declares the resource, or that a client's bootstrap hosts belong to;
    "" where nothing shows one."""
    if resource.managed in SERVICES:
        return resource.managed
    return endpoints.service_of(resource.settings.get("bootstrap.servers")) or ""

"""The hosts that plays of Ansible put a file on, and what a file is on each of them."""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.ansible import inventories, plays
from kcheck.formats.ansible.plays import Play
from kcheck.formats.ansible.role_variables import IDENTITIES, Host, Variables
from kcheck.formats.listener_ports import listeners_of
from kcheck.model import ANYWHERE, Address, Resource, Setting

NODES = ("broker", "controller")
#: More brokers than anybody has in one inventory are not told one by one.
_MOST_HOSTS = 60


def hosts_of(path: str, role: str, lookup: Lookup) -> list[Host]:
    """The hosts that plays put a template on; none where no inventory tells them."""
    above, roles, name = f"/{role}".rpartition("/roles/")
    beside = role.rpartition("/")[0] if roles else ""
    root = above[1:] if roles else role
    roots = [*dict.fromkeys((root, root.rpartition("/")[0]))]
    # A folder of templates beside plays is no role's.
    found = plays.found(roots, name if roles else "", path.rpartition("/")[2], lookup, beside)
    hosts = on_hosts(found, roots, role, lookup)
    if not (hosts and roles):
        return hosts
    from kcheck.formats.ansible.placing import placed  # most templates are of no play

    return placed(path.rpartition("/")[2], role, hosts, lookup)


def on_hosts(found: list[Play], roots: list[str], role: str, lookup: Lookup) -> list[Host]:
    """The hosts of some plays; none where no inventory tells them."""
    hosts: dict[tuple[str, str], Host] = {}
    for label, inventory in inventories.found(roots, lookup) if found else ():
        for play in found:
            names = None if play.pattern is None else inventory.matching(play.pattern)
            if names is None:
                return []
            for one in names:
                host = Host(one, inventory, label, play)
                if (label, one) not in hosts and _applies(host, role, lookup):
                    hosts[label, one] = host
    return [*hosts.values()] if len(hosts) <= _MOST_HOSTS else []


def _applies(host: Host, role: str, lookup: Lookup) -> bool:
    """Whether a play may put the template on a host, by its conditions."""
    if not host.play.whens:
        return True
    variables = Variables(role, lookup, host)
    return all(variables.truth(when) is not False for when in host.play.whens)


def complete(
    resource: Resource, variables: Variables, hosts: list[Host], host: Host | None, several: bool
) -> None:
    """Give a resource the values of variables, and its name and place among the hosts."""
    node = resource.kind in NODES
    alone = len(hosts) == 1
    variables.fill(resource, alone, node or alone)
    if several and host is not None:
        resource.cluster = host.label
    if host is None or not node:
        return
    roles = resource.settings.get("process.roles")
    if roles is not None and roles.text is not None:
        told = {role.strip() for role in roles.text.split(",")}
        resource.kind = "controller" if told == {"controller"} else "broker"
    resource.name = host.name
    resource.traits.addresses += _addresses(resource, host, variables)
    for key in IDENTITIES if not alone else ():
        own = resource.settings.get(key)
        if own is not None and type(own) is Setting:
            # The same number for all: something else puts theirs in its place.
            own.text = own.raw = None
    at = host.inventory.place(host.name)
    resource.facts["replicas"] = Setting("replicas", "1", host.inventory.path, at)


def _addresses(node: Resource, host: Host, variables: Variables) -> tuple[Address, ...]:
    """Where a broker answers whose listeners have no host: at the names that the inventory gives it."""
    machine = variables.value("ansible_host")
    names = [host.name, *([machine] if isinstance(machine, str) else [])]
    return tuple(
        Address(name, one.port, ANYWHERE, one.name, one.setting)
        for name in dict.fromkeys(names)
        for one in listeners_of(node).all
        if one.host in _EVERY_HOST and not name.startswith(_LOOPBACK)
    )


_EVERY_HOST = ("", "0.0.0.0")
_LOOPBACK = ("localhost", "127.", "::1")

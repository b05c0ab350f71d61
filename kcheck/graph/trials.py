"""Signs that a cluster of several brokers is one on trial, whose records nobody relies on."""

from __future__ import annotations

from kcheck import endpoints
from kcheck.grouping.names import local
from kcheck.grouping.place import lesson
from kcheck.model import Resource
from kcheck.model.processes import CLAIM, covering
from kcheck.units import whole

#: A disk of two segments of the default size.
_SMALL_DISK = 2 << 30


def on_trial(resource: Resource) -> bool:
    """Whether a broker loses its records with its pod or resource, has room for hardly any, cannot
    run beside its other replicas, is reached from its own machine alone, or is part of a lesson."""
    claims = resource.traits.claims
    if resource.traits.ephemeral or (claims and all(claim.deletes for claim in claims)):
        return True
    if lesson(resource.path):
        return True
    disk = resource.facts.get("disk_size")
    if disk is not None and disk.amount is not None and disk.amount <= _SMALL_DISK:
        return True
    return _exclusive(resource) or _local(resource)


def _local(resource: Resource) -> bool:
    """Whether all that a broker advertises is the machine that it runs on: others are there, too.

    Beside it may stand the names of containers, which are known on that machine alone.
    """
    told = resource.settings.get("advertised.listeners") or resource.settings.get("listeners")
    hosts = {host for host, _ in endpoints.split((told and told.text) or "")}
    return any(map(local, hosts)) and all(local(host) or "." not in host for host in hosts)


def _exclusive(resource: Resource) -> bool:
    """Whether only one replica can run, because all keep their data in one directory of a claim."""
    process = resource.traits.process
    number = whole(process.replicas.text) if process and process.replicas else None
    if process is None or number is None or number < 2:
        return False
    dirs = resource.settings.get("log.dirs") or resource.image.get("log.dirs")
    for path in ((dirs and dirs.text) or "").split(","):
        mount = covering(process.mounts or (), path.strip()) if path.strip() else None
        if mount is not None and mount.kind == CLAIM and not mount.own:
            return True
    return False

"""Whether the replicas of a broker can run side by side."""

from __future__ import annotations

from kcheck.model import Resource
from kcheck.model.processes import CLAIM, covering
from kcheck.units import whole


def exclusive(resource: Resource) -> bool:
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

"""What is mounted over the files of an image: its configuration, or its own start scripts."""

from __future__ import annotations

from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose.file import Service
from kcheck.images import Family


def replacing(service: Service, family: Family) -> str | None:
    """The mounted file that takes the place of the image's own configuration."""
    for _, path in compose_facts.mounted(service):
        target = path.rstrip("/")
        for mount in family.mounts:
            file = mount.rstrip("!")
            if target == file:
                return mount
            if target == file.rpartition("/")[0]:
                return file
    return None


def patched(service: Service, family: Family) -> bool:
    """Whether files are mounted over the image's own start scripts, which may do anything then."""
    folders = [start.rpartition("/")[0] for start in family.starts]
    return any(
        folder and f"{path}/".startswith(f"{folder}/")
        for _, path in compose_facts.mounted(service)
        for folder in folders
    )

"""What is mounted over the files of an image: its configuration, or its own start scripts."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.file import File, Service, joined
from kcheck.images import Family
from kcheck.model import Resource


def of_project(service: Service, folder: str) -> Iterator[tuple[str, str]]:
    """(path in the project, path in the container) of what a service of a file in a folder mounts."""
    volumes = compose_facts.volumes(service)
    for number, (source, target) in enumerate(compose_facts.mounted(service)):
        # A volume of a bare name is none of the project's, while the file of a config is.
        own = source.startswith(("./", "../")) or (number >= len(volumes) and source[:1] != "/")
        path = joined(folder, source) if source and own else ""
        if path and not f"{folder}/".startswith(f"{path}/"):
            yield path, target


def give_logins(resource: Resource, service: Service, environment: Environment, file: File) -> None:
    """Give the resource of a service the logins of the mounted file that its JVM is told."""
    from kcheck.formats.containers import jaas_files  # few services name one

    def find(path: str) -> jaas_files.Found | None:
        for own, target in of_project(service, file.folder):
            rest = path.removeprefix(target.rstrip("/"))
            if rest != path and rest[:1] in ("", "/"):
                data = file.lookup(own.rstrip("/") + rest)
                return (own.rstrip("/") + rest, data) if data is not None else None
        return None

    jaas_files.give(resource, jaas_files.named(environment.variables), find)


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

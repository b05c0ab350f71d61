"""Dockerfiles: brokers and workers whose variables an image brings along, and the Kafka that it has.

Which container runs the image, and with what else, nobody sees here: what lacks is unknown. Where a
compose file builds it, its service is judged there.
"""

from __future__ import annotations

import re

from kcheck import catalogue, images
from kcheck.formats import Lookup
from kcheck.model import DOCKER, KAFKA, PASSED_OVER, READ, Document, Release, Setting
from kcheck.syntax import dockerfile

FORMAT = "dockerfile"

_FROM = re.compile(rb"^[ \t]*FROM[ \t]+\S", re.MULTILINE | re.IGNORECASE)
#: What only an image with something of Kafka's in it has.
_OURS = re.compile(
    rb"kafka_2\.|kafka_\$|\bKAFKA_|\bCONNECT_[A-Z]|^[ \t]*FROM[ \t][^\n]*(?:kafka|cp-server|debezium/connect)",
    re.MULTILINE | re.IGNORECASE,
)

#: What images with plugins have, whoever runs them.
_EVERYWHERE = frozenset((None, "plugin.path"))


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if _OURS.search(data) and _FROM.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    from kcheck.formats.compose.build import Build

    document.status, document.reason = PASSED_OVER, "contains no variables of a broker or worker"
    stage = dockerfile.read(data.decode("utf-8", "replace"), {})
    if stage is None:
        return
    build = Build(document.path, stage, document.path.rpartition("/")[0])
    version = _version(build)
    if version is not None:
        told = [Release(KAFKA, version, path) for path in build.copied() if "$" not in path]
        folder = document.path.rpartition("/")[0]
        if _numbered(folder, version.text or ""):
            told.append(Release(KAFKA, version, folder))
        document.extent.releases += tuple(told)
    _container(document, build, version)
    if b".properties" in data:
        from kcheck.formats.containers import dockerfile_steps  # few images write one

        dockerfile_steps.add(document, stage, lookup)


def _numbered(folder: str, version: str) -> bool:
    """Whether a folder has the version of its image for a name: all that is in it is for that one."""
    name = folder.rpartition("/")[2].removeprefix("v")
    return name[:1].isdigit() and "." in name and f"{version}.".startswith(f"{name}.")


def _version(build: Build) -> Setting | None:
    """Kafka's version in the image: what the steps fetch, or what the image below has."""
    fetched = build.version()
    if fetched is not None:
        return fetched
    image = build.stage.image
    repository, tag = images.split(image)
    family = images.family_of(repository)
    if family is None or images.UNKNOWN in image or (not tag and "@" in image):
        return None
    told = family.version(tag)
    return Setting("kafka_version", told, build.path, build.stage.at) if told else None


def _container(document: Document, build: Build, version: Setting | None) -> None:
    """Add the node that the image is, where its variables are those of one."""
    from kcheck.formats.containers.container import Image, container

    variables = build.variables()
    text = None if images.UNKNOWN in build.stage.image else build.stage.image
    image = Image(text, build.stage.at)
    if not variables or not _tells(image.family, set(variables)):
        return
    if image.family is not None and build.replaces(image.family):
        return
    name = document.path.rpartition("/")[0].rpartition("/")[2] or document.path
    at = next(iter(variables.values())).at
    made = container(name, document.path, at, image, variables, False, DOCKER)
    if made is None:
        return
    made.traits.partial = made.traits.fragment = True
    if version is not None:
        worker = made.kind == "worker"
        made.facts["client.version" if worker else "kafka_version"] = version
    document.status, document.reason = READ, ""
    document.resources.append(made)


def _tells(family: Family | None, variables: set[str]) -> bool:
    """Whether the variables are those of a node: several that the image below reads, or a broker's."""
    if family is None:
        return images.asking_for(variables) is not None
    known = catalogue.plane("connect-distributed" if family.role == images.WORKER else "broker")
    keys = {family.key(name) for name in variables if not family.meanings(name)}
    return sum(key is not None and key in known for key in keys - _EVERYWHERE) > 1


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.compose.build import Build
    from kcheck.images import Family

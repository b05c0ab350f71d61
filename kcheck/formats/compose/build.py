"""Services whose image is built: the project's Dockerfile says which one lies below."""

from __future__ import annotations

import re

from kcheck.formats.compose.environment import scalar_text
from kcheck.formats.compose.file import Layer, Service, context_of, joined
from kcheck.formats.containers.variables import Variable
from kcheck.images import Family
from kcheck.model import Setting
from kcheck.syntax import dockerfile, yaml

#: Variables that tell which Kafka a Dockerfile fetches.
_VERSIONS = re.compile(
    r"(?:APACHE_)?KAFKA_(?:RELEASE_|BROKER_|DIST_|DOWNLOAD_)?(?:VERSION|RELEASE|VER)"
)


class Build:
    """The Dockerfile of a service: its path, the folder of the build, and what comes of it."""

    def __init__(self, path: str, stage: dockerfile.Stage, context: str = "") -> None:
        self.path = path
        self.stage = stage
        self.context = context

    def version(self) -> Setting | None:
        """The Kafka that the image fetches, by the name of its archive or a variable."""
        from kcheck.formats.releases import archived, kafka_release

        told: Setting | None = None
        for step, text, known in self.stage.filled():
            fetched = archived(text)
            if fetched:
                return Setting("kafka_version", fetched, self.path, step.at)
            for name, value in known.items():
                if told is None and _VERSIONS.fullmatch(name) and step.name != "FROM":
                    release = kafka_release(value)
                    told = (
                        Setting("kafka_version", release, self.path, step.at) if release else None
                    )
        return told

    def copied(self) -> list[str]:
        """The project's files and folders that the image has, below the folder of the build."""
        # A slash at the beginning is the folder of the build as well.
        paths = (joined(self.context, one.lstrip("/")) for one in self.stage.sources())
        return [path for path in paths if path and path != self.context]

    def variables(self) -> dict[str, Variable]:
        """The variables that the image brings along."""
        return {
            name: Variable(name, one.text, self.path, one.at, one.key_at)
            for name, one in self.stage.variables().items()
        }

    def replaces(self, family: Family) -> bool:
        """Whether it has the container start something else, or puts files in place of the image's."""
        other = self.stage.command()
        if other and not family.started_by(other):
            return True
        files = [mount.rstrip("!") for mount in (*family.mounts, *family.starts)]
        places = {place for file in files for place in (file, file.rpartition("/")[0])}
        return any(target.rstrip("/") in places for target in self.stage.targets())


def of(service: Service) -> Build | None:
    """How the image of a service is built; None where nobody here can see it."""
    found = service.get("build")
    if found is None:
        return None
    layer, node = found
    context = context_of(layer, node)
    name = yaml.child(node, "dockerfile")
    file = "Dockerfile" if name is None else _text(layer, name)
    if context is None or file is None or "://" in context or context.startswith("git@"):
        return None
    path = joined(layer.file.folder, f"{context}/{file}")
    data = layer.file.lookup(path)
    if data is None:
        return None
    target = yaml.child(node, "target")
    stage = dockerfile.read(
        data.decode("utf-8", "replace"),
        _arguments(layer, yaml.child(node, "args")),
        (_text(layer, target) or "?") if target is not None else "",
    )
    return None if stage is None else Build(path, stage, joined(layer.file.folder, context))


def _text(layer: Layer, node: yaml.Node) -> str | None:
    text = yaml.text(node)
    return None if text is None else layer.file.variables.filled(text)


def _arguments(layer: Layer, node: yaml.Node | None) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for item in yaml.items(node):
        name, equals, value = (yaml.text(item) or "").partition("=")
        found[name] = layer.file.variables.filled(value) if equals else None
    for name, _, value_node in yaml.pairs(node):
        text = scalar_text(value_node)
        found[name] = None if text is None else layer.file.variables.filled(text)
    return found

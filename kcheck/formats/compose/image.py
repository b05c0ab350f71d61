"""The image of a compose service: named, built in the project, or made of one that kcheck knows."""

from __future__ import annotations

from kcheck import images
from kcheck.formats.compose import build as compose_build
from kcheck.formats.compose.environment import names, within
from kcheck.formats.compose.file import Service, shown
from kcheck.images import Family
from kcheck.model import Setting
from kcheck.syntax import yaml


class Image:
    """The image of a service: its family, where that can be told, and its Kafka version."""

    def __init__(self, service: Service) -> None:
        self.family: Family | None = None
        self.version = ""
        self.text: str | None = None
        #: Its name, be the tag filled in or not.
        self.repository = ""
        self.path = service.layers[0].file.path
        self.at = self.tag_at = service.at
        #: How it is built, where that tells what it is.
        self.build: compose_build.Build | None = None
        #: Whether it is another one, made of that family's.
        self.derived = False
        #: The Kafka that a Dockerfile fetches on top of an image that is none of Kafka's.
        self.fetched: Setting | None = None
        self._named(service)
        if self.family is None:
            self._built(service)
        else:
            # Built in the project under the name of another image: nobody knows what is in it.
            self.derived = service.get("build") is not None
        if self.family is None:
            self.family = images.asking_for(names(service))
            self.derived = self.family is not None
            if self.derived and self.fetched is not None:
                self.version = self.fetched.text or ""
                self.path, self.tag_at = self.fetched.path, self.fetched.at

    def _built(self, service: Service) -> None:
        build = compose_build.of(service)
        if build is None:
            return
        stage = build.stage
        repository, tag = images.split(stage.image)
        self.family = images.family_of(repository)
        if self.family is None:
            self.build, self.fetched = build, build.version()
            return
        self.build, self.derived, self.text = build, True, stage.image
        self.path, self.at, self.tag_at = build.path, stage.at, stage.at
        if images.UNKNOWN in stage.image:
            self.text = None
        elif tag or "@" not in stage.image:
            self.version = self.family.version(tag)

    def _named(self, service: Service) -> None:
        found = service.get("image")
        if found is None:
            return
        layer, node = found
        raw = yaml.text(node)
        if raw is None:
            return
        self.path, self.at = layer.file.path, yaml.position(node)
        self.tag_at = self.at
        self.text = layer.file.variables.filled(raw)
        repository, tag = images.split(shown(raw) if self.text is None else self.text)
        self.repository = repository
        self.family = images.family_of(repository)
        pinned = not tag and "@" in raw
        if self.family is not None and images.UNKNOWN not in tag and not pinned:
            self.version = self.family.version(tag)
            if tag and raw == self.text:
                start = len(repository) + 1
                self.tag_at = within(layer.file, node, start, start + len(tag))

"""Spring Cloud's ``bootstrap.yml`` beside the Kafka binder, whose defaults rank above it.

The binder adds byte-array serializers for ``spring.kafka`` as the source of the least rank but one:
what ``bootstrap.yml`` says is ranked below (KafkaBinderEnvironmentPostProcessor of the binder,
BootstrapApplicationListener of Spring Cloud).
"""

from __future__ import annotations

import re

from kcheck.formats import build_files
from kcheck.model import Document, Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

CODE = "KC0139"

_NAME = re.compile(r"(?:.*/)?bootstrap(?:-[\w-]+)?\.(?:ya?ml|properties)")
_BUILDS = ("pom.xml", "build.gradle", "build.gradle.kts")
_BINDER = re.compile(
    rb"spring-cloud-(?:starter-(?:bus|stream)-kafka|stream-binder-kafka)(?![\w-]*streams)"
)
_BESIDE = ("application.yml", "application.yaml", "application.properties")
_KEYS = ("key.serializer", "value.serializer", "key.deserializer", "value.deserializer")


def note(document: Document, lookup: Lookup) -> None:
    """Note on clients the serializers that the binder's defaults replace."""
    path = document.path
    if not _NAME.fullmatch(path) or not _bound(path, lookup) or _elsewhere(path, lookup):
        return
    for client in document.resources:
        found = [
            setting
            for key in _KEYS
            if (setting := client.settings.get(key)) is not None
            and setting.path == path
            and setting.name.startswith("spring.kafka.")
        ]
        if found:
            names = " and ".join(setting.name for setting in found)
            client.notes.append(
                Note(
                    CODE,
                    found[0],
                    f"the Kafka binder replaces {names} of a bootstrap file with its own defaults",
                    "the client gets the byte-array serializers of the binder",
                    "move them to application.yml",
                    others=tuple(found[1:]),
                )
            )


def _bound(path: str, lookup: Lookup) -> bool:
    """Whether the build above a file has the Kafka binder of Spring Cloud Stream."""
    for folder in build_files.folders_above(path):
        for name in _BUILDS:
            data = lookup(f"{folder}/{name}" if folder else name)
            if data is not None:
                return _BINDER.search(data) is not None
    return False


def _elsewhere(path: str, lookup: Lookup) -> bool:
    """Whether the application's own file has serializers, too, or may get them."""
    folder = path.rpartition("/")[0]
    for name in _BESIDE:
        data = lookup(f"{folder}/{name}" if folder else name)
        if data is not None and b"erializer" in data:
            return True
    return False

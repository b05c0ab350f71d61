"""A service of compose whose command starts Kafka itself, with ``--override`` for its settings.

Strimzi's image is used this way. The command takes values from variables of the container, written
``$${NAME}``: such a setting stands where the variable does.
"""

from __future__ import annotations

import re

from kcheck import images
from kcheck.formats.compose import addresses as compose_addresses
from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.file import File, Service
from kcheck.formats.containers import started
from kcheck.model import COMPOSE, Document, Resource, Setting
from kcheck.syntax import yaml

#: Strimzi's tags: 0.40.0-kafka-3.7.0, latest-kafka-4.1.0.
_TAG = re.compile(r"-kafka-(\d+\.\d+(?:\.\d+)?)\Z")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")


def read(document: Document, service: Service, image: Setting) -> bool:
    """Add the broker that the service starts, if it does; False where it starts something else.

    Beneath the settings lies a file of the image's, of which nothing is known.
    """
    parts, file = _command(service)
    words = "\n".join(str(part.value) for part in parts)
    if file is None or started.START.search(words) is None:
        return False
    path = service.path
    resource = Resource("broker", service.name, path, service.at)
    resource.traits.deployer = COMPOSE
    resource.traits.partial = True
    environment = Environment(service)
    for made in started.overrides(parts, file.lines, path):
        resource.settings[made.key] = _filled(made, file, environment)
    resource.facts["image"] = image
    version = _TAG.search(images.split(image.text or "")[1])
    if version is not None:
        told = Setting("kafka_version", version.group(1), image.path, image.at)
        resource.facts["kafka_version"] = told
    heap = environment.variables.get("KAFKA_HEAP_OPTS")
    compose_facts.add(resource, service, heap.setting("heap", heap.known) if heap else None)
    resource.traits.addresses = compose_addresses.of_node(resource, service)
    count = compose_facts.replicas(service, path)
    if count is not None:
        resource.facts["replicas"] = count
    document.resources.append(resource)
    return True


def _command(service: Service) -> tuple[list[yaml.ScalarNode], File | None]:
    """The scalars of ``entrypoint`` and ``command`` with the file that they stand in.

    Those of two files are not put together: there is no telling what becomes of such a command.
    """
    parts: list[yaml.ScalarNode] = []
    files: dict[str, File] = {}
    for key in ("entrypoint", "command"):
        found = service.get(key)
        if found is None:
            continue
        for node in yaml.items(found[1]) or [found[1]]:
            if isinstance(node, yaml.ScalarNode):
                parts.append(node)
                files[found[0].file.path] = found[0].file
    return parts, next(iter(files.values())) if len(files) == 1 else None


def _filled(made: Setting, file: File, environment: Environment) -> Setting:
    """The setting with what compose and the shell put into it; unknown where that is unknown."""
    raw = file.variables.filled(made.raw or "")
    whole = _VARIABLE.fullmatch(raw or "")
    if whole is not None:
        variable = environment.variables.get(whole.group(1) or whole.group(2))
        if variable is not None:
            return variable.setting(made.key, variable.known)
    return started.plain(Setting(made.key, raw, made.path, made.at, made.key_at))

"""A container with an image and variables, wherever it is defined → a broker or a worker.

Kubernetes, ECS and charts say the same thing in their own words; what the image makes of it is the
business of ``environment``. compose knows more of its containers and has a module of its own.
"""

from __future__ import annotations

import re

from kcheck import images
from kcheck.formats.containers import environment_faults as faults
from kcheck.formats.containers.environment import Reading
from kcheck.formats.containers.jvm_options import names_jaas_file
from kcheck.formats.containers.variables import Variable
from kcheck.images import WORKER, Family
from kcheck.model import Position, Resource, Setting
from kcheck.version import Version

_HEAP = re.compile(r"-Xmx(\d{1,19})([kmgt]?)", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
#: Kubernetes' quantities, of which compose and docker know other spellings.
_QUANTITY = re.compile(r"(\d{1,19}(?:\.\d+)?)(m|[kKMGTP]i?)?")
_BINARY = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50}
_DECIMAL = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}


class Image:
    """An image reference: its family and Kafka version, where they can be told."""

    __slots__ = ("at", "family", "text", "version")

    def __init__(self, text: str | None, at: Position) -> None:
        self.text = text
        self.at = at
        self.family: Family | None = None
        self.version = ""
        if text:
            repository, tag = images.split(text)
            self.family = images.family_of(repository)
            pinned = not tag and "@" in text
            if self.family is not None and not pinned and "$" not in tag and "{" not in tag:
                self.version = self.family.version(tag)


def note_replaced(resource: Resource, variables: dict[str, Variable]) -> None:
    """Keep the settings that variables further down in the same list replace."""
    for new in variables.values():
        old = new.replaced
        for setting in [*resource.settings.values()] if old is not None else ():
            if old is not None and setting.name == new.name:
                resource.earlier.append((old.setting(setting.key, old.known), setting))


def container(
    name: str,
    path: str,
    at: Position,
    image: Image,
    variables: dict[str, Variable],
    complete: bool,
    deployer: str,
) -> Resource | None:
    """The broker or worker that a container is; None where neither its image nor its variables tell.

    ``complete`` says that the variables are all that it gets, and that the image starts it.
    """
    family = image.family or images.asking_for(set(variables))
    if family is None:
        return None
    complete = complete and image.family is not None
    worker = family.role == WORKER
    plane = "connect-distributed" if worker else "broker"
    resource = Resource("worker" if worker else "broker", name, path, at, plane)
    resource.traits.deployer = deployer
    floor = images.floor(family, image.text)
    reading = Reading(resource, family, variables, Version(image.version), floor)
    if "controller" in reading.conditions:
        resource.kind = "controller"
    note_replaced(resource, variables)
    reading.add_base(image.at)
    faults.note(reading, at, complete)
    resource.traits.image_family = family.id
    resource.traits.partial = resource.traits.partial or family.guessed
    if complete:
        resource.traits.by_environment = True
        resource.traits.jaas_file = names_jaas_file(variables)
    resource.facts["image"] = Setting("image", image.text, path, image.at)
    if image.version:
        fact = "client.version" if worker else "kafka_version"
        resource.facts[fact] = Setting(fact, image.version, path, image.at)
    for variable in ("KAFKA_HEAP_OPTS", "HEAP_OPTS"):
        if variable in variables:
            heap(resource, variables[variable].setting("heap", variables[variable].known))
            break
    return resource


def heap(resource: Resource, setting: Setting) -> None:
    """Take the largest heap that Java options allow for a fact of the resource, in bytes."""
    found = _HEAP.search(setting.text or "")
    if found is not None:
        resource.facts["heap"] = setting
        setting.amount = int(found.group(1)) * _UNITS[found.group(2).lower()]


def quantity(text: str | None) -> float | None:
    """``4Gi``, ``500m``, ``2``: Kubernetes' way to write bytes and cores; None for anything else."""
    found = _QUANTITY.fullmatch((text or "").strip())
    if found is None:
        return None
    number, unit = float(found.group(1)), found.group(2) or ""
    if unit == "m":
        return number / 1000
    return number * _BINARY.get(unit, _DECIMAL.get(unit, 1))


def amount(resource: Resource, name: str, setting: Setting) -> None:
    """Take a quantity for a fact of the resource; one that cannot be read is unknown."""
    number = quantity(setting.text)
    if number is not None:
        setting.amount = int(number) if number == int(number) else number
    resource.facts[name] = setting

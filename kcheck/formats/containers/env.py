"""Env files: ``.env`` and what ``env_file`` names.

Where a compose file uses one, its variables are judged there, at their places here. One that lies
alone is given to containers that nobody sees here: it is a broker, a worker or a program around Kafka
where its variables are those of one. What else the container has is unknown.
"""

from __future__ import annotations

import re

from kcheck import images
from kcheck.formats import Lookup
from kcheck.model import DOCKER, PASSED_OVER, Document, Position

FORMAT = "env"

_OURS = re.compile(rb"kafka|confluent|bootstrap_servers", re.IGNORECASE)
_VARIABLE = re.compile(rb"^[ \t]*(export[ \t]+)?[A-Za-z_]\w*=", re.MULTILINE)
#: Without such a variable no file is a broker's, or that of a program around Kafka.
_TOLD = re.compile(
    rb"^[ \t]*(?:export[ \t]+)?(?:KAFKA_|CONNECT_|SCHEMA_REGISTRY_|KSQL_|CONTROL_CENTER_|SPRING_(?:CLOUD_STREAM_)?KAFKA_)\w+=",
    re.M,
)
_COMPOSE = ("docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml")
#: How far above an env file the compose file lies that is filled in from it.
_ABOVE = 4


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if _OURS.search(data) and _VARIABLE.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    if _TOLD.search(data):
        _container(document, data, lookup)
    if not document.resources:
        document.status = PASSED_OVER
        document.reason = "read only where a compose file uses it"


def _container(document: Document, data: bytes, lookup: Lookup) -> None:
    """Add what runs with these variables."""
    from kcheck.formats.compose.file import entries_of
    from kcheck.formats.containers import programs as program_containers
    from kcheck.formats.observers import signs as observer_signs
    from kcheck.formats.spring import variables as spring_variables

    variables = variables_of(document.path, entries_of(data))
    names = set(variables)
    node = images.asking_for(names) is not None
    program = program_containers.program_of("", names)
    springs = spring_variables.speaks(names)
    if not (springs or node or program or observer_signs.program_of("", names)):
        return
    if fills(document.path, names, lookup):
        return
    name, at = name_of(document.path), next(iter(variables.values())).key_at
    if node:
        _node(document, name, variables, at)
    elif springs:
        spring_variables.clients(document, name, variables.values(), DOCKER)
    elif program:
        made = program_containers.clients(document, name, "", variables, at, DOCKER)
        for client in made:
            client.traits.partial = True
    else:
        from kcheck.formats.observers import (
            containers as observer_containers,  # few files are one's
        )

        observer_containers.clients(document, name, "", variables, (), at, DOCKER, False, [])


def _node(document: Document, name: str, variables: dict[str, Variable], at: Position) -> None:
    """Add the broker or worker."""
    from kcheck.formats.containers.container import Image, container

    made = container(name, document.path, at, Image(None, at), variables, False, DOCKER)
    if made is not None:
        made.traits.partial = made.traits.fragment = True
        made.facts.pop("image", None)
        document.resources.append(made)


def variables_of(path: str, entries: list[EnvEntry]) -> dict[str, Variable]:
    """The variables of a file by name; what something fills in is unknown."""
    from kcheck.formats.containers.variables import Variable

    found: dict[str, Variable] = {}
    for entry in entries:
        text = entry.value
        filled = text is not None and "$" in text and entry.quote != "'"
        made = Variable(
            entry.key, None if filled else text, path, entry.at, entry.key_at, frame=text
        )
        made.replaced = found.get(entry.key)
        found[entry.key] = made
    return found


def fills(path: str, names: set[str], lookup: Lookup) -> bool:
    """Whether a compose file beside or above the file is filled in from variables of these names."""
    told = re.compile(
        rb"\$\{?(?:" + b"|".join(re.escape(name).encode() for name in sorted(names)) + rb")\b"
    )
    folder = path
    for _ in range(_ABOVE):
        folder, slash, _ = folder.rpartition("/")
        for name in _COMPOSE:
            found = lookup(f"{folder}{slash}{name}")
            if found is not None and told.search(found):
                return True
        if not folder:
            return False
    return False


def name_of(path: str) -> str:
    """``deploy/kafka-1.env`` → ``kafka-1``: the name that stands for the container's."""
    name = path.rpartition("/")[2]
    stem = name.removesuffix(".example").removesuffix(".sample").removesuffix(".env")
    return stem.strip(".") if stem.strip(".") not in ("", "env") else path


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.containers.variables import Variable
    from kcheck.syntax.dotenv import EnvEntry

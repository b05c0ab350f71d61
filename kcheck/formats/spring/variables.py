"""Variables of Spring Boot in a container: ``SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET``.

Nobody but Spring reads them, whatever the image is called, and they go over what the program brings
along. What that is nobody sees here: all that the variables leave open is unknown. A program has
its names (groups, transactional ids) from elsewhere, too, so that those are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcheck.formats.clients.application import Application
from kcheck.formats.containers.variables import Variable
from kcheck.formats.pairs import Pair
from kcheck.formats.spring.clients import Reader
from kcheck.formats.spring.names import GROUPS, properties
from kcheck.model import Document, Resource, Setting

PREFIX = "SPRING_KAFKA_"
_STREAM = "SPRING_CLOUD_STREAM_"
#: Of Spring Cloud Stream: the binder's brokers, the instances, and what a binding of a function has.
_BINDER = {
    "KAFKA_BINDER_BROKERS": "kafka.binder.brokers",
    "INSTANCECOUNT": "instance-count",
    "INSTANCE_COUNT": "instance-count",
}
_BINDING = re.compile(r"BINDINGS_(\w+)_(IN|OUT)_(\d+)_(DESTINATION|GROUP|BINDER|CONSUMER_\w+)")
_COUNTS = {"consumer_concurrency": "consumer.concurrency"}
#: What variables alone can be about, besides an application of Streams.
_KINDS = ("producer", "consumer", "client", "admin")
_OF_INSTANCES = ("group.instance.id", "transactional.id")
_NAMES = ("group.id", "client.id", "group.instance.id", "transactional.id")

_squeezed: dict[str, str] = {}


def clients(
    document: Document, name: str, variables: Iterable[Variable], deployer: str
) -> list[Resource]:
    """The clients that a container's variables configure; they belong to the document."""
    pairs = [pair for variable in variables if (pair := _pair(variable)) is not None]
    if not pairs:
        return []
    inner = Document(document.path)
    Reader(Application(inner, f"{document.path}#{name}"), [pairs], document.path).read()
    found = [r for r in inner.resources if _of_variables(r)]
    for resource in found:
        resource.name, resource.traits.deployer = name, deployer
        resource.traits.partial, resource.traits.completed_by = True, "the application"
        for key in _NAMES:
            told = resource.settings.get(key)
            # A binding has its group from nowhere else, once a variable tells it; what is empty names
            # nothing.
            if told is not None and told.text != "" and not told.name.startswith(_STREAM):
                del resource.settings[key]
                if key in _OF_INSTANCES and told.text:
                    resource.traits.identities += (told,)
                resource.image[key] = Setting(key, None, told.path, told.at)
    document.resources.extend(found)
    return found


def _of_variables(resource: Resource) -> bool:
    """Whether the variables tell of a client; of Streams its id alone does not, what it sets does."""
    if resource.kind != "streams":
        return resource.kind in _KINDS
    return "application.id" in resource.settings and any(
        setting.name.startswith(f"{PREFIX}STREAMS_") and key != "application.id"
        for key, setting in resource.settings.items()
    )


def _pair(variable: Variable) -> Pair | None:
    """The variable as the property that Spring binds it to; None where it binds it to none.

    A name of the variable's has no dashes, or underscores in their place, so that all words of a
    property run together. What stands below ``properties`` has dots for underscores.
    """
    if variable.name.startswith(_STREAM):
        return _of_stream(variable, variable.name[len(_STREAM) :])
    if not variable.name.startswith(PREFIX):
        return None
    words = variable.name[len(PREFIX) :].lower().split("_")
    group = [words.pop(0)] if words[0] in GROUPS and len(words) > 1 else []
    if words[0] == "properties" and len(words) > 1:
        name = ".".join(["spring.kafka", *group, "properties", *words[1:]])
    else:
        told = _typed().get("".join([*group, *words]))
        if told is None:
            return None
        name = f"spring.kafka.{told}"
    raw = variable.known
    return Pair(name, raw, variable.path, variable.at, variable.key_at, variable.name)


def _of_stream(variable: Variable, rest: str) -> Pair | None:
    """The variable as the property of Spring Cloud Stream: of the binder, or of ``NAME-in-0``."""
    name = _BINDER.get(rest, "")
    found = _BINDING.fullmatch(rest)
    if found is not None:
        function, side, number, word = (part.lower() for part in found.groups())
        word = word if "_" not in word else _COUNTS.get(word, "")
        name = f"bindings.{function}-{side}-{number}.{word}" if word else ""
    if not name:
        return None
    full = f"spring.cloud.stream.{name}"
    return Pair(full, variable.known, variable.path, variable.at, variable.key_at, variable.name)


def of_container(
    document: Document,
    name: str,
    variables: Iterable[Variable],
    deployer: str,
    count: Setting | None,
) -> None:
    """Add the clients of a container of some program, if its variables are Spring's; ``count`` tells how
    often it runs.
    """
    told = list(variables)
    if speaks(variable.name for variable in told):
        for client in clients(document, name, told, deployer):
            client.traits.instances = count


def speaks(names: Iterable[str]) -> bool:
    """Whether variables of these names configure a client of Kafka's."""
    return any(
        name.startswith(PREFIX) or name == f"{_STREAM}KAFKA_BINDER_BROKERS" for name in names
    )


def _typed() -> dict[str, str]:
    """Spring's properties by their names without dots and dashes."""
    if not _squeezed:
        for form, known in properties().items():
            if known.bound:
                _squeezed[form.replace(".", "")] = known.name
    return _squeezed

"""Programs around Kafka in containers that have their settings from variables: Schema Registry, the
REST Proxy, ksqlDB and Control Center. The scripts of their images make a file of the variables, and
exit for some of them (``schemas/images/programs.tsv``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from kcheck import data, images
from kcheck.formats.containers import program_names
from kcheck.formats.containers.environment import as_property
from kcheck.formats.containers.jvm_options import names_jaas_file
from kcheck.formats.containers.variables import Variable
from kcheck.formats.pairs import Pair
from kcheck.formats.properties.signs import CONTROL_CENTER, KSQLDB, REST_PROXY, SCHEMA_REGISTRY
from kcheck.formats.servers.clients import Server
from kcheck.model import ERROR, Derived, Document, Note, Position, Problem, Resource, Setting
from kcheck.version import Version

_PREFIXES = {
    KSQLDB: "KSQL_",
    SCHEMA_REGISTRY: "SCHEMA_REGISTRY_",
    REST_PROXY: "KAFKA_REST_",
}
#: What the image of Control Center makes of its variables (its control-center.properties.template):
#: the first variable that is set counts, of the replication factors one for all of them at last.
_CENTER, _FACTOR = "CONTROL_CENTER_", "CONTROL_CENTER_REPLICATION_FACTOR"
_CENTER_FACTORS = {
    "confluent.controlcenter.command.topic.replication": (
        "CONTROL_CENTER_COMMAND_TOPIC_REPLICATION",
        _FACTOR,
    ),
    "confluent.controlcenter.internal.topics.replication": (
        "CONTROL_CENTER_INTERNAL_TOPICS_REPLICATION",
        _FACTOR,
    ),
    "confluent.metrics.topic.replication": (
        "CONTROL_CENTER_METRICS_TOPIC_REPLICATION",
        "CONFLUENT_METRICS_TOPIC_REPLICATION",
        _FACTOR,
    ),
    "confluent.monitoring.interceptor.topic.replication": (
        "CONTROL_CENTER_MONITORING_INTERCEPTOR_TOPIC_REPLICATION",
        _FACTOR,
    ),
}
#: The rule that tells it of a client, and the one for containers without any.
_CODE, _ALONE = "KC0124", "KC0189"


class _Row:
    """What the script of an image insists on, in which of its releases, and with which variable."""

    def __init__(self, cells: list[str]) -> None:
        _, effect, names, self.instead, condition, self.versions, _ = cells
        self.required = effect == "required"
        self.names = names.split("|")
        self.variable, self.unlike, self.text = condition.partition("!=")

    def cause(self, given: Mapping[str, Variable], tag: str) -> str | None:
        """Why the row holds, as words behind its variables; None where it does not.

        An image without a tag is of the newest release, for which a row without an end holds.
        """
        within = images.within(_release(tag), self.versions)
        newest = tag in ("", "latest") and self.versions.endswith("-")
        if within is False or (within is None and not newest):
            return None
        if not self.variable:
            return ""
        if self.variable not in given:
            return None
        text = given[self.variable].known
        if not self.unlike:
            return f" with {self.variable}"
        return f" with {self.variable}={text}" if text and text != self.text else None


@cache
def _rows() -> dict[str, list[_Row]]:
    """What there is about each image."""
    found: dict[str, list[_Row]] = {}
    for cells in data.rows("images/programs.tsv"):
        found.setdefault(cells[0], []).append(_Row(cells))
    return found


#: By the variables without which these programs know no brokers, whatever their image is called.
_TELLING = {
    "SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS": SCHEMA_REGISTRY,
    "KAFKA_REST_BOOTSTRAP_SERVERS": REST_PROXY,
    "KSQL_BOOTSTRAP_SERVERS": KSQLDB,
    "CONTROL_CENTER_BOOTSTRAP_SERVERS": CONTROL_CENTER,
}
_CENTERS = ("cp-enterprise-control-center", "cp-enterprise-control-center-next-gen")


def program_of(image: str, variables: Iterable[str] = ()) -> str:
    """The format of the program's own file; "" for an image of anything else.

    ``variables`` tell it where the image does not.
    """
    kind = program_names.program_of(image)
    if kind or _name(image) in _CENTERS:
        return kind or CONTROL_CENTER
    return next((_TELLING[name] for name in variables if name in _TELLING), "")


def clients(
    document: Document,
    name: str,
    image: str,
    variables: Mapping[str, Variable],
    at: Position,
    deployer: str,
    complete: bool = True,
    starts: bool = True,
) -> list[Resource]:
    """Add the clients of the program that a container runs, and what is wrong with its variables.

    Variables that are not all there (``complete``) make no client: what lacks may be elsewhere. A
    container with a command of its own may not run the script of its image (``starts``).
    """
    kind = program_of(image, variables)
    known = program_names.program_of(image)
    if known or _name(image) in _CENTERS:
        given = [_pair(name, variable, name) for name, variable in variables.items()]
        if known:
            program_names.of_variables(document, kind, given, complete)
        else:
            program_names.of_center(document, given)
    before = len(document.resources)
    if complete:
        _serve(document, kind, variables, image)
    made = document.resources[before:]
    if kind and program_of(image):
        document.extent.weighed += tuple(
            one.setting(one.name, None)
            for one in variables.values()
            if one.name.startswith(_PREFIXES.get(kind, _CENTER))
        )
    jaas_file = names_jaas_file(variables) if made else None
    for resource in made:
        resource.traits.deployer, resource.traits.jaas_file = deployer, jaas_file
        if resource.name == document.path:
            resource.name = name
    if not program_of(image):
        for resource in made:
            _doubt(resource)
    if made or (complete and starts):
        refuse(document, made, _refused(image, variables, document.path, at))
    return made


def refuse(document: Document, made: list[Resource], notes: Iterable[Note]) -> None:
    """Tell at which variables the image exits, of its first client or, where it has none, of the file."""
    if made:
        made[0].notes.extend(notes)
        return
    document.problems.extend(
        Problem(
            *(one.message, one.setting.at, _ALONE, ERROR, one.consequence, one.fix),
            setting=one.setting,
        )
        for one in notes
    )


def _doubt(resource: Resource) -> None:
    """Leave out what only the program itself is known to have by default: another one may read its
    variables."""
    traits = resource.traits
    traits.partial = True
    traits.creates = ()
    resource.notes.clear()
    if traits.registry is not None and any(type(one) is Derived for one in traits.registry):
        traits.registry = None


def _serve(document: Document, kind: str, variables: Mapping[str, Variable], image: str) -> None:
    """Read the clients of a server of that kind from its variables."""
    if kind == CONTROL_CENTER:
        Server(document, _of_center(variables)).center(_FACTOR, image)
        return
    prefix = _PREFIXES[kind]
    pairs = [
        _pair(_key(name[len(prefix) :]), variable, name)
        for name, variable in variables.items()
        if name.startswith(prefix)
    ]
    server = Server(document, pairs)
    if kind == KSQLDB:
        server.ksql()
    elif kind == REST_PROXY:
        server.rest()
    else:
        server.registry(_release(images.split(image)[1]))
    server.listen(kind)


def refuses(image: str, variable: str, given: Mapping[str, Variable]) -> str:
    """That the image's script exits where the variable is set, as words; "" where it does not."""
    name = _name(image)
    refused = any(
        not row.required
        and variable in row.names
        and row.cause(given, images.split(image)[1]) is not None
        for row in _rows().get(name, ())
    )
    return f"{name} exits if {variable} is set" if refused else ""


def _refused(image: str, given: Mapping[str, Variable], path: str, at: Position) -> Iterator[Note]:
    """Notes on variables without which, or with which, the image's script exits."""
    told: set[str] = set()
    program = _name(image)
    for row in _rows().get(program, ()):
        name = row.names[0]
        first = next((given[one] for one in row.names if one in given), None)
        cause = row.cause(given, images.split(image)[1])
        if (first is None) != row.required or cause is None or told.intersection(row.names):
            continue
        if first is None:
            told.add(name)
            yield Note(
                _CODE,
                Setting(name, None, path, at, name=name),
                f"{program} requires {' or '.join(row.names)}{cause}",
                "the container exits before the program starts",
                f"set {name}",
                ERROR,
            )
        elif first.known:
            yield Note(
                _CODE,
                first.setting(first.name, first.known),
                f"{program} exits if {first.name} is set; {row.instead} replaces it",
                "the container exits before the program starts",
                f"set {row.instead} instead",
                ERROR,
            )


def _release(tag: str) -> Version:
    return Version(tag.partition("-")[0])


def _name(image: str) -> str:
    return images.split(image)[0].rpartition("/")[2]


def _pair(key: str, variable: Variable, name: str) -> Pair:
    return Pair(key, _text(variable), variable.path, variable.at, variable.key_at, name)


def _of_center(variables: Mapping[str, Variable]) -> list[Pair]:
    """The properties of Control Center that its clients and topics have."""
    pairs = []
    for name, variable in variables.items():
        rest = _key(name.removeprefix(_CENTER))
        if name.startswith(f"{_CENTER}STREAMS_"):
            pairs.append(_pair(f"confluent.controlcenter.{rest}", variable, name))
        elif name == f"{_CENTER}BOOTSTRAP_SERVERS":
            pairs.append(_pair(rest, variable, name))
    for key, setters in _CENTER_FACTORS.items():
        name = next((one for one in setters if one in variables), "")
        if name:
            pairs.append(_pair(key, variables[name], name))
    return pairs


def _text(variable: Variable) -> str | None:
    """The value as it comes out of the file that the image writes."""
    return as_property(variable.known)[0] if variable.known is not None else None


def _key(rest: str) -> str:
    """As all images of Confluent's: _ is a dot, __ an underscore, ___ a dash."""
    return rest.lower().replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")

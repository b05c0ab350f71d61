"""Programs around Kafka in containers that have their settings from variables: ksqlDB, Schema Registry,
the REST Proxy, Control Center, and whatever runs on Spring Boot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcheck import data, images
from kcheck.formats import compose_facts, program_names
from kcheck.formats.compose_environment import Environment, names
from kcheck.formats.compose_file import Service
from kcheck.formats.environment import Variable, as_property
from kcheck.formats.jvm_options import names_jaas_file
from kcheck.formats.pairs import Pair
from kcheck.formats.properties_signs import CONTROL_CENTER, KSQLDB, REST_PROXY, SCHEMA_REGISTRY
from kcheck.formats.servers import Server
from kcheck.model import COMPOSE, ERROR, Document, Note, Position, Setting
from kcheck.version import Version

_IMAGES = {
    "cp-ksqldb-server": KSQLDB,
    "ksqldb-server": KSQLDB,
    "cp-ksql-server": KSQLDB,
    "cp-schema-registry": SCHEMA_REGISTRY,
    "cp-kafka-rest": REST_PROXY,
    "cp-enterprise-control-center": CONTROL_CENTER,
}
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


def clients(document: Document, service: Service, image: str) -> None:
    """Add the clients of a service whose image is one of these servers'."""
    kind = _IMAGES.get(image.rpartition("/")[2].partition("@")[0].partition(":")[0])
    if kind is None:
        _springs(document, service)
        return
    environment = Environment(service)
    if not environment.complete:
        return
    if kind != CONTROL_CENTER:
        given = [_pair(name, variable, name) for name, variable in environment.variables.items()]
        program_names.of_variables(document, kind, given)
    before = len(document.resources)
    _serve(document, kind, environment.variables, Version(images.split(image)[1].partition("-")[0]))
    for resource in document.resources[before : before + 1]:
        resource.notes.extend(_refused(image, environment, document.path, service.at))
    jaas_file = _jaas_file(service, environment)
    for resource in document.resources[before:]:
        resource.traits.deployer = COMPOSE
        resource.traits.jaas_file = jaas_file
        resource.traits.instances = compose_facts.instances(service, document.path)
        if resource.name == document.path:
            resource.name = service.name
        _locate(resource.traits.queries, service)


def _serve(
    document: Document, kind: str, variables: Mapping[str, Variable], version: Version
) -> None:
    """Read the clients of a server of that kind from its variables."""
    if kind == CONTROL_CENTER:
        Server(document, _of_center(variables)).center(_FACTOR)
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
        server.registry(version)


def _locate(queries: Setting | None, service: Service) -> None:
    """Name a file of the container as the file of the project that is mounted there."""
    if queries is None:
        return
    for source, target in compose_facts.volumes(service):
        folder = target.rstrip("/")
        if source.startswith(".") and f"{queries.text}/".startswith(f"{folder}/"):
            queries.raw = queries.text = source.rstrip("/") + (queries.text or "")[len(folder) :]
            return


def _jaas_file(service: Service, environment: Environment) -> bool | None:
    """Whether the program's JVM has a file with logins; a command of its own may have any options."""
    if service.get("command") or service.get("entrypoint"):
        return None
    return names_jaas_file(environment.variables)


def _refused(image: str, environment: Environment, path: str, at: Position) -> Iterator[Note]:
    """Notes on variables without which, or with which, the image's script exits."""
    name = images.split(image)[0].rpartition("/")[2]
    given = environment.variables
    told: set[str] = set()
    for one, effect, listed, instead, when, _source in data.rows("images/programs.tsv"):
        names = listed.split("|")
        first = next((given[variable] for variable in names if variable in given), None)
        if one != name or (first is None) != (effect == "required"):
            continue
        cause = _cause(given, when)
        if cause is None or names[0] in told:
            continue
        if first is None:
            told.add(names[0])
            yield Note(
                "KC0124",
                Setting(names[0], None, path, at, name=names[0]),
                f"{name} requires {' or '.join(names)}{cause}",
                "the container exits before the program starts",
                f"set {names[0]}",
                ERROR,
            )
        elif instead not in given and first.known:
            yield Note(
                "KC0124",
                first.setting(first.name, first.known),
                f"{name} exits if {first.name} is set; {instead} replaces it",
                "the container exits before the program starts",
                f"set {instead} instead",
                ERROR,
            )


def _cause(given: Mapping[str, Variable], when: str) -> str | None:
    """Why a row of the table holds, as words behind its variables; None where it does not."""
    if not when:
        return ""
    name, _, other = when.partition("!=")
    text = given[name].known if name in given else None
    return f" with {name}={text}" if text and text != other else None


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


def _springs(document: Document, service: Service) -> None:
    given = names(service)
    if not any(name.startswith("SPRING_") for name in given):
        return
    from kcheck.formats import spring_variables

    if not spring_variables.speaks(given):
        return
    variables = Environment(service).variables.values()
    for client in spring_variables.clients(document, service.name, variables, COMPOSE):
        client.traits.instances = compose_facts.instances(service, document.path)

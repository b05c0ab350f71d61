"""Whom programs ask for what is no broker's business: keys and variables that hold their addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kcheck.formats.containers.variables import Variable
from kcheck.model import (
    BROKER,
    CONNECT,
    KSQLDB,
    SCHEMA_REGISTRY,
    ZOOKEEPER,
    Position,
    Resource,
    Setting,
)

#: Programs that ask others, and are asked by nobody: by the last part of their image's name.
ASKERS = frozenset({"kafka-ui", "cp-enterprise-control-center", "akhq"})

#: Whom a variable's value names, by the end of its name: the first that fits counts.
_ASKS = (
    (re.compile(r"ADVERTISED"), ""),
    # kafka-ui has not asked it since 0.4 (provectus/kafka-ui#1726).
    (re.compile(r"^KAFKA_CLUSTERS_\d+_ZOOKEEPER$"), ""),
    (re.compile(r"SCHEMA_?REGISTRY(_URL)?$"), SCHEMA_REGISTRY),
    (re.compile(r"BOOTSTRAP_?SERVERS$"), BROKER),
    (re.compile(r"ZOOKEEPER(_CONNECT)?$|KAFKASTORE_CONNECTION_URL$"), ZOOKEEPER),
    (re.compile(r"^CONTROL_CENTER_CONNECT_(\w+_)?CLUSTER$"), CONNECT),
    (re.compile(r"^KSQL_KSQL_CONNECT_URL$|KAFKACONNECT_\d+_ADDRESS$"), CONNECT),
    (re.compile(r"^CONTROL_CENTER_KSQL_\w+_URL$|KSQLDBSERVER$"), KSQLDB),
)
#: Whom programs ask at their own address unless a variable of that form says otherwise, by the last
#: part of their image's name: the defaults of their properties.
_UNSET = {
    "cp-enterprise-control-center": (
        ("CONTROL_CENTER_SCHEMA_REGISTRY_URL", "http://localhost:8081", SCHEMA_REGISTRY),
        ("CONTROL_CENTER_CONNECT_CLUSTER", "http://localhost:8083", CONNECT),
    ),
    "cp-kafka-rest": (
        ("KAFKA_REST_SCHEMA_REGISTRY_URL", "http://localhost:8081", SCHEMA_REGISTRY),
    ),
}
#: The same of the keys of brokers, controllers, workers and clients.
_KEYS = {
    "bootstrap.servers": BROKER,
    "zookeeper.connect": ZOOKEEPER,
    "controller.quorum.voters": BROKER,
    "controller.quorum.bootstrap.servers": BROKER,
}
#: And those of what a program asks beside its own brokers, by the end of the key.
_BESIDE = {
    "schema.registry.url": SCHEMA_REGISTRY,
    "ksql.connect.url": CONNECT,
    "src.kafka.bootstrap.servers": BROKER,
    "dest.kafka.bootstrap.servers": BROKER,
    "history.kafka.bootstrap.servers": BROKER,
    "history.internal.kafka.bootstrap.servers": BROKER,
}
_ENDINGS = tuple(_BESIDE)
#: Debezium's connectors that keep no schema history, whose keys they then do not read.
_WITHOUT_HISTORY = ("PostgresConnector", "MongoDbConnector", "VitessConnector", "SpannerConnector")
#: Kafka's own classes ask no registry, whatever their keys say.
_KAFKAS = "org.apache.kafka."
_CODECS = ("key.serializer", "value.serializer", "key.deserializer", "value.deserializer")
#: The names that Kafka's programs have for what their variables say.
_PREFIXES = ("SCHEMA_REGISTRY_KAFKASTORE_", "SCHEMA_REGISTRY_", "KAFKA_REST_", "CONTROL_CENTER_")


def of_resource(resource: Resource) -> list[tuple[Setting, str]]:
    """The settings by which a resource asks others, each with what it asks for."""
    settings = resource.settings
    found = [(settings[key], role) for key, role in _KEYS.items() if key in settings]
    return [*found, *of_settings(settings)]


def of_settings(settings: Mapping[str, Setting]) -> list[tuple[Setting, str]]:
    """Those of them that name others than the brokers whose client the program is."""
    return [
        (setting, next(role for ending, role in _BESIDE.items() if key.endswith(ending)))
        for key, setting in settings.items()
        if key.endswith(_ENDINGS) and not _unread(key, settings)
    ]


def _unread(key: str, settings: Mapping[str, Setting]) -> bool:
    """Whether the class that the key is meant for is named, and does not read it."""
    if ".kafka.bootstrap.servers" in key:
        named = settings.get("connector.class")
        return bool(named and (named.text or "").endswith(_WITHOUT_HISTORY))
    owner, _, _ = key.rpartition(".schema.registry.url")
    owners = (owner,) if owner else _CODECS
    classes = [settings[one].text or "" for one in owners if one in settings]
    return bool(classes) and all(name.startswith(_KAFKAS) for name in classes)


def of_variables(
    variables: Iterable[Variable], confluents: bool = True
) -> list[tuple[Setting, str]]:
    """The same of the variables of a program; ``confluents``: those of its own have keys behind them."""
    found: list[tuple[Setting, str]] = []
    variables = list(variables)
    idle = {
        f"{variable.name.upper()}_SCHEMA_REGISTRY_URL"
        for variable in variables
        if (variable.known or "").startswith(_KAFKAS)
    }
    for variable in variables:
        name = variable.name.upper()
        role = next((role for ending, role in _ASKS if ending.search(name)), "")
        if role and variable.known is not None and name not in idle:
            key = _key(variable) if confluents else variable.name
            found.append((variable.setting(key, variable.known), role))
    return found


def unset(
    program: str, variables: Mapping[str, Variable], path: str, at: Position
) -> list[tuple[Setting, str]]:
    """Whom a program asks by default because no variable names anybody else of the role."""
    rows = _UNSET.get(program, ())
    told = {role for name in variables for ending, role in _ASKS if rows and ending.search(name)}
    return [
        (Setting(name, text, path, at, at, name), role)
        for name, text, role in rows
        if role not in told
    ]


def _key(variable: Variable) -> str:
    """The key of a program of Confluent's; of others the variable's own name."""
    name = variable.name
    if name.startswith("KSQL_"):
        return name[len("KSQL_") :].lower().replace("_", ".")
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            kept = "kafkastore." if prefix.endswith("KAFKASTORE_") else ""
            return kept + name[len(prefix) :].lower().replace("_", ".")
    return name

"""JSON of the Kafka world: connectors, clients, ECS task definitions, Terraform, CloudFormation, AsyncAPI.

Told apart by bytes alone where that is certain; the modules that read them are loaded when their
first file comes.
"""

from __future__ import annotations

import re
from importlib import import_module

from kcheck.formats.clients.map_signs import may_hold
from kcheck.formats.readers import read

__all__ = ["read", "recognise"]

#: One of these is in every file with a client: names of the brokers' list in all languages, or
#: of the library.
_CLIENTS = (
    b'"bootstrap.servers"',
    b'"metadata.broker.list"',
    b'"bootstrap_servers"',
    b'"BootstrapServers"',
    b'"kafkajs"',
    b'"brokers"',
)

#: With which variables of the images begin that task definitions run.
_PREFIXES = (b"KAFKA_", b"KAFKASTORE_", b'"CONNECT_', b'"KSQL_')
#: Resources of CloudFormation that are Kafka's.
_MSK = (b'"AWS::MSK::C', b'"AWS::MSK::Serverless', b'"AWS::KafkaConnect::')
#: The brokers of a client of .NET's, by a name that is nearly right.
_NEARLY_NET = re.compile(rb'"Boot[A-Za-z]{4,8}Serv[a-z]{0,4}"\s*:')


#: A connector's key in the quotes that word processors make of those of JSON: the file is none.
_CURLED = "“connector.class”".encode()
#: A processor of NiFi's for Kafka.
_FLOW = re.compile(rb"\"[\w.]+\.(?:Consume|Publish)Kafka(?:Record)?(?:_\d+_\d+)?\"")


def recognise(path: str, data: bytes) -> str | None:
    if b'"connector.class"' in data or _CURLED in data:
        return "connector-json"
    # A list of containers, or a whole task definition that has one.
    listed = b'"essential"' in data or b'"containerDefinitions"' in data
    if listed and b'"image"' in data and any(p in data for p in _PREFIXES):
        return "ecs-json"
    if path.endswith(".tf.json"):
        terraform: str | None = import_module("kcheck.formats.terraform.json").format_of(data)
        return terraform
    if path.endswith(".tfvars.json"):
        ours = b"partitions" in data and (b'"topics"' in data or b'"kafka_topics"' in data)
        return "terraform-vars" if ours else None
    if b'"AWS::' in data and (cloud := _cloud(data)):
        return cloud
    if b'"asyncapi"' in data and b'"kafka"' in data:
        return "asyncapi"
    return _flow(data) or _client(path, data) or _command(data)


def _command(data: bytes) -> str | None:
    """The format of an application whose command is one of Kafka's tools: Marathon's."""
    if b'"cmd"' not in data or b"kafka-" not in data:
        return None
    steps = import_module("kcheck.formats.commands.steps")
    return steps.FORMAT if steps.may_hold(data) else None


def _flow(data: bytes) -> str | None:
    """A flow of NiFi's with a processor for Kafka."""
    ours = b"Kafka" in data and b'"properties"' in data and _FLOW.search(data)
    return "nifi-flow" if ours else None


def _client(path: str, data: bytes) -> str | None:
    """The format of a file with clients, or with maps of their keys."""
    # Druid's consumer has settings of Druid's own beside those of the file.
    druids = b'"ioConfig"' in data
    if not druids and (any(mark in data for mark in _CLIENTS) or _NEARLY_NET.search(data)):
        client_json = import_module("kcheck.formats.clients.json")
        found: str | None = client_json.recognise(path, data)
        if found is not None:
            return found
    if may_hold(path, data):
        maps: str | None = import_module("kcheck.formats.clients.files").recognise(path, data)
        return maps
    return None


def _cloud(data: bytes) -> str | None:
    """What a template of CloudFormation makes."""
    polled = b'"AWS::Lambda::EventSourceMapping"' in data and b'"Topics"' in data
    if polled or any(mark in data for mark in _MSK):
        return "cloudformation-msk"
    tasks = b'"AWS::ECS::TaskDefinition"' in data and any(p in data for p in _PREFIXES)
    return "ecs-template" if tasks else None

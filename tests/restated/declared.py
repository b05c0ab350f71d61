"""A cluster and its clients as a declaration states them, written as repositories state them.

Each carrier is a function from a declaration to the files that say the same of it, or to None where
it has no word for one of the facts: a carrier never leaves out what the declaration says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import yaml

Declared = Mapping[str, Any]
Files = dict[str, str]
Carrier = Callable[[Declared], Files | None]


def text(value: Any) -> str:
    """A value of a declaration as Kafka's properties spell it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(text, value))
    return "" if value is None else str(value)


def properties(config: Mapping[str, Any]) -> str:
    """Lines of a properties file; backslashes and line ends are escaped as Java reads them."""
    escaped = {
        key: text(value).replace("\\", "\\\\").replace("\n", "\\n") for key, value in config.items()
    }
    return "".join(f"{key}={value}\n" for key, value in escaped.items())


def environment(config: Mapping[str, Any], prefix: str) -> dict[str, str]:
    """The variables of an image that makes a file of them."""
    return {
        prefix + key.upper().replace("_", "__").replace(".", "_").replace("-", "___"): text(
            value
        ).replace("$", "$$")
        for key, value in config.items()
    }


def documents(*parts: Any) -> str:
    return yaml.safe_dump_all(parts, sort_keys=False, width=1000)


CLUSTER = {"name", "brokers", "config", "kafka_version", "client_version", "environment"}
TOPIC = {"name", "partitions", "config", "replication_factor"}
CLIENT = {"name", "config", "client", "topics"}


def only(entry: Declared, *, known: set[str]) -> bool:
    return set(entry) <= known


def brokers(declared: Declared) -> list[dict[str, Any]] | None:
    """The configuration of each broker, without what a carrier adds; None where it is not told."""
    cluster = declared.get("cluster")
    if not cluster or not only(cluster, known=CLUSTER):
        return None
    told = cluster.get("brokers", 1)
    common = cluster.get("config") or {}
    if isinstance(told, int):
        told = [{} for _ in range(told)]
    if len(told) > 9 or any(not only(one, known={"id", "config"}) for one in told):
        return None
    return [
        {"node.id": one.get("id", number)} | common | (one.get("config") or {})
        for number, one in enumerate(told, 1)
    ]


def version(declared: Declared) -> str:
    return text(declared.get("cluster", {}).get("kafka_version"))


def place(declared: Declared) -> str:
    """The folder by which repositories tell the environment."""
    said = declared.get("cluster", {}).get("environment")
    return f"{said}/" if said else ""


def topics(declared: Declared) -> list[Declared] | None:
    told = declared.get("topics", [])
    return told if all(only(one, known=TOPIC) for one in told) else None


def library(entry: Declared, declared: Declared) -> str | None:
    """The version of the Java client, "" where it is not told; None for another library."""
    client = entry.get("client") or {}
    if client.get("library", "java") != "java" or not only(client, known={"library", "version"}):
        return None
    return text(client.get("version") or declared.get("cluster", {}).get("client_version"))


def pom(clients: str) -> Files:
    if not clients:
        return {}
    return {
        "pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
        "<artifactId>app</artifactId><version>1</version><dependencies><dependency>"
        "<groupId>org.apache.kafka</groupId><artifactId>kafka-clients</artifactId>"
        f"<version>{clients if clients.count('.') > 1 else clients + '.0'}</version>"
        "</dependency></dependencies></project>\n"
    }

"""Producers and consumers by the names that Spring Boot and Quarkus have for Kafka's keys themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from clients import asked, client_carrier, topicless
from statements import Carrier, Declared, Files, documents, environment, properties, text

from kcheck import data


@cache
def own_names(role: str) -> dict[str, str]:
    """The properties below ``spring.kafka.`` for Kafka's keys, those of the role before common ones."""
    found: dict[str, str] = {}
    for name, versions, _, _, key, note, *_ in (
        (*row, "", "")[:7] for row in data.rows("spring/boot.tsv")
    ):
        bound = versions.endswith("-") and not note.startswith("unbound") and key
        if bound and name.startswith(f"{role}."):
            found[key] = name
    return found


def _in_words(role: str, config: Mapping[str, Any]) -> dict[str, str]:
    """All keys as properties of Spring Boot: its own where it has one, its map for the others."""
    names = own_names(role)
    return {
        f"spring.kafka.{names.get(key) or f'{role}.properties.{key}'}": text(value)
        for key, value in config.items()
    }


def as_spring_names(role: str, entry: Declared) -> Files | None:
    config = asked(entry.get("config") or {})
    if not topicless(entry) or not set(own_names(role)) & set(entry.get("config") or {}):
        return None
    return {"src/main/resources/application.properties": properties(_in_words(role, config))}


def _camel(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(map(str.capitalize, rest))


def as_spring_camel(role: str, entry: Declared) -> Files | None:
    """The same as a tree, whose names are in camel case, and the map for the others by quoted keys."""
    config = asked(entry.get("config") or {})
    names = own_names(role)
    if not topicless(entry) or not set(names) & set(entry.get("config") or {}):
        return None
    kafka: dict[str, Any] = {}
    for key, value in config.items():
        at, *parts = kafka, *names.get(key, f"{role}.properties").split(".")
        for part in parts[:-1]:
            at = at.setdefault(_camel(part), {})
        if key in names:
            at[_camel(parts[-1])] = text(value)
        else:
            at.setdefault("properties", {})[f"[{key}]"] = text(value)
    return {"src/main/resources/application.yml": documents({"spring": {"kafka": kafka}})}


def as_spring_variables(role: str, entry: Declared) -> Files | None:
    config = asked(entry.get("config") or {})
    names = own_names(role)
    if not topicless(entry) or not set(config) <= set(names) or len(config) < 2:
        return None
    told = {
        f"SPRING_KAFKA_{names[key].upper().replace('-', '').replace('.', '_')}": text(value)
        for key, value in config.items()
    }
    return {
        "docker-compose.yml": documents(
            {"services": {"app": {"image": "example.com/app:1.0", "environment": told}}}
        )
    }


def as_quarkus_yaml(role: str, entry: Declared) -> Files | None:
    topics_of = entry.get("topics") or ["orders"]
    if len(topics_of) != 1:
        return None
    config = asked(entry.get("config") or {})
    boot = config.pop("bootstrap.servers")
    channel: dict[str, Any] = {"connector": "smallrye-kafka", "topic": topics_of[0]}
    for key, value in config.items():
        *above, last = key.split(".")
        at = channel
        for part in above:
            at = at.setdefault(part, {})
            if not isinstance(at, dict):
                return None
        if last in at:
            return None
        at[last] = text(value)
    side = "incoming" if role == "consumer" else "outgoing"
    whole = {
        "kafka": {"bootstrap": {"servers": text(boot)}},
        "mp": {"messaging": {side: {"work": channel}}},
    }
    return {"src/main/resources/application.yaml": documents(whole)}


def as_quarkus_variables(role: str, entry: Declared) -> Files | None:
    topics_of = entry.get("topics") or ["orders"]
    if len(topics_of) != 1:
        return None
    config = asked(entry.get("config") or {})
    at = f"MP_MESSAGING_{'INCOMING' if role == 'consumer' else 'OUTGOING'}_WORK_"
    told = {
        "KAFKA_BOOTSTRAP_SERVERS": text(config.pop("bootstrap.servers")),
        f"{at}CONNECTOR": "smallrye-kafka",
        f"{at}TOPIC": topics_of[0],
    } | environment(config, at)
    return {
        "docker-compose.yml": documents(
            {"services": {"app": {"image": "example.com/app:1.0", "environment": told}}}
        )
    }


FRAMEWORKS: dict[str, Carrier] = {
    name: client_carrier(write)
    for name, write in {
        "spring-names": as_spring_names,
        "spring-camel": as_spring_camel,
        "spring-variables": as_spring_variables,
        "quarkus-yaml": as_quarkus_yaml,
        "quarkus-variables": as_quarkus_variables,
    }.items()
}

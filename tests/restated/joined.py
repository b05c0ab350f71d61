"""Brokers, topics and applications together, by how these learn the address of the brokers."""

from __future__ import annotations

import yaml
from brokers import (
    in_ansible,
    in_bitnami_images,
    in_cfk,
    in_chart_values,
    in_confluent_images,
    in_properties,
    in_stateful_set,
    in_strimzi,
)
from clients import as_quarkus, as_spring_yaml, clients
from declared import CLUSTER, Carrier, Declared, Files, documents, only, place, pom
from others import as_cfk_topics, as_commands, as_terraform


def together(base: Carrier, address: str, *, topics_by: Carrier | None = None) -> Carrier:
    """The brokers by one carrier, their clients as applications that name the address of theirs."""

    def carry(declared: Declared) -> Files | None:
        told = clients(declared)
        if told is None or set(declared) - {"cluster", "topics", "producers", "consumers"}:
            return None
        files = _brokers(base, address, topics_by, declared)
        for role, entry, release in told if files is not None else ():
            made = _application(role, entry, address)
            if files is None or made is None:
                return None
            files |= {
                f"{place(declared)}{entry['name']}/{name}": body
                for name, body in (made | pom(release)).items()
            }
        return files

    return carry


def _brokers(
    base: Carrier, address: str, topics_by: Carrier | None, declared: Declared
) -> Files | None:
    """The brokers and topics; ``topics_by`` makes what the carrier of brokers has no word for."""
    cluster = declared.get("cluster", {"name": "core", "brokers": 3})
    if not only(cluster, known=CLUSTER):
        return None
    topics = declared.get("topics", [])
    if topics_by is None:
        return base({"cluster": cluster, "topics": topics})
    files = base({"cluster": cluster})
    if files is None or not topics:
        return files
    made = topics_by({"topics": topics})
    if made is None:
        return None
    return files | {
        place(declared) + name: body.replace("kafka:9092", address) for name, body in made.items()
    }


def _application(role: str, entry: Declared, address: str) -> Files | None:
    config = entry.get("config") or {}
    if "bootstrap.servers" in config:
        return None
    called = {"config": {"bootstrap.servers": address} | config, "topics": entry.get("topics", [])}
    return as_quarkus(role, called) if called["topics"] else as_spring_yaml(role, called)


JOINED: dict[str, Carrier] = {
    "cp-kafka": together(in_confluent_images, "kafka1:9092", topics_by=as_commands),
    "bitnami/kafka": together(in_bitnami_images, "kafka1:9092", topics_by=as_commands),
    "properties": together(in_properties, "kafka1:9092", topics_by=as_commands),
    "ansible": together(in_ansible, "kafka1:9092", topics_by=as_commands),
    "strimzi": together(in_strimzi, "core-kafka-bootstrap:9092"),
    "cfk": together(in_cfk, "kafka.confluent.svc.cluster.local:9071", topics_by=as_cfk_topics),
    "statefulset": together(in_stateful_set, "kafka-0.kafka:9092", topics_by=as_terraform),
    "chart": together(in_chart_values, "platform-kafka:9092", topics_by=as_terraform),
}


def by_environment(name: str) -> Carrier:
    """A compose file whose applications learn the brokers' address from a variable.

    ``name`` says how: the file's own variable with a default, Spring's variable over a literal one
    of the developer's machine, or the address of the developer's machine at a published port.
    """

    def carry(declared: Declared) -> Files | None:
        inside = together(in_confluent_images, "kafka1:9092", topics_by=as_commands)(declared)
        if inside is None:
            return None
        compose = yaml.safe_load(inside[f"{place(declared)}docker-compose.yml"])
        for number, one in enumerate(
            (*declared.get("producers", []), *declared.get("consumers", []))
        ):
            file = next(
                path for path in inside if path.startswith(f"{place(declared)}{one['name']}/src")
            )
            body = inside[file]
            if name == "default":
                inside[file] = body.replace(
                    "kafka1:9092", "${KAFKA_BOOTSTRAP_SERVERS:localhost:9092}"
                )
                variables = {"KAFKA_BOOTSTRAP_SERVERS": "kafka1:9092"}
            elif name == "over":
                inside[file] = body.replace("kafka1:9092", "localhost:9092")
                variables = {
                    "SPRING_KAFKA_BOOTSTRAP_SERVERS"
                    if file.endswith(".yml")
                    else "KAFKA_BOOTSTRAP_SERVERS": "kafka1:9092"
                }
            else:
                inside[file] = body.replace("kafka1:9092", "localhost:29092")
                continue
            compose["services"][f"app{number}"] = {
                "build": f"./{one['name']}",
                "environment": variables,
                "depends_on": ["kafka1"],
            }
        if name == "published":
            told = compose["services"]["kafka1"]["environment"]
            if (
                "advertised.listeners" in (declared.get("cluster", {}).get("config") or {})
                or "KAFKA_LISTENERS" not in told
                or told["KAFKA_LISTENERS"] != "PLAINTEXT://:9092,CONTROLLER://:9093"
            ):
                return None
            told["KAFKA_LISTENERS"] = "PLAINTEXT://:9092,HOST://:29092,CONTROLLER://:9093"
            told["KAFKA_ADVERTISED_LISTENERS"] = "PLAINTEXT://kafka1:9092,HOST://localhost:29092"
            told["KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"] = (
                "PLAINTEXT:PLAINTEXT,HOST:PLAINTEXT,CONTROLLER:PLAINTEXT"
            )
            compose["services"]["kafka1"]["ports"] = ["29092:29092"]
        inside[f"{place(declared)}docker-compose.yml"] = documents(compose)
        return inside

    return carry


def by_manifest(declared: Declared) -> Files | None:
    """A cluster of Strimzi, and applications that a Deployment tells the address of."""
    inside = together(in_strimzi, "core-kafka-bootstrap:9092")(declared)
    if inside is None:
        return None
    made: Files = {}
    for path, body in inside.items():
        if "/src/" not in path:
            made[path if path.endswith("pom.xml") else f"deploy/{path}"] = body
            continue
        name = path.removeprefix(place(declared)).partition("/")[0]
        made[path] = body.replace(
            "core-kafka-bootstrap:9092", "${KAFKA_BOOTSTRAP_SERVERS:localhost:9092}"
        )
        container = {
            "name": name,
            "image": f"registry.example.com/{name}:1.0",
            "env": [{"name": "KAFKA_BOOTSTRAP_SERVERS", "value": "core-kafka-bootstrap:9092"}],
        }
        pods = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": name}},
                "template": {
                    "metadata": {"labels": {"app": name}},
                    "spec": {"containers": [container]},
                },
            },
        }
        made[f"deploy/{place(declared)}{name}.yaml"] = documents(pods)
    return made


def by_default(declared: Declared) -> Files | None:
    """A compose file of brokers alone, deep beside an application that somebody else starts."""
    inside = together(in_confluent_images, "kafka1:9092", topics_by=as_commands)(declared)
    if inside is None:
        return None
    return {
        (
            "services/" + path
            if "/src/" in path or path.endswith("pom.xml")
            else f"infra/kafka/{path}"
        ): body.replace("kafka1:9092", "${KAFKA_BOOTSTRAP_SERVERS:localhost:9092}")
        if "/src/" in path
        else body
        for path, body in inside.items()
    }


ADDRESSED: dict[str, Carrier] = {
    name: by_environment(name) for name in ("default", "over", "published")
}

ADDRESSED |= {"manifest": by_manifest, "unrelated": by_default}

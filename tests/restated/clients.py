"""Producers and consumers as frameworks and the programs around Kafka have them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from declared import (
    CLIENT,
    Carrier,
    Declared,
    Files,
    documents,
    environment,
    library,
    only,
    place,
    pom,
    properties,
    text,
)


def clients(declared: Declared) -> list[tuple[str, Declared, str]] | None:
    """Producers and consumers with their role and the version of their library."""
    if declared.get("streams") or declared.get("connectors"):
        return None
    found = []
    for role in ("producer", "consumer"):
        for entry in declared.get(f"{role}s", []):
            release = library(entry, declared)
            if release is None or not only(entry, known=CLIENT):
                return None
            found.append((role, entry, release))
    return found or None


def asked(config: Mapping[str, Any]) -> dict[str, Any]:
    return {"bootstrap.servers": "kafka:9092"} | dict(config)


def one_client(declared: Declared) -> tuple[str, Declared, str] | None:
    found = clients(declared)
    if found is None or len(found) != 1 or set(declared) & {"topics", "groups", "quotas"}:
        return None
    cluster = declared.get("cluster", {})
    if not only(cluster, known={"name", "client_version", "environment"}):
        return None
    return found[0]


def client_carrier(write: Callable[[str, Declared], Files | None]) -> Carrier:
    def carry(declared: Declared) -> Files | None:
        found = one_client(declared)
        if found is None:
            return None
        role, entry, release = found
        files = write(role, entry)
        at = place(declared)
        return (
            None
            if files is None
            else {at + name: body for name, body in (files | pom(release)).items()}
        )

    return carry


def topicless(entry: Declared) -> bool:
    return not entry.get("topics")


def as_properties(role: str, entry: Declared) -> Files | None:
    if not topicless(entry):
        return None
    return {f"config/{role}.properties": properties(asked(entry.get("config") or {}))}


def as_spring_yaml(role: str, entry: Declared) -> Files | None:
    if not topicless(entry):
        return None
    config = asked(entry.get("config") or {})
    boot = config.pop("bootstrap.servers")
    whole = {
        "spring": {
            "kafka": {
                "bootstrap-servers": text(boot),
                role: {"properties": {f"[{k}]": text(v) for k, v in config.items()}},
            }
        }
    }
    return {"src/main/resources/application.yml": documents(whole)}


def as_spring_properties(role: str, entry: Declared) -> Files | None:
    if not topicless(entry):
        return None
    config = asked(entry.get("config") or {})
    boot = config.pop("bootstrap.servers")
    return {
        "src/main/resources/application.properties": properties(
            {"spring.kafka.bootstrap-servers": boot}
            | {f"spring.kafka.{role}.properties.{k}": v for k, v in config.items()}
        )
    }


def as_binder(role: str, entry: Declared) -> Files | None:
    topics_of = entry.get("topics") or ["orders"]
    config = dict(entry.get("config") or {})
    if "bootstrap.servers" in config or "group.id" in config or len(topics_of) != 1:
        return None
    at = "in" if role == "consumer" else "out"
    binding = f"work-{at}-0"
    whole = {
        "spring": {
            "cloud": {
                "function": {"definition": "work"},
                "stream": {
                    "bindings": {
                        binding: {"destination": topics_of[0]}
                        | ({"group": "work"} if role == "consumer" else {})
                    },
                    "kafka": {
                        "binder": {"brokers": "kafka:9092"},
                        "bindings": {
                            binding: {
                                role: {
                                    "configuration": {f"[{k}]": text(v) for k, v in config.items()}
                                }
                            }
                        },
                    },
                },
            }
        }
    }
    return {"src/main/resources/application.yml": documents(whole)}


def as_quarkus(role: str, entry: Declared) -> Files | None:
    topics_of = entry.get("topics") or ["orders"]
    if len(topics_of) != 1:
        return None
    config = asked(entry.get("config") or {})
    at = f"mp.messaging.{'incoming' if role == 'consumer' else 'outgoing'}.work."
    boot = config.pop("bootstrap.servers")
    return {
        "src/main/resources/application.properties": properties(
            {
                "kafka.bootstrap.servers": boot,
                f"{at}connector": "smallrye-kafka",
                f"{at}topic": topics_of[0],
            }
            | {at + k: v for k, v in config.items()}
        )
    }


def as_micronaut(role: str, entry: Declared) -> Files | None:
    if not topicless(entry):
        return None
    config = asked(entry.get("config") or {})
    boot = config.pop("bootstrap.servers")
    return {
        "src/main/resources/application.yml": documents(
            {
                "micronaut": {"application": {"name": "app"}},
                "kafka": {
                    "bootstrap": {"servers": text(boot)},
                    f"{role}s": {"default": {k: text(v) for k, v in config.items()}},
                },
            }
        )
    }


def as_streams(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    boot = config.pop("bootstrap.servers", "kafka:9092")
    if not topicless(entry) or "group.id" in config or "transactional.id" in config:
        return None
    return {
        "config/streams.properties": properties(
            {"application.id": "work", "bootstrap.servers": boot, "state.dir": "/var/lib/streams"}
            | {f"{role}.{k}": v for k, v in config.items()}
        )
    }


WORKER = {
    "group.id": "connect",
    "config.storage.topic": "connect-configs",
    "offset.storage.topic": "connect-offsets",
    "status.storage.topic": "connect-status",
    "key.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "plugin.path": "/opt/plugins",
}


def as_worker(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if not topicless(entry) or "bootstrap.servers" in config or "group.id" in config:
        return None
    return {
        "config/connect-distributed.properties": properties(
            {"bootstrap.servers": "kafka:9092"}
            | WORKER
            | {f"{role}.{k}": v for k, v in config.items()}
        )
    }


def as_worker_image(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if not topicless(entry) or "bootstrap.servers" in config or "group.id" in config:
        return None
    told = (
        {"bootstrap.servers": "kafka:9092", "rest.advertised.host.name": "connect"}
        | WORKER
        | {f"{role}.{k}": v for k, v in config.items()}
    )
    return {
        "docker-compose.yml": documents(
            {
                "services": {
                    "connect": {
                        "image": "confluentinc/cp-kafka-connect:${CP}",
                        "environment": environment(told, "CONNECT_"),
                    }
                }
            }
        )
    }


def as_strimzi_worker(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if (
        not topicless(entry)
        or "bootstrap.servers" in config
        or "group.id" in config
        or any(k.startswith(("ssl.", "sasl.", "security.")) for k in config)
    ):
        return None
    spec = {
        "replicas": 1,
        "bootstrapServers": "kafka:9092",
        "config": WORKER | {f"{role}.{k}": v for k, v in config.items()},
    }
    spec["config"].pop("plugin.path")
    return {
        "connect.yaml": documents(
            {
                "apiVersion": "kafka.strimzi.io/v1beta2",
                "kind": "KafkaConnect",
                "metadata": {"name": "connect"},
                "spec": spec,
            }
        )
    }


def as_connector(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if "bootstrap.servers" in config or "group.id" in config or "transactional.id" in config:
        return None
    kind = {
        "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
        "connection.url": "jdbc:postgresql://db/x",
        "topic.prefix": "x-",
        "mode": "incrementing",
        "incrementing.column.name": "id",
    }
    if role == "consumer":
        kind = {
            "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
            "connection.url": "jdbc:postgresql://db/x",
            "topics": ",".join(entry.get("topics") or ["orders"]),
        }
    elif not topicless(entry):
        return None
    return {
        "connectors/work.json": json.dumps(
            {
                "name": "work",
                "config": kind
                | {"tasks.max": "1"}
                | {f"{role}.override.{k}": text(v) for k, v in config.items()},
            },
            indent=2,
        )
    }


def as_mirror(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if (
        not topicless(entry)
        or "bootstrap.servers" in config
        or "group.id" in config
        or "transactional.id" in config
    ):
        return None
    alias = "east" if role == "consumer" else "west"
    return {
        "config/mm2.properties": properties(
            {
                "clusters": "east,west",
                "east.bootstrap.servers": "east:9092",
                "west.bootstrap.servers": "west:9092",
                "east->west.enabled": "true",
                "east->west.topics": ".*",
            }
            | {f"{alias}.{role}.{k}": v for k, v in config.items()}
        )
    }


def as_ksql(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if (
        not topicless(entry)
        or "bootstrap.servers" in config
        or "group.id" in config
        or "transactional.id" in config
    ):
        return None
    return {
        "config/ksql-server.properties": properties(
            {
                "bootstrap.servers": "kafka:9092",
                "ksql.service.id": "work_",
                "listeners": "http://0.0.0.0:8088",
                "ksql.streams.state.dir": "/var/lib/ksql",
            }
            | {f"ksql.streams.{role}.{k}": v for k, v in config.items()}
        )
    }


def as_rest(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if (
        not topicless(entry)
        or "bootstrap.servers" in config
        or "group.id" in config
        or "transactional.id" in config
    ):
        return None
    return {
        "config/kafka-rest.properties": properties(
            {
                "id": "rest-1",
                "bootstrap.servers": "kafka:9092",
                "listeners": "http://0.0.0.0:8082",
                "schema.registry.url": "http://registry:8081",
            }
            | {f"{role}.{k}": v for k, v in config.items()}
        )
    }


def as_spring_environment(role: str, entry: Declared) -> Files | None:
    config = asked(entry.get("config") or {})
    if not topicless(entry):
        return None
    boot = config.pop("bootstrap.servers")
    told = {"SPRING_KAFKA_BOOTSTRAP_SERVERS": text(boot)} | environment(
        config, f"SPRING_KAFKA_{role.upper()}_PROPERTIES_"
    )
    return {
        "docker-compose.yml": documents(
            {"services": {"app": {"image": "example.com/app:1.0", "environment": told}}}
        )
    }


def as_map(role: str, entry: Declared) -> Files | None:
    """A Deployment that mounts a Spring application's file from a ConfigMap."""
    made = as_spring_yaml(role, entry)
    if made is None:
        return None
    (body,) = made.values()
    data = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "app"},
        "data": {"application.yml": body},
    }
    pods = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "app"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "app"}},
            "template": {
                "metadata": {"labels": {"app": "app"}},
                "spec": {
                    "containers": [
                        {
                            "name": "app",
                            "image": "example.com/app:1.0",
                            "volumeMounts": [{"name": "c", "mountPath": "/config"}],
                        }
                    ],
                    "volumes": [{"name": "c", "configMap": {"name": "app"}}],
                },
            },
        },
    }
    return {"app.yaml": documents(data, pods)}


def as_template(role: str, entry: Declared) -> Files | None:
    made = as_properties(role, entry)
    if made is None or any("{" in text(v) for v in (entry.get("config") or {}).values()):
        return None
    (body,) = made.values()
    variables, lines = {}, []
    for line in body.splitlines():
        key, _, _value = line.partition("=")
        if key == "bootstrap.servers":
            lines.append(line)
            continue
        name = "app_" + key.replace(".", "_").replace("-", "_")
        variables[name] = text((entry.get("config") or {})[key])
        lines.append(f"{key}={{{{ {name} }}}}")
    return {
        "roles/app/defaults/main.yml": documents(variables),
        "roles/app/tasks/main.yml": documents(
            [
                {
                    "name": "Configure",
                    "ansible.builtin.template": {
                        "src": f"{role}.properties.j2",
                        "dest": f"/etc/app/{role}.properties",
                    },
                }
            ]
        ),
        f"roles/app/templates/{role}.properties.j2": "\n".join(lines) + "\n",
    }


def as_flink(role: str, entry: Declared) -> Files | None:
    config = asked(entry.get("config") or {})
    topics_of = entry.get("topics") or ["orders"]
    if (
        len(topics_of) != 1
        or any("'" in text(v) for v in config.values())
        or "transactional.id" in config
    ):
        return None
    lines = ["'connector' = 'kafka'", f"'topic' = '{topics_of[0]}'", "'format' = 'json'"]
    lines += [f"'properties.{k}' = '{text(v)}'" for k, v in config.items()]
    verb = "INSERT INTO work SELECT * FROM other;" if role == "producer" else "SELECT * FROM work;"
    return {
        "job.sql": "CREATE TABLE work (id STRING) WITH (\n  "
        + ",\n  ".join(lines)
        + f"\n);\n{verb}\n"
    }


CLIENTS: dict[str, Carrier] = {
    name: client_carrier(write)
    for name, write in {
        "properties": as_properties,
        "template": as_template,
        "spring-yaml": as_spring_yaml,
        "spring-properties": as_spring_properties,
        "spring-env": as_spring_environment,
        "map": as_map,
        "binder": as_binder,
        "quarkus": as_quarkus,
        "micronaut": as_micronaut,
        "streams": as_streams,
        "worker": as_worker,
        "cp-connect": as_worker_image,
        "strimzi-connect": as_strimzi_worker,
        "connector": as_connector,
        "mm2": as_mirror,
        "ksql": as_ksql,
        "rest": as_rest,
        "flink": as_flink,
    }.items()
}

"""Topics, connectors, applications of Streams and workers as tools and operators have them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from declared import (
    Carrier,
    Declared,
    Files,
    documents,
    environment,
    library,
    only,
    pom,
    properties,
    text,
    topics,
)


def only_topics(declared: Declared) -> list[Declared] | None:
    """The topics of a declaration that has nothing else to say, with their partitions and copies."""
    told = topics(declared)
    if not told or set(declared) - {"topics", "cluster"}:
        return None
    if not only(declared.get("cluster", {}), known={"name"}):
        return None
    if any(type(one.get("partitions", 1)) is not int for one in told):
        return None
    return told


def as_commands(declared: Declared) -> Files | None:
    told = only_topics(declared)
    if told is None:
        return None
    lines = ["#!/bin/bash"]
    for one in told:
        words = [
            "kafka-topics.sh --bootstrap-server kafka:9092 --create --if-not-exists",
            f"--topic {one['name']}",
        ]
        if "partitions" in one:
            words.append(f"--partitions {one['partitions']}")
        if "replication_factor" in one:
            words.append(f"--replication-factor {one['replication_factor']}")
        for key, value in (one.get("config") or {}).items():
            if "'" in text(value):
                return None
            words.append(f"--config '{key}={text(value)}'")
        lines.append(" ".join(words))
    return {"scripts/topics.sh": "\n".join(lines) + "\n"}


def as_custom_resources(declared: Declared) -> Files | None:
    told = only_topics(declared)
    if told is None:
        return None
    made = []
    for one in told:
        spec = {"topicName": one["name"]}
        for name, field in (
            ("partitions", "partitions"),
            ("replication_factor", "replicas"),
            ("config", "config"),
        ):
            if one.get(name) is not None:
                spec[field] = one[name]
        made.append(
            {
                "apiVersion": "kafka.strimzi.io/v1beta2",
                "kind": "KafkaTopic",
                "metadata": {
                    "name": one["name"].lower().replace("_", "-"),
                    "labels": {"strimzi.io/cluster": "core"},
                },
                "spec": spec,
            }
        )
    return {"topics.yaml": documents(*made)}


def as_cfk_topics(declared: Declared) -> Files | None:
    told = only_topics(declared)
    if told is None:
        return None
    made = []
    for one in told:
        spec: dict[str, Any] = {"kafkaClusterRef": {"name": "kafka"}}
        for name, field in (("partitions", "partitionCount"), ("replication_factor", "replicas")):
            if name in one:
                spec[field] = one[name]
        if one.get("config"):
            spec["configs"] = {key: text(value) for key, value in one["config"].items()}
        made.append(
            {
                "apiVersion": "platform.confluent.io/v1beta1",
                "kind": "KafkaTopic",
                "metadata": {"name": one["name"], "namespace": "confluent"},
                "spec": spec,
            }
        )
    return {"topics.yaml": documents(*made)}


def hcl(value: Any) -> str:
    return json.dumps(text(value)).replace("${", "$${")


def as_terraform(declared: Declared) -> Files | None:
    told = only_topics(declared)
    if told is None:
        return None
    lines = ['provider "kafka" {', '  bootstrap_servers = ["kafka:9092"]', "}"]
    for number, one in enumerate(told):
        lines += [f'resource "kafka_topic" "t{number}" {{', f'  name = "{one["name"]}"']
        lines += [f"  partitions = {one['partitions']}"] if "partitions" in one else []
        lines += (
            [f"  replication_factor = {one['replication_factor']}"]
            if "replication_factor" in one
            else []
        )
        if one.get("config"):
            lines += [
                "  config = {",
                *(f'    "{key}" = {hcl(value)}' for key, value in one["config"].items()),
                "  }",
            ]
        lines.append("}")
    return {"topics.tf": "\n".join(lines) + "\n"}


TOPICS: dict[str, Carrier] = {
    "kafka-topics": as_commands,
    "strimzi": as_custom_resources,
    "cfk": as_cfk_topics,
    "terraform": as_terraform,
}


def one_connector(declared: Declared) -> Declared | None:
    told = declared.get("connectors") or []
    if (
        len(told) != 1
        or set(declared) - {"connectors", "cluster"}
        or not only(told[0], known={"name", "config"})
    ):
        return None
    return (
        told[0]
        if only(declared.get("cluster", {}), known={"name", "client_version"})
        and not declared.get("cluster", {}).get("client_version")
        else None
    )


def connector_carrier(write: Callable[[str, dict[str, str]], Files]) -> Carrier:
    def carry(declared: Declared) -> Files | None:
        entry = one_connector(declared)
        if entry is None:
            return None
        return write(
            entry["name"], {key: text(value) for key, value in (entry.get("config") or {}).items()}
        )

    return carry


def as_json(name: str, config: dict[str, str]) -> Files:
    return {f"connectors/{name}.json": json.dumps({"name": name, "config": config}, indent=2)}


def as_bare_json(name: str, config: dict[str, str]) -> Files:
    return {f"connectors/{name}.json": json.dumps({"name": name} | config, indent=2)}


def as_connector_properties(name: str, config: dict[str, str]) -> Files:
    return {f"config/{name}.properties": properties({"name": name} | config)}


def as_kafka_connector(name: str, config: dict[str, str]) -> Files:
    rest = {
        key: value for key, value in config.items() if key not in ("connector.class", "tasks.max")
    }
    spec: dict[str, Any] = {"class": config.get("connector.class", "x.Y")} | (
        {"tasksMax": int(config["tasks.max"])} if config.get("tasks.max", "").isdecimal() else {}
    )
    return {
        "connector.yaml": documents(
            {
                "apiVersion": "kafka.strimzi.io/v1beta2",
                "kind": "KafkaConnector",
                "metadata": {"name": name, "labels": {"strimzi.io/cluster": "connect"}},
                "spec": spec | {"config": rest},
            }
        )
    }


def as_request(name: str, config: dict[str, str]) -> Files:
    body = json.dumps({"name": name, "config": config}, indent=2)
    if "'" in body or "\\" in body:
        return {f"connectors/{name}.json": body}
    return {
        "scripts/connect.sh": f"#!/bin/bash\ncurl -X POST -H 'Content-Type: application/json' http://connect:8083/connectors -d '{body}'\n"
    }


def as_terraform_connector(name: str, config: dict[str, str]) -> Files:
    lines = [f'    "{key}" = {hcl(value)}' for key, value in ({"name": name} | config).items()]
    return {
        "connect.tf": "\n".join(
            [
                'resource "kafka-connect_connector" "one" {',
                f'  name = "{name}"',
                "  config = {",
                *lines,
                "  }",
                "}",
            ]
        )
        + "\n"
    }


def as_cfk_connector(name: str, config: dict[str, str]) -> Files:
    rest = {
        key: value for key, value in config.items() if key not in ("connector.class", "tasks.max")
    }
    tasks = int(config["tasks.max"]) if config.get("tasks.max", "").isdecimal() else 1
    return {
        "connector.yaml": documents(
            {
                "apiVersion": "platform.confluent.io/v1beta1",
                "kind": "Connector",
                "metadata": {"name": name, "namespace": "confluent"},
                "spec": {
                    "class": config.get("connector.class", "x.Y"),
                    "taskMax": tasks,
                    "connectClusterRef": {"name": "connect"},
                    "configs": rest,
                },
            }
        )
    }


def as_statement(name: str, config: dict[str, str]) -> Files:
    kind = "SINK" if "topics" in config or "topics.regex" in config else "SOURCE"
    pairs = ",\n  ".join(
        f"'{key}' = '{value.replace(chr(39), chr(39) * 2)}'" for key, value in config.items()
    )
    return {
        "connectors.ksql": f"CREATE {kind} CONNECTOR {name.replace('-', '_')} WITH (\n  {pairs}\n);\n"
    }


CONNECTORS: dict[str, Carrier] = {
    name: connector_carrier(write)
    for name, write in {
        "json": as_json,
        "bare-json": as_bare_json,
        "properties": as_connector_properties,
        "strimzi": as_kafka_connector,
        "curl": as_request,
        "terraform": as_terraform_connector,
        "cfk": as_cfk_connector,
        "ksql": as_statement,
    }.items()
}


def one_application(declared: Declared) -> tuple[Declared, str] | None:
    told = declared.get("streams") or []
    if (
        len(told) != 1
        or set(declared) - {"streams", "cluster"}
        or not only(told[0], known={"name", "config", "client"})
    ):
        return None
    if not only(declared.get("cluster", {}), known={"name", "client_version"}):
        return None
    release = library(told[0], declared)
    return None if release is None else (told[0], release)


def streams_carrier(write: Callable[[dict[str, str]], Files | None]) -> Carrier:
    def carry(declared: Declared) -> Files | None:
        found = one_application(declared)
        if found is None:
            return None
        entry, release = found
        config = {"bootstrap.servers": "kafka:9092", "application.id": entry["name"]} | {
            key: text(value) for key, value in (entry.get("config") or {}).items()
        }
        made = write(config)
        return (
            None
            if made is None
            else made
            | {
                name: body.replace("kafka-clients", "kafka-streams")
                for name, body in pom(release).items()
            }
        )

    return carry


def streams_in_properties(config: dict[str, str]) -> Files:
    return {"config/streams.properties": properties(config)}


def streams_in_spring(config: dict[str, str]) -> Files:
    rest = dict(config)
    own = {
        "bootstrap-servers": rest.pop("bootstrap.servers"),
        "streams": {
            "application-id": rest.pop("application.id"),
            "properties": {f"[{k}]": v for k, v in rest.items()},
        },
    }
    return {"src/main/resources/application.yml": documents({"spring": {"kafka": own}})}


def streams_in_quarkus(config: dict[str, str]) -> Files:
    rest = dict(config)
    own = {
        "kafka.bootstrap.servers": rest.pop("bootstrap.servers"),
        "quarkus.kafka-streams.application-id": rest.pop("application.id"),
        "quarkus.kafka-streams.topics": "orders",
    }
    return {
        "src/main/resources/application.properties": properties(
            own | {f"kafka-streams.{k}": v for k, v in rest.items()}
        )
    }


def streams_in_micronaut(config: dict[str, str]) -> Files:
    rest = dict(config)
    return {
        "src/main/resources/application.yml": documents(
            {
                "micronaut": {"application": {"name": "app"}},
                "kafka": {
                    "bootstrap": {"servers": rest.pop("bootstrap.servers")},
                    "streams": {"default": rest},
                },
            }
        )
    }


def streams_in_binder(config: dict[str, str]) -> Files:
    rest = dict(config)
    binder = {
        "brokers": rest.pop("bootstrap.servers"),
        "applicationId": rest.pop("application.id"),
        "configuration": {f"[{k}]": v for k, v in rest.items()},
    }
    whole = {
        "spring": {
            "cloud": {
                "function": {"definition": "work"},
                "stream": {
                    "bindings": {"work-in-0": {"destination": "orders"}},
                    "kafka": {"streams": {"binder": binder}},
                },
            }
        }
    }
    return {"src/main/resources/application.yml": documents(whole)}


def streams_in_ksql(config: dict[str, str]) -> Files | None:
    rest = dict(config)
    rest.pop("application.id")
    return {
        "config/ksql-server.properties": properties(
            {
                "bootstrap.servers": rest.pop("bootstrap.servers"),
                "ksql.service.id": "work_",
                "listeners": "http://0.0.0.0:8088",
            }
            | {f"ksql.streams.{k}": v for k, v in rest.items()}
        )
    }


STREAMS: dict[str, Carrier] = {
    name: streams_carrier(write)
    for name, write in {
        "properties": streams_in_properties,
        "spring": streams_in_spring,
        "quarkus": streams_in_quarkus,
        "micronaut": streams_in_micronaut,
        "binder": streams_in_binder,
        "ksql": streams_in_ksql,
    }.items()
}


def worker_carrier(write: Callable[[dict[str, str]], Files | None]) -> Carrier:
    def carry(declared: Declared) -> Files | None:
        return write({key: text(value) for key, value in declared["worker"].items()})

    return carry


def worker_in_properties(config: dict[str, str]) -> Files:
    return {"etc/connect-distributed.properties": properties(config)}


def worker_in_image(config: dict[str, str]) -> Files | None:
    told = {"rest.advertised.host.name": "connect", "plugin.path": "/usr/share/java"} | config
    if "listeners" in told or "rest.port" in told:
        return None
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


def worker_in_strimzi(config: dict[str, str]) -> Files | None:
    rest = dict(config)
    boot = rest.pop("bootstrap.servers", "kafka:9092")
    rest.pop("plugin.path", None)
    if any(
        key.startswith(
            ("ssl.", "sasl.", "security.", "listeners", "rest.", "bootstrap.", "admin.listeners")
        )
        for key in rest
    ):
        return None
    return {
        "connect.yaml": documents(
            {
                "apiVersion": "kafka.strimzi.io/v1beta2",
                "kind": "KafkaConnect",
                "metadata": {"name": "connect"},
                "spec": {"replicas": 1, "bootstrapServers": boot, "config": rest},
            }
        )
    }


def worker_in_cfk(config: dict[str, str]) -> Files | None:
    rest = dict(config)
    boot = rest.pop("bootstrap.servers", "kafka:9092")
    for key in ("group.id", "plugin.path"):
        rest.pop(key, None)
    return {
        "connect.yaml": documents(
            {
                "apiVersion": "platform.confluent.io/v1beta1",
                "kind": "Connect",
                "metadata": {"name": "connect", "namespace": "confluent"},
                "spec": {
                    "replicas": 1,
                    "image": {
                        "application": "confluentinc/cp-server-connect:7.6.0",
                        "init": "confluentinc/confluent-init-container:2.8.0",
                    },
                    "dependencies": {"kafka": {"bootstrapEndpoint": boot}},
                    "configOverrides": {"server": [f"{k}={v}" for k, v in rest.items()]},
                },
            }
        )
    }


def worker_in_map(config: dict[str, str]) -> Files:
    data = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "connect"},
        "data": {"connect-distributed.properties": properties(config)},
    }
    container = {
        "name": "connect",
        "image": "apache/kafka:4.0.0",
        "command": [
            "/opt/kafka/bin/connect-distributed.sh",
            "/etc/connect/connect-distributed.properties",
        ],
        "volumeMounts": [{"name": "c", "mountPath": "/etc/connect"}],
    }
    pods = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "connect"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "connect"}},
            "template": {
                "metadata": {"labels": {"app": "connect"}},
                "spec": {
                    "containers": [container],
                    "volumes": [{"name": "c", "configMap": {"name": "connect"}}],
                },
            },
        },
    }
    return {"connect.yaml": documents(data, pods)}


def worker_in_template(config: dict[str, str]) -> Files:
    names = {key: "connect_" + key.replace(".", "_").replace("-", "_") for key in config}
    return {
        "roles/connect/defaults/main.yml": documents(
            {names[key]: value for key, value in config.items()}
        ),
        "roles/connect/tasks/main.yml": documents(
            [
                {
                    "name": "Configure",
                    "ansible.builtin.template": {
                        "src": "connect-distributed.properties.j2",
                        "dest": "/etc/kafka/connect-distributed.properties",
                    },
                }
            ]
        ),
        "roles/connect/templates/connect-distributed.properties.j2": "".join(
            f"{key}={{{{ {names[key]} }}}}\n" for key in config
        ),
    }


WORKERS: dict[str, Carrier] = {
    name: worker_carrier(write)
    for name, write in {
        "properties": worker_in_properties,
        "cp-connect": worker_in_image,
        "strimzi": worker_in_strimzi,
        "cfk": worker_in_cfk,
        "map": worker_in_map,
        "template": worker_in_template,
    }.items()
}

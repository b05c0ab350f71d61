"""Brokers as images, operators, charts and plays have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from declared import (
    Carrier,
    Declared,
    Files,
    brokers,
    documents,
    environment,
    place,
    properties,
    text,
    topics,
    version,
)


def minor(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".")[:2])


def started(config: dict[str, Any], release: str, hosts: list[str]) -> dict[str, Any]:
    """The broker with what it needs to start, where its declaration does not say it."""
    if "process.roles" in config or "zookeeper.connect" in config:
        rest: dict[str, Any] = {}
    elif release and minor(release) < (3, 3):
        rest = {"zookeeper.connect": "zookeeper:2181"}
        config = {"broker.id": config["node.id"]} | {
            k: v for k, v in config.items() if k != "node.id"
        }
    elif "listeners" in config or "listener.security.protocol.map" in config:
        rest = {
            "process.roles": "broker",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": "9@controller:9093",
        }
    else:
        rest = {
            "process.roles": "broker,controller",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": ",".join(
                f"{n}@{host}:9093" for n, host in enumerate(hosts, 1)
            ),
            "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
        }
    if "log.dirs" not in config and "log.dir" not in config:
        rest["log.dirs"] = "/var/lib/kafka/data"
    own = config.get("node.id", config.get("broker.id"))
    if (
        "advertised.listeners" not in config
        and "listeners" not in config
        and isinstance(own, int)
        and own <= len(hosts)
    ):
        rest["advertised.listeners"] = f"PLAINTEXT://{hosts[own - 1]}:9092"
    return rest | config


def in_properties(declared: Declared) -> Files | None:
    """A file for each broker; the release stands in the script that installs it."""
    told = brokers(declared)
    if told is None or topics(declared):
        return None
    hosts = [f"kafka{number}" for number in range(1, len(told) + 1)]
    at = place(declared)
    files = {
        f"{at}config/server-{number}.properties": properties(started(one, version(declared), hosts))
        for number, one in enumerate(told, 1)
    }
    if version(declared):
        full = version(declared) if version(declared).count(".") > 1 else version(declared) + ".0"
        files[f"{at}Dockerfile"] = (
            "FROM eclipse-temurin:17\n"
            f"RUN curl -O https://archive.apache.org/dist/kafka/{full}/kafka_2.13-{full}.tgz\n"
            "COPY config/ /opt/kafka/config/\n"
            'CMD ["/opt/kafka/bin/kafka-server-start.sh", "/opt/kafka/config/server-1.properties"]\n'
        )
    return files


CONFLUENT = {"2.3": "5.3", "2.4": "5.4", "2.5": "5.5", "2.6": "6.0", "2.7": "6.1", "2.8": "6.2"}


def confluent(release: str) -> str | None:
    """The tag of cp-kafka that has a release of Kafka."""
    if not release:
        return "${CP_VERSION}"
    major, least = minor(release)
    tag = CONFLUENT.get(f"{major}.{least}")
    if tag is None and major >= 3:
        tag = f"{major + 4}.{least}"
    if tag is None:
        return None
    return f"{tag}.{release.split('.')[2] if release.count('.') > 1 else 0}"


def in_compose(declared: Declared, image: Callable[[str], str | None], prefix: str) -> Files | None:
    told = brokers(declared)
    called = image(version(declared))
    if told is None or called is None or topics(declared):
        return None
    hosts = [f"kafka{number}" for number in range(1, len(told) + 1)]
    services: dict[str, Any] = {
        host: {
            "image": called,
            "volumes": [f"{host}:/var/lib/kafka/data"],
            "environment": environment(started(one, version(declared), hosts), prefix),
        }
        for host, one in zip(hosts, told, strict=True)
    }
    whole = {"services": services, "volumes": dict.fromkeys(hosts)}
    return {f"{place(declared)}docker-compose.yml": documents(whole)}


def in_confluent_images(declared: Declared) -> Files | None:
    return in_compose(
        declared, lambda v: (tag := confluent(v)) and f"confluentinc/cp-kafka:{tag}", "KAFKA_"
    )


def in_apache_images(declared: Declared) -> Files | None:
    def image(release: str) -> str | None:
        if not release:
            return "apache/kafka:${KAFKA_VERSION}"
        full = release if release.count(".") > 1 else f"{release}.0"
        return f"apache/kafka:{full}" if minor(release) >= (3, 7) else None

    return in_compose(declared, image, "KAFKA_")


def in_bitnami_images(declared: Declared) -> Files | None:
    def image(release: str) -> str | None:
        return f"bitnami/kafka:{release or '${KAFKA_VERSION}'}"

    return in_compose(declared, image, "KAFKA_CFG_")


def in_strimzi(declared: Declared) -> Files | None:
    """A Kafka and its KafkaTopics; what the operator sets itself, no declaration is asked for."""
    told = brokers(declared)
    if told is None or any(one != told[0] | {"node.id": one["node.id"]} for one in told):
        return None
    config = {key: value for key, value in told[0].items() if key != "node.id"}
    owned = (
        "listener",
        "advertised.",
        "broker.",
        "security.",
        "sasl.",
        "ssl.",
        "zookeeper.",
        "process.",
        "controller",
        "node.",
        "log.dir",
        "authorizer.",
        "super.user",
        "inter.broker.",
        "host.",
        "port",
    )
    allowed = (
        "zookeeper.connection.timeout.ms",
        "sasl.server.max.receive.size",
        "ssl.cipher.suites",
        "ssl.protocol",
        "ssl.enabled.protocols",
        "controlled.shutdown",
        "controller.quorum.election",
        "controller.quorum.fetch",
        "controller.quorum.request",
    )
    if any(key.startswith(owned) and not key.startswith(allowed) for key in config):
        return None
    named = topics(declared)
    if named is None:
        return None
    spec: dict[str, Any] = {
        "listeners": [{"name": "plain", "port": 9092, "type": "internal", "tls": False}],
        "config": config,
    }
    if version(declared):
        spec["version"] = (
            version(declared) if version(declared).count(".") > 1 else version(declared) + ".0"
        )
    kafka = {
        "apiVersion": "kafka.strimzi.io/v1beta2",
        "kind": "Kafka",
        "metadata": {
            "name": "core",
            "annotations": {"strimzi.io/kraft": "enabled", "strimzi.io/node-pools": "enabled"},
        },
        "spec": {"kafka": spec, "entityOperator": {"topicOperator": {}, "userOperator": {}}},
    }
    pool = {
        "apiVersion": "kafka.strimzi.io/v1beta2",
        "kind": "KafkaNodePool",
        "metadata": {"name": "dual", "labels": {"strimzi.io/cluster": "core"}},
        "spec": {
            "replicas": len(told),
            "roles": ["controller", "broker"],
            "storage": {"type": "persistent-claim", "size": "100Gi"},
        },
    }
    made = []
    for one in named:
        made_spec: dict[str, Any] = {}
        if "partitions" in one:
            made_spec["partitions"] = one["partitions"]
        if "replication_factor" in one:
            made_spec["replicas"] = one["replication_factor"]
        if one.get("config"):
            made_spec["config"] = one["config"]
        made.append(
            {
                "apiVersion": "kafka.strimzi.io/v1beta2",
                "kind": "KafkaTopic",
                "metadata": {
                    "name": one["name"].lower().replace("_", "-"),
                    "labels": {"strimzi.io/cluster": "core"},
                },
                "spec": {"topicName": one["name"], **made_spec},
            }
        )
    return {f"{place(declared)}kafka.yaml": documents(kafka, pool, *made)}


def in_cfk(declared: Declared) -> Files | None:
    told = brokers(declared)
    tag = confluent(version(declared))
    if (
        told is None
        or tag is None
        or topics(declared)
        or any(one != told[0] | {"node.id": one["node.id"]} for one in told)
    ):
        return None
    config = {key: value for key, value in told[0].items() if key != "node.id"}
    kafka = {
        "apiVersion": "platform.confluent.io/v1beta1",
        "kind": "Kafka",
        "metadata": {"name": "kafka", "namespace": "confluent"},
        "spec": {
            "replicas": len(told),
            "image": {
                "application": f"confluentinc/cp-server:{tag}",
                "init": "confluentinc/confluent-init-container:2.9.0",
            },
            "dataVolumeCapacity": "100Gi",
            "configOverrides": {
                "server": [f"{key}={text(value)}" for key, value in config.items()]
            },
        },
    }
    return {f"{place(declared)}kafka.yaml": documents(kafka)}


def in_stateful_set(declared: Declared) -> Files | None:
    """A ConfigMap of the file that the pods of a StatefulSet mount."""
    told = brokers(declared)
    if (
        told is None
        or topics(declared)
        or any(one != told[0] | {"node.id": one["node.id"]} for one in told)
    ):
        return None
    own = started(
        told[0], version(declared), [f"kafka-{number}.kafka" for number in range(len(told))]
    )
    config = {
        key: value
        for key, value in own.items()
        if key not in ("node.id", "broker.id", "advertised.listeners")
    }
    data = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kafka-config"},
        "data": {"server.properties": properties(config)},
    }
    release = version(declared)
    full = f":{release if release.count('.') > 1 else release + '.0'}" if release else ""
    pods = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "kafka"},
        "spec": {
            "serviceName": "kafka",
            "replicas": len(told),
            "selector": {"matchLabels": {"app": "kafka"}},
            "template": {
                "metadata": {"labels": {"app": "kafka"}},
                "spec": {
                    "containers": [
                        {
                            "name": "kafka",
                            "image": f"apache/kafka{full}",
                            "command": [
                                "/opt/kafka/bin/kafka-server-start.sh",
                                "/etc/kafka/server.properties",
                            ],
                            "volumeMounts": [{"name": "config", "mountPath": "/etc/kafka"}],
                        }
                    ],
                    "volumes": [{"name": "config", "configMap": {"name": "kafka-config"}}],
                },
            },
        },
    }
    return {f"{place(declared)}kafka.yaml": documents(data, pods)}


def in_ansible(declared: Declared) -> Files | None:
    told = brokers(declared)
    if (
        told is None
        or topics(declared)
        or any(one != told[0] | {"node.id": one["node.id"]} for one in told)
    ):
        return None
    config = {key: value for key, value in told[0].items() if key != "node.id"}
    hosts = [f"kafka{number}" for number in range(1, len(told) + 1)]
    if any("{" in text(value) for value in config.values()):
        return None
    base = started({"node.id": 1} | config, version(declared), hosts)
    base.pop("advertised.listeners", None)
    lines = {}
    variables: dict[str, Any] = {}
    for key, value in base.items():
        name = "kafka_" + key.replace(".", "_").replace("-", "_")
        if key in ("node.id", "broker.id"):
            lines[key] = "{{ kafka_node_id }}"
        elif key in config:
            lines[key] = f"{{{{ {name} }}}}"
            variables[name] = text(value)
        else:
            lines[key] = text(value)
    if version(declared):
        variables["kafka_version"] = (
            version(declared) if version(declared).count(".") > 1 else version(declared) + ".0"
        )
    at = place(declared)
    inventory = "[kafka]\n" + "".join(
        f"{host} kafka_node_id={n}\n" for n, host in enumerate(hosts, 1)
    )
    return {
        f"{at}inventory.ini": inventory,
        f"{at}site.yml": documents([{"hosts": "kafka", "roles": ["kafka"]}]),
        f"{at}roles/kafka/defaults/main.yml": documents(variables),
        f"{at}roles/kafka/tasks/main.yml": documents(
            [
                {
                    "name": "Configure",
                    "ansible.builtin.template": {
                        "src": "server.properties.j2",
                        "dest": "/opt/kafka/config/server.properties",
                    },
                }
            ]
        ),
        f"{at}roles/kafka/templates/server.properties.j2": "".join(
            f"{key}={value}\n" for key, value in lines.items()
        ),
    }


def in_chart_values(declared: Declared) -> Files | None:
    """Values of Bitnami's chart, which an umbrella chart depends on."""
    told = brokers(declared)
    if (
        told is None
        or topics(declared)
        or any(one != told[0] | {"node.id": one["node.id"]} for one in told)
    ):
        return None
    config = {key: value for key, value in told[0].items() if key != "node.id"}
    values: dict[str, Any] = {
        "controller": {"replicaCount": len(told)},
        "extraConfig": properties(config),
    }
    if version(declared):
        values["image"] = {
            "tag": version(declared)
            if version(declared).count(".") > 1
            else version(declared) + ".0"
        }
    chart = {
        "apiVersion": "v2",
        "name": "platform",
        "version": "0.1.0",
        "dependencies": [
            {
                "name": "kafka",
                "version": "31.0.0",
                "repository": "oci://registry-1.docker.io/bitnamicharts",
            }
        ],
    }
    return {
        f"{place(declared)}Chart.yaml": documents(chart),
        f"{place(declared)}values.yaml": documents({"kafka": values}),
    }


def in_pods_of_images(declared: Declared) -> Files | None:
    """A StatefulSet for each broker, whose image makes its file of variables."""
    composed = in_confluent_images(declared)
    if composed is None:
        return None
    ((path, body),) = composed.items()
    pods = []
    for name, service in yaml.safe_load(body)["services"].items():
        container = {
            "name": "kafka",
            "image": service["image"].replace("${CP_VERSION}", "latest"),
            "env": [
                {"name": key, "value": value.replace("$$", "$")}
                for key, value in service["environment"].items()
            ],
            "volumeMounts": [{"name": "data", "mountPath": "/var/lib/kafka/data"}],
        }
        pods.append(
            {
                "apiVersion": "apps/v1",
                "kind": "StatefulSet",
                "metadata": {"name": name},
                "spec": {
                    "serviceName": name,
                    "replicas": 1,
                    "selector": {"matchLabels": {"app": name}},
                    "template": {
                        "metadata": {"labels": {"app": name}},
                        "spec": {"containers": [container]},
                    },
                    "volumeClaimTemplates": [
                        {
                            "metadata": {"name": "data"},
                            "spec": {
                                "accessModes": ["ReadWriteOnce"],
                                "resources": {"requests": {"storage": "100Gi"}},
                            },
                        }
                    ],
                },
            }
        )
    return {path.replace("docker-compose.yml", "kafka.yaml"): documents(*pods)}


BROKERS: dict[str, Carrier] = {
    "pods": in_pods_of_images,
    "properties": in_properties,
    "cp-kafka": in_confluent_images,
    "apache/kafka": in_apache_images,
    "bitnami/kafka": in_bitnami_images,
    "strimzi": in_strimzi,
    "cfk": in_cfk,
    "statefulset": in_stateful_set,
    "ansible": in_ansible,
    "chart": in_chart_values,
}

"""A cluster and its clients as a declaration states them, written as repositories state them.

Each carrier is a function from a declaration to the files that say the same of it, or to None where
it has no word for one of the facts: a carrier never leaves out what the declaration says.
"""

from __future__ import annotations

import json
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
    escaped = {key: text(value).replace("\\", "\\\\").replace("\n", "\\n") for key, value in config.items()}
    return "".join(f"{key}={value}\n" for key, value in escaped.items())


def environment(config: Mapping[str, Any], prefix: str) -> dict[str, str]:
    """The variables of an image that makes a file of them."""
    return {
        prefix + key.upper().replace("_", "__").replace(".", "_").replace("-", "___"): text(value).replace("$", "$$")
        for key, value in config.items()
    }


def documents(*parts: Any) -> str:
    return yaml.safe_dump_all(parts, sort_keys=False, width=1000)


# What a declaration says.

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


# Brokers.


def minor(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".")[:2])


def started(config: dict[str, Any], release: str, hosts: list[str]) -> dict[str, Any]:
    """The broker with what it needs to start, where its declaration does not say it."""
    if "process.roles" in config or "zookeeper.connect" in config:
        rest: dict[str, Any] = {}
    elif release and minor(release) < (3, 3):
        rest = {"zookeeper.connect": "zookeeper:2181"}
        config = {"broker.id": config["node.id"]} | {k: v for k, v in config.items() if k != "node.id"}
    elif "listeners" in config or "listener.security.protocol.map" in config:
        rest = {"process.roles": "broker", "controller.listener.names": "CONTROLLER", "controller.quorum.voters": "9@controller:9093"}
    else:
        rest = {
            "process.roles": "broker,controller",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": ",".join(f"{n}@{host}:9093" for n, host in enumerate(hosts, 1)),
            "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
        }
    if "log.dirs" not in config and "log.dir" not in config:
        rest["log.dirs"] = "/var/lib/kafka/data"
    own = config.get("node.id", config.get("broker.id"))
    if "advertised.listeners" not in config and "listeners" not in config and isinstance(own, int) and own <= len(hosts):
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
    whole = {"services": services, "volumes": {host: None for host in hosts}}
    return {f"{place(declared)}docker-compose.yml": documents(whole)}


def in_confluent_images(declared: Declared) -> Files | None:
    found = in_compose(declared, lambda v: (tag := confluent(v)) and f"confluentinc/cp-kafka:{tag}", "KAFKA_")
    return found


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
    owned = ("listener", "advertised.", "broker.", "security.", "sasl.", "ssl.", "zookeeper.", "process.", "controller", "node.", "log.dir", "authorizer.", "super.user", "inter.broker.", "host.", "port")
    allowed = ("zookeeper.connection.timeout.ms", "sasl.server.max.receive.size", "ssl.cipher.suites", "ssl.protocol", "ssl.enabled.protocols", "controlled.shutdown", "controller.quorum.election", "controller.quorum.fetch", "controller.quorum.request")
    if any(key.startswith(owned) and not key.startswith(allowed) for key in config):
        return None
    named = topics(declared)
    if named is None:
        return None
    spec: dict[str, Any] = {"listeners": [{"name": "plain", "port": 9092, "type": "internal", "tls": False}], "config": config}
    if version(declared):
        spec["version"] = version(declared) if version(declared).count(".") > 1 else version(declared) + ".0"
    kafka = {
        "apiVersion": "kafka.strimzi.io/v1beta2", "kind": "Kafka",
        "metadata": {"name": "core", "annotations": {"strimzi.io/kraft": "enabled", "strimzi.io/node-pools": "enabled"}},
        "spec": {"kafka": spec, "entityOperator": {"topicOperator": {}, "userOperator": {}}},
    }
    pool = {
        "apiVersion": "kafka.strimzi.io/v1beta2", "kind": "KafkaNodePool",
        "metadata": {"name": "dual", "labels": {"strimzi.io/cluster": "core"}},
        "spec": {"replicas": len(told), "roles": ["controller", "broker"], "storage": {"type": "persistent-claim", "size": "100Gi"}},
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
        made.append({
            "apiVersion": "kafka.strimzi.io/v1beta2", "kind": "KafkaTopic",
            "metadata": {"name": one["name"].lower().replace("_", "-"), "labels": {"strimzi.io/cluster": "core"}},
            "spec": {"topicName": one["name"], **made_spec},
        })
    return {f"{place(declared)}kafka.yaml": documents(kafka, pool, *made)}


def in_cfk(declared: Declared) -> Files | None:
    told = brokers(declared)
    tag = confluent(version(declared))
    if told is None or tag is None or topics(declared) or any(one != told[0] | {"node.id": one["node.id"]} for one in told):
        return None
    config = {key: value for key, value in told[0].items() if key != "node.id"}
    kafka = {
        "apiVersion": "platform.confluent.io/v1beta1", "kind": "Kafka", "metadata": {"name": "kafka", "namespace": "confluent"},
        "spec": {
            "replicas": len(told), "image": {"application": f"confluentinc/cp-server:{tag}", "init": "confluentinc/confluent-init-container:2.9.0"},
            "dataVolumeCapacity": "100Gi",
            "configOverrides": {"server": [f"{key}={text(value)}" for key, value in config.items()]},
        },
    }
    return {f"{place(declared)}kafka.yaml": documents(kafka)}


def in_stateful_set(declared: Declared) -> Files | None:
    """A ConfigMap of the file that the pods of a StatefulSet mount."""
    told = brokers(declared)
    if told is None or topics(declared) or any(one != told[0] | {"node.id": one["node.id"]} for one in told):
        return None
    own = started(told[0], version(declared), [f"kafka-{number}.kafka" for number in range(len(told))])
    config = {key: value for key, value in own.items() if key not in ("node.id", "broker.id", "advertised.listeners")}
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kafka-config"}, "data": {"server.properties": properties(config)}}
    release = version(declared)
    full = f":{release if release.count('.') > 1 else release + '.0'}" if release else ""
    pods = {
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "kafka"},
        "spec": {
            "serviceName": "kafka", "replicas": len(told), "selector": {"matchLabels": {"app": "kafka"}},
            "template": {"metadata": {"labels": {"app": "kafka"}}, "spec": {
                "containers": [{"name": "kafka", "image": f"apache/kafka{full}",
                    "command": ["/opt/kafka/bin/kafka-server-start.sh", "/etc/kafka/server.properties"],
                    "volumeMounts": [{"name": "config", "mountPath": "/etc/kafka"}]}],
                "volumes": [{"name": "config", "configMap": {"name": "kafka-config"}}],
            }},
        },
    }
    return {f"{place(declared)}kafka.yaml": documents(data, pods)}


def in_ansible(declared: Declared) -> Files | None:
    told = brokers(declared)
    if told is None or topics(declared) or any(one != told[0] | {"node.id": one["node.id"]} for one in told):
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
        variables["kafka_version"] = version(declared) if version(declared).count(".") > 1 else version(declared) + ".0"
    at = place(declared)
    inventory = "[kafka]\n" + "".join(f"{host} kafka_node_id={n}\n" for n, host in enumerate(hosts, 1))
    return {
        f"{at}inventory.ini": inventory,
        f"{at}site.yml": documents([{"hosts": "kafka", "roles": ["kafka"]}]),
        f"{at}roles/kafka/defaults/main.yml": documents(variables),
        f"{at}roles/kafka/tasks/main.yml": documents([{"name": "Configure", "ansible.builtin.template": {"src": "server.properties.j2", "dest": "/opt/kafka/config/server.properties"}}]),
        f"{at}roles/kafka/templates/server.properties.j2": "".join(f"{key}={value}\n" for key, value in lines.items()),
    }


def in_chart_values(declared: Declared) -> Files | None:
    """Values of Bitnami's chart, which an umbrella chart depends on."""
    told = brokers(declared)
    if told is None or topics(declared) or any(one != told[0] | {"node.id": one["node.id"]} for one in told):
        return None
    config = {key: value for key, value in told[0].items() if key != "node.id"}
    values: dict[str, Any] = {"controller": {"replicaCount": len(told)}, "extraConfig": properties(config)}
    if version(declared):
        values["image"] = {"tag": version(declared) if version(declared).count(".") > 1 else version(declared) + ".0"}
    chart = {"apiVersion": "v2", "name": "platform", "version": "0.1.0", "dependencies": [{"name": "kafka", "version": "31.0.0", "repository": "oci://registry-1.docker.io/bitnamicharts"}]}
    return {f"{place(declared)}Chart.yaml": documents(chart), f"{place(declared)}values.yaml": documents({"kafka": values})}


def in_pods_of_images(declared: Declared) -> Files | None:
    """A StatefulSet for each broker, whose image makes its file of variables."""
    composed = in_confluent_images(declared)
    if composed is None:
        return None
    ((path, body),) = composed.items()
    pods = []
    for name, service in yaml.safe_load(body)["services"].items():
        container = {
            "name": "kafka", "image": service["image"].replace("${CP_VERSION}", "latest"),
            "env": [{"name": key, "value": value.replace("$$", "$")} for key, value in service["environment"].items()],
            "volumeMounts": [{"name": "data", "mountPath": "/var/lib/kafka/data"}],
        }
        pods.append({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": name},
            "spec": {
                "serviceName": name, "replicas": 1, "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
                "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}}}],
            },
        })
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


# Clients.


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
        return None if files is None else {at + name: body for name, body in (files | pom(release)).items()}

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
    whole = {"spring": {"kafka": {"bootstrap-servers": text(boot), role: {"properties": {f"[{k}]": text(v) for k, v in config.items()}}}}}
    return {"src/main/resources/application.yml": documents(whole)}


def as_spring_properties(role: str, entry: Declared) -> Files | None:
    if not topicless(entry):
        return None
    config = asked(entry.get("config") or {})
    boot = config.pop("bootstrap.servers")
    return {"src/main/resources/application.properties": properties({"spring.kafka.bootstrap-servers": boot} | {f"spring.kafka.{role}.properties.{k}": v for k, v in config.items()})}


def as_binder(role: str, entry: Declared) -> Files | None:
    topics_of = entry.get("topics") or ["orders"]
    config = dict(entry.get("config") or {})
    if "bootstrap.servers" in config or "group.id" in config or len(topics_of) != 1:
        return None
    at = "in" if role == "consumer" else "out"
    binding = f"work-{at}-0"
    whole = {"spring": {"cloud": {
        "function": {"definition": "work"},
        "stream": {
            "bindings": {binding: {"destination": topics_of[0]} | ({"group": "work"} if role == "consumer" else {})},
            "kafka": {"binder": {"brokers": "kafka:9092"}, "bindings": {binding: {role: {"configuration": {f"[{k}]": text(v) for k, v in config.items()}}}}},
        }}}}
    return {"src/main/resources/application.yml": documents(whole)}


def as_quarkus(role: str, entry: Declared) -> Files | None:
    topics_of = entry.get("topics") or ["orders"]
    if len(topics_of) != 1:
        return None
    config = asked(entry.get("config") or {})
    at = f"mp.messaging.{'incoming' if role == 'consumer' else 'outgoing'}.work."
    boot = config.pop("bootstrap.servers")
    return {"src/main/resources/application.properties": properties({"kafka.bootstrap.servers": boot, f"{at}connector": "smallrye-kafka", f"{at}topic": topics_of[0]} | {at + k: v for k, v in config.items()})}


def as_micronaut(role: str, entry: Declared) -> Files | None:
    if not topicless(entry):
        return None
    config = asked(entry.get("config") or {})
    boot = config.pop("bootstrap.servers")
    return {"src/main/resources/application.yml": documents({"micronaut": {"application": {"name": "app"}}, "kafka": {"bootstrap": {"servers": text(boot)}, f"{role}s": {"default": {k: text(v) for k, v in config.items()}}}})}


def as_streams(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    boot = config.pop("bootstrap.servers", "kafka:9092")
    if not topicless(entry) or "group.id" in config or "transactional.id" in config:
        return None
    return {"config/streams.properties": properties({"application.id": "work", "bootstrap.servers": boot, "state.dir": "/var/lib/streams"} | {f"{role}.{k}": v for k, v in config.items()})}


WORKER = {
    "group.id": "connect", "config.storage.topic": "connect-configs", "offset.storage.topic": "connect-offsets",
    "status.storage.topic": "connect-status", "key.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter": "org.apache.kafka.connect.json.JsonConverter", "plugin.path": "/opt/plugins",
}


def as_worker(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if not topicless(entry) or "bootstrap.servers" in config or "group.id" in config:
        return None
    return {"config/connect-distributed.properties": properties({"bootstrap.servers": "kafka:9092"} | WORKER | {f"{role}.{k}": v for k, v in config.items()})}


def as_worker_image(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if not topicless(entry) or "bootstrap.servers" in config or "group.id" in config:
        return None
    told = {"bootstrap.servers": "kafka:9092", "rest.advertised.host.name": "connect"} | WORKER | {f"{role}.{k}": v for k, v in config.items()}
    return {"docker-compose.yml": documents({"services": {"connect": {"image": "confluentinc/cp-kafka-connect:${CP}", "environment": environment(told, "CONNECT_")}}})}


def as_strimzi_worker(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if not topicless(entry) or "bootstrap.servers" in config or "group.id" in config or any(k.startswith(("ssl.", "sasl.", "security.")) for k in config):
        return None
    spec = {"replicas": 1, "bootstrapServers": "kafka:9092", "config": WORKER | {f"{role}.{k}": v for k, v in config.items()}}
    spec["config"].pop("plugin.path")
    return {"connect.yaml": documents({"apiVersion": "kafka.strimzi.io/v1beta2", "kind": "KafkaConnect", "metadata": {"name": "connect"}, "spec": spec})}


def as_connector(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if "bootstrap.servers" in config or "group.id" in config or "transactional.id" in config:
        return None
    kind = {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector", "connection.url": "jdbc:postgresql://db/x", "topic.prefix": "x-", "mode": "incrementing", "incrementing.column.name": "id"}
    if role == "consumer":
        kind = {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector", "connection.url": "jdbc:postgresql://db/x", "topics": ",".join(entry.get("topics") or ["orders"])}
    elif not topicless(entry):
        return None
    return {"connectors/work.json": json.dumps({"name": "work", "config": kind | {"tasks.max": "1"} | {f"{role}.override.{k}": text(v) for k, v in config.items()}}, indent=2)}


def as_mirror(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if not topicless(entry) or "bootstrap.servers" in config or "group.id" in config or "transactional.id" in config:
        return None
    alias = "east" if role == "consumer" else "west"
    return {"config/mm2.properties": properties({"clusters": "east,west", "east.bootstrap.servers": "east:9092", "west.bootstrap.servers": "west:9092", "east->west.enabled": "true", "east->west.topics": ".*"} | {f"{alias}.{role}.{k}": v for k, v in config.items()})}


def as_ksql(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if not topicless(entry) or "bootstrap.servers" in config or "group.id" in config or "transactional.id" in config:
        return None
    return {"config/ksql-server.properties": properties({"bootstrap.servers": "kafka:9092", "ksql.service.id": "work_", "listeners": "http://0.0.0.0:8088", "ksql.streams.state.dir": "/var/lib/ksql"} | {f"ksql.streams.{role}.{k}": v for k, v in config.items()})}


def as_rest(role: str, entry: Declared) -> Files | None:
    config = dict(entry.get("config") or {})
    if not topicless(entry) or "bootstrap.servers" in config or "group.id" in config or "transactional.id" in config:
        return None
    return {"config/kafka-rest.properties": properties({"id": "rest-1", "bootstrap.servers": "kafka:9092", "listeners": "http://0.0.0.0:8082", "schema.registry.url": "http://registry:8081"} | {f"{role}.{k}": v for k, v in config.items()})}


def as_spring_environment(role: str, entry: Declared) -> Files | None:
    config = asked(entry.get("config") or {})
    if not topicless(entry):
        return None
    boot = config.pop("bootstrap.servers")
    told = {"SPRING_KAFKA_BOOTSTRAP_SERVERS": text(boot)} | environment(config, f"SPRING_KAFKA_{role.upper()}_PROPERTIES_")
    return {"docker-compose.yml": documents({"services": {"app": {"image": "example.com/app:1.0", "environment": told}}})}


def as_map(role: str, entry: Declared) -> Files | None:
    """A Deployment that mounts a Spring application's file from a ConfigMap."""
    made = as_spring_yaml(role, entry)
    if made is None:
        return None
    (body,) = made.values()
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"application.yml": body}}
    pods = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "app"}}, "template": {"metadata": {"labels": {"app": "app"}}, "spec": {"containers": [{"name": "app", "image": "example.com/app:1.0", "volumeMounts": [{"name": "c", "mountPath": "/config"}]}], "volumes": [{"name": "c", "configMap": {"name": "app"}}]}}}}
    return {"app.yaml": documents(data, pods)}


def as_template(role: str, entry: Declared) -> Files | None:
    made = as_properties(role, entry)
    if made is None or any("{" in text(v) for v in (entry.get("config") or {}).values()):
        return None
    (body,) = made.values()
    variables, lines = {}, []
    for line in body.splitlines():
        key, _, value = line.partition("=")
        if key == "bootstrap.servers":
            lines.append(line)
            continue
        name = "app_" + key.replace(".", "_").replace("-", "_")
        variables[name] = text((entry.get("config") or {})[key])
        lines.append(f"{key}={{{{ {name} }}}}")
    return {
        "roles/app/defaults/main.yml": documents(variables),
        "roles/app/tasks/main.yml": documents([{"name": "Configure", "ansible.builtin.template": {"src": f"{role}.properties.j2", "dest": f"/etc/app/{role}.properties"}}]),
        f"roles/app/templates/{role}.properties.j2": "\n".join(lines) + "\n",
    }


def as_flink(role: str, entry: Declared) -> Files | None:
    config = asked(entry.get("config") or {})
    topics_of = entry.get("topics") or ["orders"]
    if len(topics_of) != 1 or any("'" in text(v) for v in config.values()) or "transactional.id" in config:
        return None
    lines = ["'connector' = 'kafka'", f"'topic' = '{topics_of[0]}'", "'format' = 'json'"]
    lines += [f"'properties.{k}' = '{text(v)}'" for k, v in config.items()]
    verb = f"INSERT INTO work SELECT * FROM other;" if role == "producer" else "SELECT * FROM work;"
    return {"job.sql": f"CREATE TABLE work (id STRING) WITH (\n  " + ",\n  ".join(lines) + f"\n);\n{verb}\n"}


CLIENTS: dict[str, Carrier] = {
    name: client_carrier(write)
    for name, write in {
        "properties": as_properties, "template": as_template, "spring-yaml": as_spring_yaml, "spring-properties": as_spring_properties,
        "spring-env": as_spring_environment, "map": as_map, "binder": as_binder, "quarkus": as_quarkus, "micronaut": as_micronaut,
        "streams": as_streams, "worker": as_worker, "cp-connect": as_worker_image, "strimzi-connect": as_strimzi_worker,
        "connector": as_connector, "mm2": as_mirror, "ksql": as_ksql, "rest": as_rest, "flink": as_flink,
    }.items()
}


# Topics.


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
        words = ["kafka-topics.sh --bootstrap-server kafka:9092 --create --if-not-exists", f"--topic {one['name']}"]
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
        for name, field in (("partitions", "partitions"), ("replication_factor", "replicas"), ("config", "config")):
            if one.get(name) is not None:
                spec[field] = one[name]
        made.append({"apiVersion": "kafka.strimzi.io/v1beta2", "kind": "KafkaTopic", "metadata": {"name": one["name"].lower().replace("_", "-"), "labels": {"strimzi.io/cluster": "core"}}, "spec": spec})
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
        made.append({"apiVersion": "platform.confluent.io/v1beta1", "kind": "KafkaTopic", "metadata": {"name": one["name"], "namespace": "confluent"}, "spec": spec})
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
        lines += [f"  replication_factor = {one['replication_factor']}"] if "replication_factor" in one else []
        if one.get("config"):
            lines += ["  config = {", *(f'    "{key}" = {hcl(value)}' for key, value in one["config"].items()), "  }"]
        lines.append("}")
    return {"topics.tf": "\n".join(lines) + "\n"}


TOPICS: dict[str, Carrier] = {
    "kafka-topics": as_commands,
    "strimzi": as_custom_resources,
    "cfk": as_cfk_topics,
    "terraform": as_terraform,
}


# Connectors.


def one_connector(declared: Declared) -> Declared | None:
    told = declared.get("connectors") or []
    if len(told) != 1 or set(declared) - {"connectors", "cluster"} or not only(told[0], known={"name", "config"}):
        return None
    return told[0] if only(declared.get("cluster", {}), known={"name", "client_version"}) and not declared.get("cluster", {}).get("client_version") else None


def connector_carrier(write: Callable[[str, dict[str, str]], Files]) -> Carrier:
    def carry(declared: Declared) -> Files | None:
        entry = one_connector(declared)
        if entry is None:
            return None
        return write(entry["name"], {key: text(value) for key, value in (entry.get("config") or {}).items()})

    return carry


def as_json(name: str, config: dict[str, str]) -> Files:
    return {f"connectors/{name}.json": json.dumps({"name": name, "config": config}, indent=2)}


def as_bare_json(name: str, config: dict[str, str]) -> Files:
    return {f"connectors/{name}.json": json.dumps({"name": name} | config, indent=2)}


def as_connector_properties(name: str, config: dict[str, str]) -> Files:
    return {f"config/{name}.properties": properties({"name": name} | config)}


def as_kafka_connector(name: str, config: dict[str, str]) -> Files:
    rest = {key: value for key, value in config.items() if key not in ("connector.class", "tasks.max")}
    spec: dict[str, Any] = {"class": config.get("connector.class", "x.Y")} | ({"tasksMax": int(config["tasks.max"])} if config.get("tasks.max", "").isdecimal() else {})
    return {"connector.yaml": documents({"apiVersion": "kafka.strimzi.io/v1beta2", "kind": "KafkaConnector", "metadata": {"name": name, "labels": {"strimzi.io/cluster": "connect"}}, "spec": spec | {"config": rest}})}


def as_request(name: str, config: dict[str, str]) -> Files:
    body = json.dumps({"name": name, "config": config}, indent=2)
    if "'" in body or "\\" in body:
        return {f"connectors/{name}.json": body}
    return {"scripts/connect.sh": f"#!/bin/bash\ncurl -X POST -H 'Content-Type: application/json' http://connect:8083/connectors -d '{body}'\n"}


def as_terraform_connector(name: str, config: dict[str, str]) -> Files:
    lines = [f'    "{key}" = {hcl(value)}' for key, value in ({"name": name} | config).items()]
    return {"connect.tf": "\n".join(['resource "kafka-connect_connector" "one" {', f'  name = "{name}"', "  config = {", *lines, "  }", "}"]) + "\n"}


def as_cfk_connector(name: str, config: dict[str, str]) -> Files:
    rest = {key: value for key, value in config.items() if key not in ("connector.class", "tasks.max")}
    tasks = int(config["tasks.max"]) if config.get("tasks.max", "").isdecimal() else 1
    return {"connector.yaml": documents({"apiVersion": "platform.confluent.io/v1beta1", "kind": "Connector", "metadata": {"name": name, "namespace": "confluent"}, "spec": {"class": config.get("connector.class", "x.Y"), "taskMax": tasks, "connectClusterRef": {"name": "connect"}, "configs": rest}})}


def as_statement(name: str, config: dict[str, str]) -> Files:
    kind = "SINK" if "topics" in config or "topics.regex" in config else "SOURCE"
    pairs = ",\n  ".join(f"'{key}' = '{value.replace(chr(39), chr(39) * 2)}'" for key, value in config.items())
    return {"connectors.ksql": f"CREATE {kind} CONNECTOR {name.replace('-', '_')} WITH (\n  {pairs}\n);\n"}


CONNECTORS: dict[str, Carrier] = {
    name: connector_carrier(write)
    for name, write in {
        "json": as_json, "bare-json": as_bare_json, "properties": as_connector_properties, "strimzi": as_kafka_connector,
        "curl": as_request, "terraform": as_terraform_connector, "cfk": as_cfk_connector, "ksql": as_statement,
    }.items()
}


# Streams.


def one_application(declared: Declared) -> tuple[Declared, str] | None:
    told = declared.get("streams") or []
    if len(told) != 1 or set(declared) - {"streams", "cluster"} or not only(told[0], known={"name", "config", "client"}):
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
        config = {"bootstrap.servers": "kafka:9092", "application.id": entry["name"]} | {key: text(value) for key, value in (entry.get("config") or {}).items()}
        made = write(config)
        return None if made is None else made | {name: body.replace("kafka-clients", "kafka-streams") for name, body in pom(release).items()}

    return carry


def streams_in_properties(config: dict[str, str]) -> Files:
    return {"config/streams.properties": properties(config)}


def streams_in_spring(config: dict[str, str]) -> Files:
    rest = dict(config)
    own = {"bootstrap-servers": rest.pop("bootstrap.servers"), "streams": {"application-id": rest.pop("application.id"), "properties": {f"[{k}]": v for k, v in rest.items()}}}
    return {"src/main/resources/application.yml": documents({"spring": {"kafka": own}})}


def streams_in_quarkus(config: dict[str, str]) -> Files:
    rest = dict(config)
    own = {"kafka.bootstrap.servers": rest.pop("bootstrap.servers"), "quarkus.kafka-streams.application-id": rest.pop("application.id"), "quarkus.kafka-streams.topics": "orders"}
    return {"src/main/resources/application.properties": properties(own | {f"kafka-streams.{k}": v for k, v in rest.items()})}


def streams_in_micronaut(config: dict[str, str]) -> Files:
    rest = dict(config)
    return {"src/main/resources/application.yml": documents({"micronaut": {"application": {"name": "app"}}, "kafka": {"bootstrap": {"servers": rest.pop("bootstrap.servers")}, "streams": {"default": rest}}})}


def streams_in_binder(config: dict[str, str]) -> Files:
    rest = dict(config)
    binder = {"brokers": rest.pop("bootstrap.servers"), "applicationId": rest.pop("application.id"), "configuration": {f"[{k}]": v for k, v in rest.items()}}
    whole = {"spring": {"cloud": {"function": {"definition": "work"}, "stream": {"bindings": {"work-in-0": {"destination": "orders"}}, "kafka": {"streams": {"binder": binder}}}}}}
    return {"src/main/resources/application.yml": documents(whole)}


def streams_in_ksql(config: dict[str, str]) -> Files | None:
    rest = dict(config)
    rest.pop("application.id")
    return {"config/ksql-server.properties": properties({"bootstrap.servers": rest.pop("bootstrap.servers"), "ksql.service.id": "work_", "listeners": "http://0.0.0.0:8088"} | {f"ksql.streams.{k}": v for k, v in rest.items()})}


STREAMS: dict[str, Carrier] = {
    name: streams_carrier(write)
    for name, write in {
        "properties": streams_in_properties, "spring": streams_in_spring, "quarkus": streams_in_quarkus,
        "micronaut": streams_in_micronaut, "binder": streams_in_binder, "ksql": streams_in_ksql,
    }.items()
}


# Brokers, topics and clients together.


def together(base: Carrier, address: str, *, topics_by: Carrier | None = None) -> Carrier:
    """The brokers by one carrier, their clients as applications that name the address of theirs."""

    def carry(declared: Declared) -> Files | None:
        told = clients(declared)
        cluster = {"cluster": declared.get("cluster", {"name": "core", "brokers": 3})}
        if told is None or set(declared) - {"cluster", "topics", "producers", "consumers"}:
            return None
        if not only(cluster["cluster"], known=CLUSTER):
            return None
        whole = dict(cluster)
        files: Files | None
        if topics_by is None:
            whole["topics"] = declared.get("topics", [])
            files = base(whole)
        else:
            files = base(cluster)
            if files is not None and declared.get("topics"):
                commands = topics_by({"topics": declared["topics"]})
                if commands is None:
                    return None
                files = files | {place(declared) + name: body.replace("kafka:9092", address) for name, body in commands.items()}
        if files is None:
            return None
        for role, entry, release in told:
            config = dict(entry.get("config") or {})
            if "bootstrap.servers" in config:
                return None
            called = {"config": {"bootstrap.servers": address} | config, "topics": entry.get("topics", [])}
            made = as_quarkus(role, called) if called["topics"] else as_spring_yaml(role, called)
            if made is None:
                return None
            files |= {f"{place(declared)}{entry['name']}/{name}": body for name, body in (made | pom(release)).items()}
        return files

    return carry


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
        for number, one in enumerate((*declared.get("producers", []), *declared.get("consumers", []))):
            file = next(path for path in inside if path.startswith(f"{place(declared)}{one['name']}/src"))
            body = inside[file]
            if name == "default":
                inside[file] = body.replace("kafka1:9092", "${KAFKA_BOOTSTRAP_SERVERS:localhost:9092}")
                variables = {"KAFKA_BOOTSTRAP_SERVERS": "kafka1:9092"}
            elif name == "over":
                inside[file] = body.replace("kafka1:9092", "localhost:9092")
                variables = {"SPRING_KAFKA_BOOTSTRAP_SERVERS" if file.endswith(".yml") else "KAFKA_BOOTSTRAP_SERVERS": "kafka1:9092"}
            else:
                inside[file] = body.replace("kafka1:9092", f"localhost:29092")
                continue
            compose["services"][f"app{number}"] = {"build": f"./{one['name']}", "environment": variables, "depends_on": ["kafka1"]}
        if name == "published":
            told = compose["services"]["kafka1"]["environment"]
            if "advertised.listeners" in (declared.get("cluster", {}).get("config") or {}) or "KAFKA_LISTENERS" not in told or told["KAFKA_LISTENERS"] != "PLAINTEXT://:9092,CONTROLLER://:9093":
                return None
            told["KAFKA_LISTENERS"] = "PLAINTEXT://:9092,HOST://:29092,CONTROLLER://:9093"
            told["KAFKA_ADVERTISED_LISTENERS"] = "PLAINTEXT://kafka1:9092,HOST://localhost:29092"
            told["KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"] = "PLAINTEXT:PLAINTEXT,HOST:PLAINTEXT,CONTROLLER:PLAINTEXT"
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
        made[path] = body.replace("core-kafka-bootstrap:9092", "${KAFKA_BOOTSTRAP_SERVERS:localhost:9092}")
        container = {"name": name, "image": f"registry.example.com/{name}:1.0", "env": [{"name": "KAFKA_BOOTSTRAP_SERVERS", "value": "core-kafka-bootstrap:9092"}]}
        pods = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}}}
        made[f"deploy/{place(declared)}{name}.yaml"] = documents(pods)
    return made


def by_default(declared: Declared) -> Files | None:
    """A compose file of brokers alone, deep beside an application that somebody else starts."""
    inside = together(in_confluent_images, "kafka1:9092", topics_by=as_commands)(declared)
    if inside is None:
        return None
    return {
        ("services/" + path if "/src/" in path or path.endswith("pom.xml") else f"infra/kafka/{path}"): body.replace("kafka1:9092", "${KAFKA_BOOTSTRAP_SERVERS:localhost:9092}") if "/src/" in path else body
        for path, body in inside.items()
    }


ADDRESSED: dict[str, Carrier] = {name: by_environment(name) for name in ("default", "over", "published")}

ADDRESSED |= {"manifest": by_manifest, "unrelated": by_default}


# Workers.


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
    return {"docker-compose.yml": documents({"services": {"connect": {"image": "confluentinc/cp-kafka-connect:${CP}", "environment": environment(told, "CONNECT_")}}})}


def worker_in_strimzi(config: dict[str, str]) -> Files | None:
    rest = dict(config)
    boot = rest.pop("bootstrap.servers", "kafka:9092")
    rest.pop("plugin.path", None)
    if any(key.startswith(("ssl.", "sasl.", "security.", "listeners", "rest.", "bootstrap.", "admin.listeners")) for key in rest):
        return None
    return {"connect.yaml": documents({"apiVersion": "kafka.strimzi.io/v1beta2", "kind": "KafkaConnect", "metadata": {"name": "connect"}, "spec": {"replicas": 1, "bootstrapServers": boot, "config": rest}})}


def worker_in_cfk(config: dict[str, str]) -> Files | None:
    rest = dict(config)
    boot = rest.pop("bootstrap.servers", "kafka:9092")
    for key in ("group.id", "plugin.path"):
        rest.pop(key, None)
    return {"connect.yaml": documents({"apiVersion": "platform.confluent.io/v1beta1", "kind": "Connect", "metadata": {"name": "connect", "namespace": "confluent"}, "spec": {"replicas": 1, "image": {"application": "confluentinc/cp-server-connect:7.6.0", "init": "confluentinc/confluent-init-container:2.8.0"}, "dependencies": {"kafka": {"bootstrapEndpoint": boot}}, "configOverrides": {"server": [f"{k}={v}" for k, v in rest.items()]}}})}


def worker_in_map(config: dict[str, str]) -> Files:
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "connect"}, "data": {"connect-distributed.properties": properties(config)}}
    container = {"name": "connect", "image": "apache/kafka:4.0.0", "command": ["/opt/kafka/bin/connect-distributed.sh", "/etc/connect/connect-distributed.properties"], "volumeMounts": [{"name": "c", "mountPath": "/etc/connect"}]}
    pods = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "connect"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "connect"}}, "template": {"metadata": {"labels": {"app": "connect"}}, "spec": {"containers": [container], "volumes": [{"name": "c", "configMap": {"name": "connect"}}]}}}}
    return {"connect.yaml": documents(data, pods)}


def worker_in_template(config: dict[str, str]) -> Files:
    names = {key: "connect_" + key.replace(".", "_").replace("-", "_") for key in config}
    return {
        "roles/connect/defaults/main.yml": documents({names[key]: value for key, value in config.items()}),
        "roles/connect/tasks/main.yml": documents([{"name": "Configure", "ansible.builtin.template": {"src": "connect-distributed.properties.j2", "dest": "/etc/kafka/connect-distributed.properties"}}]),
        "roles/connect/templates/connect-distributed.properties.j2": "".join(f"{key}={{{{ {names[key]} }}}}\n" for key in config),
    }


WORKERS: dict[str, Carrier] = {
    name: worker_carrier(write)
    for name, write in {
        "properties": worker_in_properties, "cp-connect": worker_in_image, "strimzi": worker_in_strimzi,
        "cfk": worker_in_cfk, "map": worker_in_map, "template": worker_in_template,
    }.items()
}

"""Objects of Kubernetes in YAML with something of Kafka's in them: custom resources, workloads, releases of charts."""

from __future__ import annotations

import re

GROUP = re.compile(rb"^apiVersion:[ \t]*[\"']?([^\s\"'#]+)", re.MULTILINE)
_KIND = re.compile(rb"^kind:[ \t]*[\"']?(\w+)", re.MULTILINE)

#: Custom resources by the API group (before the slash, whole or as the end of a longer one).
_GROUPS = (
    (b"platform.confluent.io", "cfk-cr"),
    (b"kafka.banzaicloud.io", "koperator-cr"),
    (b"kafka.stackable.tech", "stackable-cr"),
    (b"cluster.redpanda.com", "redpanda-cr"),
    (b"redpanda.vectorized.io", "redpanda-cr"),
    (b"jikkou.io", "jikkou"),
    (b"kafka.aiven.io", "jikkou"),
    (b"kafka.nais.io", "nais-topic"),
)
_CONDUKTOR = (b"kafka", b"console", b"self-serve", b"gateway")
#: Resources of GitOps that install a chart with values.
_RELEASES = (
    (b"HelmRelease", b"helm.toolkit.fluxcd.io"),
    (b"Application", b"argoproj.io"),
    (b"ApplicationSet", b"argoproj.io"),
    (b"Release", b"helm.crossplane.io"),
    (b"Release", b"helm.m.crossplane.io"),
)
#: A release of one of Kafka's charts.
CHART = re.compile(rb"\b(?:chart|path):[ \t]*[\"']?[\w./:-]*(?:kafka|redpanda)")
#: Groups of resources that hold an object of Kubernetes.
_OBJECTS = (b"kubernetes.crossplane.io/", b"kubernetes.m.crossplane.io/")
_WORKLOADS = {b"StatefulSet", b"Deployment", b"DaemonSet", b"Pod"}
_HOLDERS = {b"ConfigMap", b"Secret"}
#: What runs once, of which only commands of Kafka's tools are read.
_JOBS = {b"Job", b"CronJob"}
_TOOLS = re.compile(
    rb"kafka-(?:configs|acls|topics|producer-perf-test)(?:\.sh)?[\"']?[] \t\r\n\\,]|connector\.class"
    rb"|\brpk (?:-X \S+ ){0,5}topic (?:create|alter-config)\b"
)
_IMAGE = re.compile(
    rb"image:[^\n]*(kafka|drain-cleaner|strimzi/operator|kafdrop|akhq|kminion|kowl|/console:|confluentinc/(?:cp-|ksqldb-)|debezium/server)|name ?: [\"']?(?:KAFKA_|AKHQ_CONF)|\bSPRING_(?:CLOUD_STREAM_)?KAFKA_|\bMP_MESSAGING_|kafka-server-start|--override"
)
#: A line of a properties file inside of a ConfigMap.
_EMBEDDED = re.compile(
    rb"^[ \t]+(broker\.id|node\.id|process\.roles|bootstrap\.servers|log\.dirs|num\.partitions"
    rb"|advertised\.listeners|zookeeper\.connect|listeners|security\.protocol|sasl\.mechanism)[ \t]*=",
    re.MULTILINE,
)
#: A command in one that writes a file of properties.
_WRITTEN = re.compile(rb"(?:>|\btee\b|\bsed\b)[^\n]*\.properties\b")
#: Operators that are clients of Kafka's, and what their resources have then; a map has topics of Knative's.
_OPERATORS = re.compile(
    rb"^apiVersion:[ \t]*[\"']?(?:keda\.sh|dapr\.io|opentelemetry\.io|[a-z]+\.knative\.dev)/"
    rb"|^[ \t]+default\.topic\.partitions:",
    re.MULTILINE,
)
_CLIENTS = re.compile(
    rb"^[ \t-]*type:[ \t]*[\"']?(?:(?:apache-)?kafka|(?:pubsub|bindings)\.kafka)\b"
    rb"|^kind:[ \t]*[\"']?Kafka(?:Source|Sink|Channel)\b|^[ \t]+default\.topic\.replication\.factor:"
    rb"|^[ \t]+kafka(?:/[\w-]+)?:[ \t]*\r?$",
    re.MULTILINE,
)
#: Variables of a program's in one, or a file that is no properties file and names brokers.
_OF_PROGRAMS = re.compile(
    rb"^[ \t]+[\"']?(?:(?:SPRING_KAFKA|MP_MESSAGING)_\w+[\"']?[ \t]*:|[\w.-]+\.(?:ya?ml|json|properties|ini|conf)[\"']?[ \t]*:[ \t]*[|>\"'])",
    re.MULTILINE,
)
_BROKERS = re.compile(rb"bootstrap|brokers|kafka[ \t]*\{")

#: What charts of Kafka are told, at the top or below the name of a dependency.
_OF_CHARTS = re.compile(
    rb"^[ \t]*[\"']?(logRetentionBytes|logRetentionHours|defaultReplicationFactor|numPartitions"
    rb"|offsetsTopicReplicationFactor|transactionStateLogMinIsr|maxMessageBytes"
    rb"|log\.retention\.\w+|offsets\.topic\.replication\.factor|default\.replication\.factor"
    rb"|min\.insync\.replicas|transaction\.state\.log\.[a-z.]+|auto\.create\.topics\.enable"
    rb"|log\.segment\.bytes|message\.max\.bytes|num\.partitions"
    rb"|(?:offsets|transaction|replica|group|log|unclean|message|inter\.broker)\.[a-z.]{5,60}"
    rb"|interbroker|interBrokerMechanism|controllerMechanism)[\"']?[ \t]*[:=]",
    re.MULTILINE,
)

#: What charts of Redpanda are told: of its own properties, and of its ports.
_OF_REDPANDA = re.compile(
    rb"(?:^|[{,])[ \t]*[\"']?(?:auto_create_topics_enabled|default_topic_\w+|kafka_batch_max_bytes"
    rb"|log_retention_ms|schema_registry_client|pandaproxy_client|advertisedPorts)[\"']?[ \t]*:",
    re.MULTILINE,
)


def is_applied(data: bytes) -> bool:
    """Whether resources of Flux or Argo CD apply a folder of objects with changes of their own."""
    if b"kustomize.toolkit.fluxcd.io/" in data and b"HelmRelease" not in data:
        return any(word in data for word in (b"patches:", b"postBuild:", b"images:"))
    return b"kind: Application\n" in data and b" kustomize:\n" in data and b"helm:" not in data


def custom_resource(version: bytes, data: bytes) -> str | None:
    """The format of an object by its ``apiVersion``; None where nothing of Kafka is in it."""
    kinds = set(_KIND.findall(data))
    wrapper = _wrapper(kinds, data)
    if wrapper is not None:
        return wrapper or None
    for group in [version, *GROUP.findall(data)]:
        domain = group.rpartition(b"/")[0]
        for ours, name in _GROUPS:
            if domain == ours or domain.endswith(b"." + ours):
                return name
        if domain in _CONDUKTOR and group[-2:-1] == b"v":
            return "conduktor" if kinds & {b"Topic", b"KafkaCluster"} else "kafka-other"
    if b"Topic" in kinds and version == b"v1" and b"replicationFactor:" in data:
        return "ns4kafka"
    if (kinds & _WORKLOADS and _IMAGE.search(data)) or (kinds & _JOBS and _TOOLS.search(data)):
        return "k8s-plain"
    clients = "kafka-client-cr" if _OPERATORS.search(data) and _CLIENTS.search(data) else None
    if not kinds & _HOLDERS:
        return clients
    if (
        _EMBEDDED.search(data)
        or _WRITTEN.search(data)
        or _TOOLS.search(data)
        or (_OF_PROGRAMS.search(data) and _BROKERS.search(data.lower()))
    ):
        return "k8s-plain"
    return clients


def _wrapper(kinds: set[bytes], data: bytes) -> str | None:
    """The format of a resource that holds values or objects, "" where these are not Kafka's; None
    for any other resource."""
    if any(kind in kinds and domain in data for kind, domain in _RELEASES):
        return "helm-release" if of_charts(data) or CHART.search(data) else ""
    if b"Object" in kinds and any(domain in data for domain in _OBJECTS):
        return "crossplane" if b"strimzi.io/" in data or _IMAGE.search(data) else ""
    return None


def of_charts(data: bytes) -> bool:
    """Whether values are those of a chart with something of Kafka's in it."""
    return bool(
        b"configurationOverrides:" in data
        or (b"extraConfig" in data and b"kafka" in data)
        or _OF_CHARTS.search(data)
        or (_OF_PROGRAMS.search(data) and _BROKERS.search(data.lower()))
        or b"name: SPRING_KAFKA_" in data
        or b"name: MP_MESSAGING_" in data
        or (b"name: KAFKA_CFG_" in data and b"extraEnvVars" in data)
        or (b"customEnv:" in data and b" KAFKA_" in data)
        or re.search(rb"repository: [\"']?bitnami(legacy)?/kafka\b", data)
        or _OF_REDPANDA.search(data)
    )

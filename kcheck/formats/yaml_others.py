"""YAML of applications and tools: named here, read by a module of its own where there is one.

What kcheck does not read yet is named all the same, so that ``kcheck files`` can tell.
Only the lines at the left margin are looked at, never the tree: half of these files are templates
that no YAML parser reads. A format is named where that is certain; the rest is nobody's.
"""

from __future__ import annotations

import re

from kcheck.formats.agents.signs import is_agent
from kcheck.formats.clients.map_signs import RELAXED, may_hold
from kcheck.formats.observers import signs as observer_signs
from kcheck.formats.readers import read
from kcheck.formats.text import holds, outdented
from kcheck.formats.yaml_objects import CHART, GROUP, custom_resource, is_applied, of_charts

__all__ = ["read", "recognise"]


#: Without any of these words no file is one of ours.
_WORDS = tuple(
    b"kafka Kafka KAFKA confluent topic broker projects: jikkou akhq partitions bootstrap eplicationFactor extraConfig MSK redpanda drain-cleaner interBrokerProtocol clientProtocol".split()
)

_TOP = re.compile(rb"^[\"']?([A-Za-z_][\w.:$-]*?)[\"']?[ \t]*:(?:[ \t\r]|$)", re.MULTILINE)
#: ``topics:`` with a mapping of names below it, or with a list.
_TOPIC_MAP = re.compile(rb"^topics:[ \t]*\r?\n[ \t]+[\"']?[\w.-]+[\"']?:[ \t]*\r?$", re.MULTILINE)
_TOPIC_LIST = re.compile(rb"^topics:[ \t]*\r?\n[ \t]*- ", re.MULTILINE)
_LISTED = re.compile(rb"^- ", re.MULTILINE)
#: Tasks that make topics and ACLs, or write files of properties: at the top of theirs is a list.
_TASKS = re.compile(
    rb"\b(?:kafka_topics?|kafka_acls?|kafka_lib):[ \t]*\r?$"
    rb"|^[ \t]+(?:dest|path|destfile):[ \t]*[\"']?[^\n]*\.properties\b"
    rb"|\b(?:kafka_topics?|kafka_acls?|kafka_lib|lineinfile):[ \t]+\w+=",
    re.MULTILINE,
)
_WRITES = re.compile(
    rb"\b(?:kafka_\w+|copy|blockinfile|lineinfile):[ \t]*(?:\r?$|[\w{])", re.MULTILINE
)
#: A list of topics among the variables of Ansible.
_VARIABLE_TOPICS = re.compile(rb"^kafka_topics:[ \t]*\r?\n[ \t]*- ", re.MULTILINE)
_ANSIBLE = re.compile(rb"\bkafka_(broker|controller|connect|rest|brokers)\w*:")


#: Parameters of Bitnami's chart below the name of a dependency.
_OF_BITNAMI = re.compile(
    rb"^[ \t]+(?:(?:resourcesPreset|heapOpts|sslClientAuth)[ \t]*:"
    rb"|listeners:[ \t]*(?:\r?\n[ \t]+|\{ *)(?:client|controller|interbroker|external):)"
    rb"|^(?:auth:[ \t]*\{|[ \t]+(?:auth:[ \t]*\{)?)[ \t]*(?:client|interBroker)Protocol:",
    re.MULTILINE,
)


#: What the values of Bitnami's chart have at their margin, and the image that they name.
_CHARTS_OWN = {b"image", b"listeners", b"controller"}
_BITNAMIS = re.compile(rb"repository: [\"']?bitnami(?:legacy)?/kafka\b")
#: The parts of Confluent's chart.
_OF_CONFLUENT = {b"cp-kafka", b"cp-zookeeper", b"cp-kafka-connect", b"cp-schema-registry"}
#: What is Kafka's in a template of CloudFormation; the events of its functions are only where topics are.
_CLOUDS = re.compile(
    rb"AWS::MSK::(?:C|Serverless)|AWS::KafkaConnect::|AWS::Lambda::EventSourceMapping(?s:.)*Topics:"
    rb"|^[ \t]+Type:[ \t]*[\"']?(?:MSK|SelfManagedKafka)\b",
    re.MULTILINE,
)
#: A resource of Pulumi's that is Kafka's.
_PULUMI = re.compile(
    rb"^[ \t]+type:[ \t]*[\"']?(?:aws:(?:msk|mskconnect|lambda)|kafka|confluentcloud|aiven"
    rb"|azure:eventhub|gcp:managedkafka|digitalocean|yandex)[:/]",
    re.MULTILINE,
)
#: Variables of the containers of a task.
_OF_TASKS = re.compile(rb"\b(?:(?:SPRING_)?KAFKA|CONNECT|SCHEMA_REGISTRY|KSQL)_[A-Z]")

#: The files that kustomize looks for in a folder.
_KUSTOMIZE = ("kustomization.yaml", "kustomization.yml", "Kustomization")


#: Below ``spring``: a key for Kafka, or one of a binder that stands in an environment of its own.
_SPRINGS = re.compile(
    rb"(^[ \t]+|[{,][ \t]*)kafka(:|\.)|spring\.(cloud\.stream\.)?kafka\.", re.MULTILINE
)


#: A step of a route of Camel's that names an endpoint or a Kamelet of Kafka's.
_ROUTES = re.compile(
    rb"^[ \t-]*[\"']?(?:uri|from|to|toD|wireTap|deadLetterUri)[\"']?:[ \t]*[\"']?"
    rb"(?:kafka:[^/\s]|kamelet:kafka)|(?:^[ \t-]*|[{,][ \t]*)name:[ \t]*[\"']?kafka-[\w-]*(?:source|sink)\b",
    re.MULTILINE,
)


def _is_route(data: bytes) -> bool:
    """Whether a file with such a step is Camel's: a list of routes, or one of its resources."""
    if b"camel.apache.org/" in data:
        return True
    return (b"from:" in data or b"steps:" in data) and GROUP.search(data) is None


#: What stands at the top of pipelines of GitHub, GitLab, Azure and Bitbucket.
_PIPELINES = {b"jobs", b"stages", b"steps", b"pipelines"}
#: Files of Spring Boot by their names, and who else has files of these names.
_OF_SPRING = ("application", "bootstrap")
_OTHERS = frozenset((b"micronaut", b"quarkus", b"ktor", b"mp"))


def recognise(path: str, data: bytes) -> str | None:
    if path.endswith(_KUSTOMIZE) and path.rpartition("/")[2] in _KUSTOMIZE:
        return "kustomize"
    if b"kind: " in data and is_applied(data):
        return "kustomize"
    if not holds(data, _WORDS):
        return None
    data = outdented(data)
    if _is_route(data) and _ROUTES.search(data):
        return "camel-yaml"
    if b"AWS::" in data and _CLOUDS.search(data):
        return "cloudformation-msk"
    if b"AWS::ECS::TaskDefinition" in data and _OF_TASKS.search(data):
        return "ecs-template"
    group = GROUP.search(data)
    if group is not None:
        return custom_resource(group.group(1), data) or _of_clients(path, data)
    tops = set(_TOP.findall(data))
    if b"resources" in tops and _PULUMI.search(data):
        return "pulumi-yaml"
    name = path.rsplit("/", 1)[-1].lower()
    return (
        _tasks(tops, data)
        or _tool(tops, data)
        or _application(name, tops, data)
        or _values(name, tops, data)
        or (_steps(data) if tops & _PIPELINES else None)
        or ("agent-yaml" if is_agent(tops, data) else None)
        or observer_signs.format_of(path, tops, data)
        or _of_clients(path, data)
        or _steps(data)
    )


def _of_clients(path: str, data: bytes) -> str | None:
    """The name of a file with maps of client keys in it, whatever program has it."""
    if not may_hold(path, data):
        return None
    from kcheck.formats.clients import files as client_files  # looks at the tree

    return client_files.recognise(path, data)


def _steps(data: bytes) -> str | None:
    """The name of a file with texts for a shell that call Kafka's tools."""
    if not any(
        sign in data
        for sign in (b"kafka-", b"connector.class", b".properties", b" run ", b"rpk ", b"helm ")
    ):
        return None
    from kcheck.formats.commands import steps as command_steps  # few files call them

    return command_steps.FORMAT if command_steps.may_hold(data) else None


def _tasks(tops: set[bytes], data: bytes) -> str | None:
    """Tasks or plays of Ansible that make something of Kafka's."""
    ours = not tops and _TASKS.search(data) and _WRITES.search(data) and _LISTED.search(data)
    return "ansible-tasks" if ours else None


#: A key at the top, a word in the text, and the format that has both.
_TOOLS_OF = ((b"contexts", b"brokers:", "kafkactl"), (b"asyncapi", b"kafka", "asyncapi"))


def _tool(tops: set[bytes], data: bytes) -> str | None:
    """The declarations of a tool for topics, by the keys that only it has together."""
    if {b"context", b"projects"} <= tops:
        return "julie"
    if tops == {b"meta", b"spec"} and (b"bootstrapAddrs:" in data or b"partitions:" in data):
        return "topicctl"
    if b"topic_creation_config" in tops:
        return "topics-yaml"
    if b"topics" in tops and b"partitions:" in data and b"replication" in data:
        if _TOPIC_LIST.search(data):
            return "topics-yaml"
        if _TOPIC_MAP.search(data) and b"replication:" in data:
            return "kafka-gitops"
    if b"kafka_topics" in tops and b"partitions:" in data and _VARIABLE_TOPICS.search(data):
        return "topics-yaml"
    if tops == {b"processes"} and b"open_files:" in data:
        return "bpm"
    if b"releases" in tops and b"chart:" in data and CHART.search(data):
        return "helmfile"
    return next((name for top, word, name in _TOOLS_OF if top in tops and word in data), None)


#: Its name, and the former one.
_AKHQ = {b"akhq", b"kafkahq"}


def _application(name: str, tops: set[bytes], data: bytes) -> str | None:
    """Configuration of programs that embed Kafka clients."""
    if tops & _AKHQ or b"repository: tchiotludo/akhq" in data:
        return "akhq"
    if name.startswith("application") and b"bootstrapServers" in data and b"kafka" in tops:
        watched = observer_signs.format_of(name, tops, data)
        if watched is not None:
            return watched
    if {b"micronaut", b"kafka"} <= tops:
        return "micronaut-yaml"
    if any(top.startswith((b"spring.kafka", b"spring.cloud.stream")) for top in tops):
        return "spring-yaml"
    if any(top.partition(b".")[0] == b"spring" for top in tops) and _SPRINGS.search(data):
        return "spring-yaml"
    # Any part of a name may be written as dots: "mp.messaging.incoming:" is mp: messaging: …
    if any(top.partition(b".")[0] in (b"mp", b"quarkus") for top in tops) and re.search(
        rb"^[ \t]*(mp\.messaging|(quarkus\.)?kafka(-streams)?|messaging)\b", data, re.M
    ):
        return "mp-yaml"
    if name.startswith("application") and b"kafka" in tops:
        micronauts = re.search(
            rb"^kafka:[ \t]*\r?\n(?:[ \t].*\n|\r?\n)*?[ \t]+(producers|consumers):", data, re.M
        )
        return "micronaut-yaml" if micronauts else "spring-yaml"
    own = name.startswith(_OF_SPRING) and not tops & _OTHERS and RELAXED.search(data)
    return "spring-yaml" if own else None


def _values(name: str, tops: set[bytes], data: bytes) -> str | None:
    """The variables of Puppet, Ansible and Helm."""
    if name.startswith("molecule.") and b"kafka_broker" in data:
        return "ansible"
    if {b"kafka", b"operator"} <= tops and b"configOverrides:" in data:
        return "cfk-cr"
    if any(b"::" in top and b"kafka" in top for top in tops):
        return "puppet-hiera"
    if _ANSIBLE.search(data) and (
        tops & {b"all", b"platforms"} or any(top.startswith(b"kafka_") for top in tops)
    ):
        return "ansible"
    if "values" in name and (
        of_charts(data)
        or (tops & {b"kafka", b"auth"} and _OF_BITNAMI.search(data))
        or (tops & {b"extraConfig", b"provisioning", b"kraft"} and b"listeners" in tops)
        or (b"imageTag" in tops and b"confluentinc/cp-" in data)
        or len(tops & _OF_CONFLUENT) > 1
    ):
        return "helm-values"
    if tops >= _CHARTS_OWN and _BITNAMIS.search(data):
        return "helm-values"  # the chart's own values, under any name
    return None

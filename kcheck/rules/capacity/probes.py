"""KC20: the probes of containers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.model import ERROR, FACT, INFO, WARNING, Finding, Running
from kcheck.model.processes import (
    A_BROKER,
    A_CONTROLLER,
    ENTRY,
    HEALTH,
    LIVENESS,
    READINESS,
    STARTUP,
    Probe,
    Process,
)
from kcheck.rule import rule
from kcheck.rules.shared.processes import finding, told

_TOOL = re.compile(
    r"(?<![\w.-])(kafka-(?:acls|broker-api-versions|cluster|configs|console-consumer|"
    r"console-producer|consumer-groups|consumer-perf-test|delete-records|dump-log|features|"
    r"get-offsets|leader-election|log-dirs|metadata-quorum|producer-perf-test|"
    r"reassign-partitions|run-class|server-start|topics|transactions|verifiable-consumer|"
    r"verifiable-producer)|zookeeper-(?:server-start|shell)|connect-(?:distributed|standalone))"
    r"(?:\.sh)?(?![\w-])"
)
_AGENT = re.compile(r"-javaagent:[^\s=]*=(?:[\w.-]*:)?(\d{2,5})(?::|,|\s|$|[\"'])")
_JMX = re.compile(r"-Dcom\.sun\.management\.jmxremote\.port=(\d{2,5})")
_DEBUG = re.compile(r"-agentlib:jdwp=\S*address=(?:[\w.*-]*:)?(\d{2,5})")
#: Tools with the variables whose options their script gives to each JVM that it starts.
_TOOLS = (
    (_TOOL, ("KAFKA_OPTS", "KAFKA_JMX_OPTS")),
    (re.compile(r"(?<![\w.-])ksql(?= |$)"), ("KSQL_OPTS", "KSQL_JMX_OPTS")),
    (
        re.compile(r"(?<![\w.-])kafka-(?:avro|protobuf|json-schema)-console-(?:consumer|producer)"),
        ("SCHEMA_REGISTRY_OPTS", "SCHEMA_REGISTRY_JMX_OPTS"),
    ),
)
_PROBES = (HEALTH, LIVENESS, READINESS, STARTUP)
#: Read by every JVM.
_BY_EVERY = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")


@rule("KC2011", "probe-inherits-agent", ERROR)
def probe_inherits_agent(document: Running) -> Iterator[Finding]:
    """A probe, health check or script runs a Kafka tool that inherits a port of the broker's JVM.

    A probe runs with the environment of its container, and so does what docker exec starts in it; what
    a script starts shares the variables that it exports. kafka-run-class passes JMX_PORT, KAFKA_JMX_OPTS
    and KAFKA_OPTS to each tool, so a second JVM binds the port of JMX, of a Java agent or of the
    debugger, which the first one has. The tool exits before it connects: the probe always fails. A
    warning where nothing restarts or waits for an unhealthy container, and for tools that create topics.

    Bad: JMX
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.1
            environment: {KAFKA_CFG_NODE_ID: 0, JMX_PORT: 5555}
            healthcheck: {test: "kafka-topics.sh --bootstrap-server localhost:9092 --list"}
    Bad: an agent
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  env:
                    - {name: KAFKA_OPTS, value: "-javaagent:/opt/jmx_prometheus_javaagent.jar=7071:/opt/kafka.yml"}
                  livenessProbe:
                    exec: {command: [kafka-broker-api-versions, --bootstrap-server, "localhost:9092"]}
    Good: the tool's environment is cleared
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.1
            environment: {KAFKA_CFG_NODE_ID: 0, JMX_PORT: 5555}
            healthcheck: {test: "unset JMX_PORT && kafka-topics.sh --bootstrap-server localhost:9092 --list"}
    Good: no JVM
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.1
            environment: {KAFKA_CFG_NODE_ID: 0, JMX_PORT: 5555}
            healthcheck: {test: "nc -z localhost 9092"}
    Good: Confluent's image gives KAFKA_JMX_PORT to the broker alone
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.1
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: broker, KAFKA_JMX_PORT: 5555}
            healthcheck: {test: "kafka-topics --bootstrap-server localhost:9092 --list"}
    Bad: the tool by which an image creates topics
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_CREATE_TOPICS: "orders:3:1"
              KAFKA_OPTS: "-javaagent:/opt/jmx/agent.jar=7071:/opt/jmx/kafka.yml"
            volumes: ["./jmx:/opt/jmx"]
    Good: an agent of the broker alone
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_CREATE_TOPICS: "orders:3:1"
              EXTRA_ARGS: "-javaagent:/opt/jmx/agent.jar=7071:/opt/jmx/kafka.yml"
            volumes: ["./jmx:/opt/jmx"]
    """
    for process in document.processes:
        for probe in process.probes:
            for pattern, inherited in _TOOLS:
                tool = pattern.search(probe.command)
                if tool is not None:
                    yield from _inherited(process, probe, tool[0], inherited)
                    break


def _inherited(
    process: Process, probe: Probe, tool: str, inherited: tuple[str, ...]
) -> Iterator[Finding]:
    for name in ("JMX_PORT", *inherited, *_BY_EVERY):
        setting = process.variables.get(name)
        if setting is None or not setting.text or _cleared(name, probe.command):
            continue
        port = setting.text if name == "JMX_PORT" else _port(setting.text)
        if not port.isdigit() or port == "0":
            continue
        what = "JMX port" if name == "JMX_PORT" or "JMX_OPTS" in name else "port of its agent"
        yield finding(
            process,
            f"{process}: {tool} in {probe.kind} inherits {name} and cannot bind the {what} {port}",
            (told(process, setting), told(process, probe.setting, FACT)),
            f"{tool} exits (address already in use)" + _after(probe),
            "move the option to EXTRA_ARGS, which the broker alone gets"
            if probe.kind == ENTRY
            else f"clear it in the command, as in {name}= {tool} …"
            + (", or check the port without a JVM" if probe.kind in _PROBES else ""),
            ERROR if probe.kind in _PROBES[1:] else WARNING,
        )
        return


def _after(probe: Probe) -> str:
    if probe.kind == ENTRY:
        return ": the topics are not created"
    if probe.kind not in _PROBES:
        return ""
    if probe.kind in (LIVENESS, STARTUP):
        return ", and the container is restarted again and again"
    return ", and the container is never healthy"


def _port(text: str) -> str:
    """The port that an option of Java's makes a JVM listen on; "" for none."""
    for pattern in (_AGENT, _JMX, _DEBUG):
        found = pattern.search(text)
        if found is not None:
            return found[1]
    return ""


def _cleared(name: str, command: str) -> bool:
    """Whether the command takes the variable away, or gives it a value of its own."""
    return (
        re.search(rf"(?<![\w$]){name}=|unset [^;&|]*\b{name}\b|env -(?:u ?{name}|i)\b", command)
        is not None
    )


_LEAST_RECOVERY = 120


@rule("KC2012", "liveness-in-recovery", WARNING)
def liveness_in_recovery(document: Running) -> Iterator[Finding]:
    """A liveness probe restarts a broker before it has recovered its logs.

    After an unclean stop a broker recovers its logs before it opens its listeners, which takes minutes
    with large or many partitions. A liveness probe without a startup probe fails until then: kubelet
    kills the broker, and recovery starts again. Reported if failures have an effect within two minutes
    of the start; how long recovery takes depends on the data.

    Bad:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  livenessProbe: {tcpSocket: {port: 9092}, initialDelaySeconds: 20, periodSeconds: 5}
    Good: a startup probe
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  startupProbe: {tcpSocket: {port: 9092}, periodSeconds: 10, failureThreshold: 180}
                  livenessProbe: {tcpSocket: {port: 9092}, periodSeconds: 5}
    Bad: a short startup probe
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  startupProbe: {tcpSocket: {port: 9092}, periodSeconds: 5, failureThreshold: 6}
                  livenessProbe: {tcpSocket: {port: 9092}, periodSeconds: 5}
    Good: time to recover
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  livenessProbe: {tcpSocket: {port: 9092}, initialDelaySeconds: 600}
    """
    for process in document.processes:
        if process.program not in (A_BROKER, A_CONTROLLER):
            continue
        # A liveness probe starts once the startup probe has succeeded.
        kinds = {probe.kind for probe in process.probes}
        first = STARTUP if STARTUP in kinds else LIVENESS
        for probe in process.probes:
            if probe.kind == first and probe.seconds < _LEAST_RECOVERY:
                several = process.replicas is not None and process.replicas.text not in ("0", "1")
                yield finding(
                    process,
                    f"{process}: {first} fails {int(probe.seconds)} s after the start"
                    + (
                        ", which is short for log recovery"
                        if first == STARTUP
                        else ", and no startupProbe waits for log recovery"
                    ),
                    (told(process, probe.setting, FACT),),
                    "after an unclean stop the broker is killed while it recovers its logs, and "
                    "starts over again and again",
                    "set a startupProbe with failureThreshold × periodSeconds above the longest "
                    "recovery, such as 30 min",
                    WARNING if several else INFO,
                )


#: Seconds in which no tool of Kafka's is done.
_STARTS_IN = 1


@rule("KC2025", "probe-timeout-of-a-tool", WARNING)
def probe_timeout_of_a_tool(document: Running) -> Iterator[Finding]:
    """A probe starts one of Kafka's tools, but each attempt may take a second only.

    Kafka's tools are programs in Java, which take longer than a second to start and to connect, and
    more with the CPU limit of a container. timeoutSeconds is 1 by default; since 1.20 Kubernetes ends
    what takes longer, and counts a failure. (A health check of compose has 30 seconds by default.)

    Bad: the default
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              terminationGracePeriodSeconds: 300
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  readinessProbe:
                    exec: {command: [kafka-topics, --bootstrap-server, "localhost:9092", --list]}
                    periodSeconds: 20
    Good:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              terminationGracePeriodSeconds: 300
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  readinessProbe:
                    exec: {command: [kafka-topics, --bootstrap-server, "localhost:9092", --list]}
                    periodSeconds: 20
                    timeoutSeconds: 15
    Good: no tool
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              terminationGracePeriodSeconds: 300
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.6.1
                  readinessProbe: {tcpSocket: {port: 9092}}
    """
    for process in document.processes:
        for probe in process.probes:
            tool = _TOOL.search(probe.command)
            if tool is None or not probe.timeout <= _STARTS_IN:
                continue
            yield finding(
                process,
                f"{process}: {tool[0]} in {probe.kind} may take {probe.timeout:g} s",
                (told(process, probe.setting, FACT),),
                "the tool starts a JVM, which takes longer: the probe fails" + _after(probe),
                "give it 15 s, or check the port without a JVM",
            )
            break

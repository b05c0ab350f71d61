"""KC01: duplicates, inline comments, blanks and null in values."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Misvalued, Node, Repeating
from kcheck.graph.topics import Topic
from kcheck.lexicon.check import assay
from kcheck.lexicon.value_faults import COMMENT, NULL
from kcheck.model import ERROR, INFO, WARNING, Edit, Finding, Setting
from kcheck.refusal import doubt
from kcheck.rule import CHANGED, FAILED, REFUSED, rule
from kcheck.rules.keys.keys_wording import assigned, conditional, dormant, refused, unread
from kcheck.rules.shared.keys_wording import evidence, written
from kcheck.secrets import shown


@rule(
    "KC0106",
    "duplicate-key-in-file",
    WARNING,
    kafka=CHANGED,
    invariants=("duplicate-key-in-file",),
)
def duplicate_key_in_file(node: Repeating) -> Iterator[Finding]:
    """A key is set twice in one file and the last value wins silently.

    Editing the first line changes nothing. Java uses the last value in a properties file, and so do
    YAML parsers, Kubernetes and ECS for the variables of a container.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        log.retention.hours=720
        log.retention.hours=168
    Bad: twice the same value
        --- kcheck.yaml
        topics:
          - name: orders
            config:
              retention.ms: 86400000
              retention.ms: 86400000
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        #log.retention.hours=720
        log.retention.hours=168
    Good: comment keys in JSON
        --- connector.json
        {"name": "orders-sink", "config": {
          "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
          "topics": "orders",
          "_comment": "--- the database ---",
          "connection.url": "jdbc:postgresql://db/orders",
          "_comment": "--- the tables ---",
          "table.name.format": "orders"}}
    Bad: a variable of a container
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.0
                  env:
                    - {name: KAFKA_BROKER_ID, value: "1"}
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zookeeper:2181"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka:9092"}
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zoo:2181"}
    """
    for earlier, later in node.resource.earlier:
        if earlier.text is None or later.text is None or _is_comment(later.key):
            continue
        same = earlier.text == later.text
        first, last = shown(earlier.key, earlier.text), shown(later.key, later.text)
        yield node.finding(
            f"{node} sets {written(later)} twice: "
            + (f"both times {last}" if same else f"{first or 'empty'}, then {last or 'empty'}"),
            at=evidence(node, later),
            because=(evidence(node, earlier),),
            breaks="editing the first one has no effect"
            if same
            else f"the last one wins; {first or 'the empty value'} has no effect",
            fix="keep one of them",
            severity=INFO if same else WARNING,
        )


def _is_comment(key: str) -> bool:
    """Whether a key is a comment by its name: no key of Kafka's begins so."""
    return key.startswith(("_", "/", "#")) or key in ("comment", "comments")


@rule(
    "KC0107",
    "inline-comment-in-value",
    WARNING,
    kafka=REFUSED,
    invariants=("unknown-key",),
    versions="2.8–4.4",
)
def inline_comment_in_value(node: Misvalued) -> Iterator[Finding]:
    """An inline comment is part of the value.

    Properties files have comments only at the start of a line. If the key requires a number, a
    boolean or one of a few words, Kafka rejects the value; a path or an address is accepted with the
    comment in it.

    Bad: rejected
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        log.retention.hours=72 # three days
    Bad: accepted with the comment
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka # the big disk
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        # three days
        log.retention.hours=72
        broker.rack=row#7
    Bad: Streams of 4.0 replaces the value, a warning
        --- streams.properties
        application.id=orders
        bootstrap.servers=k1:9092
        group.protocol=CLASSIC # not yet
        --- kcheck.yaml
        cluster: {client_version: "4.0"}
    """
    for setting, fault in assay(node.resource, node.version).values:
        if fault.kind != COMMENT:
            continue
        breaks = (
            refused(node, fault.place, setting)
            if fault.certain or fault.gone
            else "Kafka uses the value including the comment"
        )
        severity = ERROR if fault.certain else WARNING
        if fault.gone:
            severity = doubt(fault.gone)
            breaks = f"before Kafka {fault.gone}, {breaks}; later versions ignore the key"
        condition = conditional(fault.place) if fault.certain else ""
        if condition:
            severity, breaks = WARNING, f"{condition}: {breaks}"
        if unread(node, setting.key, fault):
            severity, breaks = WARNING, "Kafka overrides or ignores the value"
        if dormant(node, fault.place):
            severity = WARNING
        found = node.finding(
            f"{node}: the comment in {assigned(setting)} is part of the value",
            at=evidence(node, setting),
            breaks=breaks,
            fix=f"set {setting.key}={fault.better} and move the comment to its own line",
            set_to=fault.better,
            severity=severity,
            safe=fault.certain,
        )
        _keep_comment(found, setting, fault.better)
        yield found


def _keep_comment(found: Finding, setting: Setting, value: str) -> None:
    """Make the edits move the comment to a line above, or remove them."""
    fix, (line, column, _, _) = found.fix, setting.key_at
    if fix is None or not fix.edits:
        return
    comment = (setting.text or "").removeprefix(value).strip()
    if column == 1 and line == setting.at[0]:
        above = (line, column, line, column)
        fix.edits = (*fix.edits, Edit(setting.path, above, f"{comment}\n"))
    else:
        fix.edits, fix.safe = (), False


#: Since then authorizers trim allow.everyone.if.no.acl.found.
_TRIMMED = "3.6"


@rule(
    "KC0108",
    "blank-in-value",
    WARNING,
    kafka=FAILED,
    invariants=("min-isr-blank",),
    versions="min.insync.replicas: KRaft; allow.everyone.if.no.acl.found: before 3.6",
)
def blank_in_value(node: Node) -> Iterator[Finding]:
    """A value has leading or trailing blanks that Kafka does not trim.

    Kafka trims nearly all values. Exceptions: min.insync.replicas of a topic or a dynamic default in
    KRaft mode, where the blank is stored and the controller resigns repeatedly once a partition changes
    its leader; and allow.everyone.if.no.acl.found before 3.6, where the authorizer reads "true " as
    false.

    Bad: stored with its blank
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", brokers: 3}
        topics:
          - {name: orders, partitions: 6, config: {min.insync.replicas: " 2"}}
    Bad: read as false
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "3.4"
          config: {allow.everyone.if.no.acl.found: "true "}
    Good: trimmed
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "3.6"
          config: {allow.everyone.if.no.acl.found: "true ", min.insync.replicas: " 2"}
        topics:
          - {name: orders, partitions: 6, config: {retention.ms: " 5000"}}
    """
    key = "min.insync.replicas"
    stored = node.own(key) if isinstance(node, Topic) else node.resource.dynamic.get(key)
    if stored is not None and _padded(stored) and (stored.text or "").isdecimal():
        version = node.cluster.version
        if node.cluster.kraft is not False and not version.below("3.9"):
            known = version.known or node.cluster.kraft
            yield node.finding(
                f'{node} stores min.insync.replicas="{stored.raw}" with a blank'
                + ("" if known else ", which KRaft controllers of Kafka 3.9 to 4.4 cannot parse"),
                at=evidence(node, stored),
                breaks="the controller resigns repeatedly (NumberFormatException) once a partition "
                "changes its leader or in-sync replicas",
                fix=f"set min.insync.replicas={stored.text}",
                set_to=stored.text,
                severity=ERROR if known else WARNING,
                safe=True,
            )
    allowed = node.own("allow.everyone.if.no.acl.found")
    if allowed is None or not _padded(allowed) or node.version.at_least(_TRIMMED):
        return
    if (allowed.text or "").lower() == "true":
        yield node.finding(
            f'{node} sets allow.everyone.if.no.acl.found="{allowed.raw}" with a blank, which '
            "authorizers before Kafka 3.6 read as false",
            at=evidence(node, allowed),
            breaks="only super users can access resources without ACLs",
            fix="remove the blank",
            set_to="true",
            severity=WARNING if node.version.below(_TRIMMED) else doubt(_TRIMMED),
        )


def _padded(setting: Setting) -> bool:
    return setting.raw != setting.text


@rule(
    "KC0109",
    "null-text",
    WARNING,
    kafka=REFUSED,
    invariants=("endpoint-id-null-text",),
    versions="2.8–4.4",
)
def null_text(node: Misvalued) -> Iterator[Finding]:
    """A value is the literal text null instead of being unset.

    Templates write it for a missing value. ssl.endpoint.identification.algorithm=null names an
    algorithm that does not exist, and every TLS handshake fails; a class named null cannot be loaded.
    Files with null for everything unset are dumps of a program and are not checked.

    Bad: every handshake fails
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SSL://:9093
        ssl.endpoint.identification.algorithm=null
    Bad: no such class
        --- kcheck.yaml
        cluster: {name: core, config: {authorizer.class.name: "null"}}
    Good: an empty value disables the check
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SSL://:9093
        ssl.endpoint.identification.algorithm=
    """
    for setting, fault in assay(node.resource, node.version).values:
        if fault.kind != NULL:
            continue
        severity, better = ERROR, ""
        if fault.fact.key == "ssl.endpoint.identification.algorithm":
            better = "https"
            breaks = "every TLS handshake fails: unknown identification algorithm"
            severity = ERROR if _speaks_tls(node) else WARNING
        else:
            breaks = "Kafka fails to start: it cannot load a class named null"
        yield node.finding(
            f"{node}: {assigned(setting)} {fault.reason}",
            at=evidence(node, setting),
            breaks=breaks,
            fix=f"set {setting.key}={better}, or remove the key"
            if better
            else f"remove {setting.key}",
            set_to=better or None,
            severity=severity,
        )


def _speaks_tls(node: Node) -> bool:
    """Whether a listener or connection of the resource uses TLS."""
    keys = (
        "security.protocol",
        "listener.security.protocol.map",
        "listeners",
        "security.inter.broker.protocol",
    )
    settings = node.resource.settings
    return any("SSL" in (settings[key].text or "").upper() for key in keys if key in settings)

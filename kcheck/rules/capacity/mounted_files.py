"""KC20: files and folders that a container needs, and what is mounted in it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from kcheck.model import FACT, WARNING, Finding, Running, Value
from kcheck.model.processes import (
    AN_APPLICATION,
    BIND,
    FILES,
    NAMED,
    Mount,
    Place,
    Process,
    covering,
)
from kcheck.rule import rule
from kcheck.rules.shared.places import from_image
from kcheck.rules.shared.processes import finding, told

#: What only a folder of plugins is called: other folders of connectors hold their configurations.
_PLUGINS = re.compile(
    r"plug-?ins?(?![a-z])|(?:kafka-connect|debezium-connector)-[a-z0-9-]+-v?\d+\.\d"
)


@rule("KC2029", "file-not-mounted", WARNING)
def file_not_mounted(document: Running) -> Iterator[Finding]:
    """A program reads a file that is neither in its image nor mounted.

    Paths in variables are paths in the container: key stores, the logins and agents in Java's options,
    the statements of a headless ksqlDB, the configuration of a log. Reported for known images that are not built here, for folders
    that these do not have; for other images in Kubernetes, if a Secret is mounted where nothing is read.

    Bad: the statements of ksqlDB
        --- docker-compose.yml
        services:
          ksqldb:
            image: confluentinc/cp-ksqldb-server:7.5.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: k1:9092
              KSQL_KSQL_SERVICE_ID: orders_
              KSQL_KSQL_QUERIES_FILE: /queries/orders.sql
            volumes: ["./queries:/sql"]
    Bad: a trust store
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SSL://k1:9093
              SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SSL
              SCHEMA_REGISTRY_KAFKASTORE_SSL_TRUSTSTORE_LOCATION: /secrets/ca.jks
              SCHEMA_REGISTRY_KAFKASTORE_SSL_TRUSTSTORE_PASSWORD: ${PASSWORD}
    Bad: an agent, in a pod
        --- connect.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: connect}
        spec:
          template:
            spec:
              containers:
                - name: connect
                  image: confluentinc/cp-kafka-connect:7.5.0
                  env:
                    - {name: CONNECT_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: KAFKA_OPTS, value: "-javaagent:/opt/jmx/agent.jar=9404:/opt/jmx/rules.yaml"}
                  volumeMounts: [{name: rules, mountPath: /opt/jmx/rules.yaml, subPath: rules.yaml}]
              volumes: [{name: rules, configMap: {name: rules}}]
    Good:
        --- docker-compose.yml
        services:
          ksqldb:
            image: confluentinc/cp-ksqldb-server:7.5.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: k1:9092
              KSQL_KSQL_SERVICE_ID: orders_
              KSQL_KSQL_QUERIES_FILE: /queries/orders.sql
            volumes: ["./sql:/queries"]
    Good: a secret, and the system's own trust store
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SSL://k1:9093
              SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SSL
              SCHEMA_REGISTRY_KAFKASTORE_SSL_TRUSTSTORE_LOCATION: /etc/ssl/certs/java/cacerts
              SCHEMA_REGISTRY_KAFKASTORE_SSL_KEYSTORE_LOCATION: /run/secrets/registry.jks
            secrets: [registry.jks]
    Good: an image of one's own
        --- docker-compose.yml
        services:
          ksqldb:
            build: .
            image: confluentinc/cp-ksqldb-server:7.5.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: k1:9092
              KSQL_KSQL_SERVICE_ID: orders_
              KSQL_KSQL_QUERIES_FILE: /queries/orders.sql
    Bad: a Secret at another path
        --- quotes.yaml
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: quotes}
        data:
          application.yml: |
            spring.kafka:
              bootstrap-servers: k1.example.com:9093
              security.protocol: SSL
              ssl.trust-store-location: file:/etc/kafka/certs/trust.p12
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: quotes}
        spec:
          template:
            spec:
              containers:
                - name: quotes
                  image: registry.example.com/quotes:5.2.0
                  volumeMounts:
                    - {name: config, mountPath: /app/config}
                    - {name: trust, mountPath: /etc/kafka-certs}
              volumes:
                - {name: config, configMap: {name: quotes}}
                - {name: trust, secret: {secretName: kafka-trust}}
    Good: a Secret at its path
        --- quotes.yaml
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: quotes}
        data:
          client.properties: |
            bootstrap.servers=k1.example.com:9093
            security.protocol=SSL
            ssl.truststore.location=/etc/kafka/certs/trust.p12
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: quotes}
        spec:
          template:
            spec:
              containers:
                - name: quotes
                  image: registry.example.com/quotes:5.2.0
                  volumeMounts:
                    - {name: config, mountPath: /app/config}
                    - {name: trust, mountPath: /etc/kafka/certs}
              volumes:
                - {name: config, configMap: {name: quotes}}
                - {name: trust, secret: {secretName: kafka-trust}}
    Bad: an agent in a folder that is mounted under nearly the same name
        --- docker-compose.yml
        services:
          broker:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://broker:9092
              EXTRA_ARGS: -javaagent:/usr/share/jmx-exporter/agent.jar=7101:/usr/share/jmx-exporter/rules.yml
            volumes: ["./jmx:/usr/share/jmx_exporter"]
    Bad: the log's configuration, in a folder that the image of KSQL had
        --- docker-compose.yml
        services:
          ksqldb:
            image: confluentinc/cp-ksqldb-server:7.5.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: k1:9092
              KSQL_KSQL_SERVICE_ID: orders_
              KSQL_LOG4J_OPTS: -Dlog4j.configuration=file:/etc/ksql/log4j-rolling.properties
    """
    for process in document.processes:
        for place in process.reads if process.mounts is not None else ():
            path = place.path
            if not path.startswith("/") or covering(process.mounts or (), path):
                continue
            if process.program == AN_APPLICATION:
                yield from _beside(process, place) if not place.optional else ()
                continue
            beside = _nearly(process.mounts or (), path) if from_image(path) else None
            if from_image(path) and beside is None:
                continue
            named = place.setting.name
            yield finding(
                process,
                f"{process} reads {place.holds} from {path}, "
                + (
                    f"but a volume is mounted at {beside.path}"
                    if beside
                    else "where nothing is mounted"
                ),
                (told(process, place.setting), *_facts(process, beside)),
                "its logger has no configuration: the image has no such file"
                if place.optional
                else "the program does not start: the image has no such file",
                f"mount the file at {path}, or set {named} to its path in the container",
            )


def _facts(process: Process, mount: Mount | None) -> tuple[Value, ...]:
    return (told(process, mount.setting, FACT),) if mount is not None else ()


def _nearly(mounts: tuple[Mount, ...], path: str) -> Mount | None:
    """A mount that is written nearly as the path or a folder above it: with other signs between words."""
    parts = _SIGNS.sub("", posixpath.normpath(path).lower()).split("/")
    for mount in mounts:
        written = _SIGNS.sub("", posixpath.normpath(mount.path).lower()).split("/")
        if len(written) > _DEEP and written == parts[: len(written)]:
            return mount
    return None


#: What stands between words in names of folders; so many parts of a path are some program's own.
_SIGNS, _DEEP = re.compile(r"[-_. ]"), 2


def _beside(process: Process, place: Place) -> Iterator[Finding]:
    """The same of an image that nobody here knows, if files are mounted where nothing reads them."""
    reads = [one.path for one in process.reads]
    for mount in process.mounts or ():
        folder = posixpath.normpath(mount.path)
        if mount.kind != FILES or not _STORES.search(folder.lower()):
            continue
        if any(covering((mount,), path) for path in reads):
            continue
        yield finding(
            process,
            f"{process} reads {place.holds} from {place.path}, but a volume is mounted at {mount.path}",
            (told(process, place.setting), told(process, mount.setting, FACT)),
            "the client cannot be created: the store does not exist, unless the image has it",
            f"mount it at {posixpath.dirname(place.path)}, or set {place.setting.name} to its path in "
            "the container",
        )
        return


#: How folders and Secrets with stores are called.
_STORES = re.compile(r"cert|ssl|tls|store|trust|kafka|keys")


@rule("KC2030", "plugins-outside-path", WARNING)
def plugins_outside_path(document: Running) -> Iterator[Finding]:
    """Connector plugins are mounted in a folder that is not on the plugin.path of the worker.

    A worker loads plugins only from the folders in plugin.path and from its class path.

    Bad:
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: k1:9092
              CONNECT_PLUGIN_PATH: /usr/share/java,/usr/share/confluent-hub-components
            volumes: ["./connect-plugins:/data/connect-plugins"]
    Good:
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: k1:9092
              CONNECT_PLUGIN_PATH: /usr/share/java,/data/connect-plugins
            volumes: ["./connect-plugins:/data/connect-plugins"]
    Good: plugins in a folder of the path, configurations elsewhere
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: k1:9092
              CONNECT_PLUGIN_PATH: /usr/share/java,/data
            volumes: ["./plugins/mongo:/data/mongo", "./connectors:/etc/connectors"]
    """
    for process in document.processes:
        path = process.plugins
        if process.mounts is None or path is None or not path.text:
            continue
        folders = [posixpath.normpath(one.strip()) for one in path.text.split(",")]
        for mount in process.mounts:
            if _plugins(mount) and not any(_meet(folder, mount.path) for folder in folders):
                yield _outside(process, mount)
                break


def _plugins(mount: Mount) -> bool:
    named = f"{mount.source} {mount.path}".lower()
    file = posixpath.splitext(mount.path)[1] not in ("", ".jar") and not re.search(
        r"\d\.\d", posixpath.basename(mount.path)
    )
    return mount.kind in (BIND, NAMED) and not file and _PLUGINS.search(named) is not None


def _meet(folder: str, path: str) -> bool:
    """Whether one of two paths is, or is in, the other; the images' class path has a folder, too."""
    place = posixpath.normpath(path)
    classes = ("/etc/kafka-connect/jars", "/usr/share/java")
    return any(
        f"{one}/".startswith(f"{other.rstrip('/')}/")
        for inside in (folder, *classes)
        for one, other in ((inside, place), (place, inside))
    )


def _outside(process: Process, mount: Mount) -> Finding:
    assert process.plugins is not None
    return finding(
        process,
        f"{process} has plugins mounted at {mount.path}, which is not on plugin.path="
        f"{process.plugins.text}",
        (told(process, process.plugins), told(process, mount.setting, FACT)),
        "the worker does not find the plugins: a connector of theirs is rejected (class not found)",
        f"add {mount.path} or the folder above it to {process.plugins.name}",
    )

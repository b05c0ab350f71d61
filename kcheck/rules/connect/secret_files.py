"""KC14: the files that settings of connectors refer to, and what workers have mounted."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from kcheck.graph.clients import Connector, Worker
from kcheck.model import STRIMZI, WARNING, Finding, Value
from kcheck.model.processes import covering
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import evidence
from kcheck.rules.shared.places import from_image

_PROVIDERS = ("FileConfigProvider", "DirectoryConfigProvider")
_PATH = re.compile(r"\$\{[^:}]+:(/[^:}]*)")


@rule("KC1488", "secret-file-not-mounted", WARNING)
def secret_file_not_mounted(thing: Connector | Worker) -> Iterator[Finding]:
    """A setting is read from a file that is not mounted in the worker.

    FileConfigProvider and DirectoryConfigProvider read files of the worker's container. Strimzi mounts
    a volume of externalConfiguration at /opt/kafka/external-configuration/ and the volume's name, and
    other volumes as spec.template tells. With allowed.paths a provider reads no file elsewhere
    (Kafka 3.8+).

    Bad: a volume of another name
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl, annotations: {strimzi.io/use-connector-resources: "true"}}
        spec:
          bootstrapServers: core-kafka-bootstrap:9092
          config:
            group.id: etl
            config.providers: file
            config.providers.file.class: org.apache.kafka.common.config.provider.FileConfigProvider
          externalConfiguration: {volumes: [{name: db, secret: {secretName: db-credentials}}]}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: rows, labels: {strimzi.io/cluster: etl}}
        spec:
          class: com.example.JdbcSource
          config: {connection.password: "${file:/opt/kafka/external-configuration/db-credentials/p.properties:password}"}
    Bad: a container
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: k1:9092
              CONNECT_GROUP_ID: etl
              CONNECT_REST_ADVERTISED_HOST_NAME: connect
              CONNECT_CONFIG_STORAGE_TOPIC: configs
              CONNECT_OFFSET_STORAGE_TOPIC: offsets
              CONNECT_STATUS_STORAGE_TOPIC: status
              CONNECT_KEY_CONVERTER: org.apache.kafka.connect.json.JsonConverter
              CONNECT_VALUE_CONVERTER: org.apache.kafka.connect.json.JsonConverter
              CONNECT_PLUGIN_PATH: /usr/share/java
              CONNECT_CONFIG_PROVIDERS: file
              CONNECT_CONFIG_PROVIDERS_FILE_CLASS: org.apache.kafka.common.config.provider.FileConfigProvider
            volumes: ["./secrets:/secrets"]
        --- rows.json
        {"name": "rows", "config": {"connector.class": "com.example.JdbcSource",
         "connection.password": "${file:/opt/secrets/db.properties:password}"}}
    Good:
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl, annotations: {strimzi.io/use-connector-resources: "true"}}
        spec:
          bootstrapServers: core-kafka-bootstrap:9092
          config:
            group.id: etl
            config.providers: file,directory
            config.providers.file.class: org.apache.kafka.common.config.provider.FileConfigProvider
            config.providers.directory.class: org.apache.kafka.common.config.provider.DirectoryConfigProvider
          externalConfiguration: {volumes: [{name: db, secret: {secretName: db-credentials}}]}
          template: {connectContainer: {volumeMounts: [{name: extra, mountPath: /mnt/extra}]}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: rows, labels: {strimzi.io/cluster: etl}}
        spec:
          class: com.example.JdbcSource
          config:
            connection.user: "${directory:/mnt/extra/db:user}"
            connection.password: "${file:/opt/kafka/external-configuration/db/p.properties:password}"
    Bad: outside the paths that the provider may read
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.storage.StringConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        config.providers=file
        config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider
        config.providers.file.param.allowed.paths=/opt/secrets
        --- rows.json
        {"name": "rows", "config": {"connector.class": "com.example.JdbcSource",
         "connection.password": "${file:/etc/db.properties:password}"}}
    """
    workers = thing.workers if isinstance(thing, Connector) else [thing]
    for name, setting, reference in thing.resource.traits.providers:
        path = _PATH.match(reference)
        if path is None or from_image(path[1]) or not workers:
            continue
        denied = [_denied(worker, name, path[1]) for worker in workers]
        if None not in denied:
            yield thing.finding(
                f"{thing} reads {setting.key} from {path[1]}, which is outside the paths that the "
                f"provider {name} may read",
                at=evidence(thing, setting),
                because=[one for one in denied if one is not None][:3],
                breaks=f"the reference {reference} stays as it is: the provider gives no value for it",
                fix=f"put the file below one of these paths, or add {posixpath.dirname(path[1])}",
            )
            return
        if all(_lacks(worker, name, path[1]) for worker in workers):
            there = workers[0]
            yield thing.finding(
                f"{thing} reads {setting.key} from {path[1]}, where {there} has nothing mounted",
                at=evidence(thing, setting),
                because=[evidence(there, one) for one in there.resource.traits.mounted or ()][:3],
                breaks=f"the reference {reference} cannot be resolved: the task or connector fails",
                fix=f"mount the file at {posixpath.dirname(path[1])}, or refer to it where it is "
                "mounted",
            )
            return


def _denied(worker: Worker, provider: str, path: str) -> Value | None:
    """The paths that a provider may read, from Kafka 3.8 on, where this is none of them."""
    allowed = worker[f"config.providers.{provider}.param.allowed.paths"]
    if not allowed.text or worker.version.below("3.8"):
        return None
    place = f"{posixpath.normpath(path)}/"
    paths = (posixpath.normpath(one.strip()).rstrip("/") for one in allowed.text.split(","))
    return None if any(place.startswith(f"{one}/") for one in paths) else allowed


def _lacks(worker: Worker, provider: str, path: str) -> bool:
    """Whether a worker is known to have no such file, and to look for it."""
    resource = worker.resource
    named = resource.settings.get(f"config.providers.{provider}.class")
    if named is None or not (named.text or "").endswith(_PROVIDERS):
        return False
    process, mounted = resource.traits.process, resource.traits.mounted
    if resource.traits.deployer == STRIMZI:
        place = f"{posixpath.normpath(path)}/"
        return mounted is not None and not any(
            place.startswith(f"{(one.text or '').rstrip('/')}/") for one in mounted
        )
    if process is None or not process.known or process.mounts is None:
        return False
    return not covering(process.mounts, path)

"""What looks like a fault of Kafka's configuration and is none: no finding, mostly no resource."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck.engine import Project, lint_project
from kcheck.settings import Settings


def lint(files: dict[str, str]) -> Project:
    sources = {path: dedent(text).encode() for path, text in files.items()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    return project


def codes(project: Project) -> list[str]:
    return [f"{f.code} {f.path}:{f.at[0]} {f.message}" for f in project.findings]


#: Files of others, some with keys that Kafka has too.
FOREIGN = {
    "minecraft": {
        "config/server.properties": "server-port=25565\nmax-connections=20\nenable-query=false\n"
    },
    "a game server with a database": {
        "server.properties": "URL=jdbc:mysql://localhost/l2\nMaximumDbConnections=50\nport=2106\n"
    },
    "pulsar and mqtt channels": {
        "application.properties": (
            "mp.messaging.incoming.a.connector=smallrye-pulsar\n"
            "mp.messaging.incoming.b.connector=smallrye-mqtt\n"
            "mp.messaging.incoming.b.acks=7\n"
        )
    },
    "an application's own tree": {
        "application.yml": "kafka:\n  consumer: {group-id: {a: b}}\n  topics: {orders: o}\n"
    },
    "druid, flink and elasticsearch": {
        "values.yaml": (
            "druid: {configVars: {druid.kafka.acks: 7}}\n"
            "flink: {config: {restart-strategy.fixed-delay.attempts: 3}}\n"
            "elasticsearch: {cluster.name: kafka, num.partitions: none}\n"
        )
    },
    "a connector's template of types": {
        "config-Source.json": '{"connector.class": "STRING", "batch.size": "INT", "linger.ms": "LONG"}'
    },
    "zookeeper and log4j beside a broker": {
        "zookeeper.properties": "clientPort=2181\ntickTime=2000\ndataDir=/tmp/zk\n",
        "log4j.properties": "log4j.rootLogger=INFO\nlog4j.logger.kafka.acks=7\n",
    },
    "hocon of other clients": {
        "application.conf": "pulsar.producer {\n  acks = 7\n  batching.max.publish.delay = 1\n}\n"
    },
    "a spring file": {"application.properties": "spring.datasource.acks=7\nbootstrap.servers=\n"},
    "a definition of custom resources": {
        "crd.yaml": (
            "apiVersion: apiextensions.k8s.io/v1\n"
            "kind: CustomResourceDefinition\n"
            "metadata: {name: kafkas.kafka.strimzi.io}\n"
            "spec:\n"
            "  group: kafka.strimzi.io\n"
            "  names: {kind: Kafka}\n"
        )
    },
    "a helm template": {
        "templates/topic.yaml": (
            "{{- range .Values.topics }}\n"
            "apiVersion: kafka.strimzi.io/v1beta2\n"
            "kind: KafkaTopic\n"
            "spec: {replicas: {{ .replicas }}}\n"
            "{{- end }}\n"
        )
    },
    "charts of others that mention kafka": {
        "values.yaml": "grafana:\n  extraConfig: |\n    acks = 7\n  plugins: [kafka-datasource]\n",
        "a/values.yaml": "kafka: {enabled: true, brokers: [k:9092]}\nextraConfig: {retries: none}\n",
        "b/values.yaml": (
            "otel:\n  exporters: {kafka: {topic: t, config: {acks: 7}}}\n  extraConfig: kafka\n"
            "topics: [{name: a b, title: kafka}]\n"
        ),
    },
    "user interfaces and exporters in kubernetes": {
        "ui.yaml": (
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ui}\nspec:\n  template:\n"
            "    spec:\n      containers:\n        - name: ui\n          image: provectuslabs/kafka-ui:1\n"
            "          env: [{name: KAFKA_CLUSTERS_0_NAME, value: x}, {name: KAFKA_ACKS, value: '7'}]\n"
        ),
        "config.yaml": (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n"
            "data:\n  zoo.cfg: |\n    listeners = none\n  ui.yml: |\n    kafka: {acks: 7}\n"
        ),
    },
    "terraform of others": {
        "main.tf": (
            'resource "aws_security_group" "kafka" {\n  name = "kafka"\n}\n'
            'resource "kafka_acl" "a" {\n  resource_name = "a b"\n}\n'
            'module "kafka" {\n  source = "x"\n  server_properties = { "acks" = "7" }\n}\n'
        )
    },
    "playbooks and hiera of others": {
        "site.yml": "- hosts: kafka_broker\n  tasks:\n    - name: kafka_broker_restart\n      service: {}\n",
        "vars.yml": "kafka_version: 9.9\nkafka_port: many\n",
        "hieradata/zk.yaml": "profile::zookeeper::kafka: true\nprofile::kafka::topics: [a b]\n",
    },
    "notes": {
        "notes.txt": "Topic: kafka\nLeader: none\nThe configs for topic a are not yet known.\n",
        "bpm.yml": "processes:\n  - {name: postgres, limits: {open_files: 1}}\n",
    },
    "what a test waits for": {
        "tests/core/01-assert.yaml": (
            "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: core}\n"
            "status: {conditions: [{type: Ready, status: 'True'}]}\n"
        ),
        "tests/core/02-errors-topic.yaml": (
            "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: a b}\n"
        ),
        "tests/core/ready.yaml": (
            "apiVersion: kuttl.dev/v1beta1\nkind: TestAssert\n---\n"
            "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: core}\n"
        ),
    },
    "a manifest that a dot takes out of use": {
        "kafka/.kafka.yaml": (
            "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: core}\n"
            "spec: {kafka: {config: {min.insync.replica: 2}}}\n"
        ),
    },
    "an event api without kafka": {
        "api.yaml": "asyncapi: 2.6.0\nservers: {a: {protocol: amqp}}\nchannels: {a: {bindings: {amqp: {}}}}\n"
    },
}


@pytest.mark.parametrize("files", FOREIGN.values(), ids=FOREIGN)
def test_what_is_not_ours_is_passed_over(files: dict[str, str]) -> None:
    project = lint(files)
    assert codes(project) == []
    assert [document.path for document in project.documents if document.resources] == []


BROKER = "process.roles=broker,controller\nnode.id=1\ncontroller.listener.names=CONTROLLER\n"
LISTENERS = (
    "listeners=PLAINTEXT://:9092,CONTROLLER://:9093\n"
    "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n"
    "controller.quorum.voters=1@localhost:9093\n"
)

#: Files of Kafka's that are right, or whose fault nobody can know.
QUIET = {
    "a plain controller listener": {"server.properties": BROKER + LISTENERS},
    "settings of vendors and plug-ins": {
        "server.properties": BROKER
        + LISTENERS
        + "confluent.license.topic.replication.factor=1\n"
        + "ldap.java.naming.provider.url=ldap://l:389\n"
        + "kafka.rest.enable=true\n"
        + "ksql.streams.acks=7\n"
        + "rsm.config.chunk.size=4194304\n"
        + "remote.log.storage.manager.impl.prefix=tiers.\n"
        + "tiers.bucket=b\n"
        + "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=a.Login required user=b;\n"
    },
    "a dump with null in it": {
        "broker.conf": BROKER
        + LISTENERS
        + "broker.rack=null\nlog.roll.ms=null\nlog.retention.ms=null\nzookeeper.connect=null\n"
    },
    "branches of a template": {
        "server.properties.j2": BROKER
        + "{% if tls %}\nlisteners=SSL://:9092\n{% else %}\nlisteners=PLAINTEXT://:9092\n{% endif %}\n"
    },
    "values that something else fills in": {
        "server.properties": "broker.id=${ID}\nzookeeper.connect=z:2181\n"
        "log.retention.ms={{ retention }}\nnum.partitions=<partitions>\nmessage.max.bytes=:MAX:\n"
    },
    "values that a program fills in": {
        "server.properties": "broker.id={broker_id}\nzookeeper.connect={zk_host}:{zk_port}\n"
        "listeners={transport}://{host}:{port}\n"
    },
    "a list of brokers that a test fills in": {
        "src/test/resources/application-test.properties": (
            "bootstrap.servers=\nspring.kafka.bootstrap-servers=${bootstrap.servers}\n"
            "spring.kafka.streams.application-id=totals\n"
        )
    },
    "Spring's names in a file with another ending": {
        "local.config": (
            "# brokers\nspring.kafka.bootstrap-servers=k:9092\n\n# registry\n"
            "spring.kafka.properties.schema.registry.url=http://registry:8081\n"
        )
    },
    "connectors one after the other": {
        "sources.json": (
            '{"name": "a", "connector.class": "DatagenSource", "kafka.topic": "a", "tasks.max": "1"}\n'
            '{"name": "b", "connector.class": "DatagenSource", "kafka.topic": "b", "tasks.max": "1"}\n'
        )
    },
    "one region of several": {
        "kafka-east.yaml": (
            "apiVersion: platform.confluent.io/v1beta1\nkind: Kafka\n"
            "metadata: {name: kafka, namespace: east,"
            " annotations: {platform.confluent.io/broker-id-offset: '10'}}\n"
            "spec: {replicas: 2}\n"
        ),
        "topic.yaml": (
            "apiVersion: platform.confluent.io/v1beta1\nkind: KafkaTopic\n"
            "metadata: {name: orders, namespace: east}\n"
            "spec: {replicas: 3, partitionCount: 1, kafkaClusterRef: {name: kafka}}\n"
        ),
    },
    "a login over several lines": {
        "docker-compose.yml": (
            "services:\n  registry:\n    image: confluentinc/cp-schema-registry:7.5.0\n"
            "    environment:\n      SCHEMA_REGISTRY_HOST_NAME: registry\n"
            "      SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SASL_SSL://k1:9092\n"
            "      SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SASL_SSL\n"
            "      SCHEMA_REGISTRY_KAFKASTORE_SASL_MECHANISM: PLAIN\n"
            "      SCHEMA_REGISTRY_KAFKASTORE_SASL_JAAS_CONFIG: |\n"
            "        \\\n"
            "        org.apache.kafka.common.security.plain.PlainLoginModule required \\\n"
            '        username="a" \\\n'
            '        password="b";\n'
        )
    },
    "storage topics with the brokers' replication": {
        "connect-distributed.properties": (
            "bootstrap.servers=k:9092\n"
            "group.id=c\n"
            "key.converter=org.apache.kafka.connect.json.JsonConverter\n"
            "value.converter=org.apache.kafka.connect.json.JsonConverter\n"
            "config.storage.topic=a\nconfig.storage.replication.factor=-1\n"
            "offset.storage.topic=b\noffset.storage.replication.factor=-1\n"
            "status.storage.topic=c\nstatus.storage.replication.factor=-1\n"
        )
    },
    "odd characters in values": {
        "server.properties": BROKER
        + LISTENERS
        + "sasl.kerberos.principal.to.local.rules=RULE:[1:$1@$0](.*@A)s/@.*//,DEFAULT\n"
        + "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n"
        + "principal.builder.class=com.example.Builder\n"
        + "super.users=User:CN=a,OU=b;User:c\n"
    },
    "names of librdkafka": {
        "librdkafka.config": (
            "bootstrap.servers=k:9092\n"
            "security.protocol=SASL_SSL\n"
            "sasl.mechanisms=PLAIN\n"
            "sasl.username=u\n"
            "sasl.password=${PASSWORD}\n"
            "ssl.ca.location=/etc/ca.pem\n"
            "statistics.interval.ms=1000\n"
        )
    },
    "keys of the application beside a client's": {
        "streams.properties": (
            "application.id=a\nbootstrap.servers=k:9092\n"
            "output.topic.name=o\nmy.topics.replication.factor=1\nschema.registry.url=http://s\n"
        )
    },
    "one replica on a developer's machine": {
        "server.properties": BROKER
        + LISTENERS
        + "offsets.topic.replication.factor=1\n"
        + "transaction.state.log.replication.factor=1\n"
        + "transaction.state.log.min.isr=1\n"
    },
}


@pytest.mark.parametrize("files", QUIET.values(), ids=QUIET)
def test_no_finding_on_what_is_right_or_unknown(files: dict[str, str]) -> None:
    assert codes(lint(files)) == []


def test_a_managed_client_joins_no_broker_of_the_same_folder() -> None:
    project = lint(
        {
            "docker-compose.yml": (
                "services:\n"
                "  kafka:\n"
                "    image: apache/kafka:4.1.0\n"
                "    environment: {KAFKA_MESSAGE_MAX_BYTES: '100000'}\n"
            ),
            "producer.properties": (
                "bootstrap.servers=pkc-1.eu-west-1.aws.confluent.cloud:9092\nmax.request.size=5000000\n"
            ),
        }
    )
    homes = {
        resource.kind: cluster.id for cluster in project.clusters for resource in cluster.resources
    }
    assert len(project.clusters) == 2 and homes["producer"] != homes["broker"]
    assert not any(
        f.path == "producer.properties" for f in project.findings if f.severity == "error"
    )

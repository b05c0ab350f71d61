"""KC01: values of Helm charts that do not reach Kafka, or not as they are meant."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import WARNING, Faulty, Finding, Note
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.rules.shared.problems import findings


@rule("KC0115", "bitnami-config-alone", WARNING)
def bitnami_config_alone(note: Note, node: Node) -> Iterator[Finding]:
    """The config value of Bitnami's chart replaces the chart's whole configuration.

    The value config is the whole server.properties: it replaces everything that the chart derives
    from its other values, such as listeners and roles. extraConfig adds to the configuration.

    Bad:
        --- values.yaml
        image: {repository: bitnami/kafka}
        replicaCount: 3
        config: |-
          authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Bad: as a map
        --- values.yaml
        kafka:
          image: {repository: bitnami/kafka}
          config: {log.retention.hours: 24}
    Good:
        --- values.yaml
        image: {repository: bitnami/kafka}
        replicaCount: 3
        extraConfig: |-
          authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Good: a complete configuration
        --- values.yaml
        image: {repository: bitnami/kafka}
        config: |-
          process.roles=broker,controller
          listeners=CLIENT://:9092,CONTROLLER://:9093
    """
    yield noted(note, node)


@rule("KC0119", "helm-exponent", WARNING)
def helm_exponent(note: Note, node: Node) -> Iterator[Finding]:
    """Helm renders a large number without quotes with an exponent.

    Helm reads numbers as floats. The templates of Confluent's chart put them into quotes, and so did
    those of Bitnami's before 24.0: from 1000000 on the text has an exponent. 10737418240 becomes
    1.073741824e+10, which Kafka rejects. Other charts convert numbers, or take whole files as text.

    Bad:
        --- values.yaml
        cp-kafka:
          brokers: 3
          imageTag: 6.2.15
          configurationOverrides:
            log.retention.bytes: 10737418240
            log.retention.ms: 604800000
            log.flush.interval.messages: 9223372036854775807
    Bad: a worker
        --- values.yaml
        cp-kafka-connect:
          configurationOverrides:
            group.id: feeds
            producer.buffer.memory: -1000000
    Bad: variables
        --- values.yaml
        cp-kafka:
          brokers: 3
          imageTag: 6.2.15
          configurationOverrides: {num.partitions: 6}
          customEnv: {KAFKA_MESSAGE_MAX_BYTES: 2000000}
    Bad: a parameter of Bitnami's chart
        --- Chart.yaml
        apiVersion: v2
        name: platform
        version: 0.1.0
        dependencies: [{name: kafka, version: 12.16.0, repository: "https://charts.bitnami.com/bitnami"}]
        --- values.yaml
        kafka:
          offsetsTopicReplicationFactor: 3
          socketSendBufferBytes: 1048576
          logSegmentBytes: _1073741824
    Good: parameters of Bitnami's chart that hide their numbers from Helm
        --- values.yaml
        kafka:
          offsetsTopicReplicationFactor: 3
          socketSendBufferBytes: "1048576"
          logSegmentBytes: _1073741824
    Good:
        --- values.yaml
        cp-kafka:
          brokers: 3
          imageTag: 6.2.15
          configurationOverrides:
            log.retention.bytes: "10737418240"
            log.retention.ms: 999999
            log.segment.bytes: !!str 1073741824
    """
    yield noted(note, node)


@rule("KC0192", "chart-parameter-removed", WARNING)
def chart_parameter_removed(note: Note, node: Node) -> Iterator[Finding]:
    """A value for Bitnami's chart that the release in use does not read.

    Version 24.0 of the chart split the nodes into controllers and brokers and removed the parameters
    that stood for Kafka's keys: replicaCount is controller.replicaCount, logRetentionHours and its like
    are lines of extraConfig. Version 32.0 removed ZooKeeper, and renamed extraConfig to
    overrideConfiguration. Helm ignores values that no template reads. Reported if Chart.yaml, a release
    or a script that installs the chart names the version, or if values tell it that only newer
    releases have; unless a template of the chart around it reads the values.

    Bad: by the version of the dependency
        --- platform/Chart.yaml
        apiVersion: v2
        name: platform
        version: 0.1.0
        dependencies:
          - {name: kafka, version: 28.3.0, repository: "oci://registry-1.docker.io/bitnamicharts"}
        --- platform/values.yaml
        kafka:
          logRetentionHours: 24
          autoCreateTopicsEnable: false
    Bad: by its listeners
        --- values.yaml
        image: {repository: bitnami/kafka}
        replicaCount: 3
        listeners: {client: {protocol: PLAINTEXT}, controller: {protocol: PLAINTEXT}}
    Bad: a release without ZooKeeper
        --- kafka.yaml
        apiVersion: helm.toolkit.fluxcd.io/v2
        kind: HelmRelease
        metadata: {name: events, namespace: shop}
        spec:
          chart:
            spec:
              chart: kafka
              version: 32.1.3
              sourceRef: {kind: HelmRepository, name: bitnami}
          values:
            persistence: {size: 20Gi}
            resources: {limits: {memory: 2Gi}}
            kraft: {enabled: false}
            zookeeper: {enabled: true}
            extraConfig: |
              min.insync.replicas=2
    Bad: values of a later release
        --- platform/Chart.yaml
        apiVersion: v2
        name: platform
        version: 0.1.0
        dependencies:
          - {name: kafka, version: ~18.3.0, repository: "https://charts.bitnami.com/bitnami"}
        --- platform/values.yaml
        kafka:
          listeners:
            client: {protocol: PLAINTEXT}
            interbroker: {protocol: PLAINTEXT}
          controller: {replicaCount: 3}
          sasl: {enabledMechanisms: PLAIN}
    Good:
        --- platform/Chart.yaml
        apiVersion: v2
        name: platform
        version: 0.1.0
        dependencies:
          - {name: kafka, version: 28.3.0, repository: "oci://registry-1.docker.io/bitnamicharts"}
        --- platform/values.yaml
        kafka:
          controller: {replicaCount: 3}
          zookeeper: {enabled: false}
          extraConfig: |
            log.retention.hours=24
            auto.create.topics.enable=false
    Good: an older chart
        --- platform/Chart.yaml
        apiVersion: v2
        name: platform
        version: 0.1.0
        dependencies:
          - {name: kafka, version: 22.1.6, repository: "https://charts.bitnami.com/bitnami"}
        --- platform/values.yaml
        kafka:
          replicaCount: 3
          logRetentionHours: 24
          autoCreateTopicsEnable: false
    """
    yield noted(note, node)


@rule("KC0158", "helm-values-refused", WARNING)
def helm_values_refused(document: Faulty) -> Iterator[Finding]:
    """Bitnami's chart refuses the values.

    The chart checks external access, certificates, SASL mechanisms and the mode before it renders
    anything. Not reported if a second file of values lies beside, which may have the rest.

    Bad: discovery without the right to ask
        --- values.yaml
        image: {repository: bitnami/kafka}
        controller: {replicaCount: 3}
        listeners: {client: {protocol: PLAINTEXT}, interbroker: {protocol: PLAINTEXT}}
        externalAccess:
          enabled: true
          autoDiscovery: {enabled: true}
          controller: {service: {type: LoadBalancer}}
    Bad: fewer ports than replicas
        --- values.yaml
        image: {repository: bitnami/kafka}
        controller: {replicaCount: 3}
        listeners: {client: {protocol: PLAINTEXT}, interbroker: {protocol: PLAINTEXT}}
        externalAccess:
          enabled: true
          controller: {service: {type: NodePort, nodePorts: [30092, 30093]}}
    Bad: neither discovery nor addresses
        --- values.yaml
        image: {repository: bitnami/kafka}
        listeners: {client: {protocol: PLAINTEXT}, interbroker: {protocol: PLAINTEXT}}
        externalAccess:
          enabled: true
          controller: {service: {ports: {external: 9094}}}
    Bad: a type that it does not take, and one without its domain
        --- values.yaml
        image: {repository: bitnami/kafka}
        listeners: {client: {protocol: PLAINTEXT}, interbroker: {protocol: PLAINTEXT}}
        externalAccess:
          enabled: true
          controller: {service: {type: Ingress}}
          broker: {service: {type: ClusterIP}}
    Bad: TLS without certificates
        --- values.yaml
        image: {repository: bitnami/kafka}
        controller: {replicaCount: 3}
        kraft: {enabled: true}
        listeners: {client: {protocol: SASL_SSL}, interbroker: {protocol: PLAINTEXT}}
    Bad: the mechanism between brokers is not enabled
        --- values.yaml
        image: {repository: bitnami/kafka}
        controller: {replicaCount: 3}
        kraft: {enabled: true}
        listeners: {client: {protocol: SASL_PLAINTEXT}, interbroker: {protocol: SASL_PLAINTEXT}}
        sasl: {enabledMechanisms: SCRAM-SHA-512, controllerMechanism: SCRAM-SHA-512}
    Bad: TLS without certificates, before 24.0
        --- values.yaml
        replicaCount: 3
        auth: {clientProtocol: tls, tls: {type: jks, jksTruststoreSecret: trust}}
    Bad: no protocol, and fewer Secrets than replicas, before 24.0
        --- values.yaml
        replicaCount: 3
        auth: {clientProtocol: mtls, interBrokerProtocol: ssl, tls: {existingSecrets: [kafka-0, kafka-1]}}
    Bad: neither discovery nor addresses, before 24.0
        --- values.yaml
        image: {repository: bitnami/kafka}
        replicaCount: 3
        externalAccess: {enabled: true, service: {type: LoadBalancer, port: 9094}}
    Bad: ZooKeeper and KRaft, which is the default
        --- values.yaml
        image: {repository: bitnami/kafka}
        broker: {replicaCount: 3}
        controller: {replicaCount: 0}
        zookeeper: {enabled: true}
    Bad: controllers, and no brokers, with ZooKeeper
        --- values.yaml
        image: {repository: bitnami/kafka}
        controller: {replicaCount: 3}
        kraft: {enabled: false}
        externalZookeeper: {servers: [zookeeper]}
    Bad: no mode
        --- values.yaml
        image: {repository: bitnami/kafka}
        broker: {replicaCount: 3}
        kraft: {enabled: false}
    Good: ZooKeeper
        --- values.yaml
        image: {repository: bitnami/kafka}
        broker: {replicaCount: 3}
        controller: {replicaCount: 0}
        kraft: {enabled: false}
        zookeeper: {enabled: true}
    Good: on the way to KRaft
        --- values.yaml
        image: {repository: bitnami/kafka}
        broker: {replicaCount: 3, zookeeperMigrationMode: true}
        controller: {replicaCount: 3, zookeeperMigrationMode: true}
        kraft: {enabled: true}
        zookeeper: {enabled: true}
    Good: one file for several charts
        --- values.yaml
        replicaCount: 2
        auth: {clientProtocol: mtls, interBrokerProtocol: mtls, tls: {type: pem, autoGenerated: true}}
    Good:
        --- values.yaml
        image: {repository: bitnami/kafka}
        controller: {replicaCount: 3}
        listeners: {client: {protocol: SASL_SSL}, interbroker: {protocol: PLAINTEXT}}
        tls: {existingSecret: kafka-stores}
        rbac: {create: true}
        externalAccess:
          enabled: true
          autoDiscovery: {enabled: true}
          controller: {service: {type: LoadBalancer}}
    Good: a port for each replica
        --- values.yaml
        image: {repository: bitnami/kafka}
        controller: {replicaCount: 2}
        listeners: {client: {protocol: PLAINTEXT}, interbroker: {protocol: PLAINTEXT}}
        externalAccess:
          enabled: true
          controller: {service: {type: NodePort, nodePorts: [30092, 30093]}}
    Good: another file may have the rest
        --- values.yaml
        image: {repository: bitnami/kafka}
        listeners: {client: {protocol: PLAINTEXT}, interbroker: {protocol: PLAINTEXT}}
        externalAccess: {enabled: true, autoDiscovery: {enabled: true}}
        --- values-prod.yaml
        rbac: {create: true}
    """
    yield from findings(document, "KC0158")

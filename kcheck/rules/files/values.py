"""KC00: values of charts that Helm hands to no template."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import WARNING, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0025", "values-below-chart-name", WARNING)
def values_below_chart_name(document: Faulty) -> Iterator[Finding]:
    """Values of a release are nested below the name of the chart that it installs.

    A chart reads its values at the top level. Only an umbrella chart has values below a name: those
    of the dependency that is called so. Reported for charts that have no dependency of their own
    name: Strimzi's operator and Drain Cleaner, Confluent for Kubernetes, and Bitnami's kafka.

    Bad: Flux
        --- strimzi.yaml
        apiVersion: helm.toolkit.fluxcd.io/v2
        kind: HelmRelease
        metadata: {name: strimzi, namespace: operators}
        spec:
          chart: {spec: {chart: strimzi-kafka-operator, sourceRef: {kind: HelmRepository, name: strimzi}}}
          values:
            strimzi-kafka-operator:
              watchAnyNamespace: true
    Bad: Argo CD
        --- kafka.yaml
        apiVersion: argoproj.io/v1alpha1
        kind: Application
        metadata: {name: events, namespace: argocd}
        spec:
          source:
            repoURL: registry-1.docker.io/bitnamicharts
            chart: kafka
            targetRevision: 32.0.0
            helm:
              values: |
                kafka:
                  overrideConfiguration: {min.insync.replicas: 2}
    Bad: Terraform
        --- strimzi.tf
        resource "helm_release" "strimzi" {
          name       = "strimzi"
          repository = "https://strimzi.io/charts"
          chart      = "strimzi-kafka-operator"
          values     = [yamlencode({ "strimzi-kafka-operator" = { watchAnyNamespace = true } })]
        }
    Good:
        --- strimzi.yaml
        apiVersion: helm.toolkit.fluxcd.io/v2
        kind: HelmRelease
        metadata: {name: strimzi, namespace: operators}
        spec:
          chart: {spec: {chart: strimzi-kafka-operator, sourceRef: {kind: HelmRepository, name: strimzi}}}
          values:
            watchAnyNamespace: true
    Good: an umbrella chart in the repository
        --- kafka.yaml
        apiVersion: helm.toolkit.fluxcd.io/v2
        kind: HelmRelease
        metadata: {name: events, namespace: shop}
        spec:
          chart: {spec: {chart: ./charts/kafka, sourceRef: {kind: GitRepository, name: bitnami}}}
          values:
            kafka:
              overrideConfiguration: {min.insync.replicas: 2}
    """
    yield from findings(document, "KC0025")


@rule("KC0026", "values-beside-alias", WARNING)
def values_beside_alias(document: Faulty) -> Iterator[Finding]:
    """Values for a dependency are below its name, but Chart.yaml gives it an alias.

    Helm passes the values below the alias to the dependency, and ignores those below its name.
    Reported if values of a Kafka chart are below the name, and nothing is below the alias.

    Bad:
        --- platform/Chart.yaml
        apiVersion: v2
        name: platform
        version: 0.1.0
        dependencies:
          - {name: kafka, alias: events, version: 32.0.0, repository: "oci://registry-1.docker.io/bitnamicharts"}
        --- platform/values.yaml
        kafka:
          controller: {replicaCount: 3}
          overrideConfiguration:
            min.insync.replicas: 2
    Good:
        --- platform/Chart.yaml
        apiVersion: v2
        name: platform
        version: 0.1.0
        dependencies:
          - {name: kafka, alias: events, version: 32.0.0, repository: "oci://registry-1.docker.io/bitnamicharts"}
        --- platform/values.yaml
        events:
          controller: {replicaCount: 3}
          overrideConfiguration:
            min.insync.replicas: 2
    Good: the chart is a dependency twice
        --- platform/Chart.yaml
        apiVersion: v2
        name: platform
        version: 0.1.0
        dependencies:
          - {name: kafka, version: 32.0.0, repository: "oci://registry-1.docker.io/bitnamicharts"}
          - {name: kafka, alias: events, version: 32.0.0, repository: "oci://registry-1.docker.io/bitnamicharts"}
        --- platform/values.yaml
        kafka:
          controller: {replicaCount: 3}
          overrideConfiguration:
            min.insync.replicas: 2
    """
    yield from findings(document, "KC0026")


@rule("KC0029", "values-outside-dependency", WARNING)
def values_outside_dependency(document: Faulty) -> Iterator[Finding]:
    """A value for a dependency is set at the top level of an umbrella chart's values.

    Helm passes to a dependency what stands below its name. Reported for values that only the chart of
    the dependency has, unless a template of the umbrella chart reads them.

    Bad: Confluent's chart
        --- values.yaml
        brokers: 1
        cp-zookeeper: {servers: 1}
        cp-schema-registry: {enabled: false}
        cp-kafka: {persistence: {size: 20Gi}}
    Bad: a dependency on Bitnami's
        --- platform/Chart.yaml
        apiVersion: v2
        name: platform
        version: 0.1.0
        dependencies:
          - {name: kafka, version: 28.3.0, repository: "oci://registry-1.docker.io/bitnamicharts"}
        --- platform/values.yaml
        kafka:
          controller: {replicaCount: 3}
        extraConfig: |
          min.insync.replicas=2
    Good:
        --- values.yaml
        cp-zookeeper: {servers: 1}
        cp-schema-registry: {enabled: false}
        cp-kafka: {brokers: 1, configurationOverrides: {offsets.topic.replication.factor: "1"}}
    Good: values of one part, with the addresses of others
        --- values.yaml
        brokers: 3
        configurationOverrides: {offsets.topic.replication.factor: "3"}
        cp-zookeeper: {url: "zookeeper:2181"}
        cp-schema-registry: {url: "http://registry:8081"}
    """
    yield from findings(document, "KC0029")

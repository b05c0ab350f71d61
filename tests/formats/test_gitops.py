"""Wrappers around objects and charts: values in several files, patches, objects inside of others."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.model import Document, Resource
from kcheck.settings import Settings
from kcheck.syntax import go_rendering


def read(path: str, files: dict[str, str]) -> Document:
    held = {name: dedent(text).encode() for name, text in files.items()}
    return formats.read(path, held[path], held.get)


def only(document: Document, kind: str = "broker") -> Resource:
    (found,) = [one for one in document.resources if one.kind == kind]
    return found


def lint(files: dict[str, str]) -> Project:
    held = {name: dedent(text).encode() for name, text in files.items()}
    return lint_project(held.items(), Settings(), held.get)


HELMFILE = {
    "deploy/helmfile.yaml": """\
        repositories:
          - name: bitnami
            url: https://charts.bitnami.com/bitnami
        releases:
          - name: events
            namespace: shop
            chart: bitnami/kafka
            values:
              - kafka/common.yaml
              - kafka/{{ .Environment.Name }}.yaml
              - overrideConfiguration:
                  min.insync.replicas: 2
            set:
              - name: controller.replicaCount
                value: 3
          - name: old
            installed: false
            chart: bitnami/kafka
            values: [{overrideConfiguration: {min.insync.replicas: 1}}]
        """,
    "deploy/kafka/common.yaml": """\
        # for all environments
        listeners:
          client: {protocol: PLAINTEXT}
        overrideConfiguration:
          min.insync.replicas: 1
          log.retention.hours: 48
        """,
}


def test_releases_of_a_helmfile_have_their_values_from_files() -> None:
    document = read("deploy/helmfile.yaml", HELMFILE)
    assert document.format == "helmfile"
    broker = only(document)
    assert (broker.name, broker.traits.namespace) == ("events", "shop")
    assert broker.traits.partial
    least, hours = broker.settings["min.insync.replicas"], broker.settings["log.retention.hours"]
    own, other = (dedent(HELMFILE[p]) for p in ("deploy/helmfile.yaml", "deploy/kafka/common.yaml"))
    assert (least.text, least.path, under(own, least.at)) == ("2", "deploy/helmfile.yaml", "2")
    assert (hours.text, hours.path) == ("48", "deploy/kafka/common.yaml")
    assert under(other, hours.at) == "48"
    assert under(other, hours.key_at) == "log.retention.hours"
    assert broker.facts["replicas"].text == "3"
    assert document.extent.covers == ("deploy/kafka/common.yaml",)


def test_text_in_a_file_of_values_has_its_place() -> None:
    files = {
        "helmfile.yaml": """\
            releases:
              - name: events
                chart: bitnami/kafka
                values: [values/a.yaml, values/b.yaml]
            """,
        "values/a.yaml": "controller: {replicaCount: 3}\n",
        "values/b.yaml": "x: 1\nextraConfig: |\n  min.insync.replicas=2\n",
    }
    least = only(read("helmfile.yaml", files)).settings["min.insync.replicas"]
    assert (least.path, under(files["values/b.yaml"], least.at)) == ("values/b.yaml", "2")


def test_what_depends_on_a_condition_is_left_out() -> None:
    text = """\
        releases:
        {{- range .Values.others }}
          - name: {{ .name }}
            chart: bitnami/kafka
        {{- end }}
          - name: k
            chart: bitnami/kafka
            {{ if .Values.zk._install }}needs: [zk]{{ end }}
            {{/* what {{ is }} said */}}
            values:
              - overrideConfiguration:
                  min.insync.replicas: {{ if .Values.small }}1{{ else }}2{{ end }}
                  log.retention.hours: 48
                  {{- with .Values.more }}
                  log.segment.bytes: {{ . }}
                  {{- end }}
        """
    document = read("helmfile.yaml", {"helmfile.yaml": text})
    broker = only(document)
    assert broker.traits.partial
    told = {key: one.text for key, one in broker.settings.items()}
    assert told == {"min.insync.replicas": None, "log.retention.hours": "48"}
    assert under(dedent(text), broker.settings["log.retention.hours"].at) == "48"


@pytest.mark.parametrize("text", ["{{ if a }}", "{{ end }}", "{{ a", "{{/* a }}", "{{" * 50_000])
def test_of_a_template_without_an_end_nothing_is_known(text: str) -> None:
    assert go_rendering.unscripted("a: 1\n" + text) == ("", False)


APPLICATION = """\
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata: {name: events, namespace: argocd}
    spec:
      destination: {namespace: shop}
      sources:
        - repoURL: registry-1.docker.io/bitnamicharts
          chart: kafka
          targetRevision: 32.0.0
          helm:
            valueFiles:
              - $values/envs/prod/kafka.yaml
        - repoURL: https://example.com/shop.git
          ref: values
    """


def test_an_application_takes_files_of_another_source() -> None:
    files = {
        "apps/events.yaml": APPLICATION,
        "envs/prod/kafka.yaml": "overrideConfiguration:\n  min.insync.replicas: 2\n",
    }
    least = only(read("apps/events.yaml", files)).settings["min.insync.replicas"]
    assert (least.text, least.path, least.at[0]) == ("2", "envs/prod/kafka.yaml", 2)


def test_an_application_of_a_chart_in_the_repository() -> None:
    files = {
        "apps/events.yaml": """\
            apiVersion: argoproj.io/v1alpha1
            kind: Application
            metadata: {name: events}
            spec:
              source:
                path: charts/kafka
                helm:
                  valueFiles: [values-prod.yaml]
                  parameters:
                    - name: kafka.overrideConfiguration.log\\.retention\\.hours
                      value: "24"
            """,
        "charts/kafka/values.yaml": "kafka:\n  overrideConfiguration:\n    min.insync.replicas: 1\n",
        "charts/kafka/values-prod.yaml": "kafka:\n  overrideConfiguration:\n    min.insync.replicas: 2\n",
    }
    broker = only(read("apps/events.yaml", files))
    assert {key: one.text for key, one in broker.settings.items()} == {
        "min.insync.replicas": "2",
        "log.retention.hours": "24",
    }
    project = lint(files)
    (cluster,) = [one for one in project.clusters if one.brokers]
    assert cluster.brokers[0]["log.retention.hours"].text == "24"


def test_values_of_a_config_map_lie_below_those_of_the_release() -> None:
    text = """\
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: kafka-values, namespace: shop}
        data:
          values.yaml: |
            overrideConfiguration:
              min.insync.replicas: 1
              log.retention.hours: 48
        ---
        apiVersion: helm.toolkit.fluxcd.io/v2
        kind: HelmRelease
        metadata: {name: events, namespace: shop}
        spec:
          chart: {spec: {chart: kafka}}
          valuesFrom:
            - {kind: ConfigMap, name: kafka-values}
          values:
            overrideConfiguration:
              min.insync.replicas: 2
        """
    broker = only(read("release.yaml", {"release.yaml": text}))
    told = {key: (one.text, under(dedent(text), one.at)) for key, one in broker.settings.items()}
    assert told == {"min.insync.replicas": ("2", "2"), "log.retention.hours": ("48", "48")}


OBJECTS = """\
    resource "kubernetes_manifest" "kafka" {
      manifest = {
        apiVersion = "kafka.strimzi.io/v1beta2"
        kind       = "Kafka"
        metadata   = { name = "core", labels = local.labels }
        spec = {
          kafka = {
            version = "4.0.0"
            config  = merge(local.config, { "min.insync.replicas" = 2 })
          }
        }
      }
    }
    """


def test_what_terraform_fills_in_is_unknown() -> None:
    broker = only(read("kafka.tf", {"kafka.tf": OBJECTS}))
    assert broker.traits.partial
    assert not broker.settings
    assert broker.facts["kafka_version"].text == "4.0.0"


@pytest.mark.parametrize("text", ["count = 0", "count = var.on ? 1 : 0", "for_each = var.topics"])
def test_a_manifest_may_not_be_there(text: str) -> None:
    file = """\
        resource "kubectl_manifest" "t" {
          %s
          yaml_body = <<YAML
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 3}
        YAML
        }
        """
    found = read("t.tf", {"t.tf": file % text}).resources
    assert [one.traits.conditional for one in found] == ([] if text == "count = 0" else [True])


def test_a_broken_text_is_located() -> None:
    text = 'resource "kubectl_manifest" "t" {\n  yaml_body = <<-Y\n    kind: Kafka\n    apiVersion: kafka.strimzi.io/v1\n    a: [\n  Y\n}\n'
    (problem,) = read("t.tf", {"t.tf": text}).problems
    assert problem.code == "KC0001"
    assert problem.at[0] in (5, 6)


def test_set_reaches_members_of_a_list() -> None:
    text = """\
        resource "helm_release" "kafka" {
          name       = "events"
          repository = "https://charts.bitnami.com/bitnami"
          chart      = "kafka"
          set {
            name  = "listeners.client.protocol"
            value = "PLAINTEXT"
          }
          set {
            name  = "provisioning.topics[0].name"
            value = "orders"
          }
          set {
            name  = "provisioning.topics[0].partitions"
            value = "6"
          }
        }
        """
    topic = only(read("kafka.tf", {"kafka.tf": text}), "topic")
    assert (topic.name, topic.facts["partitions"].text) == ("orders", "6")
    assert under(dedent(text), topic.facts["partitions"].at).strip('"') == "6"


BASE = """\
    apiVersion: kafka.strimzi.io/v1beta2
    kind: Kafka
    metadata: {name: core, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: enabled}}
    spec:
      kafka:
        version: 4.0.0
        config: {min.insync.replicas: 2, default.replication.factor: 3}
    """


@pytest.mark.parametrize(
    "patch",
    [
        "patches:\n- patch: |-\n    apiVersion: kafka.strimzi.io/v1beta2\n    kind: Kafka\n"
        "    metadata: {name: core}\n    spec: {kafka: {config: {min.insync.replicas: 1}}}\n",
        "patches:\n- target: {kind: Kafka, name: core}\n  patch: |-\n    - op: replace\n"
        "      path: /spec/kafka/config/min.insync.replicas\n      value: 1\n",
        "patches:\n- target: {kind: Kafka, name: core}\n  path: ops.yaml\n",
    ],
)
def test_a_patch_lies_over_the_base(patch: str) -> None:
    files = {
        "base/kustomization.yaml": "resources: [kafka.yaml]\n",
        "base/kafka.yaml": BASE,
        "dev/kustomization.yaml": "resources: [../base]\n" + patch,
        "dev/ops.yaml": "- op: replace\n  path: /spec/kafka/config/min.insync.replicas\n  value: 1\n",
    }
    project = lint(files)
    (cluster,) = [one for one in project.clusters if one.brokers]
    broker = cluster.brokers[0]
    assert broker["min.insync.replicas"].text == "1"
    assert broker["default.replication.factor"].text == "3"


OPERATIONS = {
    "base/kustomization.yaml": "resources: [kafka.yaml]\n",
    "base/kafka.yaml": """\
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            config: {min.insync.replicas: 2, log.retention.hours: 48}
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false}
        """,
    "components/security/kustomization.yaml": """\
        kind: Component
        resources: [user.yaml]
        patches:
          - target: {group: kafka.strimzi.io, kind: Kafka, name: core}
            path: patch.yaml
        """,
    "components/security/user.yaml": """\
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaUser
        metadata: {name: admin, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: scram-sha-512}}
        """,
    "components/security/patch.yaml": """\
        - op: add
          path: /spec/kafka/listeners/0/authentication
          value: {type: scram-sha-512}
        - op: remove
          path: /spec/kafka/config/log.retention.hours
        """,
    "prod/kustomization.yaml": """\
        resources: [../base]
        components: [../components/security]
        patches:
          - target: {kind: Kafka, name: c.*}
            patch: |-
              - {op: replace, path: /spec/kafka/config/min.insync.replicas, value: 1}
        """,
}


def test_operations_of_components_are_followed() -> None:
    project = lint(OPERATIONS)
    (cluster,) = [one for one in project.clusters if one.brokers]
    broker = cluster.brokers[0]
    assert broker["min.insync.replicas"].text == "1"
    assert broker["log.retention.hours"].setting is None
    made = broker.resource.facts["listeners.plain.authentication"]
    assert (made.text, made.path, made.at[0]) == (
        "scram-sha-512",
        "components/security/patch.yaml",
        3,
    )
    assert "KC0459" not in [one.code for one in project.findings]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # An operation that fits nothing, a target that selects by labels, and replacements.
        ("listeners/0/authentication", "listeners/7/authentication"),
        ("name: core}\n            path", "labelSelector: a=b}\n            path"),
        ("components: [", "replacements: [{path: r.yaml}]\n        components: ["),
    ],
)
def test_what_cannot_be_followed_leaves_values_unknown(old: str, new: str) -> None:
    files = {path: text.replace(old, new) for path, text in OPERATIONS.items()}
    assert files != OPERATIONS
    project = lint(files)
    (cluster,) = [one for one in project.clusters if one.brokers]
    assert not cluster.brokers[0]["min.insync.replicas"].known
    assert "KC0459" not in [one.code for one in project.findings]


def test_a_workload_is_patched_by_names() -> None:
    files = {
        "base/kustomization.yaml": "resources: [kafka.yaml]\n",
        "base/kafka.yaml": """\
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: env}
            data: {KAFKA_LOG_RETENTION_HOURS: "48"}
            ---
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: kafka}
            spec:
              template:
                spec:
                  containers:
                    - name: kafka
                      image: apache/kafka:4.0.0
                      envFrom: [{configMapRef: {name: env}}]
                      env:
                        - {name: KAFKA_MIN_INSYNC_REPLICAS, value: "2"}
                        - {name: KAFKA_NUM_PARTITIONS, value: "3"}
            """,
        "dev/kustomization.yaml": """\
            resources: [../base]
            patches:
              - patch: |-
                  apiVersion: apps/v1
                  kind: StatefulSet
                  metadata: {name: kafka}
                  spec:
                    template:
                      spec:
                        containers:
                          - name: kafka
                            env: [{name: KAFKA_MIN_INSYNC_REPLICAS, value: "1"}]
            """,
    }
    broker = only(read("dev/kustomization.yaml", files))
    told = {key: (one.text, one.path) for key, one in broker.settings.items()}
    assert told == {
        "min.insync.replicas": ("1", "dev/kustomization.yaml"),
        "num.partitions": ("3", "base/kafka.yaml"),
        "log.retention.hours": ("48", "base/kafka.yaml"),
    }
    (cluster,) = [one for one in lint(files).clusters if one.brokers]
    assert cluster.brokers[0]["min.insync.replicas"].text == "1"


def test_kustomizations_that_name_each_other_end() -> None:
    files = {
        f"{one}/kustomization.yaml": f"resources: [../{other}]\ncomponents: [../{other}]\n"
        "patches:\n- {patch: '[{op: add, path: /spec/a, value: 1}]', target: {kind: Kafka}}\n"
        for one, other in (("a", "b"), ("b", "a"))
    }
    assert read("a/kustomization.yaml", files).resources == []


def test_resources_of_terraforms_own_are_objects() -> None:
    text = """\
        resource "kubernetes_stateful_set_v1" "kafka" {
          metadata {
            name      = "kafka"
            namespace = "events"
          }
          spec {
            service_name = "kafka"
            replicas     = 3
            template {
              spec {
                container {
                  name  = "kafka"
                  image = "apache/kafka:4.0.0"
                  env {
                    name  = "KAFKA_MIN_INSYNC_REPLICAS"
                    value = "2"
                  }
                  env {
                    name  = "KAFKA_LOG_DIRS"
                    value = var.dirs
                  }
                }
              }
            }
          }
        }
        """
    broker = only(read("kafka.tf", {"kafka.tf": text}))
    least = broker.settings["min.insync.replicas"]
    assert (least.text, under(dedent(text), least.at).strip('"')) == ("2", "2")
    assert (broker.facts["replicas"].text, broker.traits.namespace) == ("3", "events")
    assert broker.settings["log.dirs"].text is None


def test_variables_come_from_a_generated_map() -> None:
    files = {
        "kustomization.yaml": """\
            resources: [kafka.yaml]
            configMapGenerator:
              - name: kafka-env
                envs: [kafka.env]
              - name: more
                literals:
                  - KAFKA_LOG_RETENTION_HOURS=48
            """,
        "kafka.env": "# replicas\nKAFKA_MIN_INSYNC_REPLICAS=2\n",
        "kafka.yaml": """\
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: kafka}
            spec:
              template:
                spec:
                  containers:
                    - name: kafka
                      image: apache/kafka:4.0.0
                      envFrom:
                        - configMapRef: {name: kafka-env}
                        - configMapRef: {name: more}
            """,
    }
    broker = only(read("kafka.yaml", files))
    for key, path, text in (
        ("min.insync.replicas", "kafka.env", "2"),
        ("log.retention.hours", "kustomization.yaml", "48"),
    ):
        found = broker.settings[key]
        assert (found.text, found.path, under(dedent(files[path]), found.at)) == (text, path, text)


def test_variables_of_confluents_chart_are_settings() -> None:
    text = """\
        cp-kafka:
          brokers: 3
          configurationOverrides:
            min.insync.replicas: 1
          customEnv:
            KAFKA_MIN_INSYNC_REPLICAS: "2"
            KAFKA_HEAP_OPTS: -Xmx1g
            TZ: UTC
        """
    broker = only(read("values.yaml", {"values.yaml": text}))
    least = broker.settings["min.insync.replicas"]
    assert (least.text, least.name) == ("2", "KAFKA_MIN_INSYNC_REPLICAS")
    assert broker.settings.keys() == {"min.insync.replicas"}


@pytest.mark.parametrize(
    "text",
    [
        # A nest, a chain of settings, a route without an end, and a template without one.
        'resource "kubernetes_manifest" "k" {\n  manifest = '
        + "{ a = " * 300
        + "1"
        + " }" * 300
        + "\n}\n# strimzi.io/",
        'resource "helm_release" "k" {\n  chart = "kafka"\n'
        + '  set {\n    name = "a.b"\n    value = "1"\n  }\n' * 3000
        + "}\n",
        'resource "helm_release" "k" {\n  chart = "kafka"\n  set {\n    name = "'
        + "a." * 50_000
        + '"\n    value = "1"\n  }\n}\n',
        'resource "kubectl_manifest" "k" {\n  yaml_body = <<Y\n# strimzi.io/\n'
        + "a: ${" * 20_000
        + "\nY\n}\n",
    ],
    ids=["nest", "settings", "route", "template"],
)
def test_hostile_terraform_ends(text: str) -> None:
    assert read("k.tf", {"k.tf": text}).resources == []


def test_a_helmfile_that_names_itself_ends() -> None:
    text = (
        "releases:\n  - name: k\n    chart: bitnami/kafka\n    values: ["
        + "helmfile.yaml, " * 500
        + "]\n"
    )
    assert read("helmfile.yaml", {"helmfile.yaml": text}).resources == []


def test_a_release_has_values_of_a_generated_map() -> None:
    files = {
        "kafka/kustomization.yaml": """\
            resources: [release.yaml]
            configMapGenerator:
              - {name: kafka-values, files: [values.yaml=values-kafka.yaml]}
            configurations: [names.yaml]
            """,
        "kafka/values-kafka.yaml": "overrideConfiguration:\n  min.insync.replicas: 2\n",
        "kafka/release.yaml": """\
            apiVersion: helm.toolkit.fluxcd.io/v2
            kind: HelmRelease
            metadata: {name: events, namespace: shop}
            spec:
              chart: {spec: {chart: kafka}}
              valuesFrom: [{kind: ConfigMap, name: kafka-values}]
            """,
    }
    broker = only(read("kafka/release.yaml", files))
    least = broker.settings["min.insync.replicas"]
    assert (least.path, broker.traits.namespace) == ("kafka/values-kafka.yaml", "shop")


def test_a_target_names_the_resource_of_a_patch() -> None:
    piece = (
        "apiVersion: kafka.strimzi.io/v1beta2\n    kind: KafkaTopic\n"
        "    metadata: {name: whatever}\n    spec: {partitions: 3}\n"
    )
    text = "resources: [../base]\npatches:\n- target: {%s}\n  patch: |-\n    " + piece
    path = "dev/kustomization.yaml"
    found = read(path, {path: text % "kind: KafkaTopic, name: orders"}).resources
    assert [(one.kind, one.name) for one in found] == [("topic", "orders")]
    for target in ("kind: KafkaTopic", "kind: KafkaTopic, name: 'ord.*'", "kind: Kafka, name: a"):
        assert read(path, {path: text % target}).resources == []


def test_numbers_of_terraform_are_no_wrong_strings() -> None:
    text = """\
        resource "kubernetes_manifest" "kafka" {
          manifest = {
            apiVersion = "apps/v1"
            kind       = "StatefulSet"
            metadata   = { name = "kafka", labels = { version = 4 } }
            spec = { template = { spec = { containers = [{
              name  = "kafka"
              image = "apache/kafka:4.0.0"
              env   = [{ name = "KAFKA_NUM_PARTITIONS", value = 3 }]
            }] } } }
          }
        }
        """
    document = read("kafka.tf", {"kafka.tf": text})
    assert only(document).settings["num.partitions"].text == "3"
    assert [one.code for one in document.problems if one.code == "KC0118"] == []


def test_locals_are_put_into_a_text() -> None:
    text = """\
        locals {
          name = "core"
          long = "a-name-that-is-longer-than-what-stands-for-it"
        }
        resource "kubectl_manifest" "t" {
          yaml_body = <<-YAML
            apiVersion: kafka.strimzi.io/v1beta2
            kind: KafkaTopic
            metadata: {name: ${local.long}, labels: {strimzi.io/cluster: ${local.name}}}
            spec: {partitions: 3, config: {retention.ms: 1000}}
          YAML
        }
        """
    own = dedent(text)
    topic = only(read("t.tf", {"t.tf": text}), "topic")
    assert (topic.name, topic.cluster) == ("a-name-that-is-longer-than-what-stands-for-it", "core")
    assert under(own, topic.at) == "${local.long}"
    assert under(own, topic.settings["retention.ms"].at) == "1000"


def test_a_file_may_stand_in_a_text() -> None:
    files = {
        "infra/kafka.tf": """\
            resource "helm_release" "kafka" {
              name   = "events"
              chart  = "bitnami/kafka"
              values = ["${file("${path.module}/values/kafka.yaml")}"]
            }
            """,
        "infra/values/kafka.yaml": "extraConfig: |\n  min.insync.replicas=2\n",
    }
    least = only(read("infra/kafka.tf", files)).settings["min.insync.replicas"]
    assert (least.path, under(files["infra/values/kafka.yaml"], least.at)) == (
        "infra/values/kafka.yaml",
        "2",
    )


def test_a_helmfile_with_pieces_of_others_is_read() -> None:
    files = {
        "helmfile.d/10.yaml": """\
            bases:
            - ../environments.yaml
            ---
            {{ readFile "../templates.yaml" }}

            releases:
              - name: events
                chart: charts/cp-kafka
                <<: *defaults
                values:
                  - "../etc/kafka/values.yaml"
                  - {{ .Values.kafka | toYaml | indent 8 | trim }}
                set:
                  - name: brokers
                    value: {{ .Values.brokers }}
            """,
        "etc/kafka/values.yaml": """\
            customEnv:
              KAFKA_LOG_RETENTION_HOURS: "730"
              KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE: "true"
            persistence: {size: 2Gi}
            """,
    }
    broker = only(read("helmfile.d/10.yaml", files))
    assert broker.traits.partial
    hours = broker.settings["log.retention.hours"]
    assert (hours.text, hours.path) == ("730", "etc/kafka/values.yaml")
    assert broker.facts["replicas"].text is None


def test_the_rest_proxys_values_are_no_brokers() -> None:
    text = """\
        image: {repository: confluentinc/cp-kafka-rest, tag: 8.0.0}
        configurationOverrides:
          client.security.protocol: SASL_PLAINTEXT
        customEnv: {}
        """
    assert read("values.yaml", {"values.yaml": text}).resources == []


def test_a_dependency_around_strimzi_has_its_values_below_its_name() -> None:
    text = """\
        strimzi-kafka:
          kafka:
            version: 4.0.0
            config:
              offsets.retention.minutes: 43200
        """
    broker = only(read("values-prod.yaml", {"values-prod.yaml": text}))
    assert broker.settings["offsets.retention.minutes"].text == "43200"

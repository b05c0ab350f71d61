"""Changes of kustomize that are no patches: images, replicas, replacements, vars, generated maps."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.model import Document, Resource
from kcheck.settings import Settings

BROKER = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka}
spec:
  replicas: 1
  template:
    spec:
      containers:
        - name: kafka
          image: IMAGE
          env:
            - {name: KAFKA_NODE_ID, value: "1"}
            - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
            - {name: KAFKA_MIN_INSYNC_REPLICAS, value: "1"}
"""
TOPIC = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: orders}
spec:
  partitions: 3
  config: {min.insync.replicas: 2}
"""
SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {isr: "1", hosts: "a:b:c"}
"""
APP = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  template:
    spec:
      containers:
        - name: app
          image: org/app:1
          envFrom: [{configMapRef: {name: env}}]
"""


def read(text: str, files: dict[str, str], path: str = "kustomization.yaml") -> Document:
    held = {name: one.encode() for name, one in files.items()}
    return formats.read(path, text.encode(), held.get)


def lint(files: dict[str, str]) -> Project:
    held = {name: one.encode() for name, one in files.items()}
    project = lint_project(held.items(), Settings(), held.get)
    assert project.failures == []
    return project


def only(document: Document) -> Resource:
    (found,) = document.resources
    return found


def test_an_image_gets_its_name_and_tag_where_they_are_written() -> None:
    text = "resources: [kafka.yaml]\nimages:\n  - name: kafka\n    newName: mirror/apache/kafka\n    newTag: 3.9.0\n"
    found = only(read(text, {"kafka.yaml": BROKER.replace("IMAGE", "kafka")}))
    assert found.facts["image"].text == "mirror/apache/kafka:3.9.0"
    assert (found.facts["image"].path, found.facts["image"].at[0]) == ("kustomization.yaml", 5)
    assert found.settings["min.insync.replicas"].path == "kafka.yaml"


@pytest.mark.parametrize(
    ("entry", "image"),
    [
        ("{name: apache/kafka, newTag: 4.0.0}", "apache/kafka:4.0.0"),
        ("{name: apache/kafka, newName: r/apache/kafka}", "r/apache/kafka:3.7.0"),
        ("{name: apache/kafka, digest: 'sha256:ab'}", "apache/kafka@sha256:ab"),
        ("{name: 'host:5000/apache/kafka', newTag: 4.0.0}", None),
        ("{name: kafka, newTag: 4.0.0}", None),
    ],
)
def test_an_image_is_changed_by_its_whole_name(entry: str, image: str | None) -> None:
    text = f"resources: [kafka.yaml]\nimages: [{entry}]\n"
    read_ = read(text, {"kafka.yaml": BROKER.replace("IMAGE", "apache/kafka:3.7.0")})
    assert [one.facts["image"].text for one in read_.resources] == ([image] if image else [])


def test_replicas_of_workloads_are_those_of_the_kustomization() -> None:
    text = "resources: [kafka.yaml]\nreplicas: [{name: kafka, count: 3}, {name: other, count: 5}]\n"
    found = only(read(text, {"kafka.yaml": BROKER.replace("IMAGE", "apache/kafka:3.7.0")}))
    assert (found.facts["replicas"].text, found.facts["replicas"].path) == (
        "3",
        "kustomization.yaml",
    )


def test_replicas_of_custom_resources_are_left_alone() -> None:
    text = "resources: [t.yaml]\nreplicas: [{name: orders, count: 3}]\n"
    assert read(text, {"t.yaml": TOPIC}).resources == []


REPLACED = """\
resources: [t.yaml, settings.yaml]
replacements:
  - source: {kind: ConfigMap, name: settings, fieldPath: data.isr}
    targets:
      - select: {kind: KafkaTopic}
        fieldPaths: ['spec.config.[min.insync.replicas]']
"""
FILES = {"t.yaml": TOPIC, "settings.yaml": SETTINGS}


def test_a_replacement_puts_a_value_in_the_place_of_another() -> None:
    found = only(read(REPLACED, FILES)).settings["min.insync.replicas"]
    assert (found.text, found.path, found.at[0]) == ("1", "settings.yaml", 4)


def test_a_replacement_may_be_a_file() -> None:
    head, _, tail = REPLACED.partition("replacements:\n")
    item = "\n".join(line[4:] for line in tail.splitlines()).replace("source", "source")
    text = head + "replacements: [{path: r.yaml}]\n"
    for replacement in (item, "- " + item.replace("\n", "\n  ")):
        found = only(read(text, {**FILES, "r.yaml": replacement}))
        assert found.settings["min.insync.replicas"].text == "1"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.config.min\\.insync\\.replicas", "1"),
        ("spec.config.[retention.ms]", None),
        ("spec.partitions", "2"),
    ],
)
def test_paths_of_replacements(path: str, value: str | None) -> None:
    text = REPLACED.replace("spec.config.[min.insync.replicas]", path)
    found = read(text, FILES).resources
    if value is None:
        # kustomize refuses a field that is not there.
        assert found == []
    else:
        assert only(read(text, FILES)).settings["min.insync.replicas"].text == value


@pytest.mark.parametrize(
    ("options", "value"),
    [("{delimiter: '/', index: 0}", "1/b"), ("{delimiter: '/', index: 5}", "a/b/1")],
)
def test_a_part_of_a_value_is_replaced(options: str, value: str) -> None:
    text = REPLACED + f"        options: {options}\n"
    files = {**FILES, "t.yaml": TOPIC.replace("replicas: 2", "replicas: a/b")}
    assert only(read(text, files)).settings["min.insync.replicas"].text == value


def test_what_a_replacement_takes_from_elsewhere_is_unknown() -> None:
    text = REPLACED.replace("name: settings,", "name: absent,")
    assert only(read(text, FILES)).settings["min.insync.replicas"].text is None


@pytest.mark.parametrize("fault", ["spec.config.*", ""])
def test_what_a_replacement_may_change_and_is_not_followed_is_unknown(fault: str) -> None:
    made = read(REPLACED.replace("spec.config.[min.insync.replicas]", fault), FILES).kustomize
    assert made is not None
    assert [(one.kind, one.name, one.taken) for one in made.patches] == [
        ("KafkaTopic", "orders", False)
    ]


def test_the_names_that_a_prefix_changes_are_no_source() -> None:
    text = "namePrefix: dev-\n" + REPLACED.replace(", fieldPath: data.isr", "")
    assert only(read(text, FILES)).settings["min.insync.replicas"].text is None


def test_vars_are_put_in() -> None:
    text = """\
resources: [kafka.yaml, s.yaml]
vars:
  - name: ISR
    objref: {kind: ConfigMap, name: settings, apiVersion: v1}
    fieldref: {fieldpath: data.isr}
"""
    broker = BROKER.replace("IMAGE", "apache/kafka:3.7.0").replace(
        'REPLICAS, value: "1"', 'REPLICAS, value: "$(ISR)"'
    )
    found = only(read(text, {"kafka.yaml": broker, "s.yaml": SETTINGS}))
    assert found.settings["min.insync.replicas"].text == "1"


GENERATED = """\
resources: [app.yaml]
configMapGenerator:
  - name: env
    literals: [SPRING_KAFKA_BOOTSTRAP_SERVERS=k:9092, SPRING_KAFKA_PRODUCER_ACKS=all]
"""


def test_variables_of_a_generated_map_are_those_of_the_workload() -> None:
    found = only(read(GENERATED, {"app.yaml": APP}))
    assert (found.kind, found.settings["acks"].text) == ("producer", "all")
    assert found.settings["acks"].at[0] == 4


def test_a_generated_map_is_merged_into_that_of_a_base() -> None:
    text = """\
resources: [../base]
configMapGenerator: [{name: env, behavior: merge, literals: [SPRING_KAFKA_PRODUCER_ACKS=1]}]
"""
    files = {"base/kustomization.yaml": GENERATED, "base/app.yaml": APP}
    found = only(read(text, files, "prod/kustomization.yaml"))
    assert {key: one.text for key, one in found.settings.items()} == {
        "bootstrap.servers": "k:9092",
        "acks": "1",
    }
    assert found.settings["bootstrap.servers"].path == "base/kustomization.yaml"


def test_many_replacements_end_with_nothing_known() -> None:
    paths = ", ".join(["spec.partitions"] * 3000)
    text = REPLACED.replace("'spec.config.[min.insync.replicas]'", paths)
    assert read(text, FILES).resources == []


def test_what_replace_does_not_find_is_set_all_the_same() -> None:
    text = """\
resources: [t.yaml]
patches:
  - target: {kind: KafkaTopic}
    patch: '[{"op": "replace", "path": "/spec/config/retention.ms", "value": 5}]'
"""
    assert only(read(text, FILES)).settings["retention.ms"].text == "5"


def test_a_component_is_built_by_those_that_list_it() -> None:
    component = """\
kind: Component
resources: [t.yaml]
replacements:
  - source: {kind: ConfigMap, name: settings, fieldPath: data.isr}
    targets: [{select: {kind: KafkaTopic}, fieldPaths: [metadata.name]}]
"""
    files = {
        "c/kustomization.yaml": component,
        "c/t.yaml": TOPIC.replace("orders", "NAME"),
        "app/settings.yaml": SETTINGS,
    }
    assert read(component, files, "c/kustomization.yaml").resources == []
    text = "resources: [settings.yaml]\ncomponents: [../c]\n"
    project = lint({**files, "app/kustomization.yaml": text})
    topics = [one.name for cluster in project.clusters for one in cluster.topics]
    # The name that stands in the component is nobody's.
    assert topics == ["1"]
    assert [one.code for one in project.findings if one.code == "KC0163"] == []


def test_operations_of_a_component_are_not_unknown_to_those_that_list_it() -> None:
    files = {
        "kustomization.yaml": "resources: [t.yaml, u.yaml]\ncomponents: [c]\n",
        "t.yaml": TOPIC,
        "u.yaml": TOPIC.replace("orders", "others"),
        "c/kustomization.yaml": """\
kind: Component
patches:
  - target: {kind: KafkaTopic, name: orders}
    patch: '[{"op": "replace", "path": "/spec/config/min.insync.replicas", "value": 1}]'
""",
    }
    topics = {
        one.name: one.resource.settings["min.insync.replicas"].text
        for cluster in lint(files).clusters
        for one in cluster.topics
    }
    assert topics == {"orders": "1", "others": "2"}


def test_a_file_that_an_init_container_copies_is_completed_there() -> None:
    server = "process.roles=broker,controller\ncontroller.quorum.voters=0@k:9093\ncontroller.listener.names=C\n"
    workload = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka}
spec:
  template:
    spec:
      volumes: [{name: v, configMap: {name: conf}}]
      initContainers: [{name: init, image: busybox}]
      containers: [{name: kafka, image: org/kafka}]
"""
    files = {
        "k/kustomization.yaml": "resources: [s.yaml]\nconfigMapGenerator: [{name: conf, files: [configs/server.properties]}]\n",
        "k/s.yaml": workload,
        "k/configs/server.properties": server,
    }
    assert "KC1102" not in {one.code for one in lint(files).findings}
    files["k/s.yaml"] = workload.replace("initContainers", "ephemeralContainers")
    assert "KC1102" in {one.code for one in lint(files).findings}


def test_a_map_of_a_base_is_replaced_for_the_workloads_that_draw_it() -> None:
    conf = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata:\n  SPRING_KAFKA_BOOTSTRAP_SERVERS: a:1\n"
    text = """\
resources: [../base]
patches: [{target: {kind: Namespace}, patch: '[{"op": "add", "path": "/a", "value": b}]'}]
configMapGenerator:
  - {name: env, behavior: replace, literals: [SPRING_KAFKA_BOOTSTRAP_SERVERS=b:2]}
"""
    files = {
        "base/kustomization.yaml": "resources: [app.yaml, conf.yaml]\n",
        "base/app.yaml": APP,
        "base/conf.yaml": conf,
        "prod/kustomization.yaml": text,
    }
    assert [one.name for one in read(text, files, "prod/kustomization.yaml").resources] == ["app"]
    for app in (APP, APP.replace("org/app", "kafka-app")):
        clients = [c for one in lint({**files, "base/app.yaml": app}).clusters for c in one.clients]
        assert {c.resource.settings["bootstrap.servers"].text for c in clients} >= {"b:2"}

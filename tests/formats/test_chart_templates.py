"""Templates of a chart are read with its values, as far as plain substitution goes."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.formats import unread
from kcheck.model import PASSED_OVER, READ, SKIPPED, Derived, Document, Setting

CHART = "charts/orders/"
VALUES = """\
topic:
  name: orders
  partitions: 12
  retention: 604800000
  isr: ""
enabled: true
tiered: false
image: confluentinc/cp-kafka-connect:7.6.0
"""


def read(
    template: str, values: str | None = VALUES, name: str = "templates/topic.yaml"
) -> Document:
    files = {f"{CHART}Chart.yaml": b"name: orders\n"}
    if values is not None:
        files[f"{CHART}values.yaml"] = values.encode()
    return formats.read(CHART + name, template.encode(), files.get)


def setting(document: Document, key: str) -> Setting:
    (resource,) = document.resources
    return {**resource.facts, **resource.settings}[key]


TOPIC = """\
{{- if .Values.enabled }}
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: {{ .Values.topic.name }}
  labels: {strimzi.io/cluster: core}
spec:
  partitions: {{ .Values.topic.partitions | int }}
  replicas: 3
  config:
    retention.ms: {{ .Values.topic.retention | int64 | quote }}
    min.insync.replicas: 2
    {{- if .Values.tiered }}
    remote.storage.enable: true
    {{- else }}
    remote.storage.enable: false
    {{- end }}
{{- end }}
"""


def test_values_take_their_places_and_tell_where_they_stand() -> None:
    document = read(TOPIC)
    (topic,) = document.resources
    assert (topic.kind, topic.name, topic.cluster) == ("topic", "orders", "core")
    retention = setting(document, "retention.ms")
    assert (retention.text, retention.path, retention.at[0]) == (
        "604800000",
        f"{CHART}values.yaml",
        4,
    )
    # What stands in another form there is not for a fix to edit.
    assert isinstance(retention, Derived)
    written = setting(document, "min.insync.replicas")
    assert (written.path, written.at[0], written.text) == (document.path, 12, "2")
    assert setting(document, "remote.storage.enable").text == "false"
    assert not topic.traits.partial


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        (".Values.large", "1.073741824e+10"),
        (".Values.large | quote", "1.073741824e+10"),
        (".Values.absent | default .Values.large", "1.073741824e+10"),
        ('printf "%v" .Values.large', "1.073741824e+10"),
        (".Values.round", "1e+06"),
        (".Values.small", "999999"),
        (".Values.quoted", "10737418240"),
        (".Values.large | int64", "10737418240"),
        ("int .Values.large", "10737418240"),
        (".Values.large | int64 | quote", "10737418240"),
    ],
)
def test_helm_writes_large_numbers_as_floats(expression: str, shown: str) -> None:
    """helm/helm#1707, #12195: each number of a values file is a float of 64 bits."""
    template = (
        "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: orders}\n"
        f"spec:\n  config:\n    retention.bytes: {{{{ {expression} }}}}\n"
    )
    values = "large: 10737418240\nround: 1000000\nsmall: 999999\nquoted: '10737418240'\n"
    files = {f"{CHART}Chart.yaml": b"name: app\n", f"{CHART}values.yaml": values.encode()}
    document = formats.read(f"{CHART}templates/topic.yaml", template.encode(), files.get)
    told = setting(document, "retention.bytes")
    assert told.text == shown


def test_what_is_not_known_leaves_the_resource_in_part() -> None:
    template = TOPIC.replace("{{- else }}", "{{- else if .Release.IsUpgrade }}")
    document = read(template)
    (topic,) = document.resources
    assert topic.traits.partial
    assert "remote.storage.enable" not in topic.settings
    helper = TOPIC.replace("    min.insync.replicas: 2\n", '    {{- include "more" . }}\n')
    assert read(helper).resources[0].traits.partial


def test_an_empty_value_is_there_to_be_filled_in() -> None:
    document = read(
        TOPIC.replace("min.insync.replicas: 2", "min.insync.replicas: {{ .Values.topic.isr }}")
    )
    (topic,) = document.resources
    unknown = topic.settings.get("min.insync.replicas")
    assert unknown is None or unknown.text is None
    assert topic.traits.partial


def test_a_document_that_is_switched_off_is_not_there() -> None:
    document = read(TOPIC.replace(".Values.enabled", ".Values.tiered"))
    assert document.resources == []
    # One that nobody knows to be on or off may be there.
    assert len(read(TOPIC.replace(".Values.enabled", ".Release.IsInstall")).resources) == 1


@pytest.mark.parametrize(
    ("condition", "there"),
    [
        ("((.Values.topic).name)", True),
        ("(($.Values.more).name)", False),
        ("(((.Values).topic).isr)", False),
        ("and .Values.enabled (.Values.topic).partitions", True),
    ],
)
def test_a_field_of_what_may_be_missing(condition: str, there: bool) -> None:
    document = read(TOPIC.replace(".Values.enabled", condition))
    assert bool(document.resources) is there


def test_documents_stay_apart_whatever_stands_between_them() -> None:
    second = TOPIC.replace(".Values.topic.name", "derive .Values.topic.name")
    document = read(f"{TOPIC}{{{{- range .Values.more }}}}\n---\n{{{{ end }}}}\n---\n{second}")
    assert [resource.name for resource in document.resources] == [
        "orders",
        "${derive-.Values.topic.name___}",
    ]


def test_outside_of_a_chart_the_literal_rest_is_read() -> None:
    document = formats.read("templates/topic.yaml", TOPIC.encode(), lambda _: None)
    (topic,) = document.resources
    assert {key: one.text for key, one in topic.settings.items()} == {
        "retention.ms": None,
        "min.insync.replicas": "2",
    }
    assert topic.traits.partial
    # Jinja's are another language.
    document = formats.read("templates/topic.yaml", TOPIC.encode() + b"# {% x %}\n", lambda _: None)
    assert (document.status, document.resources) == (SKIPPED, [])


def test_without_values_the_literal_rest_is_read() -> None:
    document = read(TOPIC, values=None)
    (topic,) = document.resources
    assert topic.settings["min.insync.replicas"].text == "2"
    assert topic.traits.partial


def test_what_stays_no_yaml_is_skipped() -> None:
    document = read(
        "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\n{{ if }}\n  a: [\n{{ end }}\n b: {\n"
    )
    assert document.status in (SKIPPED, PASSED_OVER)
    assert document.problems == []


def test_hostile_templates_end() -> None:
    read("apiVersion: kafka.strimzi.io/v1\n" + "{{ if .Values.enabled }}\n" * 20_000)
    read("apiVersion: kafka.strimzi.io/v1\n{{ " + "(" * 100_000 + " }}\n")
    read("kind: Kafka # kafka.strimzi.io/\n" + "{{" * 100_000)


BROKER = """\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: kafka
  labels: {{- include "common.labels" . | nindent 4 }}
    app: kafka
spec:
  template:
    spec:
      {{- include "common.pullSecrets" . }}
      affinity:
        podAffinity: {{- include "common.affinity" . | nindent 10 }}
      containers:
        - name: kafka
          image: confluentinc/cp-kafka:7.6.0
          env:
            {{- include "orders.env" . | nindent 12 }}
            - name: KAFKA_NODE_ID
              value: "1"
            {{- if .Values.tiered }}
            - name: KAFKA_REMOTE_LOG_STORAGE_SYSTEM_ENABLE
              value: "true"
            {{- end }}
"""
ENV = '{{- define "orders.env" -}}\n- name: KAFKA_PROCESS_ROLES\n  value: broker\n{{- end -}}\n'


def broker(files: dict[str, bytes], text: str = BROKER) -> Document:
    files = {f"{CHART}Chart.yaml": b"name: o\n", f"{CHART}values.yaml": VALUES.encode(), **files}
    path = f"{CHART}templates/kafka.yaml"

    def lookup(name: str) -> bytes | None:
        if name.endswith("/"):
            below = (path[len(name) :] for path in files if path.startswith(name))
            return "\n".join({one.partition("/")[0] for one in below}).encode()
        return files.get(name)

    document = formats.read(path, text.encode(), lookup)
    unread.settle(document, text.encode())
    return document


def test_what_lines_below_complete_is_no_value() -> None:
    """An unknown action before lines of its own key stands for more such lines."""
    document = broker({})
    (resource,) = document.resources
    assert [*resource.settings] == ["node.id"]
    assert resource.traits.partial
    assert resource.settings["node.id"].at[0] == 19


def test_helpers_stand_in_any_file_of_the_templates() -> None:
    for name in ("_env.tpl", "broker/_helpers.tpl"):
        document = broker({f"{CHART}templates/{name}": ENV.encode()})
        (resource,) = document.resources
        roles = resource.settings["process.roles"]
        assert (roles.text, roles.path, roles.at[0]) == ("broker", f"{CHART}templates/{name}", 3)


def test_branches_that_the_values_leave_out_are_told_apart() -> None:
    document = broker({f"{CHART}templates/_env.tpl": ENV.encode()})
    assert document.unread == ()
    assert [(one.name, one.line) for one in document.extent.left_out] == [
        ("KAFKA_REMOTE_LOG_STORAGE_SYSTEM_ENABLE", 21)
    ]


def test_a_template_that_the_values_leave_out_is_not_read() -> None:
    text = f"{{{{- if .Values.tiered }}}}\n{BROKER}{{{{- end }}}}\n"
    document = broker({}, text)
    assert (document.status, document.reason) == (PASSED_OVER, "left out by the chart's values")
    assert document.unread == ()
    document = broker({}, text.replace(".Values.tiered }}\napi", ".Release.IsUpgrade }}\napi"))
    assert document.status == READ

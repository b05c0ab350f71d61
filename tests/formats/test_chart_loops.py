"""Loops, helpers and lists of values in a chart's templates, as far as the values tell."""

from __future__ import annotations

import time

import pytest

from kcheck import formats
from kcheck.model import Document, Position

CHART = "charts/kafka/"
VALUES = """\
name: core
topics:
  - name: orders
    partitions: 12
    config:
      retention.ms: 604800000   # a week
      min.insync.replicas: two
  - name: audit
    partitions: 3
    config: {cleanup.policy: compact}
configurationOverrides:
  "offsets.topic.replication.factor": 3
  message.max.bytes: two
nothing: []
count: 2
image: confluentinc/cp-kafka:7.6.0
"""
HEAD = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n"
LABEL = "  labels: {strimzi.io/cluster: core}\n"


def read(template: str, values: str = VALUES, helpers: str = "") -> Document:
    files = {
        f"{CHART}Chart.yaml": b"name: kafka\n",
        f"{CHART}values.yaml": values.encode(),
    }
    if helpers:
        files[f"{CHART}templates/_helpers.tpl"] = helpers.encode()
    return formats.read(f"{CHART}templates/all.yaml", template.encode(), files.get)


def stands(source: str, at: Position) -> str:
    return source.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


TOPICS = (
    "{{- range .Values.topics }}\n---\n"
    + HEAD
    + "  name: {{ .name }}\n"
    + LABEL
    + "spec:\n  partitions: {{ .partitions }}\n  replicas: 3\n"
    + "  config:\n    {{- toYaml .config | nindent 4 }}\n{{- end }}\n"
)


def test_a_loop_over_a_list() -> None:
    document = read(TOPICS)
    assert [one.name for one in document.resources] == ["orders", "audit"]
    orders, audit = document.resources
    assert {key: one.text for key, one in orders.settings.items()} == {
        "retention.ms": "604800000",
        "min.insync.replicas": "two",
    }
    assert audit.settings["cleanup.policy"].text == "compact"
    assert [one.facts["partitions"].text for one in (orders, audit)] == ["12", "3"]
    setting = orders.settings["min.insync.replicas"]
    # The lines of values stand where they are written.
    assert setting.path == f"{CHART}values.yaml"
    assert stands(VALUES, setting.key_at) == "min.insync.replicas"
    assert stands(VALUES, setting.at) == "two"
    assert stands(VALUES, orders.facts["partitions"].at) == "12"
    # What the template itself has stands there.
    factor = audit.facts["replication.factor"]
    assert (factor.path, stands(TOPICS, factor.at)) == (f"{CHART}templates/all.yaml", "3")


def test_the_top_is_named_by_a_dollar_as_well() -> None:
    template = (
        "{{- range .Values.topics }}\n---\n" + HEAD + "  name: {{ $.Values.name }}-{{ .name }}\n"
        "  labels: {strimzi.io/cluster: {{ $.Values.name }}}\nspec: {partitions: 3}\n{{- end }}\n"
    )
    assert [(one.name, one.cluster) for one in read(template).resources] == [
        ("core-orders", "core"),
        ("core-audit", "core"),
    ]


def test_a_loop_over_a_map() -> None:
    template = (
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: kafka}\nspec:\n  template:\n"
        "    spec:\n      containers:\n      - name: kafka\n        image: {{ .Values.image }}\n"
        "        env:\n        - name: KAFKA_ZOOKEEPER_CONNECT\n          value: zk:2181\n"
        "        {{- range $key, $value := .Values.configurationOverrides }}\n"
        '        - name: {{ printf "KAFKA_%s" $key | replace "." "_" | upper | quote }}\n'
        "          value: {{ $value | quote }}\n        {{- end }}\n"
    )
    (broker,) = read(template).resources
    assert broker.settings["offsets.topic.replication.factor"].text == "3"
    setting = broker.settings["message.max.bytes"]
    assert (setting.text, setting.path) == ("two", f"{CHART}values.yaml")
    assert stands(VALUES, setting.at) == "two"


def test_keys_of_a_loop_on_one_line() -> None:
    template = (
        HEAD + "  name: one\n" + LABEL + "spec:\n  partitions: 3\n  config:\n"
        "{{- range $k, $v := (index .Values.topics 0).config }}\n    {{ $k }}: {{ $v }}\n{{- end }}\n"
    )
    # ``index`` is not read: what it gives is unknown, and the topic is partly known.
    (topic,) = read(template).resources
    assert topic.traits.partial
    assert not topic.settings
    known = template.replace("(index .Values.topics 0).config", ".Values.settings")
    values = "settings:\n  min.insync.replicas: two\n"
    (topic,) = read(known, values).resources
    setting = topic.settings["min.insync.replicas"]
    assert stands(values, setting.key_at) == "min.insync.replicas"
    assert stands(values, setting.at) == "two"


HELPERS = """\
{{- define "kafka.topic" -}}
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: {{ .src.name }}
  labels: {strimzi.io/cluster: {{ .root.Values.name }}}
spec:
  partitions: {{ .src.partitions | default 1 }}
  config:
    min.insync.replicas: two
{{- end }}
{{- define "kafka.config" -}}
retention.ms: 1000
{{- end -}}
"""


def test_helpers() -> None:
    template = (
        "{{- range $i, $src := .Values.topics }}\n"
        '{{ include "kafka.topic" (dict "root" $ "src" $src) }}\n---\n{{- end }}\n'
    )
    document = read(HELPERS + template)
    assert [(one.name, one.cluster) for one in document.resources] == [
        ("orders", "core"),
        ("audit", "core"),
    ]
    setting = document.resources[1].settings["min.insync.replicas"]
    assert setting.path == f"{CHART}templates/all.yaml"
    assert stands(HELPERS, setting.at) == "two"


def test_a_helper_with_an_indent_and_with() -> None:
    template = (
        HEAD + "  name: one\n" + LABEL + "spec:\n  {{- with .Values.count }}\n"
        "  partitions: {{ . }}\n  {{- end }}\n  {{- with .Values.nothing }}\n"
        "  replicas: {{ . }}\n  {{- else }}\n  replicas: 1\n  {{- end }}\n  config:\n"
        '    {{- include "kafka.config" . | nindent 4 }}\n'
    )
    (topic,) = read(template, helpers=HELPERS).resources
    assert topic.facts["partitions"].text == "2"
    assert topic.facts["replication.factor"].text == "1"
    setting = topic.settings["retention.ms"]
    assert (setting.text, setting.path) == ("1000", f"{CHART}templates/_helpers.tpl")
    assert stands(HELPERS, setting.at) == "1000"


@pytest.mark.parametrize(
    ("loop", "names"),
    [
        ('range list "a" "b"', ["a", "b"]),
        ("range until (int .Values.count)", ["0", "1"]),
        ("range $one := .Values.nothing", []),
        ("range .Values.missing", []),
        ("range .Release.Things", None),
        ('range (.Files.Lines "a")', None),
        ("range $i := until 5000", None),
    ],
)
def test_what_is_gone_through(loop: str, names: list[str] | None) -> None:
    template = (
        "{{- "
        + loop
        + " }}\n---\n"
        + HEAD
        + "  name: t-{{ . }}\n"
        + LABEL
        + "spec: {partitions: 3}\n{{- end }}\n---\n"
        + HEAD
        + "  name: last\n"
        + LABEL
        + "spec: {partitions: 3}\n"
    )
    made = [one.name for one in read(template).resources if one.kind == "topic"]
    # Nothing is known of a loop over something unknown.
    assert made == ["last"] if names is None else [*(f"t-{one}" for one in names), "last"]


@pytest.mark.parametrize(
    "template",
    [
        "{{- range until 50 }}" * 6 + "a: b\n" + "{{ end }}" * 6,
        "{{- range .Values.topics }}" * 60 + "a: b\n" + "{{ end }}" * 60,
        '{{ define "a" }}{{ include "a" . }}\n{{ include "a" . }}\n{{ end }}{{ include "a" . }}\n',
        '{{ define "a" }}\n{{ include "a" . }}\n{{ end }}\n{{ include "a" . }}\n',
        "{{ range .Values.topics }}\na: b\n",
        "{{ range .Values.topics }}\na: {{ .name\n{{ end }}",
        "{{ end }}{{ range .Values.topics }}",
        "{{ range until 50 }}" + "{{ $x := 1 }}" * 20_000 + "{{ end }}",
        "{{ range until 50 }}" + "x" * 50_000 + "{{ end }}",
        "{{ with .Values.topics }}\r\na: {{ toYaml . | nindent 2 }}\r\n{{ end }}\r\n",
        '{{ include "missing" . | nindent 4 }}\n' * 2_000,
        "{{ toYaml . | nindent 99 }}\n{{ toYaml $ }}\n",
        '{{ range $k, $v := .Values.configurationOverrides }}{{ printf "%'
        + "s%" * 5_000
        + '" $k }}{{ end }}',
    ],
)
def test_hostile_templates(template: str) -> None:
    start = time.process_time()
    document = read(HEAD + "  name: a\n" + template)
    assert document.status in ("read", "skipped", "passed-over", "error")
    assert time.process_time() - start < 5


def test_what_a_branch_sets_anew_is_not_known_behind_it() -> None:
    template = """\
{{- $name := "orders" }}
{{- $role := .Values.role | trim }}
{{- if .Values.other }}
{{- $name = "others" }}
{{- end }}
{{- if eq $role "topic" }}
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: {{ $name }}
  labels: {strimzi.io/cluster: core}
spec: {partitions: 3, replicas: 3}
{{- end }}
"""
    again = '{{- $name = "others" }}\n'
    for text, names in ((template, []), (template.replace(again, ""), ["orders"])):
        document = read(text, "role: topic\nother: true\n")
        told = [topic.name for topic in document.resources if "$" not in topic.name]
        assert told == names

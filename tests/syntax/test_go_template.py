"""What a template's expressions and conditions come to, and what is left unknown."""

from __future__ import annotations

import time

import pytest

from kcheck.syntax import go_rendering, go_template

NAMES: dict[str, go_template.Value] = {
    ".Values.name": "orders",
    ".Values.copies": "3",
    ".Values.on": True,
    ".Values.off": False,
    ".Values.missing": go_template.NOTHING,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (".Values.name", "orders"),
        (".Values.copies | int", "3"),
        (".Values.name | upper | quote", "ORDERS"),
        ('.Values.missing | default "1"', "1"),
        ('default "1" .Values.copies', "3"),
        ("coalesce .Values.missing .Values.name", "orders"),
        (".Release.Name", None),
        ('include "chart.name" .', None),
        ('printf "%s-kafka" .Values.name', "orders-kafka"),
        ('printf "%s-%d" .Values.name .Values.copies', "orders-3"),
        ('printf "KAFKA_%s" "a.b" | replace "." "_" | upper | quote', "KAFKA_A_B"),
        ('printf "%q" .Values.name', None),
        ('printf "%s-%s" .Values.name', None),
        ('printf "%s" .Release.Name', None),
        ("toYaml .Values.name | nindent 4", None),
        (".Values.name.Release", None),
        ('.Release.Name | default "a"', None),
        ("", None),
        ("(", None),
        ('"a" "b"', None),
    ],
)
def test_an_expression(text: str, value: go_template.Value) -> None:
    assert go_template.value(text, NAMES.get) == value


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (".Values.on", True),
        ("not .Values.off", True),
        (".Values.missing", False),
        ("and .Values.on .Values.off", False),
        ("and .Values.off .Release.IsUpgrade", False),
        ("or .Values.on .Release.IsUpgrade", True),
        ("or .Release.IsUpgrade .Values.on", None),
        ('eq .Values.name "orders"', True),
        ('ne .Values.name "orders"', False),
        ('eq .Values.name "a" "orders"', True),
        ('and (eq .Values.name "orders") (not .Values.off)', True),
        ('eq .Release.Name "a"', None),
        (".Capabilities.APIVersions.Has", None),
    ],
)
def test_a_condition(text: str, holds: bool | None) -> None:
    assert go_template.truth(text, NAMES.get) is holds


def test_no_text_takes_long() -> None:
    begun = time.process_time()
    for text in ("(" * 200_000, "a " * 200_000, '"' * 200_001, ".Values.name | quote" * 20_000):
        go_template.value(text, NAMES.get)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    ("template", "text", "lost", "unknown"),
    [
        ("a: {{ .Values.name }}", "a: orders", False, False),
        ("a: {{- if .Values.on }} 1{{ else }} 2{{ end }}", "a:  1", False, False),
        ("a: x{{ if .Values.on }}-y{{ end }}", "a: x-y", False, False),
        # What a part of a line comes to is unknown, not empty.
        ("a: {{ if .Release.X }}3{{ else }}1{{ end }}", "a: ${", False, True),
        ("a: {{ .Release.Name }}-x", "a: ${.Release.Name___}-x", False, True),
        ("{{/* }} */}}\na: 1", "\na: 1", False, False),
        ("{{ if .Release.X }}\na: 1\n{{ end }}\nb: 2", "\n\n\nb: 2", True, False),
        ("a:\n  {{ toYaml .Values.x | nindent 2 }}\n", "a:\n  ${", False, True),
        ("a: 1\n{{ include .x }}\n", "a: 1\n", True, False),
        ("a: 1\n{{ end }}", "", True, False),
        ("a: {{ -3 }}", "a: -3", False, False),
    ],
)
def test_a_text(template: str, text: str, lost: bool, unknown: bool) -> None:
    rendered = go_rendering.Rendered(template, NAMES.get)
    made = "\n".join(line.rstrip() for line in rendered.text.split("\n"))
    assert made.startswith(text)
    assert len(made.split("\n")) == len(template.split("\n")) or not made
    assert (rendered.lost, rendered.unknown) == (lost, unknown)


def test_what_a_condition_stands_in_decides_nothing() -> None:
    values = {".Values.on": True, ".Values.off": False}
    for text, holds in {
        'and .Values.off (include "x" .)': False,
        'and .Values.on (include "x" $)': None,
        "or .Values.on (eq . $)": True,
        "not .": None,
    }.items():
        assert go_template.truth(text, values.get) is holds

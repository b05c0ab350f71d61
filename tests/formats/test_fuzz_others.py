"""No damage to a file of any format ends a run, and no place that it names is outside of the file."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from one_fault import ROWS
from test_fuzz import SCRAPS
from test_host import BPM, LIMITS, SYSCTL, UNIT

from kcheck.engine import lint_project
from kcheck.settings import Settings

GOOD = {f"{number}/{row.path}": row.text for number, row in enumerate(ROWS)} | {
    "bpm.yml": BPM,
    "limits.conf": LIMITS,
    "sysctl.conf": SYSCTL,
    "kafka.service": UNIT,
    "state.txt": (
        "Topic: a\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: min.insync.replicas=1\n"
        "\tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\n"
        "\tTopic: a\tPartition: 1\tLeader: none\tReplicas: 2,1\tIsr: \tElr: 1\n"
        "Dynamic configs for broker 1 are:\n  num.io.threads=8 sensitive=false synonyms={A:b=c}\n"
        "All configs for broker 1 are:\n  broker.id=1 sensitive=false synonyms={STATIC_BROKER_CONFIG:x}\n"
    ),
    "each.tf": (
        'locals {\n  t = { a = { p = 3 * 2 }, b = {} }\n}\nresource "kafka_topic" "x" {\n'
        "  for_each = local.t\n  name = each.key\n  partitions = each.value.p\n"
        '  config = merge({ "retention.ms" = lookup(each.value, "r", -1) }, local.t)\n}\n'
        'resource "aws_msk_cluster" "c" {\n  number_of_broker_nodes = 3\n}\n'
    ),
}


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, str]:
    path = draw(st.sampled_from(sorted(GOOD)))
    text = GOOD[path]
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(SCRAPS) + text[end:]
    return path, text


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(damaged(), min_size=1, max_size=3))
def test_no_damage_ends_a_run(files: list[tuple[str, str]]) -> None:
    sources = {path: text.encode("utf-8", "surrogatepass") for path, text in files}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    for document in project.documents:
        lines = len(re.split("\r\n|\r|\n", sources[document.path].decode("utf-8", "replace"))) + 1
        for resource in document.resources:
            for setting in (*resource.settings.values(), *resource.facts.values()):
                line, column, end_line, end_column = setting.at
                assert 1 <= line <= end_line <= lines or "\u2028" in str(sources)
                assert column >= 1 and end_column >= 1
                assert (line, column) <= (end_line, end_column)


ODD = ["9" * 5000, "0" * 5000, "²", "1e999", "-1"]


@pytest.mark.parametrize("number", ODD)
def test_no_number_is_too_odd(number: str, thorough: bool) -> None:
    for path, text in GOOD.items():
        for at, match in enumerate(re.finditer(r"\d+", text)):
            if not thorough and (at + ODD.index(number)) % len(ODD):
                continue
            data = f"{text[: match.start()]}{number}{text[match.end() :]}".encode()
            project = lint_project([(path, data)], Settings())
            assert project.failures == [], data

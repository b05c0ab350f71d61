"""``kcheck show --graph``."""

from __future__ import annotations

import re

import pytest
from playground import Project

TEXT = """\
cluster: {name: 'co"re', kafka_version: "4.1", brokers: 3}
topics:
  - {name: orders, partitions: 12, replication_factor: 3}
  - {name: lonely, partitions: 1}
producers:
  - {name: checkout, topics: [orders], config: {acks: "1"}}
  - {name: nobody-knows}
consumers:
  - {name: billing, topics: [orders, elsewhere]}
streams:
  - {name: totals, topics: ["ord*"], config: {application.id: totals}}
"""


@pytest.fixture
def drawn(project: Project) -> Project:
    project.file("kcheck.yaml", TEXT)
    return project


def test_mermaid(drawn: Project) -> None:
    result = drawn.run("show", "--graph", "mermaid")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "flowchart LR"
    assert '  subgraph k0["cluster co#quot;re"]' in lines
    ids = dict(re.findall(r'^ +(\w+)[\[(]+"([^"<]*)', result.out, re.MULTILINE))
    arrows = re.findall(r'^  (\w+) -->(?:\|"[^"]*"\|)? (\w+)$', result.out, re.MULTILINE)
    told = {(ids[one], ids[other]) for one, other in arrows}
    assert told == {
        ("producer checkout", "orders"),
        ("producer nobody-knows", "3 brokers"),
        ("orders", "consumer billing"),
        ("elsewhere", "consumer billing"),
        ("orders", "streams totals"),
    }
    assert '-->|"acks=1"|' in result.out


def test_dot(drawn: Project) -> None:
    result = drawn.run("show", "topic", "orders", "--graph", "dot")
    assert result.code == 0
    assert 'label="cluster co\\"re"' in result.out
    assert "lonely" not in result.out
    assert '[label="acks=1"]' in result.out
    assert result.out.count("{") == result.out.count("}")
    assert result.out.count(" -> ") == 3

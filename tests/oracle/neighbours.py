"""The examples of each rule, and its further cases, as cases: what its drawing starts from."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from cases import BASES, BROKERS, Case

from kcheck import rules
from kcheck.engine import lint_project
from kcheck.examples import Example
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Broker
from kcheck.model import Setting
from kcheck.rule import REFUSED
from kcheck.settings import Settings

_TRIAL = Path(__file__).resolve().parents[1] / "rules"
if str(_TRIAL) not in sys.path:
    sys.path.append(str(_TRIAL))

from trial import examples_of  # noqa: E402


def by_rule(codes: Iterable[str] = ()) -> dict[str, list[Case]]:
    """Rule that tells of refusals → the cases that its examples are, as far as a plane has them.

    Of all such rules, or of some; its further cases (``tests/rules/cases``) are examples as well.
    """
    wanted = {*codes}
    found: dict[str, list[Case]] = {}
    for code, rule in rules.load().items():
        if rule.kafka == REFUSED and (not wanted or code in wanted):
            cases = [case for example in examples_of(rule) for case in _cases(example)]
            found[code] = [*{case.key: case for case in cases}.values()]
    return found


def _cases(example: Example) -> Iterator[Case]:
    files = {name: text.encode() for name, text in example.files.items()}
    project = lint_project(sorted(files.items()), Settings(), files.get)
    for cluster in project.clusters:
        yield from _of_cluster(cluster)


def _of_cluster(cluster: Cluster) -> Iterator[Case]:
    hosts = [_texts(broker.merged) for broker in cluster.brokers] or [{}]
    for broker in (*cluster.brokers, *cluster.controllers):
        for plane in _planes(broker):
            yield Case(plane, _texts(broker.merged))
    for topic in cluster.topics:
        yield Case("topic", _texts(topic.resource.settings), hosts[0])
    for group in cluster.groups:
        yield Case("group", _texts(group.resource.settings), hosts[0])
    for node in (*cluster.clients, *cluster.connectors):
        plane = "connect-distributed" if node.resource.plane == "worker" else node.resource.plane
        # Of a client that is both producer and consumer Kafka knows nothing.
        if node.resource.dialect == "java" and plane in BASES:
            yield Case(plane, _texts(node.resource.settings))


def _planes(broker: Broker) -> tuple[str, ...]:
    roles = [role for role in broker.roles if role]
    if not roles:
        return ("zookeeper",) if broker.kraft is False else ("zookeeper", "combined")
    return ("combined",) if len(roles) > 1 else (roles[0],) if roles[0] in BROKERS else BROKERS


def _texts(settings: dict[str, Setting]) -> dict[str, str | None]:
    return {key: setting.text for key, setting in settings.items() if setting.text is not None}

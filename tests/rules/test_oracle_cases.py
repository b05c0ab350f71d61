"""kcheck and Kafka agree: what Kafka refuses draws an error, what it accepts draws none."""

from __future__ import annotations

import json

import oracle
import pytest

from kcheck.engine import lint_project
from kcheck.model import ERROR
from kcheck.settings import Settings

CASES = oracle.cases()
_FILES = {
    "broker": "server.properties",
    "topic": "server.properties",
    "streams": "streams.properties",
    "admin": "admin.properties",
    "producer": "producer.properties",
    "consumer": "consumer.properties",
    "connect-distributed": "connect-distributed.properties",
    "connect-standalone": "connect-standalone.properties",
}


def errors(case: oracle.Case, release: str) -> list[str]:
    """The errors that kcheck tells of a case in a release."""
    told = f"cluster: {{name: core, kafka_version: {release}, client_version: {release}}}\n"
    if case.plane == "topic":
        told += f"topics: [{{name: orders, config: {json.dumps(case.properties)}}}]\n"
    lines = [f"{key}={_escaped(text)}\n" for key, text in case.complete(release).items()]
    sources = {"kcheck.yaml": told.encode(), _FILES[case.plane]: "".join(lines).encode()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert not project.failures
    return [
        f"{found.code} {found.message}" for found in project.findings if found.severity == ERROR
    ]


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\")
    return "\\" + text if text[:1] == " " else text


@pytest.mark.parametrize("plane", _FILES)
def test_kcheck_says_what_kafka_says(plane: str) -> None:
    wrong = []
    for case in CASES:
        for release in case.telling() if case.plane == plane else ():
            found = errors(case, release)
            if bool(found) != case.refused(release):
                wrong.append((release, case.row(), found))
    assert not wrong


def test_the_table_is_whole() -> None:
    assert {case.plane for case in CASES} == set(_FILES)
    assert {len(case.verdicts) for case in CASES} == {len(oracle.RELEASES)}
    verdicts = "".join(case.verdicts for case in CASES)
    assert min(verdicts.count("a"), verdicts.count("r")) > len(verdicts) / 5

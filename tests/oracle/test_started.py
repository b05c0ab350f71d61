"""kcheck agrees with what started processes did of the recorded cases; --thorough starts some again."""

from __future__ import annotations

from functools import cache

import pytest
import started
from started import PLANES, RELEASES, Case

_BY_NAME = {case.name: case for case in started.cases()}
#: What is started again: by plane, a case that works and one that fails.
AGAIN = (
    *("combined-plain", "sasl-without-jaas"),
    *("broker-plain", "broker-listens-as-controller"),
    *("topic-plain", "topic-copies-above-brokers"),
    *("client-plain", "record-above-topic"),
    *("static-members", "session-above-broker"),
    *("quota-plain", "quota-negative"),
    *("streams-plain", "streams-copies-above-brokers"),
    *("worker-plain", "worker-copies-above-brokers"),
    *("standalone-plain", "standalone-override-refused"),
)


@cache
def recorded() -> dict[tuple[str, str], str]:
    return started.read()


@pytest.mark.parametrize("name", _BY_NAME)
def test_kcheck_says_what_the_process_did(name: str) -> None:
    case = _BY_NAME[name]
    wrong = [
        f"{release}: {line}"
        for release in case.releases
        if (name, release) in recorded()
        for line in started.disagreements(case, release, recorded()[name, release])
    ]
    assert not wrong


@pytest.mark.parametrize("plane", PLANES)
def test_every_plane_has_both_outcomes(plane: str) -> None:
    mine = [outcome for (name, _), outcome in recorded().items() if _BY_NAME[name].plane == plane]
    failing = [outcome for outcome in mine if outcome not in started.FINE]
    assert mine and failing and len(failing) < len(mine)


def test_the_record_is_of_these_cases() -> None:
    there = {(case.name, release) for case in _BY_NAME.values() for release in case.releases}
    assert recorded().keys() <= there
    assert len({name for name, _ in recorded()}) >= 150


def test_a_failure_without_an_error_has_its_reason() -> None:
    def unexplained(case: Case) -> bool:
        return not case.why and any(
            recorded().get((case.name, release), "runs") not in started.FINE
            and case.expected(release)[0] != "error"
            for release in case.releases
        )

    assert [case.name for case in _BY_NAME.values() if unexplained(case)] == []


@pytest.mark.jvm
@pytest.mark.thorough
def test_processes_do_it_again() -> None:
    import processes

    newest = RELEASES[-1]
    for case, release, outcome in processes.run([(_BY_NAME[name], newest) for name in AGAIN]):
        known = recorded()[case.name, release]
        assert outcome.partition(":")[0] == known.partition(":")[0], (case.name, outcome)

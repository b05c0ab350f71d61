"""A file's share: what takes more is given up and told, the rest goes on, no timer stays armed."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from kcheck import engine, formats, share
from kcheck.model import SKIPPED, Document
from kcheck.settings import Settings

BROKER = b"broker.id=1\nzookeeper.connect=z:2181\nnum.partitions=x\n"


@pytest.fixture
def armed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(share, "SECONDS", 0.2)
    monkeypatch.setattr(share, "MORE_SECONDS", 0.0)
    with share.armed():
        yield


def quiet() -> bool:
    nobody = signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL
    return nobody and signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def endless(*given: object) -> None:
    while True:
        pass


def hungry(*given: object) -> None:
    held = []
    while True:
        held.append(b"x" * (1 << 20))
        for _ in range(50_000):
            pass  # the timer counts what the program does, not what the kernel does for it


def test_a_file_that_takes_too_long_is_given_up(
    armed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = formats.read

    def slow(path: str, data: bytes, lookup: formats.Lookup) -> Document:
        if path == "slow.properties":
            endless()
        return read(path, data, lookup)

    monkeypatch.setattr(formats, "read", slow)
    sources = [("slow.properties", BROKER), ("server.properties", BROKER)]
    project = engine.lint_project(sources, Settings())
    told = [(finding.path, finding.code) for finding in project.findings]
    assert ("slow.properties", "KC0005") in told
    assert ("server.properties", "KC0103") in told
    assert project.documents[0].status == SKIPPED
    assert project.failures == []


def test_memory_is_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "SECONDS", 30.0)
    with share.armed(), pytest.raises(share.Exceeded, match="20 MiB"), share.of(1, 20):
        hungry()


def test_a_cluster_that_takes_too_long_is_given_up(
    armed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(self: object, cluster: object) -> None:
        endless()

    monkeypatch.setattr("kcheck.runner.Runner.cluster", slow)
    project = engine.lint_project([("server.properties", BROKER)], Settings())
    assert [finding.code for finding in project.findings] == ["KC0005"]
    assert "checking" in project.findings[0].message


def test_nothing_stays_armed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "SECONDS", 0.05)
    for _ in range(5):
        with pytest.raises(share.Exceeded), share.armed(), share.of():
            endless()
        assert quiet()
    with share.armed(), share.armed():
        pass
    assert quiet()


def test_somebody_elses_timer_is_left_alone() -> None:
    signal.signal(signal.SIGVTALRM, endless)
    try:
        with share.armed():
            assert signal.getsignal(signal.SIGVTALRM) is endless
    finally:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)

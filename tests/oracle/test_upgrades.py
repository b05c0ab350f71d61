"""The older release takes what the newer one refuses: what the rules on upgrades say, asked of both."""

from __future__ import annotations

from functools import cache

import answers
import pytest
import upgrades
from answers import Answers, Table


@cache
def recorded() -> Table:
    return answers.read(upgrades.RECORD)


def said(name: str) -> Answers:
    key = upgrades.CASES[name].key
    (found,) = [answer for case, answer in recorded().rows if case.key == key]
    return found


@pytest.mark.parametrize(
    ("name", "taken", "refused", "words"),
    [
        # KC0211, KC0222: there is no ZooKeeper in 4.0.
        ("zookeeper", ["3.9.2"], ["4.0.2", "4.1.2", "4.4.0"], "process.roles"),
        # KC0222: KRaft of 3.x looks at a protocol version, 4.x does not.
        ("protocol of 2.8", ["4.0.2", "4.4.0"], ["3.9.2"], "non-KRaft version"),
        # KC0226: what a topic may hold up to 4.0.
        ("small segments", ["2.8.2", "3.9.2", "4.0.2"], ["4.1.2", "4.4.0"], "at least 1048576"),
        # KC0401: credentials without SASL are not looked at.
        ("SASL unused", [*upgrades.RELEASES], [], ""),
        ("SASL used", [], [*upgrades.RELEASES], "JAAS config"),
        # KC1101: rare heartbeats are refused nowhere.
        ("rare heartbeats", ["3.9.2", "4.0.2", "4.4.0"], [], ""),
    ],
)
def test_releases_take_and_refuse(
    name: str, taken: list[str], refused: list[str], words: str
) -> None:
    answered = said(name)
    assert [release for release in taken if answered[release].refused] == []
    for release in refused:
        assert words in answered[release].message


def test_defaults_change() -> None:
    """KC0224: linger.ms, and how far ahead a time stamp may lie."""
    bases = recorded().bases
    assert bases["producer", "3.9.2"]["linger.ms"] == "0"
    assert bases["producer", "4.0.2"]["linger.ms"] == "5"
    after = "message.timestamp.after.max.ms"
    assert bases["topic", "3.9.2"][after] == str(2**63 - 1)
    assert bases["topic", "4.0.2"][after] == str(60 * 60 * 1000)


def test_addresses_of_oauth_are_refused_before_they_are_asked() -> None:
    """KC0227: 3.9 asks the address for a token, 4.x refuses it."""
    assert said("OAuth")["3.9.2"].error == "LoginException"
    for release in ("4.0.2", "4.1.2", "4.4.0"):
        assert said("OAuth of 4.x")[release].error == "ConfigException"

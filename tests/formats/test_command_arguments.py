"""The table of what Kafka's tools demand of their arguments: each row is told, and no row of its own repair."""

from __future__ import annotations

import pytest

from kcheck import data
from kcheck.formats.commands import arguments, tools
from kcheck.syntax.shell_calls import calls
from kcheck.version import stated

ROWS = [row[:4] for row in data.rows("names/commands.tsv")]


def told(text: str, version: str = "") -> list[str]:
    commands = tools.of_calls(calls(text, lambda _: True), stated(version) if version else None)
    assert commands, text
    return [fault[3] for one in commands for fault in arguments.faults(one)]


def words(options: str) -> str:
    return " ".join(f"{one} x" if one.startswith("-") else one for one in options.split())


@pytest.mark.parametrize(("tool", "when", "form", "options"), ROWS, ids=lambda one: one or "always")
def test_each_row_is_told_and_its_repair_is_not(
    tool: str, when: str, form: str, options: str
) -> None:
    first, *others = options.split()
    start = f"{tool}.sh {words(when)}"
    if form == "needs":
        expected = f"with {when}"
        assert any(expected in one and first in one for one in told(start))
        for option in options.split():
            assert not any(
                one.startswith("requires") and option in one.split() and one.endswith(expected)
                for one in told(f"{start} {words(option)}")
            )
    elif form == "excludes":
        for option in options.split():
            assert f"does not accept {option} with {when}" in told(f"{start} {words(option)}")
        assert not any(one.startswith("does not accept") for one in told(start))
    elif form == "one":
        for option in others:
            assert any("together" in one for one in told(f"{start} {words(f'{first} {option}')}"))
            assert not any("together" in one for one in told(f"{start} {words(option)}"))
    else:
        since = first
        assert any(since in one for one in told(start, since))
        assert not any("removed" in one or "gone" in one for one in told(start, "1.0"))
        assert not any("removed" in one or "gone" in one for one in told(start))
        assert any(since in one for one in told(f"/opt/kafka_2.13-{since}.0/bin/{start}"))


@pytest.mark.parametrize(
    "text",
    [
        'kafka-topics.sh --create "$@"',
        "kafka-topics.sh --create $OPTIONS",
        "xargs kafka-topics.sh --create",
        "kafka-topics.sh --help --create",
        "kafka-topics.sh --bootstrap k:9092 --create --topic x",
    ],
)
def test_nothing_is_said_of_what_may_have_more_arguments(text: str) -> None:
    assert not told(text)

"""Keys that a script of the project sets in a file of properties are unknown in that file."""

from __future__ import annotations

import pytest

from kcheck.engine import lint_project
from kcheck.settings import Settings

BROKERS = (
    b"process.roles=broker,controller\nnode.id=1\n"
    b"controller.quorum.voters=1@192.168.56.11:9093,2@192.168.56.12:9093,3@192.168.56.13:9093\n"
    b"listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093\n"
    b"advertised.listeners=PLAINTEXT://localhost:9092\n"
    b"controller.listener.names=CONTROLLER\nlog.dirs=/var/lib/kafka\n"
)
SED = rb"sudo sed -i 's/^advertised\.listeners=.*/advertised.listeners=PLAINTEXT:\/\/'$1':9092/' "


def lint(script: str, text: bytes) -> list[str]:
    files = {"kafka/files/server.properties": BROKERS, script: text}
    found = lambda path: files.get(path) or listed(files, path)  # noqa: E731
    project = lint_project(files.items(), Settings(selected=frozenset({"KC1025"})), found)
    assert project.failures == []
    return [one.code for one in project.findings]


def listed(files: dict[str, bytes], path: str) -> bytes | None:
    """The names in a folder, as a lookup tells them."""
    if not path.endswith("/"):
        return None
    folder = "" if path == "./" else path
    names = {one[len(folder) :].partition("/")[0] for one in files if one.startswith(folder)}
    return "\n".join(sorted(names)).encode() or None


@pytest.mark.parametrize(
    ("script", "text", "told"),
    [
        ("kafka/install.sh", SED + b"/opt/kafka/config/server.properties\n", False),
        ("install.sh", SED + b"\\\n  /opt/kafka/config/server.properties\n", False),
        ("kafka/files/Dockerfile", b"RUN " + SED + b"/config/server.properties\n", False),
        (
            "kafka/setup.sh",
            b'echo "advertised.listeners=PLAINTEXT://$1:9092" >> server.properties\n',
            False,
        ),
        ("kafka/install.sh", SED + b"/opt/kafka/config/other.properties\n", True),
        ("other/install.sh", SED + b"/opt/kafka/config/server.properties\n", True),
        ("kafka/install.sh", b"grep advertised.listeners= server.properties\n", True),
        ("kafka/install.sh", b"cp server.properties /opt\n" + b"sed " * 10_000, True),
        (
            "kafka/install.sh",
            b"sed -i s/^other.advertised.listeners=.*// server.properties\n",
            True,
        ),
    ],
)
def test_what_a_script_sets(script: str, text: bytes, told: bool) -> None:
    assert lint(script, text) == (["KC1025"] if told else [])

"""Small projects for the tests of upgrades, and what an upgrade of them brings."""

from __future__ import annotations

from kcheck.circumstances import Circumstances
from kcheck.model import Finding
from kcheck.settings import Settings
from kcheck.upgrade import Upgraded, upgrade_project

#: A file of each kind, to which a test adds the settings that it is about.
FILES = {
    "broker": (
        "server.properties",
        "broker.id=1\nzookeeper.connect=zk1:2181\nlog.dirs=/data/kafka\n",
    ),
    "kraft": (
        "server.properties",
        "node.id=1\nprocess.roles=broker\ncontroller.listener.names=CONTROLLER\n"
        "controller.quorum.voters=9@c1:9093\nlog.dirs=/data/kafka\n",
    ),
    "producer": (
        "producer.properties",
        "bootstrap.servers=k1:9092\nacks=all\n"
        "key.serializer=org.apache.kafka.common.serialization.StringSerializer\n",
    ),
    "consumer": (
        "consumer.properties",
        "bootstrap.servers=k1:9092\ngroup.id=billing\n"
        "key.deserializer=org.apache.kafka.common.serialization.StringDeserializer\n",
    ),
    "streams": ("streams.properties", "application.id=totals\nbootstrap.servers=k1:9092\n"),
    "connect-distributed": (
        "connect-distributed.properties",
        "bootstrap.servers=k1:9092\ngroup.id=etl\nkey.converter=a.b.C\nvalue.converter=a.b.C\n"
        "config.storage.topic=configs\noffset.storage.topic=offsets\nstatus.storage.topic=states\n",
    ),
    "connect-standalone": (
        "connect-standalone.properties",
        "bootstrap.servers=k1:9092\nkey.converter=a.b.C\nvalue.converter=a.b.C\n"
        "offset.storage.file.filename=/data/offsets\n",
    ),
}
#: Whose upgrade changes what a kind of resource does.
CLIENTS = ("producer", "consumer", "streams", "connect-distributed", "connect-standalone")


def upgraded(
    files: dict[str, str],
    start: str = "",
    goal: str = "4.4",
    side: str = "",
    each: bool = False,
) -> Upgraded:
    """What an upgrade changes for these files."""
    settings = Settings(rule_options={"KC0225": {"each": each}})
    sources = {path: text.encode() for path, text in files.items()}
    project = upgrade_project(
        sorted(sources.items()),
        settings,
        goal,
        start,
        side,
        lookup=sources.get,
        circumstances=Circumstances(today="2026-06-01"),
    )
    assert project.failures == []
    return project


def with_settings(
    kind: str, settings: dict[str, str], without: tuple[str, ...] = ()
) -> dict[str, str]:
    """A project of one resource of that kind, or of one topic, with these settings."""
    if kind == "topic":
        pairs = ", ".join(f'{key}: "{text}"' for key, text in settings.items())
        return {"kcheck.yaml": f"topics:\n  - {{name: orders, config: {{{pairs}}}}}\n"}
    path, text = FILES[kind]
    lines = (
        [line for line in text.splitlines() if not line.startswith(without)]
        if without
        else [text.rstrip("\n")]
    )
    lines += [f"{key}={value}" for key, value in settings.items()]
    return {path: "\n".join(lines) + "\n"}


def side_of(kind: str) -> str:
    return "clients" if kind in CLIENTS else "brokers"


def told(project: Upgraded, key: str) -> list[Finding]:
    """The findings that weigh a key."""
    return [f for f in project.findings if any(v.key == key for v in f.evidence)]

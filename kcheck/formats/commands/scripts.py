"""Shell files, Makefiles and Jenkinsfiles: brokers that they start with ``docker run``, and what they
do with Kafka's own tools."""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.commands import connect_requests, jvms, recipes, script_files, script_variables
from kcheck.formats.commands import docker as docker_commands
from kcheck.formats.commands import kcat as kcat_commands
from kcheck.formats.commands import topics as topic_commands
from kcheck.model import PASSED_OVER, Document
from kcheck.syntax.shell_calls import calls
from kcheck.syntax.shell_command import Export

#: What a file has that holds anything of these.
_TOOLS = re.compile(
    rb"kafka-(?:configs|acls|topics|storage|reassign-partitions|consumer-groups|(?:producer|consumer)-perf-test"
    rb"|leader-election|delete-records|delegation-tokens|features|metadata-quorum|replica-verification"
    rb"|mirror-maker\.sh|preferred-replica-election|(?:[a-z]+-){0,2}console-(?:producer|consumer))"
    rb"|/zookeeper-(?:server-st(?:art|op)|shell|security-migration)\b|\brpk (?:-X \S+ ){0,5}topic (?:create|alter-config)\b"
)
#: Variables, the arguments of an exporter, or images that cannot do without variables.
_TOLD = re.compile(
    rb"[ \t]-e|--env|kafka.exporter|/cp-(?:kafka-rest|schema-registry|ksql|enterprise-control)"
)
#: What writes files, whose names may stand elsewhere.
_WRITES = re.compile(rb">|\bsed\b|\btee\b")
_RUN = re.compile(rb"(?:docker|podman)[ \t]+(?:container[ \t]+)?run\b")
#: A release of a chart that is installed by its name.
_INSTALLS = re.compile(
    rb"\bhelm[ \t]+(?:install|upgrade)[ \t]+(?:--install[ \t]+|-i[ \t]+)?([a-z0-9][a-z0-9-]*)[ \t]"
)
#: A chart that is told something.
_CHARTS = re.compile(rb"\bhelm3?[ \t]+(?:install|upgrade|template)[ \t]")
_VALUES = re.compile(rb"--set(?:-string)?\b|--values\b|[ \t]-f[ \t=]")


def recognise(path: str, data: bytes) -> str | None:
    if (
        _TOOLS.search(data)
        or b"connector.class" in data
        or all(sign in data for sign in connect_requests.SIGNS)
        or (kcat_commands.OPTION in data and any(sign in data for sign in kcat_commands.SIGNS))
    ):
        return topic_commands.FORMAT
    if b"run" in data and _RUN.search(data) and _TOLD.search(data):
        return docker_commands.FORMAT
    if jvms.STARTS in data and jvms.SIGN.search(data):
        return script_files.FORMAT
    files = script_files.SIGN in data and _WRITES.search(data)
    told = files or (b"export" in data and script_variables.SIGN.search(data))
    return script_files.FORMAT if told or installs_charts(data) else None


def installs_charts(data: bytes) -> bool:
    """Whether it installs a chart that has something to do with Kafka, and tells it something."""
    return b"helm" in data and bool(
        _CHARTS.search(data) and _VALUES.search(data) and b"kafka" in data.lower()
    )


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    text = data.decode("utf-8", "replace")
    given = recipes.texts(document.path, text)
    exported: dict[str, Export] = {}
    if given is None:
        each = [calls(text, topic_commands.holds, exported=exported)]
    else:
        # Make, Jenkins and Vagrant may hand on variables that nobody here knows.
        each = [
            calls(one, topic_commands.holds, {}) for one in given if topic_commands.holds(one.text)
        ]
    made = [call for one in each for call in one]
    place = topic_commands.places(text)
    started = docker_commands.read(document, made, place, lookup)
    written = script_files.SIGN in data and script_files.add(
        document, each if recipes.apart(document.path) else [made], place, lookup
    )
    if script_variables.SIGN.search(data):
        written = script_variables.add(document, exported, place) or written
    if installs_charts(data):
        from kcheck.formats.commands import charts

        written = charts.read(document, made, data, place, lookup) or written
    document.format = topic_commands.FORMAT
    if started or written:
        document.format = docker_commands.FORMAT if started else script_files.FORMAT
    installed = _INSTALLS.finditer(data) if b"helm" in data else ()
    releases = tuple(found[1].decode() for found in installed)
    topic_commands.read(document, made, place, lookup, releases)
    if jvms.STARTS in data:
        jvms.in_shell(document, made, exported, text, place)
    told = document.problems or document.services or document.processes
    if not (document.resources or told):
        document.status, document.reason = PASSED_OVER, "contains no command that kcheck checks"

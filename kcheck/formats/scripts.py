"""Shell files, Makefiles and Jenkinsfiles: brokers that they start with ``docker run``, and what they
do with Kafka's own tools."""

from __future__ import annotations

import re

from kcheck.formats import (
    Lookup,
    connect_requests,
    docker_commands,
    kcat_commands,
    recipes,
    topic_commands,
)
from kcheck.model import PASSED_OVER, Document
from kcheck.syntax.shell_calls import calls

#: What a file has that holds anything of these.
_TOOLS = re.compile(
    rb"kafka-(?:configs|acls|topics|storage|reassign-partitions|consumer-groups|producer-perf-test"
    rb"|(?:[a-z]+-){0,2}console-(?:producer|consumer))"
)
#: Variables, or the arguments of an exporter.
_TOLD = re.compile(rb"[ \t]-e|--env|kafka.exporter")
_RUN = re.compile(rb"(?:docker|podman)[ \t]+(?:container[ \t]+)?run\b")


def recognise(path: str, data: bytes) -> str | None:
    if (
        _TOOLS.search(data)
        or b"connector.class" in data
        or all(sign in data for sign in connect_requests.SIGNS)
        or (kcat_commands.OPTION in data and any(sign in data for sign in kcat_commands.SIGNS))
    ):
        return topic_commands.FORMAT
    return docker_commands.FORMAT if _RUN.search(data) and _TOLD.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    text = data.decode("utf-8", "replace")
    given = recipes.texts(document.path, text)
    if given is None:
        made = calls(text, topic_commands.holds)
    else:
        # Make and Jenkins may hand on variables that nobody here knows.
        made = [
            call
            for one in given
            if topic_commands.holds(one.text)
            for call in calls(one, topic_commands.holds, {})
        ]
    place = topic_commands.places(text)
    started = docker_commands.read(document, made, place, lookup)
    document.format = docker_commands.FORMAT if started else topic_commands.FORMAT
    topic_commands.read(document, made, place, lookup)
    if not (document.resources or document.problems or document.services):
        document.status, document.reason = PASSED_OVER, "contains no command that kcheck checks"

"""By which a container, or a YAML file, is that of a program that watches clusters."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: By the last part of the image's name; of a name that says little, by the last two.
_IMAGES = {
    "akhq": "akhq",
    "kafdrop": "kafdrop",
    "kafka-exporter": "kafka-exporter",
    "kafka_exporter": "kafka-exporter",
    "kafka-ui": "kafka-ui",
    "karapace": "karapace",
    "kminion": "kminion",
    "kowl": "console",
    "redpandadata/console": "console",
    "vectorized/console": "console",
}
#: Variables that only one program has, whatever its image is called.
_VARIABLES = {
    "AKHQ_CONFIGURATION": "akhq",
    "CONSOLE_CONFIG_FILE": "console",
    "KAFKA_BROKERCONNECT": "kafdrop",
    "KARAPACE_BOOTSTRAP_URI": "karapace",
}
_CLUSTERS = "KAFKA_CLUSTERS_"
#: One of these is in every YAML file that configures such a program.
_FILES = re.compile(
    rb"^[ \t]*(?:akhq|kafkahq)[ \t]*:|^[ \t-]*[\"']?bootstrap[-_]?(?:[Ss]ervers|[Bb]rokers)[\"']?[ \t]*:"
    rb"|^[ \t]*kafka:[ \t]*\r?\n(?:[ \t]*#[^\n]*\n)*[ \t]+brokers:|KAFKA_CLUSTERS_0_BOOTSTRAP",
    re.MULTILINE,
)
_LISTED = re.compile(rb"^[ \t]*clusters:[ \t]*(?:#[^\n]*)?\r?\n", re.MULTILINE)
#: What only the files of Redpanda Console and of KMinion have beside ``kafka``.
_CONSOLES = (b"redpanda", b"console", b"serveFrontend", b"metricsNamespace", b"enterprise")


def program_of(image: str, variables: Iterable[str]) -> str:
    """The program by its image, or by variables that nobody else has; "" for any other."""
    repository = image.partition("@")[0]
    slash = repository.rfind("/")
    colon = repository.find(":", slash + 1)
    parts = (repository if colon < 0 else repository[:colon]).lower().split("/")
    found = _IMAGES.get(parts[-1]) or _IMAGES.get("/".join(parts[-2:]))
    if found:
        return found
    for name in variables:
        if name.startswith(_CLUSTERS):
            return "kafka-ui"
        if name in _VARIABLES:
            return _VARIABLES[name]
    return ""


def format_of(path: str, tops: set[bytes], data: bytes) -> str | None:
    """What YAML with these keys at its margin configures."""
    if not _FILES.search(data):
        return None
    if re.search(rb"^[ \t]*(?:akhq|kafkahq)[ \t]*:", data, re.M) and b"connections:" in data:
        return "akhq"
    if b"KAFKA_CLUSTERS_0_BOOTSTRAP" in data:
        return "kafka-ui"
    if _LISTED.search(data):
        if b"bootstrapBrokers" in data or b"bootstrap-brokers" in data:
            return "kafka-lag-exporter"
        ours = re.search(
            rb"^[ \t]*kafka:[ \t]*\r?\n(?:[ \t]*#[^\n]*\n)*[ \t]+clusters:", data, re.M
        )
        return "kafka-ui" if ours else None
    if b"kafka" in tops and b"minion" in tops:
        return "kminion"
    named = "console" in path or "kowl" in path
    if tops.intersection(_CONSOLES) or (named and b"kafka" in tops):
        return "redpanda-console"
    return None

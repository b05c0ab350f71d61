"""Options for a JVM that the Java of an image does not know any more: it exits at start."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.containers.environment import Reading
from kcheck.formats.containers.variables import Variable

CODE = "KC0191"

#: The variables that kafka-run-class.sh and the JVM pass on; the script replaces KAFKA_GC_LOG_OPTS.
_VARIABLES = (
    *("KAFKA_OPTS", "KAFKA_JVM_PERFORMANCE_OPTS", "KAFKA_HEAP_OPTS", "KAFKA_JMX_OPTS"),
    *("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"),
)
_OPTION = re.compile(r"(?<!\S)-XX:[+-]?(\w+)")
_TOLERANT = "-XX:+IgnoreUnrecognizedVMOptions"
#: The first Java that does not start with an option (HotSpot's arguments.cpp: expired).
_EXPIRED = {
    **dict.fromkeys(
        (
            *("PrintGCDateStamps", "PrintGCTimeStamps", "PrintGCApplicationStoppedTime"),
            *("PrintHeapAtGC", "PrintTenuringDistribution", "PrintAdaptiveSizePolicy"),
            *("UseGCLogFileRotation", "NumberOfGCLogFiles", "GCLogFileSize"),
        ),
        9,
    ),
    **dict.fromkeys(("UseParNewGC", "UseCGroupMemoryLimitForHeap", "CMSIncrementalMode"), 11),
    "AggressiveOpts": 13,
    **dict.fromkeys(
        (
            *("UseConcMarkSweepGC", "CMSClassUnloadingEnabled", "CMSParallelRemarkEnabled"),
            *("CMSScavengeBeforeRemark", "CMSInitiatingOccupancyFraction"),
            *("UseCMSInitiatingOccupancyOnly", "CMSConcurrentMTEnabled"),
        ),
        15,
    ),
    "MaxPermSize": 17,
    "PermSize": 17,
}
_INSTEAD = {9: "-Xlog:gc*", 11: "the JVM's defaults", 13: "the JVM's defaults", 15: "-XX:+UseG1GC"}
#: The oldest Java of an image, from a version of Kafka on: eclipse-temurin of Apache's Dockerfile,
#: Zulu of Confluent's, Bitnami's own; Kafka 4.0 itself requires 17.
_JAVA = {
    "apache": (("3.7", 21),),
    **dict.fromkeys(
        ("confluent", "confluent-server", "confluent-enterprise", "confluent-connect"),
        (("2.6", 11), ("4.0", 17)),
    ),
    "confluent-local": (("3.4", 11), ("4.0", 17)),
    "bitnami": (("3.0", 11), ("4.0", 17)),
}


def faults(reading: Reading) -> Iterator[tuple[Variable, str, str, str]]:
    """The variable with such an option, message, consequence and fix."""
    java = _java(reading)
    for name in _VARIABLES if java else ():
        variable = reading.variables.get(name)
        text = variable.known if variable is not None else None
        if variable is None or text is None or _TOLERANT in text:
            continue
        for option in _OPTION.finditer(text):
            expired = _EXPIRED.get(option[1])
            if expired is not None and java >= expired:
                instead = _INSTEAD.get(expired, "")
                yield (
                    variable,
                    f"{name} has {option[0].strip()}, which Java {expired} and newer do not know, but "
                    f"{reading.family.name} has Java {java} or newer",
                    "the JVM exits at start: Unrecognized VM option",
                    f"remove {option[0].strip()}" + (f", or use {instead}" if instead else ""),
                )
                break


def _java(reading: Reading) -> int:
    """The oldest Java that the image may have; 0 where that is unknown."""
    found = 0
    for since, java in _JAVA.get(reading.family.id, ()):
        if reading.version.at_least(since):
            found = java
    return found

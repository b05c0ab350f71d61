"""``KAFKA_CREATE_TOPICS``: topics that the image creates when the broker is up.

An entry is ``name:partitions:replicas`` and may end in a cleanup policy, behind which some put
further options of kafka-topics.sh, because the script passes them on.
"""

from __future__ import annotations

from kcheck.formats.containers.variables import Variable
from kcheck.model import Position, Resource, Setting
from kcheck.units import whole

_CONFIG = "--config"


def topics(variable: Variable, separator: str) -> list[Resource]:
    """The topics that the variable names, each number at its own place where that is one line."""
    text = variable.known
    found: list[Resource] = []
    start = 0
    for entry in text.split(separator) if text and separator else ():
        begin = start + len(entry) - len(entry.lstrip())
        start += len(entry) + len(separator)
        parts = entry.strip().split(":")
        name = parts[0].strip()
        if not name:
            continue
        topic = Resource("topic", name, variable.path, _at(variable, begin, begin + len(parts[0])))
        offset = begin + len(parts[0]) + 1
        for fact, part in zip(("partitions", "replication.factor"), parts[1:3], strict=False):
            at = _at(variable, offset, offset + len(part))
            made = Setting(fact, part, variable.path, at, name=variable.name)
            made.amount = whole(part.strip())
            topic.facts[fact] = made
            offset += len(part) + 1
        _options(topic, variable, ":".join(parts[3:]), offset)
        found.append(topic)
    return found


def _options(topic: Resource, variable: Variable, text: str, offset: int) -> None:
    words = text.replace(_CONFIG + "=", _CONFIG + " ").split()
    key = "cleanup.policy"
    pairs: list[tuple[str, str]] = []
    if words and not words[0].startswith("--"):
        pairs.append((key, words.pop(0)))
    while len(words) > 1:
        if words.pop(0) == _CONFIG:
            key, equals, value = words.pop(0).partition("=")
            if equals:
                pairs.append((key, value))
    for key, value in pairs:
        place = text.find(value)
        at = _at(variable, offset + place, offset + place + len(value))
        topic.settings[key] = Setting(key, value, variable.path, at, name=variable.name)


def _at(variable: Variable, start: int, end: int) -> Position:
    """A part of the variable's value; all of it where it is not written as it is read."""
    line, column, last, final = variable.at
    width = len(variable.raw or "")
    if line != last or final - column not in (width, width + 2):
        return variable.at
    column += (final - column - width) // 2
    return line, column + start, line, column + end

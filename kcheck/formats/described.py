"""What ``kafka-topics --describe`` and ``kafka-configs --describe`` print, kept in a text file.

The state of a cluster rather than somebody's intent: effective settings of topics, whole dumps of
brokers, dynamic settings, and for each partition its leader and which replicas are in sync. Read
are the spellings of all versions, several outputs per file and those that a filter has thinned out.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.model import Derived, Document, Partition, Position, Resource
from kcheck.syntax.entry import lines_of
from kcheck.units import whole

FORMAT = "describe-output"

_TOPIC = re.compile(r"\s*Topic:\s*(\S+)\s")
_PARTITION = re.compile(
    r"\s*Topic:\s*(\S+)\s+Partition:\s*(\d+)\s+Leader:\s*(\S+)"
    r"\s+Replicas:[ \t]*([\d,]*)\s+Isr:[ \t]*([\d,]*)"
)
#: What only newer versions print, and only where there is some.
_ELR = re.compile(r"\bElr: ?([\d,]+)")
_ADDING = re.compile(r"\bAdding Replicas: ?([\d,]+)")
_COUNTS = (
    (re.compile(r"\bPartitionCount:\s*(\d+)"), "partitions"),
    (re.compile(r"\bReplicationFactor:\s*(\d+)"), "replication.factor"),
)
_CONFIGS = re.compile(r"\bConfigs:\s*(\S.*)?$")
#: ``Dynamic configs for topic orders are:``, ``Configs for broker 1 are:``, ``… are a=b,c=d``.
_HEADER = re.compile(
    r"\s*(All|Dynamic|Default)? ?[Cc]onfigs for (topic|broker|brokers|group)\b ?(.*?) are:?\s*(\S.*)?$"
)
#: ``Quota configs for user-principal 'a', client-id 'b' are producer_byte_rate=1024.0, …``.
_QUOTA = re.compile(
    r"\s*(?:Quota )?[Cc]onfigs for ((?:(?:the default |default )?(?:user-principal|client-id|ip)"
    r"(?: '[^']*')?(?:, )?)+) are (\S.*)$"
)
_OF_QUOTA = re.compile(r"(user-principal|client-id|ip)(?: '([^']*)')?")
_ENTITIES = {"user-principal": "user", "client-id": "client_id", "ip": "ip"}
_RATE = re.compile(r"(?<!\w)(\w+_rate|request_percentage)=([\d.]+)")
_ENTRY = re.compile(r"\s+([A-Za-z][\w.-]*)=(.*?)( sensitive=(true|false)( synonyms=\{(.*))?)?\s*$")
_SOURCE = re.compile(r"(\w+):")
#: What separates two settings of a list: values hold commas, too.
_NEXT = re.compile(r",(?=[a-z][a-z0-9]*(?:\.[a-z0-9]+)*=)")
_MARK = re.compile(
    rb"^[ \t]*Topic:[^\n]*(PartitionCount:|\tLeader:| Leader:)|^[ \t]*(All |Dynamic |Default )?[Cc]onfigs for "
    rb"(topic|brokers?|group)\b[^\n]* are|^[ \t]*Quota configs for ",
    re.MULTILINE,
)

#: Where a value comes from, in the words of the tool; none of them means Kafka's own default.
_DYNAMIC = ("DYNAMIC_BROKER_CONFIG", "DYNAMIC_DEFAULT_BROKER_CONFIG")
_DEFAULTS = ("", "DEFAULT_CONFIG")
_MOST_SHOWN = 20


def recognise(path: str, data: bytes) -> str | None:
    if b"Topic:" not in data and b"onfigs for " not in data:
        return None
    return FORMAT if _MARK.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    reader = _Reader(document)
    for number, text in enumerate(lines_of(data.decode("utf-8", "replace")), 1):
        reader.line(number, text)
    reader.finish()


class _Reader:
    """Goes through the lines; ``resource`` is whose entries come next."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.resource: Resource | None = None
        #: Whether the output lists what holds by default, too.
        self.everything = False
        self._found: dict[tuple[str, str], Resource] = {}
        self._states: dict[str, dict[int, Partition]] = {}

    def line(self, number: int, text: str) -> None:
        if match := _PARTITION.match(text):
            self._partition(number, text, match)
        elif (match := _TOPIC.match(text)) and ("PartitionCount:" in text or "Configs:" in text):
            self._topic(number, text, match)
        elif match := _QUOTA.match(text):
            self._quota(number, match)
        elif match := _HEADER.match(text):
            self._header(number, text, match)
        elif self.resource is not None and (match := _ENTRY.match(text)):
            self._entry(self.resource, number, match)
        elif text.strip() and not text[0].isspace():
            self.resource = None

    def _made(self, kind: str, name: str, at: Position, plane: str = "") -> Resource:
        """The resource of that name: several outputs of one file may speak of it."""
        made = self._found.get((kind, name))
        if made is None:
            made = Resource(kind, name, self.document.path, at, plane)
            made.traits.described = True
            self._found[kind, name] = made
            self.document.resources.append(made)
        return made

    def _topic(self, number: int, text: str, match: re.Match[str]) -> None:
        topic = self._made("topic", match.group(1), _at(number, match, 1))
        for pattern, fact in _COUNTS:
            found = pattern.search(text)
            if found is not None:
                at = _at(number, found, 1)
                made = Derived(fact, found.group(1), topic.path, at)
                made.amount = whole(found.group(1))
                topic.facts[fact] = made
                if fact == "partitions":  # it has them already
                    topic.facts["current_partitions"] = topic.facts[fact]
        found = _CONFIGS.search(text)
        if found is not None and found.group(1):
            self._listed(topic, number, found.group(1), found.start(1))
        self.resource = None

    def _listed(self, resource: Resource, number: int, text: str, offset: int) -> None:
        """Settings as ``a=b,c=d``."""
        place = 0
        for part in _NEXT.split(text.rstrip()):
            key, equals, value = part.partition("=")
            start = offset + place + len(key) + 2
            at = (number, start, number, start + len(value))
            if equals:
                made = Derived(
                    key, value, resource.path, at, (number, start - len(key) - 1, number, start - 1)
                )
                resource.settings[key] = made
            place += len(part) + 1

    def _partition(self, number: int, text: str, match: re.Match[str]) -> None:
        which = whole(match.group(2))
        if which is None:
            return
        topic = self._made("topic", match.group(1), _at(number, match, 1))
        partition = Partition(which, match.group(3), _at(number, match, 3))
        partition.replicas = _ids(match.group(4))
        partition.isr, partition.isr_at = _ids(match.group(5)), _at(number, match, 5)
        if more := _ELR.search(text, match.end()):
            partition.elr = _ids(more.group(1))
        if more := _ADDING.search(text, match.end()):
            partition.adding = _ids(more.group(1))
        # The same output twice in one file: the later one holds.
        self._states.setdefault(topic.name, {})[which] = partition
        self.resource = None

    def finish(self) -> None:
        """Give the topics the states of their partitions, and a fact that there are some."""
        for name, states in self._states.items():
            topic = self._found["topic", name]
            partitions = list(states.values())
            topic.traits.state = tuple(partitions)
            leaders = ",".join(p.leader or "none" for p in partitions[:_MOST_SHOWN])
            leaders += ",…" if len(partitions) > _MOST_SHOWN else ""
            topic.facts["leaders"] = Derived("leaders", leaders, topic.path, partitions[0].at)

    def _header(self, number: int, text: str, match: re.Match[str]) -> None:
        scope, entity, name, rest = match.groups()
        name = name.strip().strip("'\"")
        at = _at(number, match, 3 if name else 2)
        self.everything = scope == "All"
        if entity in ("topic", "group"):
            self.resource = self._made(entity, name, at)
        elif self.everything and entity == "broker" and name.isdecimal():
            self.resource = self._made("broker", name, at)
            # Kafka prints all that there is, and null for what it does not tell.
            self.resource.traits.dump = True
        else:
            whose = f"broker {name}" if entity == "broker" and name.isdecimal() else "brokers"
            self.resource = self._made("config", whose, at, "broker")
        if rest and "=" in rest:
            self._listed(self.resource, number, rest, match.start(4))

    def _quota(self, number: int, match: re.Match[str]) -> None:
        """Who is limited, and to how much: the tool prints every rate as a fraction."""
        entities = {_ENTITIES[kind]: name or None for kind, name in _OF_QUOTA.findall(match[1])}
        rates = list(_RATE.finditer(match.string, match.start(2)))
        self.resource = None
        if not rates:
            return
        name = ",".join(f"{entity}={value or 'default'}" for entity, value in entities.items())
        at = _at(number, match, 1)
        quota = self._made("quota", name, at)
        for entity, value in entities.items():
            quota.facts[entity] = Derived(entity, value, quota.path, at)
        for rate in rates:
            text = rate[2].removesuffix(".0")
            made = Derived(rate[1], text, quota.path, _at(number, rate, 2), _at(number, rate, 1))
            quota.settings[rate[1]] = made

    def _entry(self, resource: Resource, number: int, match: re.Match[str]) -> None:
        key, value, sensitive, synonyms = match.group(1, 2, 4, 6)
        source = _SOURCE.match(synonyms or "")
        origin = source.group(1) if source is not None else ""
        if self.everything and origin in _DEFAULTS and sensitive != "true":
            return
        raw = None if sensitive == "true" else value
        made = Derived(key, raw, resource.path, _at(number, match, 2), _at(number, match, 1))
        dynamic = resource.kind == "broker" and origin in _DYNAMIC
        (resource.dynamic if dynamic else resource.settings)[key] = made


def _at(number: int, match: re.Match[str], group: int) -> Position:
    return number, match.start(group) + 1, number, match.end(group) + 1


def _ids(text: str) -> list[str]:
    return [part for part in text.split(",") if part]

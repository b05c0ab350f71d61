"""``.properties`` of brokers, controllers, clients, Streams and Connect workers.

Whose file it is, ``properties_kinds`` tells from the keys. What other tools keep in the same
syntax is named where it is known, and passed over.
"""

from __future__ import annotations

from importlib import import_module

from kcheck import libraries
from kcheck.formats import Lookup
from kcheck.formats.connect.connectors import finish, lacking, referred
from kcheck.formats.properties.kinds import classify, may_classify
from kcheck.formats.properties.resources import resource_of
from kcheck.formats.properties.signs import (
    BROKER,
    CLIENT,
    CONNECT,
    CRUISE_CONTROL,
    KSQLDB,
    LIBRDKAFKA,
    LIBRDKAFKA_MARK,
    MICRONAUT,
    MICROPROFILE,
    MIRROR,
    REST_PROXY,
    SCHEMA_REGISTRY,
    SCRIPT,
    SPRING,
    STREAMS,
    ZOOKEEPER,
)
from kcheck.formats.text import templated, written
from kcheck.model import (
    ERROR,
    FAILED,
    INFO,
    PASSED_OVER,
    SKIPPED,
    WARNING,
    Document,
    Problem,
    Resource,
    Setting,
    Torn,
)
from kcheck.syntax.entry import Entry, lines_of
from kcheck.syntax.properties import PropertiesError, decode, parse, torn

_READ = (BROKER, CLIENT, CONNECT, STREAMS, LIBRDKAFKA)
#: Formats in the same syntax with a module of their own, loaded when their first file comes.
_READERS = {
    SPRING: "spring.reader",
    MICROPROFILE: "microprofile.reader",
    MICRONAUT: "micronaut",
    MIRROR: "properties.mirror_maker",
    SCHEMA_REGISTRY: "servers.clients",
    REST_PROXY: "servers.clients",
    KSQLDB: "servers.clients",
    CRUISE_CONTROL: "observers.cruise_control",
    SCRIPT: "commands.scripts",
    ZOOKEEPER: "zookeeper",
}
#: Those whose files hold settings of anything beside Kafka's.
_APPLICATIONS = ("spring.reader", "microprofile.reader", "micronaut")
_BOM = "\ufeff"
#: Lines that begin like this are control flow of a template engine, not keys.
_CONTROL = ("{%", "<%", "{{")
#: An init script of some Kubernetes charts puts the value in place of such a comment, or adds the
#: number of the pod where it is left out.
_INIT = "#init#"
_NUMBERS = ("#node.id=", "#broker.id=")
#: Without one of these a broker's file may be completed elsewhere.
_IDENTITY = frozenset(("node.id", "broker.id"))
#: A file that writes ``null`` this often prints what a broker reported, and sets none of these.
_NULLS_OF_A_DUMP = 3


class _File:
    """One parsed file: its entries, what is wrong with it, and whether Java loads it at all."""

    __slots__ = ("entries", "loads", "problems", "text")

    def __init__(self, data: bytes) -> None:
        self.text = ""
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self.loads = True
        try:
            self.text, remarks = decode(data)
            if remarks and remarks[0].code == "utf16":
                self.loads = False
                self.text = _utf16(data)
            self.entries = parse(self.text)
        except PropertiesError as error:
            self.loads = False
            at = (error.line, error.column, error.line, error.column + 1)
            self.problems.append(Problem(error.message, at))
            # Java stops here; what follows still tells whose file it is.
            self.entries = error.entries + _after(self.text, error.line)
            return
        for remark in remarks:
            at = (remark.line, remark.column, remark.line, remark.column + 1)
            severity = {"utf16": ERROR, "bom": self._harm()}.get(remark.code, WARNING)
            self.problems.append(Problem(remark.message, at, "KC0008", severity))

    def _harm(self) -> str:
        """A mark in front of a comment makes a junk key, in front of a key it takes that away."""
        first = self.entries[0].key.removeprefix(_BOM) if self.entries else ""
        return WARNING if first and not first.startswith(("#", "!")) else INFO


def _utf16(data: bytes) -> str:
    """UTF-16 as its author meant it: to see whose file it is, not to read it."""
    mark = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    encoding = "utf-16" if mark else "utf-16-be" if data[:1] == b"\0" else "utf-16-le"
    return data.decode(encoding, "replace").lstrip(_BOM)


def _after(text: str, line: int) -> list[Entry]:
    found: list[Entry] = []
    for rest in lines_of(text)[line:]:
        try:
            found.extend(parse(rest))
        except PropertiesError:
            continue
    return found


_last: tuple[bytes, _File] | None = None


def _file(data: bytes) -> _File:
    """The parsed file; remembered, because recognising it reads it."""
    global _last
    if _last is None or _last[0] is not data:
        _last = (data, _File(data))
    return _last[1]


def recognise(path: str, data: bytes) -> str | None:
    return classify(path, data, _file(data).entries) if may_classify(path, data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    _take(document, data, lookup)
    if b"SASL" in data and document.resources:
        login = import_module("kcheck.formats.containers.jvm_options").login_beside
        for resource in document.resources:
            found = resource.traits.jaas_file or login(document.path, lookup, resource.kind)
            resource.traits.jaas_file = found


def _take(document: Document, data: bytes, lookup: Lookup) -> None:
    file = _file(data)
    reader = _READERS.get(document.format or "")
    _report_escapes(document, data, file, reader)
    if reader is not None:
        import_module(f"kcheck.formats.{reader}").read(document, data, lookup)
        return
    if document.format not in _READ:
        _others(document, data)
        _strays(document, file.entries)
        return
    if any(entry.key.startswith(_CONTROL) for entry in file.entries):
        document.status = SKIPPED
        document.reason = "an unrendered template"
        return
    document.problems.extend(file.problems)
    if not file.loads:
        document.status = FAILED
        document.reason = document.problems[0].message
        return
    if len(file.entries) > 2 and not any(entry.value for entry in file.entries):
        document.status = PASSED_OVER
        document.reason = "a template: all values are empty"
        return
    resource = resource_of(document, {entry.key: entry for entry in file.entries})
    if isinstance(resource, str):
        document.status = PASSED_OVER
        document.reason = resource
        return
    if resource.kind == "connector" and _is_form(document.path, file.entries):
        document.status = PASSED_OVER
        document.reason = "a template: it has no topics yet"
        return
    document.resources.append(resource)
    _fill(resource, file)
    _complete(resource, lookup)
    if resource.dialect == libraries.LIBRDKAFKA.name and LIBRDKAFKA_MARK in data:
        line = data[: data.index(LIBRDKAFKA_MARK)].count(b"\n") + 1
        at = (line, 1, line, 1 + len(LIBRDKAFKA_MARK))
        resource.facts["client.library"] = Setting("client.library", LIBRDKAFKA, document.path, at)


def _complete(resource: Resource, lookup: Lookup) -> None:
    """Note what others than the file itself have to say of the resource."""
    if resource.kind in ("broker", "controller") and _IDENTITY.isdisjoint(resource.settings):
        # Nearly all brokers have an identity.
        whole = import_module("kcheck.formats.kustomize.whole").completed
        resource.traits.partial = whole(resource.path, lookup)
    if resource.kind in ("broker", "controller"):
        dirs = resource.settings.get("log.dirs") or resource.settings.get("log.dir")
        if dirs is not None and dirs.text:
            composed = import_module("kcheck.formats.unstarted").composed
            resource.traits.composed = composed(resource.path, dirs.text, lookup)
    if resource.kind == "connector":
        finish(resource)


#: The sink of Debezium Server, and before the keys of its producer.
_SINK, _PRODUCER = "debezium.sink.kafka.", "debezium.sink.kafka.producer."


def _strays(document: Document, entries: list[Entry]) -> None:
    """Report keys of the producer of Debezium Server that lack its prefix."""
    for entry in entries:
        key = entry.key.removeprefix(_SINK)
        if key == entry.key or entry.key.startswith(_PRODUCER):
            continue
        from kcheck.formats import unknown_fields  # few files are Debezium Server's

        if unknown_fields.is_raw_key(key):
            unknown_fields.of_prefix(
                document,
                "debezium-server",
                "Debezium Server",
                entry.key,
                f"{_PRODUCER}{key}",
                entry.key_at,
            )


def _others(document: Document, data: bytes) -> None:
    """A program's file that has no reader of its own: of its keys those of Kafka's clients are read."""
    import_module("kcheck.formats.clients.files").take_properties(document, data)
    if not document.resources:
        document.status = PASSED_OVER
        document.reason = "kcheck does not support this format yet"


def _report_escapes(document: Document, data: bytes, file: _File, reader: str | None) -> None:
    """Report backslashes that the file loses, where it is read at all."""
    javas = reader is not None or document.format in _READ
    if b"\\" in data and javas and document.format not in (LIBRDKAFKA, SCRIPT):
        from kcheck.formats.properties import backslashes

        backslashes.report(document, file.entries, file.text, reader in _APPLICATIONS)


def _is_form(path: str, entries: list[Entry]) -> bool:
    """Whether somebody is to fill in what a connector reads: Connect takes none without topics."""
    values = {entry.key: entry.value for entry in entries}
    reads = "sink" in values.get("connector.class", "").lower()
    named = reads and "template" in path.rpartition("/")[2].lower()
    left_out = "" if named and "" in values.values() else "?"
    return not (values.get("topics", left_out).strip() or values.get("topics.regex", "").strip())


def _fill(resource: Resource, file: _File) -> None:
    dump = sum(entry.value == "null" for entry in file.entries) >= _NULLS_OF_A_DUMP
    resource.traits.dump = dump
    quotes = resource.path.endswith(".conf")
    # One file for several nodes: somebody puts in what differs.
    form = any(entry.key in _IDENTITY and not entry.value for entry in file.entries)
    for number, entry in enumerate(file.entries):
        # Java takes the mark for a part of the key, so that the key itself stays unset.
        if templated(entry.key) or entry.key.startswith(_BOM) or (dump and entry.value == "null"):
            continue
        made = written(entry.key, entry.value, resource.path, entry.at, entry.key_at)
        if (form and not entry.value) or (quotes and _quoted(entry.value)):
            made = Setting(entry.key, None, resource.path, entry.at, entry.key_at)
        elif type(made) is Setting and (keys := torn(file.entries, number)):
            made = Torn(entry.key, entry.value, resource.path, entry.at, entry.key_at)
            made.keys = keys
        if entry.key in resource.settings:
            resource.earlier.append((resource.settings[entry.key], made))
        resource.settings[entry.key] = made
        if "${" in entry.value and not entry.key.startswith("config.providers"):
            referred(resource, made, entry.value)
    if resource.traits.providers and resource.dialect == "java" and resource.kind != "connector":
        lacking(resource)
    if "\\" in file.text and resource.dialect == "java":
        _patterns(resource, file)
    if _INIT in file.text or any(number in file.text for number in _NUMBERS):
        _leave_to_script(resource, file)


def _quoted(value: str) -> bool:
    """HOCON, whose quotes are no part of the value: not for Java's reader of properties."""
    return value.startswith('"') and value.endswith('"')


def _patterns(resource: Resource, file: _File) -> None:
    """Note where a regular expression loses a backslash."""
    from kcheck.formats.properties import backslashes  # few files have any

    lines = lines_of(file.text)
    told = resource.settings.get("connector.class")
    mirrors = told is not None and "Mirror" in (told.text or "")
    for entry in file.entries:
        setting = resource.settings.get(entry.key)
        if setting is not None and setting.at == entry.at:
            backslashes.note(resource, setting, backslashes.raw_of(entry, lines), mirrors)


def _leave_to_script(resource: Resource, file: _File) -> None:
    """Add the keys whose values an init script puts in: nobody knows them here."""
    for number, line in enumerate(lines_of(file.text), 1):
        left_out = line.strip() in _NUMBERS
        key, equals, _ = line.removeprefix("#" if left_out else _INIT).strip().partition("=")
        if equals and (left_out or line.startswith(_INIT)) and key not in resource.settings:
            at = (number, 1, number, len(line) + 1)
            resource.settings[key] = Setting(key, None, resource.path, at)

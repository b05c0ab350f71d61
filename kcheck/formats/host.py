"""What a broker's host allows, where people keep it: sysctl, limits.conf, systemd units, BOSH's bpm.

Such a file says nothing of Kafka's own: it belongs to the brokers that lie near it, if any do.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup, unit_faults
from kcheck.formats.containers.container import heap
from kcheck.formats.folders import names_in
from kcheck.formats.kubernetes.beside import cover
from kcheck.formats.scalars import documents, nothing
from kcheck.formats.text import templated
from kcheck.model import START, Document, Position, Resource, Setting
from kcheck.model.processes import A_BROKER, Process
from kcheck.syntax import yaml
from kcheck.syntax.entry import lines_of
from kcheck.units import seconds, whole

SYSCTL, LIMITS, SYSTEMD, BPM = "sysctl", "limits-conf", "systemd", "bpm"

_SYSCTL = re.compile(r"\s*+(?:-\s*+)?(vm\.max_map_count)\s*=\s*(\d+)\s*$")
#: ``kafka soft nofile 100000``; what holds for everybody holds for Kafka, too.
_LIMIT = re.compile(r"\s*(@?kafka|\*)\s+(soft|-)\s+nofile\s+(\d+)\s*(#.*)?$")
_UNIT = re.compile(r"\s*(LimitNOFILE|MemoryMax|MemoryLimit|Environment)\s*=\s*(.*)$")
_HEAP_OPTIONS = re.compile(r"KAFKA_HEAP_OPTS=[\"']?(.*?)(?:\"|'|$)")
#: systemd's units are powers of 1024.
_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"(\d{1,18})([KMGT]?)")


def recognise(path: str, data: bytes) -> str | None:
    folder, _, name = path.rpartition("/")
    if name.endswith(".service") or folder.endswith(".service.d"):
        ours = b"kafka" in data.lower() or "kafka" in path
        return SYSTEMD if ours and b"[Service]" in data else None
    if name.startswith("sysctl") or folder.endswith("sysctl.d"):
        return SYSCTL if b"vm.max_map_count" in data else None
    if name.startswith("limits") or folder.endswith(("limits.d", "security")):
        return LIMITS if (b"nofile" in data and b"soft" in data) or b"- nofile" in data else None
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    resource = Resource("host", document.path, document.path, START)
    if document.format == BPM:
        _bpm(document, data, resource)
    elif document.format == SYSTEMD:
        _systemd(document, resource, data, lookup)
    else:
        line_of = _sysctl if document.format == SYSCTL else _limit
        for number, line in enumerate(lines_of(data.decode("utf-8", "replace")), 1):
            if not line.lstrip().startswith(("#", ";")):
                line_of(resource, number, line)
    if resource.facts:
        first = next(iter(resource.facts.values()))
        resource.at = (first.at[0], 1, first.at[0], 1)
        document.resources.append(resource)
    nothing(document, "contains no limit relevant to a broker")


def _fact(resource: Resource, name: str, text: str, at: Position, value: int | None) -> None:
    made = Setting(name, text, resource.path, at)
    made.amount = value
    resource.facts[name] = made


def _span(number: int, match: re.Match[str], group: int, shift: int = 0) -> Position:
    return number, match.start(group) + 1 - shift, number, match.end(group) + 1 - shift


def _sysctl(resource: Resource, number: int, line: str) -> None:
    found = _SYSCTL.match(line)
    if found is not None:
        _fact(resource, found[1], found[2], _span(number, found, 2), whole(found[2]))


def _limit(resource: Resource, number: int, line: str) -> None:
    found = _LIMIT.match(line)
    if found is not None and not (found[1] == "*" and resource.traits.own_limit):
        # A limit of Kafka's own wins over everybody's, wherever it stands.
        _fact(resource, "nofile", found[3], _span(number, found, 3), whole(found[3]))
        if found[1] != "*":
            resource.traits.own_limit = True


#: A line of a unit without blanks at its end, with its number, its file, and by how much its columns
#: are too large.
_Line = tuple[str, int, str, int]


def _systemd(document: Document, resource: Resource, data: bytes, lookup: Lookup) -> None:
    """A unit with what is laid over it: its drop-ins, and the files of its environment."""
    lines = _lines(document.path, data)
    for path in _beside(f"{document.path}.d/", lookup):
        told = lookup(path)
        if told is not None:
            lines += _lines(path, told)
            cover(document, path)
    known = True
    for named in _environment_files(lines):
        path = _within(document.path, named.lstrip("-"), lookup)
        told = lookup(path) if path else None
        known = known and told is not None
        if told is not None:
            lines += _assigned(_lines(path, told))
            cover(document, path)
    for path, number, line, shift in lines:
        resource.path = path
        _unit(resource, number, line, shift)
    resource.path = document.path
    if not known:
        resource.facts.pop("heap", None)
    unit_faults.tell(document, lines)
    _started(document, resource, lines, known)


_ENVIRONMENT = "Environment="
_OF_FILES = re.compile(r"\s*EnvironmentFile\s*=\s*(.*)$")
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)=([\"']?)(.*?)\2$")
#: So many files are laid over one unit.
_MOST = 20


def _lines(path: str, data: bytes) -> list[_Line]:
    lines = enumerate(lines_of(data.decode("utf-8", "replace")), 1)
    return [
        (path, at, line.rstrip(), 0)
        for at, line in lines
        if not line.lstrip().startswith(("#", ";"))
    ]


def _assigned(lines: list[_Line]) -> list[_Line]:
    """The lines of a file of variables as those of a unit."""
    made: list[_Line] = []
    for path, number, line, _ in lines:
        found = _ASSIGNED.match(line)
        if found is not None:
            before = f"{_ENVIRONMENT}{found[1]}="
            made.append((path, number, before + found[3], len(before) - found.start(3)))
    return made


def _beside(folder: str, lookup: Lookup) -> list[str]:
    """The drop-ins of a unit in the order in which systemd reads them."""
    names = names_in(folder, lookup) or ()
    return [folder + name for name in sorted(names) if name.endswith(".conf")][:_MOST]


def _environment_files(lines: list[_Line]) -> list[str]:
    """The files that a unit takes variables from; an empty one takes back those before it."""
    found: list[str] = []
    for _, _, line, _ in lines:
        named = _OF_FILES.match(line)
        if named is not None:
            found = [*found, named[1]] if named[1] else []
    return found[:_MOST]


def _within(unit: str, named: str, lookup: Lookup) -> str:
    """The file of the project that a path on the host names: in a tree of the host's files, else
    beside the unit; "" where there is none."""
    if templated(named) or not named.startswith("/"):
        return ""
    root = re.match(r"(.*?)(?:etc|usr/lib|lib)/systemd/system/", unit)
    folder = unit.rpartition("/")[0]
    beside = f"{folder}/{named.rpartition('/')[2]}".lstrip("/")
    for path in (f"{root[1]}{named[1:]}" if root is not None else "", beside):
        if path and lookup(path) is not None:
            return path
    return ""


def _unit(resource: Resource, number: int, line: str, shift: int) -> None:
    found = _UNIT.match(line)
    if found is None or templated(found[2]):
        return
    name, text, at = found[1], found[2], _span(number, found, 2, shift)
    if name == "LimitNOFILE":
        soft = text.partition(":")[0]
        if whole(soft) is not None:  # infinity is no number
            _fact(resource, "nofile", soft, (*at[:3], at[1] + len(soft)), whole(soft))
    elif name == "Environment":
        options = _HEAP_OPTIONS.search(text)
        if options is not None:
            start = at[1] + options.start(1)
            place = (number, start, number, start + len(options[1]))
            heap(resource, Setting("heap", options[1], resource.path, place))
    else:
        size = _SIZE.fullmatch(text)
        if size is not None:
            _fact(resource, "ram", text, at, int(size[1]) * _SIZES[size[2]])


def _started(document: Document, resource: Resource, lines: list[_Line], known: bool) -> None:
    """Tell the process of a unit that starts another program than a broker: its memory is its own."""
    from kcheck.formats.containers import running
    from kcheck.formats.containers.variables import Variable

    starts = [line for _, _, line, _ in lines if line.lstrip().startswith("ExecStart=")]
    start = next((one for one in reversed(starts) if one.partition("=")[2].strip()), "")
    kind = running.started_by(start)
    if kind is None:
        return
    if kind is running.BROKER:
        _grace(document, lines)
        return
    variables: dict[str, Variable] = {}
    for path, number, line, shift in lines:
        known = known and not line.lstrip().startswith("PassEnvironment")
        for found in _VARIABLE.finditer(line) if _UNIT.match(line) else ():
            place = _span(number, found, 2, shift)
            variables[found[1]] = Variable(found[1], found[2], path, place)
    made = running.process(kind, document.path, document.path, START, variables, known, start)
    made.memory = resource.facts.pop("ram", None)
    resource.facts.pop("heap", None)
    if made.memory is not None:
        made.memory.key = made.memory.name = "MemoryMax"
    document.processes = (made,)


def _grace(document: Document, lines: list[_Line]) -> None:
    """Tell the broker of a unit whose time to stop is written; its memory is a fact of the host."""
    for path, number, line, _ in lines:
        found = _STOP.match(line)
        if found is not None and not templated(found[2]):
            made = Process(A_BROKER, document.path, document.path, START)
            made.grace = Setting(found[1], found[2], path, _span(number, found, 2))
            plain = whole(found[2])
            made.grace.amount = seconds(found[2]) if plain is None else plain
            document.processes = (made,)


#: The last one counts. What has no end is 0 or infinity.
_STOP = re.compile(r"\s*(TimeoutStopSec|TimeoutSec)\s*=\s*([1-9].*)$")
#: One assignment of an Environment= line, quoted or not.
_VARIABLE = re.compile(r"(?<![\w$])([A-Z_][A-Z0-9_]*)=([^\"'\n]*?)(?=[\"'\n]|$|\s[A-Z_]+=)")


def _bpm(document: Document, data: bytes, resource: Resource) -> None:
    for node in documents(document, data):
        for process in yaml.items(yaml.child(node, "processes")):
            if "kafka" not in (yaml.text(yaml.child(process, "name")) or ""):
                continue
            limit = yaml.child(process, "limits", "open_files")
            count = yaml.text(limit)
            if limit is not None and whole(count) is not None:
                _fact(resource, "nofile", count or "", yaml.position(limit), whole(count))

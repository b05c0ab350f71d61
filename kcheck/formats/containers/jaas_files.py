"""Files with the logins of a JVM (JAAS), which an option of it names: as the JVM takes them apart.

Each section has login modules, each with a control flag and options. What Kafka takes of them is what
``sasl.jaas.config`` says elsewhere: of a container whose file is in the project, brokers and clients
get their logins of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping

from kcheck.formats import Lookup
from kcheck.formats.text import templated, unrendered
from kcheck.model import ERROR, PASSED_OVER, SKIPPED, Derived, Document, Position, Problem, Resource

FORMAT = "jaas"
_SECTION = re.compile(
    # What was taken stays taken: a line of ### would be so many comments otherwise.
    rb"^[ \t]*+[\w.-]++\s*+\{\s*+(?:(?://|#)[^\n]*+\s*+)*+[\w.$]*LoginModule\b",
    re.MULTILINE,
)
_TOKEN = re.compile(
    r"(?P<skip>/\*.*?(?:\*/|\Z)|/[^\n]*|\s+)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\")|(?P<word>[A-Za-z_$*\x80-\uffff][\w.$*-]*)|(?P<mark>.)",
    re.DOTALL,
)
_FLAGS = ("required", "requisite", "sufficient", "optional")
_SERVER, _CLIENT = "KafkaServer", "KafkaClient"
_JAAS, _MECHANISMS = "sasl.jaas.config", "sasl.enabled.mechanisms"
_NAMED = re.compile(r"-Djava\.security\.auth\.login\.config==?[\"']?(?:file:)?([^\s\"']+)")
#: The end of the class that a mechanism of Kafka's own needs.
_MODULES = {
    "PLAIN": "PlainLoginModule",
    "SCRAM-SHA-256": "ScramLoginModule",
    "SCRAM-SHA-512": "ScramLoginModule",
    "GSSAPI": "Krb5LoginModule",
    "OAUTHBEARER": "OAuthBearerLoginModule",
}

#: A file of a container: its path in the project, and its bytes.
Found = tuple[str, bytes]


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if b"LoginModule" in data and _SECTION.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    """Say where the JVM refuses the file; what it says counts for the containers that name it."""
    document.status, document.reason = (
        PASSED_OVER,
        "logins of a JVM, read where a container names it",
    )
    text = data.decode("utf-8", "replace")
    if unrendered(data) or "${" in re.sub(r'"[^"\n]*"', "", text):
        document.status, document.reason = SKIPPED, "an unrendered template"
        return
    problem = _Reader(text).problem
    if problem is not None:
        document.problems.append(problem)
        document.status, document.reason = "", ""


class Entry:
    """One login module of a section, as text, and where it stands."""

    __slots__ = ("at", "module", "text")

    def __init__(self, module: str, text: str, at: Position) -> None:
        self.module = module
        self.text = text
        self.at = at


class _Refused(Exception):
    """What the JVM says that it expected, and at which token."""


class _Reader:
    """The sections of a text, or what is wrong with it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._tokens = [one for one in _TOKEN.finditer(text) if one.lastgroup != "skip"]
        self._at = 0
        self.sections: dict[str, list[Entry]] = {}
        self.problem: Problem | None = None
        try:
            while self._at < len(self._tokens):
                self._section()
        except _Refused as refused:
            self.problem = self._told(str(refused))

    def _told(self, expected: str) -> Problem:
        at = self._place(self._at)
        return Problem(
            f"not a valid JAAS file: {expected}",
            at,
            "KC0001",
            ERROR,
            "the JVM that is given the file does not start the login: configuration error",
        )

    def _place(self, number: int) -> Position:
        end = len(self._text.rstrip())
        start, stop = self._tokens[number].span() if number < len(self._tokens) else (end, end)
        first, last = bisect_right(self._starts, start), bisect_right(self._starts, stop)
        return (
            first,
            start - self._starts[first - 1] + 1,
            last,
            stop - self._starts[last - 1] + 1,
        )

    def _take(self, expected: str, mark: str = "") -> str:
        """The next token, which has to be a word or a text, or the mark."""
        found = self._tokens[self._at] if self._at < len(self._tokens) else None
        right = found is not None and (
            found[0] == mark if mark else found.lastgroup in ("word", "text")
        )
        if found is None or not right:
            raise _Refused(f"{expected} is missing")
        self._at += 1
        return found[0].strip('"')

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _section(self) -> None:
        begun = self._at
        name = self._take("the name of a section")
        if name in self.sections:
            self._at = begun
            raise _Refused(f"section {name} is there twice")
        entries = self.sections[name] = []
        self._take(f"the {{ of section {name}", "{")
        while self._peek() != "}":
            entries.append(self._entry())
        self._take("}", "}")
        self._take(f"the ; after section {name}", ";")

    def _entry(self) -> Entry:
        begun = self._at
        module = self._take("the class of a login module")
        flag = self._at
        if self._take(f"the control flag of {module}").lower() not in _FLAGS:
            self._at = flag
            raise _Refused(f"a control flag ({', '.join(_FLAGS)}) is missing")
        while self._peek() != ";":
            name = self._take(f"the ; after the options of {module}")
            self._take(f"the = behind {name}", "=")
            self._take(f"a word or a text in double quotes as {name}")
        self._take("the ;", ";")
        first, last = self._tokens[begun].start(), self._tokens[self._at - 1].end()
        at = (*self._place(begun)[:2], *self._place(self._at - 1)[2:])
        return Entry(module, self._text[first:last], at)


def named(variables: Mapping[str, Variable]) -> str:
    """The one file with logins that the options among the variables name; "" for none, or several."""
    found = {
        path
        for one in variables.values()
        for path in _NAMED.findall(one.known or "")
        if one.name.endswith(("_OPTS", "_OPTIONS", "_ARGS"))
    }
    return found.pop() if len(found) == 1 else ""


def give(resource: Resource, path: str, find: Callable[[str], Found | None]) -> None:
    """Give a resource the logins of the file that its JVM is told; ``find`` opens files of the
    container. Where the file has no section for it, the resource has no such file."""
    found = find(path) if path else None
    if found is None or unrendered(found[1]):
        return
    reader = _Reader(found[1].decode("utf-8", "replace"))
    if reader.problem is not None:
        return
    if resource.kind in ("broker", "controller"):
        for listener in _listeners(resource):
            _listener(resource, listener, reader.sections, found[0])
    elif _JAAS not in resource.settings:
        entries = reader.sections.get(_CLIENT)
        if entries is None:
            _lacks(resource, found[0])
        elif len(entries) == 1:
            resource.settings[_JAAS] = _login(_JAAS, entries[0], found[0], _CLIENT)


def judge(resource: Resource, paths: list[str], lookup: Lookup) -> None:
    """Say of a resource with such a file, which may be any of ``paths``, that none has its section."""
    held = [(path, data) for path in paths if (data := lookup(path)) is not None]
    section = _SERVER if resource.kind in ("broker", "controller") else _CLIENT
    for _, data in held:
        reader = _Reader(data.decode("utf-8", "replace"))
        if unrendered(data) or reader.problem is not None or section in reader.sections:
            return
    if held:
        _lacks(resource, held[0][0])


def _listener(resource: Resource, name: str, sections: dict[str, list[Entry]], path: str) -> None:
    entries = sections.get(f"{name}.{_SERVER}", sections.get(_SERVER))
    if entries is None:
        _lacks(resource, path)
        return
    prefix = f"listener.name.{name}."
    told = resource.settings.get(prefix + _MECHANISMS) or resource.settings.get(_MECHANISMS)
    offered = told.text if told is not None else "GSSAPI"
    for mechanism in (offered or "").upper().replace(" ", "").split(","):
        key = f"{prefix}{mechanism.lower()}.{_JAAS}"
        ours = [e for e in entries if e.module.endswith(_MODULES.get(mechanism, "\0"))]
        if len(ours) == 1 and key not in resource.settings:
            resource.settings[key] = _login(key, ours[0], path, _SERVER)


def _lacks(resource: Resource, path: str) -> None:
    """Note that the file has no section for a resource."""
    resource.traits.jaas_file, resource.traits.jaas_lacks = False, path


def _login(key: str, entry: Entry, path: str, section: str) -> Derived:
    text = None if templated(entry.text) else entry.text
    return Derived(key, text, path, entry.at, entry.at, section)


def _listeners(resource: Resource) -> list[str]:
    """The listeners of a broker whose protocol is known to have logins."""
    texts = [resource.settings.get(key) for key in ("listeners", "listener.security.protocol.map")]
    listed, mapped = ((one.text or "") if one is not None else "" for one in texts)
    if any(one is not None and one.text is None for one in texts):
        return []
    protocols = dict(part.strip().upper().partition(":")[::2] for part in mapped.split(","))
    names = [part.partition("://")[0].strip().upper() for part in listed.split(",")]
    return [one.lower() for one in names if protocols.get(one, one).startswith("SASL_")]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.containers.variables import Variable

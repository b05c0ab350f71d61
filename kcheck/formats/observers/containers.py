"""Programs that watch clusters in containers: what their variables and arguments make of a client.

kafka-ui has its clusters as Spring's numbered variables, AKHQ and Redpanda Console can have a whole
file in one, kafdrop properties in base64, and the exporter has arguments alone.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence

from kcheck.formats import requirements
from kcheck.formats.embedded import Inlay, placed
from kcheck.formats.fact_trees import Fact
from kcheck.formats.observers import clients as observers
from kcheck.formats.observers.clients import (
    AKHQ,
    CONSOLE,
    EXPORTER,
    KAFDROP,
    KAFKA_UI,
    KARAPACE,
    Option,
)
from kcheck.formats.observers.signs import program_of
from kcheck.model import Document, Position, Resource
from kcheck.syntax import yaml
from kcheck.syntax.properties import PropertiesError, parse

_CLUSTER = re.compile(r"KAFKA_CLUSTERS_(\d{1,4})_(\w+)")
_OWN = {
    "BOOTSTRAPSERVERS": "bootstrapServers",
    "BOOTSTRAP_SERVERS": "bootstrapServers",
    "SSL_TRUSTSTORELOCATION": "ssl.truststoreLocation",
    "SSL_TRUSTSTORE_LOCATION": "ssl.truststoreLocation",
}
_RAW = "PROPERTIES_"
#: Variables that hold a whole file.
_TEXTS = {AKHQ: "AKHQ_CONFIGURATION", CONSOLE: "CONSOLE_CONFIG_FILE"}
_FILE = "KAFKA_PROPERTIES"
#: A longer text is no properties file.
_LONGEST = 100_000
#: The first number of an image's tag.
_MAJOR = re.compile(r":v?(\d{1,3})\.")
#: A word of the exporter's arguments.
_WORD = re.compile(r"\S+")

#: A word of a command, and where it stands.
Word = tuple[str, Position]


class _Laid(Inlay):
    """A text in the block scalar that is a variable's value."""

    __slots__ = ()

    def __init__(self, text: str, at: Position, lines: list[str]) -> None:
        self.text = text
        self._whole = at
        self._line = at[0]
        self._indent = self._indented(lines) if at[2] > at[0] else -1


def clients(
    document: Document,
    name: str,
    image: str,
    variables: Mapping[str, Variable],
    words: Sequence[Word],
    at: Position,
    deployer: str,
    complete: bool,
    lines: list[str],
) -> list[Resource]:
    """Add the clients of the program that a container runs.

    ``complete``: the variables are all, and nothing is mounted. ``lines`` are those of the file.
    """
    before = len(document.resources)
    program = program_of(image, variables)
    text = variables.get(_TEXTS.get(program, ""))
    if program == EXPORTER:
        options, plain = _arguments(words)
        observers.client(document, program, name, options, at, plain)
    elif program == KAFKA_UI:
        for cluster, options in _numbered(variables).items():
            called = variables.get(f"KAFKA_CLUSTERS_{cluster}_NAME")
            own = (called.known if called is not None else "") or cluster
            observers.client(document, program, own, options, at, complete and not words)
    elif text is not None:
        _file(document, name, text, lines, _holders(program, image)[1:])
    elif program == KAFDROP:
        _kafdrop(document, name, variables, at, complete and not words)
    elif program and program != AKHQ:
        told = observers.variables(program)
        options = [_option(told[one.name], one) for one in variables.values() if one.name in told]
        # Karapace's modules are started by python, with its file as an argument up to 4.
        bare = (
            not any(word.endswith(".json") for word, _ in words)
            if program == KARAPACE
            else not words
        )
        whole = complete and bare and "CONFIG_FILEPATH" not in variables
        observers.client(document, program, name, options, at, whole)
    if program:
        _judge(document, program, name, variables, words, complete, _holders(program, image))
    made = document.resources[before:]
    for resource in made:
        resource.traits.deployer = deployer
        resource.name = f"{name}/{resource.name}" if len(made) > 1 else name
    return made


def _judge(
    document: Document,
    program: str,
    name: str,
    variables: Mapping[str, Variable],
    words: Sequence[Word],
    complete: bool,
    holders: tuple[str, ...],
) -> None:
    """Report what the variables or arguments of a program have that it refuses."""
    if program == EXPORTER:
        options, plain = _arguments(words)
        told = [
            (
                one.written,
                Fact(one.written, one.written, one.text, one.at, one.name_at),
            )
            for one in options
        ]
        told += _valued(words)
        requirements.of_options(document, program, name, told, program, plain)
        return
    here = [one for one in variables.values() if one.path == document.path]
    told = [(one.name, _fact(one, one.known)) for one in here]
    for one in here if program == KAFDROP else ():
        # What stands around a placeholder is no base64 either; a placeholder alone may be all of it.
        around = _FILLED.sub("", one.frame or "") if one.known is None else ""
        told += [(one.name, _fact(one, around))] if around and not _OPEN.search(around) else ()
    for one in here if program == KAFKA_UI else ():
        match = _CLUSTER.fullmatch(one.name.upper())
        if match is not None:
            told.append(("clusters", _fact(one, match[1])))
            told.append((f"clusters/{match[2]}", _fact(one, one.known)))
    whole = complete and len(here) == len(variables)
    for holder in holders:
        requirements.of_options(document, f"{holder} variables", name, told, program, whole)


#: What something fills in, and marks of what may be anything.
_OPEN = re.compile(r"[$`{}<>%]")
_FILLED = re.compile(r"\$\{[^{}]{0,200}\}|\$\w{1,100}")


def _fact(variable: Variable, text: str | None) -> Fact:
    return Fact(variable.name, variable.name, text, variable.at, variable.key_at)


def _option(name: str, variable: Variable) -> Option:
    return Option(name, variable.known, variable.key_at, variable.at, variable.name)


def _numbered(variables: Mapping[str, Variable]) -> dict[str, list[Option]]:
    """kafka-ui's options by cluster; an underscore is a dot in raw keys."""
    found: dict[str, list[Option]] = {}
    for variable in variables.values():
        match = _CLUSTER.fullmatch(variable.name.upper())
        if match is None:
            continue
        rest = match[2]
        name = _OWN.get(rest, "")
        if rest.startswith(_RAW):
            name = f"properties.{rest[len(_RAW) :].lower().replace('_', '.')}"
        if name:
            found.setdefault(match[1], []).append(_option(name, variable))
    return found


def _holders(program: str, image: str) -> tuple[str, ...]:
    """By which requirements go for a program: its name, and its name with the first number of the tag."""
    major = _MAJOR.search(image)
    return (program, f"{program}-{major[1]}") if major is not None else (program,)


def _file(
    document: Document, name: str, variable: Variable, lines: list[str], holders: tuple[str, ...]
) -> None:
    """The clients of a file that is the value of a variable, at their places where they can be told."""
    from kcheck.formats.observers import files as observer_files

    if variable.raw is None:
        return
    nodes, problem = yaml.documents(variable.raw.encode())
    if problem is not None:
        return
    inner = Document(variable.path)
    for node in nodes:
        observer_files.search(inner, node, name)
        for holder in holders:
            requirements.of_node(inner, holder, name, node, holder)
    same = variable.path == document.path
    laid = _Laid(variable.raw, variable.at, lines if same else [])
    placed(inner.resources, laid, variable.path)
    for problem in inner.problems if same else ():
        problem.at = laid.place(problem.at)
        if problem.setting is not None:
            problem.setting.at = problem.at
        document.problems.append(problem)
    document.resources.extend(inner.resources)


def _kafdrop(
    document: Document, name: str, variables: Mapping[str, Variable], at: Position, complete: bool
) -> None:
    told = observers.variables(KAFDROP)
    options = [_option(told[one.name], one) for one in variables.values() if one.name in told]
    for variable in variables.values():
        if variable.name == _FILE:
            made = _decoded(variable)
            complete = complete and made is not None
            options += made or ()
        elif variable.name.startswith("KAFKA_") and variable.name not in told:
            complete = False  # deprecated ways to say what the file says
    observers.client(document, KAFDROP, name, options, at, complete)


def _decoded(variable: Variable) -> list[Option] | None:
    """The properties in base64; None where they are not known."""
    text = "".join((variable.known or "").split())
    if not text or len(text) > _LONGEST:
        return None
    try:
        entries = parse(base64.b64decode(text, validate=True).decode())
    except (ValueError, PropertiesError):
        return None
    found = [
        Option(f"properties.{one.key}", one.value, variable.key_at, variable.at, one.key)
        for one in entries
    ]
    for option in found:
        option.literal = False
    return found


def _arguments(words: Sequence[Word]) -> tuple[list[Option], bool]:
    """The exporter's options, and whether they are all: a shell's command may have others."""
    parts = [*parted(words)]
    found: dict[str, Option] = {}
    plain, at = True, 0
    while at < len(parts):
        text, place = parts[at]
        at += 1
        if not text.startswith("-"):
            plain = plain and ("exporter" in text and not at > 1)
            continue
        name, equals, value = text.lstrip("-").partition("=")
        if not equals and name == "kafka.server" and at < len(parts):
            value, place = parts[at]
            at += 1
        elif not equals:
            name, value = (name[3:], "false") if name.startswith("no-") else (name, "true")
        if "$" in value:
            plain = plain and name not in ("tls.enabled", "sasl.enabled")
        before = found.get(name) if name == "kafka.server" else None
        joined = f"{before.text},{value}" if before is not None and before.text else value
        made = Option(name, None if "$" in joined else joined, place, place, f"--{name}")
        if before is not None:
            made.at, made.name_at = before.at, before.name_at
        found[name] = made
    return [*found.values()], plain


def _valued(words: Sequence[Word]) -> Iterator[tuple[str, Fact]]:
    """The options that have their value behind =, under their names with it."""
    for text, at in parted(words):
        option, equals, value = text.partition("=")
        if equals and option.startswith("--"):
            yield f"{option[2:]}=", Fact(option, option, value, at, at)


def parted(words: Sequence[Word]) -> Iterator[Word]:
    """The words of arguments that stand in one text, each at its place where that can be told."""
    for text, at in words:
        exact = at[0] == at[2] and at[3] - at[1] - len(text) in (0, 2)
        shift = at[1] + (1 if at[3] - at[1] > len(text) else 0)
        for match in _WORD.finditer(text):
            start, end = shift + match.start(), shift + match.end()
            yield match[0].strip("\"'"), (at[0], start, at[2], end) if exact else at


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.containers.variables import Variable

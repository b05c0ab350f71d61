"""The tasks of a Nomad job → brokers, workers and clients; ``nomad`` recognises such files.

What Nomad or Consul fill in, in ``${…}`` and in templates, is unknown. A template is a file of
properties, or one of variables where it says ``env = true``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcheck.formats.containers import nomad_running
from kcheck.formats.containers import programs as program_containers
from kcheck.formats.containers.container import Image, container
from kcheck.formats.containers.variables import Variable
from kcheck.formats.embedded import Inlay, placed
from kcheck.formats.observers import signs as observer_signs
from kcheck.formats.text import overgrown, unrendered
from kcheck.model import NOMAD, PASSED_OVER, SKIPPED, Document, Problem, Resource
from kcheck.syntax.dotenv import DotenvError, parse
from kcheck.syntax.hcl import MOST_EVALUATED, Block, Entry, File, Scalar

#: What lies between a job and its tasks.
_HOLDERS = ("job", "group")
_COMMANDS = ("command", "args", "entrypoint")
_FILES = ("volumes", "mount", "mounts")
_CONTROL = "{{"
#: What begins a part of a template that may be there several times, or not at all, and what ends it.
_OPENS = re.compile(r"\{\{-?[ \t]*(?:range|if|with|define|block)\b")
_ENDS = re.compile(r"\{\{-?[ \t]*end\b")


def read(document: Document, data: bytes) -> None:
    file = File(data, document.path)
    for block in file.blocks:
        _search(document, block, [])
    if file.overgrown:
        document.problems.append(overgrown(f"{MOST_EVALUATED:,} steps"))
    if file.faulty and not unrendered(data):
        found = file.fault()
        if found is not None:
            document.problems.append(Problem(f"not valid HCL: {found[0]}", found[1]))
    if not document.resources and not document.problems:
        document.status = SKIPPED if file.faulty else PASSED_OVER
        document.reason = (
            "not readable as HCL" if file.faulty else "contains no task with a Kafka image"
        )


def _search(document: Document, block: Block, groups: list[Block]) -> None:
    if block.type == "task":
        _Task(document, block, groups).read()
    elif block.type in _HOLDERS and len(groups) < len(_HOLDERS):
        for inner in block.blocks():
            _search(document, inner, [*groups, block])


class _Heredoc(Inlay):
    """The text of a heredoc, and where it lies."""

    __slots__ = ()

    def __init__(self, lines: list[str], first: int, indent: int) -> None:
        self.text = "\n".join(lines)
        self._whole = (first, 1, first, 1)
        self._line, self._indent = first - 1, indent


class _Task:
    """One task with all that it is told."""

    def __init__(self, document: Document, block: Block, groups: list[Block]) -> None:
        self.document = document
        self.block = block
        group = groups[-1].labels[:1] if groups else []
        own = block.labels[:1] or ["?"]
        self.group = groups[-1] if groups and groups[-1].type == "group" else None
        self.name = own[0] if self.group is None or group == own else f"{group[0]}/{own[0]}"
        self.config: dict[str, Entry] = {}
        self.variables: dict[str, Variable] = {}
        #: Whether nothing else has a say in the variables, and in how the image starts.
        self.complete = True

    def read(self) -> None:
        own = [*self.block.blocks()]
        for inner in own:
            if inner.type == "config":
                self.config = inner.attributes()
                self.complete = self.complete and not any(
                    one.type in _FILES for one in inner.blocks()
                )
            elif inner.type == "template":
                self._template(inner.attributes())
        for inner in own:
            if inner.type == "env":
                self._take(inner.attributes().values())
        written = self.block.attributes().get("env")
        if written is not None and isinstance(written.value, list):
            self._take(written.value)
        self._container()

    def _take(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            value = entry.value
            path, file = self.document.path, self.block.file
            if isinstance(value, Scalar):
                made = Variable(entry.key, value.text, path, value.at, entry.key_at)
            else:
                frame = file.text(entry.node).strip('"')
                made = Variable(entry.key, None, path, entry.at, entry.key_at, frame=frame)
            self.variables[entry.key] = made

    def _template(self, attributes: dict[str, Entry]) -> None:
        """Variables or a properties file that Nomad writes for the task."""
        text, as_variables = attributes.get("data"), attributes.get("env")
        variables = as_variables is not None and _text(as_variables) != "false"
        found = text.node if text is not None else None
        heredoc = self.block.file.heredoc(found) if found is not None else None
        if heredoc is None:
            self.complete = self.complete and not variables
            return
        inlay = _Heredoc(*heredoc)
        if variables:
            self._variables(inlay)
        else:
            destination = _text(attributes.get("destination"))
            self._properties(inlay, destination.rpartition("/")[2])

    def _variables(self, inlay: _Heredoc) -> None:
        lines, whole_text = _certain(inlay.text)
        self.complete = self.complete and whole_text
        try:
            entries = parse("\n".join(lines))
        except DotenvError as error:
            entries, self.complete = error.entries, False
        for entry in entries:
            at, key_at = inlay.place(entry.at), inlay.place(entry.key_at)
            # A template in the middle of a value may hold quotes and hashes of its own.
            filled = any(_CONTROL in line for line in lines[entry.at[0] - 1 : entry.at[2]])
            text = None if filled else entry.value
            made = Variable(entry.key, text, self.document.path, at, key_at)
            self.variables[entry.key] = made

    def _properties(self, inlay: _Heredoc, name: str) -> None:
        """What a file says that the template writes."""
        from kcheck.formats.properties import reader as properties

        lines, whole_text = _certain(inlay.text)
        data = "\n".join(lines).encode()
        inner = Document(self.document.path)
        inner.format = properties.recognise(name, data)
        if inner.format is None or not name:
            return
        properties.read(inner, data, lambda _: None)
        placed(inner.resources, inlay, self.document.path)
        for resource in inner.resources:
            resource.name = self.name if resource.name == inner.path else resource.name
            resource.traits.deployer = NOMAD
            if not whole_text:
                resource.traits.partial = resource.traits.fragment = True
            self._count(resource)
        self.document.resources.extend(inner.resources)

    def _container(self) -> None:
        written = self.config.get("image")
        at = written.at if written is not None else self.block.at
        told = written.value if written is not None else None
        text = told.text if isinstance(told, Scalar) else None
        image = Image(text, told.at if isinstance(told, Scalar) else at)
        started = [key for key in _COMMANDS if key in self.config]
        path, place = self.document.path, self.block.at
        made = container(
            self.name, path, place, image, self.variables, self.complete and not started, NOMAD
        )
        words = (one for key in started for one in _items(self.config[key]))
        process = nomad_running.process(
            self.name,
            path,
            self.block,
            self.group,
            text or "",
            self.config,
            self.variables,
            self.complete,
            " ".join(one.text if isinstance(one, Scalar) else "$" for one in words),
        )
        if process is not None:
            self.document.processes += (process,)
        if made is not None and image.family is not None and started:
            return  # Kafka with a file, or one of its tools
        if made is not None:
            made.traits.process = process
            self._count(made)
            ram = nomad_running.memory(path, self.block, "ram")
            if ram is not None:
                made.facts["ram"] = ram
            self.document.resources.append(made)
        elif program_containers.program_of(text or "", self.variables):
            program_containers.clients(
                self.document,
                self.name,
                text or "",
                self.variables,
                place,
                NOMAD,
                self.complete and not started,
            )
        elif observer_signs.program_of(text or "", self.variables):
            self._observed(text or "")
        elif any(one.startswith("SPRING_") for one in self.variables):
            from kcheck.formats.spring import variables as spring_variables

            counted = self.group.attributes().get("count") if self.group is not None else None
            count = nomad_running.amount(path, counted, "instances")
            spring_variables.of_container(
                self.document, self.name, self.variables.values(), NOMAD, count
            )

    def _observed(self, image: str) -> None:
        """The clients of a program that watches clusters."""
        from kcheck.formats.observers import (
            containers as observer_containers,  # few tasks are one of them
        )

        words = [
            (one.text, one.at) if isinstance(one, Scalar) else ("$", self.block.at)
            for key in _COMMANDS
            if key in self.config
            for one in _items(self.config[key])
        ]
        whole = self.complete and not any(key in self.config for key in _FILES)
        observer_containers.clients(
            self.document, self.name, image, self.variables, words, self.block.at, NOMAD, whole, []
        )

    def _count(self, resource: Resource) -> None:
        """How many of the task run, where the group says so."""
        told = self.group.attributes().get("count") if self.group is not None else None
        made = nomad_running.amount(self.document.path, told, "replicas")
        if made is not None:
            resource.facts["replicas"] = made


def _certain(text: str) -> tuple[list[str], bool]:
    """The lines of a template that are there once, whatever fills it in, the others empty; whether
    those are all."""
    lines: list[str] = []
    depth, whole_text = 0, True
    for line in text.split("\n"):
        control = line.lstrip().startswith(_CONTROL)
        if control or depth > 0:
            whole_text = False
        lines.append("" if control or depth > 0 else line)
        depth = max(0, depth + len(_OPENS.findall(line)) - len(_ENDS.findall(line)))
    return lines, whole_text


def _items(entry: Entry) -> list[object]:
    value = entry.value
    return [*value] if isinstance(value, tuple) else [value]


def _text(entry: Entry | None) -> str:
    value = entry.value if entry is not None else None
    return value.text if isinstance(value, Scalar) else ""

"""Brokers, workers and programs around Kafka that shell files start with ``docker run`` or ``podman
run``.

The image and its variables mean what they mean in a compose file; what a shell fills in is unknown. A
container with a command of its own is mostly one of Kafka's tools, and one without variables tells
nothing: neither is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import images
from kcheck.formats import Lookup
from kcheck.formats.commands import docker_running, jvms
from kcheck.formats.containers import programs as program_containers
from kcheck.formats.containers.container import Image, beside, container
from kcheck.formats.containers.variables import Variable
from kcheck.formats.observers.signs import program_of
from kcheck.model import DOCKER, Document, Position, Resource, Setting
from kcheck.model.processes import Process
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word

FORMAT = "docker-commands"

_ZOOKEEPER = re.compile(r"(?:.*[/-])?zookeeper")
_LOOPBACK = frozenset(("localhost", "127.0.0.1"))
_TOOL = re.compile(r"(?:\S*/)?(?:docker|podman)")
#: Options of ``docker run`` without a value; all other long ones have one.
_FLAGS = frozenset(
    (
        *("--rm", "--detach", "--init", "--interactive", "--tty", "--privileged", "--read-only"),
        *("--publish-all", "--no-healthcheck", "--oom-kill-disable", "--quiet", "--replace"),
        *("--disable-content-trust", "--sig-proxy"),
    )
)
_VARIABLES = ("-e", "--env")
_NETWORK = ("--net", "--network")
_EXPORTER = "kafka-exporter"
#: Short options with a value; the others can stand together: -dit.
_VALUED = frozenset("evphuwlmca")


def read(document: Document, calls: list[Call], place: Placed, lookup: Lookup) -> bool:
    """Add what a script's commands start; whether there is any of it."""
    before = len(document.resources)
    runs = [_Run(document, words, place, lookup) for words in map(_started, calls) if words]
    for run in runs:
        run.read()
    _count(runs)
    jvms.in_containers(document, calls, (one for run in runs for one in run.started()), place)
    return len(document.resources) > before


def _count(runs: list[_Run]) -> None:
    """Each broker stands for one, where what leads them all is started here, too: the ZooKeeper that
    they ask, or they themselves. Others may be on other hosts, which a script for one does not tell.
    """
    leading = _LOOPBACK.union(run.name for run in runs if run.leads)
    nodes = [run for run in runs if run.made is not None and run.made.kind != "worker"]
    leaders = [(run.leader(), run.name) for run in nodes]
    if not all(leader and leader in (name, *leading) for leader, name in leaders):
        return
    for run in nodes:
        if run.made is not None and run.made.kind == "broker":
            image = run.made.facts["image"]
            run.made.facts["replicas"] = Setting("replicas", "1", image.path, image.at)


def _started(call: Call) -> list[Word]:
    """The words behind ``run``, unless the command is only printed."""
    for number, word in enumerate(call.words):
        if call.prints or not _TOOL.fullmatch(word.text):
            continue
        behind = [one.text for one in call.words[number + 1 : number + 3]]
        at = 1 if behind[:1] == ["container"] else 0
        return call.words[number + 2 + at :] if behind[at : at + 1] == ["run"] else []
    return []


def _options(words: list[Word]) -> Iterator[tuple[str, Word | None]]:
    """(name, value) of each option, and at the end ("", image) and ("command", …) if there are any."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.text.startswith("-"):
            yield "", word
            if at < len(words):
                yield "command", words[at]
            return
        name, equals, _ = word.text.partition("=")
        if not word.text.startswith("--"):
            place = next((i for i, c in enumerate(word.text) if c in _VALUED), 0)
            if not place:
                continue
            name = f"-{word.text[place]}"
            if place + 1 < len(word.text):
                begin = place + 1 + (word.text[place + 1] == "=")
                yield name, word.part(begin)
                continue
        elif name in _FLAGS:
            continue
        elif equals:
            yield name, word.part(len(name) + 1)
            continue
        if at < len(words):
            yield name, words[at]
            at += 1


class _Run:
    """One command with its image and all that it tells the container."""

    def __init__(
        self, document: Document, words: list[Word], place: Placed, lookup: Lookup
    ) -> None:
        self.document = document
        self.place = place
        self.lookup = lookup
        self.name = ""
        self.image: Word | None = None
        #: Whether the container has a command of its own, and where it begins.
        self.command: list[Word] = []
        self.entered = False
        #: The broker that the command starts; whether it shares the network of its host.
        self.made: Resource | None = None
        self.at_host = False
        #: Whether all its variables are here; what is mounted, with the options that say so.
        self.complete = True
        self.mounts: list[tuple[str, Word]] = []
        self.variables: dict[str, Variable] = {}
        #: Of its limits those that are facts of a node, and the seconds that it has to stop.
        self.limits: dict[str, Word] = {}
        for option, value in _options(words):
            if value is not None:
                self._take(option, value, words)

    def _take(self, option: str, value: Word, words: list[Word]) -> None:
        if option in _VARIABLES:
            self._variable(value)
        elif option == "--env-file":
            self._file(value)
        elif option == "--name" and value.known:
            self.name = value.text
        elif option in _NETWORK:
            self.at_host = value.known and value.text == "host"
        elif option == "--entrypoint":
            self.entered = True
        elif option in docker_running.MOUNTS:
            self.mounts.append((option, value))
        elif option == "":
            self.image = value
        elif option == "command":
            self.command = words[words.index(value) :]
        else:
            self._limited(option, value)

    def _limited(self, option: str, value: Word) -> None:
        if option in docker_running.LIMITS and value.known:
            self.limits[docker_running.LIMITS[option]] = value
        elif option == "--ulimit" and value.text.startswith(docker_running.FILES):
            self.limits["nofile"] = value

    def _variable(self, value: Word) -> None:
        key, equals, _ = value.text.partition("=")
        told, named = value.part(len(key) + bool(equals)), value.part(0, len(key))
        raw = told.text if equals and value.known else None
        place = self.place
        at = place(told.start, told.end) if equals else place(value.start, value.end)
        key_at = place(named.start, named.end)
        self.variables[key] = Variable(key, raw, self.document.path, at, key_at)

    def _file(self, value: Word) -> None:
        """The variables of an env file, which is judged here; those of the command go over them."""
        from kcheck.formats.compose.file import entries_of, joined
        from kcheck.formats.containers.env import variables_of

        folder = self.document.path.rpartition("/")[0]
        path = joined(folder, value.text) if value.known and value.text else ""
        data = self.lookup(path) if path else None
        if data is None:
            self.complete = False
            return
        self.document.extent.covers += (path,)
        self.variables = {**variables_of(path, entries_of(data)), **self.variables}

    def read(self) -> None:
        image = self.image
        if image is None or self.entered:
            return
        text = image.text if image.known else ""
        if self.command or not self.variables:
            if program_of(text, ()) == _EXPORTER:
                self._observed(text, image)
            elif not self.command and program_containers.program_of(text):
                self._program(text, image)
            return
        if images.family_of(images.split(text)[0]) is not None or images.asking_for(
            set(self.variables)
        ):
            self._node(text, image)
        elif program_of(text, self.variables):
            self._observed(text, image)
        else:
            self._program(text, image)

    def _program(self, text: str, image: Word) -> None:
        """Add the clients of a program around Kafka, and what its image does not read."""
        at = self.place(image.start, image.end)
        beside(self.document, Image(text, at), self.variables, "", self.complete)
        process = self._process(text, at)
        if program_containers.program_of(text, self.variables):
            for client in program_containers.clients(
                self.document,
                self.name or text or image.text,
                text,
                self.variables,
                at,
                DOCKER,
                self.complete,
            ):
                client.traits.process = process

    def _node(self, text: str, image: Word) -> None:
        """Add the broker or worker."""
        at = self.place(image.start, image.end)
        name = self.name or image.text
        made = container(
            name,
            self.document.path,
            at,
            Image(text or None, at),
            self.variables,
            self.complete,
            DOCKER,
        )
        if made is not None:
            mounted = docker_running.mounts(self.document, self.mounts, self.place)
            docker_running.facts(self.document, made, self.limits, mounted, self.place)
            made.traits.process = self._process(text, at)
            self.document.resources.append(made)
        self.made = made

    def started(self) -> Iterator[jvms.Started]:
        """The container of a broker with the variables that tools in it inherit."""
        if self.made is not None and self.image is not None and self.name:
            known = {key: one.setting(key, one.known) for key, one in self.variables.items()}
            yield jvms.Started(self.name, self.image, known)

    @property
    def leads(self) -> bool:
        """Whether it is a ZooKeeper."""
        image = self.image
        return (
            image is not None
            and image.known
            and _ZOOKEEPER.fullmatch(images.split(image.text)[0]) is not None
        )

    def leader(self) -> str:
        """The one host that the broker's ZooKeeper or controller has; empty where that is not plain.

        The loopback of a container is its own, where no ZooKeeper is.
        """
        settings = self.made.settings if self.made is not None else {}
        quorum = settings.get("controller.quorum.voters")
        found = quorum or settings.get("zookeeper.connect")
        if not self.name or found is None or not found.text:
            return ""
        entry = found.text.partition("/")[0].rpartition("@")[2]
        host = entry.rpartition(":")[0] or entry
        return "" if host in _LOOPBACK and not (quorum or self.at_host) else host

    def _process(self, text: str, at: Position) -> Process | None:
        """The container as a process, which is added to the document."""
        return docker_running.process(
            self.document,
            self.name or text,
            text,
            at,
            self.variables,
            self.complete,
            self.limits,
            docker_running.mounts(self.document, self.mounts, self.place),
            self.place,
        )

    def _observed(self, text: str, image: Word) -> None:
        """Add the clients of a program that watches clusters."""
        from kcheck.formats.observers import (
            containers as observer_containers,  # few commands start one of them
        )

        words = [
            (one.text if one.known else "$", self.place(one.start, one.end)) for one in self.command
        ]
        observer_containers.clients(
            self.document,
            self.name or text,
            text,
            self.variables,
            words,
            self.place(image.start, image.end),
            DOCKER,
            self.complete and not self.mounts,
            [],
        )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed

"""The commands of Kafka's own tools in a shell's text, with their options."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.model import Setting
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word
from kcheck.version import Version, stated

#: A tool by its name, wherever it lies: ``/opt/kafka/bin/kafka-topics.sh``.
_TOOL = re.compile(
    r"(?:[^\s\"']*/)?(kafka-(?:configs|acls|topics|storage|reassign-partitions|consumer-groups"
    r"|leader-election|delete-records|delegation-tokens|features|metadata-quorum|replica-verification"
    r"|(?:[a-z]+-){0,2}console-(?:producer|consumer)|(?:producer|consumer)-perf-test|mirror-maker"
    r"|preferred-replica-election)|zookeeper-(?:server-st(?:art|op)|shell|security-migration))(?:\.sh)?"
)
#: The release of a distribution in the path of a tool.
_UNPACKED = re.compile(r"/kafka_2\.1\d-(\d+\.\d+\.\d+)/")
#: What only a shell, a template or a reader can fill in.
_FILLED = re.compile(r"[$`{}<>]")
#: What a shell makes any number of words of.
_WORDS = re.compile(r"\$\{?[@*]|\[[@*]\]")
#: Options without a value.
_FLAGS = frozenset(
    (
        *(
            "--add",
            "--remove",
            "--alter",
            "--create",
            "--delete",
            "--describe",
            "--list",
            "--verify",
        ),
        *("--execute", "--dry-run", "--export", "--generate", "--cancel", "--renew", "--expire"),
        *("--producer", "--consumer", "--idempotent", "--cluster", "--force", "--all-groups"),
        *("--all-topics", "--reset-offsets", "--delete-offsets", "--to-earliest", "--to-latest"),
        *("--to-current", "--from-beginning", "--if-exists", "--if-not-exists", "--entity-default"),
        *("--status", "--replication", "--standalone", "--no-initial-controllers"),
    )
)
_ASKED = ("--bootstrap-server", "--bootstrap-controller")

#: Short forms of --entity-type of kafka-configs.
SHORT = {
    "--topic": "topics",
    "--user": "users",
    "--user-defaults": "users",
    "--client": "clients",
    "--client-defaults": "clients",
    "--ip": "ips",
    "--ip-defaults": "ips",
    "--broker": "brokers",
    "--broker-defaults": "brokers",
}


class Command:
    """The call of a tool: its words behind the tool's name, and the version of the tool if known."""

    __slots__ = ("at", "call", "conditional", "name", "tool", "version", "words")

    def __init__(self, tool: str, at: Word, words: list[Word], version: Version) -> None:
        self.tool = tool
        self.at = at
        self.words = words
        self.version = version
        #: Whether it is run at all hangs on something that is not known.
        self.conditional = False
        #: The command of the shell that it is, or is a part of.
        self.call: Call | None = None
        #: The word that starts it, with its folder.
        self.name = at

    def options(self) -> Iterator[tuple[Word, Word | None]]:
        """The options with their values, ``--name value`` and ``--name=value``."""
        for number, word in enumerate(self.words):
            if not word.text.startswith("-"):
                continue
            name, equals, _ = word.text.partition("=")
            following = self.words[number + 1] if number + 1 < len(self.words) else None
            if equals and word.text.startswith("--"):
                yield word.part(0, len(name)), word.part(len(name) + 1)
            elif following is not None and not following.text.startswith("--"):
                yield word, following
            else:
                yield word, None

    def value(self, *names: str) -> Word | None:
        return next((told for name, told in self.options() if name.text in names), None)

    def values(self, *names: str) -> list[Word]:
        return [told for name, told in self.options() if name.text in names and told is not None]

    def has(self, *names: str) -> bool:
        return any(name.text in names for name, _ in self.options())

    def grows(self) -> bool:
        """Whether a shell, or another program, may add words to those that are written."""
        if self.call is not None and self.call.words[0] is not self.name:
            before = (word.text for word in self.call.words if word.end <= self.name.start)
            if any(word.rpartition("/")[2] in ("xargs", "parallel") for word in before):
                return True
        values = {
            told.start
            for name, told in self.options()
            if told is not None and name.text not in _FLAGS
        }
        return any(
            not is_known(word) and (word.start not in values or bool(_WORDS.search(word.text)))
            for word in self.words
        )


def asks(command: Command, path: str, place: Placed) -> tuple[Setting, ...]:
    """The bootstrap servers of a command, by which what it makes tells its cluster."""
    for told in command.values(*_ASKED):
        if is_known(told) and told.text:
            at = place(told.start, told.end)
            return (Setting("bootstrap.servers", told.text, path, at, name="--bootstrap-server"),)
    return ()


def is_known(word: Word) -> bool:
    """Whether the text tells what the word is."""
    return word.known and not _FILLED.search(word.text)


def of_calls(made: list[Call], version: Version | None = None) -> list[Command]:
    """The calls of Kafka's tools among the commands of a text."""
    return [one for call in made for one in _commands(call, version or Version())]


def _commands(call: Call, version: Version) -> Iterator[Command]:
    if call.prints:
        return
    for number, word in enumerate(call.words):
        # The folder of the tools is often a variable.
        found = _TOOL.fullmatch(word.text, word.text.rfind("}}") + 2 if "}}" in word.text else 0)
        if found is not None:
            at = word.part(found.start(1))
            unpacked = _UNPACKED.search(word.text)
            own = stated(unpacked[1]) if unpacked and not version.known else version
            made = Command(found[1], at, call.words[number + 1 :], own)
            made.conditional, made.call, made.name = call.conditional, call, word
            yield made
            return


def entities(command: Command) -> Iterator[tuple[str, Word | None]]:
    """The kinds of entities with their names, which follow in the same order."""
    names = [told for name, told in command.options() if name.text == "--entity-name"]
    for name, told in command.options():
        if name.text in SHORT:
            yield SHORT[name.text], told
        elif name.text == "--entity-type" and told is not None:
            yield told.text, names.pop(0) if names else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kcheck.model import Position

    Placed = Callable[[int, int], Position]

"""Steps of pipelines, tasks of Ansible and of task runners, that give a text to a shell: what they do
with Kafka's own tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.commands import connect_requests, script_files, tool_faults
from kcheck.formats.commands import docker as docker_commands
from kcheck.formats.commands import tools as tool_commands
from kcheck.formats.commands import topics as topic_commands
from kcheck.formats.commands.scripts import installs_charts
from kcheck.formats.commands.texts import Texts
from kcheck.formats.embedded import split_lines
from kcheck.formats.scalars import documents, nothing
from kcheck.formats.text import templated
from kcheck.model import Document
from kcheck.syntax import yaml
from kcheck.syntax.shell_calls import calls, listed
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Piece, Word

FORMAT = "command-steps"
SIGNS = re.compile(
    rb"kafka-(?:topics|configs|acls|producer-perf-test)(?:\.sh)?[\"']?[ \t\r\n\\]|connector\.class"
    rb"|\brpk (?:-X \S+ ){0,5}topic (?:create|alter-config)\b"
    rb"|(?:>|\btee\b|\bsed\b)[^\n]*\.properties\b"
)
#: What starts a container, and gives it a variable of Kafka's images.
_RUN = re.compile(rb"(?:docker|podman)[ \t]+(?:container[ \t]+)?run\b")
_ENV = re.compile(rb"[ \t](?:-e|--env)[ =]?[\"']?(?:KAFKA|CONNECT)_")
#: The keys of a text for a shell: of GitHub, GitLab, Azure and others, Ansible, Taskfile.
_KEYS = frozenset(
    (
        *("run", "script", "before_script", "after_script", "bash", "commands", "steps"),
        *("shell", "command", "ansible.builtin.shell", "ansible.builtin.command"),
        *("cmd", "cmds", "_raw_params", "runcmd", "bootcmd"),
    )
)
#: The keys of the words of one command.
_WORDS = ("argv",)
_GIVEN = re.compile(rf"\b(?:{'|'.join(map(re.escape, (*_KEYS, *_WORDS)))})\"?:".encode())
#: The keys of variables that the text has.
_VARIABLES = ("env", "environment", "variables")
_DEEPEST = 40


def may_hold(data: bytes) -> bool:
    """Whether a file of YAML may have such texts."""
    ours = SIGNS.search(data) or (_RUN.search(data) and _ENV.search(data)) or installs_charts(data)
    return bool(ours and _GIVEN.search(data))


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    made, place = add(document, documents(document, data), split_lines(data), lookup)
    if installs_charts(data):
        from kcheck.formats.commands import charts

        charts.read(document, made, data, place, lookup)
    nothing(document, "contains no command that kcheck checks")


def add(
    document: Document, nodes: list[yaml.Node], lines: list[str], lookup: Lookup
) -> tuple[list[Call], Placed]:
    """Add to a document what the commands below its nodes do with Kafka's tools; these, and their places."""
    texts, path = Texts(lines), document.path
    each = [one for node in nodes for one in _calls(node, texts, {}, _DEEPEST)]
    made = [call for one in each for call in one]
    script_files.add(document, each, texts.place, lookup)
    docker_commands.read(document, made, texts.place, lookup)
    document.resources += topic_commands.of_script(made, path, texts.place)
    commands = tool_commands.of_calls(made)
    document.problems.extend(tool_faults.faults(commands, path, texts.place))
    document.problems.extend(connect_requests.faults(made, path, texts.place, lookup))
    return made, texts.place


def _calls(
    node: yaml.Node, texts: Texts, given: dict[str, Word], depth: int
) -> Iterator[list[Call]]:
    """The commands of each text at or below a node, which has the variables ``given``."""
    if not depth:
        return
    members = yaml.pairs(node)
    if any(key in _VARIABLES for key, _, _ in members):
        given = given | dict(_given(members, texts))
    for key, _, value in members:
        if key in _WORDS:
            words = [word for word in map(texts.word, yaml.items(value)) if word is not None]
            yield listed(words, topic_commands.holds, given)
        elif key in _KEYS:
            text = _text(value, texts)
            if text is not None and topic_commands.holds(text.text):
                yield calls(text, topic_commands.holds, given)
            # cloud-init takes a command as the list of its words, too.
            for one in yaml.items(value):
                words = [word for word in map(texts.word, yaml.items(one)) if word is not None]
                yield listed(words, topic_commands.holds, given)
        yield from _calls(value, texts, given, depth - 1)
    for item in yaml.items(node):
        yield from _calls(item, texts, given, depth - 1)


def _given(
    members: list[tuple[str, yaml.Node, yaml.Node]], texts: Texts
) -> Iterator[tuple[str, Word]]:
    for key, _, held in members:
        for name, _, value in yaml.pairs(held) if key in _VARIABLES else ():
            text = yaml.text(value)
            word = texts.word(value) if text is not None and not templated(text) else None
            if word is not None:
                yield name, word


def _text(node: yaml.Node, texts: Texts) -> Word | None:
    """A scalar, or the scalars of a list, which one shell runs one after the other."""
    if isinstance(node, yaml.ScalarNode):
        return texts.word(node)
    pieces: list[Piece] = []
    for item in yaml.items(node):
        word = texts.word(item)
        if word is not None:
            pieces += [*word.pieces, Piece("\n", word.end, word.end, False)]
    return Word(pieces, pieces[0].start, pieces[-1].end) if pieces else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed

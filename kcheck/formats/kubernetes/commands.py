"""What the command of a container in Kubernetes does with Kafka's tools, and what these refuse of it."""

from __future__ import annotations

from kcheck.formats.commands import script_files, tool_faults
from kcheck.formats.commands import tools as tool_commands
from kcheck.formats.commands import topics as topic_commands
from kcheck.formats.commands.texts import Texts
from kcheck.formats.containers.container import Image
from kcheck.formats.scalars import known
from kcheck.model import KUBERNETES, Document
from kcheck.syntax import yaml
from kcheck.syntax.shell_calls import calls, listed
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word
from kcheck.version import Version


def read(
    document: Document,
    workload: yaml.Node,
    container: yaml.Node,
    parts: list[yaml.ScalarNode],
    lines: list[str],
) -> None:
    """Add to a document what a container's command, which is in ``parts``, makes or gets wrong."""
    texts = Texts(lines)
    given: dict[str, Word] = {}
    for item in yaml.items(yaml.child(container, "env")):
        name, value = known(yaml.child(item, "name")), yaml.child(item, "value")
        told = texts.word(value) if value is not None and known(value) else None
        if name and told is not None:
            given[name] = told
    words = [word for word in map(texts.word, parts) if word is not None]
    made = listed(words, topic_commands.holds, given)
    image = Image(yaml.text(yaml.child(container, "image")), yaml.position(container))
    _add(document, made, texts, known(yaml.child(workload, "metadata", "namespace")), image.version)


def scripts(document: Document, holder: yaml.Node, lines: list[str]) -> None:
    """Add to a document what the scripts make or get wrong that a ConfigMap carries."""
    texts = Texts(lines)
    for part in ("data", "stringData"):
        for name, _, value in yaml.pairs(yaml.child(holder, part)):
            text = yaml.text(value) or ""
            ours = name.endswith((".sh", ".bash")) or text.startswith("#!")
            word = texts.word(value) if ours and topic_commands.holds(text) else None
            if word is not None:
                made = calls(word, topic_commands.holds, {})
                _add(document, made, texts, known(yaml.child(holder, "metadata", "namespace")))


def _add(
    document: Document, made: list[Call], texts: Texts, namespace: str, version: str = ""
) -> None:
    path = document.path
    commands = tool_commands.of_calls(made, Version(version))
    document.problems.extend(tool_faults.faults(commands, path, texts.place))
    before = len(document.resources)
    document.resources += topic_commands.resources(made, path, texts.place)
    script_files.add(document, [made], texts.place)
    for one in document.resources[before:]:
        one.traits.deployer = KUBERNETES
        one.traits.namespace = namespace

"""What the command of a container in Kubernetes does with Kafka's tools, and what these refuse of it."""

from __future__ import annotations

from kcheck.formats import tool_commands, tool_faults, topic_commands
from kcheck.formats.command_texts import Texts
from kcheck.formats.containers import Image
from kcheck.formats.scalars import known
from kcheck.model import KUBERNETES, Document
from kcheck.syntax import yaml
from kcheck.syntax.shell_calls import listed
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
    texts, path = Texts(lines), document.path
    given: dict[str, Word] = {}
    for item in yaml.items(yaml.child(container, "env")):
        name, value = known(yaml.child(item, "name")), yaml.child(item, "value")
        told = texts.word(value) if value is not None and known(value) else None
        if name and told is not None:
            given[name] = told
    words = [word for word in map(texts.word, parts) if word is not None]
    calls = listed(words, topic_commands.holds, given)
    image = Image(yaml.text(yaml.child(container, "image")), yaml.position(container))
    commands = tool_commands.of_calls(calls, Version(image.version))
    document.problems.extend(tool_faults.faults(commands, path, texts.place))
    namespace = known(yaml.child(workload, "metadata", "namespace"))
    for made in topic_commands.resources(calls, path, texts.place):
        made.traits.deployer = KUBERNETES
        made.traits.namespace = namespace
        document.resources.append(made)

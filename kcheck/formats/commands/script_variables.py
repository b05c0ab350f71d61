"""Brokers and workers that are what a script exports: variables of an image's own start script.

The container may have others, and its own values of these: what lacks is unknown.
"""

from __future__ import annotations

import re

from kcheck import images
from kcheck.model import DOCKER, Document
from kcheck.syntax.shell_command import Export

#: Without two such variables no script configures a broker or a worker.
SIGN = re.compile(
    rb"^[ \t]*export[ \t]+(?:KAFKA|CONNECT)_\w+=.*?^[ \t]*export[ \t]+(?:KAFKA|CONNECT)_\w+=",
    re.M | re.S,
)


def add(document: Document, exported: dict[str, Export], place: Placed) -> bool:
    """Add what runs with the variables that a script exports; whether there is any of it."""
    from kcheck.formats.containers.container import Image, container
    from kcheck.formats.containers.variables import Variable

    if images.asking_for(set(exported)) is None:
        return False
    variables: dict[str, Variable] = {}
    for one in exported.values():
        value, key_at = one.value, place(one.start, one.end)
        # A default that is empty stands for none.
        text = value.text or None if value is not None else None
        at = place(value.start, value.end) if value is not None else key_at
        variables[one.name] = Variable(one.name, text, document.path, at, key_at)
    at = next(iter(variables.values())).key_at
    made = container(document.path, document.path, at, Image(None, at), variables, False, DOCKER)
    if made is None:
        return False
    made.traits.partial = made.traits.fragment = made.traits.apart = True
    made.facts.pop("image", None)
    document.resources.append(made)
    return True


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed

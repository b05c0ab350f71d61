"""Settings that a template puts behind the one before: Ansible takes the newline after a block away."""

from __future__ import annotations

import re

from kcheck.model import Document, Problem, Setting
from kcheck.syntax.rendered import Rendered

CODE = "KC0198"
_HOLDER = re.compile(r"([\w.-]+)[ \t]*=")
#: One word alone may be a part of a value: ``username="x"``.
_KEY = re.compile(r"([a-z][a-z0-9_-]*(?:\.[A-Za-z0-9_-]+)+)[ \t]*=")


def tell(document: Document, rendered: Rendered) -> frozenset[int]:
    """Report the settings that are a part of another one's value; gives the template's lines of these."""
    lines = rendered.text.split("\n")
    spoilt: dict[int, None] = {}
    for number, column, first, line in rendered.joined():
        text = lines[number - 1]
        holder = _HOLDER.match(text)
        key = _KEY.match(text, column - 1)
        if holder is None or key is None:
            continue
        spoilt[first] = None
        at = rendered.place((number, column, number, column + len(key[1])))
        if any(problem.code == CODE and problem.at == at for problem in document.problems):
            continue
        told = text[key.end() :].strip() or None
        document.problems.append(
            Problem(
                f"{key[1]} becomes a part of the value of {holder[1]} (line {first})",
                at,
                CODE,
                consequence="Ansible removes the newline after a block ({% endif %}, {% endfor %}): "
                f"Kafka reads no {key[1]}, and all of both lines as {holder[1]}",
                fix=f"add an empty line before line {line}, or #jinja2: trim_blocks:False as the first line",
                setting=Setting(key[1], told, document.path, at),
            )
        )
    return frozenset(spoilt)

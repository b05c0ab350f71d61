"""Kafka started by a command: ``kafka-server-start.sh FILE --override key=value``, in any container.

The image is none of kcheck's business here: its variables mean what the command makes of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from kcheck.formats.embedded import Inlay
from kcheck.formats.text import templated
from kcheck.model import Setting
from kcheck.syntax import yaml

#: The script with the file that it is given.
START = re.compile(r"kafka-server-start(?:\.sh)?[ \t\\\n]+([^\s\\]+)")
_OVERRIDE = re.compile(r"--override[= ]+([\w.-]+)=(\"[^\"]*\"|'[^']*'|[^\s\\]*)")


def overrides(command: Iterable[yaml.ScalarNode], lines: list[str], path: str) -> Iterator[Setting]:
    """What a command sets over the file, in its order, as it is written.

    An override wins over the file: no key that is there twice by mistake.
    """
    parts = list(command)
    for part in parts:
        inlay = Inlay(part, lines)
        for number, line in enumerate(inlay.text.split("\n"), 1):
            for found in _OVERRIDE.finditer(line):
                raw = found.group(2)
                text = raw.strip("\"'") if raw[:1] in ("'", '"') else raw
                at = inlay.place((number, found.start(2) + 1, number, found.end(2) + 1))
                key_at = inlay.place((number, found.start(1) + 1, number, found.end(1) + 1))
                yield Setting(found.group(1), text, path, at, key_at)
    yield from _listed(parts, lines, path)


def _listed(parts: list[yaml.ScalarNode], lines: list[str], path: str) -> Iterator[Setting]:
    """``- --override`` with ``- key=value`` as the next item."""
    for flag, part in pairwise(parts):
        key, equals, text = str(part.value).partition("=")
        if str(flag.value) == "--override" and equals:
            inlay = Inlay(part, lines)
            at = inlay.place((1, len(key) + 2, 1, len(str(part.value)) + 1))
            yield Setting(key, text, path, at, inlay.place((1, 1, 1, len(key) + 1)))


def plain(made: Setting) -> Setting:
    """The setting, unknown where a shell or a template fills it in."""
    text = made.raw or ""
    if templated(text) or "$" in text:
        return Setting(made.key, None, made.path, made.at, made.key_at)
    return made

"""Variables of an Ansible role that its templates take: what ``defaults`` and ``vars`` say.

Inventories come over the defaults: where one of them has a variable, its value is unknown here.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.model import Derived, Framed, Resource

#: Lowest first.
_FILES = ("defaults/main.yml", "defaults/main.yaml", "vars/main.yml", "vars/main.yaml")
_OVERRIDES = ("all", "all/main", "all/vars", "kafka", "kafka/main", "kafka_broker", "brokers")
_SCALAR = re.compile(
    r"(?P<name>[A-Za-z_]\w*):[ \t]+(?P<text>\"[^\"{\\]*\"|'[^'{]*'|[^\s\"'{\[|>&*!#][^\n{#]*?)"
    r"[ \t]*(?:[ \t]#.*)?\Z"
)
_TAKEN = re.compile(r"\{\{-?\s*([A-Za-z_]\w*)\s*(?:\|\s*(?:int|default\([^()]*\))\s*)?-?\}\}")
#: Each host has its own: a default of theirs is there to be replaced.
_OWN = ("node.id", "broker.id", "broker.rack", "process.roles")
_ADDRESSES = ("listeners", "connect", "voters", "servers", "host.name")
_FLAGS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


class Variables:
    """The variables of the role whose template stands at a path."""

    def __init__(self, path: str, lookup: Lookup) -> None:
        role, _, _ = path.rpartition("/templates/")
        self._texts: dict[str, Derived] = {}
        for file in _FILES if role else ():
            place = f"{role}/{file}"
            for number, line in enumerate(_lines(lookup(place)), 1):
                found = _SCALAR.match(line)
                if found is not None:
                    at = (number, found.start("text") + 1, number, found.end("text") + 1)
                    text = _plain(found["text"])
                    self._texts[found["name"]] = Derived(found["name"], text, place, at)
        root = role.rpartition("roles/")[0]
        for name in _OVERRIDES if self._texts else ():
            for line in _lines(lookup(f"{root}group_vars/{name}.yml")):
                self._texts.pop(line.partition(":")[0], None)

    def fill(self, resource: Resource) -> None:
        """Let settings have the values of the variables that they are made of."""
        for key, setting in [*resource.settings.items()] if self._texts else ():
            frame = setting.frame if isinstance(setting, Framed) else ""
            taken = _TAKEN.fullmatch(frame.strip())
            if taken is None or key in _OWN or key.endswith(_ADDRESSES):
                continue
            told = self._texts.get(taken.group(1))
            if told is not None:
                resource.settings[key] = Derived(
                    key, told.text, told.path, told.at, told.at, setting.name
                )


def _lines(data: bytes | None) -> list[str]:
    return data.decode("utf-8", "replace").splitlines() if data else []


def _plain(text: str) -> str:
    if text[0] in "\"'":
        return text[1:-1]
    return _FLAGS.get(text.lower(), text)

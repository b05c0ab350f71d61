"""The listeners of a node by their ports, as far as its file tells them: which one answers where."""

from __future__ import annotations

from kcheck.formats.text import templated
from kcheck.model import Resource, Setting


class Listener:
    """``host`` is where it is bound, "" for everywhere."""

    __slots__ = ("host", "name", "port", "setting")

    def __init__(self, name: str, host: str, port: int, setting: Setting) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.setting = setting


class Listeners:
    """All listeners of a node; none where one of them is not known."""

    def __init__(self, found: list[Listener]) -> None:
        self.all = found
        self._by_port = {one.port: one for one in found}

    def at(self, port: int) -> Listener | None:
        return self._by_port.get(port)


def port_of(text: str) -> int | None:
    """The number of a port; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def listeners_of(node: Resource) -> Listeners:
    """What ``listeners`` says, in the file or the image; Confluent's images open what is advertised."""
    for key in ("listeners", "advertised.listeners"):
        setting = node.settings.get(key) or node.image.get(key)
        if setting is not None:
            found = _parsed(setting) or []
            if key != "listeners":
                for one in found:
                    one.host = ""
            return Listeners(found)
    return Listeners([])


def _parsed(setting: Setting) -> list[Listener] | None:
    found: list[Listener] = []
    for entry in (setting.text or "").split(","):
        name, mark, place = entry.strip().partition("://")
        host, _, port = place.rpartition(":")
        number = port_of(port)
        if not mark or number is None or templated(host):
            return None
        found.append(Listener(name, host.strip(), number, setting))
    return found

"""Keys that Kafka's classes read and no ConfigDef declares, and the texts that they refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcheck import catalogue, configdef, data
from kcheck.catalogue import Fact
from kcheck.lexicon import shapes
from kcheck.lexicon.planes import Place
from kcheck.lexicon.values import RANGE, Fault
from kcheck.model import Setting
from kcheck.version import Version


class _Read:
    """One key with who reads it: ``named`` is the key of the reader's class, ``ends`` its names'."""

    __slots__ = ("ends", "fact", "named", "unless")

    def __init__(self, fact: Fact, unless: str, reader: str) -> None:
        self.fact = fact
        self.unless = tuple(unless.split("|")) if unless else ()
        self.named, _, ends = reader.partition("=")
        self.ends = tuple(ends.split("|"))

    def certain(self, settings: Mapping[str, Setting]) -> bool:
        """Whether the class that reads the key is in place, as far as the settings tell."""
        for place in self.unless:
            key, _, kept = place.partition("~")
            if key in settings and not (kept and kept in (settings[key].text or "")):
                return False
        named = settings.get(self.named)
        return not self.named or (named is not None and (named.text or "").endswith(self.ends))


_by_plane: dict[str, dict[str, _Read]] = {}


def faults(
    plane: str, settings: Mapping[str, Setting], version: Version
) -> Iterator[tuple[Setting, Fault]]:
    """The settings whose texts their readers refuse."""
    if not _by_plane:
        for planes, key, versions, kind, valid, unless, reader in data.rows("keys/read.tsv"):
            fact = Fact([key, versions, kind, "null", valid, "low", ""])
            for one in planes.split(" "):
                _by_plane.setdefault(one, {})[key] = _Read(fact, unless, reader)
    for key, read in _by_plane.get(plane, {}).items():
        setting = settings.get(key)
        if setting is None or setting.text is None or not read.certain(settings):
            continue
        first, last = catalogue.stretch(version)
        fact, text = read.fact, setting.text
        reason = configdef.refusal(fact, text) or shapes.refusal(fact, None, text)
        if not reason or not fact.meets(first, last):
            continue
        order = catalogue.minors()
        whole = order.index(fact.since) <= first and version.at_least(fact.since)
        fault = Fault(RANGE, reason, fact, certain=whole, since="" if whole else fact.since)
        fault.place = Place(plane, key)
        yield setting, fault

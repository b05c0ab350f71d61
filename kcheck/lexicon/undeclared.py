"""Keys that Kafka's classes read and no ConfigDef declares, and the texts that they refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcheck import catalogue, configdef, data
from kcheck.catalogue import Fact
from kcheck.lexicon import shapes
from kcheck.lexicon.planes import Place
from kcheck.lexicon.value_faults import RANGE, Fault
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

    def certain(self, plane: str, settings: Mapping[str, Setting], version: Version) -> bool:
        """Whether the class that reads the key is in place, as far as the settings tell."""
        for place in self.unless:
            key, _, kept = place.partition("~")
            if key in settings and not (kept and kept in (settings[key].text or "")):
                history = catalogue.plane(plane).history(key)
                if not history or catalogue.possible(plane, key, version):
                    return False
        named = settings.get(self.named)
        return not self.named or (named is not None and (named.text or "").endswith(self.ends))


_by_plane: dict[str, list[_Read]] = {}


def faults(
    plane: str, settings: Mapping[str, Setting], version: Version
) -> Iterator[tuple[Setting, Fault]]:
    """The settings whose texts their readers refuse."""
    if not _by_plane:
        for planes, key, versions, kind, valid, unless, reader in data.rows("keys/read.tsv"):
            fact = Fact([key, versions, kind, "null", valid, "low", ""])
            for one in planes.split(" "):
                _by_plane.setdefault(one, []).append(_Read(fact, unless, reader))
    told = set()
    for read in _by_plane.get(plane, ()):
        key = read.fact.key
        setting = settings.get(key)
        if key in told or setting is None or setting.text is None:
            continue
        if not read.certain(plane, settings, version):
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
        told.add(key)
        yield setting, fault

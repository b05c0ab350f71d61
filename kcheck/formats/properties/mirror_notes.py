"""Flows and clusters in the ``.properties`` of MirrorMaker 2 that it ignores silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcheck import catalogue
from kcheck.formats.text import templated
from kcheck.lexicon import suggest
from kcheck.model import Note, Setting

_Layer = Mapping[str, Setting]
_CLIENTS = ("admin", "producer", "consumer")
#: What stands before keys of all clusters.
_PREFIXES = ("source", "target", "producer", "consumer", "admin")
#: What people take for the ends of a flow.
_ENDS = ("source", "target")
#: What people set of a flow.
_FLOWS = ("enabled", "topics", "topics.exclude", "topics.blacklist", "groups", "groups.exclude")
_EOS, _REST = "exactly.once.source.support", "dedicated.mode.enable.internal.rest"


def of(
    aliases: list[str],
    everywhere: _Layer,
    clusters: Mapping[str, _Layer],
    flows: Mapping[tuple[str, str], _Layer],
) -> Iterator[Note]:
    """Notes on the file's flows and clusters; ``aliases`` are all clusters that it names."""
    switch = everywhere.get("enabled")
    used: dict[str, Setting] = {}
    written: list[str] = []
    for (source, target), own in flows.items():
        told = own.get("enabled") or next(iter(own.values()))
        asked = own.get("enabled") or switch
        if asked is not None and (asked.text or "true").lower() != "true":
            continue
        others = unknown((source, target), aliases)
        if others:
            yield _note(
                told,
                f"{told.name} names {others[0]}, but clusters={','.join(aliases)} does not",
                f"MirrorMaker silently ignores flow {source}->{target}: it mirrors nothing",
                f"add {others[0]} to clusters, or name one of {', '.join(aliases)}",
            )
        elif asked is None:
            yield _note(
                told,
                f"flow {source}->{target} has settings, but is not enabled",
                "nothing is mirrored: a flow is disabled by default, and only heartbeats are sent",
                f"set {source}->{target}.enabled=true",
            )
        else:
            for alias in (source, target):
                if not templated(alias):
                    used.setdefault(alias, told)
            written.append(target)
    for alias, told in used.items():
        own = clusters.get(alias, {})
        if "bootstrap.servers" not in own and "bootstrap.servers" not in everywhere:
            yield _note(
                told,
                f"{told.name} requires cluster {alias}, but {alias}.bootstrap.servers is not set",
                "up to 4.1 MirrorMaker connects to localhost:9092 instead; from 4.2 on it fails to "
                "start",
                f"set {alias}.bootstrap.servers",
            )
    yield from _exactly_once(everywhere, clusters, written)
    yield from _misspelt(aliases, everywhere, [*flows])
    yield from _dotted(aliases, clusters)


def unknown(flow: tuple[str, str], aliases: list[str]) -> list[str]:
    """The ends of a flow that are none of the clusters; a placeholder may be any of them."""
    return [alias for alias in flow if alias not in aliases and not templated(alias)]


def _misspelt(
    aliases: list[str], everywhere: _Layer, flows: list[tuple[str, str]]
) -> Iterator[Note]:
    """A client's setting behind what is no alias: an end of the flow, or one letter away from one."""
    for key, setting in everywhere.items():
        alias, dot, rest = key.partition(".")
        if not dot or not any(rest in catalogue.plane(plane) for plane in _CLIENTS):
            continue
        if alias in _ENDS and alias not in aliases:
            end = next((flow[_ENDS.index(alias)] for flow in flows), "the alias of the cluster")
            yield _note(
                setting,
                f"{setting.name} begins with {alias}, which is no alias: clusters={','.join(aliases)}",
                f"MirrorMaker silently ignores it: settings of a cluster begin with its alias, and its "
                f"clients do not get {rest}",
                f"rename it to {end}.{rest}",
            )
            continue
        near = [one for one in aliases if _one_letter(alias, one)]
        if len(near) == 1 and alias not in _PREFIXES:
            yield _note(
                setting,
                f"{setting.name} begins with {alias}, but clusters={','.join(aliases)} does not name it",
                f"the clients of {near[0]} do not get {rest}",
                f"rename it to {near[0]}.{rest}",
            )


def _dotted(aliases: list[str], clusters: Mapping[str, _Layer]) -> Iterator[Note]:
    """A flow with a dot in place of its arrow: the key is one of its source's clients, and unknown."""
    for source, own in clusters.items():
        for key, setting in own.items():
            target, dot, rest = key.partition(".")
            if dot and target in aliases and target != source and rest in _FLOWS:
                place = (setting.path, setting.at, setting.key_at, setting.name)
                yield _note(
                    Setting(rest, setting.text, *place),
                    f"{setting.name} is a setting of cluster {source}, not of flow {source}->{target}",
                    "MirrorMaker silently ignores it"
                    + (": the flow stays disabled" if rest == "enabled" else ""),
                    f"rename it to {source}->{target}.{rest}",
                )


def _one_letter(one: str, other: str) -> bool:
    """Whether two aliases differ in one letter that is no digit."""
    digits = [[char for char in name if char.isdigit()] for name in (one, other)]
    return len(one) > 2 and digits[0] == digits[1] and suggest.distance(one, other, 1) == 1


def _exactly_once(
    everywhere: _Layer, clusters: Mapping[str, _Layer], written: list[str]
) -> Iterator[Note]:
    """A worker reads the switch of the cluster that it writes to, and no other."""
    own = (layer[_EOS] for layer in clusters.values() if _EOS in layer)
    asked = next((setting for setting in own if setting.text == "enabled"), None)
    rest, plain = everywhere.get(_REST), everywhere.get(_EOS)
    if asked is not None and (rest is None or rest.text == "false"):
        yield Note(
            "KC1608",
            asked,
            f"MirrorMaker has {asked.name}=enabled, but "
            + (f"{_REST}=false" if rest else f"no {_REST}"),
            "its nodes cannot forward requests to each other: with more than one node, tasks fail to "
            "start on all but the leader, and new topics and settings may not be applied",
            f"set {_REST}=true, and set listeners that the other nodes can reach",
            others=(rest,) if rest else (),
        )
    elif asked is None and plain is not None and plain.text == "enabled" and written:
        yield Note(
            "KC1608",
            plain,
            f"{plain.name}=enabled has no cluster alias, but a worker reads that of its target cluster",
            "MirrorMaker silently ignores it: records are duplicated after a failure",
            f"set {written[0]}.{_EOS}=enabled, and {_REST}=true",
        )


def _note(told: Setting, message: str, consequence: str, fix: str) -> Note:
    return Note("KC1606", told, message, consequence, fix)

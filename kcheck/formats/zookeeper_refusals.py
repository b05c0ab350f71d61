"""What ZooKeeper refuses of its own file (QuorumPeerConfig of apache/zookeeper@53a78e36f).

Where a template writes lines, what is missing may be among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kcheck.formats.text import templated
from kcheck.model import ERROR, Document, Problem, Setting
from kcheck.syntax.entry import Entry
from kcheck.units import whole

CODE = "KC1150"
_ENDS = "ZooKeeper does not start"
_SERVER = re.compile(r"server\.\d+")
_OBSERVER = re.compile(r":observer\s*(?:;.*)?$")
#: Host and the port of the quorum alone.
_HALF = re.compile(r"(?:\[[^\]]*\]|[^:;\[\]]*):\d+(?::(?:participant|observer))?(?:;.*)?")
_AUTH = "quorum.auth."
_SASL, _SERVERS, _LEARNERS = (
    f"{_AUTH}enableSasl",
    f"{_AUTH}serverRequireSasl",
    f"{_AUTH}learnerRequireSasl",
)
#: What one needs of another: by key, the value with which it does (any where empty), and what it needs.
_NEEDS = (
    ("clientPortAddress", "", "clientPort", ""),
    ("secureClientPortAddress", "", "secureClientPort", ""),
    (_SERVERS, "true", _SASL, "true"),
    (_LEARNERS, "true", _SASL, "true"),
    (_SERVERS, "true", _LEARNERS, "true"),
)
#: Of an ensemble: what has no default.
_LIMITS = ("initLimit", "syncLimit")
_ROLES = ("participant", "observer")
#: Milliseconds of a tick, and the bounds of a session in ticks.
_TICK, _LEAST, _LONGEST = 3000, 2, 20


def tell(document: Document, entries: list[Entry], template: bool) -> None:
    """Report what the program refuses; ``template``: lines may be missing."""
    given = {entry.key: entry for entry in entries}
    if template or any(map(templated, given)):
        return
    for entry, message, fix in (*_ensemble(given), *_pairs(given)):
        told = Setting(entry.key, entry.value, document.path, entry.at, entry.key_at)
        document.problems.append(
            Problem(message, entry.key_at, CODE, ERROR, _ENDS, fix, setting=told)
        )


def _ensemble(given: Mapping[str, Entry]) -> Iterator[tuple[Entry, str, str]]:
    servers = [entry for key, entry in given.items() if _SERVER.fullmatch(key)]
    if not servers or any(templated(entry.value) for entry in servers):
        return
    half = next((entry for entry in servers if _HALF.fullmatch(entry.value.strip())), None)
    if half is not None:
        yield half, f"{half.key}={half.value} has no port for elections", "add :3888"
    if "dynamicConfigFile" in given:
        yield servers[0], f"{servers[0].key} stands beside dynamicConfigFile", "move it there"
        return
    voting = [entry for entry in servers if not _OBSERVER.search(entry.value)]
    if not voting:
        yield servers[0], "all servers are observers", "let one or more be participants"
    lacking = [one for one in _LIMITS if one not in given]
    if len(voting) > 1 and lacking:
        named = " and ".join(lacking)
        yield servers[0], f"an ensemble of {len(servers)} servers has no {named}", f"set {named}"


def _pairs(given: Mapping[str, Entry]) -> Iterator[tuple[Entry, str, str]]:
    for key, value, needed, wanted in _NEEDS:
        entry, other = given.get(key), given.get(needed)
        if entry is None or (value and entry.value.strip().lower() != value):
            continue
        if other is None or (wanted and other.value.strip().lower() == "false"):
            shown = f"{needed}={wanted}" if wanted else needed
            yield entry, f"{key} requires {shown}", f"set {shown}"
    role = given.get("peerType")
    if role is not None and not templated(role.value) and role.value.strip() not in _ROLES:
        shown = role.value.strip()
        yield role, f"peerType={shown} is no role of a server", f"use {' or '.join(_ROLES)}"
    lowest, highest = given.get("minSessionTimeout"), given.get("maxSessionTimeout")
    tick = _number(given.get("tickTime"), _TICK)
    least = _number(lowest, None if tick is None else tick * _LEAST)
    longest = _number(highest, None if tick is None else tick * _LONGEST)
    if least is not None and longest is not None and least > longest and (lowest or highest):
        at = lowest or highest
        assert at is not None, "one of them is there"
        message = f"minSessionTimeout={least} is above maxSessionTimeout={longest}"
        yield at, message, "raise maxSessionTimeout, or lower minSessionTimeout"


def _number(entry: Entry | None, default: int | None) -> int | None:
    if entry is None:
        return default
    told = whole(entry.value.strip())
    return default if told == -1 else told

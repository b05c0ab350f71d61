"""The processes of Nomad's tasks: their memory, mounts, replicas and time to stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kcheck.formats.containers import running
from kcheck.formats.containers.variables import Variable
from kcheck.model import Setting
from kcheck.model.processes import CLAIM, FILES, OTHER, OWN_CLAIM, Mount, Process
from kcheck.syntax.hcl import Block, Entry, Scalar
from kcheck.units import seconds, whole

_MIB = 1 << 20


def amount(path: str, entry: Entry | None, name: str, factor: int = 1) -> Setting | None:
    """A whole number of the job as a fact called ``name``; None where it is not known."""
    value = entry.value if entry is not None else None
    number = whole(value.text) if isinstance(value, Scalar) else None
    if not isinstance(value, Scalar) or number is None:
        return None
    made = Setting(name, value.text, path, value.at)
    made.amount = number * factor
    return made


def memory(path: str, task: Block, name: str) -> Setting | None:
    """The memory that Nomad ends the task above."""
    for inner in task.blocks():
        if inner.type == "resources":
            own = inner.attributes()
            return amount(path, own.get("memory_max") or own.get("memory"), name, _MIB)
    return None


def process(
    name: str,
    path: str,
    task: Block,
    group: Block | None,
    image: str,
    config: Mapping[str, Entry],
    variables: Mapping[str, Variable],
    known: bool,
    command: str,
) -> Process | None:
    """The task as a process; None where nobody knows what its image or ``command`` starts."""
    kind = running.started_by(command) if command else running.kind_of(image)
    if kind is None:
        return None
    made = running.process(kind, name, path, task.at, variables, known, command)
    made.memory = memory(path, task, "memory")
    made.replicas = amount(path, group.attributes().get("count"), "count") if group else None
    made.mounts = _mounts(path, task, group, config)
    told = task.attributes().get("kill_timeout")
    if told is not None and isinstance(told.value, Scalar):
        made.grace = Setting("kill_timeout", told.value.text, path, told.value.at)
        made.grace.amount = seconds(told.value.text)
    return made


def _mounts(
    path: str, task: Block, group: Block | None, config: Mapping[str, Entry]
) -> tuple[Mount, ...] | None:
    """What is mounted; None where a part of it may be anywhere."""
    found: list[Mount] = []
    kinds = {one.labels[0]: _kind(one) for one in _of(group, "volume") if one.labels}
    for block in _of(task, "volume_mount"):
        own = block.attributes()
        place, source = _text(own.get("destination")), _text(own.get("volume"))
        if place is None:
            return None
        told = Setting("volume_mount", source, path, block.at)
        found.append(Mount(place, kinds.get(source or "", OTHER), source or "", told))
    if any(one.type in ("mount", "mounts") for b in _of(task, "config") for one in b.blocks()):
        return None
    if "mount" in config or "mounts" in config:
        return None
    bound = config.get("volumes")
    if bound is None:
        return tuple(found)
    if not isinstance(bound.value, tuple):
        return None
    for item in bound.value:
        source, _, place = (item.text if isinstance(item, Scalar) else "").partition(":")
        if not isinstance(item, Scalar) or not place.startswith("/"):
            return None
        made = Setting("volumes", item.text, path, item.at)
        # What is no path of the host lies in the folder of the allocation, and goes with it.
        kind = OTHER if source.startswith("/") else FILES
        found.append(Mount(place.partition(":")[0], kind, source, made))
    return tuple(found)


def _kind(volume: Block) -> str:
    """A volume of the host is another one on each host, where static ports spread a group."""
    own = volume.attributes()
    if _text(own.get("type")) == "csi":
        return OWN_CLAIM if _text(own.get("per_alloc")) == "true" else CLAIM
    return OTHER


def _of(block: Block | None, kind: str) -> Iterable[Block]:
    return (one for one in block.blocks() if one.type == kind) if block is not None else ()


def _text(entry: Entry | None) -> str | None:
    value = entry.value if entry is not None else None
    return value.text if isinstance(value, Scalar) else None

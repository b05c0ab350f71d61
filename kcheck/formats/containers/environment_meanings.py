"""Variables of an image that mean something else than their names say: not read, replaced, of an older name."""

from __future__ import annotations

from kcheck import images
from kcheck.formats.containers.environment import Reading
from kcheck.formats.containers.environment_notes import LEGACY, NOT_READ, REFUSED, REPLACED, add
from kcheck.formats.containers.variables import Variable
from kcheck.images import THE_ADDRESS, Meaning
from kcheck.model import ERROR, INFO, WARNING


def note(reading: Reading, variable: Variable, meaning: Meaning) -> None:
    name = reading.family.name
    if not meaning.holds(reading.conditions):
        return
    if images.within(reading.version, meaning.versions) is not True:
        return
    if meaning.effect == "foreign":
        _foreign(reading, variable, meaning)
    elif meaning.effect == "replaced":
        _replaced(reading, variable, meaning)
    elif meaning.effect == "legacy":
        _legacy(reading, variable, meaning)
    elif meaning.effect == "refused" and variable.known:
        instead = meaning.key
        reason = f": {meaning.note}" if meaning.note else f"; {instead} replaces it"
        add(
            reading,
            REFUSED,
            variable,
            f"{name} exits if {variable.name} is set{reason}",
            "the container exits before Kafka starts",
            f"set {instead} instead" if instead else f"remove {variable.name}",
            ERROR,
        )


def _foreign(reading: Reading, variable: Variable, meaning: Meaning) -> None:
    beside = reading.variables.get(meaning.key)
    # The image is told already what the variable says: the same value, or that something is on.
    said = beside is not None and (
        meaning.note.startswith(_SWITCH) or beside.known == variable.known is not None
    )
    mark = ":" if meaning.note.startswith("only") else ","
    # With ZooKeeper the cluster makes its id itself.
    idle = meaning.key == "CLUSTER_ID" and _with_zookeeper(reading)
    fix = f"set {meaning.key} instead" if meaning.key and not idle else f"remove {variable.name}"
    add(
        reading,
        NOT_READ,
        variable,
        f"{reading.family.name} does not read {variable.name}{mark} {meaning.note}",
        "the variable has no effect",
        f"remove {variable.name}; {meaning.key} is set" if said else fix,
        INFO if said or idle else WARNING,
    )


def _with_zookeeper(reading: Reading) -> bool:
    names = reading.variables.keys()
    return "KAFKA_ZOOKEEPER_CONNECT" in names and "KAFKA_PROCESS_ROLES" not in names


_SWITCH = "a switch"


def _replaced(reading: Reading, variable: Variable, meaning: Meaning) -> None:
    by = [name for name in meaning.key.split(" or ") if name]
    given = [reading.variables[name] for name in by if name in reading.variables]
    if any(other.known is None or other.known == variable.known for other in given):
        return
    if not given and variable.known == meaning.note:
        return
    value = f"the value of {given[0].name}" if given else meaning.note
    name = reading.family.name
    # Other workers reach the container by its address as well as by its name.
    same = not given and meaning.note == THE_ADDRESS and "." not in (variable.known or ".")
    add(
        reading,
        REPLACED,
        variable,
        f"{name} overrides {variable.name} with {value}",
        f"{variable.name}={variable.known or ''} has no effect"
        + (": the container's address serves as well" if same else ""),
        f"set {by[0]} instead" if by else f"remove {variable.name}",
        INFO if same else WARNING,
    )


def _legacy(reading: Reading, variable: Variable, meaning: Meaning) -> None:
    name, current = reading.family.name, meaning.note
    beside = reading.variables.get(current)
    if beside is not None:
        if beside.known is None or variable.known is None or beside.known == variable.known:
            return
        add(
            reading,
            LEGACY,
            variable,
            f"{name} reads {meaning.key} from the legacy name {variable.name}={variable.known}, "
            f"not from {current}={beside.known}",
            f"{current} has no effect",
            f"remove {variable.name}",
        )
        return
    add(
        reading,
        LEGACY,
        variable,
        f"{variable.name} is a legacy name of {name} for {current}",
        "it works, but only about thirty keys have legacy names: any other variable without CFG is "
        "ignored",
        f"rename it to {current}",
        INFO,
    )

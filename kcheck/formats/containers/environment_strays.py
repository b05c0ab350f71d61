"""Variables that an image does not read, where another variable was meant."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, images
from kcheck.formats.containers.environment import Reading, foreign_prefix
from kcheck.formats.containers.environment_notes import listed
from kcheck.formats.containers.variables import Variable
from kcheck.images import THE_ADDRESS, WORKER, Family, Meaning
from kcheck.lexicon import suggest
from kcheck.model import INFO, WARNING

#: This many variables for another image are one mistake and are reported once.
_A_WHOLE_SET = 3

#: The variable, and message, consequence, fix and severity.
Stray = tuple[Variable, str, str, str, str]


def strays(reading: Reading) -> Iterator[Stray]:
    """What is to be said of the variables that the image does not look at."""
    foreign = [v for v in reading.stray if _foreign_alone(reading, v)]
    if len(foreign) >= _A_WHOLE_SET:
        yield _foreign(reading, foreign)
    for variable in reading.stray:
        if len(foreign) < _A_WHOLE_SET or variable not in foreign:
            found = _stray(reading, variable)
            if found is not None:
                yield found


def meant(reading: Reading, names: list[str]) -> tuple[list[Variable], str, str] | None:
    """What was meant for variables that the image requires, under names that it does not look at.

    The variables, how the message goes on, and the fix that sets all that is required; a whole set for
    another image as such. None where nothing was.
    """
    told = [(_meant(reading.family, one.name), one) for one in reading.stray]
    slips = {found[1]: one for found, one in told if found is not None and found[1] in names}
    if not slips:
        return None
    foreign = [v for v in reading.stray if _foreign_alone(reading, v)]
    if len(foreign) >= _A_WHOLE_SET:
        _, message, _, fix, _ = _foreign(reading, foreign)
        return foreign, message.removeprefix(reading.family.name), fix
    fixes = [f"rename {one.name} to {name}" for name, one in slips.items()]
    others = [name for name in names if name not in slips]
    fixes += [f"set {listed(others)}"] if others else []
    unread = listed([one.name for one in slips.values()])
    return [*slips.values()], f" does not read {unread}", listed(fixes)


def _foreign_alone(reading: Reading, variable: Variable) -> bool:
    """Whether it has Bitnami's name, and the image's own variable for the same is not there."""
    own = reading.family.prefix + variable.name.removeprefix("KAFKA_CFG_")
    return foreign_prefix(reading.family, variable.name) and own not in reading.variables


def _foreign(reading: Reading, variables: list[Variable]) -> Stray:
    """A configuration for Bitnami's image, given to another: one mistake, however many lines."""
    first = variables[0]
    name, prefix = reading.family.name, reading.family.prefix
    key = reading.family.translated(first.name.removeprefix("KAFKA_CFG_"))
    return (
        first,
        f"{name} does not read {first.name} ({key}) and {len(variables) - 1} more variables with "
        "Bitnami's prefix KAFKA_CFG_",
        "they have no effect: each key keeps its default or the value that the image sets",
        f"replace the prefix KAFKA_CFG_ with {prefix} in all of them",
        WARNING,
    )


def _stray(reading: Reading, variable: Variable) -> Stray | None:
    if variable.name != variable.name.strip():
        # One before it is of an option that a command puts together: ``$(printf "-e NAME=…")``.
        trailing = variable.name == variable.name.lstrip()
        return _blank(reading.family, variable) if trailing else None
    meant = _meant(reading.family, variable.name)
    if meant is None:
        return None
    key, instead = meant
    replacing = _replacing(reading, instead)
    if replacing is not None:
        instead = replacing.key.partition(" or ")[0]
    shared = variable.path.rpartition("/")[2].startswith(".env")
    if shared and not variable.name.startswith("KAFKA_"):
        # Such a file serves the whole project: who reads the variable, it does not say.
        return None
    if _gone(reading, key):
        return (
            variable,
            f"{reading.family.name} does not read {variable.name}, and Kafka has no {key} any more",
            "the variable has no effect",
            "remove it",
            INFO,
        )
    beside = reading.variables.get(instead)
    if beside is not None and (beside.known is None or beside.known == variable.known):
        return None
    name = reading.family.name
    alone = beside is None and variable.known is not None
    # Other workers reach the container by its address as well as by its name.
    addressed = replacing is not None and replacing.note == THE_ADDRESS
    addressed = addressed and alone and "." not in (variable.known or "")
    same = addressed or (alone and variable.known == _held(reading, key))
    if alone and key == "listeners" and _derived(reading, variable.known or ""):
        return (
            variable,
            f"{name} does not read {variable.name}: it reads {key} from {instead}",
            f"{key} follows the advertised listeners, with the same ports",
            "remove it",
            INFO,
        )
    return (
        variable,
        f"{name} does not read {variable.name}: it reads {key} from {instead}",
        f"{key} keeps its default or the value that the image sets"
        + (", which serves as well" if addressed else ", which is the same" if same else ""),
        f"rename it to {instead}" if beside is None else f"remove it: {instead} takes effect",
        INFO if same else WARNING,
    )


def _gone(reading: Reading, key: str) -> bool:
    """Whether the Kafka in the image, or the newest where nothing tells it, has dropped the key."""
    minor = catalogue.clamp(reading.version) or catalogue.newest()
    facts = catalogue.plane("worker" if reading.family.role == WORKER else "broker").history(key)
    return bool(facts) and not any(fact.covers(minor) for fact in facts)


def _derived(reading: Reading, told: str) -> bool:
    """Whether the image makes these listeners of the advertised ones."""
    derived = reading.resource.image.get("listeners")
    entries = {one.strip().replace("://:", "://0.0.0.0:") for one in told.split(",")}
    return entries <= set(((derived.text if derived is not None else None) or "").split(","))


def _blank(family: Family, variable: Variable) -> Stray | None:
    """A blank that the name of a variable ends in, as it does before the sign in ``NAME = text``."""
    name = variable.name.strip()
    if family.key(name) is None and not family.meanings(name):
        return None
    return (
        variable,
        f'{family.name} does not read "{variable.name}": its name has a blank at the end',
        f"{name} keeps its default; newer releases of Compose refuse the file",
        "remove the blanks around the equals sign",
        WARNING,
    )


def _replacing(reading: Reading, name: str) -> Meaning | None:
    """What replaces a variable with the image's prefix before Kafka starts; None where it is read."""
    for meaning in reading.family.meanings(name):
        if meaning.effect != "replaced" or not meaning.key or not meaning.holds(reading.conditions):
            continue
        if images.within(reading.version, meaning.versions) is True:
            return meaning
    return None


def _held(reading: Reading, key: str) -> str | None:
    """The value that a key has without the variable, as text; None where it is not known.

    The listeners of a broker depend on those that are advertised.
    """
    if "listener" in key:
        return None
    own = reading.resource.settings.get(key) or reading.resource.image.get(key)
    if own is not None:
        return own.text
    plane = "worker" if reading.family.role == WORKER else "broker"
    defaults = {fact.default_text for fact in catalogue.plane(plane).history(key)}
    return defaults.pop() if len(defaults) == 1 else None


def _meant(family: Family, name: str) -> tuple[str, str] | None:
    """The key that somebody meant by a variable, and the variable that sets it."""
    prefix = family.prefix
    if foreign_prefix(family, name):
        rest = name.removeprefix("KAFKA_CFG_")
        return family.translated(rest), prefix + rest
    upper = name.upper()
    if name == name.lower() and "." in name:
        instead = family.variable(name)
        return (name, instead) if instead and _known(family, name) else None
    for start in (prefix, "KAFKA_"):
        if upper.startswith(start):
            rest = upper[len(start) :].replace(".", "_")
            break
    else:
        rest = upper.replace(".", "_")
        if name != upper or ("_" not in name and name != "LISTENERS"):
            rest = ""
    key = family.translated(rest)
    if rest and _known(family, key):
        return key, prefix + rest
    rest = _behind_slip(prefix, upper)
    key = family.translated(rest)
    return (key, prefix + rest) if "." in key and _known(family, key) else None


def _behind_slip(prefix: str, name: str) -> str:
    """What stands behind a misspelt prefix: ``KAKFA_``, ``KAFKA_CGF_``; "" behind any other."""
    words = name.split("_")
    length = prefix.count("_")
    head, rest = "_".join(words[:length]) + "_", "_".join(words[length:])
    return rest if head != prefix and suggest.distance(head, prefix, 2) <= 2 else ""


def _known(family: Family, key: str) -> bool:
    if family.role == WORKER:
        role, dot, inner = key.partition(".")
        if dot and role in ("producer", "consumer", "admin"):
            return inner in catalogue.plane(role)
        return key in catalogue.plane("connect-distributed")
    return key in catalogue.plane("broker") or key.startswith("listener.name.")

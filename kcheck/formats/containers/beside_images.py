"""Variables of programs around Kafka that their image does not read, or not in this form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kcheck import data, images
from kcheck.model import ERROR, WARNING, Problem, Setting
from kcheck.version import Version

CODE = "KC0189"


def faults(
    image: Setting, variables: Mapping[str, Variable], command: str, complete: bool
) -> Iterator[Problem]:
    """What is wrong with the variables of a container; ``complete``: it has no others.

    A variable that the command names is read by the command.
    """
    repository, tag = images.split(image.text or "")
    parts = repository.lower().split("/")
    names = {"/".join(parts[-2:]), parts[-1] if len(parts) == 1 or parts[-1][:3] == "cp-" else ""}
    version = Version(tag.partition("-")[0])
    for row in data.rows("images/beside.tsv"):
        listed, effect, told, pattern, instead, unless, versions, note, _source = row
        if not names.intersection(listed.split()) or _void(unless, variables, command):
            continue
        if images.within(version, versions) is False:
            continue
        if effect == "required":
            if complete and not command and not any(one in variables for one in told.split("|")):
                yield _required(image, told.split("|"), note)
            continue
        variable = next((variables[one] for one in told.split("|") if one in variables), None)
        if variable is None or variable.name in command:
            continue
        if effect == "unread" and complete and not (pattern and variable.known == pattern):
            yield _unread(repository, variable, instead, note)
        elif effect == "form" and variable.known:
            wrong = [one for one in variable.known.split() if not re.fullmatch(pattern, one)]
            if wrong and images.within(version, versions):
                yield _form(repository, variable, wrong[0], note)


def _void(unless: str, variables: Mapping[str, Variable], command: str) -> bool:
    for word in unless.split():
        name, equals, text = word.partition("=")
        if equals:
            other = variables.get(name)
            if other is not None and text in (other.known or text):
                return True
        elif name in variables or name in command:
            return True
    return False


def _required(image: Setting, wanted: list[str], note: str) -> Problem:
    return Problem(
        f"{images.split(image.text or '')[0]} requires {' or '.join(wanted)}: {note}",
        image.at,
        CODE,
        ERROR,
        "the container exits at start",
        f"set {wanted[0]}",
        setting=Setting(wanted[0], None, image.path, image.at),
    )


def _unread(name: str, variable: Variable, instead: str, note: str) -> Problem:
    told = instead.startswith("the ")  # rather than a name
    return Problem(
        f"{name} does not read {variable.name}" + (f": {note}" if note else ""),
        variable.key_at,
        CODE,
        WARNING,
        "the variable has no effect: the program keeps its default",
        f"{'use' if told else 'rename it to'} {instead}",
        setting=variable.setting(variable.name, variable.raw),
    )


def _form(name: str, variable: Variable, wrong: str, note: str) -> Problem:
    return Problem(
        f"{name}: {variable.name} has {wrong}, and {note}",
        variable.at,
        CODE,
        WARNING,
        "brokers and clients cannot connect to it",
        f"write {wrong};2181",
        setting=variable.setting(variable.name, variable.raw),
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.containers.variables import Variable

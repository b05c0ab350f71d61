"""``$(NAME)`` in the variables of a container that Kubernetes does not resolve.

It resolves variables of the same container that are defined above, those of ``envFrom`` and of
Services; any other text in the parentheses remains unchanged, because no shell evaluates it. Nor does
one evaluate ``${NAME}``, which is told where the container has a variable of that name: otherwise
a tool may have filled it in before.
"""

from __future__ import annotations

import re

from kcheck import catalogue
from kcheck.model import ERROR, WARNING, Note, Resource, Setting
from kcheck.syntax import yaml

CODE = "KC0116"

#: What Kubernetes reads as a reference: up to the first parenthesis; ``$$(`` is no reference.
_REFERENCE = re.compile(r"(?<!\$)(?:\$\$)*\$\(([^)]*)\)")
#: What a shell would read as a reference.
_IN_A_SHELL = re.compile(r"(?<!\$)\$(?:\{(\w+)\}|(\w+))", re.ASCII)
_NAME = re.compile(r"[A-Za-z_.-][\w.-]*", re.ASCII)
_ADDRESSES = ("listeners", "advertised.listeners")
_NUMBERS = ("int", "long", "short", "double")
#: Variables that Kubernetes makes of Services.
_OF_SERVICE = re.compile(r"_SERVICE_HOST$|_SERVICE_PORT|_PORT(_|$)")


def note(resource: Resource, items: list[yaml.Node], others: bool) -> None:
    """Note on the resource which of its settings Kafka gets with their ``$(…)``.

    ``items``: the variables of its container; ``others``: something else adds variables to it.
    """
    names = [yaml.text(yaml.child(item, "name")) for item in items]
    settings = {setting.name: setting for setting in resource.settings.values()}
    above: set[str] = set()
    for name, item in zip(names, items, strict=True):
        text = yaml.text(yaml.child(item, "value")) or ""
        if name not in settings or "{{" in text:
            above.add(name or "")
            continue
        _of_shells(resource, settings[name or ""], text, names)
        for found in _REFERENCE.finditer(text):
            why = _kept(found[1], above, names, others)
            if why:
                setting = settings[name or ""]
                # A variable that nobody defines here may be given to the container elsewhere.
                certain = found[1] in names or not _NAME.fullmatch(found[1])
                refused = certain and _refused(resource, setting.key)
                resource.notes.append(
                    Note(
                        CODE,
                        setting,
                        f"{name} contains $({found[1]}), {why}",
                        f"Kafka gets the literal text $({found[1]})"
                        + (" and fails to start" if refused else f" in {setting.key}")
                        + ("" if certain else f", unless {found[1]} is defined elsewhere"),
                        "set the literal value, or compute it in the container's command"
                        if not _NAME.fullmatch(found[1])
                        else f"define {found[1]} in the container's env, above {name}",
                        ERROR if refused else WARNING,
                    )
                )
                break
        above.add(name or "")


def _of_shells(resource: Resource, told: Setting, text: str, names: list[str | None]) -> None:
    """Note the first variable of the container that the value names as a shell would."""
    for found in _IN_A_SHELL.finditer(text):
        inside = found[1] or found[2]
        if inside not in names or inside == told.name:
            continue
        refused = _refused(resource, told.key)
        resource.notes.append(
            Note(
                CODE,
                told,
                f"{told.name} contains {found[0]}, which Kubernetes does not resolve, and no shell "
                "evaluates it",
                f"Kafka gets the literal text {found[0]}"
                + (" and fails to start" if refused else f" in {told.key}"),
                f"write $({inside}), and define {inside} above {told.name}",
                ERROR if refused else WARNING,
            )
        )
        return


def _refused(resource: Resource, key: str) -> bool:
    """Whether no text with parentheses is a value of the key: it wants addresses or a number."""
    facts = catalogue.plane(resource.plane).history(key)
    return key in _ADDRESSES or (bool(facts) and all(fact.type in _NUMBERS for fact in facts))


def _kept(inside: str, above: set[str], names: list[str | None], others: bool) -> str:
    """Why ``$(inside)`` stays as it is; "" where Kubernetes replaces it, or may do so."""
    if not _NAME.fullmatch(inside):
        return "which is not a variable, and no shell evaluates it"
    if inside in above or (others and inside not in names):
        return ""
    if inside in names:
        # What envFrom gives to the name would be taken, and nobody gives a name twice.
        return f"but {inside} is defined below it: Kubernetes resolves only variables defined above"
    return "" if _OF_SERVICE.search(inside) else f"but the container has no variable {inside}"

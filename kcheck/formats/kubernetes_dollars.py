"""``$(NAME)`` in the variables of a container, where Kubernetes puts nothing in its place.

It knows the variables of the same container that stand above, those of ``envFrom`` and of
Services; whatever else is in the parentheses stays as it is, for no shell looks at it.
"""

from __future__ import annotations

import re

from kcheck import catalogue
from kcheck.model import ERROR, WARNING, Note, Resource
from kcheck.syntax import yaml

CODE = "KC0116"

#: What Kubernetes reads as a reference: up to the first parenthesis; ``$$(`` is no reference.
_REFERENCE = re.compile(r"(?<!\$)(?:\$\$)*\$\(([^)]*)\)")
_NAME = re.compile(r"[A-Za-z_.-][\w.-]*", re.ASCII)
_ADDRESSES = ("listeners", "advertised.listeners")
_NUMBERS = ("int", "long", "short", "double")
#: Variables that Kubernetes makes of Services.
_OF_SERVICE = re.compile(r"_SERVICE_HOST$|_SERVICE_PORT|_PORT(_|$)")


def note(resource: Resource, container: yaml.Node, complete: bool) -> None:
    """Note on the resource which of its settings Kafka gets with their ``$(…)``.

    ``complete``: no other file adds variables to the container.
    """
    items = yaml.items(yaml.child(container, "env"))
    names = [yaml.text(yaml.child(item, "name")) for item in items]
    others = not complete or yaml.child(container, "envFrom") is not None
    settings = {setting.name: setting for setting in resource.settings.values()}
    above: set[str] = set()
    for name, item in zip(names, items, strict=True):
        text = yaml.text(yaml.child(item, "value")) or ""
        for found in _REFERENCE.finditer(text) if name in settings and "{{" not in text else ():
            why = _kept(found[1], above, names, others)
            if why:
                told = settings[name or ""]
                # A variable that nobody defines here may be given to the container elsewhere.
                certain = found[1] in names or not _NAME.fullmatch(found[1])
                refused = certain and _refused(resource, told.key)
                resource.notes.append(
                    Note(
                        CODE,
                        told,
                        f"{name} holds $({found[1]}), {why}",
                        f"Kafka gets the characters $({found[1]}) themselves"
                        + (" and refuses to start" if refused else f" as a part of {told.key}")
                        + ("" if certain else ", unless something else defines it"),
                        "write the value itself, or have the container's command work it out"
                        if not _NAME.fullmatch(found[1])
                        else f"define {found[1]} in the container's env, above {name}",
                        ERROR if refused else WARNING,
                    )
                )
                break
        above.add(name or "")


def _refused(resource: Resource, key: str) -> bool:
    """Whether no text with parentheses is a value of the key: it wants addresses or a number."""
    facts = catalogue.plane(resource.plane).history(key)
    return key in _ADDRESSES or (bool(facts) and all(fact.type in _NUMBERS for fact in facts))


def _kept(inside: str, above: set[str], names: list[str | None], others: bool) -> str:
    """Why ``$(inside)`` stays as it is; "" where Kubernetes replaces it, or may do so."""
    if not _NAME.fullmatch(inside):
        return "which is no variable, and no shell runs it"
    if inside in above or (others and inside not in names):
        return ""
    if inside in names:
        # What envFrom gives to the name would be taken, and nobody gives a name twice.
        return f"and {inside} stands below it: Kubernetes knows only the variables above"
    return "" if _OF_SERVICE.search(inside) else f"and the container has no variable {inside}"

"""Values that something else fills in later, and that are unknown until then."""

from __future__ import annotations

_MARKS = ("{{", "${", "<%", "$(", "%{", "{%")


def templated(text: str) -> bool:
    """Whether the text is to be filled in by something else, so that its value is unknown.

    Template marks of Helm, Jinja, ERB, shells and config providers, ``<placeholder>`` and
    ``:PLACEHOLDER:`` as whole values.
    """
    for mark in _MARKS:
        if mark in text:
            return True
    stripped = text.strip()
    if len(stripped) > 2:
        first, last = stripped[0], stripped[-1]
        if first == "<" and last == ">":
            return True
        if first == ":" and last == ":" and stripped[1:-1].replace("_", "").isalnum():
            return True
        if "CHANGEME" in stripped.upper() or stripped.startswith("your-"):
            return True
    return False

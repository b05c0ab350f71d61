"""Where rules are documented."""

from __future__ import annotations

from kcheck import HOME

#: Each rule has a page of its own there.
DOCUMENTATION = f"{HOME}/blob/main/docs/rules"


def url(code: str) -> str:
    """Where the documentation of a rule is found; of one that is not kcheck's own, kcheck's."""
    return f"{DOCUMENTATION}/{code}.md" if code.startswith("KC") else HOME

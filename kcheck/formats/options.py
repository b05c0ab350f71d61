"""Options of programs around Kafka, by tables that say which key of Kafka's each of them is."""

from __future__ import annotations

from kcheck.syntax import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol, TypeVar

    class Row(Protocol):
        """What a table says of an option; the key is ``*`` where raw keys stand behind its name."""

        key: str

    R = TypeVar("R", bound=Row)


def meant(table: Mapping[str, R], name: str) -> tuple[R | None, str]:
    """The row of an option and Kafka's key; raw keys stand behind a prefix."""
    row = table.get(name)
    if row is not None:
        return row, row.key
    for prefix, raw in table.items():
        if raw.key == "*" and name.startswith(prefix) and len(name) > len(prefix):
            return raw, name.removeprefix(prefix)
    return None, ""


def text_of(value: yaml.Node) -> str | None:
    """The text of an option, a list's with commas; None where it is not known."""
    if not isinstance(value, yaml.SequenceNode):
        return yaml.text(value)
    texts = [yaml.text(item) for item in yaml.items(value)]
    known = [one for one in texts if one is not None]
    return ",".join(known) if known and len(known) == len(texts) else None

"""Which of the values that make a verdict a finding points at."""

from __future__ import annotations

from kcheck.model import Value


def written_first(*values: Value) -> tuple[Value, ...]:
    """The values in the order in which a reader can act on them.

    What the resource itself sets comes before what it inherits from a file, and that before
    defaults; equals keep their order. The first is the place that the finding points at.
    """
    return tuple(sorted(values, key=lambda value: (not value.explicit, not value.written)))

"""Where kcheck says something else than Kafka on purpose, and why."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from compare import Comparison
    from jvm import Answer


def reason(found: Comparison, answer: Answer) -> str:
    """Why the two may differ there; "" where nothing excuses it."""
    return ""

"""What a run looks at and when, as far as it decides what is said of ignores."""

from __future__ import annotations

import time


class Circumstances:
    """The circumstances of one run, which no settings file knows. By default: all of one project.

    They are final; who needs others makes them.
    """

    __slots__ = ("changes", "partial", "shared", "today", "use_ignores")

    def __init__(
        self,
        *,
        partial: bool = False,
        shared: bool = False,
        changes: bool = False,
        use_ignores: bool = True,
        today: str = "",
    ) -> None:
        #: Whether only part of the rules or of the project takes part, so that an ignore which
        #: hides nothing may still be of use.
        self.partial = partial
        #: Whether projects beside this one go by the same settings, so that what is said of all of
        #: them in ``[[ignore]]`` is judged by whoever sees them all.
        self.shared = shared
        #: Whether the run compares with an older state, so that rules on changes have their say.
        self.changes = changes
        #: Whether comments and ``[[ignore]]`` entries count (``--no-ignores``).
        self.use_ignores = use_ignores
        #: The day that ``until=`` is compared with.
        self.today = today or time.strftime("%Y-%m-%d")

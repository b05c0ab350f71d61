"""All that a task is told, whatever its units."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.circumstances import Circumstances
from kcheck.fleet.work import FILES, LOOSE, Home
from kcheck.globs import Match
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Recipe:
    """All that a task needs beside its units. Travels to the executors once per task.

    ``homes`` are where the paths of local inputs start; ``salt`` hides secrets' digests; ``depth``
    says how deep the clusters lie in an archive.
    """

    def __init__(
        self,
        settings: Settings,
        homes: Sequence[Home] = (),
        seconds: float = 300.0,
        megabytes: int = 2048,
        salt: bytes = b"",
        depth: int | None = None,
        circumstances: Circumstances | None = None,
    ) -> None:
        self.circumstances = circumstances or Circumstances()
        self.homes = homes
        self.depth = depth
        self.seconds = seconds
        self.megabytes = megabytes
        self.salt = salt
        self._settings = settings
        self._at_home = [settings.seen_from(home.lead) for home in homes]

    @property
    def excluded(self) -> Match:
        """What is left out of inputs whose paths start nowhere."""
        return self._settings.excluded

    def settings(self, row: dict[str, Any]) -> Settings:
        """The settings for the paths of a row of work, but for what the inventory says."""
        loose = row["place"] in (FILES, LOOSE) or row["home"] is None
        return self._settings if loose else self._at_home[row["home"]]

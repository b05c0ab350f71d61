"""Metrics of brokers and clients: what they measure, and what leads to a bad value.

They are written by hand in ``schemas/errors/metrics.yaml``. Monitoring systems spell a name in
their own ways; ``named`` takes JMX's, Prometheus' and Micrometer's.
"""

from __future__ import annotations

import re

from kcheck import data
from kcheck.explain.errors import Cause

_WORDS = re.compile(r"[^A-Za-z0-9]+")
_NAMES = re.compile(r"[A-Za-z][\w.:=,-]*")


class Metric:
    """A row of metrics.yaml. ``bad`` is the value that calls for action."""

    __slots__ = ("also", "bad", "causes", "look", "means", "name", "of")

    def __init__(self, row: dict[str, object]) -> None:
        self.name = str(row["name"])
        self.also = _list(row.get("also"))
        self.of = str(row["of"])
        self.bad = str(row["bad"])
        self.means = " ".join(str(row["means"]).split())
        self.causes = [Cause(text) for text in _list(row.get("causes"))]
        self.look = _list(row.get("look"))

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also)

    @property
    def rules(self) -> list[str]:
        """The codes of all causes, each once."""
        return list(dict.fromkeys(code for cause in self.causes for code in cause.rules))


def _list(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


_metrics: list[Metric] = []
_by_name: dict[str, tuple[str, Metric]] = {}


def metrics() -> list[Metric]:
    """All rows, in the order of the file."""
    if not _metrics:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        _metrics.extend(map(Metric, yaml.load(data.read("errors/metrics.yaml"), Loader=loader)))
    return _metrics


def _names() -> dict[str, tuple[str, Metric]]:
    """Every name without its signs and capitals: as Kafka spells it, and its row."""
    if not _by_name:
        for metric in metrics():
            for name in metric.names:
                _by_name.setdefault(_WORDS.sub("", name).lower(), (name, metric))
    return _by_name


def named(word: str) -> tuple[str, Metric] | None:
    """The metric that a word names, as Kafka spells it; None for any other word.

    ``UnderReplicatedPartitions``, ``kafka.server:type=ReplicaManager,name=…``,
    ``kafka_server_replicamanager_underreplicatedpartitions``, ``records_lag_max``.
    """
    names = _names()
    tokens = [token for token in _WORDS.split(word.lower()) if token]
    whole = names.get("".join(tokens))
    if whole is not None or not tokens or not tokens[0].startswith("kafka"):
        return whole
    best: tuple[int, tuple[str, Metric]] | None = None
    for start in range(1, len(tokens)):
        for end in range(start + 1, min(len(tokens), start + 6) + 1):
            joined = "".join(tokens[start:end])
            if joined in names and (best is None or len(joined) > best[0]):
                best = len(joined), names[joined]
    return best[1] if best else None


def in_text(text: str) -> tuple[str, Metric] | None:
    """The first metric that a line names in full, such as ``UnderReplicatedPartitions is 12``."""
    for word in _NAMES.findall(text):
        found = named(word) if not word.islower() or "-" in word or "_" in word else None
        if found is not None:
            return found
    return None


def all_names() -> list[str]:
    """Every name that ``named`` knows, for suggestions."""
    return [name for metric in metrics() for name in metric.names]

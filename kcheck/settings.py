"""What a run is told: which rules, which severities, which clusters, what to leave out."""

from __future__ import annotations

from kcheck.graph.cluster import ClusterSettings
from kcheck.rule import DEFAULT_SET, Rule


class Settings:
    """The settings of one run, merged from the command line and kcheck.toml.

    The engine asks only the methods below; everything is answered per path, because
    ``[[overrides]]`` hang on it.
    """

    def __init__(self, cluster: ClusterSettings | None = None) -> None:
        self.cluster = cluster or ClusterSettings()
        self.sets: tuple[str, ...] = (DEFAULT_SET,)

    def enabled(self, rule: Rule) -> bool:
        """Whether the rule runs at all."""
        return rule.set in self.sets

    def severity(self, rule: Rule, path: str, severity: str) -> str | None:
        """The severity of a finding of this rule there; None where it is ignored."""
        return severity

    def options(self, rule: Rule) -> dict[str, object]:
        """The values of the rule's options that differ from their defaults."""
        return {}

    def cluster_of(self, path: str) -> str | None:
        """The name of the cluster that the settings assign the file to."""
        return None

    def cluster_settings(self, name: str | None, path: str) -> ClusterSettings:
        """What the settings say of the cluster with that name, or that holds that path."""
        return self.cluster

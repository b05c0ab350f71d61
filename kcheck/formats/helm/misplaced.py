"""Values of a chart that no template reads: below the chart's own name, or below the name of a
dependency that has an alias.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.scalars import known
from kcheck.model import Document, Problem
from kcheck.syntax import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.helm.release import Release

BELOW_NAME, BESIDE_ALIAS = "KC0025", "KC0026"

#: Charts that read nothing below their own name, and what their origin has in it.
_CHARTS = {
    "strimzi-kafka-operator": "",
    "strimzi-drain-cleaner": "",
    "confluent-for-kubernetes": "",
    "kafka": "bitnami",
}


def below_the_name(release: Release) -> Iterator[Problem]:
    """Values that a release nests as if its chart were a dependency of another one."""
    chart = release.chart.rpartition("/")[2]
    origin = f"{release.origin} {release.chart.rpartition('/')[0]}"
    if chart not in _CHARTS or release.chart.startswith((".", "/")) or _CHARTS[chart] not in origin:
        return
    for key, key_node, value in yaml.pairs(release.values):
        if key == chart and isinstance(value, yaml.MappingNode) and yaml.pairs(value):
            yield Problem(
                f"the values of chart {chart} are nested below {key}, which the chart does not read",
                yaml.position(key_node),
                BELOW_NAME,
                consequence="Helm ignores them: the chart's defaults take effect",
                fix=f"move what stands below {key} to the top level of the values",
            )


def beside_the_alias(document: Document, node: yaml.Node, lookup: Lookup) -> Iterator[Problem]:
    """Values for a chart of Kafka's below the name of a dependency that is known by its alias."""
    brokers = [one.at[0] for one in document.resources if one.kind == "broker"]
    folder = document.path.rpartition("/")[0]
    data = lookup(f"{folder}/Chart.yaml".lstrip("/")) if brokers else None
    if data is None or b"alias:" not in data or b"{{" in data:
        return
    keys = {key for key, _, _ in yaml.pairs(node)}
    aliases: dict[str, list[str]] = {}
    for chart in yaml.documents(data)[0]:
        for item in yaml.items(yaml.child(chart, "dependencies")):
            name, alias = known(yaml.child(item, "name")), known(yaml.child(item, "alias"))
            aliases.setdefault(name, []).append(alias or name)
    called = {alias for held in aliases.values() for alias in held}
    for key, key_node, value in yaml.pairs(node):
        first, _, last, _ = yaml.position(value)
        mine = any(first <= line <= last for line in brokers)
        if key not in aliases or key in called or not mine or not keys.isdisjoint(aliases[key]):
            continue
        alias = aliases[key][0]
        yield Problem(
            f"the values for dependency {key} are below {key}, but Chart.yaml gives it the alias {alias}",
            yaml.position(key_node),
            BESIDE_ALIAS,
            consequence="Helm does not pass them to the chart: its own defaults take effect",
            fix=f"rename {key} to {alias}",
        )

"""Values of a chart that no template reads: below the chart's own name, below the name of a
dependency that has an alias, or beside the dependencies of which one has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.folders import files_in
from kcheck.formats.helm.charts import bitnami_dependencies
from kcheck.formats.scalars import known, setting
from kcheck.model import Document, Problem
from kcheck.syntax import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.helm.release import Release

BELOW_NAME, BESIDE_ALIAS, OUTSIDE = "KC0025", "KC0026", "KC0029"

#: Where a chart has more templates, one of them may read anything.
_MOST = 200
#: Charts that read nothing below their own name, and what their origin has in it.
_CHARTS = {
    "strimzi-kafka-operator": "",
    "strimzi-drain-cleaner": "",
    "confluent-for-kubernetes": "",
    "kafka": "bitnami",
}

#: Values of the parts of Confluent's chart, other words for them, and which part has them.
_OF_CONFLUENT = {
    **dict.fromkeys(("brokers", "broker", "brokerCount"), "cp-kafka.brokers"),
    **{name: f"cp-kafka.{name}" for name in ("configurationOverrides", "customEnv")},
    "servers": "cp-zookeeper.servers",
}
#: Values that Bitnami's chart alone has.
_OF_BITNAMI = ("extraConfig", "extraConfigYaml", "overrideConfiguration", "heapOpts")


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


def outside_the_parts(document: Document, node: yaml.Node, lookup: Lookup) -> Iterator[Problem]:
    """Values of a dependency at the top level of the values of the chart around it.

    Not told where templates beside the values may read them.
    """
    parts = {key: value for key, _, value in yaml.pairs(node)}
    if len([one for one in parts if one.startswith("cp-")]) > 1:
        if _is_part(parts):
            return
        moved, chart = _OF_CONFLUENT, "Confluent's chart"
    else:
        # Whose chart it is, is asked of its dependencies: others have parts of that name, too.
        found = bitnami_dependencies(document.path, lookup) if parts else []
        name = found[0][0] if len(found) == 1 else ""
        if name not in parts:
            return
        moved, chart = {key: f"{name}.{key}" for key in _OF_BITNAMI}, "the chart around Bitnami's"
    for key, key_node, value in yaml.pairs(node):
        right = moved.get(key)
        if right is None or yaml.child(node, *right.split(".")) is not None:
            continue
        if used(document.path, key, lookup):
            return
        yield Problem(
            f"{chart} does not read {key} at the top level of its values",
            yaml.position(key_node),
            OUTSIDE,
            consequence="Helm does not pass it to the dependency: the default there takes effect",
            fix=f"set {right}",
            setting=setting(key, key_node, value, document.path),
        )


def _is_part(parts: dict[str, yaml.Node]) -> bool:
    """Whether the values are those of one part of Confluent's chart, which names the others' addresses."""
    told = [(part, name) for part in parts.values() for name in ("url", "bootstrapServers")]
    return "image" in parts or any(yaml.child(part, name) is not None for part, name in told)


def used(path: str, route: str, lookup: Lookup) -> bool:
    """Whether a template of the chart beside the values may read what is below a route."""
    folder = f"{path.rpartition('/')[0]}/templates".lstrip("/")
    held = files_in(folder, lookup, _MOST)
    sign = re.compile(rf"\.Values\.{re.escape(route)}\b".encode())
    if len(held) > _MOST:
        return True
    return any(data is not None and sign.search(data) for data in map(lookup, held))

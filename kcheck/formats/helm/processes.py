"""The pools of Bitnami's chart as processes: what it gives their JVMs, and how it probes them.

Read in its templates and values (bitnami/charts: bitnami/kafka/templates/controller-eligible,
bitnami/common/templates/_resources.tpl).
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.containers.container import quantity
from kcheck.formats.scalars import known, setting
from kcheck.formats.text import templated
from kcheck.model import Position, Resource, Setting
from kcheck.model.processes import A_BROKER, A_CONTROLLER, LIVENESS, STARTUP, Probe, Process
from kcheck.syntax import yaml
from kcheck.units import whole

#: The versions in which the chart was made of pools, limited their memory unless it is told
#: otherwise, and no longer asked a port whether they live; the last that gave each heap a size, which
#: is a share of the memory since 32.3.6.
_POOLS, _LIMITED, _BY_PORT, _SIZED = 24, 28, 27, 31
#: What no release has in which a heap is a share.
_OLDER = ("kraft", "zookeeper", "externalZookeeper", "extraConfig", "extraConfigYaml")
_CHART, _HEAP = "Bitnami's chart", 1 << 30
#: Memory by the names of presets. Those above large were given other numbers since.
_PRESETS = {"nano": 192, "micro": 384, "small": 768, "medium": 1536, "large": 3072}
_DEFAULT = "small"
_ENVIRONMENT = "KAFKA_HEAP_OPTS"
#: What the script of newer charts replaces with the address of the pod.
_FILLED = "advertised-address-placeholder"
#: initialDelaySeconds, periodSeconds and failureThreshold unless the values have them.
_TIMES = {LIVENESS: (10, 10, 3), STARTUP: (30, 10, 15)}


def of_bitnami(
    node: yaml.Node, resource: Resource, name: str, version: int | None
) -> Iterator[Process]:
    """The processes of which the values tell enough; ``version`` is the first number of the chart's."""
    parts = {key: value for key, _, value in yaml.pairs(node)}
    pools: list[str] = [one for one in ("controller", "broker") if one in parts]
    if not pools and (version is None or version < _POOLS):
        pools = [""]
    for pool in pools or ["controller"]:
        told = parts.get(pool) if pool else node
        alone = known(yaml.child(told, "controllerOnly")) == "true"
        made = Process(
            A_CONTROLLER if alone else A_BROKER,
            f"{name}-{pool}".rstrip("-"),
            resource.path,
            yaml.position(told) if told is not None else resource.at,
        )
        for key, key_node, value in yaml.pairs(told):
            if key == "replicaCount":
                made.replicas = setting("replicas", key_node, value, resource.path)
        _memory(made, parts, told, version)
        if version <= _BY_PORT if version is not None else not pool:
            made.probes = tuple(_probes(told, resource.path))
        if not alone and known(yaml.child(node, "externalAccess", "enabled")) in ("", "false"):
            made.identity = _address(resource)
        if made.memory is not None or made.probes or made.identity is not None:
            yield made


def _address(resource: Resource) -> Setting | None:
    """What all pods advertise; None where a template or the chart's own script fills it in."""
    told = resource.settings.get("advertised.listeners")
    text = told.text if told is not None else None
    return told if text and not templated(text) and _FILLED not in text else None


def _memory(
    made: Process, parts: dict[str, yaml.Node], pool: yaml.Node | None, version: int | None
) -> None:
    """The limit of a pool, and the heap that the chart gives it unless the values do."""
    own = {key: (key_node, value) for key, key_node, value in yaml.pairs(pool)}
    given = [known(yaml.child(one, "name")) for one in yaml.items(parts.get("extraEnvVars"))]
    elsewhere = "heapOpts" in parts and "heapOpts" not in own
    if elsewhere or _ENVIRONMENT in given or "extraEnvVars" in own:
        return
    limit = _limit(own, made.path, made.at, version)
    if limit is None or not limit.amount:
        return
    if "heapOpts" not in own:
        older = version <= _SIZED if version is not None else not parts.keys().isdisjoint(_OLDER)
        if not older:
            return
        made.heap_default, made.script = _HEAP, _CHART
    elif limit.key == _PRESET:  # another rule compares the heap with a limit in so many words
        from kcheck.formats.containers import running

        running.memory(made, [setting("heapOpts", *own["heapOpts"], made.path)])
    else:
        return
    made.memory = limit


_PRESET = "resourcesPreset"


def _limit(
    own: dict[str, tuple[yaml.Node, yaml.Node]], path: str, at: Position, version: int | None
) -> Setting | None:
    """The memory of a pool, by its size, by the name of a preset, or by the chart's own preset."""
    resources = own["resources"][1] if "resources" in own else None
    if yaml.pairs(resources):
        for key, key_node, value in yaml.pairs(yaml.child(resources, "limits")):
            if key == "memory":
                found = setting("resources.limits.memory", key_node, value, path)
                found.amount = quantity(found.text)
                return found
        return None
    if _PRESET in own:
        found = setting(_PRESET, *own[_PRESET], path)
    elif version is not None and version >= _LIMITED:
        found = Setting(_PRESET, _DEFAULT, path, at)
    else:
        return None
    found.amount = _PRESETS.get(found.text or "", 0) << 20
    return found


def _probes(pool: yaml.Node | None, path: str) -> Iterator[Probe]:
    """The probes that the values give times, and that ask a port."""
    own = {key: (key_node, value) for key, key_node, value in yaml.pairs(pool)}
    if "customLivenessProbe" in own or "customStartupProbe" in own:
        return
    for kind, defaults in _TIMES.items():
        if kind not in own:
            continue
        enabled = known(yaml.child(own[kind][1], "enabled"))
        if enabled == "false" or (kind == STARTUP and enabled != "true"):
            continue
        names = ("initialDelaySeconds", "periodSeconds", "failureThreshold")
        written = [yaml.child(own[kind][1], name) for name in names]
        times = [
            default if one is None else whole(yaml.text(one))
            for one, default in zip(written, defaults, strict=True)
        ]
        delay, period, failures = times
        told = Setting(kind, "tcpSocket", path, yaml.position(own[kind][0]))
        if delay is not None and period is not None and failures is not None:
            yield Probe(kind, "", told, delay + period * failures)

"""Programs in the values of Helm charts: variables of Spring's, and files that the chart hands on.

Charts of programs have names of their own for all that; a mapping or list of variables is known by
the variables in it, a file by its name and text. How many run, nearly all call alike.
"""

from __future__ import annotations

from kcheck.formats import embedded
from kcheck.formats.containers.variables import Variable
from kcheck.formats.scalars import inside, known, setting
from kcheck.model import HELM, Document, Resource, Setting
from kcheck.syntax import yaml

_SPRING = "SPRING_KAFKA_"
_DEPTH = 5
_REPLICAS = ("replicaCount", "replicas")
#: What tells that a mapping is a program's own, and not a part of what the values around it are for.
_OF_A_PROGRAM = ("image", *_REPLICAS)
#: What replaces the count of replicas where it is on.
_SCALERS = ("autoscaling", "hpa", "horizontalPodAutoscaler", "keda")


def read(
    document: Document, node: yaml.Node, lines: list[str], layered: bool, release: str = ""
) -> None:
    """Add the clients of the programs to the document; ``node`` are all values of a chart.

    ``layered`` says that the values of another file go over these; ``release`` is what the chart is
    installed as, where that is known.
    """
    folder = document.path.rpartition("/")[0].rpartition("/")[2]
    before = len(document.resources)
    _walk(document, node, lines, release or folder or document.path, _DEPTH, None)
    for client in document.resources[before:] if layered else ():
        client.traits.instances = None


def _walk(
    document: Document,
    node: yaml.Node,
    lines: list[str],
    name: str,
    depth: int,
    count: Setting | None,
) -> None:
    """``name`` is the dependency or part that the mapping is for, or the chart's folder; ``count``
    are the replicas of the program around it."""
    parts = {key for key, _, _ in yaml.pairs(node)}
    if not parts.isdisjoint(_OF_A_PROGRAM) or not parts.isdisjoint(_SCALERS):
        count = _replicas(document, node)
    for key, _, value in yaml.pairs(node):
        variables = _variables(document, value)
        if any(one.name.startswith(_SPRING) for one in variables):
            from kcheck.formats.spring import variables as spring_variables

            _count(spring_variables.clients(document, name, variables, HELM), count)
        elif isinstance(value, yaml.MappingNode) and depth:
            if key in _PARTS:
                _run(document, _PARTS[key], key, value)
            members = [(inner, text) for inner, _, text in yaml.pairs(value) if "." in inner]
            if members:
                found = embedded.programs(document, f"{name}.{key}", members, lines)
                document.resources.extend(found)
                _count(found, count)
            _walk(document, value, lines, key, depth - 1, count)


#: The parts of charts that run programs beside brokers: Confluent's cp-helm-charts, and its like.
_PARTS = {
    "cp-schema-registry": "Schema Registry",
    "schema-registry": "Schema Registry",
    "cp-kafka-connect": "worker",
    "kafka-connect": "worker",
    "cp-kafka-rest": "REST Proxy",
    "cp-ksql-server": "ksqlDB server",
    "cp-control-center": "Control Center",
    "cp-zookeeper": "ZooKeeper",
    "zookeeper": "ZooKeeper",
}
_HEAP = ("heapOptions", "heapOpts", "heap")


def _run(document: Document, program: str, name: str, node: yaml.Node) -> None:
    """Tell the heap and the limit of a part, where its values have both."""
    limits = yaml.child(node, "resources", "limits")
    if limits is None:
        return
    from kcheck.formats.containers import running
    from kcheck.formats.containers.container import quantity
    from kcheck.model.processes import Process

    made = Process(program, name, document.path, yaml.position(node))
    running.memory(
        made,
        [
            setting(key, key_node, value, document.path)
            for key, key_node, value in yaml.pairs(node)
            if key in _HEAP
        ],
    )
    for key, key_node, value in yaml.pairs(limits):
        if key == "memory":
            made.memory = setting("resources.limits.memory", key_node, value, document.path)
            made.memory.amount = quantity(made.memory.text)
        elif key == "cpu":
            made.cpu = setting("resources.limits.cpu", key_node, value, document.path)
            made.cpu.amount = quantity(made.cpu.text)
    if (made.heap is not None and made.memory is not None) or made.cpu is not None:
        document.processes += (made,)


def _replicas(document: Document, node: yaml.Node) -> Setting | None:
    """How many of a program run, where its values say it and nothing scales it."""
    for key in _SCALERS:
        scaler = yaml.child(node, key)
        if scaler is not None and known(yaml.child(scaler, "enabled")).lower() != "false":
            return None
    for key, key_node, value in yaml.pairs(node):
        if key in _REPLICAS and isinstance(value, yaml.ScalarNode):
            return setting("instances", key_node, value, document.path, key)
    return None


def _count(clients: list[Resource], count: Setting | None) -> None:
    for client in clients:
        client.traits.instances = client.traits.instances or count


def _variables(document: Document, node: yaml.Node) -> list[Variable]:
    """Variables as a mapping or as the list that a container takes; what is neither has none."""
    named = [(yaml.child(item, "name"), item) for item in yaml.items(node)]
    told = [(key, yaml.child(item, "value")) for key, item in named if key is not None]
    told += [(key, v) for _, key, v in yaml.pairs(node) if isinstance(v, yaml.ScalarNode)]
    return [
        Variable(
            yaml.text(key) or "",
            yaml.text(value),
            document.path,
            inside(value or key),
            yaml.position(key),
        )
        for key, value in told
    ]

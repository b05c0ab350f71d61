"""``kcheck show``: effective configuration, and where each value comes from."""

from __future__ import annotations

from kcheck import engine
from kcheck.cli import run, show_view
from kcheck.cli.commands import KINDS
from kcheck.cli.options import Options
from kcheck.cli.project import complain, opened
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal, width
from kcheck.graph.cluster import Cluster
from kcheck.graph.message_size import Chains
from kcheck.graph.nodes import Node
from kcheck.graph.topics import Topic
from kcheck.report.printable import in_json
from kcheck.settings import Settings

_ANY = "*"


def show(options: Options) -> int:
    """Print the nodes that are asked for; gives the exit code."""
    kind, name, options.paths = _asked(options.words)
    settings, inputs = opened(options)
    project = engine.read_project(inputs, settings, inputs.lookup, inputs.named)
    project.documents.extend(inputs.documents())
    code = complain(options, inputs, project)
    clusters = _clusters(project.clusters, options.cluster)
    found = [(cluster, nodes_of(cluster, kind, name)) for cluster in clusters]
    if kind != "cluster":
        found = [(cluster, nodes) for cluster, nodes in found if nodes]
    elif name != _ANY:
        found = [(cluster, []) for cluster in clusters if matches(name, cluster.name)]
    if not found:
        raise Stop(_nothing(clusters, kind, name))
    if options.graph:
        from kcheck.cli import graph

        every = [(c, nodes or nodes_of(c, "", _ANY)) for c, nodes in found]
        drawings = [graph.Drawing(c, nodes, f"k{at}") for at, (c, nodes) in enumerate(every)]
        run.write(graph.drawn(options.graph, drawings))
        return code
    views = [
        _view(cluster, nodes, kind, settings, options.all, project) for cluster, nodes in found
    ]
    if options.output == "json":
        from json import dumps

        document = {"version": 1, "clusters": [view.record() for view in views]}
        run.write(in_json(dumps(document, indent=2, ensure_ascii=False)) + "\n")
    else:
        color, _ = terminal(options.color)
        columns = width()
        run.write("\n".join(view.text(color, columns) for view in views))
    return code


def _asked(words: tuple[str, ...]) -> tuple[str, str, tuple[str, ...]]:
    """(kind or "", name, paths) of ``[KIND [NAME]] [PATH]...``: the word after a kind is a name."""
    if not words or words[0] not in KINDS:
        return "", _ANY, words
    return words[0], words[1] if len(words) > 1 else _ANY, words[2:]


def _clusters(clusters: list[Cluster], name: str) -> list[Cluster]:
    if not name:
        return clusters
    found = [cluster for cluster in clusters if cluster.name == name]
    if not found:
        raise Stop(f"no cluster is named {name}{_hint(name, [c.name for c in clusters])}")
    return found


def nodes_of(cluster: Cluster, kind: str, name: str) -> list[Node]:
    """The nodes of that kind ("": all) whose names match. A combined node is a broker."""
    if kind == "cluster":
        return []
    everyone: list[Node] = [
        *cluster.brokers,
        *(c for c in cluster.controllers if c not in cluster.brokers),
        *cluster.topics,
        *cluster.clients,
        *cluster.connectors,
        *cluster.groups,
        *(other for other in cluster.others if other.resource is not cluster.declaration),
    ]
    return [
        node for node in everyone if kind in ("", _kind(node, cluster)) and matches(name, node.name)
    ]


def _kind(node: Node, cluster: Cluster) -> str:
    """The node's kind; a declared cluster without broker files stands for its brokers."""
    return "broker" if node in cluster.brokers else node.resource.kind


def matches(pattern: str, name: str) -> bool:
    """Whether the name is like the pattern, in which ``*`` stands for any text."""
    first, *others = pattern.split(_ANY)
    if not others:
        return name == pattern
    if not name.startswith(first):
        return False
    at = len(first)
    *between, last = others
    for part in between:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(last) and at + len(last) <= len(name)


def _view(
    cluster: Cluster,
    nodes: list[Node],
    kind: str,
    settings: Settings,
    everything: bool,
    project: engine.Project,
) -> show_view.ClusterView:
    chains = Chains(cluster) if kind == "topic" else None
    views: list[show_view.NodeView] = []
    for node in nodes:
        chain = chains.of(node) if chains and isinstance(node, Topic) else []
        # Brokers that differ give one topic several views; together they are one entry.
        same = views[-1] if views and views[-1].resource is node.resource else None
        if same is not None:
            same.add(node)
        else:
            home = project.homes.home(cluster.id, node.resource)
            views.append(show_view.NodeView(node, _kind(node, cluster), everything, chain, home))
    namesake = sum(other.name == cluster.name for other in project.clusters) > 1
    return show_view.ClusterView(cluster, views, show_view.facts_of(cluster, settings), namesake)


def _nothing(clusters: list[Cluster], kind: str, name: str) -> str:
    if not clusters:
        return "no Kafka configuration found"
    if not kind or name == _ANY:
        return f"no {kind or 'resource'} found"
    names = [c.name for c in clusters] if kind == "cluster" else []
    for cluster in clusters:
        names += (node.name for node in nodes_of(cluster, kind, _ANY))
    return f"no {kind} is named {name}{_hint(name, names)}"


def _hint(word: str, names: list[str]) -> str:
    from kcheck.selection import nearest

    near = nearest(word, names)
    if near:
        return f"; did you mean {near}?"
    few = ", ".join(list(dict.fromkeys(names))[:5])
    return f"; there are {few}" if few else ""

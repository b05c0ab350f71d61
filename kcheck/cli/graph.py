"""``kcheck show --graph``: who writes and reads which topic, as a Mermaid or a Graphviz drawing."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.graph.clients import Client, Consumer, Producer, Streams, Worker
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node
from kcheck.report.printable import printable

MERMAID = "mermaid"

#: (from, to, label) of an arrow, by the ids of nodes.
Edge = tuple[str, str, str]


class Drawing:
    """The nodes and arrows of one cluster; ids begin with ``prefix``."""

    def __init__(self, cluster: Cluster, nodes: list[Node], prefix: str) -> None:
        self.title = str(cluster)
        self.brokers = (f"{prefix}b", _brokers(cluster))
        #: (id, lines of the label).
        self.topics: list[tuple[str, list[str]]] = []
        self.clients: list[tuple[str, list[str]]] = []
        self.edges: list[Edge] = []
        self._prefix = prefix
        self._ids: dict[str, str] = {}
        wanted = {id(node.resource) for node in nodes}
        chosen = [c for c in (*cluster.clients, *cluster.connectors) if id(c.resource) in wanted]
        for topic in cluster.topics:
            if id(topic.resource) in wanted:
                self._topic(topic.name, _shape(topic))
        for node in chosen:
            self._client(cluster, node)
        self._rest(cluster, wanted)

    def _topic(self, name: str, lines: Iterable[str] = ()) -> str:
        if name not in self._ids:
            self._ids[name] = f"{self._prefix}t{len(self.topics)}"
            self.topics.append((self._ids[name], [name, *lines]))
        return self._ids[name]

    def _client(self, cluster: Cluster, node: Node) -> None:
        own = f"{self._prefix}c{len(self.clients)}"
        self.clients.append((own, [f"{node.resource.kind} {node.name}"]))
        if not isinstance(node, Client):
            return
        reads, writes = _ends(cluster, node)
        for name in writes or ():
            self.edges.append((own, self._topic(name), _writes(node)))
        for name in reads or ():
            self.edges.append((self._topic(name), own, ""))
        if reads is None and writes is None:
            self.edges.append((own, self.brokers[0], "topics unknown"))

    def _rest(self, cluster: Cluster, wanted: set[int]) -> None:
        """The clients of topics that were asked for alone."""
        for client in cluster.clients:
            if id(client.resource) in wanted:
                continue
            reads, writes = _ends(cluster, client)
            if any(name in self._ids for name in (*(reads or ()), *(writes or ()))):
                own = f"{self._prefix}c{len(self.clients)}"
                self.clients.append((own, [f"{client.resource.kind} {client.name}"]))
                for name in writes or ():
                    if name in self._ids:
                        self.edges.append((own, self._ids[name], _writes(client)))
                for name in reads or ():
                    if name in self._ids:
                        self.edges.append((self._ids[name], own, ""))


def _brokers(cluster: Cluster) -> list[str]:
    count = cluster.broker_count.number
    number = int(count) if count >= 0 else len(cluster.brokers)
    lines = [f"{number} broker{'' if number == 1 else 's'}" if number else "brokers"]
    if cluster.version.text:
        lines.append(f"Kafka {cluster.version.text}")
    return lines


def _shape(topic: Node) -> list[str]:
    parts = []
    for fact, noun in (("partitions", "partitions"), ("replication.factor", "copies")):
        value = topic.fact(fact)
        if value.number >= 1:
            parts.append(f"{int(value.number):,} {noun}")
    return [", ".join(parts)] if parts else []


def _ends(cluster: Cluster, client: Client) -> tuple[list[str] | None, list[str] | None]:
    """The names of the topics that it reads and writes; None where nobody tells them."""
    reads = writes = None
    if isinstance(client, (Consumer, Streams, Worker)):
        reads = _names(cluster, client, "topics")
    if isinstance(client, (Producer, Streams, Worker)):
        writes = _names(cluster, client, "writes")
    return reads, writes


def _names(cluster: Cluster, client: Client, direction: str) -> list[str] | None:
    topics = cluster.topics_of(client, direction)
    if topics is None:
        return None
    traits = client.resource.traits
    patterns = traits.topics if direction == "topics" else traits.writes
    if patterns is None and isinstance(client, Producer):
        patterns = traits.topics
    named = [p for p in patterns or () if not p.endswith("*")]
    return list(dict.fromkeys([*(topic.name for topic in topics), *named]))


def _writes(client: Client) -> str:
    acks = client.resource.settings.get("acks")
    return f"acks={acks.text}" if acks is not None and acks.text else ""


def drawn(format: str, drawings: list[Drawing]) -> str:
    """The text of the drawing, ready to be shown by GitHub, GitLab (mermaid) or ``dot``."""
    return (_mermaid if format == MERMAID else _dot)(drawings)


def _mermaid(drawings: list[Drawing]) -> str:
    def label(lines: list[str]) -> str:
        escapes = {'"': "#quot;", "<": "#lt;", ">": "#gt;"}
        return '"' + "<br/>".join(_text(line, escapes) for line in lines) + '"'

    rows = ["flowchart LR"]
    for number, drawing in enumerate(drawings):
        rows.append(f"  subgraph k{number}[{label([drawing.title])}]")
        rows.append(f"    {drawing.brokers[0]}[({label(drawing.brokers[1])})]")
        rows += (f"    {own}[{label(lines)}]" for own, lines in drawing.topics)
        rows.append("  end")
        rows += (f"  {own}([{label(lines)}])" for own, lines in drawing.clients)
        for one, other, text in drawing.edges:
            arrow = f"-->|{label([text])}|" if text else "-->"
            rows.append(f"  {one} {arrow} {other}")
    return "\n".join(rows) + "\n"


def _dot(drawings: list[Drawing]) -> str:
    def label(lines: list[str]) -> str:
        escapes = {"\\": "\\\\", '"': '\\"'}
        return '"' + "\\n".join(_text(line, escapes) for line in lines) + '"'

    rows = ["digraph kafka {", "  rankdir=LR;", "  node [shape=box];"]
    for number, drawing in enumerate(drawings):
        rows.append(f"  subgraph cluster_{number} {{")
        rows.append(f"    label={label([drawing.title])};")
        rows.append(
            f"    {drawing.brokers[0]} [shape=cylinder, label={label(drawing.brokers[1])}];"
        )
        rows += (f"    {own} [label={label(lines)}];" for own, lines in drawing.topics)
        rows.append("  }")
        for own, lines in drawing.clients:
            rows.append(f"  {own} [shape=ellipse, label={label(lines)}];")
        for one, other, text in drawing.edges:
            told = f" [label={label([text])}]" if text else ""
            rows.append(f"  {one} -> {other}{told};")
    return "\n".join([*rows, "}"]) + "\n"


def _text(line: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(char, char) for char in printable(line))

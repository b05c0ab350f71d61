"""How ``kcheck show`` prints clusters, nodes and values: as text and as JSON."""

from __future__ import annotations

from kcheck import catalogue, secrets, units
from kcheck.cli import table
from kcheck.cli.terminal import bold
from kcheck.graph import effective
from kcheck.graph.clients import Client
from kcheck.graph.cluster import Cluster
from kcheck.graph.message_size import Link
from kcheck.graph.nodes import Broker, Node
from kcheck.graph.topics import Topic
from kcheck.grouping.evidence import ANCHOR
from kcheck.model import ABSENT, DEFAULT, FACT, INHERITED, Setting, Value
from kcheck.report.labels import suffix
from kcheck.report.printable import printable
from kcheck.report.record import names_of, of_value
from kcheck.report.shown import named, readable, safe
from kcheck.settings import FACTS, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kcheck.grouping.homes import Home

#: (name, value or None, where it was said).
Told = tuple[str, str | None, str]
_UNKNOWN = "?"


def facts_of(cluster: Cluster, settings: Settings) -> list[Told]:
    """What is known of the cluster as a whole, and by whom."""
    path = cluster.resources[0].path if cluster.resources else "."
    layers = settings.layers(cluster.name, path)
    known = {
        "kafka_version": str(cluster.version) if cluster.version.bounded else cluster.version.text,
        "environment": cluster.environment,
        "service": cluster.service,
        "client_version": cluster.client_version.text,
    }
    found: list[Told] = []
    for fact in FACTS:
        where = next((where for where, facts in layers if getattr(facts, fact)), "")
        key = fact.replace("_", "-")
        if where == settings.file or where == "command line":
            where = settings.origins.get(key, where)
        if not where and fact == "kafka_version":
            shown = cluster.version.shown
            where = f"inferred from {shown}" if shown else ""
        if not where:
            where = _said(cluster, fact, known[fact])
        found.append((key, known[fact] or None, where))
    count = cluster.broker_count
    found.append(
        ("brokers", count.text if count.known else None, _place(count.setting) or "not stated")
    )
    return found


def _said(cluster: Cluster, fact: str, known: str | None) -> str:
    declared = cluster.declaration.facts.get(fact) if cluster.declaration else None
    if declared is not None:
        return _place(declared)
    for resource in cluster.resources:
        read = resource.facts.get(fact)
        if read is not None and read.text == known:
            return _place(read)
    if fact == "environment":
        return "inferred" if known != "unknown" else "not stated"
    return "read from the files" if known else "not stated"


def _within(where: str, path: str) -> str:
    """``line 7`` for a place in the file whose path the heading has."""
    own = f"{path}:"
    line = where.removeprefix(own)
    return f"line {line}" if where.startswith(own) and line[:1].isdigit() else where


def _place(setting: Setting | None) -> str:
    return f"{setting.path}:{setting.at[0]}" if setting is not None else ""


class NodeView:
    """One resource, as the views of it in its cluster see it."""

    def __init__(
        self, node: Node, kind: str, everything: bool, chain: list[Link], home: Home | None
    ) -> None:
        self.node = node
        #: How it got into its cluster.
        self.home = home
        self.kind = kind
        self.resource = node.resource
        self.chain = chain
        # The name stands in the heading already; facts without a text are for rules alone.
        self.facts = [v for v in effective.facts(node) if v.key != "name" and v.text != ""]
        self._everything = everything
        self.values = effective.values(node, everything)

    def add(self, node: Node) -> None:
        """Another view of the same resource: the values that differ stand beside the others."""
        seen = {(v.key, v.text, _place(v.setting)) for v in self.values}
        self.values += (
            value
            for value in effective.values(node, self._everything)
            if (value.key, value.text, _place(value.setting)) not in seen
        )
        self.values.sort(key=lambda value: value.key)

    def record(self) -> dict[str, Any]:
        record = {
            "kind": self.kind,
            "name": named(self.node.name),
            "path": readable(self.resource.path),
            "line": self.resource.at[0],
            "join": _join(self.home),
            "facts": [of_value(value) for value in self.facts],
            "values": [_record(value, self.node) for value in self.values],
        }
        if inferred := self._inferred():
            version, shown = inferred
            record["inferred"] = {"client_version": version, "from": readable(shown)}
        if self.chain:
            record["message_size"] = [
                {
                    "step": link.step,
                    "certain": link.certain,
                    "who": named(link.who),
                    **_record(link.value, self.node),
                }
                for link in self.chain
            ]
        return record

    def _inferred(self) -> tuple[str, str] | None:
        """(the client's version or its range, what shows it) where its file does not state it."""
        node = self.node
        if not isinstance(node, Client):
            return None
        told = self.resource.facts.get("client.version")
        if told is not None and self.resource.traits.version_inferred:
            return told.text or "", f"{told.name} ({told.path}:{told.at[0]})"
        version = node.version
        if version.bounded and version is not node.cluster.version:
            return str(version), version.shown
        return None

    def text(self, color: bool, columns: int) -> str:
        """The node as text. On a terminal its file stands in the heading alone."""
        heading = f"{self.kind} {named(self.node.name)}{suffix(self.resource)}"
        at = printable(f"{self.resource.path}:{self.resource.at[0]}")
        out = [f"{_bold(heading, color)}  {at}\n"]
        if self.home is not None and self.home.evidence != ANCHOR:
            verb = "assigned by" if self.home.evidence else "not assigned:"
            out.append(f"  {verb} {printable(safe(self.home.sentence()))}\n")
        rows = [(named(v.key), _shown(v, self.node), _origin(v, self.node)) for v in self.facts]
        if inferred := self._inferred():
            rows = [row for row in rows if row[0] != "client.version"]
            rows.append(("client.version", inferred[0], f"inferred from {printable(inferred[1])}"))
        rows += [(named(v.key), _shown(v, self.node), _origin(v, self.node)) for v in self.values]
        if columns:
            rows = [(key, value, _within(where, self.resource.path)) for key, value, where in rows]
        out.append(table.lines(rows, "  ", columns=columns))
        return "".join(out) + self._chain_text(color, columns)

    def _chain_text(self, color: bool, columns: int) -> str:
        """The limits in the order in which a record meets them, grouped by who sets them."""
        if not self.chain:
            return ""
        told = [_link_row(link, self.node) for link in self.chain]
        rows = table.apiece(told, "      ", columns=columns)
        out = [f"  {_bold('message size limits on the path of a record', color)}\n"]
        before = ""
        for link, row in zip(self.chain, rows, strict=True):
            maybe = "" if link.certain else " (topics unknown)"
            heading = f"    {link.step} {printable(named(link.who))}{maybe}\n"
            if heading != before:
                out.append(heading)
            before = heading
            out.append(row)
        return "".join(out)


class ClusterView:
    """A cluster and those of its nodes that were asked for."""

    def __init__(
        self, cluster: Cluster, nodes: list[NodeView], told: list[Told], namesake: bool = False
    ) -> None:
        self.cluster = cluster
        #: Whether another cluster has the same name.
        self.namesake = namesake
        self.nodes = nodes
        self.told = told

    def record(self) -> dict[str, Any]:
        facts = {
            key.replace("-", "_"): {"value": value and safe(value), "from": where}
            for key, value, where in self.told
        }
        return {
            "name": named(self.cluster.name),
            "cluster_id": named(self.cluster.id),
            "facts": facts,
            "resources": [node.record() for node in self.nodes],
        }

    def text(self, color: bool, columns: int) -> str:
        rows = [(key, safe(value) if value else "-", where) for key, value, where in self.told]
        if self.namesake:
            cluster_id = named(self.cluster.id)
            rows.insert(0, ("cluster id", cluster_id, "distinguishes clusters with the same name"))
        told = table.lines(rows, "  ", columns=columns)
        head = f"{_bold(f'cluster {named(self.cluster.name)}', color)}\n{told}"
        if self.nodes:
            return "\n".join((head, *(node.text(color, columns) for node in self.nodes)))
        return head + self._census(columns)

    def _census(self, columns: int) -> str:
        cluster = self.cluster
        counts: list[tuple[str, list[Any]]] = [
            ("brokers", [n for n in cluster.brokers if n.resource is not cluster.declaration]),
            ("topics", [*{id(t.resource): t for t in cluster.topics}.values()]),
            ("clients", cluster.clients),
            ("connectors", cluster.connectors),
        ]
        rows = [(f"{len(nodes):,} {noun}", _names(nodes)) for noun, nodes in counts if nodes]
        return table.lines(rows, "  ", columns=columns)


def _join(home: Home | None) -> dict[str, Any] | None:
    """The contract's record of a join, as ``kcheck files`` has it."""
    if home is None:
        return None
    return {"evidence": home.evidence, "text": safe(home.reason) or None}


_FEW = 6


def _names(nodes: list[Any]) -> str:
    names = ", ".join(named(node.name) for node in nodes[:_FEW])
    return names + (" …" if len(nodes) > _FEW else "")


def _bold(text: str, color: bool) -> str:
    plain = printable(text)
    return bold(plain) if color else plain


def _link_row(link: Link, node: Node) -> tuple[str, ...]:
    number = link.value.number
    # Not a number compares unequal to itself.
    shown = units.in_bytes(number) if number == number else _shown(link.value, node)
    return link.value.key, shown, _origin(link.value, node)


# -- one value ------------------------------------------------------------------------------


def _plane(value: Value, node: Node) -> str:
    """The catalogue's table for a value of this node or of another link of its chain."""
    if value.resource is not node.resource:
        return "broker" if value.resource.kind in ("broker", "cluster") else value.resource.plane
    return "broker" if isinstance(node, Broker) else node.resource.plane


def _ranges(value: Value, node: Node) -> list[tuple[str | None, str]]:
    """The defaults by version, where the version is unknown and they differ."""
    if value.origin != DEFAULT or value.known or value.setting is not None:
        return []
    key = value.from_key if isinstance(node, Broker) else value.key
    found = effective.ranges(_plane(value, node), key, node.version)
    return found if len(found) > 1 else []


def _record(value: Value, node: Node) -> dict[str, Any]:
    record = of_value(value)
    found = _ranges(value, node)
    if found:
        record["defaults"] = [{"value": text, "versions": span} for text, span in found]
    return record


def _shown(value: Value, node: Node) -> str:
    """The value as a reader may see it: secrets hidden, the unknown said to be so."""
    found = _ranges(value, node)
    if found:
        return " … ".join(f"{_null(text)} ({span})" for text, span in found)
    if value.setting is not None and value.setting.text is None:
        return _UNKNOWN
    shown = secrets.shown(value.key, value.text, *names_of(value))
    if shown == secrets.HIDDEN:
        return shown
    if value.origin == DEFAULT and value.text is None:
        if value.known or value.candidates:
            return _null(None) if value.known else catalogue.PLATFORM
        return _UNKNOWN
    if value.origin == ABSENT:
        return "-"
    if value.from_key != value.key and isinstance(value.value, int) and value.origin != FACT:
        # Converted from the unit of another key, as log.retention.hours is.
        return str(value.value).lower() if isinstance(value.value, bool) else str(value.value)
    return shown or '""'


def _null(text: str | None) -> str:
    return "null" if text is None else text or '""'


def _origin(value: Value, node: Node) -> str:
    setting = value.setting
    if setting is not None:
        return _set(value, setting, node)
    if value.origin == DEFAULT:
        version = value.kafka_version or ""
        if not version:
            return "default"
        return f"default of Kafka {version}" if not _ranges(value, node) else "default"
    if value.origin == ABSENT:
        return "unknown" if isinstance(node, Topic) else "not set"
    return ""


def _set(value: Value, setting: Setting, node: Node) -> str:
    place = _place(setting)
    if setting.text is None:
        place += ", a template or reference"
    if value.origin == FACT:
        return place
    source = value.from_key if value.from_key != value.key else ""
    name = setting.name if setting.name not in (setting.key, value.key) else ""
    by = f" by {named(source)}" if source else ""
    as_name = f" as {named(name)}" if name and name != source else ""
    if value.origin == INHERITED:
        return f"{place}, inherited{by}{as_name}"
    if isinstance(node, Broker) and value.resource is node.resource:
        for settings, word in (
            (node.resource.dynamic, "dynamic"),
            (node.resource.image, "set by the image"),
        ):
            if settings.get(setting.key) is setting:
                return f"{place}, {word}{by}{as_name}"
        shared = node.cluster.declaration
        if shared is not None and shared.dynamic.get(setting.key) is setting:
            return f"{place}, dynamic for all brokers{by}{as_name}"
    return f"{place}{by and ',' + by}{as_name and ',' + as_name}"

"""Objects of Kubernetes, and values of charts, that stand inside of another file.

Terraform, Crossplane and patches of kustomize hold them. The objects are read by the modules of
their formats as trees of nodes, whose places are those of the file around them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

from kcheck.formats import Lookup
from kcheck.formats.embedded import Inlay
from kcheck.formats.scalars import known
from kcheck.formats.text import overgrown, templated, unrendered
from kcheck.model import Document, Position
from kcheck.syntax import trees, yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The modules by API group (whole, or the end of a longer one), and their formats.
_GROUPS = (
    ("strimzi.io", "strimzi.reader", "strimzi-cr"),
    ("platform.confluent.io", "confluent.reader", "cfk-cr"),
    ("cluster.confluent.com", "confluent.reader", "cfk-cr"),
    ("kafka.banzaicloud.io", "koperator.reader", "koperator-cr"),
    ("kafka.stackable.tech", "stackable", "stackable-cr"),
    ("cluster.redpanda.com", "redpanda.operator", "redpanda-cr"),
    ("redpanda.vectorized.io", "redpanda.operator", "redpanda-cr"),
    ("helm.toolkit.fluxcd.io", "helm.release", "helm-release"),
    ("argoproj.io", "helm.release", "helm-release"),
    ("keda.sh", "agents.resources", "kafka-client-cr"),
    ("dapr.io", "agents.resources", "kafka-client-cr"),
    ("knative.dev", "agents.resources", "kafka-client-cr"),
    ("opentelemetry.io", "agents.resources", "kafka-client-cr"),
)
#: The objects of Kubernetes' own that tell of Kafka.
_KINDS = frozenset(
    ("StatefulSet", "Deployment", "DaemonSet", "Pod", "ReplicaSet", "Job", "CronJob")
    + ("ConfigMap", "Secret", "Service", "NetworkPolicy", "HorizontalPodAutoscaler")
)


def take(
    document: Document, data: bytes, lookup: Lookup, objects: Iterable[yaml.Node]
) -> list[Document]:
    """Let the document have what the objects declare; gives the documents that they were read as."""
    held: dict[tuple[str, str], list[yaml.Node]] = {}
    for node in objects:
        module = _module(node)
        if module is not None:
            held.setdefault(module, []).append(node)
    found: list[Document] = []
    for (name, format), nodes in held.items():
        inner = Document(document.path, format)
        import_module(f"kcheck.formats.{name}").read(inner, yaml.Parsed(data, nodes), lookup)
        for node in nodes:
            _open(inner, node)
        absorb(document, inner)
        found.append(inner)
    return found


def take_others(
    document: Document, data: bytes, lookup: Lookup, nodes: Iterable[yaml.Node], own: str
) -> None:
    """Let the document have what objects declare that another module than its ``own`` reads."""
    others = [node for node in nodes if (module := _module(node)) is not None and module[0] != own]
    if others:
        take(document, data, lookup, others)


def _open(document: Document, node: yaml.Node) -> None:
    """Mark what an object declares whose mappings something else fills in, wholly or in part."""
    unknown = set(_filled_in(node, _DEEPEST))
    if not unknown:
        return
    first, _, last, _ = yaml.position(node)
    for resource in document.resources:
        if first <= resource.at[0] <= last:
            resource.traits.partial = True
            if not unknown.isdisjoint(_LABELS):
                resource.traits.unlabelled = False


def _filled_in(node: yaml.Node, depth: int) -> Iterator[str]:
    """The keys below which a text to be filled in stands for a mapping or a list."""
    for key, _, value in yaml.pairs(node) if depth else ():
        if isinstance(value, yaml.ScalarNode):
            if key in _MAPPINGS and templated(value.value):
                yield key
        else:
            yield from _filled_in(value, depth - 1)
    for item in yaml.items(node) if depth else ():
        yield from _filled_in(item, depth - 1)


_LABELS = ("metadata", "labels")
#: Keys of objects below which there is never a text.
_MAPPINGS = frozenset(
    ("config", "configOverrides", "server", "spec", "kafka", "listeners", "data", "stringData")
    + ("env", "envFrom", "containers", "template", "authorization", "entityOperator")
    + ("storage", "resources", "limits", *_LABELS)
)
_DEEPEST = 20


def _module(node: yaml.Node) -> tuple[str, str] | None:
    group, slash, _ = known(yaml.child(node, "apiVersion")).partition("/")
    for domain, module, format in _GROUPS if slash else ():
        if group == domain or group.endswith("." + domain):
            return module, format
    kind = known(yaml.child(node, "kind"))
    return ("kubernetes.reader", "k8s-plain") if kind in _KINDS else None


def absorb(document: Document, inner: Document) -> None:
    """Put what an inner document tells into the one around it."""
    document.resources += inner.resources
    document.problems += inner.problems
    document.services += inner.services
    document.references += inner.references
    document.processes += inner.processes
    mine: Any = document.extent
    for name, told in vars(inner.extent).items():
        setattr(mine, name, told if isinstance(told, bool) else getattr(mine, name) + told)


def documents_of(document: Document, node: yaml.Node | None, lines: list[str]) -> list[yaml.Node]:
    """The YAML documents of a text that a scalar holds, at their places in the file.

    There are none where a template makes the text; where it is broken, the document says so.
    """
    if not isinstance(node, yaml.ScalarNode):
        return []
    inlay = Inlay(node, lines)
    return documents_at(document, inlay.text, inlay.place)


def documents_at(
    document: Document, text: str, place: Callable[[Position], Position]
) -> list[yaml.Node]:
    """The same of a text, with the function that gives the places of the file for those of the text."""
    data = text.encode()
    nodes, problem = yaml.documents(data)
    if problem is not None:
        if not unrendered(data) and "${" not in text:
            problem.at = place(problem.at)
            document.problems.append(problem)
        return []
    mover = trees.Mover(place)
    try:
        return [mover.moved(node) for node in nodes]
    except trees.Overgrown:
        document.problems.append(overgrown("200,000 values"))
        return []


def filled(text: str) -> str:
    """A text whose ``${…}`` are placeholders of the same length, which no parser stumbles over."""
    made: list[str] = []
    at = 0
    while (start := text.find("${", at)) >= 0:
        end = _closed(text, start + 2)
        made.append(text[at : start + 2])
        made.append(_OTHER.sub("_", text[start + 2 : end]))
        at = end
    made.append(text[at:])
    return "".join(made)


#: What has a meaning to YAML, or ends the placeholder.
_OTHER = re.compile(r"[^\w.\n]")


def _closed(text: str, at: int) -> int:
    """Where the brace closes that was opened before ``at``; the end of the text where none does."""
    depth = 1
    for match in _BRACE.finditer(text, at):
        depth += 1 if match.group() == "{" else -1
        if not depth:
            return match.start()
    return len(text)


_BRACE = re.compile(r"[{}]")

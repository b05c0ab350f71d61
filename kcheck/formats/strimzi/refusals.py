"""What Strimzi's operator, or the API server before it, refuses in a resource whatever else there is.

The checks are those of ListenersValidator, StorageUtils, VolumeUtils and of the CRDs in
strimzi/strimzi-kafka-operator@8541da1e; ``schemas/strimzi/listeners.tsv`` has what belongs to the type
of a listener.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import data
from kcheck.formats.strimzi.resource import known
from kcheck.formats.text import templated
from kcheck.model import ERROR, WARNING, Note, Resource, Setting
from kcheck.syntax import yaml
from kcheck.units import whole
from kcheck.version import Version

#: The lowest port that the operator leaves to listeners, and those that it needs for metrics.
_LOWEST, _TAKEN = 9092, ("9404", "9999")
#: The pattern of a listener's name in the CRD (GenericKafkaListener).
_LISTENER = "[a-z0-9]{1,11}"
#: What a name of an object in Kubernetes consists of (RFC 1123, as parts between dots), and how long it
#: may be.
_LETTERS, _LONGEST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-"), 253

_types: dict[str, tuple[str, ...]] = {}


def name(resource: Resource, node: yaml.Node | None, kind: str) -> None:
    """Note a name that no object of Kubernetes can have."""
    text = yaml.text(node)
    if node is None or not text or templated(text):
        return
    if len(text) > _LONGEST or not all(map(_label, text.split("."))):
        instead = "; set the name of the topic in spec.topicName" if kind == "KafkaTopic" else ""
        resource.notes.append(
            Note(
                "KC0163",
                Setting("metadata.name", text, resource.path, yaml.position(node)),
                f"{kind} {text}: metadata.name is not a valid name in Kubernetes",
                "the API server rejects the resource",
                f"use lower-case letters, digits, - and .{instead}",
                ERROR,
            )
        )


#: The common name of a certificate (OpenSslCertManager of the operator).
_COMMON_NAME = 64


def certificate_name(resource: Resource, node: yaml.Node | None) -> None:
    """Note a user with TLS whose name does not fit into its certificate."""
    kind, name = known(yaml.child(node, "type")), resource.name
    if kind == "tls" and len(name) > _COMMON_NAME and not templated(name):
        resource.notes.append(
            Note(
                "KC0163",
                Setting("metadata.name", name, resource.path, resource.at),
                f"KafkaUser {name} with authentication of type tls has a name of {len(name)} "
                f"characters: the common name of a certificate has up to {_COMMON_NAME}",
                "the operator rejects the user: it gets no certificate",
                f"use a name of at most {_COMMON_NAME} characters",
                ERROR,
            )
        )


def _label(text: str) -> bool:
    return bool(text) and text[0] != "-" != text[-1] and _LETTERS.issuperset(text)


#: The first operator whose CRD has a list of listeners, and the API versions that have nothing else.
LISTED, _LISTS = "0.20", ("v1beta2", "v1")
_MAPPED = frozenset(("plain", "tls", "external"))


def form_of_listeners(resource: Resource, key: yaml.Node, node: yaml.Node, version: str) -> None:
    """Note the mapping of listeners (``plain: {}``) in an API version that has a list."""
    names = {name for name, _, _ in yaml.pairs(node)}
    if version in _LISTS and names and names <= _MAPPED:
        resource.notes.append(
            Note(
                "KC1066",
                Setting("listeners", None, resource.path, yaml.position(key)),
                f"{resource.kind} {resource.name}: listeners is a mapping, but kafka.strimzi.io/{version} "
                "has a list",
                "the API server rejects the resource",
                "write - {name: plain, port: 9092, type: internal, tls: false} for plain, and so on",
                ERROR,
            )
        )


def _unreleased(version: str) -> bool:
    """Whether it is the placeholder in the chart of the operator's sources, never a release."""
    return Version(version).below("0.2")


def of_older_operator(resource: Resource, version: str) -> None:
    """Note a list of listeners for an operator of a version that has a mapping."""
    listed = resource.facts.get("listeners")
    if listed is not None and Version(version).below(LISTED) and not _unreleased(version):
        resource.notes.append(
            Note(
                "KC1066",
                listed,
                f"{resource.kind} {resource.name}: listeners is a list, but Strimzi {version} has a "
                "mapping",
                "the API server rejects the resource",
                f"write plain: {{}} and tls: {{}}, or install Strimzi {LISTED} or newer",
                WARNING,
            )
        )


def listeners(resource: Resource, node: yaml.Node) -> None:
    """Note the listeners that the operator refuses."""
    seen: set[str] = set()
    for item in yaml.items(node):
        for refusal in (*_named(item, seen), *_secured(item), *_configured(item)):
            _refuse(resource, "listeners", refusal)
        for refusal in _tokens(item):
            _refuse(resource, "listeners.authentication", refusal)


def _refuse(resource: Resource, key: str, refusal: _Refusal) -> None:
    spot, why, fix = refusal
    setting = Setting(key, known(spot) or None, resource.path, yaml.position(spot))
    resource.notes.append(
        Note(
            "KC1066",
            setting,
            f"{resource.kind} {resource.name}: {why}",
            "the operator rejects the whole resource: no broker is created or changed",
            fix,
        )
    )


def _tokens(item: yaml.Node) -> Iterator[_Refusal]:
    if known(yaml.child(item, "authentication", "type")) == "oauth":
        from kcheck.formats.strimzi import refusals_oauth  # few listeners have it

        yield from refusals_oauth.refusals(item)


_Refusal = tuple[yaml.Node, str, str]


def _named(item: yaml.Node, seen: set[str]) -> Iterator[_Refusal]:
    """A name or a port that another listener has, or that none can have."""
    for part in ("name", "port"):
        found = yaml.child(item, part)
        text = known(found)
        if found is None or not text:
            continue
        fix = f"give the listener a unique {part}"
        if f"{part} {text}" in seen:
            yield (
                found,
                f"two listeners share the {part} {text}",
                fix + (f", {_LOWEST} or higher" if part == "port" else ""),
            )
        elif part == "name" and not re.fullmatch(_LISTENER, text):
            fix = "use 1 to 11 lower-case letters and digits"
            yield found, f"listener name {text} does not match ^[a-z0-9]{{1,11}}$", fix
        elif part == "port" and (whole(text) or _LOWEST) < _LOWEST:
            why = f"port {text} is below {_LOWEST}, the lowest port for listeners"
            yield found, why, f"{fix}, {_LOWEST} or higher"
        elif part == "port" and text in _TAKEN:
            why = f"port {text} is reserved for the metrics of the pod"
            yield found, why, f"{fix}, {_LOWEST} or higher"
        seen.add(f"{part} {text}")


def _secured(item: yaml.Node) -> Iterator[_Refusal]:
    """TLS that the type of the listener requires, or that its parts require."""
    listener, kind = known(yaml.child(item, "name")), known(yaml.child(item, "type"))
    tls = yaml.child(item, "tls")
    if tls is None or known(tls) != "false":
        return
    if kind in ("route", "ingress"):
        yield tls, f"listener {listener} of type {kind} has tls: false", "set tls: true"
    if known(yaml.child(item, "authentication", "type")) == "tls":
        why = f"listener {listener} has authentication of type tls, but tls: false"
        yield tls, why, "set tls: true"
    certificate = yaml.child(item, "configuration", "brokerCertChainAndKey")
    if certificate is not None and not yaml.is_null(certificate):
        why = f"listener {listener} has a brokerCertChainAndKey, but tls: false"
        yield tls, why, "set tls: true, or remove configuration.brokerCertChainAndKey"


def _configured(item: yaml.Node) -> Iterator[_Refusal]:
    """Parts of the configuration that the type of the listener lacks, or does not have."""
    listener, type_node = known(yaml.child(item, "name")), yaml.child(item, "type")
    kind, configuration = known(type_node), yaml.child(item, "configuration")
    if type_node is None or not kind or (configuration is not None and _unknown(configuration)):
        return
    if kind in ("ingress", "tlsroute"):
        yield from _hosts(item, listener, kind, type_node, configuration)
    for field, types in _of_types().items():
        for node in _found(configuration, field.split(".")) if kind not in types else ():
            yield (
                node,
                f"listener {listener} of type {kind} cannot have configuration.{field}",
                f"remove {field}, or use a listener of type {' or '.join(types)}",
            )
    created = yaml.child(configuration, "createBootstrapService")
    if created is not None and known(created) == "false" and kind != "loadbalancer":
        why = f"listener {listener} of type {kind} cannot have createBootstrapService: false"
        yield created, why, "remove createBootstrapService"


def _unknown(node: yaml.Node) -> bool:
    """Whether a template fills the whole object in."""
    return not yaml.pairs(node)


def _hosts(
    item: yaml.Node, listener: str, kind: str, at: yaml.Node, configuration: yaml.Node | None
) -> Iterator[_Refusal]:
    host = yaml.child(configuration, "bootstrap", "host")
    if host is None or yaml.is_null(host):
        why = f"listener {listener} of type {kind} has no configuration.bootstrap.host"
        yield at, why, "set configuration.bootstrap.host, and a host for each broker"
    elif not any(yaml.child(configuration, one) is not None for one in ("hostTemplate", "brokers")):
        why = f"listener {listener} of type {kind} has no hosts of brokers"
        yield at, why, "set configuration.hostTemplate, or a host for each broker in brokers"
    if kind == "tlsroute" and yaml.child(configuration, "parentRefs") is None:
        why = f"listener {listener} of type {kind} has no configuration.parentRefs"
        yield at, why, "set configuration.parentRefs"


def _of_types() -> dict[str, tuple[str, ...]]:
    if not _types:
        for field, types in data.rows("strimzi/listeners.tsv"):
            _types[field] = tuple(types.split())
    return _types


def _found(node: yaml.Node | None, route: list[str]) -> list[yaml.Node]:
    """What stands at that route, in each element of a list on the way; empty for null."""
    first, *rest = route
    held = yaml.child(node, first.removesuffix("[]"))
    if held is None or yaml.is_null(held):
        return []
    holders = yaml.items(held) if first.endswith("[]") else [held]
    return [one for holder in holders for one in _found(holder, rest)] if rest else holders


def build(resource: Resource, spec: yaml.Node | None) -> None:
    """Note plugins of one name in the build of a KafkaConnect (ConnectBuildUtils of the operator)."""
    seen: set[str] = set()
    for plugin in yaml.items(yaml.child(spec, "build", "plugins")):
        node = yaml.child(plugin, "name")
        text = known(node)
        if node is not None and text and text in seen:
            resource.notes.append(
                Note(
                    "KC0195",
                    Setting("spec.build.plugins", text, resource.path, yaml.position(node)),
                    f"{resource.kind} {resource.name}: two plugins in spec.build share the name {text}",
                    "the operator rejects the resource: nothing is created or changed",
                    "give each plugin a name of its own, or put their artifacts into one",
                    ERROR,
                )
            )
        seen.add(text)


def storage(resource: Resource, node: yaml.Node, path: str) -> None:
    """Note the storage that the operator refuses; ``path`` is where it stands in the resource."""
    kind = known(yaml.child(node, "type"))
    volumes = yaml.child(node, "volumes")
    members = yaml.items(volumes)
    refused: list[_Refusal] = []
    if kind == "jbod" and not members and not yaml.text(volumes):
        refused.append((node, f"{path} of type jbod has no volumes", "list at least one volume"))
    seen: set[str] = set()
    for volume in members if kind == "jbod" else [node]:
        identity = yaml.child(volume, "id")
        text = known(identity)
        if kind == "jbod" and (identity is None or yaml.is_null(identity)):
            refused.append((volume, f"a volume in {path} has no id", "set a unique id"))
        elif kind == "jbod" and text and text in seen and identity is not None:
            refused.append(
                (identity, f"two volumes in {path} share the id {text}", "set a unique id")
            )
        seen.add(text)
        size = yaml.child(volume, "size")
        claim = known(yaml.child(volume, "type")) == "persistent-claim"
        if claim and (size is None or yaml.is_null(size)):
            why = f"a persistent-claim in {path} has no size"
            refused.append((volume, why, "set size, for example 100Gi"))
    for spot, why, fix in refused:
        resource.notes.append(
            Note(
                "KC0162",
                Setting("storage", None, resource.path, yaml.position(spot)),
                f"{resource.kind} {resource.name}: {why}",
                "the operator rejects the resource: nothing is created or changed",
                fix,
                ERROR,
            )
        )

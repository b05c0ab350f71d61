"""Fields, arguments, options and attributes that a format does not have, and nearly has.

What a name was meant to be tells ``lexicon.fields``; here stands what each format does with a name
that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck import catalogue
from kcheck.formats.text import templated
from kcheck.lexicon import fields, suggest
from kcheck.model import ERROR, WARNING, Document, Note, Position, Problem, Resource, Setting
from kcheck.syntax import yaml

CODE = "KC0135"
_STRIMZI = "KC0114"
_NET = "dotnet"
#: Of names of no more letters another may be one letter away.
_SHORT = 5

#: What a format does with a name that it does not know, by format: the consequence, the severity.
_EFFECTS = {
    **dict.fromkeys(
        fields.OPERATORS,
        (
            "Kubernetes drops the field, and kubectl rejects it where it validates strictly (from 1.25)",
            WARNING,
        ),
    ),
    fields.STRIMZI: (
        "the operator ignores the field and warns about it in the resource status",
        WARNING,
    ),
    _NET: (
        "configuration binding ignores it: the client keeps the default, which is no brokers at all "
        "for BootstrapServers",
        WARNING,
    ),
    fields.TERRAFORM: ("terraform plan fails: unsupported argument", ERROR),
    fields.LOGSTASH: ("the pipeline does not start: unknown setting for kafka", ERROR),
    "telegraf": (
        "Telegraf fails to start: configuration specified fields that were not used",
        ERROR,
    ),
    "beats": ("Beats ignore the setting", WARNING),
    "vector": ("Vector rejects the configuration: unknown field", WARNING),
    "fluent-bit": ("Fluent Bit fails to start: unknown configuration property", ERROR),
    "otel-collector": ("the collector fails to start: invalid keys", ERROR),
    "flink": ("the table cannot be used: unsupported options", ERROR),
    "alpakka": ("the client does not get it: it has what is below kafka-clients alone", WARNING),
    "akhq": ("AKHQ ignores the setting", WARNING),
    "kafka-ui": ("kafka-ui ignores the setting", WARNING),
    "debezium-server": ("Debezium Server ignores it, and the producer does not get it", WARNING),
    "fluentd": ("Fluentd ignores it", WARNING),
    "keda": ("KEDA ignores it", WARNING),
    "promtail": ("Promtail fails to start: the field is not found in its type", WARNING),
    "dapr": ("Dapr ignores it", WARNING),
    "knative": (
        "Kubernetes drops the field, and kubectl rejects it where it validates strictly",
        WARNING,
    ),
    "redpanda-properties": ("Redpanda ignores it: the property keeps its default", WARNING),
    "clickhouse": ("the table cannot be created: unknown setting", ERROR),
    "spark": ("the query fails to start: the option is not supported", ERROR),
}


def of_strimzi(
    document: Document, kind: str, name: str, spec: yaml.Node, made: Resource | None
) -> None:
    """Note the fields of a resource of Strimzi's; ``made`` is what kcheck made of it."""
    for path, field, at, right in _within(fields.STRIMZI, kind, "spec", spec):
        message, fix = _told(f"{kind} {name}: {path}", "field", field, right)
        told = Setting(f"{path}.{field}", None, document.path, at, at)
        consequence, severity = _EFFECTS[fields.STRIMZI]
        if made is not None:
            made.notes.append(Note(_STRIMZI, told, message, consequence, fix))
        else:
            document.problems.append(_problem(told, message, consequence, fix, severity))


def of_resource(document: Document, form: str, resource: yaml.Node) -> None:
    """Report the fields of an operator's resource that its definition does not have."""
    kind, spec = yaml.text(yaml.child(resource, "kind")), yaml.child(resource, "spec")
    name = yaml.text(yaml.child(resource, "metadata", "name"))
    if not kind or spec is None:
        return
    for path, field, at, right in _within(form, kind, "spec", spec):
        message, fix = _told(f"{kind} {name}: {path}", "field", field, right)
        told = Setting(f"{path}.{field}", None, document.path, at, at)
        document.problems.append(_problem(told, message, *_effect(form, fix)))


def of_names(
    document: Document,
    form: str,
    holder: str,
    owner: str,
    word: str,
    given: list[tuple[str, Position]],
    path: str = "",
) -> None:
    """Report the names that an object of a flat format has; ``word`` is what the format calls them.

    ``path`` stands before the names of an object inside another.
    """
    for name, at in given:
        right = fields.meant(form, holder, name)
        if right and right not in (other for other, _ in given):
            message, fix = _told(owner, word, path + name, path + right)
            told = Setting(path + name, None, document.path, at, at)
            document.problems.append(_problem(told, message, *_effect(form, fix)))


def is_raw_key(name: str) -> bool:
    """Whether a name is a key of a client of librdkafka's or Java's."""
    from kcheck import dialects

    library = dialects.library("librdkafka")
    own = library is not None and name in library
    return own or any(name in catalogue.plane(plane) for plane in ("consumer", "producer"))


def of_elsewhere(
    document: Document,
    form: str,
    owner: str,
    given: list[tuple[str, Position]],
    held: tuple[str, str],
) -> None:
    """Report the fields that one object of a format has, and that another one, ``held`` in that order, reads."""
    own, other = fields.of(form, held[0]), fields.of(form, held[1])
    if own is None or other is None:
        return
    for name, at in given:
        if name in other.known and name not in own.known:
            message, fix = _told(owner, "field", name, f"{held[1]}.{name}")
            told = Setting(name, None, document.path, at, at)
            document.problems.append(_problem(told, message, *_effect(form, fix)))


def of_prefix(
    document: Document, form: str, owner: str, name: str, right: str, at: Position
) -> None:
    """Report a raw key of the client's that lacks the prefix of its program."""
    message, fix = _told(owner, "option", name, right)
    told = Setting(name, None, document.path, at, at)
    document.problems.append(_problem(told, message, *_effect(form, fix)))


def of_net(document: Document, given: list[tuple[str, Position]], known: Iterable[str]) -> None:
    """Report the properties of a client of .NET's that one letter parts from one of ``known``.

    The object may be the program's own, with other names in it: less than one letter is no slip,
    since case does not matter, and more may be meant.
    """
    names = {key.replace(".", "").replace("_", ""): key for key in known} if given else {}
    for name, at in given:
        lowered = name.lower()
        near = [
            "".join(word.capitalize() for word in key.replace("_", ".").split("."))
            for squeezed, key in names.items()
            if len(squeezed) > _SHORT and suggest.distance(lowered, squeezed, 1) == 1
        ]
        if len(near) == 1 and not templated(name):
            told = Setting(name, None, document.path, at, at)
            message, fix = _told("Confluent.Kafka", "property", name, near[0])
            document.problems.append(_problem(told, message, *_effect(_NET, fix)))


def _effect(form: str, fix: str) -> tuple[str, str, str]:
    consequence, severity = _EFFECTS[form]
    return consequence, fix, severity


def _problem(told: Setting, message: str, consequence: str, fix: str, severity: str) -> Problem:
    return Problem(message, told.key_at, CODE, severity, consequence, fix, setting=told)


def _told(owner: str, word: str, name: str, right: str) -> tuple[str, str]:
    """The message and the fix."""
    outer, dot, inner = right.partition(".")
    if word == "field" and dot and inner == name:
        return (
            f"{owner} has no {word} {name}; it belongs under {outer}",
            f"move {name} under {outer}",
        )
    return f"{owner} has no {word} {name}; did you mean {right}?", f"rename {name} to {right}"


def _within(
    form: str, kind: str, path: str, node: yaml.Node
) -> Iterator[tuple[str, str, Position, str]]:
    """(path, field, place, what is meant) of the fields that an object, or one within it, lacks."""
    if isinstance(node, yaml.SequenceNode):
        for item in yaml.items(node):
            yield from _within(form, kind, f"{path}[]", item)
        return
    names = fields.of(form, f"{kind} {path}")
    if names is not None:
        yield from _members(form, kind, path, names, node)
    elif fields.of(form, f"{kind} {path}.*") is not None:  # a map, whose keys are free
        for _, _, value in yaml.pairs(node):
            yield from _within(form, kind, f"{path}.*", value)


def _members(
    form: str, kind: str, path: str, names: fields.Names, node: yaml.Node
) -> Iterator[tuple[str, str, Position, str]]:
    members = yaml.pairs(node)
    given = {field for field, _, _ in members}
    for field, field_node, value in members:
        if field in names.known:
            if not isinstance(value, yaml.ScalarNode):
                yield from _within(form, kind, f"{path}.{field}", value)
            continue
        if templated(field) or "{" in field:
            continue
        right = _meant(form, f"{kind} {path}", field, names)
        if right and right not in given:
            yield path, field, yaml.position(field_node), right


def _meant(form: str, holder: str, field: str, names: fields.Names) -> str:
    """The field that another can only stand for; below an object of the holder, with its name."""
    right = fields.meant(form, holder, field)
    if not right and "." in field and "config" in names.known:
        return f"config.{field}"
    inner = "" if right else fields.holder_of(form, holder, field)
    return f"{inner}.{field}" if inner else right

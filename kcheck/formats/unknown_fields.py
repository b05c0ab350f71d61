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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.pairs import Pair

CODE, WORDS = "KC0135", "KC0137"
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
    "akhq": ("AKHQ ignores the setting", WARNING),
    "kafka-ui": ("kafka-ui ignores the setting", WARNING),
    "debezium-server": ("Debezium Server ignores it, and the producer does not get it", WARNING),
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


def words_of_strimzi(document: Document, kind: str, name: str, spec: yaml.Node) -> None:
    """Report words that a resource of Strimzi's may not have where its schema lists them."""
    if not fields.has_words(kind):
        return
    for path, node in _scalars("spec", spec):
        word_of(
            document,
            fields.words_of(fields.STRIMZI, f"{kind} {path}"),
            f"{kind} {name}: {path}",
            path,
            yaml.text(node) or "",
            yaml.position(node),
            "Kubernetes rejects the resource: unsupported value",
        )


def annotations_of_strimzi(
    document: Document, kind: str, name: str, node: yaml.Node | None
) -> None:
    """Report annotations that say something else than the operator knows for them."""
    for key, _, value in yaml.pairs(node):
        text = yaml.text(value) or ""
        known = fields.words_of_annotation(kind, key) if key.startswith("strimzi.io/") else ()
        if not known or not text or templated(text) or "{" in text or text.lower() in known:
            continue
        right, at = fields.near(text, known), yaml.position(value)
        document.problems.append(
            Problem(
                f"{kind} {name}: {key}={text} is not one of {', '.join(sorted(known))}"
                + (f"; did you mean {right}?" if right else ""),
                at,
                WORDS,
                WARNING,
                f"the operator takes it for {known[0]}",
                f"set {key}: {right}" if right else f"use one of {', '.join(sorted(known))}",
                setting=Setting(key, text, document.path, at),
            )
        )


#: What a program does with a word that an option does not accept.
_REJECTED = {
    "telegraf": "Telegraf fails to start: the value is invalid",
    "beats": "the beat fails to start: the value is invalid",
    "redpanda-connect": "Redpanda Connect rejects the configuration",
    "redpanda-connect-franz": "Redpanda Connect rejects the configuration",
    "vector": "Vector rejects the configuration",
    "fluent-bit": "Fluent Bit fails to start: invalid value",
    "otel-collector": "the collector fails to start: the value is invalid",
    "flink": "the table cannot be used: invalid value for option",
    "logstash": "the pipeline does not start: the plugin rejects the value",
}


def words_of_names(
    document: Document, form: str, holder: str, owner: str, given: list[tuple[str, str, Position]]
) -> None:
    """Report words that the arguments of a flat format may not have; (name, word, place) each."""
    for name, text, at in given:
        known = fields.words_of(form, f"{holder} {name}")
        consequence = _REJECTED.get(form, "the provider rejects the value")
        word_of(document, known, f"{owner}: {name}", name, text, at, consequence)


def word_of_spring(document: Document, known: tuple[str, ...], pair: Pair, text: str) -> None:
    """Report a value that Spring Boot cannot convert; once for all profiles."""
    mine = pair.path == document.path
    if mine and all(problem.at != pair.at for problem in document.problems):
        consequence = "the application fails to start: the value cannot be converted"
        word_of(document, known, pair.name, pair.name, text, pair.at, consequence)


def word_of(
    document: Document,
    known: tuple[str, ...],
    where: str,
    key: str,
    text: str,
    at: Position,
    consequence: str,
) -> None:
    """Report a word that is none of ``known``; ``key`` is what has it, and ``where`` says where.

    Where ``known`` ends in ``*``, there are more, and only what looks like a slip is told.
    """
    if not known or not text or text in known or templated(text) or "{" in text:
        return
    right = fields.near(text, known)
    if known[-1] == "*":
        known = known[:-1]
        if not right:
            return
    listed = ", ".join(known)
    document.problems.append(
        Problem(
            f"{where}={text} is not one of {listed}"
            + (f"; did you mean {right}?" if right else ""),
            at,
            WORDS,
            ERROR if right else WARNING,
            consequence if right else f"{consequence}, unless a newer release accepts it",
            f"set {key.rpartition('.')[2].removesuffix('[]')} to {right}"
            if right
            else f"use one of {listed}",
            setting=Setting(key, text, document.path, at),
        )
    )


def _scalars(path: str, node: yaml.Node) -> Iterator[tuple[str, yaml.Node]]:
    """The scalars below a node, each with its path."""
    if isinstance(node, yaml.ScalarNode):
        yield path, node
    elif isinstance(node, yaml.SequenceNode):
        for item in yaml.items(node):
            yield from _scalars(f"{path}[]", item)
    else:
        for field, _, value in yaml.pairs(node):
            if field not in _FREE:
                yield from _scalars(f"{path}.{field}", value)


#: Objects whose fields are Kubernetes' or Kafka's.
_FREE = frozenset(
    ("config", "template", "resources", "affinity", "tolerations", "loggers", "metrics")
)


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


def member_of_net(document: Document, made: Setting, right: str) -> None:
    """Report a value of a client of .NET's that another spelling has in its enumeration."""
    document.problems.append(
        Problem(
            f"{made.name}={made.text} is not a member of Confluent.Kafka's enumeration; "
            f"did you mean {right}?",
            made.at,
            WORDS,
            WARNING,
            "configuration binding throws an exception: the value cannot be converted",
            f"set {made.name} to {right}",
            setting=Setting(made.name, made.text, document.path, made.at, made.key_at),
        )
    )


def is_raw_key(name: str) -> bool:
    """Whether a name is a key of a client of librdkafka's or Java's."""
    from kcheck import dialects

    library = dialects.library("librdkafka")
    own = library is not None and name in library
    return own or any(name in catalogue.plane(plane) for plane in ("consumer", "producer"))


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

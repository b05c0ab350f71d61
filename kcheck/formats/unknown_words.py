"""Words that the fields, options and properties of a format may not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.text import templated
from kcheck.lexicon import fields
from kcheck.model import ERROR, WARNING, Document, Position, Problem, Setting
from kcheck.syntax import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.pairs import Pair

WORDS = "KC0137"


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
    "fluentd": "Fluentd fails to start",
    "keda": "the trigger is not accepted, and nothing is scaled",
    "dapr": "Dapr does not initialise the component, or takes another value",
    "knative": "the webhook rejects the resource",
    "clickhouse": "the table cannot be created",
}


#: No release adds a word to these.
_SWITCH = {"true", "false"}


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
    # A release is no slip of another one.
    right = "" if _RELEASE.fullmatch(text) else fields.near(text, known)
    if known[-1] == "*":
        known = known[:-1]
        if not right:
            return
    listed = ", ".join(known) if len(known) < _MANY else f"{known[0]} … {known[-1]}"
    certain = right or set(known) == _SWITCH
    document.problems.append(
        Problem(
            f"{where}={text} is not one of {listed}"
            + (f"; did you mean {right}?" if right else ""),
            at,
            WORDS,
            ERROR if certain else WARNING,
            consequence if certain else f"{consequence}, unless a newer release accepts it",
            f"set {key.rpartition('.')[2].removesuffix('[]')} to {right}"
            if right
            else f"use one of {listed}",
            setting=Setting(key, text, document.path, at),
        )
    )


_RELEASE = re.compile(r"\d+(?:\.\d+)+")
#: From here on a message names the ends of a list alone.
_MANY = 25


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

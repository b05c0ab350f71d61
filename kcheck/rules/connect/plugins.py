"""KC14: the transformations and predicates of connectors."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, classes, configdef
from kcheck.graph.clients import Connector
from kcheck.lexicon import values
from kcheck.model import ABSENT, ERROR, WARNING, Finding, Setting, Value
from kcheck.rule import REFUSED, rule
from kcheck.rules.connect.demands import EXCLUDED, LACKING, VALUE, found
from kcheck.rules.shared.keys_wording import evidence
from kcheck.rules.shared.transforms import STEPS, class_list


@rule(
    "KC1414",
    "connect-transforms",
    ERROR,
    kafka=REFUSED,
    on=("transforms", "predicates"),
    refs=("KIP-66", "KIP-585"),
)
def connect_transforms(connector: Connector) -> Iterator[Finding]:
    """A transformation or predicate of a connector has missing or invalid settings.

    Each name in transforms and predicates requires a type and the required settings of that class.
    A transformation with negate requires a predicate. From Kafka 4.1 a blank around the class name
    is part of it.

    Bad: no type
        --- kcheck.yaml
        connectors:
          - {name: rows, config: {connector.class: FileStreamSource, transforms: mask}}
    Bad: a required setting is missing
        --- kcheck.yaml
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              transforms: mask
              transforms.mask.type: "org.apache.kafka.connect.transforms.MaskField$Value"
    Bad: negate without a predicate
        --- kcheck.yaml
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              transforms: drop
              transforms.drop.type: org.apache.kafka.connect.transforms.Filter
              transforms.drop.negate: true
    Good:
        --- kcheck.yaml
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              transforms: mask
              transforms.mask.type: "org.apache.kafka.connect.transforms.MaskField$Value"
              transforms.mask.fields: card
    Good: a custom transformation
        --- kcheck.yaml
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              transforms: mask
              transforms.mask.type: com.example.Mask
    """
    for prefix, _ in STEPS:
        for name in class_list(connector, prefix):
            listed = connector.resource.settings[prefix.removesuffix(".")]
            yield from _step(connector, listed, f"{prefix}{name}.")


def _refused(connector: Connector, prefix: str, owner: str) -> Iterator[tuple[str, str]]:
    """(key, what is wrong) of the keys that the class of a transformation has itself."""
    rows = catalogue.plane("transforms").keys()
    for row in rows:
        name, _, key = row.partition(" ")
        fact = catalogue.fact("transforms", row, connector.version) if name == owner else None
        if fact is None:
            continue
        key = prefix + key
        setting = connector.resource.settings.get(key)
        if setting is None and fact.default == catalogue.REQUIRED:
            yield key, f"{key} is missing: {owner} requires it"
        elif setting is not None and setting.text is not None:
            wrong = values.refusal("transforms", fact, None, setting.text)
            if wrong:
                yield key, f"{key}={setting.text} {wrong}"


def _step(connector: Connector, listed: Setting, prefix: str) -> Iterator[Finding]:
    """Findings about the transformation or predicate with that prefix."""
    settings = connector.resource.settings
    kind = settings.get(f"{prefix}type")
    at = evidence(connector, kind or listed)

    def rejected(message: str, key: str) -> Finding:
        absent = () if key in settings else (Value(key, connector.resource, ABSENT),)
        setting = settings.get(key)
        return connector.finding(
            f"{connector}: {message}",
            at=evidence(connector, setting) if setting is not None else at,
            because=absent,
            breaks="Connect rejects the connector",
            fix=f"set {key} to a valid value" if setting is not None else f"set {key}",
        )

    if kind is None or kind.text == "":
        yield rejected(f"{prefix}type is missing", f"{prefix}type")
        return
    if f"{prefix}negate" in settings and f"{prefix}predicate" not in settings:
        yield rejected(f"{prefix}negate is set without {prefix}predicate", f"{prefix}predicate")
    if kind.raw != kind.text and not connector.version.below("4.1"):
        known = connector.version.at_least("4.1")
        yield connector.finding(
            f"{connector}: {prefix}type has a blank around the class name",
            at=at,
            breaks=("" if known else "from Kafka 4.1, ") + "Connect rejects the connector",
            fix=f"set {prefix}type={kind.text}",
            set_to=kind.text,
            severity=ERROR if known else WARNING,
        )
    negate = settings.get(f"{prefix}negate")
    text = negate.text if negate is not None else None
    if text is not None and configdef.convert("boolean", text)[1]:
        yield rejected(f"{prefix}negate={text} is neither true nor false", f"{prefix}negate")
    yield from found(connector, (LACKING, EXCLUDED, VALUE), kind.text or "", prefix)
    simple = (kind.text or "").rpartition(".")[2].partition("$")[0]
    if not classes.kinds(kind.text or "", connector.version):
        return
    for key, wrong in _refused(connector, prefix, simple):
        yield rejected(wrong, key)

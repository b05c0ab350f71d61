"""KC00: what kcheck could not read, what it read otherwise than meant, what hides findings."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, INFO, WARNING, Document, Faulty, Finding, Fix, Resource
from kcheck.rule import ADVICE, rule
from kcheck.rules.shared.problems import findings
from kcheck.wording import count


@rule("KC0001", "unreadable-file", ERROR)
def unreadable_file(document: Faulty) -> Iterator[Finding]:
    """A file that should hold Kafka configuration cannot be parsed.

    What stands before the broken place is still read where the format allows it; the rest of the
    run goes on.

    Bad:
        --- kcheck.yaml
        kcheck: 1
        topics: [
    Good:
        --- kcheck.yaml
        kcheck: 1
        topics: []
    """
    yield from findings(document, "KC0001")


@rule("KC0002", "malformed-ignore", ERROR)
def malformed_ignore(document: Faulty) -> Iterator[Finding]:
    """A comment that should ignore a finding is not understood, so it hides nothing.

    An ignore names the rules it means, by code, name or family, and may give a last day and a
    reason: `# kcheck: ignore[min-isr-eq-rf] until=2027-01-31 two-broker lab`. It stands on the
    line above the finding or above the resource; in YAML also behind the value. In a
    .properties file a `#` behind a value is part of the value. There is no form that ignores
    everything. `# kcheck: ignore-file[…]` at the top holds for the whole file.

    Bad: no rule has this name
        --- kcheck.yaml
        # kcheck: ignore[min-isr-equals-rf]
        topics: [{name: orders, partitions: 3}]
    Bad: it does not say which rules
        --- kcheck.yaml
        # kcheck: ignore
        topics: [{name: orders, partitions: 3}]
    Bad: the comment is a part of the value
        --- server.properties
        broker.id=1
        zookeeper.connect=zk:2181
        min.insync.replicas=3 # kcheck: ignore[min-isr-eq-rf]
    Good:
        --- kcheck.yaml
        topics:
          - name: orders
            partitions: 6
            replication_factor: 3
            config:
              # kcheck: ignore[min-isr-eq-rf] until=2099-12-31 the third broker comes in May
              min.insync.replicas: 3
    Good: a word in a scalar is no comment
        --- kcheck.yaml
        topics: [{name: "a # kcheck: ignore", partitions: 3}]
    """
    yield from findings(document, "KC0002")


@rule("KC0003", "unused-ignore", WARNING)
def unused_ignore(document: Faulty) -> Iterator[Finding]:
    """An ignore hides nothing: what it was written for is mended or has moved.

    It would hide the next fault of that kind unseen. Not said where a rule that it names does not
    run, nor where only a part of the project is looked at.

    Bad:
        --- kcheck.yaml
        topics:
          # kcheck: ignore[min-isr-eq-rf]
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 2}}
    Good:
        --- kcheck.yaml
        topics:
          # kcheck: ignore[min-isr-eq-rf]
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 3}}
    """
    yield from findings(document, "KC0003")


@rule("KC0004", "expired-ignore", WARNING)
def expired_ignore(document: Faulty) -> Iterator[Finding]:
    """An ignore has expired, so what it hid is reported again.

    The day itself still counts.

    Bad:
        --- kcheck.yaml
        topics:
          # kcheck: ignore[min-isr-eq-rf] until=2020-01-31
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 3}}
    Good:
        --- kcheck.yaml
        topics:
          # kcheck: ignore[min-isr-eq-rf] until=2099-12-31
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 3}}
    """
    yield from findings(document, "KC0004")


@rule("KC0005", "file-too-large", WARNING)
def file_too_large(document: Faulty) -> Iterator[Finding]:
    """A file that speaks of Kafka is larger than what kcheck reads, so nothing in it is checked.

    People do not write configuration of that size; it is mostly a dump or a generated list, which
    can be split, or excluded where it is no configuration.

    Good: an ordinary file
        --- kcheck.yaml
        topics: [{name: orders, partitions: 3}]
    """
    yield from findings(document, "KC0005")


@rule("KC0006", "unknown-values", INFO, set=ADVICE)
def unknown_values(document: Document) -> Iterator[Finding]:
    """Some values of a file are filled in by something else, so no rule could judge them.

    Templates, variables and references to secrets are read as unknown. Rules that need such a
    value are silent; to have them checked, lint the rendered file.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {max.message.bytes: "${MAX_BYTES}"}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {max.message.bytes: 1048588}}
    """
    unknown = [
        setting
        for resource in document.resources
        for setting in resource.settings.values()
        if setting.text is None and setting.path == document.path
    ]
    if unknown:
        first = min(unknown, key=lambda setting: setting.at)
        yield Finding(
            f"{count(len(unknown), 'value')} of this file cannot be known from it, "
            f"{first.key} is the first",
            Resource("file", document.path, document.path, first.at),
            (),
            document.path,
            first.at,
            "rules that need them are silent",
            Fix("lint what the template is rendered to"),
        )


@rule("KC0007", "malformed-declaration", ERROR)
def malformed_declaration(document: Faulty) -> Iterator[Finding]:
    """A declaration does not have the shape that kcheck reads.

    Kafka's own keys stand under ``config``; everything else has the names that
    ``schemas/kcheck.schema.json`` lists. What cannot be understood is not used.

    Bad:
        --- kcheck.yaml
        kcheck: 1
        topics:
          - {name: orders, partition: 3}
    Good:
        --- kcheck.yaml
        kcheck: 1
        topics:
          - {name: orders, partitions: 3}
    """
    yield from findings(document, "KC0007")


@rule("KC0008", "text-not-as-meant", WARNING)
def text_not_as_meant(document: Faulty) -> Iterator[Finding]:
    """The bytes of a file are read otherwise than an editor shows them.

    Java reads .properties files as ISO-8859-1: a byte order mark becomes a part of the first key,
    and a character beyond Latin-1 becomes several others. kcheck tells it and changes nothing.

    Bad: an umlaut in a value
        --- server.properties
        broker.id=1
        zookeeper.connect=zk:2181
        log.dirs=/data/größe
    Good: the same, as Java reads it
        --- server.properties
        broker.id=1
        zookeeper.connect=zk:2181
        log.dirs=/data/gr\\u00f6\\u00dfe
    """
    yield from findings(document, "KC0008")

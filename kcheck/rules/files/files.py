"""KC00: files and values that kcheck cannot read as intended, and comments that hide findings."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, INFO, WARNING, Document, Faulty, Finding, Fix, Resource
from kcheck.rule import ADVICE, rule
from kcheck.rules.shared.problems import findings
from kcheck.wording import count


@rule("KC0001", "unreadable-file", ERROR)
def unreadable_file(document: Faulty) -> Iterator[Finding]:
    """A file that should hold Kafka configuration cannot be parsed.

    The part before the syntax error is still read where the format allows it; the rest of the run
    continues.

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
    """An ignore comment is malformed, so it hides nothing.

    An ignore names its rules by code, name or family, and may have a last day and a reason:
    `# kcheck: ignore[min-isr-eq-rf] until=2027-01-31 two-broker lab`. It goes on the line above the
    finding or above the resource; in YAML also after the value. In a .properties file a `#` after a
    value is part of the value. No form ignores all rules. `# kcheck: ignore-file[…]` at the top
    applies to the whole file.

    Bad: no rule has this name
        --- kcheck.yaml
        # kcheck: ignore[min-isr-equals-rf]
        topics: [{name: orders, partitions: 3}]
    Bad: it names no rules
        --- kcheck.yaml
        # kcheck: ignore
        topics: [{name: orders, partitions: 3}]
    Bad: the comment is part of the value
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
    Good: text in a scalar is not a comment
        --- kcheck.yaml
        topics: [{name: "a # kcheck: ignore", partitions: 3}]
    """
    yield from findings(document, "KC0002")


@rule("KC0003", "unused-ignore", WARNING)
def unused_ignore(document: Faulty) -> Iterator[Finding]:
    """An ignore hides nothing: the finding was fixed or has moved.

    It would silently hide the next finding of that rule. Not reported where a rule that it names does
    not run, nor where only part of the project is checked.

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
    """An ignore has expired, so the finding is reported again.

    An ignore is valid up to and including its last day.

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
    """A file that mentions Kafka exceeds the size limit, so it is not checked.

    A file of that size is mostly a dump or a generated list. Split it, or exclude it if it is not
    configuration.

    Good: an ordinary file
        --- kcheck.yaml
        topics: [{name: orders, partitions: 3}]
    """
    yield from findings(document, "KC0005")


@rule("KC0006", "unknown-values", INFO, set=ADVICE)
def unknown_values(document: Document) -> Iterator[Finding]:
    """Some values of a file are templates or references, so rules cannot check them.

    Templates, variables and references to secrets are read as unknown. Rules that need such a value
    are silent; to check it, lint the rendered file.

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
            f"{count(len(unknown), 'value')} in this file "
            f"{'is' if len(unknown) == 1 else 'are'} unknown, the first is {first.key}",
            Resource("file", document.path, document.path, first.at),
            (),
            document.path,
            first.at,
            f"rules that need {'it' if len(unknown) == 1 else 'them'} are silent",
            Fix("lint the rendered file"),
        )


@rule("KC0007", "malformed-declaration", ERROR)
def malformed_declaration(document: Faulty) -> Iterator[Finding]:
    """A declaration does not match the schema of kcheck.yaml.

    Kafka's own keys go under ``config``; everything else has the names in
    ``schemas/kcheck.schema.json``. Invalid parts are ignored.

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
    """A file is read with another encoding than an editor shows.

    Java reads .properties files as ISO-8859-1: a byte order mark becomes part of the first key, and a
    non-ASCII character in UTF-8 becomes several others. kcheck reports it and changes nothing.

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

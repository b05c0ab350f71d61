"""Resources of infrastructure as code that are Kafka's: the rows of ``schemas/services/resources.tsv``.

A row tells of a type what it makes, which attribute has its name, and where its keys and facts stand.
Terraform in both of its forms, Pulumi and CloudFormation share them; a new provider is rows.
"""

from __future__ import annotations

from functools import cache

from kcheck import data

TOPIC, CONNECTOR, WORKER, QUOTA, CONSUMER = "topic", "connector", "worker", "quota", "consumer"
BROKER, SETTINGS, CONFIGURATION, ACL = "broker", "settings", "configuration", "acl"

#: The kinds that stand by themselves, and are made wherever a module is called.
MADE = (TOPIC, CONNECTOR, WORKER, QUOTA, CONSUMER)

#: How a map of keys is written where it has not Kafka's own names: with underscores for dots, the same
#: with words that repeat the name, as blocks of key and value, as a text of properties.
SNAKE, ENUM, PAIRS, TEXT = "snake", "enum", "pairs", "text"


class Place:
    """Where something stands in a resource: the attributes and blocks that lead there.

    ``key`` is Kafka's name, or a fact's, of one attribute, "" where all below are keys, written in a
    ``style``; ``factor`` is how many of Kafka's units one of it has.
    """

    __slots__ = ("factor", "key", "path", "style")

    def __init__(self, text: str) -> None:
        path, _, key = text.partition("=")
        path, _, self.style = path.partition(":")
        self.path = tuple(path.split("/")) if path != "." else ()
        self.key, _, factor = key.partition("*")
        self.factor = int(factor or 1)


class Row:
    """One type of resource."""

    __slots__ = ("clusters", "facts", "keys", "kind", "names", "service", "type")

    def __init__(self, row: list[str]) -> None:
        self.type, self.kind, self.service = row[:3]
        #: The attributes of which the first that is there has the name.
        self.names = tuple(tuple(one.split("/")) for one in row[3].split())
        self.keys = tuple(map(Place, row[4].split()))
        self.facts = tuple(map(Place, row[5].split()))
        self.clusters = tuple(tuple(one.split("/")) for one in row[6].split())


@cache
def rows() -> dict[str, Row]:
    """The rows by the types of Terraform and CloudFormation."""
    return {row[0]: Row(row) for row in data.rows("services/resources.tsv")}


@cache
def of_pulumi() -> dict[str, Row]:
    """The rows by Pulumi's package and type, ``kafka:Topic``."""
    return {row[7]: Row(row) for row in data.rows("services/resources.tsv") if row[7]}


@cache
def types(kind: str) -> tuple[str, ...]:
    """The types of a kind."""
    return tuple(row.type for row in rows().values() if row.kind == kind)

"""kafkactl: which brokers each context asks. The client is written in Go; its keys are its own."""

from __future__ import annotations

from kcheck import libraries
from kcheck.formats import Lookup
from kcheck.formats.scalars import documents, joined, named, nothing
from kcheck.model import Document
from kcheck.syntax import yaml


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        for name, name_node, context in yaml.pairs(yaml.child(node, "contexts")):
            for key, key_node, value in yaml.pairs(context):
                if key != "brokers":
                    continue
                client = named(document, "admin", name_node)
                client.name, client.dialect = name, libraries.SARAMA.name
                client.settings["bootstrap.servers"] = joined(
                    "bootstrap.servers", key_node, value, document.path
                )
    nothing(document, "contains no brokers")

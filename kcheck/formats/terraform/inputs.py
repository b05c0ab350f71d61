"""Topics among variables: what ``.tfvars``, modules of registries and Terragrunt are given.

A variable named for topics or event hubs is a map or a list of objects with partitions; fields and Kafka's
keys are read as in ``topic_lists``, which reads ``.tfvars.json``.
"""

from __future__ import annotations

from collections.abc import Mapping

from kcheck.formats.terraform.entries import fact, mapped, put_all, put_text
from kcheck.formats.topics.lists import CONFIGS, FACTS, VARIABLES
from kcheck.model import EVENT_HUBS, MSK, Document, Position, Resource
from kcheck.syntax.hcl_values import Entry, Scalar, Value, member

#: What modules call event hubs, and the object in which some have them.
_HUBS, _WITHIN = ("eventhubs", "event_hubs"), ("namespace", "eventhub_namespace")
_RETENTION = "message_retention"
#: The input of terraform-aws-modules/msk-kafka-cluster/aws with the properties of Connect's workers.
_WORKERS = "connect_worker_config_properties_file_content"


class Inputs:
    """Reads the variables that something is given; ``label`` is where that stands, None where each
    topic is said to be where its name is."""

    def __init__(self, document: Document, folder: str, label: Position | None = None) -> None:
        self.document = document
        self.folder = folder
        self.label = label

    def topics(self, given: Mapping[str, Entry]) -> None:
        """Add the topics of all variables that are named for topics."""
        for name in VARIABLES:
            if name in given:
                self._of(given[name].value, "")

    def all(self, given: Mapping[str, Entry], label: str) -> None:
        """The same with what modules alone are given: event hubs, and workers of Connect."""
        self.topics(given)
        held = [given, *(_by_key(given[name].value) for name in _WITHIN if name in given)]
        for entries in held:
            for name in _HUBS:
                if name in entries:
                    self._of(entries[name].value, EVENT_HUBS)
        if _WORKERS in given:
            at = self.label or given[_WORKERS].at
            worker = Resource("worker", label, self.document.path, at)
            worker.traits.service, worker.traits.partial = MSK, True
            worker.traits.namespace = self.folder
            put_text(worker, given[_WORKERS])
            self.document.resources.append(worker)

    def _of(self, held: Value, service: str) -> None:
        if isinstance(held, list):
            for topic in held:
                self._topic(topic.key, topic.key_at, topic.path, topic.value, service)
        elif isinstance(held, tuple):
            for one in held:
                told = member(one, "name")
                if isinstance(told, Scalar):
                    self._topic(told.text, told.at, told.path, one, service)

    def _topic(self, name: str, at: Position, path: str, value: Value, service: str) -> None:
        if not isinstance(value, list) or not {e.key for e in value} & {*FACTS, *CONFIGS}:
            return
        spot = at if path == self.document.path or self.label is None else self.label
        topic = Resource("topic", name, self.document.path, spot)
        topic.traits.service = service
        if self.label is not None:
            topic.traits.namespace = self.folder
        self.document.resources.append(topic)
        for entry in value:
            told = entry.value
            if entry.key == "name" and isinstance(told, Scalar):
                topic.name = told.text
                topic.at = told.at if told.path == topic.path else topic.at
            elif entry.key in FACTS:
                fact(topic, FACTS[entry.key], entry)
            elif entry.key == _RETENTION and service == EVENT_HUBS:
                fact(topic, _RETENTION, entry)
            elif entry.key in CONFIGS:
                put_all(topic, mapped(entry))


def _by_key(value: Value) -> dict[str, Entry]:
    return {entry.key: entry for entry in value} if isinstance(value, list) else {}

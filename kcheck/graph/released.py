"""What a version that another file tells makes of a resource."""

from __future__ import annotations

from kcheck import operators
from kcheck.model import KAFKA, PLUGINS, Note, Release, Resource, Setting
from kcheck.version import Version

#: What the operator calls the resource that holds the brokers' settings.
_BROKERS = "Kafka"
#: By the kind, the fact that is Kafka's version.
_FACTS = {"broker": "kafka_version", "controller": "kafka_version", "worker": "client.version"}


def told(resource: Resource, releases: list[Release]) -> Resource:
    """The resource, a copy that is changed here, with what its versions tell of it."""
    for release in releases:
        version = release.told.text or ""
        if release.product in PLUGINS:
            resource.facts.setdefault(release.told.key, release.told)
            continue
        fact = _FACTS.get(resource.kind, "")
        if release.product != KAFKA:
            _supported(resource, release, resource.facts.get(fact))
            _operated(resource, version)
            version = operators.kafka_of(version)
        known = resource.facts.get(fact)
        # The values of a chart fill in what its templates leave open.
        missing = known is None or (known.text is None and release.product == KAFKA)
        if version and fact and missing and not resource.traits.pool:
            one = release.told
            resource.facts[fact] = Setting(fact, version, one.path, one.at, one.key_at)
    return resource


def _supported(resource: Resource, release: Release, kafka: Setting | None) -> None:
    """Note a version of Kafka that the operator does not run."""
    operator, known = release.told, operators.kafkas_of(release.told.text or "")
    written = kafka is not None and kafka.path == resource.path
    if kafka is None or not kafka.text or not known or kafka.text in known or not written:
        return
    if not Version(kafka.text).known:
        return
    resource.notes.append(
        Note(
            "KC0273",
            Setting("version", kafka.text, kafka.path, kafka.at, kafka.key_at, name="version"),
            f"version={kafka.text} is not a Kafka that Strimzi {operator.text} runs",
            "the operator does not reconcile the resource (unsupported Kafka version)",
            f"use one of {', '.join(known)}",
            others=(operator,),
        )
    )


def _operated(resource: Resource, version: str) -> None:
    """Let the settings be those that an operator of that version passes on."""
    for note in [*resource.notes]:
        one = note.setting
        if note.held and operators.dropped(note.held, one.key, version) is None:
            resource.notes.remove(note)
            resource.settings.setdefault(one.key, one)
    if resource.kind == "broker" and not resource.traits.pool:
        from kcheck.formats.strimzi.refusals import of_older_operator
        from kcheck.formats.strimzi.resource import kept_back

        of_older_operator(resource, version)

        for one in [*resource.settings.values()]:
            # What a newer version passes on by way of exception.
            if kept_back(resource, _BROKERS, one, version):
                del resource.settings[one.key]

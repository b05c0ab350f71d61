"""Which of Connect's tables know the keys of a connector: a source's, a sink's, MirrorMaker's."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from kcheck.formats import flows
from kcheck.formats.text import templated
from kcheck.model import WARNING, Framed, Note, Resource, Setting

_MIRRORS = {
    "MirrorSourceConnector": "mirror-source",
    "MirrorCheckpointConnector": "mirror-checkpoint",
    "MirrorHeartbeatConnector": "mirror-heartbeat",
}


def connector_plane(settings: Mapping[str, str | None]) -> str:
    """The plane of a connector by its class, and by whether it reads topics."""
    name = (settings.get("connector.class") or "").rpartition(".")[2]
    if name in _MIRRORS:
        return _MIRRORS[name]
    if name.endswith(_SOURCES):  # some call the topics that they write so, too
        return "source-connector"
    sink = "topics" in settings or "topics.regex" in settings or name.endswith(_SINKS)
    return "sink-connector" if sink else "source-connector"


_SOURCES = ("Source", "SourceConnector")
_SINKS = ("Sink", "SinkConnector")


def finish(resource: Resource) -> None:
    """Tell from a connector's settings which tables know its keys, and which topics it reads."""
    resource.plane = connector_plane({key: s.text for key, s in resource.settings.items()})
    if resource.plane == "mirror-source":
        flows.of_connector(resource)
    topics = resource.settings.get("topics")
    if topics is not None and topics.text and resource.plane == "sink-connector":
        resource.traits.topics = tuple(name.strip() for name in topics.text.split(","))
    if resource.plane == "source-connector":
        from kcheck.formats.connect import source_topics

        written = source_topics.written(resource.settings)
        if written is not None:
            resource.traits.writes = tuple(written)


#: ``${file:/run/secrets/db:password}``, by the names that everybody gives to Kafka's providers; what
#: plug-ins fill in themselves looks alike and has other names.
_REFERENCE = re.compile(
    r"\$\{(file|dir|directory|env|secrets|configmaps):(?:[^-+?}][^}]*)?\}"
    # Of any other name, by the form that only a provider has: a path and a key.
    r"|\$\{([A-Za-z][\w-]*):[^-+?}:/][^}:]*/[^}:]*:[^}:]+\}"
)


def referred(resource: Resource, setting: Setting, text: str | None) -> None:
    """Remember the config providers that a value asks."""
    traits = resource.traits
    for found in _REFERENCE.finditer(text or ""):
        name = found[1] or found[2]
        if name not in (one for one, _, _ in traits.providers):
            traits.providers = (*traits.providers, (name, setting, found[0]))


_PROVIDERS = "config.providers"


#: Processes whose own file is all that they get: nothing adds config providers to it.
_PROCESSES = ("broker", "controller", "worker")


def lacking(resource: Resource) -> None:
    """Note the first reference to a config provider that the resource's own file does not define.

    A process that reads the file itself takes such a reference for the text of the value.
    """
    listed = resource.settings.get(_PROVIDERS)
    if listed is not None and listed.text is None:
        return
    names = [name.strip() for name in (listed.text or "").split(",")] if listed else []
    defined = {name for name in names if f"{_PROVIDERS}.{name}.class" in resource.settings}
    whole = resource.kind in _PROCESSES
    if whole:
        for key, setting in resource.settings.items():
            if isinstance(setting, Framed) and _literal(setting.frame, defined):
                text, at = setting.frame, (setting.at, setting.key_at)
                resource.settings[key] = Setting(key, text, setting.path, *at, setting.name)
    unless = "" if whole else f", unless the program sets {_PROVIDERS} itself"
    for name, setting, text in resource.traits.providers:
        if name not in defined:
            missing = (
                f"which has no {_PROVIDERS}.{name}.class"
                if name in names
                else f"which {_PROVIDERS} does not list"
            )
            resource.notes.append(
                Note(
                    "KC1435",
                    setting,
                    f"{resource.kind} {resource.name} references the config provider {name}, {missing}",
                    f"{setting.key} gets the literal text {text}{unless}",
                    f"set {_PROVIDERS}.{name}.class"
                    if name in names
                    else f"add {name} to {_PROVIDERS} and set {_PROVIDERS}.{name}.class",
                    WARNING,
                    (listed,) if listed else (),
                )
            )
            return


def _literal(frame: str, defined: Container[str]) -> bool:
    """Whether nothing fills in the frame: it asks providers alone, and none that is defined."""
    asked = [found[1] or found[2] for found in _REFERENCE.finditer(frame)]
    if not asked or any(name in defined for name in asked):
        return False
    return not templated(_REFERENCE.sub("", frame))

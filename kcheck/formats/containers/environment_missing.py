"""Variables without which an image exits, and that its environment has not."""

from __future__ import annotations

from kcheck import images
from kcheck.formats.containers.environment import Reading
from kcheck.formats.containers.environment_notes import REFUSED, listed
from kcheck.images import WORKER, Meaning
from kcheck.model import ERROR, WARNING, Note, Position, Resource, Setting

#: Why an image requires a variable, by a condition of the service.
_REASONS = {
    "sasl": "an advertised listener is named SASL_…",
    "ssl-name": "an advertised listener is named …SSL",
    "client-auth": "client certificates are required",
    "kraft": "in KRaft mode",
    "unset": "or KAFKA_CFG_ZOOKEEPER_CONNECT",
    "any": "any variable disables the image's own configuration",
    "unhosted": "or KAFKA_ADVERTISED_HOST_NAME",
    "plaintext": "no listener uses TLS or SASL",
    "zookeeper-tls": "TLS to ZooKeeper",
    "zookeeper-plain": "KAFKA_ZOOKEEPER_PROTOCOL is neither SASL nor SSL",
    "avro-key": "with Confluent's Avro converter",
    "avro-value": "with Confluent's Avro converter",
}


def insists(reading: Reading) -> bool:
    """Whether a broker's image exits without some variable, whatever else is set, and has it not."""
    return reading.family.role != WORKER and any(
        meaning.when in ("", "unset")
        and meaning.variable not in reading.variables
        and meaning.holds(reading.conditions)
        and _holds(reading, meaning)
        for meaning in reading.family.required
    )


def _holds(reading: Reading, meaning: Meaning) -> bool:
    """Whether a row holds for the image's version, or for all that its floating tag may be."""
    version, range_ = reading.version, meaning.versions
    if not version.known and range_.endswith("-") and "zookeeper" not in reading.conditions:
        version = reading.floor
    return images.within(version, range_) is True


def note(reading: Reading, at: Position) -> None:
    """Note what is missing; a variable that was meant for it is the same mistake, and no stray more."""
    family = reading.family
    missing = [
        meaning
        for meaning in family.required
        if _lacks(reading, meaning)
        and meaning.holds(reading.conditions)
        and _holds(reading, meaning)
        # another of its names may set it
        and family.key(meaning.variable) not in reading.resource.settings
    ]
    if not missing:
        return
    certain = [one for one in missing if images.within(reading.version, one.versions) is True]
    settings, asked, words = [], [], []
    for meaning in certain or missing:
        name = meaning.variable
        key = family.key(name) if all(m.when for m in family.meanings(name)) else None
        given = reading.variables.get(name)
        settings.append(
            Setting(key or name, None, reading.resource.path, at, name=name)
            if given is None
            else given.setting(name, given.known)
        )
        reasons = [_REASONS[word] for word in meaning.when.split() if word in _REASONS]
        asked.append(f"{name}={meaning.key}" if meaning.key else name)
        words.append(f"{asked[-1]} ({', '.join(reasons)})" if reasons else asked[-1])
    unread, fix = "", f"set {listed(asked)}"
    if reading.stray:
        from kcheck.formats.containers import environment_strays  # most services have none

        meant = environment_strays.meant(reading, [setting.name for setting in settings])
        if meant is not None:
            slips, unread, fix = meant
            unread = f"; it{unread}"
            reading.stray = [one for one in reading.stray if one not in slips]
            settings += [one.setting(one.name, one.raw) for one in slips]
    since = "" if certain else f" since Kafka {reading.floor}, which its latest tag has reached"
    reading.resource.notes.append(
        Note(
            REFUSED,
            settings[0],
            f"{family.name} requires {listed(words)}{since}{unread}",
            "the container exits before Kafka starts",
            fix,
            ERROR if certain else WARNING,
            tuple(settings[1:]),
        )
    )


def _lacks(reading: Reading, meaning: Meaning) -> bool:
    """Whether a variable is not set, or known to be set to something else than the row asks for."""
    variable = reading.variables.get(meaning.variable)
    if variable is None:
        return True
    text = (variable.known or "").strip("\"'").lower()
    return bool(meaning.key and text) and text not in _YES


#: What Bitnami's is_boolean_yes takes for yes.
_YES = ("yes", "true", "1")


def left_open(node: Resource) -> None:
    """What is missing may stand in a file that completes this one: say so, and doubt it."""
    for note in node.notes:
        if note.code == REFUSED and note.setting.text is None and note.severity == ERROR:
            note.severity = WARNING
            note.consequence += ", unless another compose file completes the service"

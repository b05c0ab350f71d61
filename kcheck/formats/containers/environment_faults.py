"""Faults in an image's environment, as notes for the rules.

The rules that report the notes are in ``rules/keys/``; this module has what depends on the image.
Nothing is noted that depends on a variable whose value is unknown.
"""

from __future__ import annotations

import re

from kcheck import catalogue, images
from kcheck.formats.containers import environment_meanings, environment_missing
from kcheck.formats.containers.environment import Reading
from kcheck.formats.containers.environment_missing import left_open as left_open
from kcheck.formats.containers.environment_notes import (
    FILES,
    LINES,
    NOT_READ,
    QUOTES,
    REFUSED,
    UNDERSCORES,
    add,
)
from kcheck.formats.containers.variables import Variable
from kcheck.formats.text import templated
from kcheck.images import WORKER
from kcheck.model import ERROR, INFO, WARNING, Position

_UNDERSCORES = re.compile("_+")
#: Keys of the node itself: a service without any of them is one piece of a larger configuration.
_IDENTITY = ("process.roles", "node.id", "broker.id", "zookeeper.connect")
_WORKER_IDENTITY = ("bootstrap.servers", "group.id")


def note(reading: Reading, at: Position, complete: bool) -> None:
    """Note on the resource what goes wrong between its environment and its configuration.

    ``complete`` says that the environment is all that the container gets, so that what is not
    in it is missing; ``at`` is where something missing belongs.
    """
    for variable, meaning in reading.effects:
        environment_meanings.note(reading, variable, meaning)
    for variable, lines in reading.split:
        _lines(reading, variable, lines)
    _quotes(reading)
    _patterns(reading)
    _files(reading)
    _jvm(reading)
    _users(reading)
    _names(reading)
    _trust(reading)
    _listeners(reading)
    identity = _WORKER_IDENTITY if reading.family.role == WORKER else _IDENTITY
    said = any(key in reading.resource.settings for key in identity)
    # Where one variable does away with the image's own configuration, nobody else says who it is.
    alone = bool(reading.resource.settings) and "any" in reading.conditions
    alone = alone and any(meaning.when == "any" for meaning in reading.family.required)
    if complete and (said or alone or environment_missing.insists(reading)):
        environment_missing.note(reading, at)
    if reading.stray:
        from kcheck.formats.containers.environment_strays import strays  # most services have none

        for stray in strays(reading):
            add(reading, NOT_READ, *stray)


def _jvm(reading: Reading) -> None:
    if not any("-XX:" in (one.raw or "") for one in reading.variables.values()):
        return
    from kcheck.formats.containers import environment_jvm  # few containers have such options

    for variable, message, consequence, fix in environment_jvm.faults(reading):
        add(reading, environment_jvm.CODE, variable, message, consequence, fix, ERROR)


def _lines(reading: Reading, variable: Variable, lines: int) -> None:
    rest = f"the other {lines} lines become separate keys"
    if lines == 1:
        rest = "the second line becomes a separate key"
    add(
        reading,
        LINES,
        variable,
        f"Kafka gets only the first line of {variable.name}: the image writes the value to a "
        f"properties file, where {rest}",
        "the other lines are lost",
        "write the value on one line (a folded block, > instead of |, joins its lines)",
    )


#: Options that kafka-run-class.sh puts on java's command line as they are, split at blanks.
_JVM = re.compile(r"KAFKA_(?:\w+_)?OPTS")
_QUOTED = re.compile(r"""\s*(["'])\s*-""")


def _quotes(reading: Reading) -> None:
    for variable in reading.variables.values():
        if not variable.name.endswith("_OPTS") or not _JVM.fullmatch(variable.name):
            continue
        found = _QUOTED.match(variable.known or variable.frame or "")
        if found is not None and not variable.made:
            add(
                reading,
                QUOTES,
                variable,
                f"the quotes ({found[1]}) of {variable.name} are part of its value",
                "java takes them for the name of a class and exits: Could not find or load main class",
                "remove the quotes inside the value",
                ERROR,
            )


def _patterns(reading: Reading) -> None:
    """Backslashes that are lost in the properties file which the image writes."""
    for variable in reading.variables.values():
        raw = variable.known
        key = reading.family.key(variable.name) if raw is not None and "\\" in raw else None
        setting = reading.resource.settings.get(key or "")
        if raw is not None and setting is not None and setting.name == variable.name:
            from kcheck.formats.properties import backslashes  # few values have any

            backslashes.note(reading.resource, setting, raw)


def _files(reading: Reading) -> None:
    """Keystore file names that the image reads only if a listener has the right name."""
    if reading.text("advertised.listeners") is None or reading.names_tls() is not False:
        return
    for variable, meaning in reading.effects:
        if meaning.effect != "secret" or not meaning.key.endswith(".location"):
            continue
        if any(key.endswith(meaning.key) for key in reading.resource.settings):
            continue  # set as a path, for all listeners or for the one with TLS
        location = reading.family.variable(meaning.key)
        add(
            reading,
            FILES,
            variable,
            f"{reading.family.name} reads {variable.name} only if an advertised listener is named "
            f"SSL or SASL_SSL, but none is",
            f"{meaning.key} stays unset",
            f"set {location} to the path of the file, and set the passwords accordingly",
            WARNING if _maps_tls(reading) else INFO,
        )


def _maps_tls(reading: Reading) -> bool:
    """Whether an advertised listener may use TLS: the map gives it that protocol, or is unknown."""
    mapped = reading.text("listener.security.protocol.map")
    names = {
        entry.partition("://")[0].strip()
        for entry in (reading.text("advertised.listeners") or "").split(",")
    }
    pairs = [entry.strip().partition(":") for entry in (mapped or "").split(",")]
    return not mapped or any(
        name.strip() in names and protocol.strip().upper().endswith("SSL")
        for name, _, protocol in pairs
    )


#: Lists of Bitnami's image that go by pairs (its libkafka.sh): it exits where they differ in length.
_USERS, _PASSWORDS = "KAFKA_CLIENT_USERS", "KAFKA_CLIENT_PASSWORDS"
_SEPARATORS = re.compile(r"[,; ]+")


def _users(reading: Reading) -> None:
    if reading.family.id != "bitnami" or images.within(reading.version, "3.0-") is not True:
        return
    users, passwords = (reading.variables.get(name) for name in (_USERS, _PASSWORDS))
    if users is None or passwords is None or users.known is None or passwords.known is None:
        return
    counts = [
        len([*filter(None, _SEPARATORS.split(one.known or ""))]) for one in (users, passwords)
    ]
    if counts[0] != counts[1]:
        add(
            reading,
            REFUSED,
            users,
            f"{reading.family.name} requires as many {_PASSWORDS} as {_USERS}, but has {counts[1]} "
            f"for {counts[0]}",
            "the container exits before Kafka starts",
            f"list one password in {_PASSWORDS} for each user",
            ERROR,
        )


#: What a shell takes for the name of a variable.
_NAME = re.compile(r"\w+", re.ASCII)


def _names(reading: Reading) -> None:
    """Names that no shell has: Bitnami's script goes by the variables of its shell (${!KAFKA_CFG_@})."""
    if reading.family.id != "bitnami":
        return
    for variable in reading.variables.values():
        key = reading.family.key(variable.name)
        if key is None or _NAME.fullmatch(variable.name) or templated(variable.name):
            continue
        reading.resource.settings.pop(key, None)
        mechanism = key.startswith("listener.name.") and ".scram-sha-" in key
        add(
            reading,
            NOT_READ,
            variable,
            f"{reading.family.name} does not read {variable.name}: a shell has no such name",
            f"{key} stays unset",
            f"set {_USERS} and {_PASSWORDS} instead"
            if mechanism
            else f"set {key} in a file of configuration that is mounted",
        )


def _trust(reading: Reading) -> None:
    """A truststore that brokers need for each other, but the image reads only for client auth."""
    settings, names = reading.resource.settings, reading.names_tls()
    between = settings.get("security.inter.broker.protocol")
    asked = settings.get("ssl.client.auth")
    if not names or between is None or "client-auth" in reading.conditions:
        return
    if between.text not in ("SSL", "SASL_SSL") or (asked is not None and asked.text is None):
        return
    for variable, meaning in reading.effects:
        if meaning.effect != "secret" or meaning.key != "ssl.truststore.location":
            continue
        if meaning.key in settings:
            continue
        add(
            reading,
            FILES,
            variable,
            f"{reading.family.name} reads {variable.name} only if KAFKA_SSL_CLIENT_AUTH is "
            "required or requested",
            f"{meaning.key} stays unset: brokers trust each other only if Java's default truststore "
            "does",
            f"set KAFKA_SSL_CLIENT_AUTH, or {reading.family.variable(meaning.key)} and its password",
        )


def _listeners(reading: Reading) -> None:
    """``listener.name.sasl-ext.…`` from three underscores, where the listener is SASL_EXT."""
    names = _listener_names(reading)
    if not names:
        return
    family = reading.family
    start = family.prefix + "LISTENER_NAME_"
    for variable in reading.variables.values():
        key = family.key(variable.name)
        if key is None or not variable.name.startswith(start):
            continue
        if any(key.startswith(f"listener.name.{name}.") for name in names):
            continue
        words = _UNDERSCORES.sub("_", variable.name[len(start) :])
        for name in sorted(names):
            flat = name.replace("-", "_") + "_"
            if words.lower().startswith(flat):
                rest = _listeners_key(words[len(flat) :].lower().replace("_", "."))
                wanted = f"listener.name.{name}.{rest}"
                reading.resource.settings.pop(key, None)
                _underscores(reading, variable, key, name, family.variable(wanted))
                break


def _listeners_key(rest: str) -> str:
    """The key behind a listener's name, where the name's last word was to be the key's first, too."""
    broker = catalogue.plane("broker")
    if rest in broker or rest.partition(".")[0] in ("ssl", "sasl", "plain", "gssapi", "scram"):
        return rest
    return next((f"{word}.{rest}" for word in ("ssl", "sasl") if f"{word}.{rest}" in broker), rest)


def _underscores(
    reading: Reading, variable: Variable, key: str, listener: str, instead: str | None
) -> None:
    image = reading.family.name
    fix = f"rename it to {instead}"
    if instead is None:
        fix = f"rename the listener: {image} turns every underscore into a dot"
    add(
        reading,
        UNDERSCORES,
        variable,
        f"{image} translates {variable.name} to {key}, but the listener is named {listener.upper()}",
        f"the setting applies to no listener: {listener.upper()} does not get it",
        fix,
    )


def _listener_names(reading: Reading) -> set[str]:
    """The listeners' names in lower case; none where any of them may be unknown."""
    found: set[str] = set()
    for key in ("listeners", "advertised.listeners"):
        setting = reading.resource.settings.get(key)
        if setting is None:
            continue
        if setting.text is None:
            return set()
        for entry in setting.text.split(","):
            name, separator, _ = entry.strip().partition("://")
            if separator:
                found.add(name.lower())
    return found

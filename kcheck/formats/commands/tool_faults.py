"""Commands of Kafka's own tools that the tool refuses, in shell files and commands of containers.

A command is read up to its end as a shell splits it. What a shell or a template fills in is unknown,
and nothing is said of it; nor of commands that are only printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import catalogue
from kcheck.formats.commands import arguments
from kcheck.formats.commands.tools import SHORT, Command, asks, entities, is_known
from kcheck.model import ERROR, WARNING, Problem, Resource, Setting
from kcheck.syntax.shell_values import Word
from kcheck.units import whole

CODE = "KC0190"

#: What only a shell or a template can fill in.
_FILLED = re.compile(r"[$`{}<>]")
#: A comma, or an equals sign, outside brackets: where ConfigCommand splits (parseConfigsToBeAdded).
_OUTSIDE = r"(?=[^\]]*(?:\[|$))"
_COMMA, _EQUALS = re.compile("," + _OUTSIDE), re.compile(r"\s*=\s*" + _OUTSIDE)
_NAME = re.compile(r"[A-Za-z][\w.-]*")
#: What kafka-configs accepts as --entity-type.
_TYPES = (
    *("topics", "clients", "users", "brokers", "broker-loggers", "ips", "client-metrics"),
    "groups",
)
#: Quotas by the kind of entity (QuotaConfig).
_QUOTAS = (
    *("producer_byte_rate", "consumer_byte_rate", "request_percentage"),
    "controller_mutation_rate",
)
_SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")
_LIMITS = {
    "users": (*_QUOTAS, *_SCRAM),
    "clients": _QUOTAS,
    "ips": ("connection_creation_rate",),
}
#: What a listener may have of the defaults of all brokers.
_SHARED = ("max.connection.creation.rate", "num.network.threads")
#: By the kind of entity: the fact of a quota that names it.
_FACTS = {"users": "user", "clients": "client_id", "ips": "ip"}


def faults(commands: list[Command], path: str, place: Placed) -> Iterator[Problem]:
    """What the tools refuse of the commands."""
    for command in commands:
        for key, told, value, message, fix, severity, consequence in _judged(command):
            at = place(told.start, told.end)
            setting = Setting(key, value, path, at, name=key)
            yield Problem(
                f"{command.tool} {message}",
                at,
                CODE,
                severity,
                consequence,
                fix,
                setting=setting,
            )


def quotas(commands: list[Command], path: str, place: Placed) -> Iterator[Resource]:
    """The quotas that commands of kafka-configs set, as far as their values are written."""
    for command in commands:
        added = command.value("--add-config")
        if command.tool != "kafka-configs" or not command.has("--alter") or added is None:
            continue
        limited = [told for told in entities(command) if told[0] in _FACTS]
        limits = dict(_rates(added, path, place))
        if not limited or not limits:
            continue
        made = Resource("quota", "", path, place(command.at.start, command.at.end))
        made.traits.asks = asks(command, path, place)
        for kind, name in limited:
            at = place(name.start, name.end) if name is not None else made.at
            known = name is not None and is_known(name)
            told = name.text if name is not None and known else None
            made.facts[_FACTS[kind]] = Setting(_FACTS[kind], told, path, at)
        made.name = ",".join(f"{key}={one.text or '?'}" for key, one in made.facts.items())
        made.settings.update(limits)
        yield made


def _rates(added: Word, path: str, place: Placed) -> Iterator[tuple[str, Setting]]:
    for piece in added.split(","):
        name, equals, value = piece.text.partition("=")
        amount = value.strip()
        if equals and name.strip() in (*_QUOTAS, *_LIMITS["ips"]) and whole(amount) is not None:
            told = piece.part(len(name) + 1)
            key = piece.part(0, len(name))
            at = place(told.start, told.end)
            yield name.strip(), Setting(name.strip(), amount, path, at, place(key.start, key.end))


def _judged(command: Command) -> Iterator[_Told]:
    yield from arguments.faults(command)
    if command.tool == "kafka-configs" and command.has("--alter"):
        yield from _configs(command)
    elif command.tool == "kafka-acls" and command.has("--add"):
        yield from _acls(command)


_EXITS = arguments.EXITS


def _configs(command: Command) -> Iterator[_Told]:
    kinds = {SHORT[name.text] for name, _ in command.options() if name.text in SHORT}
    for name, told in command.options():
        if name.text != "--entity-type" or told is None or not is_known(told):
            continue
        kinds.add(told.text)
        if told.text not in _TYPES:
            near = f"{told.text}s"
            yield (
                "entity-type",
                told,
                told.text,
                f"has no --entity-type {told.text}",
                f"write {near}" if near in _TYPES else f"use one of {', '.join(_TYPES)}",
                ERROR,
                _EXITS,
            )
    added = command.value("--add-config")
    for key, word, text, count in _pairs(added) if added is not None else ():
        if count == 1 and key:
            yield (
                key,
                word,
                None,
                f"splits --add-config at commas outside brackets: {text} is no key=value",
                f"write {key}=[…] around the values of a list",
                ERROR,
                _EXITS,
            )
        elif count > 2:
            yield (
                key,
                word,
                None,
                f"splits --add-config at equals signs outside brackets: the value of {key} has one",
                f"write {key}=[…] around the value",
                ERROR,
                _EXITS,
            )
        elif count == 2:
            yield from _named(
                key, word, kinds, command.has("--entity-default", "--broker-defaults")
            )


def _pairs(added: Word) -> Iterator[tuple[str, Word, str, int]]:
    """Key, place, text and number of parts of each entry; for an entry without a key, the one before."""
    start, key = 0, ""
    # What is unknown separates nothing.
    told = "".join(one.text if one.known else "$" * len(one.text) for one in added.pieces)
    for piece in _COMMA.split(told):
        begin, start = start, start + len(piece) + 1
        text = piece.strip()
        offset = begin + len(piece) - len(piece.lstrip())
        name, equals, _ = text.partition("=")
        name = name.strip()
        if not text:
            continue
        if _FILLED.search(name) or not _NAME.fullmatch(name) or (equals and not name):
            key = ""
            continue
        parts = 2 if "{" in text or "`" in text else len(_EQUALS.split(text))
        width = len(name) if equals else len(text)
        word = added.part(offset, offset + width)
        if equals:
            key = name
        yield key, word, text, parts


def _named(key: str, word: Word, kinds: set[str], shared: bool) -> Iterator[_Told]:
    limits = [_LIMITS[kind] for kind in kinds if kind in _LIMITS]
    if limits and len(limits) == len(kinds):
        allowed = sorted({name for names in limits for name in names})
        if key not in allowed:
            meant = key.replace(".", "_").replace("-", "_").lower()
            yield (
                key,
                word,
                None,
                f"accepts no {key} for {' and '.join(sorted(kinds))}",
                f"write {meant}" if meant in allowed else f"use one of {', '.join(allowed)}",
                ERROR,
                _EXITS,
            )
    elif kinds == {"topics"} and "." in key and not key.startswith("confluent."):
        if key not in catalogue.plane("topic"):
            yield (
                key,
                word,
                None,
                f"sets {key} on a topic, which has no such key",
                "write the topic's own key"
                if key in catalogue.plane("broker")
                else f"remove {key}",
                ERROR,
                "Kafka rejects the request (unknown topic config name): nothing is applied",
            )
    elif kinds == {"brokers"} and shared and _is_of_one_broker(key):
        yield (
            key,
            word,
            None,
            f"sets {key} for all brokers, which each broker has of its own",
            "set it for each broker: --entity-name ID instead of --entity-default",
            ERROR,
            "Kafka rejects the request (cannot update at default cluster level): nothing is applied",
        )
    elif kinds == {"brokers"} and _modes(key) == {"read-only"}:
        yield (
            key,
            word,
            None,
            f"sets {key}, which brokers read from their file only",
            f"set {key} in the brokers' files and restart them one by one",
            ERROR,
            "Kafka rejects the request (cannot update dynamically): nothing is applied",
        )


def _is_of_one_broker(key: str) -> bool:
    """Whether brokers refuse a key as a default of all (DynamicBrokerConfig, PerBrokerConfigs)."""
    if key.startswith("listener.name."):
        own = key.removeprefix("listener.name.").partition(".")[2]
        return bool(own) and own not in _SHARED and not own.startswith("max.connections")
    return _modes(key) == {"per-broker"}


def _modes(key: str) -> set[str]:
    """How brokers let the key be changed, over all versions."""
    plane = catalogue.plane("broker")
    return {fact.mode for fact in plane.history(key)} if key in plane else set()


def _acls(command: Command) -> Iterator[_Told]:
    for name, told in command.options():
        if told is None or not told.text or not is_known(told):
            continue
        if name.text in ("--allow-principal", "--deny-principal") and ":" not in told.text:
            yield (
                name.text[2:],
                told,
                told.text,
                f"requires a principal with a type, but {name.text} is {told.text}",
                f"write User:{told.text}",
                ERROR,
                _EXITS,
            )
        elif name.text == "--resource-pattern-type" and told.text.lower() in ("any", "match"):
            yield (
                "resource-pattern-type",
                told,
                told.text,
                f"adds no ACL of pattern type {told.text}, which filters alone have",
                "use literal or prefixed",
                ERROR,
                _EXITS,
            )
        elif name.text == "--topic" and "*" in told.text and told.text != "*":
            yield (
                "topic",
                told,
                told.text,
                f"adds an ACL for topic {told.text}, where the * is no wildcard",
                f"write --topic {told.text.partition('*')[0]} --resource-pattern-type prefixed",
                WARNING,
                "no topic has a * in its name: the ACL never applies, and the requests are denied",
            )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed

    #: Key, place, value, and message, fix, severity and consequence.
    _Told = tuple[str, Word, str | None, str, str, str, str]

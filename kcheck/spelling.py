"""Fixes in the words of the file at hand: variables of images, the options of Logstash, KafkaJS and
agents, Spring's properties.

Rules advise in Kafka's keys. Where the format of a resource has names of its own
(``Traits.language``), or a container's variables set its keys, a fix is put into those; what the
format cannot say is left out, and where nothing is left, the fix says so.
"""

from __future__ import annotations

import re

from kcheck import catalogue, data, images
from kcheck.model import Derived, Finding, Resource, Setting

#: (called, how an assignment is written) of formats whose options are a closed list.
_CLOSED = {
    "logstash-input": ("the kafka input of Logstash", " => "),
    "logstash-output": ("the kafka output of Logstash", " => "),
    "kafkajs": ("KafkaJS", ": "),
}
_ALTERNATIVES = re.compile(r",? or (?=[a-z]+ )")
_KEY = re.compile(r"(?<![\w.-])([a-z][a-z0-9]*(?:\.[a-z0-9]+)*)(?:=([^\s,;()]+))?(?![\w-]|\.\w)")

#: What stands before a key of one word, rather than before the word.
_VERBS = frozenset({"set", "to", "from", "remove", "raise", "lower"})

_options: dict[str, dict[str, tuple[str, dict[str, str]]]] = {}
#: What stands before the language of an agent's plugin, as in ``agent fluent-bit output``.
_AGENT = "agent "


def _speaks(resource: Resource, text: str) -> bool:
    """Whether a key of a text has a name of its own where the resource is configured."""
    if resource.traits.language or resource.traits.image_family:
        return True
    there = (resource.settings.get(found[1]) for found in _KEY.finditer(text))
    return any(one is not None and one.name != one.key for one in there)


def speak(finding: Finding) -> None:
    """Put the fix of a finding into the words of the resources that it is about."""
    resources = {
        id(one): one for one in (finding.resource, *(v.resource for v in finding.evidence))
    }
    for resource in resources.values():
        if finding.fix is None or not _speaks(resource, finding.fix.text):
            continue
        # A process has no keys of its own: what it is told are those of its node.
        foreign = [o for o in resources.values() if o is not resource and o.kind != "process"]
        text = _spelt(finding.fix.text, resource, foreign)
        if not text:
            text = _nothing(resource, [v.setting for v in finding.evidence if v.setting])
            finding.fix.edits, finding.fix.safe = (), False
        finding.fix.text = text


def _spelt(text: str, resource: Resource, foreign: list[Resource]) -> str:
    """The text with the resource's own names; empty where its format can say none of it."""
    if resource.traits.language not in _CLOSED:
        return _alternative(text, resource, foreign) or ""
    said: list[str] = []
    for alternative in _ALTERNATIVES.split(text):
        found = _alternative(alternative, resource, foreign)
        if found is not None:
            said.append(found)
    return ", or ".join(said)


def _alternative(text: str, resource: Resource, foreign: list[Resource]) -> str | None:
    """One way to mend it; None where the format has no option for a key in it."""
    unsaid = False

    def named(found: re.Match[str]) -> str:
        nonlocal unsaid
        key, value = found[1], found[2]
        if not _is_its(found, resource) or _of_another(key, foreign):
            return found[0]
        spelt = _name(key, value, resource)
        unsaid = unsaid or spelt is None
        return spelt or ""

    written = _KEY.sub(named, text)
    return None if unsaid else written


def _is_its(found: re.Match[str], resource: Resource) -> bool:
    """Whether a word of a fix is a key of the resource.

    Images pass keys on that are no part of Kafka; port, listeners … are ordinary words as well.
    """
    key, value = found[1], found[2]
    known = key in catalogue.plane(resource.plane)
    if resource.traits.language.startswith(_AGENT):
        return known or key in resource.settings or value is not None
    if resource.traits.language:
        return known
    if "." in key:
        return known or value is not None or key in resource.settings
    verb = found.string[: found.start()].rstrip().rpartition(" ")[2]
    return known and (value is not None or (verb in _VERBS and key in resource.settings))


def _of_another(key: str, others: list[Resource]) -> bool:
    """Whether another resource of the finding may be meant: one with such a key, as a file spells it."""
    return any(key in catalogue.plane(other.plane) for other in others)


def _name(key: str, value: str | None, resource: Resource) -> str | None:
    """The key, with its value if there is one, as the resource's format writes it; None if it cannot."""
    language = resource.traits.language
    if language.startswith(_AGENT):
        return _option(key, value, resource)
    if language not in _CLOSED:
        name = _property(key, resource) if language else _variable(key, resource)
        return name if value is None else f"{name}={value}"
    option = _read(language).get(key)
    if option is None:
        return None
    name, values = option
    if value is None:
        return name
    return f"{name}{_CLOSED[language][1]}{values.get(value, value)}"


def _option(key: str, value: str | None, resource: Resource) -> str:
    """An option of an agent: as it is set, by its table, or behind the prefix of the client's raw keys.

    The key itself where the agent has none for it.
    """
    _, agent, role = resource.traits.language.split()
    there, named = resource.settings.get(key), key
    for program, side, option, meant, words, _ in data.rows("names/agents.tsv"):
        if (program, side) != (agent, role):
            continue
        if meant == "*" and named == key:
            named = option + key
        elif meant == key and there is None:
            named, value = option, _worded(value, words)
            break
    if there is not None:
        named = there.name
    return named if value is None else f"{named}={value}"


def _worded(value: str | None, words: str) -> str | None:
    """A value of Kafka's in the words of an option."""
    if value is None or words == "ms":
        return value and f"{value}ms"
    pairs = (pair.split("=") for pair in words.split() if "=" in pair)
    return next((word for word, right in pairs if right == value), value)


def _variables(resource: Resource) -> images.Family | None:
    """The family of its image, where variables of the container set keys by that family's rule."""
    family = images.families().get(resource.traits.image_family)
    if family is None or not any(family.key(one.name) == one.key for one in resource.stated):
        return None
    return family


def _variable(key: str, resource: Resource) -> str:
    """The variable that sets a key, as it is set; the key where the family's rule cannot write it."""
    there = resource.settings.get(key)
    if there is not None:
        return key if isinstance(there, Derived) else there.name
    family = _variables(resource)
    return (family and family.variable(key)) or key


def _property(key: str, resource: Resource) -> str:
    """A property of an application framework: as it is set, typed, or behind the resource's prefix."""
    there = resource.settings.get(key)
    prefix = resource.traits.language
    if there is not None and there.name != key:
        return there.name
    if prefix.startswith("spring.kafka."):
        from kcheck.formats.spring.names import properties  # for its files alone

        group = prefix.removeprefix("spring.kafka.").removesuffix("properties.")
        for one in properties().values():
            if (
                one.bound
                and one.key == key
                and one.name.startswith(group)
                and (group or "." not in one.name)
            ):
                return f"spring.kafka.{one.name}"
    return prefix + key


def _nothing(resource: Resource, settings: list[Setting]) -> str:
    """The fix where the format has no option for any way to mend it."""
    called = _CLOSED[resource.traits.language][0]
    own = [one for one in settings if resource.settings.get(one.key) is one]
    if own:
        return f"change {own[0].name}: {called} has no option for the other key"
    return f"{called} has no option for it"


def _read(language: str) -> dict[str, tuple[str, dict[str, str]]]:
    if not _options:
        for name, key, option, values in data.rows("keys/options.tsv"):
            pairs = dict(pair.split("=", 1) for pair in values.split("|") if pair)
            _options.setdefault(name, {})[key] = (option, pairs)
    return _options[language]

"""Environment variables of a container → a broker or a Connect worker, by the image's rules.

Where the variables stand is the business of compose and its like; ``kcheck.images`` holds what
each image does with them. What the image ignores, refuses or turns into something else than its
author meant is told by ``environment_faults``.
"""

from __future__ import annotations

import re

from kcheck import catalogue, images
from kcheck.images import Family, Meaning
from kcheck.model import Framed, Position, Resource, Setting
from kcheck.syntax.properties import PropertiesError, parse
from kcheck.version import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.containers.variables import Variable

ROLES = {"combined": "broker,controller", "broker": "broker", "controller": "controller"}

#: How the start scripts of Apache's and Confluent's images make listeners of what is advertised.
_ADVERTISED_HOST = re.compile(r"://[^:]*:")
_FRAMED_HOST = re.compile(r"://[^,]*?:(\d+)")
_DERIVE_LISTENERS = ("apache", "confluent", "confluent-server", "confluent-enterprise")
#: The start scripts take these for a TLS and a SASL listener, whatever the protocol map says.
_TLS_NAME = "SSL://"
_SASL_NAME = re.compile(r"SASL_.*://")
#: What makes Confluent Server 8 look for key stores whatever its listeners are called.
_TLS_CONTROLLER = re.compile(r"CONTROLLER:(?:SASL_)?SSL")
#: How Bitnami's image reaches ZooKeeper; any protocol with SSL in its name is TLS.
_ZOOKEEPER = "KAFKA_ZOOKEEPER_PROTOCOL"
_AVRO = "io.confluent.connect.avro.AvroConverter"


def as_property(raw: str) -> tuple[str | None, int]:
    """What a reader makes of a value that a script writes into a properties file, and of how many
    keys: a backslash goes on to the next line, any other line is a key of its own.
    """
    if "\\" not in raw and "\n" not in raw.rstrip("\n"):
        return raw, 1
    try:
        entries = parse("value=" + raw)
    except PropertiesError:
        return None, 1
    return entries[0].value, len(entries)


class Reading:
    """What an image makes of an environment.

    ``settings`` and ``facts`` of the resource are filled; ``effects`` are the variables that mean
    something else than a key to the image, ``stray`` those that it does not look at, and
    ``conditions`` what holds of the service in the words of ``schemas/images``.
    """

    def __init__(
        self,
        resource: Resource,
        family: Family,
        variables: dict[str, Variable],
        version: Version,
        floor: Version | None = None,
    ) -> None:
        self.resource = resource
        self.family = family
        self.variables = variables
        self.version = version
        #: The oldest Kafka that the image is where its tag floats; unknown where it does not.
        self.floor = floor or Version()
        self.effects: list[tuple[Variable, Meaning]] = []
        self.stray: list[Variable] = []
        #: Values of several lines: the variable and how many keys its other lines became.
        self.split: list[tuple[Variable, int]] = []
        for variable in variables.values():
            if variable.name == variable.name.strip():
                self._take(variable)
            else:  # no program asks for a name with a blank
                self.stray.append(variable)
        self.conditions = self._conditions()
        if not family.guessed:
            taken = {setting.name for setting in resource.settings.values()}
            resource.traits.weighed = tuple(
                variable.setting(variable.name, variable.raw)
                for variable in variables.values()
                if variable.name not in taken and self._meant(variable.name)
            )

    # -- variables --------------------------------------------------------------------------

    def _take(self, variable: Variable) -> None:
        meanings = [
            meaning
            for meaning in self.family.meanings(variable.name)
            if images.within(self.version, meaning.versions) is not False
            and (not meaning.when.startswith("=") or meaning.when[1:] == variable.known)
        ]
        for meaning in meanings:
            self.effects.append((variable, meaning))
            if meaning.effect in ("key", "legacy"):
                self._set(meaning.key, variable)
            elif meaning.effect == "varies":
                self.resource.settings[meaning.key] = variable.setting(meaning.key, None)
            elif meaning.effect == "role":
                self._set(meaning.key, variable, ROLES.get(variable.known or "", ROLES["combined"]))
            elif meaning.effect == "fact":
                self.resource.facts[meaning.key] = variable.setting(meaning.key, variable.known)
        if all(meaning.when == "controller" for meaning in meanings):
            key = self.family.key(variable.name)
            if self.family.guessed and not _is_kafkas(key):
                return  # may be the image's own
            if key is None or foreign_prefix(self.family, variable.name):
                self.stray.append(variable)
            elif not any(m.effect in ("legacy", "varies") for _, m in self.effects_on(key)):
                self._set(key, variable)

    def effects_on(self, key: str) -> list[tuple[Variable, Meaning]]:
        return [(variable, meaning) for variable, meaning in self.effects if meaning.key == key]

    def _set(self, key: str, variable: Variable, text: str | None = None) -> None:
        raw = text if text is not None and variable.known is not None else self._text(variable)
        made = variable.setting(key, raw)
        if isinstance(made, Framed):
            made.frame = as_property(made.frame)[0] or made.frame
        self.resource.settings[key] = made

    def _text(self, variable: Variable) -> str | None:
        """The value as Kafka reads it from the properties file that the image writes."""
        raw = variable.known
        if raw is None or (not self.family.writes_empty and not raw.strip()):
            return None
        text, lines = as_property(raw)
        if lines > 1:
            self.split.append((variable, lines - 1))
        return text

    def _meant(self, name: str) -> bool:
        """Whether the image has a use of its own for a variable, or it is named like those of keys."""
        return self.family.key(name) is not None or bool(self.family.meanings(name))

    # -- what holds of the service ----------------------------------------------------------

    def text(self, key: str) -> str | None:
        """The known text that the environment gives to a key."""
        setting = self.resource.settings.get(key)
        return setting.text if setting is not None else None

    def _conditions(self) -> set[str]:
        settings = self.resource.settings
        found = self._roles()
        found.add("any" if any(map(self._written, self.variables)) else "default")
        if _SASL_NAME.search(self.text("advertised.listeners") or ""):
            found.add("sasl")
        if self.names_tls():
            found.add("ssl-name")
        if (self.text("ssl.client.auth") or "") in ("required", "requested"):
            found.add("client-auth")
        for part in ("key", "value"):
            if self.text(part + ".converter") == _AVRO:
                found.add("avro-" + part)
        if "HOST" not in self.variables:
            found.add("no-host")
        reached = self.variables.get(_ZOOKEEPER)
        if reached is not None and "SSL" in (reached.known or ""):
            found.add("zookeeper-tls")
        if "KAFKA_ADVERTISED_HOST_NAME" not in self.variables and (
            "advertised.listeners" in settings or "HOSTNAME_COMMAND" not in self.variables
        ):
            found.add("unhosted")
        return found | self._protocols() | self._options()

    def _options(self) -> set[str]:
        """Whether options of the JVM are several, and would be none as one word."""
        options = self.variables.get("KAFKA_OPTS")
        words = (options.known or "").split() if options is not None else []
        return {"option-words"} if len(words) > 1 and words[0].startswith("-X") else set()

    def _roles(self) -> set[str]:
        roles = self.resource.settings.get("process.roles")
        found = {self._mode(roles is not None)}
        if roles is None:
            found |= {"no-roles", "broker"}
        elif roles.text == "controller":
            found.add("controller")
        elif roles.text is not None:
            found.add("broker")
        return found

    def _protocols(self) -> set[str]:
        """What the listeners have, or may have."""
        settings = self.resource.settings
        protocols = [settings.get(k) for k in ("listeners", "listener.security.protocol.map")]
        found = {
            condition
            for word, condition in (("SSL", "tls"), ("SASL", "sasl-listener"))
            if any(p is not None and (p.text is None or word in p.text) for p in protocols)
        }
        return found or {"plaintext"}

    def _written(self, name: str) -> bool:
        """Whether the image writes the variable into its configuration, as whatever key."""
        meanings = self.family.meanings(name)
        return self.family.key(name) is not None and not any(m.effect == "own" for m in meanings)

    def names_tls(self) -> bool | None:
        """Whether the image looks for key stores, by what listeners are called; None: unknown."""
        settings = self.resource.settings
        advertised = settings.get("advertised.listeners")
        if advertised is not None:
            if advertised.text is None:
                return None
            if _TLS_NAME in advertised.text:
                return True
        protocols = settings.get("listener.security.protocol.map")
        if self.family.id != "confluent-server" or protocols is None or self.version.below("4.0"):
            return False
        if protocols.text is None:
            return None
        return bool(_TLS_CONTROLLER.search(protocols.text)) and (self.version.known or None)

    def _mode(self, roles: bool) -> str:
        if self.family.id == "debezium":
            if "cluster.id" in self.resource.facts or self.version.at_least("4.0"):
                return "kraft"
            return "zookeeper" if self.version.known else "unset"
        if roles:
            return "kraft"
        return "zookeeper" if "zookeeper.connect" in self.resource.settings else "unset"

    # -- beneath the environment ------------------------------------------------------------

    def add_base(self, at: Position) -> None:
        """What the image sets unless the environment does, where it says which image it is."""
        resource = self.resource
        for key, text in self.family.base(self.conditions, self.version).items():
            place = (resource.path, at, None, self.family.name)
            made = Setting(key, text, *place)
            if text is not None and images.HOSTNAME in text:
                made = Framed(key, text, *place)
            resource.image[key] = made
        self._derive_listeners()
        self._derive_files()

    def _derive_listeners(self) -> None:
        advertised = self.resource.settings.get("advertised.listeners")
        if (
            self.family.id not in _DERIVE_LISTENERS
            or advertised is None
            or "listeners" in self.resource.settings
            or "broker" not in self.conditions
        ):
            return
        place = (advertised.path, advertised.at, advertised.key_at, advertised.name)
        made = Setting("listeners", None, *place)
        if advertised.text is not None:
            made = Setting(
                "listeners", _ADVERTISED_HOST.sub("://0.0.0.0:", advertised.text), *place
            )
        elif isinstance(advertised, Framed):
            # Its hosts may be placeholders with colons of their own.
            frame = _FRAMED_HOST.sub(r"://0.0.0.0:\1", advertised.frame)
            made = Framed("listeners", frame, *place)
        self.resource.image["listeners"] = made

    def _derive_files(self) -> None:
        """Key stores and passwords from the names of files, if a listener's name asks for them."""
        asked = self.names_tls()
        if asked is False:
            return
        for variable, meaning in self.effects:
            if meaning.effect != "secret" or not meaning.holds(self.conditions):
                continue
            text = variable.known
            if asked is None or text is None or not meaning.key.endswith(".location"):
                text = None
            else:
                text = meaning.note + text
            self.resource.image[meaning.key] = variable.setting(meaning.key, text)


def _is_kafkas(key: str | None) -> bool:
    return key is not None and (
        key in catalogue.plane("broker") or key.startswith("listener.name.")
    )


def foreign_prefix(family: Family, name: str) -> bool:
    """Whether a variable has the prefix of Bitnami's image where that is not the image."""
    return name.startswith("KAFKA_CFG_") and family.prefix == "KAFKA_"

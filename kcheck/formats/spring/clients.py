"""The clients of a Spring application in one profile: Boot's, those of bindings, and those of maps of its own."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter

from kcheck.formats import Lookup
from kcheck.formats.camel import clients as camel_clients
from kcheck.formats.camel.clients import is_component
from kcheck.formats.clients import own_maps
from kcheck.formats.clients.application import Application, Layer, Replaced, misnamed
from kcheck.formats.clients.map_signs import configures
from kcheck.formats.pairs import Pair, Texts, relaxed
from kcheck.formats.properties.kinds import client_kind
from kcheck.formats.spring.names import (
    GROUPS,
    Property,
    beside,
    meant,
    properties,
    slip,
    text_of,
)
from kcheck.formats.spring.sections import form, is_own, taken
from kcheck.model import INFO, START, Note, Resource, Setting

_ACK_MODE = "spring.kafka.listener.ack-mode"
#: From these Boot makes the login of all clients in the JVM; the second is the binder's.
_JAAS = ("spring.kafka.jaas.", "stream.kafka.binder.jaas.", "kafka.streams.binder.jaas.")
_DEFAULT_TOPIC = "spring.kafka.template.defaulttopic"
_TRANSACTIONS = ("producer.transactionidprefix", "template.transactionidprefix")

_OWN, _BUNDLES = ["spring", "kafka"], ("spring", "ssl", "bundle")
#: Without these Spring starts no listener: who has them under another name reads that name.
_MISSED = frozenset(("spring.kafka.consumer.group-id",))
#: Properties with an enumeration of Spring's own: see spring_words.
_WORDED = frozenset(
    ("spring.kafka.listener.ackmode", "spring.kafka.listener.type", "spring.kafka.jaas.controlflag")
)


class Reader:
    """Makes the clients of one application in one profile."""

    def __init__(
        self,
        application: Application,
        parts: list[list[Pair]],
        path: str,
        lookup: Lookup | None = None,
    ) -> None:
        self.application = application
        self.path = path
        self.lookup = lookup
        self._sources: list[str] | None = None
        self.parts = parts
        self.pairs = [pair for part in parts for pair in part]
        self.texts = Texts(self.pairs, form, attrgetter("form"))
        #: By group ("" for all clients): what typed properties set, and what ``properties`` does.
        self.typed: dict[str, Layer] = {}
        self.raw: dict[str, Layer] = {}
        self.firsts: dict[str, Pair] = {}
        self.notes: list[tuple[str, Note]] = []
        #: Durations of Spring's own.
        self.periods: dict[str, Setting] = {}
        self.replaced = Replaced()

    def read(self) -> None:
        self._sort()
        self._words()
        self._bootstrap()
        made: list[Resource] = []
        if any(pair.form.startswith("spring.cloud.stream.") for pair in self.pairs):
            from kcheck.formats.spring import stream as spring_stream

            made = spring_stream.clients(self)
        # What Boot would give to its own clients, the bindings have already got.
        bound = {resource.kind for resource in made}
        made += [self._client(g) for g in GROUPS if g in self.firsts and g not in bound]
        if not made and "" in self.firsts:
            made.append(self._client(""))
        made += self._own_tree()
        if any(is_component(p.words) for p in self.pairs):
            made += camel_clients.component(self.application, self.parts, self.texts, self.replaced)
        if configures(self.path) and any(map(is_own, self.pairs)):
            own = own_maps.clients(self.application, self.parts, self.texts, taken, self.replaced)
            if own and self.lookup is not None:
                from kcheck.formats.spring import own_sources  # few files have such names

                own_sources.leave_unread(own, self.path, self.lookup)
            made += own
        if any(one.text == "" for resource in made for one in resource.settings.values()):
            from kcheck.formats.spring import own_sources  # few files have empty values

            own_sources.fill_in(made, self.pairs)
        self._tell(made)
        # A binder with a name has its own in its environment.
        if any(mark in pair.form for pair in self.pairs for mark in _JAAS) or self._has_logins():
            for resource in made:
                resource.traits.jaas_file = True
        if made:
            made[0].earlier.extend(self.replaced.pairs)

    def _has_logins(self) -> bool:
        """Whether a JAAS file lies beside the file of an application that names none itself."""
        if self.lookup is None or not any("sasl" in pair.form for pair in self.pairs):
            return False
        options = import_module("kcheck.formats.containers.jvm_options")
        return bool(options.login_beside(self.path, self.lookup, "client"))

    def _tell(self, made: list[Resource]) -> None:
        """Give notes and durations to the clients that they are about."""
        for group, note in self.notes:
            kinds = (group, "client") if group else (*GROUPS, "client")
            teller = next((resource for resource in made if resource.kind in kinds), None)
            if teller is not None:
                teller.notes.append(note)
        if made and self.periods:
            reader = next((one for one in made if one.kind == "consumer"), made[0])
            reader.traits.periods = tuple(self.periods.values())

    def _words(self) -> None:
        """Report values that none of Spring's enumerations has."""
        told = [(name, pair) for pair in self.pairs if (name := pair.form) in _WORDED]
        if told:
            from kcheck.formats.spring import words as spring_words

            spring_words.tell(self.application.document, told, self.texts)
        if any(p.form.endswith("ssl.bundle") and p.words[:2] == _OWN for p in self.pairs):
            from kcheck.formats.clients import tls_names

            tls_names.tell(self.application.document, self.pairs, ("ssl", "bundle"), _BUNDLES)

    def within(self, pairs: list[Pair], alone: bool) -> Reader:
        """What is read of a part of the application with pairs of its own, over all others or
        ``alone``; it makes no clients."""
        parts = [pairs] if alone else [*self.parts, pairs]
        inner = Reader(self.application, parts, self.path, self.lookup)
        inner._sort()
        return inner

    def _sort(self) -> None:
        for part in self.parts:
            self.replaced.part()
            for pair in part:
                if len(pair.parts) > 2 and pair.words[:2] == ["spring", "kafka"]:
                    self._pair(pair, pair.parts[2:])

    def layers(self, group: str) -> list[tuple[Layer, bool]]:
        """What a client of that group gets, in Boot's order: its own goes over what all get."""
        shared = [(self.typed.get("", {}), True), (self.raw.get("", {}), True)]
        own = [(self.typed.get(group, {}), False), (self.raw.get(group, {}), False)]
        return [*shared, *own] if group else [*shared]

    def _pair(self, pair: Pair, parts: list[str]) -> None:
        first = relaxed(parts[0])
        group = first if first in GROUPS and len(parts) > 1 else ""
        rest = parts[1:] if group else parts
        if relaxed(rest[0]) == "properties" and len(rest) > 1:
            key = ".".join(rest[1:])
            setting = pair.setting(key, self.texts.filled(pair.text))
            self.replaced.put(self.raw.setdefault(group, {}), setting)
            self.firsts.setdefault(group, pair)
            return
        name = ".".join(map(relaxed, parts))
        known = properties().get(name)
        if known is None or not known.bound:
            self._unbound(pair, group, rest, known)
            return
        if f"spring.kafka.{name}" == _DEFAULT_TOPIC:
            self.firsts.setdefault("producer", pair)
        key = known.key or ("transactional.id" if name in _TRANSACTIONS else "")
        if not key:
            if known.kind == "duration" and (pair.text or "").strip().isdecimal():
                # Whoever writes the unit means it.
                text = text_of(known.kind, self.texts.filled(pair.text))
                made = pair.setting(f"spring.kafka.{known.name}", text)
                self.periods[made.key] = made
            return
        if name == _TRANSACTIONS[1]:
            group = "producer"
        text = text_of(known.kind, self.texts.filled(pair.text))
        self.replaced.put(self.typed.setdefault(group, {}), pair.setting(key, text))
        self.firsts.setdefault(group, pair)

    def _unbound(self, pair: Pair, group: str, rest: list[str], known: Property | None) -> None:
        """Note a name that reads like a setting of Kafka's and is none of Spring's."""
        prefix = f"spring.kafka.{group}." if group else "spring.kafka."
        right = key = ""
        if known is not None:
            right = f"spring.kafka.{known.now}" if known.now else ""
        else:
            key = meant(group, rest)
            form = ".".join(map(relaxed, [group, *rest] if group else rest))
            typed = slip(form) or beside(form)
            if not key and not typed:
                return
            typed = typed or next(
                (
                    p.name
                    for p in properties().values()
                    if p.bound and p.key == key and p.name.startswith(group)
                ),
                "",
            )
            right = f"spring.kafka.{typed}" if typed else f"{prefix}properties.{key}"
        if self._refers_to(pair):
            return
        self.firsts.setdefault(group, pair)
        message = f"Spring Boot does not bind {pair.name}"
        self.notes.append(
            (
                group,
                misnamed(
                    "KC0130",
                    pair,
                    message + (f"; did you mean {right}?" if right else ""),
                    "Spring silently ignores it and Kafka's default applies, unless the application "
                    "reads the property itself",
                    f"set {right} to a Serde instead"
                    if right.endswith(".serde") and "serde" not in pair.form
                    else f"rename it to {right}"
                    if right
                    else f"remove {pair.name}",
                    pair.text,
                    INFO if right in _MISSED else "",
                    key,
                ),
            )
        )

    def _refers_to(self, named: Pair) -> bool:
        """Whether the application takes the property for a text of its own, ``${name}``, or in a class."""
        mark = f"${{{named.name}"
        if any(mark in (pair.text or "") for pair in self.pairs):
            return True
        if self.lookup is None:
            return False
        from kcheck.formats.spring import own_sources  # few files have such a name

        if self._sources is None:
            self._sources = own_sources.sources(self.path, self.lookup)
        return own_sources.take(self._sources, named.name)

    def _bootstrap(self) -> None:
        """``properties.bootstrap.servers``, which Boot replaces from 3.1 on."""
        key = "bootstrap.servers"
        for group in ("", *GROUPS):
            setting = self.raw.get(group, {}).get(key)
            if setting is None:
                continue
            typed = self.typed.get(group, {}).get(key) or self.typed.get("", {}).get(key)
            holds = typed.text if typed is not None else "localhost:9092"
            if setting.text is not None and holds == setting.text:
                continue
            spot = Setting(
                setting.name,
                setting.raw,
                setting.path,
                setting.key_at,
                setting.key_at,
                setting.name,
            )
            wins = f"{typed.name}={typed.text}" if typed else "the default localhost:9092"
            right = f"spring.kafka.{group}.bootstrap-servers" if group else ""
            right = right or "spring.kafka.bootstrap-servers"
            note = Note(
                "KC0131",
                spot,
                f"{setting.name} sets the brokers, but Spring Boot 3.1 and newer read them only "
                f"from {right}",
                f"from Spring Boot 3.1 on, {wins} overrides it: the clients connect to the wrong "
                "brokers",
                f"set {right} instead",
            )
            self.notes.append((group, note))

    def _own_tree(self) -> list[Resource]:
        """``kafka.properties.``, from where many programs fill in their client's properties."""
        layer: Layer = {}
        first: Pair | None = None
        for part in self.parts:
            self.replaced.part()
            for pair in part:
                words = pair.parts
                if words[:2] == ["kafka", "properties"] and len(words) > 2:
                    first = first or pair
                    setting = pair.setting(".".join(words[2:]), self.texts.filled(pair.text))
                    self.replaced.put(layer, setting)
        if first is None or "bootstrap.servers" not in layer:
            return []
        kind = "streams" if "application.id" in layer else client_kind("", set(layer))
        return [self.application.client(kind, first.key_at, [(layer, False)])]

    def _client(self, group: str) -> Resource:
        first = self.firsts[group]
        layers = self.layers(group)
        if group == "streams" and "application.id" not in self.typed.get("streams", {}):
            own = next((p for p in self.pairs if p.form == "spring.application.name"), None)
            if own is not None:
                setting = own.setting("application.id", self.texts.filled(own.text))
                layers.insert(0, ({"application.id": setting}, True))
        at = first.key_at if first.path == self.path else START
        topics = None
        if group == "producer":
            # The program may name others; this one it writes wherever it names none.
            default = self.setting(_DEFAULT_TOPIC, "topic")
            topics = [default.text] if default is not None and default.text else None
        client = self.application.client(group or "client", at, layers, topics=topics)
        if "security.protocol" in client.settings and self.lookup is not None:
            from kcheck.formats.spring import own_sources  # few files have one

            own_sources.leave_open(client, self.path, self.lookup)
        client.traits.language = f"spring.kafka.{group and group + '.'}properties."
        if group == "consumer":
            told = self.setting("spring.kafka.listener.ackmode", _ACK_MODE)
            if told is not None:
                client.facts[_ACK_MODE] = told
            client.traits.concurrency = self.setting(
                "spring.kafka.listener.concurrency", "concurrency"
            )
        return client

    def setting(self, name: str, key: str) -> Setting | None:
        """What the last pair of that name says, the name in the form in which Spring compares it."""
        pair = next((p for p in reversed(self.pairs) if p.form == name), None)
        return pair.setting(key, self.texts.filled(pair.text)) if pair is not None else None

"""Programs that watch clusters, as clients of Kafka's: consoles, exporters, monitors.

Each has names of its own for Kafka's keys, or hands raw keys on behind a prefix; the table is
``schemas/names/observers.tsv``. TLS and logins are switched on by options of some of them, which
makes the protocol. Where their options stand (variables, arguments, files) is the business of
``observer_containers`` and ``observer_files``.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import data
from kcheck.formats import unknown_fields
from kcheck.formats.options import meant
from kcheck.formats.text import templated
from kcheck.model import Creation, Derived, Document, Position, Resource, Setting

KAFKA_UI, AKHQ, KAFDROP, CONSOLE = "kafka-ui", "akhq", "kafdrop", "console"
KMINION, EXPORTER, BURROW, KARAPACE = "kminion", "kafka-exporter", "burrow", "karapace"
#: It has two clients with properties of their own.
LAG_EXPORTER, LAG_EXPORTER_ADMIN = "kafka-lag-exporter", "kafka-lag-exporter-admin"

#: Those whose files have raw keys of the client below properties alone, and how they are called.
_CALLED = {KAFKA_UI: "kafka-ui", AKHQ: "AKHQ"}
#: Those of them that run on Kafka's own library; what the others are built on has no names of it.
_JAVA = frozenset((KAFKA_UI, AKHQ, KAFDROP, LAG_EXPORTER, LAG_EXPORTER_ADMIN))
#: Those that ask these brokers where nothing tells them others.
_BROKERS = {EXPORTER: "kafka:9092"}
_PLAIN = frozenset((CONSOLE, KMINION, EXPORTER, BURROW))
_ON, _OFF = ("true", "1", "on", "yes"), ("false", "0", "off", "no")
_TLS, _SASL = "tls", "sasl"
#: The copies of the topic that a program creates, what it is, and what has to be on for it.
_FACTOR, _CREATES = "factor", "creates"
_CREATED = {KARAPACE: "the topic of schemas", KMINION: "the end-to-end topic"}
_SERVERS = "bootstrap.servers"
#: The protocol of those that have an option for it, where it is not set.
_SPOKEN = {KARAPACE: "PLAINTEXT"}
_PROTOCOL, _MECHANISM = "security.protocol", "sasl.mechanism"


class Option:
    """One option of a program, under its name in the table; ``written`` as the file has it.

    ``text`` is None where it is no plain value, or something fills it in; ``literal`` is false where
    the file has it in another form.
    """

    __slots__ = ("at", "literal", "name", "name_at", "text", "written")

    def __init__(
        self, name: str, text: str | None, name_at: Position, at: Position, written: str = ""
    ) -> None:
        self.name = name
        self.text = None if text is not None and (templated(text) or "${" in text) else text
        self.name_at = name_at
        self.at = at
        self.written = written or name
        self.literal = True


class _Row:
    """What an option is: Kafka's key, and how its words differ from Kafka's."""

    __slots__ = ("key", "words")

    def __init__(self, key: str, words: str) -> None:
        self.key = key
        self.words = dict(pair.split("=", 1) for pair in words.split())

    def text(self, text: str | None) -> str | None:
        """The value as Kafka has it."""
        if text is None or not self.words:
            return text
        return self.words.get(text.lower(), text)


_tables: dict[str, dict[str, _Row]] = {}


def _table(program: str) -> dict[str, _Row]:
    if not _tables:
        for name, options, key, words, _ in data.rows("names/observers.tsv"):
            row = _Row(key, words)
            for option in options.split("|"):
                _tables.setdefault(name, {})[option] = row
    return _tables[program]


def variables(program: str) -> dict[str, str]:
    """The options of a program by the names of the variables that set them."""
    return {
        option.replace(".", "_").upper(): option
        for option, row in _table(program).items()
        if row.key != "*"
    }


def client(
    document: Document,
    program: str,
    name: str,
    options: Iterable[Option],
    at: Position,
    complete: bool = True,
) -> Resource | None:
    """Add the client that the options of a program make; None where they tell of no brokers.

    ``complete``: nothing else has a say in them.
    """
    made = Resource("client", name, document.path, at)
    made.traits.application = f"{document.path}#{name}:{at[0]}"
    made.traits.partial = not complete
    if program not in _JAVA:
        made.dialect = "unknown"
    switches: dict[str, Option] = {}
    for option in options:
        row, key = meant(_table(program), option.name)
        if row is None:
            _raw(document, program, name, option)
            continue
        if key in (_TLS, _SASL, _CREATES):
            switches[key] = option
            continue
        if key == _FACTOR:
            made.traits.creates = (_creation(document, program, option),)
            continue
        text = row.text(option.text)
        kind = Setting if text == option.text and option.literal else Derived  # in Kafka's words
        made.settings[key] = kind(
            key, text, document.path, option.at, option.name_at, option.written
        )
    if _SERVERS not in made.settings:
        told = _BROKERS.get(program)
        if told is None or not complete:
            return None
        made.settings[_SERVERS] = Derived(_SERVERS, told, document.path, at)
    if program in _PLAIN:
        _secure(made, switches, complete)
    elif program in _SPOKEN and complete:
        servers = made.settings[_SERVERS]
        spoken = Derived(_PROTOCOL, _SPOKEN[program], made.path, servers.at, servers.key_at)
        made.settings.setdefault(_PROTOCOL, spoken)
    _switch_creation(made, program, switches)
    document.resources.append(made)
    return made


def _switch_creation(made: Resource, program: str, switches: dict[str, Option]) -> None:
    """KMinion creates its topic only if its end-to-end probes are on."""
    if program == KMINION and not _switched(switches.get(_CREATES), True):
        made.traits.creates = ()


def _creation(document: Document, program: str, option: Option) -> Creation:
    """The topic that a program creates, with the copies that an option says."""
    name, places = option.written, (option.at, option.name_at)
    copies = Setting(name, option.text, document.path, *places, name)
    return Creation(_CREATED[program], copies.key, copies, 1)


def _raw(document: Document, program: str, name: str, option: Option) -> None:
    """Report a raw key of the client that lacks the prefix behind which the program hands it on."""
    if program in _CALLED and unknown_fields.is_raw_key(option.name):
        owner, right = f"{_CALLED[program]}'s cluster {name}", f"properties.{option.name}"
        unknown_fields.of_prefix(document, program, owner, option.written, right, option.name_at)


def _secure(made: Resource, switches: dict[str, Option], complete: bool) -> None:
    """Derive the protocol from the switches of TLS and of a login; unknown where one may be on."""
    tls, sasl = (_switched(switches.get(one), complete) for one in (_TLS, _SASL))
    text = None
    if tls is not None and sasl is not None:
        text = f"SASL_{'SSL' if tls else 'PLAINTEXT'}" if sasl else "SSL" if tls else "PLAINTEXT"
    told = switches.get(_SASL) or switches.get(_TLS)
    servers = made.settings[_SERVERS]
    place = (told.at, told.name_at) if told is not None else (servers.at, servers.key_at)
    name = told.written if told is not None else ""
    made.settings[_PROTOCOL] = Derived(_PROTOCOL, text, made.path, *place, name)
    if sasl is False:
        made.settings.pop(_MECHANISM, None)
    elif sasl and _MECHANISM not in made.settings:
        plain = "PLAIN" if complete else None
        made.settings[_MECHANISM] = Derived(_MECHANISM, plain, made.path, *place, name)


def _switched(option: Option | None, complete: bool) -> bool | None:
    if option is None:
        return False if complete else None
    text = (option.text or "").lower()
    return True if text in _ON else False if text in _OFF else None

"""The data that flows through kcheck: settings, values, resources, findings. No logic, no I/O.

Plain slotted classes instead of dataclasses: importing ``dataclasses`` costs more than linting
a small file does. All positions count from 1, columns in characters, ends exclusive.
"""

from __future__ import annotations

ERROR, WARNING, INFO = "error", "warning", "info"
#: Severities from the mildest to the gravest.
SEVERITY_RANK = {INFO: 0, WARNING: 1, ERROR: 2}

#: (line, column, end line, end column) inside one file.
Position = tuple[int, int, int, int]

START: Position = (1, 1, 1, 1)

# Where a value comes from (the contract's words).
SET, INHERITED, DEFAULT, ABSENT, FACT = "set", "inherited", "default", "absent", "fact"


#: What Java's ``trim`` takes away; other blanks, as the one that does not break, are letters to it.
_TRIMMED = "".join(map(chr, range(33)))


class Setting:
    """One key that some file sets, as found there.

    ``key`` is Kafka's own name, ``name`` what the file writes (``KAFKA_CFG_LOG_DIRS``), ``text``
    the value as Kafka reads it after trimming, or None where it cannot be known (a template, a
    secret from elsewhere). ``raw`` is the text before trimming.
    """

    __slots__ = ("at", "key", "key_at", "name", "path", "raw", "text")

    def __init__(
        self,
        key: str,
        raw: str | None,
        path: str,
        at: Position,
        key_at: Position | None = None,
        name: str | None = None,
    ) -> None:
        self.key = key
        self.raw = raw
        self.text = raw if raw is None else raw.strip(_TRIMMED)
        self.path = path
        self.at = at
        self.key_at = key_at or at
        self.name = name or key

    def __repr__(self) -> str:
        return f"Setting({self.key}={self.raw!r} {self.path}:{self.at[0]}:{self.at[1]})"


class Derived(Setting):
    """A setting that its file writes in another unit or form, or tells without being its source.

    No text in the place of what stands there would be right: no fix edits it.
    """

    __slots__ = ()


class Framed(Setting):
    """A setting whose text is unknown, for something else fills in a part of it.

    ``frame`` is what the file writes, placeholders and all.
    """

    __slots__ = ("frame",)

    def __init__(
        self,
        key: str,
        frame: str,
        path: str,
        at: Position,
        key_at: Position | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(key, None, path, at, key_at, name)
        self.frame = frame


# How far an address means the resource that answers there.
#: Within one compose project: service, container_name, hostname, network aliases.
NETWORK = "network"
#: A Kubernetes Service, or pod behind one: within the resource's namespace, or with that behind it.
SERVICE = "service"
#: A port that the machine itself publishes: ``localhost``, to whoever runs beside it.
MACHINE = "machine"
#: A name of DNS or an IP address: everywhere, as far as it is fully qualified.
ANYWHERE = "anywhere"
#: As ANYWHERE, with ``*`` for what nobody can know before the service has made it.
PATTERN = "pattern"


class Address:
    """A host and a port under which a resource answers.

    ``host`` is in lower case, for a SERVICE without its namespace (``prod-kafka-bootstrap``,
    ``kafka-0.kafka-headless``); ``port`` is None where any port leads there, or it is not known.
    ``listener`` is the name of the listener that answers, "" where it is not known. ``setting``
    is what told the address; None where it follows from the resource's name.
    """

    __slots__ = ("host", "listener", "port", "reach", "setting")

    def __init__(
        self,
        host: str,
        port: int | None,
        reach: str,
        listener: str = "",
        setting: Setting | None = None,
    ) -> None:
        self.host = host.lower()
        self.port = port
        self.reach = reach
        self.listener = listener
        self.setting = setting

    def __repr__(self) -> str:
        return f"Address({self.host}:{self.port} {self.reach} {self.listener})"


class Traits:
    """What a format knows of a resource beside its settings: each fact with a name and a type.

    The one place where facts between formats, graph and rules are declared. The default of each
    means that the file does not tell.
    """

    #: Where it answers, as far as its format knows more than advertised.listeners and listeners
    #: say, which the graph reads itself.
    addresses: tuple[Address, ...] = ()
    #: How many processes run it: replicas of its workload. What a declaration says goes over it.
    instances: Setting | None = None
    #: How many of it one process runs: threads of a listener, consumers of a channel.
    concurrency: Setting | None = None


class Resource:
    """One broker, topic, producer … that some file declares.

    ``settings`` holds Kafka keys, ``facts`` what is known beside them (``partitions``,
    ``replication.factor``, ``topics``, host facts …), each with its own position. ``earlier``
    lists settings that a later line of the same file replaced. ``plane`` names the catalogue's
    table for the keys; ``dialect`` is the client library where it is not Java's.
    """

    __slots__ = (
        "at",
        "cluster",
        "dialect",
        "dynamic",
        "earlier",
        "facts",
        "image",
        "kind",
        "managed",
        "name",
        "notes",
        "path",
        "plane",
        "settings",
        "traits",
        "values",
    )

    def __init__(
        self, kind: str, name: str, path: str, at: Position = START, plane: str = ""
    ) -> None:
        self.kind = kind
        self.name = name
        self.path = path
        self.at = at
        self.plane = plane or kind
        self.settings: dict[str, Setting] = {}
        #: Dynamic values that win over ``settings``: per broker, or on a cluster for all brokers.
        self.dynamic: dict[str, Setting] = {}
        #: What an image's own base file sets unless the environment does.
        self.image: dict[str, Setting] = {}
        self.facts: dict[str, Setting] = {}
        self.traits = Traits()
        #: Facts that are lists or numbers rather than text (``topics`` of a client …).
        self.values: dict[str, object] = {}
        self.earlier: list[tuple[Setting, Setting]] = []
        #: Findings of a kind that only the format can see: (code, setting, message parts).
        self.notes: list[Note] = []
        self.cluster: str | None = None
        self.dialect = "java"
        #: The operator or image that owns part of the keys: ``strimzi``, ``bitnami`` …
        self.managed: str | None = None

    def __repr__(self) -> str:
        return f"Resource({self.kind} {self.name} {self.path}:{self.at[0]})"


class Partition:
    """The state of one partition as a cluster told it: ids of brokers, as text.

    ``leader`` is None where there is none. ``elr`` are the eligible leader replicas, which may
    lead without loss though they are not in sync; ``adding`` the replicas that a reassignment is
    still making. ``at`` is where the leader stands.
    """

    __slots__ = ("adding", "at", "elr", "isr", "isr_at", "leader", "number", "replicas")

    def __init__(self, number: int, leader: str, at: Position) -> None:
        self.number = number
        self.leader = None if leader in ("none", "-1") else leader
        self.replicas: list[str] = []
        self.adding: list[str] = []
        self.isr: list[str] = []
        self.elr: list[str] = []
        self.at = self.isr_at = at


class Note:
    """Something that a format saw about a setting and that a rule tells: see rules/files.py.

    ``others`` are further settings that the message is about.
    """

    __slots__ = ("code", "consequence", "fix", "message", "others", "setting", "severity")

    def __init__(
        self,
        code: str,
        setting: Setting,
        message: str,
        consequence: str = "",
        fix: str = "",
        severity: str = "",
        others: tuple[Setting, ...] = (),
    ) -> None:
        self.code = code
        self.setting = setting
        self.others = others
        self.message = message
        self.consequence = consequence
        self.fix = fix
        self.severity = severity


class Problem:
    """Why a file, or a place in it, could not be read. ``code`` is the rule that tells it.

    Without a ``severity`` of its own it has the rule's.
    """

    __slots__ = ("at", "code", "consequence", "edits", "fix", "message", "severity")

    def __init__(
        self,
        message: str,
        at: Position = START,
        code: str = "KC0001",
        severity: str = "",
        consequence: str = "",
        fix: str = "",
        edits: tuple[Edit, ...] = (),
    ) -> None:
        self.message = message
        self.at = at
        self.code = code
        self.severity = severity
        self.consequence = consequence
        self.fix = fix
        #: Those that make the fix, which is a safe one then.
        self.edits = edits


class Comment:
    """A ``# kcheck:`` comment; ``text`` is what follows the colon.

    It speaks for the lines ``first`` to ``last``: its own and, where it has a line for itself,
    those up to the next line that is no comment. ``head`` is a line below that ``last`` merely
    introduces (``kafka:`` above the mapping of that name), or ``last``. A comment that heads a
    whole YAML document has ``until``, the document's last line. ``top`` tells that nothing but
    comments comes before it, ``mistake`` why it is none at all.
    """

    __slots__ = ("at", "first", "head", "last", "mistake", "text", "top", "until")

    def __init__(self, at: Position, text: str) -> None:
        self.at = at
        self.text = text
        self.first = self.last = self.head = at[0]
        self.until = 0
        self.top = False
        self.mistake = ""


READ, PASSED_OVER, SKIPPED, FAILED = "read", "passed-over", "skipped", "error"


class Document:
    """What kcheck made of one file: its format, its resources, what went wrong in it.

    ``comments`` are the ``# kcheck:`` ones; ``joins`` tell which cluster the file belongs
    to and how: ("name", NAME), ("whole", …), ("piece", …), ("mount", PATH of a file of its),
    ("covers", PATH of a file that is read as a part of this one) …
    """

    __slots__ = ("comments", "format", "joins", "path", "problems", "reason", "resources", "status")

    def __init__(self, path: str, format: str | None = None) -> None:
        self.path = path
        self.format = format
        self.resources: list[Resource] = []
        self.problems: list[Problem] = []
        self.joins: list[tuple[str, str]] = []
        self.comments: list[Comment] = []
        self.status = READ
        self.reason = ""


#: A document with problems: the scope of the rules that tell them.
Faulty = Document


NAN = float("nan")
#: bool is no number here, though Python says so.
_NUMBERS = (int, float)


class Value:
    """An effective value as a rule sees it: what Kafka would use, and why.

    ``value`` is typed by the catalogue (int, float, bool, list, str or None for null); it means
    something only where ``known`` is true. ``candidates`` are the possible values where a default
    differs between the Kafka versions in question.
    """

    __slots__ = (
        "candidates",
        "from_key",
        "kafka_version",
        "key",
        "known",
        "number",
        "origin",
        "resource",
        "setting",
        "text",
        "value",
    )

    def __init__(
        self,
        key: str,
        resource: Resource,
        origin: str,
        text: str | None = None,
        value: object = None,
        known: bool = False,
        setting: Setting | None = None,
        from_key: str | None = None,
        kafka_version: str | None = None,
        candidates: tuple[object, ...] = (),
    ) -> None:
        self.key = key
        self.resource = resource
        self.origin = origin
        self.text = text
        self.value = value
        self.known = known
        #: The value as a number; NaN, which no comparison satisfies, where it is not one.
        self.number: float = (
            value if known and type(value) in _NUMBERS else NAN  # type: ignore[assignment]
        )
        self.setting = setting
        self.from_key = from_key or key
        self.kafka_version = kafka_version
        self.candidates = candidates

    def but(self, value: object) -> Value:
        """The same with another typed value: scaled to another unit, or capped."""
        return Value(
            self.key,
            self.resource,
            self.origin,
            self.text,
            value,
            self.known,
            self.setting,
            self.from_key,
            self.kafka_version,
            self.candidates,
        )

    @property
    def explicit(self) -> bool:
        """Whether the resource itself sets the key: many of Kafka's checks turn on this bit."""
        return self.origin == SET

    @property
    def written(self) -> bool:
        """Whether some file sets the value, here or where it is inherited from."""
        return self.setting is not None

    def __repr__(self) -> str:
        return f"Value({self.key}={self.text!r} {self.origin})"


class Former(Value):
    """A value of an older state (``kcheck lint --since``): it stands in no file of today.

    ``revision`` says where it stood: ``main:topics.yaml:7``.
    """

    __slots__ = ("revision",)

    def __init__(
        self,
        key: str,
        resource: Resource,
        text: str | None,
        value: object,
        known: bool,
        revision: str,
    ) -> None:
        super().__init__(key, resource, FACT, text, value, known)
        self.revision = revision


class Edit:
    """Replace the text of one span of a file.

    ``text`` and ``old`` are values as Kafka reads them, or names of keys; the file may spell them
    with quotes or escapes. Where it does not say ``old`` there, the edit is not to be made. Without
    an ``old`` the text is to be put there as it is.
    """

    __slots__ = ("at", "old", "path", "text")

    def __init__(self, path: str, at: Position, text: str, old: str | None = None) -> None:
        self.path = path
        self.at = at
        self.text = text
        self.old = old


class Fix:
    """The smallest change that is right, with the edits that make it where they are known.

    It is ``safe`` where it leaves alone what a running system does: the text means the same to
    Kafka, or Kafka refuses it as it stands and only one thing can be meant.
    """

    __slots__ = ("edits", "safe", "text")

    def __init__(self, text: str, edits: tuple[Edit, ...] = (), safe: bool = False) -> None:
        self.text = text
        self.edits = edits
        self.safe = safe


# What an upgrade does to a verdict: it comes, it is another one, it goes.
APPEARS, CHANGES, DISAPPEARS = "appears", "changes", "disappears"
# When somebody has to act on it: before the first restart, at none, after the last restart.
BEFORE, WITH, AFTER = "before", "with", "after"


class Change:
    """What an upgrade has to do with a finding (``kcheck upgrade``).

    ``kind`` says what becomes of the verdict, ``when`` whether somebody has to act on it.
    ``side`` (brokers or clients) goes from version ``old`` to ``new`` in that stretch of the way,
    the ``stage``-th; ``since`` is the first version that makes it true. ``previous`` is the
    verdict of before where there was one.
    """

    __slots__ = ("kind", "new", "old", "previous", "side", "since", "stage", "when")

    def __init__(self, kind: str, when: str, since: str = "") -> None:
        self.kind = kind
        self.when = when
        self.since = since
        self.side = self.old = self.new = ""
        self.stage = 0
        self.previous: Finding | None = None


class Finding:
    """What, where, what breaks and when, what to set: one verdict with its chain of evidence.

    ``code``, ``name`` and the default severity are filled in by the engine from the rule, and
    ``occurrence``, which numbers findings that are alike in one file (see fingerprint.py).
    """

    __slots__ = (
        "at",
        "ceiling",
        "change",
        "cluster",
        "code",
        "consequence",
        "evidence",
        "fix",
        "message",
        "name",
        "occurrence",
        "path",
        "resource",
        "severity",
        "url",
    )

    def __init__(
        self,
        message: str,
        resource: Resource,
        evidence: tuple[Value, ...],
        path: str,
        at: Position,
        consequence: str = "",
        fix: Fix | None = None,
        severity: str = "",
        cluster: str = "",
    ) -> None:
        self.code = ""
        self.name = ""
        #: Where the rule is explained, if that is not kcheck's own reference.
        self.url = ""
        self.occurrence = 0
        self.message = message
        self.resource = resource
        self.evidence = evidence
        self.path = path
        self.at = at
        self.consequence = consequence
        self.fix = fix
        self.severity = severity
        self.cluster = cluster
        #: The gravest severity that the facts at hand allow; empty: any.
        self.ceiling = ""
        #: What an upgrade has to do with it; None where nobody asked about one.
        self.change: Change | None = None

    def __repr__(self) -> str:
        return f"Finding({self.code} {self.severity} {self.path}:{self.at[0]} {self.message})"

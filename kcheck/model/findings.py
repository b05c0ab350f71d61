"""Values as rules weigh them, and what rules find."""

from __future__ import annotations

from kcheck.model.resources import Resource
from kcheck.model.settings import FACT, SET, Position, Setting

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
    an ``old`` the text is to be put there as it is. A whole line, up to the beginning of the next,
    is taken away where nothing but ``old`` and its value stands in it.
    """

    __slots__ = ("at", "old", "path", "text")

    def __init__(self, path: str, at: Position, text: str, old: str | None = None) -> None:
        self.path = path
        self.at = at
        self.text = text
        self.old = old

    @classmethod
    def without_line(cls, path: str, line: int, old: str) -> Edit:
        """The edit that takes a whole line away, in which ``old`` and its value stand."""
        return cls(path, (line, 1, line + 1, 1), "", old)


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
        "also",
        "at",
        "ceiling",
        "change",
        "cluster",
        "cluster_id",
        "clusters",
        "code",
        "consequence",
        "doubt",
        "evidence",
        "fix",
        "inferred",
        "kafka",
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
        #: What tells the cluster from others of its name; "": that of the file's resources.
        self.cluster_id = ""
        #: The ids of all clusters in which it holds, where these are more than one.
        self.clusters: tuple[str, ...] = ()
        #: The gravest severity that the facts at hand allow; empty: any.
        self.ceiling = ""
        #: The condition under which the resources of the evidence are of one cluster; "": they are. An
        #: error is a warning then, and a warning names it.
        self.doubt = ""
        #: What Kafka does about it: "refuses", "fails", "allows", by version "some"; "": unknown.
        #: A rule says it where it differs from what the rule's own ``kafka`` says.
        self.kafka = ""
        #: Findings of the same cause that it stands for (see causes.py).
        self.also: tuple[Finding, ...] = ()
        #: The range of the brokers' versions and the setting that shows it, where nothing tells
        #: the version itself.
        self.inferred = ""
        #: What an upgrade has to do with it; None where nobody asked about one.
        self.change: Change | None = None

    @property
    def condition(self) -> str:
        """What must hold for all of its files to be in use, as a clause; "" where they are."""
        ends = (self.resource, *(value.resource for value in self.evidence))
        return next((end.traits.idle for end in ends if end.traits.idle), "")

    def __repr__(self) -> str:
        return f"Finding({self.code} {self.severity} {self.path}:{self.at[0]} {self.message})"

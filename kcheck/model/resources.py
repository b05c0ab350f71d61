"""What files declare: brokers, topics, clients …, and whom they ask."""

from __future__ import annotations

from kcheck.model.addresses import Container
from kcheck.model.settings import START, Position, Setting
from kcheck.model.traits import ANSIBLE, PUPPET, Traits


class Reference:
    """A setting by which a program asks others of the ``role``.

    ``certain`` tells that the asker depends on one of that role in its own file, ``guessed`` that
    nobody here knows whether the asker reads the setting. ``url`` is what is asked where the
    setting is but a part of it, "" otherwise. ``unset`` tells that nobody set it: it is a default.
    """

    __slots__ = ("asker", "certain", "guessed", "role", "setting", "unset", "url")

    def __init__(
        self,
        asker: Resource,
        setting: Setting,
        role: str,
        certain: bool,
        url: str = "",
        guessed: bool = False,
        unset: bool = False,
    ) -> None:
        self.guessed = guessed
        self.unset = unset
        self.asker = asker
        self.setting = setting
        self.role = role
        self.certain = certain
        self.url = url

    @property
    def text(self) -> str:
        """What is asked: URLs, or hosts with their ports."""
        return self.url or self.setting.text or ""


class Network:
    """The containers of a compose file that is a project of its own, and whom each of them asks.

    ``names`` holds every name by which containers find each other; a name may be several's.
    ``shared`` tells that some of them are in a network from elsewhere as well.
    """

    __slots__ = ("names", "references", "shared")

    def __init__(
        self,
        names: dict[str, tuple[Container, ...]],
        references: tuple[Reference, ...],
        shared: bool = False,
    ) -> None:
        self.names = names
        self.references = references
        self.shared = shared


#: So many settings of one resource are looked at one by one: Kafka itself has a few hundred.
MOST_JUDGED = 2000


#: What writes files onto hosts, and leaves them as they are.
_PLACING = (ANSIBLE, PUPPET)


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
        "name",
        "notes",
        "path",
        "plane",
        "settings",
        "traits",
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
        self.earlier: list[tuple[Setting, Setting]] = []
        #: Findings of a kind that only the format can see: (code, setting, message parts).
        self.notes: list[Note] = []
        self.cluster: str | None = None
        self.dialect = "java"

    @property
    def managed(self) -> bool:
        """Whether something beside its file has a say in it: a deployer, or a service."""
        return bool(self.traits.service or (self.traits.deployer and not self._put))

    @property
    def _put(self) -> bool:
        """Whether its deployer does no more than to put the whole file on a host that is known."""
        traits = self.traits
        return traits.deployer in _PLACING and "replicas" in self.facts and not traits.partial

    @property
    def open(self) -> bool:
        """Whether what it lacks may stand elsewhere: a fragment's in the file that it is laid over, a
        connector's in what a template puts out and nobody reads."""
        return self.traits.fragment or (self.traits.partial and self.kind == "connector")

    @property
    def stated(self) -> list[Setting]:
        """Every setting and fact that files state of it, those that another replaced included."""
        return [
            *self.settings.values(),
            *self.dynamic.values(),
            *self.image.values(),
            *self.facts.values(),
            *(setting for pair in self.earlier for setting in pair),
        ]

    @property
    def placed(self) -> list[Setting]:
        """The same with what formats noted: all that stands at a place of some file, each once."""
        noted = [one for note in self.notes for one in (note.setting, *note.others)]
        return [*{id(one): one for one in (*self.stated, *noted)}.values()]

    def __repr__(self) -> str:
        return f"Resource({self.kind} {self.name} {self.path}:{self.at[0]})"


class Asker(Resource):
    """Who asks others by a reference of a file: as much of a program as tells where it runs.

    It travels between processes as it is, where other resources are reduced to what reports show.
    """

    __slots__ = ()


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

    ``others`` are further settings that the message is about. ``held`` names the resource whose
    operator keeps the setting back, where the note says so. ``meant`` is the key of Kafka's that a name
    without effect stands for.
    """

    __slots__ = (
        "code",
        "consequence",
        "fix",
        "held",
        "meant",
        "message",
        "others",
        "setting",
        "severity",
    )

    def __init__(
        self,
        code: str,
        setting: Setting,
        message: str,
        consequence: str = "",
        fix: str = "",
        severity: str = "",
        others: tuple[Setting, ...] = (),
        held: str = "",
        meant: str = "",
    ) -> None:
        self.code = code
        self.meant = meant
        self.setting = setting
        self.others = others
        self.held = held
        self.message = message
        self.consequence = consequence
        self.fix = fix
        self.severity = severity

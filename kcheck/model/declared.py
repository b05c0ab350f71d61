"""Facts of a resource that have parts: flows of mirrors, rights, topics that it creates, volumes …"""

from __future__ import annotations

from kcheck.model.settings import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Flow:
    """One direction of a mirror.

    ``source`` and ``target`` are the settings that give the two clusters their aliases, ``servers``
    the addresses of each (empty where they are not known). ``settings`` are the source connector's;
    ``largest`` is the max.request.size of whoever writes at the target, None for the default.
    ``off`` are the flows that its file switches off in so many words, ``halted`` says that its own
    connector may be stopped or paused.
    """

    __slots__ = ("halted", "largest", "off", "servers", "settings", "source", "target")

    def __init__(
        self,
        source: Setting,
        target: Setting,
        servers: tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]],
        settings: Mapping[str, Setting],
        largest: Setting | None,
        off: frozenset[tuple[str, str]] = frozenset(),
        halted: bool = False,
    ) -> None:
        self.source = source
        self.target = target
        self.servers = servers
        self.settings = settings
        self.largest = largest
        self.off = off
        self.halted = halted

    @property
    def ends(self) -> tuple[str, str]:
        """The aliases of its source and its target."""
        return self.source.text or "", self.target.text or ""

    def excludes(self, other: Flow) -> bool:
        """Whether one of them does not run beside the other: it is stopped, or switched off."""
        if self.halted or other.halted:
            return True
        return other.ends in self.off or self.ends in other.off

    @property
    def place(self) -> tuple[str, int, int]:
        """Where the flow stands, to tell flows apart and to order them."""
        return (self.target.path, *self.source.at[:2])


class Right:
    """One operation that an ACL allows or denies a principal, or a pattern of names.

    ``resource`` is its type (``topic``), ``prefix`` says that ``name`` is the beginning of names.
    ``setting`` is where the ACL is.
    """

    __slots__ = ("allows", "host", "name", "operation", "prefix", "resource", "setting")

    def __init__(
        self,
        setting: Setting,
        operation: str,
        resource: str,
        name: str,
        prefix: bool = False,
        host: str = "*",
        allows: bool = True,
    ) -> None:
        self.setting = setting
        self.operation = operation
        self.resource = resource
        self.name = name
        self.prefix = prefix
        self.host = host
        self.allows = allows

    def __str__(self) -> str:
        name = f"{self.name}*" if self.prefix else self.name
        host = "" if self.host == "*" else f" from host {self.host}"
        return f"{self.operation} on {self.resource} {name}".rstrip() + host

    def covers(self, other: Right) -> bool:
        """Whether it says of all that ``other`` is about what ``other`` says, or more."""
        if self.allows != other.allows or self.resource != other.resource:
            return False
        if self.host not in ("*", other.host):
            return False
        if self.prefix:
            named = other.name.startswith(self.name)
        else:
            named = self.name == "*" or (self.name == other.name and not other.prefix)
        wide = (self.operation, other.operation) if self.allows else (self.operation, "")
        return named and (self.operation in (other.operation, "All") or wide in _IMPLIED)


#: Operations with which Kafka's authorizers allow another one.
_IMPLIED = frozenset(
    [(one, "Describe") for one in ("Read", "Write", "Delete", "Alter")]
    + [("AlterConfigs", "DescribeConfigs")]
)


class Creation:
    """Topics that a program creates for itself, where no key of Kafka's says with how many replicas.

    ``topics`` names them (``the command topic``). ``key`` is the program's setting for the
    replication factor, ``factor`` that setting where it is set; otherwise there are ``default``
    replicas. ``named`` is what its file calls the setting. ``capped`` says that the program makes do
    with fewer brokers, ``waits`` that its writes wait for all in-sync replicas. ``least`` is the
    setting that gives them a min.insync.replicas of their own.
    """

    __slots__ = ("capped", "default", "factor", "key", "least", "named", "topics", "waits")

    def __init__(
        self,
        topics: str,
        key: str,
        factor: Setting | None,
        default: int,
        *,
        named: str = "",
        capped: bool = False,
        waits: bool = False,
        least: Setting | None = None,
    ) -> None:
        self.topics = topics
        self.key = key
        self.factor = factor
        self.default = default
        self.named = named or key
        self.capped = capped
        self.waits = waits
        self.least = least


class DeadLetters:
    """Where a framework's consumer sends the records that it cannot process.

    ``topic`` is the setting that names it, or what the framework makes of other names. ``aligned``
    says that a record goes to the partition of the number that it had.
    """

    __slots__ = ("aligned", "topic")

    def __init__(self, topic: Setting, aligned: bool = False) -> None:
        self.topic = topic
        self.aligned = aligned


class Retries:
    """How long a client waits at most between attempts at one record, in the thread that polls.

    ``total`` is in ms; ``settings`` say so, as far as the file has them; ``words`` describe it.
    """

    __slots__ = ("settings", "total", "words")

    def __init__(self, total: int, settings: tuple[Setting, ...], words: str) -> None:
        self.total = total
        self.settings = settings
        self.words = words


class Claim:
    """A persistent volume that a node gets for its data.

    ``size`` has its bytes as amount. ``deletes`` is where it is said that the volume is deleted with
    the node; None where nothing says so.
    """

    __slots__ = ("deletes", "name", "size")

    def __init__(self, name: str, size: Setting | None, deletes: Setting | None = None) -> None:
        self.name = name
        self.size = size
        self.deletes = deletes


class Entered:
    """A container in which a script starts one of Kafka's tools, and the servers that it asks there;
    ``tool`` is the word that starts it, ``configured`` says that it is given settings of a client."""

    __slots__ = ("configured", "container", "servers", "tool")

    def __init__(
        self, container: Setting, tool: Setting, servers: Setting, configured: bool
    ) -> None:
        self.container = container
        self.tool = tool
        self.servers = servers
        self.configured = configured

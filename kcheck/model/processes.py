"""Programs as they run: JVMs in containers and units, with what their surroundings give them."""

from __future__ import annotations

import posixpath

from kcheck.model.settings import Position, Setting

_UNKNOWN = float("nan")

# What a process runs, as sentences call it.
A_BROKER, A_CONTROLLER, A_WORKER = "broker", "controller", "worker"
A_REGISTRY, A_KSQLDB, A_REST_PROXY = "Schema Registry", "ksqlDB server", "REST Proxy"
A_CENTER, A_ZOOKEEPER, A_DEBEZIUM = "Control Center", "ZooKeeper", "Debezium Server"
A_MIRROR, AN_APPLICATION = "MirrorMaker", "application"
A_STANDALONE = "standalone worker"
A_TOPIC_OPERATOR, A_USER_OPERATOR = "topic operator", "user operator"
A_CRUISE_CONTROL = "Cruise Control"

# What is mounted: a volume with a name, a folder of the host, a claim that all replicas share, one
# claim per replica, a volume that goes with its pod, files of a ConfigMap or Secret, anything else.
NAMED, BIND, CLAIM, OWN_CLAIM, EMPTY, FILES, OTHER = (
    *("named volume", "bind mount", "claim", "claim template"),
    *("emptyDir", "files", "volume"),
)


class Mount:
    """What is mounted at a path of a container.

    ``source`` is the volume, claim or folder, "" where nothing names it; ``setting`` is where the
    mount is written. ``own`` says that each replica has a directory of its own in it, ``whole`` that
    the root of a file system is mounted, as far as is known, and not a directory in it, ``declared``
    that the claim, if it is one, stands in the files that were read.
    """

    __slots__ = ("declared", "kind", "own", "path", "setting", "source", "whole")

    def __init__(
        self,
        path: str,
        kind: str,
        source: str,
        setting: Setting,
        own: bool = False,
        whole: bool = True,
        declared: bool = True,
    ) -> None:
        self.whole = whole
        self.declared = declared
        self.path = path
        self.kind = kind
        self.source = source
        self.setting = setting
        self.own = own


def covering(mounts: tuple[Mount, ...], path: str) -> Mount | None:
    """The innermost mount that holds a path; None where none does, or the path is no absolute one."""
    found: Mount | None = None
    for mount in mounts:
        place = posixpath.normpath(mount.path)
        inside = f"{posixpath.normpath(path)}/".startswith(f"{place.rstrip('/')}/")
        if inside and (found is None or len(place) > len(posixpath.normpath(found.path))):
            found = mount
    return found


# The probes of a container; a health check is compose's, Docker's or ECS's.
LIVENESS, READINESS, STARTUP, HEALTH = (
    *("livenessProbe", "readinessProbe", "startupProbe"),
    "healthcheck",
)
#: What an image's own script runs beside the program.
ENTRY = "the image's script"


class Probe:
    """A probe: ``command`` is what it runs in the container, "" where it asks a port.

    ``setting`` is where it is written, ``seconds`` the least time after the start until failures
    have an effect, ``timeout`` those that one attempt may take, NaN where a part of it is unknown.
    """

    __slots__ = ("command", "kind", "seconds", "setting", "timeout")

    def __init__(
        self,
        kind: str,
        command: str,
        setting: Setting,
        seconds: float = _UNKNOWN,
        timeout: float = _UNKNOWN,
    ) -> None:
        self.timeout = timeout
        self.kind = kind
        self.command = command
        self.setting = setting
        self.seconds = seconds


class Place:
    """A key that names a directory or file, and what that holds; ``path`` where it is not the value.

    ``optional``: a file without which the program starts all the same.
    """

    __slots__ = ("holds", "optional", "path", "setting")

    def __init__(
        self, setting: Setting, holds: str, path: str = "", optional: bool = False
    ) -> None:
        self.setting = setting
        self.holds = holds
        self.path = path
        self.optional = optional


class Process:
    """One program as its file starts it, in each of its replicas alike.

    ``program`` is one of the constants above. ``options`` are the variables that Java gets options
    from, in the order in which they stand on its command line, ``variables`` those that tools in
    the container inherit. ``heap`` tells the largest heap with its bytes, where the program sets
    it; ``heap_default`` are the bytes that its start script gives otherwise, and ``script`` names
    the script, both empty where it is not known that no other file sets the heap. ``share`` is the
    percentage of the memory that the heap gets where it has no size; ``sized`` says, in words, who gives
    it one where its options do not, "" where nobody is known to. ``memory`` is the
    limit in bytes, ``cpu`` that in cores. ``mounts`` is None where they are not all known; ``places`` is where the program
    keeps state, ``states`` directories that one instance alone can lock, ``reads`` the files that it
    needs to start, ``plugins`` the path on which a worker finds plugins, ``grace`` the seconds that it has to stop, ``identity`` the id that it has among its like, and ``ensemble`` their hosts. ``known`` says that the variables are all that it gets.
    """

    __slots__ = (
        "at",
        "cpu",
        "direct",
        "ensemble",
        "grace",
        "heap",
        "heap_default",
        "identity",
        "known",
        "memory",
        "mounts",
        "name",
        "namespace",
        "options",
        "path",
        "places",
        "plugins",
        "probes",
        "program",
        "reads",
        "replicas",
        "script",
        "share",
        "sized",
        "states",
        "variables",
    )

    def __init__(self, program: str, name: str, path: str, at: Position) -> None:
        self.program = program
        self.name = name
        self.path = path
        self.at = at
        self.options: tuple[Setting, ...] = ()
        self.variables: dict[str, Setting] = {}
        self.known = False
        self.heap: Setting | None = None
        self.direct: Setting | None = None
        self.share: Setting | None = None
        self.sized = ""
        self.heap_default = 0
        self.script = ""
        self.memory: Setting | None = None
        self.cpu: Setting | None = None
        self.mounts: tuple[Mount, ...] | None = None
        self.replicas: Setting | None = None
        self.identity: Setting | None = None
        self.ensemble: frozenset[str] = frozenset()
        #: The namespace that its workload says itself; "" where it says none.
        self.namespace = ""
        self.grace: Setting | None = None
        self.probes: tuple[Probe, ...] = ()
        self.places: tuple[Place, ...] = ()
        self.reads: tuple[Place, ...] = ()
        self.plugins: Setting | None = None
        self.states: tuple[Setting, ...] = ()

    def __str__(self) -> str:
        return f"{self.program} {self.name}"

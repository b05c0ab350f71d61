"""What kcheck made of one file."""

from __future__ import annotations

from kcheck.model.addresses import Service
from kcheck.model.findings import Edit
from kcheck.model.resources import Reference, Resource
from kcheck.model.settings import START, Position, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model.processes import Process


class Problem:
    """Why a file, or a place in it, could not be read. ``code`` is the rule that tells it.

    Without a ``severity`` of its own it has the rule's. ``setting`` is what it is about, if it is
    about a name or a value.
    """

    __slots__ = ("at", "code", "consequence", "edits", "fix", "message", "setting", "severity")

    def __init__(
        self,
        message: str,
        at: Position = START,
        code: str = "KC0001",
        severity: str = "",
        consequence: str = "",
        fix: str = "",
        edits: tuple[Edit, ...] = (),
        setting: Setting | None = None,
    ) -> None:
        self.message = message
        self.at = at
        self.code = code
        self.severity = severity
        self.consequence = consequence
        self.fix = fix
        #: Those that make the fix, which is a safe one then.
        self.edits = edits
        self.setting = setting


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


class Patch:
    """One patch of a kustomization: a file at ``path``, or the ``text`` that stands there (``at``).

    ``operations`` tells a list of operations (JSON 6902) from a piece of a resource. ``kind`` and
    ``name`` are what the patch is aimed at, each "" where that is not said: it is then in the piece.
    """

    __slots__ = ("at", "kind", "name", "operations", "path", "taken", "text")

    def __init__(
        self, at: Position, path: str = "", text: str = "", kind: str = "", name: str = ""
    ) -> None:
        self.at = at
        self.path = path
        self.text = text
        self.operations = False
        #: Whether the kustomization's document has what it sets, as a resource to lay over others.
        self.taken = False
        self.kind, self.name = kind, name


class Kustomization:
    """What a kustomization.yaml builds of which files.

    Paths are those of files and of folders with a kustomization of their own, as documents have
    them; the folder at the top is "". What lies elsewhere (a URL, above the root) is in none of
    them: ``elsewhere`` says that there is such a thing. What is not written is empty.
    """

    __slots__ = (
        "components",
        "elsewhere",
        "followed",
        "name_prefix",
        "name_suffix",
        "namespace",
        "patches",
        "rendered",
        "resources",
    )

    def __init__(self) -> None:
        #: With what older files list as ``bases``.
        self.resources: tuple[str, ...] = ()
        self.components: tuple[str, ...] = ()
        self.patches: tuple[Patch, ...] = ()
        #: The kinds and names of the document's resources that are those of its bases after all patches.
        self.rendered: tuple[tuple[str, str], ...] = ()
        #: The paths and lines of all patches, those of bases and components too, whose effects are in them.
        self.followed: frozenset[tuple[str, int]] = frozenset()
        self.namespace = self.name_prefix = self.name_suffix = ""
        self.elsewhere = False


KAFKA, OPERATOR = "kafka", "operator"
#: Plug-ins of Connect, under the names of schemas/connectors/releases.tsv.
PLUGINS = ("debezium", "mongodb")


class Release:
    """A version that a file tells of what other files hold.

    ``product`` is Kafka itself, Strimzi's operator or a plug-in of Connect. It is told of the file at ``path`` or of all
    files of that folder, the project's for ""; of what ``deployer`` deploys alone, unless that is
    "". Of several for the same files, those of the greatest ``weight`` count.
    """

    __slots__ = ("deployer", "path", "product", "told", "weight")

    def __init__(
        self, product: str, told: Setting, path: str = "", deployer: str = "", weight: int = 0
    ) -> None:
        self.product = product
        self.told = told
        self.path = path
        self.deployer = deployer
        self.weight = weight


class Built:
    """A folder of sources that a file runs in a container, and the variable that tells it whom to ask;
    None where its own files do."""

    __slots__ = ("asked", "folder")

    def __init__(self, folder: str, asked: Setting | None) -> None:
        self.folder = folder
        self.asked = asked


class Extent:
    """How far a file reaches: what of a cluster is in it, and which other files belong to it.

    As with ``Traits`` an instance holds what its file does tell, and no more.
    """

    #: Whether the nodes in it are all that their clusters have.
    whole: bool = False
    #: Whether its nodes of no name are of one cluster, for its format has told clusters apart.
    parted: bool = False
    #: Whether it is a piece of something that other files complete, whatever else it says.
    piece: bool = False
    #: Paths of files and folders that containers of Kafka's have from it.
    mounts: tuple[str, ...] = ()
    #: Other compose files whose services are in the same networks: it includes them, or lies over them.
    project: tuple[str, ...] = ()
    #: Sources of applications that its containers run, and whom each asks.
    built: tuple[Built, ...] = ()
    #: The names of all Services of Kubernetes in it, whatever they lead to.
    hosts: tuple[str, ...] = ()
    #: Versions that it tells of other files.
    releases: tuple[Release, ...] = ()
    #: Paths of files that are read as a part of this one, and are not judged by themselves; with a
    #: ``#`` behind it, only what has that ``Traits.holder``.
    covers: tuple[str, ...] = ()
    #: Whether what it declares is made, and read, where other files call it.
    called: bool = False
    #: Of a template, the lines with something that is in doubt: all others are read, wherever the
    #: values of their keys stand. None for any other file.
    doubtful: frozenset[int] | None = None
    #: Of a template, the lines in branches that the variables leave out.
    off: frozenset[int] = frozenset()
    #: The known keys in these lines, once they were searched for.
    left_out: tuple[Unread, ...] = ()
    #: Variables of programs that were read and set no key of a resource: nobody reads them, or not
    #: for a key of Kafka's.
    weighed: tuple[Setting, ...] = ()


READ, PASSED_OVER, SKIPPED, FAILED = "read", "passed-over", "skipped", "error"
#: The statuses as texts spell them.
WORDS = {READ: READ, PASSED_OVER: "unrelated", SKIPPED: SKIPPED, FAILED: FAILED}


class Unread:
    """A key of Kafka's in a place of a file that kcheck does not read."""

    __slots__ = ("line", "name")

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line


class Document:
    """What kcheck made of one file: its format, its resources, what went wrong in it.

    ``comments`` are the ``# kcheck:`` ones; ``services`` are the programs beside brokers that it
    runs, ``references`` what such programs ask, and others that are no resources. ``processes`` are
    the programs that it starts, with their memory, mounts and probes, as far as it tells of any.
    """

    __slots__ = (
        "comments",
        "extent",
        "format",
        "kustomize",
        "looked_up",
        "path",
        "problems",
        "processes",
        "reason",
        "references",
        "resources",
        "services",
        "status",
        "unread",
    )

    def __init__(self, path: str, format: str | None = None) -> None:
        self.path = path
        self.format = format
        self.resources: list[Resource] = []
        self.problems: list[Problem] = []
        self.extent = Extent()
        self.comments: list[Comment] = []
        #: What the file builds, where it is kustomize's.
        self.kustomize: Kustomization | None = None
        self.services: tuple[Service, ...] = ()
        self.references: tuple[Reference, ...] = ()
        self.processes: tuple[Process, ...] = ()
        #: The paths of other files that were asked for to read this one, whether they are there
        #: or not: it would be another document only if one of them or the file itself changed.
        self.looked_up: frozenset[str] = frozenset()
        self.status = READ
        self.reason = ""
        #: Kafka's keys in it that were not read, as far as they were searched for.
        self.unread: tuple[Unread, ...] = ()


#: A document with problems, and one with processes: the scopes of the rules on these.
Faulty = Document
Running = Document

"""What container images make of their environment: facts from ``schemas/images``.

An image family (Apache's, Confluent's, Bitnami's …) has a prefix and a rule that turns the name
of a variable into a Kafka key, names that mean something else to it, a configuration of its own
beneath the environment, and a way in which its tags tell the Kafka version. Where a variable
stands (compose, Kubernetes, ECS …) makes no difference here.
"""

from __future__ import annotations

from kcheck import data
from kcheck.version import Version

BROKER, WORKER = "broker", "worker"

#: What stands for a part of an image reference that nobody here can know.
UNKNOWN = "\0"

#: The source of a row that nobody has found: kcheck goes no further on it than to doubt.
UNVERIFIED = "unverified"
#: The note of a row whose key is the container's address, unless a variable says otherwise.
THE_ADDRESS = "the container's address"
#: Words of the images of programs around brokers, for each of which there are rows in beside.tsv.
AROUND = ("zookeeper", "kafka-exporter", "kafka-ui", "kafdrop", "console", "kowl", "registry")
#: So many variables that an image cannot start without tell which one it is.
_TELLING = 6
#: Images that nobody here knows whose variables are those of a known one: a mirror under another
#: name, a fork, an image of one's own. The first prefix of which there are enough signs holds.
_CONVENTIONS = (("by-cfg", "KAFKA_CFG_=", "dot"), ("by-kafka", "KAFKA_=", "dash"))
#: The keys of which a container that runs a broker is given at least two, and of these one.
_BROKERS_OWN = frozenset(
    {
        "advertised.listeners",
        "broker.id",
        "controller.listener.names",
        "controller.quorum.voters",
        "inter.broker.listener.name",
        "listener.security.protocol.map",
        "listeners",
        "node.id",
        "process.roles",
        "zookeeper.connect",
    }
)
_ONE_OF = frozenset({"advertised.listeners", "listeners", "process.roles", "zookeeper.connect"})
#: What stands in a value for the name of the container.
HOSTNAME = "$HOSTNAME"
#: Effects that put a value on a key; of an unverified row it is unknown.
_SETTING = ("key", "legacy", "role", "varies")


class Meaning:
    """What one variable is to an image, apart from its prefix: a row of ``variables.tsv``."""

    __slots__ = ("effect", "key", "note", "variable", "versions", "when")

    def __init__(self, cells: list[str]) -> None:
        self.variable, self.effect, self.key, self.when, self.versions, self.note, source = cells
        if source == UNVERIFIED:
            self.effect = "varies" if self.effect in _SETTING else "own"

    def holds(self, conditions: set[str]) -> bool:
        """Whether all that the row asks for is among what holds of a service."""
        return all(word in conditions for word in self.when.split())


class Family:
    """One kind of image: a row of ``images.tsv`` with its variables and its base configuration."""

    def __init__(self, cells: list[str]) -> None:
        self.id, self.name = cells[0], cells[1]
        self.repositories = cells[2].split()
        self.role = cells[3]
        #: (prefix of the variable, beginning of the key), the recommended one first.
        self.prefixes = [(p, start) for p, _, start in (c.partition("=") for c in cells[4].split())]
        self.dashes = cells[5] == "dash"
        #: Whether an empty variable becomes an empty value in every revision.
        self.writes_empty = cells[6] == "written"
        self.tags = cells[7]
        #: The oldest Kafka that ``latest`` may be; "" where it may be any.
        self.latest = cells[8]
        #: What ``latest`` means for good; "" where images still appear.
        self.ended = cells[9]
        self.starts = cells[10].split()
        self.mounts = cells[11].split()
        self._meanings: dict[str, list[Meaning]] = {}
        self._beginnings: list[Meaning] = []
        self.required: list[Meaning] = []

    def __repr__(self) -> str:
        return f"Family({self.id})"

    @property
    def guessed(self) -> bool:
        """Whether its images are told by their variables: all else about them is unknown."""
        return not self.repositories

    @property
    def prefix(self) -> str:
        return self.prefixes[0][0]

    def started_by(self, command: str) -> bool:
        """Whether the image's own start script is in a command: its path, or its name alone."""
        for start in self.starts:
            at = command.find(start)
            while at >= 0:
                before = command[at - 1 : at]
                own = "/" if not start.startswith("/") else ""
                if not before or before == own or not (before.isalnum() or before in "_.-/"):
                    return True
                at = command.find(start, at + 1)
        return False

    def add(self, meaning: Meaning) -> None:
        if meaning.effect == "required":
            self.required.append(meaning)
        elif meaning.variable.endswith("*"):
            self._beginnings.append(meaning)
        else:
            self._meanings.setdefault(meaning.variable, []).append(meaning)

    def meanings(self, variable: str) -> list[Meaning]:
        """What the variable is to the image, where that is not what its prefix says."""
        found = self._meanings.get(variable)
        if found is not None:
            return found
        return [m for m in self._beginnings if variable.startswith(m.variable[:-1])]

    def key(self, variable: str) -> str | None:
        """The Kafka key that the image makes of a variable with its prefix; None without one."""
        for prefix, start in self.prefixes:
            if variable.startswith(prefix) and len(variable) > len(prefix):
                return start + self.translated(variable[len(prefix) :])
        return None

    def translated(self, name: str) -> str:
        """``LISTENER_NAME_A__B`` as a key: lower case, underscores by the family's rule."""
        name = name.lower()
        if self.dashes:
            return name.replace("_", ".").replace("...", "-").replace("..", "_")
        name = name.replace("_", ".")
        if self.id == "bitnami":
            # The names of two security protocols are the only underscores that it can write.
            name = name.replace("sasl.ssl", "sasl_ssl").replace("sasl.plaintext", "sasl_plaintext")
        return name

    def variable(self, key: str) -> str | None:
        """The variable that sets a key; None where the family's rule cannot write that key."""
        name = key.upper()
        if self.dashes:
            name = name.replace("_", "__").replace("-", "___")
        name = name.replace(".", "_")
        return self.prefix + name if self.translated(name) == key else None

    def version(self, tag: str) -> str:
        """The Kafka version inside an image with that tag; "" where the tag does not tell."""
        if tag in ("", "latest"):
            return self.ended
        parts = tag.split("-")
        if self.tags == "scala" and len(parts) > 1 and Version(parts[1]).known:
            return parts[1]
        version = Version(parts[0])
        if not version.known or version.numbers is None:
            return ""
        if self.tags in ("kafka", "scala"):
            return ".".join(map(str, version.numbers))
        release = ".".join(map(str, version.numbers[:3]))
        minor = ".".join(map(str, version.numbers[:2]))
        known = _releases()
        return known.get((self.tags, release)) or known.get((self.tags, minor), "")

    def base(self, conditions: set[str], version: Version) -> dict[str, str | None]:
        """What the image sets by itself under these conditions; None is set to something unknown.

        A row that holds for some versions only is unknown where the version is.
        """
        found: dict[str, str | None] = {}
        for family, when, key, value, versions, source in _bases():
            if family != self.id or not all(word in conditions for word in when.split()):
                continue
            holds = within(version, versions)
            if holds is not False:
                known = holds and value != "?" and source != UNVERIFIED
                found[key] = value if known else None
        return found


def floor(family: Family, image: str | None) -> Version:
    """The oldest Kafka that an image without a version, or tagged ``latest``, is by now.

    Unknown of images that somebody else has published under the name: they move on their own.
    """
    if not family.latest or not image or "@" in image or split(image)[1] not in ("", "latest"):
        return Version()
    owner, _, name = split(image)[0].rpartition("/")
    publisher = family.name.partition("/")[0]
    theirs = name in family.repositories and owner.rpartition("/")[2] != publisher
    return Version() if theirs else Version(family.latest)


def within(version: Version, range_: str) -> bool | None:
    """Whether a version lies in ``"3.4-3.9"``, ``"-3.3"``, ``"4.0"`` …; None where that is open."""
    if not range_:
        return True
    since, dash, until = range_.partition("-")
    if not version.known or version.minor is None:
        return None
    if since and version.below(since):
        return False
    last = until if dash else since
    return not last or version.minor == last or version.below(last)


_known: dict[str, Family] = {}
_guessed: list[Family] = []
_telling: list[tuple[Family, frozenset[str]]] = []
_by_repository: dict[str, Family] = {}
_versions: dict[tuple[str, str], str] = {}
_base_rows: list[list[str]] = []


def families() -> dict[str, Family]:
    """All families by their id."""
    if not _known:
        for cells in data.rows("images/images.tsv"):
            family = _known[cells[0]] = Family(cells)
            for repository in family.repositories:
                _by_repository[repository] = family
        for names, *cells in data.rows("images/variables.tsv"):
            for name in names.split() if names != "*" else _known:
                _known[name].add(Meaning(cells))
    return _known


def _releases() -> dict[tuple[str, str], str]:
    if not _versions:
        for scheme, release, kafka, source in data.rows("images/versions.tsv"):
            if source != UNVERIFIED:
                _versions[scheme, release] = kafka
    return _versions


def _bases() -> list[list[str]]:
    if not _base_rows:
        _base_rows.extend(data.rows("images/base.tsv"))
    return _base_rows


def family_of(repository: str) -> Family | None:
    """The family of an image repository, whatever registry or mirror stands before it."""
    families()
    parts = repository.lower().rstrip("/").split("/")
    for length in (2, 1):
        found = _by_repository.get("/".join(parts[-length:]))
        if found is not None:
            return found
    return None


def asking_for(variables: set[str]) -> Family | None:
    """The family of an image that is told by its variables: one that asks for so many that only an
    image made of it is given them, or a convention that a broker's variables follow.
    """
    for family, asked in _asking():
        if asked <= variables:
            return family
    for family in _conventions():
        keys = _BROKERS_OWN.intersection(map(family.key, variables))
        if len(keys) > 1 and keys & _ONE_OF:
            return family
    return None


def _asking() -> list[tuple[Family, frozenset[str]]]:
    """The families that a container's variables tell, each with those that it cannot do without."""
    if not _telling:
        for family in families().values():
            asked = frozenset(one.variable for one in family.required if not one.when)
            if len(asked) >= _TELLING:
                _telling.append((family, asked))
    return _telling


def _conventions() -> list[Family]:
    if not _guessed:
        common = [cells for names, *cells in data.rows("images/variables.tsv") if names == "*"]
        for name, prefix, separators in _CONVENTIONS:
            cells = [name, "an image with variables of Kafka", "", BROKER, prefix, separators]
            family = Family([*cells, "varies", *[""] * 7])
            _guessed.append(family)
            for meaning in common:
                family.add(Meaning(meaning))
    return _guessed


def split(reference: str) -> tuple[str, str]:
    """``host:5000/confluentinc/cp-kafka:7.5.0@sha256:…`` → (repository, tag); "" without a tag."""
    name = reference.partition("@")[0].strip()
    slash = name.rfind("/")
    colon = name.find(":", slash + 1)
    return (name, "") if colon < 0 else (name[:colon], name[colon + 1 :])

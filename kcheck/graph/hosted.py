"""The clients that other programs run, as nodes of their own: whose settings each of them reads.

A connector, a Connect worker, a Streams application and Debezium's schema history keep settings of
their clients behind prefixes; ``seats`` tells which. A client becomes a node only where its host
sets something for it in particular: what it has by default alone is no news.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import catalogue, libraries
from kcheck.graph import completed, embedded
from kcheck.graph.clients import Client, Connector, Consumer, Inner, Producer, Streams, Worker
from kcheck.graph.nodes import Node
from kcheck.graph.resolve import from_default
from kcheck.graph.seats import HOST, NOBODY, SEATS, Seat, reads_offsets
from kcheck.model import ABSENT, DEFAULT, WARNING, Finding, Framed, Resource, Setting, Value
from kcheck.version import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.cluster import Cluster

_BROKERS = ("broker", "controller", "cluster")

#: ``producer.override.`` is no key ``override.…`` behind ``producer.``.
_OVERRIDE = "override."

# Rules that look at a worker or an application of Streams as a whole ask ``Worker.inner`` and
# ``Streams.inner`` for what is inside. That stays beside the seats: such a client is there whatever
# its host sets, its findings are the host's, and its keys are reported as the host writes them
# (``producer.acks``), which identifies findings in baselines. A client with a seat is there only if
# something is set for it, and is judged under its own names of the keys. What a key comes to is
# written once: both ask the host's ``client``, which asks ``embedded``.


class Hosted(Inner):
    """A client inside another program, under its own names of the keys.

    ``resource`` is a view of what its host sets for it, ``outer`` the host; findings belong to the
    host's resource (``claim``).
    """

    __slots__ = ("_names", "_own", "seat")

    def __init__(self, host: Node, seat: Seat, own: dict[str, tuple[str, Setting]]) -> None:
        super().__init__(host, seat.role)
        self.seat = seat
        #: Where its own settings stand: their keys, and the host's.
        self._own = {(s.path, s.key_at): (key, name) for key, (name, s) in own.items()}
        outer = host.resource
        view = Resource(seat.role, outer.name, outer.path, outer.at, plane=seat.role)
        view.settings = {key: behind(setting, key) for key, (_, setting) in own.items()}
        view.traits.deployer = outer.traits.deployer
        view.traits.service = outer.traits.service
        view.traits.application = outer.traits.application
        view.traits.profile = outer.traits.profile
        view.traits.topics = _topics(outer, seat)
        self.resource = view

    def __str__(self) -> str:
        return f"the {self.seat.label} of {self.outer}"

    @property
    def version(self) -> Version:
        return self.outer.version

    @property
    def member(self) -> bool:
        """Whether its host makes it a member of a group."""
        return self.seat.group

    @property
    def meets(self) -> bool:
        """Whether it connects to the brokers of its host's cluster, as far as anybody knows."""
        return not self.seat.apart and "bootstrap.servers" not in self.resource.settings

    @property
    def carries(self) -> bool:
        """Whether something tells of the topics that it reads or writes, if only that it does."""
        if not self.meets or self.seat.topics == NOBODY:
            return False
        return self.seat.topics == HOST or self.seat.topics in self.outer.resource.settings

    def inner(self, role: str) -> Client:
        return self

    @property
    def _exact(self) -> bool:
        """Whether it writes the records of a source connector in transactions."""
        outer = self.outer
        if not isinstance(outer, Connector) or self.seat.apart or self.seat.role != "producer":
            return False
        worker = outer.worker if outer.resource.plane != "sink-connector" else None
        return worker is not None and worker.eos

    @property
    def _condition(self) -> str:
        """On what it depends that its host has it at all; "" for nothing."""
        outer = self.outer
        if self.seat.made is not reads_offsets or not isinstance(outer, Connector):
            return ""
        return "if the worker writes exactly once" if outer.reads_offsets is None else ""

    def unread(self, key: str) -> bool:
        if key in self.seat.forced or (key == "enable.idempotence" and self._exact):
            return True
        outer = self.outer
        # As the host writes it, where it does: one spelling may be replaced, and another not.
        names = [name for own, name in self._own.values() if own == key]
        names = names or [prefix + key for prefix in self.seat.prefixes]
        return isinstance(outer, Client) and any(map(outer.unread, names))

    def replaced(self, key: str) -> bool:
        return self.unread(key)

    def resolve(self, key: str) -> Value:
        value = self._resolve(key)
        value.key = key
        found = self._known(value)
        if found is not None:
            value.from_key = found[1]
        elif value.setting is None and key not in self.seat.forced and self._partial(key):
            return Value(key, self.outer.resource, ABSENT)
        return value

    def _partial(self, key: str) -> bool:
        """Whether something that is not read may set the key."""
        return self.outer.resource.traits.partial and embedded.codec(self.role, key) is None

    def _resolve(self, key: str) -> Value:
        seat, outer = self.seat, self.outer
        if key == "enable.idempotence" and self._exact:
            return embedded.given(key, True, outer.resource, self.version)
        if key in seat.forced:
            return embedded.given(key, seat.forced[key], outer.resource, self.version)
        if isinstance(outer, (Streams, Worker)) and not seat.forced:
            value = outer.client(seat.role, key)
            if (key, value.explicit, seat.group) == ("group.id", False, True):
                return Value(key, outer.resource, DEFAULT)  # one for each connector
            return value
        own = self.resource.settings.get(key)
        if own is not None:
            return embedded.set_to(key, own, outer.resource, seat.role, self.version)
        if isinstance(outer, Streams):
            return embedded.of_streams(
                outer.resource, seat.role, key, self.version, outer.eos, main=False
            )
        return self._unset(key)

    def _unset(self, key: str) -> Value:
        """What the host gives to the client where no setting does."""
        seat, outer = self.seat, self.outer
        if key in seat.given:
            return embedded.given(key, seat.given[key], outer.resource, self.version)
        if key in seat.differing:
            return Value(key, outer.resource, DEFAULT)
        if (seat.role, key) == ("consumer", "group.id") and seat.group:
            if seat.apart:
                return Value(key, outer.resource, DEFAULT)  # a name that it makes up
            return embedded.given(key, f"connect-{outer.name}", outer.resource, self.version)
        if seat.apart:
            return from_default(key, outer.resource, seat.role, self.version)
        worker = outer.worker if isinstance(outer, Connector) else None
        if worker is not None:
            return worker.client(seat.role, key)
        codec = embedded.codec(seat.role, key)
        alone = isinstance(outer, Connector) and not (
            outer.resource.traits.partial or outer.workers
        )
        if codec is None and alone and not completed.in_clients(key):
            # As Connect makes it, unless a worker sets it: no file of the cluster shows them.
            view = self.resource
            view.traits.completed_by = "the worker"
            unset = Resource(seat.role, view.name, view.path, view.at)
            value = embedded.of_worker(unset, seat.role, key, self.version, False)
            value.resource = view
            return value
        # What runs the connector may give its clients anything but what they cannot do without.
        if codec is not None:
            return embedded.given(key, codec, outer.resource, self.version)
        return Value(key, outer.resource, ABSENT)

    def claim(self, finding: Finding) -> bool:
        """Make a finding one on the host; whether it is one at all.

        A setting for this very client has part in it, and no other cluster's brokers have.
        """
        host = self.outer.resource
        missing = finding.evidence[0].setting is None
        if not self.meets and any(v.resource.kind in _BROKERS for v in finding.evidence):
            return False
        if finding.resource is self.resource:
            finding.resource = host
        mine, bare = self._given(finding)
        guess = self.cluster.guess(host)
        guessed = bool(guess) and any(v.resource is not host for v in finding.evidence)
        doubt = f"if the cluster in {guess} is meant" if guessed else self._condition
        if doubt and not finding.ceiling:
            finding.ceiling = WARNING
            finding.consequence = f"{doubt}: {finding.consequence}"
        if missing and mine:
            # What the client lacks stands nowhere: what it has, and that decides, does.
            finding.path, finding.at = mine[0].path, mine[0].at
        if finding.fix is not None:
            finding.fix.text = self._spelt(finding.fix.text, bare)
        return bool(mine)

    def _given(self, finding: Finding) -> tuple[list[Setting], list[str]]:
        """Make the evidence the host's; the client's own settings in it, and its keys.

        The keys are as the client knows them, without the prefix that they have on the host.
        """
        host = self.outer.resource
        mine: list[Setting] = []
        bare: list[str] = []
        for value in finding.evidence:
            if value.resource is self.resource:
                value.resource = host
            found = self._known(value)
            if value.resource is host and (found or value.setting is None):
                bare.append(value.key)
            if found is not None and value.setting is not None:
                mine.append(value.setting)
                key, value.from_key = found
                if value.key == value.setting.name:
                    value.key = key
        return mine, bare

    def _spelt(self, text: str, keys: list[str]) -> str:
        """A text with the host's names for the client's keys."""
        key, name = next(iter(self._own.values()))
        prefix = name[: -len(key)]
        for bare in dict.fromkeys(keys):
            whole = re.compile(rf"(?<![\w.-]){re.escape(bare)}(?![\w-]|\.\w)")
            # Not a text for the replacement: a key may have a backslash in it.
            text = whole.sub(lambda found: prefix + found[0], text)
        return text

    def adds(self, first: Finding, finding: Finding) -> None:
        """Tell in the finding on another client of the same host that the same holds for this one."""
        first.message += f"; the same for the {self.seat.label}"
        if first.fix is not None and finding.fix is not None:
            first.fix.text += f", and {finding.fix.text}"
        known = {(v.setting.path, v.setting.at) for v in first.evidence if v.setting is not None}
        first.evidence += tuple(
            value
            for value in finding.evidence
            if value.setting is not None
            and (value.setting.path, value.setting.at) not in known
            and self._known(value) is not None
        )

    def _known(self, value: Value) -> tuple[str, str] | None:
        """The key and the host's key of a value that is set for this very client."""
        setting = value.setting
        return self._own.get((setting.path, setting.key_at)) if setting is not None else None


class HostedProducer(Hosted, Producer):
    __slots__ = ()


class HostedConsumer(Hosted, Consumer):
    __slots__ = ()


_CLASSES: dict[str, type[Hosted]] = {"producer": HostedProducer, "consumer": HostedConsumer}


def hosted(cluster: Cluster) -> Iterator[Hosted]:
    """The clients for which a connector, worker or Streams application of a cluster sets something."""
    for host in (*cluster.connectors, *cluster.clients):
        resource = host.resource
        if not libraries.of(resource.dialect).java:
            continue
        for seat in SEATS.get(resource.plane, ()):
            own = _settings(resource, seat)
            if own and (seat.made is None or seat.made(host)):
                yield _CLASSES.get(seat.role, Hosted)(host, seat, own)


def _settings(resource: Resource, seat: Seat) -> dict[str, tuple[str, Setting]]:
    """What stands behind the prefixes of a seat: the key there → the host's key and its setting."""
    found: dict[str, tuple[str, Setting]] = {}
    for name, setting in resource.settings.items():
        if resource.traits.dedicated and setting.name == name:
            continue  # MirrorMaker itself hands on what is a flow's
        if resource.plane == "streams" and embedded.made(name):
            continue
        for prefix in seat.prefixes:
            key = name[len(prefix) :]
            if key and name.startswith(prefix) and not key.startswith(_OVERRIDE):
                known = found.get(key)
                if known is None or not _stronger(known[0], name, seat):
                    found[key] = name, setting
                break
        else:
            if seat.bare and name not in found and _only(seat.role, name, resource.plane):
                found[name] = name, setting
    return found


#: Streams adds the number of a thread to it: what each member gets is another name.
_NUMBERED = "group.instance.id"
#: The roles that a host hands its keys on to.
_ROLES = ("producer", "consumer", "admin")


def _only(role: str, key: str, plane: str) -> bool:
    """Whether a key is of that role alone, neither the host's own nor another client's."""
    others = (plane, *(other for other in _ROLES if other != role))
    if key == _NUMBERED or key not in catalogue.plane(role):
        return False
    return not any(key in catalogue.plane(o) for o in others)


def _stronger(one: str, other: str, seat: Seat) -> bool:
    """Whether the first of two keys of a host stands behind the prefix that wins."""
    for prefix in seat.prefixes:
        if one.startswith(prefix) != other.startswith(prefix):
            return one.startswith(prefix)
    return True


def _topics(host: Resource, seat: Seat) -> tuple[str, ...] | None:
    """The topics that the client reads, or writes if it is a producer; None where nobody tells."""
    if seat.topics == HOST:
        return host.traits.writes if seat.role == "producer" else host.traits.topics
    named = host.settings.get(seat.topics)
    return None if named is None or not named.text else (named.text,)


def behind(setting: Setting, key: str) -> Setting:
    """The setting under another key, where it stands and as it is written there."""
    place = (setting.path, setting.at, setting.key_at, setting.name)
    if isinstance(setting, Framed):
        return Framed(key, setting.frame, *place)
    return type(setting)(key, setting.raw, *place)

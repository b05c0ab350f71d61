"""The listeners and logins of Bitnami's chart, as the settings of the broker that it makes of them.

Charts from 23 on write Kafka's own file from ``listeners`` and ``sasl``. Their protocols and ports
have changed from chart to chart, the names of the listeners have not: a list is put together only
where the values tell the rest of it.
"""

from __future__ import annotations

from kcheck.formats.scalars import derived, known, setting
from kcheck.model import Derived, Setting
from kcheck.syntax import yaml

#: The chart's listeners in its order, and the names that all charts give them.
_NAMES = {
    "client": "CLIENT",
    "interbroker": "INTERNAL",
    "external": "EXTERNAL",
    "controller": "CONTROLLER",
}
_BETWEEN, _OUTSIDE, _QUORUM = "interbroker", "external", "controller"
#: Texts that take the place of what the chart puts together.
_WRITTEN = {
    "overrideListeners": "listeners",
    "advertisedListeners": "advertised.listeners",
    "securityProtocolMap": "listener.security.protocol.map",
}
#: What replaces the file that the chart writes.
_WHOLE = ("config", "existingConfigmap")

_Pair = tuple[yaml.Node, yaml.Node]


def kraft(parts: dict[str, yaml.Node]) -> bool | None:
    """Whether Bitnami's chart is told to run KRaft or ZooKeeper; None for neither, or for both."""
    told, other = (known(yaml.child(parts.get(one), "enabled")) for one in ("kraft", "zookeeper"))
    return {"true": True, "false": False}.get(told) if told != other else None


def are_set(node: yaml.Node | None) -> bool:
    """Whether a node is the chart's ``listeners``: the one between brokers has a name there."""
    return isinstance(yaml.child(node, _BETWEEN), yaml.MappingNode)


class Chart:
    """What a mapping of values says; ``layered`` where another file may say more."""

    def __init__(self, values: yaml.Node, path: str, layered: bool) -> None:
        self._values = values
        self._path = path
        self._layered = layered
        #: Whether controllers have pods of their own.
        self.apart = self._switch("controller", "controllerOnly") is True
        quorum = self._quorum()
        listed = isinstance(yaml.child(values, "listeners", _QUORUM), yaml.MappingNode)
        #: Whether the nodes form a quorum whose listener the values speak of.
        self.kraft = quorum is True and listed
        #: The listeners that all brokers have, and the quorum's where there is one; None: unknown.
        self._members = self._bound(quorum)

    def settings(self, controller: bool = False) -> dict[str, Setting]:
        """Kafka's settings by key: of the brokers, or of the ``controller``s that are no brokers."""
        found: dict[str, Setting] = {}
        if any(not _blank(self._pair(*route)) for route in self._replaced()):
            return found
        lists = _pair(self._values, "listeners")
        if lists is None or not isinstance(lists[1], yaml.MappingNode):
            return found
        made = [self._roles(controller), *self._lists(lists[0], controller), *self._logins()]
        for one in made:
            if one is not None:
                found[one.key] = one
        return found

    def _replaced(self) -> list[tuple[str, ...]]:
        return [(*pool, key) for key in _WHOLE for pool in ((), ("controller",), ("broker",))]

    # -- what the values say ----------------------------------------------------------------

    def _pair(self, *route: str) -> _Pair | None:
        return _pair(self._values, *route)

    def _switch(self, *route: str) -> bool | None:
        """A parameter that is true or false; None where it is neither."""
        pair = self._pair(*route)
        return {"true": True, "false": False}.get(known(pair[1]).lower()) if pair else None

    def _made(self, key: str, *route: str) -> Setting | None:
        """The setting that a parameter is; None without one."""
        pair = self._pair(*route)
        if pair is None or _blank(pair):
            return None
        return setting(key, *pair, self._path, route[-1])

    def _quorum(self) -> bool | None:
        """Whether there is a quorum of controllers; None where that is open."""
        zookeeper = self._switch("zookeeper", "enabled"), self._pair("externalZookeeper", "servers")
        if zookeeper[0] or not _blank(zookeeper[1]):
            return None  # its place may be taken by a quorum one day
        if self._pair("kraft", "enabled") is None:
            # The chart's own value for as long as it had one.
            return None if self._layered else True
        return self._switch("kraft", "enabled")

    def _bound(self, quorum: bool | None) -> list[str] | None:
        outside = self._pair("externalAccess", "enabled")
        on = self._switch("externalAccess", "enabled")
        if self._layered or quorum is None or (outside is not None and on is None):
            return None
        if not _blank(self._pair("listeners", "extraListeners")):
            return None
        return [
            name
            for name in _NAMES
            if (name != _OUTSIDE or on is True) and (name != _QUORUM or quorum)
        ]

    def _name(self, listener: str) -> str | None:
        pair = self._pair("listeners", listener, "name")
        return _NAMES[listener] if _blank(pair) else known(pair[1] if pair else None) or None

    def _protocol(self, listener: str) -> str:
        return known(yaml.child(self._values, "listeners", listener, "protocol")).upper()

    # -- what the chart makes of it ---------------------------------------------------------

    def _roles(self, controller: bool) -> Setting | None:
        at = self._pair("kraft", "enabled") or self._pair("listeners", _QUORUM)
        if not self.kraft or at is None:
            return None
        apart = "controller" if controller else "broker"
        return self._derived("process.roles", apart if self.apart else "controller,broker", at[0])

    def _derived(self, key: str, text: str | None, node: yaml.Node) -> Setting:
        at = yaml.position(node)
        return Derived(key, text, self._path, at, at, str(node.value))

    def _lists(self, at: yaml.Node, controller: bool) -> list[Setting | None]:
        found = [self._made(key, "listeners", written) for written, key in _WRITTEN.items()]
        have = {one.key for one in found if one is not None}
        members = [_QUORUM] if controller and self._members else self._members
        entries = [f"{self._name(name)}:{self._protocol(name)}" for name in members or ()]
        whole = all(self._name(name) and self._protocol(name) for name in members or ())
        if members and whole and "listener.security.protocol.map" not in have:
            text = ",".join(entries).upper()
            found.append(self._derived("listener.security.protocol.map", text, at))
        bound = [n for n in members or () if controller or n != _QUORUM or not self.apart]
        ports = [known(yaml.child(self._values, "listeners", n, "containerPort")) for n in bound]
        if bound and all(port.isdecimal() for port in ports) and all(map(self._name, bound)):
            text = ",".join(
                f"{self._name(n)}://:{port}".upper() for n, port in zip(bound, ports, strict=True)
            )
            if "listeners" not in have:
                found.append(self._derived("listeners", text, at))
        if self.kraft:
            found.append(self._named("controller.listener.names", _QUORUM))
        if not controller:
            found.append(self._named("inter.broker.listener.name", _BETWEEN))
        return found

    def _named(self, key: str, listener: str) -> Setting | None:
        """The name of a listener as a setting; the chart's own where the values give none."""
        pair = self._pair("listeners", listener)
        if pair is None or not isinstance(pair[1], yaml.MappingNode):
            return None
        told = self._made(key, "listeners", listener, "name")
        if told is None and self._layered:
            return None
        return told or self._derived(key, _NAMES[listener], pair[0])

    def _logins(self) -> list[Setting | None]:
        """The mechanisms; the chart writes them for listeners with SASL alone."""
        found: list[Setting | None] = []
        members = self._members or (*_NAMES,)[:2]
        if any("SASL" in self._protocol(name) for name in members):
            found.append(self._made("sasl.enabled.mechanisms", "sasl", "enabledMechanisms"))
        if "SASL" in self._protocol(_BETWEEN):
            key = "sasl.mechanism.inter.broker.protocol"
            found.append(self._made(key, "sasl", "interBrokerMechanism"))
        if self.kraft and "SASL" in self._protocol(_QUORUM):
            key = "sasl.mechanism.controller.protocol"
            found.append(self._made(key, "sasl", "controllerMechanism"))
        return [_upper(one) for one in found]


def _pair(node: yaml.Node | None, *route: str) -> _Pair | None:
    """The key and the value at the end of a route through mappings; None where there is none."""
    for key, key_node, value in yaml.pairs(yaml.child(node, *route[:-1])):
        if key == route[-1]:
            return key_node, value
    return None


def _blank(pair: _Pair | None) -> bool:
    """Whether a parameter is not there, or empty as in the chart itself."""
    if pair is None or yaml.is_null(pair[1]):
        return True
    return not (yaml.text(pair[1]) or yaml.items(pair[1]) or yaml.pairs(pair[1]))


def _upper(made: Setting | None) -> Setting | None:
    if made is None or made.text is None or made.text == made.text.upper():
        return made
    return derived(made, made.text.upper())

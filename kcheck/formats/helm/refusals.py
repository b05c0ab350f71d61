"""Values that Bitnami's chart refuses: Helm renders nothing and ends with VALUES VALIDATION.

By hand from ``kafka.validateValues.*`` in templates/_helpers.tpl of the chart (bitnami/charts), whose
conditions are alike from 24.0 to 31.x; from 32.0 on the init containers have the switch for
discovery. Older charts (11.0 to 23.x) have one ``externalAccess.service``, the protocols of their
listeners below ``auth``, and the stores for TLS below ``auth.tls`` (12.12 and newer).
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.scalars import known, setting
from kcheck.formats.text import templated
from kcheck.model import Position, Problem, Setting
from kcheck.syntax import yaml

CODE = "KC0158"
_ACCESS, _TYPES = "externalAccess", ("NodePort", "LoadBalancer", "ClusterIP")
_MECHANISMS = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"
_POOLS = ("controller", "broker")
_ENDS = "Helm renders nothing: the chart refuses the values (VALUES VALIDATION)"
_SECURED = ("SSL", "SASL_SSL")
#: What 32.0 removed.
_REMOVED = ("kraft", "zookeeper", "externalZookeeper")
#: Charts before 24.0: the protocols, those with TLS, and where they stand.
_PROTOCOLS, _TLS = ("plaintext", "tls", "mtls", "sasl", "sasl_tls"), ("tls", "mtls", "sasl_tls")
_SIDES = ("clientProtocol", "interBrokerProtocol", "externalClientProtocol")
_STORES = ("existingSecrets", "existingSecret")


class Refusals:
    """The checks of the chart on one mapping of values."""

    def __init__(self, values: yaml.Node, path: str) -> None:
        self._values = values
        self._path = path
        self._access = yaml.child(values, _ACCESS)
        #: Charts with a pool of controllers and one of brokers.
        self._pooled = any(yaml.child(self._access, pool) is not None for pool in _POOLS)

    def found(self) -> Iterator[Problem]:
        """What the chart refuses, as far as this file alone decides it."""
        if self._on(_ACCESS, "enabled"):
            yield from self._discovery()
            for pool in _POOLS if self._pooled else ():
                yield from self._service(pool)
            if not self._pooled and yaml.child(self._access, "service") is not None:
                yield from self._only_service()
        yield from self._former()
        purpose = yaml.child(self._values, "listeners", "interbroker")
        if isinstance(purpose, yaml.MappingNode) and self._before_32():
            yield from self._certificates()
            yield from self._mechanisms()

    def generation(self) -> str:
        """The charts whose modes are checked by the table, as its holder names them; "" for others."""
        pools = [yaml.child(self._values, pool) for pool in _POOLS]
        told = [yaml.child(one, "replicaCount") is not None for one in pools]
        if not any(told):
            return ""
        return "24" if any(yaml.child(self._values, one) is not None for one in _REMOVED) else "32"

    def _before_32(self) -> bool:
        """Whether the values have a part that 32.0 removed: later charts may generate certificates."""
        discovers = yaml.child(self._access, "autoDiscovery") is not None
        return discovers or any(yaml.child(self._values, one) is not None for one in _REMOVED)

    # -- external access --------------------------------------------------------------------

    def _discovers(self) -> bool | None:
        """Whether addresses are discovered; None where a template says so."""
        switches = [
            self._text(_ACCESS, "autoDiscovery", "enabled"),
            self._text("defaultInitContainers", "autoDiscovery", "enabled"),
        ]
        if "true" in switches:
            return True
        return None if any(templated(one) for one in switches) else False

    def _discovery(self) -> Iterator[Problem]:
        create = self._text("rbac", "create")
        if self._discovers() and create in ("", "false"):
            where = (_ACCESS, "autoDiscovery", "enabled")
            if yaml.child(self._values, *where) is None:
                where = ("defaultInitContainers", "autoDiscovery", "enabled")
            yield self._problem(
                f"{'.'.join(where)}=true requires rbac.create=true",
                self._setting(*where),
                "set rbac.create to true: the init container asks the API of Kubernetes for addresses",
                ("rbac", "create"),
            )

    def _service(self, pool: str) -> Iterator[Problem]:
        """The service of a pool: its type, and what that type requires without discovery."""
        route = (_ACCESS, pool, "service")
        told = self._text(*route, "type")
        kind = told or "LoadBalancer"
        if templated(kind):
            return
        if kind not in _TYPES:
            yield self._problem(
                f"{'.'.join(route)}.type={kind} is not one of {', '.join(_TYPES)}",
                self._setting(*route, "type"),
                f"set {'.'.join(route)}.type to one of {', '.join(_TYPES)}",
            )
        elif kind == "ClusterIP":
            if self._empty(*route, "domain"):
                yield self._lacking(pool, kind, "domain")
        elif self._discovers() is False and self._exposed(pool, kind):
            yield from self._lists(pool, kind)

    def _exposed(self, pool: str, kind: str) -> bool:
        """Whether the chart checks the lists of this pool: of brokers only those of node ports."""
        if pool == "broker":
            return kind == "NodePort"
        only = self._text(pool, "controllerOnly") or "false"
        return kind == "NodePort" or only == "false" or self._on(_ACCESS, pool, "forceExpose")

    def _lists(self, pool: str, kind: str) -> Iterator[Problem]:
        names = (
            ("nodePorts", "externalIPs")
            if kind == "NodePort"
            else ("loadBalancerIPs", "loadBalancerNames")
        )
        lists = [yaml.child(self._access, pool, "service", name) for name in names]
        if all(one is None or self._is_empty(one) for one in lists):
            yield self._lacking(pool, kind, *names)
            return
        count = self._text(pool, "replicaCount")
        for name, listed in zip(names, lists, strict=True):
            items = yaml.items(listed)
            if items and count.isdecimal() and len(items) != int(count[:9]):
                yield self._problem(
                    f"{_ACCESS}.{pool}.service.{name} has {len(items)} "
                    f"{'entry' if len(items) == 1 else 'entries'} for {pool}.replicaCount={count}",
                    self._setting(_ACCESS, pool, "service", name),
                    f"list one of {name} for each replica",
                )
                return

    def _lacking(self, pool: str, kind: str, *names: str) -> Problem:
        """A list that is needed; told where the type is, or external access is switched on."""
        wanted = " or ".join(names)
        return self._problem(
            f"{_ACCESS}.{pool}.service of type {kind} requires {wanted}",
            self._setting(_ACCESS, pool, "service", "type") or self._setting(_ACCESS, "enabled"),
            f"set {_ACCESS}.{pool}.service.{names[0]}"
            + ("" if kind == "ClusterIP" else ", or enable the discovery of addresses"),
            (_ACCESS, pool, "service", names[0]),
        )

    def _only_service(self) -> Iterator[Problem]:
        """The one service of charts before 24.0, where nothing discovers the addresses."""
        kind = self._text(_ACCESS, "service", "type") or "LoadBalancer"
        lists = ("nodePorts", "externalIPs", "loadBalancerIPs", "loadBalancerNames")
        if self._discovers() is not False or kind not in _TYPES[:2]:
            return
        names = lists[:2] if kind == "NodePort" else lists[2:]
        told = [name for name in names if not self._empty(_ACCESS, "service", name)]
        if not told:
            yield self._problem(
                f"{_ACCESS}.service of type {kind} requires {' or '.join(names)}",
                self._setting(_ACCESS, "service", "type") or self._setting(_ACCESS, "enabled"),
                f"set {_ACCESS}.service.{names[0]}, or enable the discovery of addresses",
                (_ACCESS, "service", names[0]),
                _ENDS
                if kind == "NodePort"
                else f"{_ENDS} from 15.2 on; before, brokers advertise no host",
            )
        for name in told:
            yield from self._counted(_ACCESS, "service", name)

    def _counted(self, *route: str) -> Iterator[Problem]:
        """A list that has one entry for each replica; charts before 24.0 have one unless told."""
        items = yaml.items(yaml.child(self._values, *route))
        count = self._text("replicaCount")
        if items and count.isdecimal() and len(items) != int(count[:9]):
            yield self._problem(
                f"{'.'.join(route)} has {len(items)} {'entry' if len(items) == 1 else 'entries'} "
                f"for replicaCount={count}",
                self._setting(*route),
                f"list one of {route[-1]} for each replica",
            )

    def _former(self) -> Iterator[Problem]:
        """The protocols of charts before 24.0, and the stores that those with TLS require."""
        told = [(side, self._text("auth", side)) for side in _SIDES]
        for side, protocol in told:
            if protocol and not templated(protocol) and protocol not in _PROTOCOLS:
                yield self._problem(
                    f"auth.{side}={protocol} is not one of {', '.join(_PROTOCOLS)}",
                    self._setting("auth", side),
                    f"set auth.{side} to one of {', '.join(_PROTOCOLS)}",
                )
        secured = next((side for side, protocol in told if protocol in _TLS), None)
        if secured is None:
            return
        yield from self._counted("auth", "tls", _STORES[0])
        made = self._text("auth", "tls", "autoGenerated") not in ("", "false")
        kind = self._text("auth", "tls", "type") or "jks"
        named = any(not self._empty("auth", "tls", one) for one in _STORES)
        # Before 12.12 the stores had a Secret of another name.
        if named or (made and kind != "jks") or not self._empty("auth", "jksSecret"):
            return
        yield self._problem(
            f"auth.{secured}={self._text('auth', secured)} with auth.tls.type={kind} requires "
            f"auth.tls.{_STORES[0]}",
            self._setting("auth", secured),
            f"set auth.tls.{_STORES[0]} to the Secrets of the brokers ({_STORES[1]} before 14.3)"
            + (", or auth.tls.autoGenerated" if kind == "pem" else ""),
            ("auth", "tls", _STORES[0]),
        )

    # -- security ---------------------------------------------------------------------------

    def _certificates(self) -> Iterator[Problem]:
        listeners = ["client", "interbroker"]
        listeners += ["controller"] * (self._text("kraft", "enabled") in ("", "true"))
        listeners += ["external"] * self._on(_ACCESS, "enabled")
        used = next(
            (
                one
                for one in listeners
                if self._text("listeners", one, "protocol").upper() in _SECURED
            ),
            None,
        )
        written = ("securityProtocolMap", "overrideListeners")
        if used is None or not all(self._empty("listeners", one) for one in written):
            return
        tls = yaml.child(self._values, "tls")
        made = self._text("tls", "autoGenerated")
        if tls is not None and (
            made not in ("", "false")
            or isinstance(yaml.child(tls, "autoGenerated"), yaml.MappingNode)
            or not self._empty("tls", "existingSecret")
        ):
            return
        yield self._problem(
            f"listeners.{used}.protocol={self._text('listeners', used, 'protocol')} requires "
            "tls.existingSecret",
            self._setting("listeners", used, "protocol"),
            "set tls.existingSecret to a Secret with the stores, or let the chart generate them "
            "(tls.autoGenerated)",
            ("tls", "existingSecret"),
        )

    def _mechanisms(self) -> Iterator[Problem]:
        """The mechanisms between nodes are PLAIN unless told, and have to be among the enabled ones."""
        enabled = self._text("sasl", "enabledMechanisms") or _MECHANISMS
        if templated(enabled):
            return
        for key in ("interBrokerMechanism", "controllerMechanism"):
            if key.startswith("controller") and self._text("kraft", "enabled") == "false":
                continue
            own = self._text("sasl", key)
            mechanism = own or "PLAIN"
            if not templated(mechanism) and mechanism not in enabled:
                told = self._setting("sasl", key) or self._setting("sasl", "enabledMechanisms")
                yield self._problem(
                    f"sasl.{key}={mechanism}{'' if own else ' (default)'} is not in "
                    f"sasl.enabledMechanisms={enabled}",
                    told,
                    f"set sasl.{key} to an enabled mechanism, or add {mechanism} to "
                    "sasl.enabledMechanisms",
                    ("sasl", key),
                )

    # -- values -----------------------------------------------------------------------------

    def _text(self, *route: str) -> str:
        return yaml.text(yaml.child(self._values, *route)) or ""

    def _on(self, *route: str) -> bool:
        return self._text(*route) == "true"

    def _empty(self, *route: str) -> bool:
        node = yaml.child(self._values, *route)
        return node is None or self._is_empty(node)

    @staticmethod
    def _is_empty(node: yaml.Node) -> bool:
        if isinstance(node, yaml.ScalarNode):
            return not yaml.text(node)
        return not yaml.items(node) and not yaml.pairs(node)

    def _setting(self, *route: str) -> Setting | None:
        """The value at a route with its place; None where the file does not have it."""
        holder = yaml.child(self._values, *route[:-1]) if route[:-1] else self._values
        for key, key_node, value in yaml.pairs(holder):
            if key == route[-1]:
                made = setting(".".join(route), key_node, value, self._path)
                return Setting(made.key, known(value) or None, made.path, made.at, made.key_at)
        return None

    def _problem(
        self,
        message: str,
        told: Setting | None,
        fix: str,
        lacks: tuple[str, ...] = (),
        ends: str = _ENDS,
    ) -> Problem:
        """A refusal at the value that asks for what is missing, or is wrong itself."""
        at: Position = told.key_at if told is not None else yaml.position(self._values)
        if lacks:
            told = Setting(".".join(lacks), None, self._path, at, at)
        return Problem(f"Bitnami's chart: {message}", at, CODE, "", ends, fix, setting=told)

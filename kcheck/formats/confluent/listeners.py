"""What the listeners of Confluent for Kubernetes speak: facts ``listeners.NAME.tls`` and the login.

Each listener has TLS and a login where its own part of the resource says so. Those that the
resource leaves out are there, too, in plain text.
"""

from __future__ import annotations

from kcheck.formats.kustomize.whole import Wholes
from kcheck.formats.scalars import known
from kcheck.model import Derived, Resource, Setting
from kcheck.syntax import yaml

_MAP = "listener.security.protocol.map"
#: The listeners that the operator makes by itself.
_OWN = ("internal", "replication", "external")
#: The operator's logins and what the address graph calls them; LDAP is asked behind SASL's PLAIN.
_LOGINS = {"plain": "plain", "ldap": "plain", "mtls": "tls", "oauth": "oauth"}


def take(resource: Resource, node: yaml.Node, spec: yaml.Node | None, wholes: Wholes) -> None:
    """Note the facts of each listener of a Kafka, unless its own settings tell the protocols."""
    at = yaml.child(node, "metadata", "name") or yaml.child(node, "kind")
    listeners = yaml.child(spec, "listeners")
    if _MAP in resource.settings or at is None:
        return
    if listeners is not None and not yaml.pairs(listeners):
        return
    told = {key: (key_node, value) for key, key_node, value in yaml.pairs(listeners)}
    for name in _OWN:
        key_node, value = told.get(name, (at, None))
        # A patch leaves out what the base has.
        if value is None or yaml.child(value, "tls", "enabled") is None:
            below = yaml.child(wholes.of(node), "spec", "listeners", name)
            if wholes.of(node) is None or yaml.child(below, "tls", "enabled") is not None:
                _login(resource, name.upper(), value)
                continue
        _listener(resource, name.upper(), key_node, value)
    for item in yaml.items(told["custom"][1]) if "custom" in told else ():
        name = known(yaml.child(item, "name"))
        if name:
            _listener(resource, name.upper(), item, item)


def _listener(resource: Resource, name: str, at: yaml.Node, node: yaml.Node | None) -> None:
    switch = yaml.child(node, "tls", "enabled")
    key = f"listeners.{name}.tls"
    text = "false" if switch is None else known(switch).lower()
    place = yaml.position(at if switch is None else switch)
    resource.facts[key] = Derived(key, text, resource.path, place, yaml.position(at), "tls")
    _login(resource, name, node)


def _login(resource: Resource, name: str, node: yaml.Node | None) -> None:
    login = yaml.child(node, "authentication")
    for rule in yaml.items(yaml.child(login, "principalMappingRules")):
        raw = yaml.text(rule) or ""
        if "\\" in raw:
            from kcheck.formats.properties import backslashes  # few rules have any

            told = Setting("principalMappingRules", raw, resource.path, yaml.position(rule))
            backslashes.note(resource, told, raw)
    if login is not None and not yaml.is_null(login):
        key = f"listeners.{name}.authentication"
        kind = yaml.child(login, "type")
        spot = yaml.position(kind or login)
        resource.facts[key] = Setting(key, _LOGINS.get(known(kind)), resource.path, spot)

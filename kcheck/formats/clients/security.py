"""What operators make of a client's ``tls`` and ``authentication``: its protocol and mechanism."""

from __future__ import annotations

from kcheck.formats.scalars import known
from kcheck.model import Derived, Resource, Setting
from kcheck.syntax import yaml

#: The operators' logins and their mechanisms; "" for certificates, which are no login of SASL's.
_LOGINS = {
    "tls": "",
    "mtls": "",
    "plain": "PLAIN",
    "scram-sha-256": "SCRAM-SHA-256",
    "scram-sha-512": "SCRAM-SHA-512",
    "oauth": "OAUTHBEARER",
    "oauthbearer": "OAUTHBEARER",
}
_PROTOCOL, _MECHANISM, _JAAS = "security.protocol", "sasl.mechanism", "sasl.jaas.config"


def by_presence(tls: yaml.Node | None) -> bool | None:
    """Whether TLS is on where the mapping alone says so (Strimzi); None where nobody knows."""
    if tls is None or yaml.is_null(tls):
        return False
    return None if isinstance(tls, yaml.ScalarNode) else True


def by_switch(tls: yaml.Node | None) -> bool | None:
    """Whether TLS is on where ``enabled`` says so (Confluent); None where nobody knows."""
    if tls is None or yaml.is_null(tls):
        return False
    return {"true": True, "false": False}.get(known(yaml.child(tls, "enabled")).lower())


def secure(
    resource: Resource, on: bool | None, tls: yaml.Node | None, login: yaml.Node | None
) -> None:
    """Give a client what the operator makes of the two; ``on`` is whether it speaks TLS."""
    kind = "" if login is None or yaml.is_null(login) else known(yaml.child(login, "type")) or "?"
    place = next((yaml.position(node) for node in (login, tls) if node is not None), resource.at)
    if on is None or (kind and kind not in _LOGINS):
        for key in (_PROTOCOL, _MECHANISM, _JAAS):
            resource.image[key] = Setting(key, None, resource.path, resource.at)
        return
    mechanism = _LOGINS.get(kind, "")
    protocol = ("SASL_" if mechanism else "") + ("SSL" if on else "PLAINTEXT")
    name = "authentication" if mechanism else "tls"
    resource.image[_PROTOCOL] = Derived(_PROTOCOL, protocol, resource.path, place, name=name)
    if mechanism:
        resource.image[_MECHANISM] = Derived(_MECHANISM, mechanism, resource.path, place, name=name)
        resource.image[_JAAS] = Setting(_JAAS, None, resource.path, resource.at)
    # Certificates of its own, and those that it trusts, come from Secrets.
    for key, has in (
        ("ssl.keystore.location", kind in ("tls", "mtls")),
        ("ssl.truststore.location", on),
    ):
        if has:
            resource.image[key] = Setting(key, None, resource.path, resource.at)

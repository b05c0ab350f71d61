"""What Strimzi's operator refuses in a listener with authentication of type oauth.

The checks are those of ListenersValidator.validateOauth in strimzi/strimzi-kafka-operator, without the
one that parses customClaimCheck.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.strimzi.resource import known
from kcheck.formats.text import templated
from kcheck.syntax import yaml
from kcheck.units import whole

_INTROSPECTION, _KEYS = "introspectionEndpointUri", "jwksEndpointUri"
_REFRESH, _EXPIRY, _PAUSE = "jwksRefreshSeconds", "jwksExpirySeconds", "jwksMinRefreshPauseSeconds"
#: The operator's defaults, in seconds, and how much sooner than its expiry a key is to be fetched.
_DEFAULTS = {_REFRESH: 300, _EXPIRY: 360}
_SOONER = 60
#: Switches that are on where nobody says otherwise.
_ON = ("enableOauthBearer", "checkIssuer", "accessTokenIsJwt", "checkAccessTokenType")
#: A field or switch, and the field that it needs.
_NEEDS = (
    ("enablePlain", "tokenEndpointUri"),
    ("checkAudience", "clientId"),
    (_INTROSPECTION, "clientId"),
    (_INTROSPECTION, "clientSecret"),
    ("userInfoEndpointUri", _INTROSPECTION),
    ("validTokenType", _INTROSPECTION),
    *((field, _KEYS) for field in (_REFRESH, _EXPIRY, _PAUSE)),
)
#: Switches that are off beside something that needs them: the switch, and the field or other switch.
_OFF = (
    ("enableOauthBearer", "enablePlain", False),
    ("accessTokenIsJwt", _KEYS, True),
    ("checkAccessTokenType", "accessTokenIsJwt", False),
    ("checkAccessTokenType", _INTROSPECTION, True),
)


class _Fields:
    """The fields of an authentication; what a template fills in is set to something unknown."""

    def __init__(self, node: yaml.Node) -> None:
        self.node = node
        self.pairs = {key: value for key, _, value in yaml.pairs(node) if not yaml.is_null(value)}

    def on(self, name: str) -> bool | None:
        """Whether a switch is on; None where that is unknown. Other fields are on where they are set."""
        value = self.pairs.get(name)
        if value is None:
            return name in _ON
        text = known(value)
        if text in ("true", "false"):
            return text == "true"
        return None if name in _SWITCHES else True

    def number(self, name: str) -> int | None:
        """A number of seconds, the default where it is not set; None where it is unknown."""
        value = self.pairs.get(name)
        return _DEFAULTS.get(name) if value is None else whole(known(value))

    def spot(self, name: str) -> yaml.Node:
        return self.pairs.get(name, self.node)


_SWITCHES = (*_ON, "enablePlain", "checkAudience")


def refusals(item: yaml.Node) -> Iterator[tuple[yaml.Node, str, str]]:
    """(where, what, fix) of each refusal of a listener's authentication."""
    node = yaml.child(item, "authentication")
    if node is None or known(yaml.child(node, "type")) != "oauth":
        return
    if any(templated(key) or key == "<<" for key, _, _ in yaml.pairs(node)):
        return
    fields = _Fields(node)
    listener = f"listener {known(yaml.child(item, 'name'))} with authentication of type oauth"
    for spot, why, fix in (*_lacking(fields), *_contradictions(fields), *_periods(fields)):
        yield spot, f"{listener} {why}", fix


def _lacking(fields: _Fields) -> Iterator[tuple[yaml.Node, str, str]]:
    told = fields.spot("type")
    if not fields.on(_INTROSPECTION) and not fields.on(_KEYS):
        fix = f"set {_KEYS} or {_INTROSPECTION}"
        yield told, f"has neither {_KEYS} nor {_INTROSPECTION}", fix
    if fields.on("checkIssuer") and not fields.on("validIssuerUri"):
        yield told, "has no validIssuerUri", "set validIssuerUri, or checkIssuer: false"
    for field, needed in _NEEDS:
        if fields.on(field) and not fields.on(needed):
            yield fields.spot(field), f"has {field}, but no {needed}", f"set {needed}"


def _contradictions(fields: _Fields) -> Iterator[tuple[yaml.Node, str, str]]:
    for switch, other, state in _OFF:
        if fields.on(switch) is False and fields.on(other) is state:
            beside = f"{other}{'' if state else ': false'}"
            yield fields.spot(switch), f"has {switch}: false beside {beside}", f"set {switch}: true"


def _periods(fields: _Fields) -> Iterator[tuple[yaml.Node, str, str]]:
    for field in (_REFRESH, _EXPIRY):
        if fields.on(field) and fields.number(field) == 0:
            yield fields.spot(field), f"has {field}: 0", f"set a positive {field}"
    refresh, expiry = fields.number(_REFRESH), fields.number(_EXPIRY)
    written = fields.on(_REFRESH) or fields.on(_EXPIRY)
    if written and refresh and expiry and expiry < refresh + _SOONER:
        at = fields.spot(_EXPIRY if fields.on(_EXPIRY) else _REFRESH)
        yield (
            at,
            f"fetches keys every {refresh} s, which is not {_SOONER} s less than their expiry "
            f"of {expiry} s",
            f"set {_EXPIRY} to at least {refresh + _SOONER}",
        )

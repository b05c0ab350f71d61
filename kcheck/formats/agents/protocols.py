"""The protocol of the clients of agents, which have options for TLS and logins and none for the protocol."""

from __future__ import annotations

from kcheck.model import Position, Resource, Setting

#: Where an option says something of TLS, or of a login.
_TLS = ("tls", "ssl", "enable_tls", "auth.tls")
_SASL = ("sasl", "username", "auth.sasl", "auth.plain_text", "auth.kerberos", "kerberos")
#: Options with which TLS is on or off, by their values, where others of its section do not tell: configtls
#: of the Collector has none where it is insecure (not: where it skips the verification), Beats'
#: libbeat/common/tls none where it is disabled.
_OFF, _ON = {"true": False, "false": True}, {"true": True, "false": False}
_TLS_IS_ON = {
    ("otel-collector", "tls.insecure"): _OFF,
    ("otel-collector", "auth.tls.insecure"): _OFF,
    ("beats", "ssl.enabled"): _ON,
}
#: The switches of a login and of TLS in programs whose clients have neither without them; "" where it
#: is the options of a login that switch it on.
_SWITCHES = {
    "vector": ("sasl.enabled", "tls.enabled"),
    "redpanda-connect": ("", "tls.enabled"),
    "redpanda-connect-franz": ("", "tls.enabled"),
    "keda": ("", "tls"),
    "knative": ("net.sasl.enable", "net.tls.enable"),
}
#: What switches one on.
_SET = ("true", "enable")


def secure(made: Resource, program: str, options: list[Option], at: Position) -> None:
    """Derive the protocol, which these programs have no option for; unknown where TLS may be off."""
    if "security.protocol" in made.settings or made.dialect == "java":
        return
    if program == "dapr":
        _of_dapr(made, {o.name.lower(): o.text for o in options}, at)
        return
    if program == "promtail":
        _of_promtail(made, {o.name: o.text for o in options}, at)
        return
    if program in _SWITCHES:
        given = {o.name: o.text for o in options}
        given[""] = str(any(o.name.startswith(_SASL) for o in options)).lower()
        login, tls = (given.get(name, "false") for name in _SWITCHES[program])
        if (login, tls) != ("false", "false") or any(o.name.startswith("tls.") for o in options):
            told = None if login is None or tls is None else _protocol(login in _SET, tls in _SET)
            made.image["security.protocol"] = Setting("security.protocol", told, made.path, at)
        return
    encrypted = [
        o for o in options if o.name.split(".")[0].split("_")[0] in _TLS or o.name.startswith(_TLS)
    ]
    # sasl_over_ssl of Fluentd's says what a login would need.
    sasl = any(o.name.startswith(_SASL) and o.name != "sasl_over_ssl" for o in options)
    if encrypted or sasl:
        switched = any(o.text in (None, "false", "true", "off", "on") for o in encrypted)
        on = _switched(program, encrypted) if switched else bool(encrypted)
        text = None if on is None else _protocol(sasl, on)
        made.image["security.protocol"] = Setting("security.protocol", text, made.path, at)


def _of_dapr(made: Resource, given: dict[str, str | None], at: Position) -> None:
    """Dapr's protocol: TLS with every login, unless it is switched off."""
    login, off = given.get("authtype"), given.get("disabletls", "false")
    if login is not None and off is not None:
        sasl = login.lower() in ("password", "oidc", "oidc_private_key_jwt", "awsiam")
        text = _protocol(sasl, login.lower() != "none" and off.lower() != "true")
        made.image["security.protocol"] = Setting("security.protocol", text, made.path, at)


def _of_promtail(made: Resource, given: dict[str, str | None], at: Position) -> None:
    """Promtail's protocol: by the type of its authentication, and what a login says of TLS."""
    kind = given.get("authentication.type", "none")
    tls = given.get("authentication.sasl_config.use_tls", "false")
    text = None
    if kind is not None and tls is not None:
        text = _protocol(kind == "sasl", kind == "ssl" or (kind == "sasl" and tls == "true"))
    made.image["security.protocol"] = Setting("security.protocol", text, made.path, at)


def _switched(program: str, encrypted: list[Option]) -> bool | None:
    """Whether TLS is on, by the option that alone says so; None where none is told, or its value is not."""
    for option in encrypted:
        on = _TLS_IS_ON.get((program, option.name), {}).get(option.text or "")
        if on is not None:
            # With a CA the Collector uses TLS, whatever the option says.
            return on or any(".ca_" in one.name and ".insecure" in option.name for one in encrypted)
    return None


def _protocol(login: bool, tls: bool) -> str:
    return f"{'SASL_' if login else ''}{'SSL' if tls else 'PLAINTEXT'}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.agents.options import Option

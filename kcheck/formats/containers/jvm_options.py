"""Options of a JVM among the variables of its container."""

from __future__ import annotations

from collections.abc import Mapping

from kcheck.formats.containers.variables import Variable

#: How the variables end by which start scripts and the JVM itself read options: KAFKA_OPTS,
#: SCHEMA_REGISTRY_OPTS, JAVA_TOOL_OPTIONS, EXTRA_ARGS.
_ENDINGS = ("_OPTS", "_OPTIONS", "_ARGS")
_LOGINS = "java.security.auth.login.config"


def names_jaas_file(variables: Mapping[str, Variable]) -> bool | None:
    """Whether the options name a file with logins; None where one of them is not known."""
    options = [one for name, one in variables.items() if name.endswith(_ENDINGS)]
    if any(_LOGINS in (one.known or one.frame or "") for one in options):
        return True
    return None if any(one.known is None for one in options) else False


#: What files with logins are called that lie beside the properties of who reads them by an option.
_BESIDE = tuple(
    f"{who}{mark}jaas{ending}"
    for mark in ("_", "-")
    for who in ("kafka", "client", "server", "broker", f"kafka{mark}client", f"kafka{mark}server")
    for ending in (".conf", ".config")
)


def login_beside(path: str, lookup: Lookup) -> bool | None:
    """Whether a file with logins lies beside a file; None if not: an option of the JVM may name one
    anywhere."""
    folder = path.rpartition("/")[0]
    names = ("jaas.conf", *_BESIDE)
    return True if any(lookup(f"{folder}/{name}".lstrip("/")) for name in names) else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

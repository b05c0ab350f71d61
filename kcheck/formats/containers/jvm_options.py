"""Options of a JVM among the variables of its container."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kcheck.formats.containers.variables import Variable
from kcheck.formats.folders import names_in

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


#: What files with logins are called that lie beside the files of who reads them by an option.
_BESIDE = re.compile(r"jaas[\w.-]*$|\.jaas\b", re.IGNORECASE)


def login_beside(path: str, lookup: Lookup, kind: str) -> bool | None:
    """Whether a file with logins for a resource of that kind lies beside a file; None if not: an option
    of the JVM may name one anywhere."""
    folder = path.rpartition("/")[0]
    section = b"KafkaServer" if kind in ("broker", "controller") else b"KafkaClient"
    for name in filter(_BESIDE.search, names_in(folder, lookup) or ()):
        held = lookup(f"{folder}/{name}".lstrip("/"))
        # What is a folder, or what somebody fills in, may have any sections.
        if held is None or section in held or b"LoginModule" not in held:
            return True
    return None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

"""Where kcheck says something else than Kafka on purpose, and why. A test meets each of them.

What Kafka refuses here hangs on things that no file tells: the rest of the configuration, the
class path, the machine. There kcheck is silent, or warns.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cases import BROKERS, WORKERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from compare import Comparison
    from jvm import Answer

PIECES = (
    "a file of a client or connector is seldom all that it gets: "
    "servers, names, serializers and secrets come from elsewhere"
)
CLASS_PATH = "only the process knows its class path, and what others' classes are"
MACHINE = "the machine's files, names, JAAS files, algorithms and providers decide"
EMPTY_ROLES = "4.0 and 4.1 take a node without a role and start nothing"

_MISSING = re.compile(
    r"Missing required configuration \"([^\"]+)\""
    r"|Invalid value null for configuration ([\w.]+): must be non-null"
    r"|(?:No resolvable bootstrap urls given in|You must set either) (bootstrap\.servers)"
    r"|Invalid value null for configuration (sasl\.mechanism)"
)
_SECRETS = re.compile(
    r"key store is specified, but key store password is not specified"
    r"|store is not specified, but \w+ store password is specified"
    r"|certificate chain is specified, but private key is not"
    r"|private key is specified, but certificate chain is not"
    r"|No serviceName defined"
)
_CLASS = re.compile(r"Class (\S+) could not be found|No LoginModule found for (\S+)")
_MACHINES = re.compile(
    r"in the JAAS configuration|algorithm is not supported by this JVM|not available"
    r"|no such provider|missing provider|Unable to locate JNDI|No resolvable bootstrap urls"
    r"|default realm|Is a directory|KeyGenerator|Algorithm .* not|entries in PEM file"
)


def _piece(found: Comparison, answer: Answer) -> bool:
    if found.case.plane in (*BROKERS, *WORKERS):
        return False
    if _SECRETS.search(answer.message):
        return True
    missing = _MISSING.search(answer.message)
    key = next(filter(None, missing.groups()), "") if missing else ""
    return bool(key) and key not in found.case.complete()


def _class_path(found: Comparison, answer: Answer) -> bool:
    named = _CLASS.search(answer.message)
    if named:
        name = next(filter(None, named.groups()), "")
        return not name.startswith(("org.apache.kafka.", "java."))
    return answer.error in ("ClassNotFoundException", "NoClassDefFoundError")


def _machine(found: Comparison, answer: Answer) -> bool:
    if answer.error in ("NoSuchFileException", "NoSuchAlgorithmException", "LoginException"):
        return True
    return bool(_MACHINES.search(answer.message))


def _empty_roles(found: Comparison, answer: Answer) -> bool:
    roles = found.case.complete().get("process.roles")
    return roles == "" and found.release.startswith(("4.0", "4.1"))


#: (kinds of differences, reason, whether it holds there), the first one that holds counts.
EXCEPTIONS: tuple[tuple[tuple[str, ...], str, Callable[[Comparison, Answer], bool]], ...] = (
    (("missed",), PIECES, _piece),
    (("missed",), CLASS_PATH, _class_path),
    (("missed",), MACHINE, _machine),
    (("false", "value"), EMPTY_ROLES, _empty_roles),
)


def reason(found: Comparison, answer: Answer) -> str:
    """Why the two may differ there; "" where nothing excuses it."""
    for kinds, why, holds in EXCEPTIONS:
        if found.kind in kinds and holds(found, answer):
            return why
    return ""

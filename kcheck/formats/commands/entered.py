"""The containers in which scripts start Kafka's tools: ``docker exec``, ``docker compose exec`` and
``kubectl exec``."""

from __future__ import annotations

import re

from kcheck.formats.commands.tools import Command, is_known
from kcheck.model import Entered, Setting
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word

_TOOL = re.compile(r"(?:\S*/)?(?:(?:docker|podman)(?:-compose)?|kubectl|oc)")
#: Options of ``exec`` with a value in the next word.
_VALUED = frozenset(
    (
        *("-e", "--env", "-u", "--user", "-w", "--workdir", "--env-file", "--detach-keys"),
        *("--index", "-n", "--namespace", "-c", "--container", "--context", "--kubeconfig"),
    )
)
_SETTINGS = ("--command-config", "--config-file", "--command-property")
_SERVERS = "--bootstrap-server"


def entered_by(command: Command, path: str, place: Placed) -> Entered | None:
    """Where a command runs, and whom it asks there; None where either is not known."""
    call, container = command.call, None
    while call is not None and container is None:
        container, call = _container(call), call.within
    told = command.value(_SERVERS)
    if container is None or told is None or not (is_known(told) and is_known(container)):
        return None
    name = container.text.rpartition("/")[2]  # deployment/kafka
    servers = Setting(
        "bootstrap.servers", told.text, path, place(told.start, told.end), name=_SERVERS
    )
    held = Setting("exec", name, path, place(container.start, container.end))
    word = command.name
    text = word.text if is_known(word) else None
    tool = Setting("tool", text, path, place(word.start, word.end))
    return Entered(held, tool, servers, command.has(*_SETTINGS))


def _container(call: Call) -> Word | None:
    """The container that a command enters; None for any other command."""
    words = call.words
    start = next((at for at, word in enumerate(words) if _TOOL.fullmatch(word.text)), len(words))
    at = next((at for at, word in enumerate(words[:20]) if at > start and word.text == "exec"), 0)
    while at and (at := at + 1) < len(words):
        word = words[at]
        if not word.text.startswith("-"):
            return word
        at += word.text in _VALUED
    return None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed

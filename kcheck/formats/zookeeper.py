"""ZooKeeper's own file: where the ensemble keeps its data. Nothing else in it is Kafka's."""

from __future__ import annotations

import re

from kcheck.formats import Lookup, zookeeper_refusals
from kcheck.formats.text import templated
from kcheck.model import PASSED_OVER, START, Document, Setting
from kcheck.model.processes import A_ZOOKEEPER, Place, Process
from kcheck.syntax.properties import PropertiesError, decode, parse

_SERVER = re.compile(r"server\.\d+")
_LOCAL = {"localhost", "127.0.0.1"}
_PLACES = {
    "dataDir": "the data of the ensemble",
    "dataLogDir": "the transaction log of the ensemble",
}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    try:
        entries = parse(decode(data)[0])
    except PropertiesError as error:
        entries = error.entries
    document.status, document.reason = PASSED_OVER, "ZooKeeper's own configuration"
    zookeeper_refusals.tell(document, entries, b"{%" in data or b"<%" in data)
    process = Process(A_ZOOKEEPER, document.path, document.path, START)
    servers = [entry for entry in entries if _SERVER.fullmatch(entry.key)]
    machines = {entry.value.strip().partition(":")[0] for entry in servers}
    # Servers on one machine are a trial.
    if not machines <= _LOCAL and not _vagrant(document.path, lookup):
        first = servers[0]
        count = str(len(servers))
        process.replicas = Setting("servers", count, document.path, first.at, first.key_at)
    process.places = tuple(
        Place(
            Setting(entry.key, entry.value, document.path, entry.at, entry.key_at),
            _PLACES[entry.key],
        )
        for entry in entries
        if entry.key in _PLACES and not templated(entry.value)
    )
    if process.places:
        document.processes = (process,)


def _vagrant(path: str, lookup: Lookup) -> bool:
    """Whether its machines are virtual ones of a single host: those of a Vagrantfile above the file."""
    folders = path.split("/")[:-1]
    above = ("/".join(folders[:depth]) for depth in range(len(folders), -1, -1))
    return any(lookup(f"{one}/Vagrantfile".lstrip("/")) is not None for one in above)

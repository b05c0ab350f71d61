"""The processes of Kubernetes' workloads: their memory, mounts, probes and replicas."""

from __future__ import annotations

import re
from collections.abc import Callable

from kcheck.formats.containers import running
from kcheck.formats.containers.container import quantity
from kcheck.formats.containers.variables import Variable
from kcheck.formats.kubernetes.beside import instances
from kcheck.formats.scalars import known, setting
from kcheck.model import Setting
from kcheck.model.processes import (
    CLAIM,
    EMPTY,
    FILES,
    LIVENESS,
    OTHER,
    OWN_CLAIM,
    READINESS,
    STARTUP,
    Mount,
    Probe,
    Process,
)
from kcheck.syntax import yaml
from kcheck.units import whole

#: Classes of folders of the node, and of network file systems.
_DIRECTORIES = re.compile(
    r"local-?path|host-?path|(?<![a-z])nfs|(?<![a-z])efs|azurefile|azure-file|cephfs|filestore|gluster"
    r"|juicefs|\Amanual\Z"
)
_PROBES = (LIVENESS, READINESS, STARTUP)
_FILES = ("configMap", "secret", "projected", "downwardAPI")
_GRACE = "terminationGracePeriodSeconds"
_HANDLERS = ("tcpSocket", "httpGet", "grpc")
#: A probe's times, with Kubernetes' defaults.
_TIMES = (
    *(("timeoutSeconds", 1), ("initialDelaySeconds", 0)),
    *(("periodSeconds", 10), ("failureThreshold", 3)),
)
_STARTS = (
    *("/etc/confluent/docker/run", "/etc/kafka/docker/run", "/opt/bitnami/scripts/"),
    *("start-kafka.sh", "docker-entrypoint.sh", "/debezium/run.sh"),
)


class Pod:
    """A container with the pod and the workload that it is of."""

    __slots__ = ("claim", "container", "pod", "workload")

    def __init__(
        self,
        workload: yaml.Node,
        pod: yaml.Node | None,
        container: yaml.Node,
        claim: Callable[[str], yaml.Node | None],
    ) -> None:
        self.workload = workload
        self.pod = pod
        self.container = container
        #: The claim of a name that the files declare.
        self.claim = claim


def process(
    path: str,
    name: str,
    pod: Pod,
    variables: Callable[[], tuple[dict[str, Variable], bool]],
    client: bool,
) -> Process | None:
    """The process of a container; None where neither image nor command is known, and it is no ``client``."""
    node = pod.container
    words = " ".join(
        yaml.text(part) or ""
        for key in ("command", "args")
        for part in yaml.items(yaml.child(node, key))
    )
    image = known(yaml.child(node, "image"))
    # The start scripts of images that nobody here knows may give another heap.
    stock = bool(image) and running.kind_of(image) is not None
    kind = _kind_of(image, words)
    limited = yaml.child(node, "resources", "limits") is not None
    if kind is None and not limited and not client:
        return None
    told, complete = variables()
    if kind is None and not client and not running.clients(told):
        return None
    at = yaml.position(yaml.child(node, "name") or node)
    kind = kind or running.APPLICATION
    made = running.process(kind, name, path, at, told, complete and stock, words)
    if "-Xmx" in words:
        # java itself is in the command.
        holder = yaml.child(node, "args") or yaml.child(node, "command") or node
        running.memory(made, [Setting("command", words, path, yaml.position(holder))])
    _surround(made, pod, path)
    return made


def _kind_of(image: str, words: str) -> running.Kind | None:
    """The program that the image starts, or the command in its place."""
    if words and not any(start in words for start in _STARTS):
        return running.started_by(words)
    return running.kind_of(image) if image else None


def _surround(made: Process, pod: Pod, path: str) -> None:
    """What the container, its pod and its workload give to the process."""
    node = pod.container
    for key, key_node, value in yaml.pairs(yaml.child(node, "resources", "limits")):
        if key == "memory":
            made.memory = setting("resources.limits.memory", key_node, value, path)
            made.memory.amount = quantity(made.memory.text)
        elif key == "cpu":
            made.cpu = setting("resources.limits.cpu", key_node, value, path)
            made.cpu.amount = quantity(made.cpu.text)
    made.mounts = _mounts(path, pod)
    made.probes += tuple(
        probe
        for key, key_node, value in yaml.pairs(node)
        if key in _PROBES and (probe := _probe(key, key_node, value, path)) is not None
    )
    for key, key_node, value in yaml.pairs(pod.pod):
        if key == _GRACE:
            made.grace = setting(key, key_node, value, path)
            made.grace.amount = whole(made.grace.text)
    made.namespace = known(yaml.child(pod.workload, "metadata", "namespace"))
    made.replicas = instances(pod.workload, path)
    if made.replicas is not None:
        made.replicas.key = "replicas"


def _probe(kind: str, key: yaml.Node, node: yaml.Node, path: str) -> Probe | None:
    """A probe with its command, and the seconds until it has failed as often as it may."""
    parts = yaml.items(yaml.child(node, "exec", "command"))
    command = " ".join(yaml.text(part) or "" for part in parts)
    asked = next((one for one in _HANDLERS if yaml.child(node, one) is not None), "")
    told = Setting(kind, command or asked, path, yaml.position(key))
    times: list[float] = []
    for name, default in _TIMES:
        written = yaml.child(node, name)
        number = default if written is None else whole(yaml.text(written))
        if number is None:
            return Probe(kind, command, told)
        times.append(number)
    timeout, delay, period, failures = times
    return Probe(kind, command, told, delay + period * failures, timeout)


def _mounts(path: str, pod: Pod) -> tuple[Mount, ...] | None:
    """What the container mounts; None where a template makes a part of it."""
    volumes = {
        known(yaml.child(volume, "name")): volume
        for volume in yaml.items(yaml.child(pod.pod, "volumes"))
    }
    own = {
        known(yaml.child(claim, "metadata", "name")): claim
        for claim in yaml.items(yaml.child(pod.workload, "spec", "volumeClaimTemplates"))
    }
    found: list[Mount] = []
    mounts = yaml.child(pod.container, "volumeMounts")
    if mounts is not None and yaml.text(mounts):
        return None
    for item in yaml.items(mounts):
        place, name = known(yaml.child(item, "mountPath")), known(yaml.child(item, "name"))
        if not place or not name:
            return None
        at = yaml.position(item)
        volume = volumes.get(name)
        kind, source = (OWN_CLAIM, name) if name in own else _kind(volume)
        key = "volumes"
        if volume is not None and name not in own:
            at = yaml.position(yaml.child(volume, "name") or volume)
        told = Setting(key, kind, path, at)
        apart = yaml.child(item, "subPathExpr") is not None or kind == OWN_CLAIM
        root = yaml.child(item, "subPath") is None and yaml.child(item, "subPathExpr") is None
        claim = own.get(name) or (pod.claim(source) if kind == CLAIM else None)
        root = root and not _directory(claim)
        found.append(Mount(place, kind, source, told, apart, root, claim is not None))
    return tuple(found)


def _directory(claim: yaml.Node | None) -> bool:
    """Whether a claim gets a directory of a file system, by what such classes are called, or a volume
    that somebody has made before, of which nothing here tells.
    """
    spec = yaml.child(claim, "spec")
    if yaml.child(spec, "volumeName") is not None or yaml.child(spec, "selector") is not None:
        return True
    return bool(_DIRECTORIES.search(known(yaml.child(spec, "storageClassName")).lower()))


def _kind(volume: yaml.Node | None) -> tuple[str, str]:
    """(kind, claim or name) of a volume of the pod."""
    claim = known(yaml.child(volume, "persistentVolumeClaim", "claimName"))
    if claim:
        return CLAIM, claim
    if yaml.child(volume, "emptyDir") is not None:
        return EMPTY, known(yaml.child(volume, "name"))
    if any(yaml.child(volume, files) is not None for files in _FILES):
        return FILES, ""
    return OTHER, ""

"""Containers as compose files and manifests have them; ``schedulers`` writes them otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from statements import Declared

_MOUNT = re.compile(r"(?:([^:{}$]+):)?(/[^:{}$]*)(?::ro|:rw)?")
_MEMORY = re.compile(r"(\d+)(m|g|mi|gi)b?", re.IGNORECASE)
_SECONDS = re.compile(r"(\d+)(s|m)?")


class Unsaid(Exception):
    """Something of a file that a container here has no word for."""


@dataclass
class Container:
    """One container: what its process gets, in the words of none of the carriers."""

    name: str
    image: str
    variables: dict[str, str] = field(default_factory=dict)
    command: str | list[str] | None = None
    #: Kind (named, bind, anonymous), source and path of each mount.
    mounts: list[tuple[str, str, str]] = field(default_factory=list)
    ports: list[str] = field(default_factory=list)
    mebibytes: int | None = None
    replicas: int = 1
    grace: int | None = None
    files: int | None = None
    probe: str | None = None


_KNOWN = {
    *("image", "environment", "volumes", "ports", "mem_limit", "deploy", "command", "scale"),
    *("depends_on", "stop_grace_period", "ulimits", "container_name", "restart", "healthcheck"),
}


def _plain(value: Any) -> str:
    """A value of a compose file as the container gets it; Compose's own variables are not known."""
    spelled = str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
    if re.search(r"(?<!\$)(?:\$\$)*\$(?!\$)", spelled):
        raise Unsaid(spelled)
    return spelled.replace("$$", "$")


def _whole(pattern: re.Pattern[str], value: Any, units: Mapping[str, int]) -> int:
    found = pattern.fullmatch(str(value))
    if found is None:
        raise Unsaid(value)
    return int(found[1]) * units[(found[2] or "").lower()]


_MEBIBYTES = {"m": 1, "mi": 1, "g": 1024, "gi": 1024}


def _mount(value: Any) -> tuple[str, str, str]:
    found = _MOUNT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise Unsaid(value)
    source = found[1]
    if source is None:
        return "anonymous", "", found[2]
    return ("bind" if source[0] in "./~" else "named"), source, found[2]


def _service(name: str, service: Any) -> Container:
    if not isinstance(service, dict) or set(service) - _KNOWN or "image" not in service:
        raise Unsaid(name)
    told = service.get("environment") or {}
    if isinstance(told, list):
        told = dict(one.split("=", 1) if "=" in one else (one, "$") for one in told)
    command = service.get("command")
    if command is not None:
        command = [*map(_plain, command)] if isinstance(command, list) else _plain(command)
    deploy = service.get("deploy") or {}
    if set(deploy) - {"replicas"} or not str(service["image"]).replace("${", "").isprintable():
        raise Unsaid(deploy)
    made = Container(
        str(service.get("container_name", name)),
        str(service["image"]),
        {str(key): _plain(value) for key, value in told.items()},
        command,
        [*map(_mount, service.get("volumes") or [])],
        [*map(str, service.get("ports") or [])],
        replicas=deploy.get("replicas", service.get("scale", 1)),
    )
    if "$" in made.image or made.name != name or not made.replicas:
        raise Unsaid(made.image)
    if service.get("mem_limit"):
        made.mebibytes = _whole(_MEMORY, service["mem_limit"], _MEBIBYTES)
    if "stop_grace_period" in service:
        made.grace = _whole(_SECONDS, service["stop_grace_period"], {"": 1, "s": 1, "m": 60})
    limit = (service.get("ulimits") or {}).get("nofile")
    made.files = limit["soft"] if isinstance(limit, dict) else limit
    probe = service.get("healthcheck")
    if probe is not None:
        if set(probe) != {"test"}:
            raise Unsaid(probe)
        test = probe["test"]
        made.probe = _plain(test[-1] if isinstance(test, list) and len(test) == 2 else test)
    return made


def of_compose(body: str) -> Declared | None:
    """The services of a compose file that say nothing else; None for all others."""
    try:
        whole = yaml.safe_load(body)
        if set(whole) - {"services", "volumes", "version"} or any(
            (whole.get("volumes") or {}).values()
        ):
            return None
        return {"containers": [_service(*one) for one in whole["services"].items()]}
    except (yaml.YAMLError, Unsaid, AttributeError, KeyError, TypeError):
        return None


_POD = {"containers", "volumes", "terminationGracePeriodSeconds", "enableServiceLinks"}
_CONTAINER = {"name", "image", "env", "command", "args", "volumeMounts", "resources", "ports"}
_SPEC = {"serviceName", "replicas", "selector", "template", "volumeClaimTemplates"}


def _pod(name: str, spec: Mapping[str, Any], replicas: int, claims: set[str]) -> Container:
    if set(spec) - _POD or len(spec["containers"]) != 1:
        raise Unsaid(name)
    (told,) = spec["containers"]
    volumes = {one["name"]: next(k for k in one if k != "name") for one in spec.get("volumes", [])}
    limits = (told.get("resources") or {}).get("limits") or {}
    if set(told) - _CONTAINER or set(volumes.values()) - {"emptyDir", "persistentVolumeClaim"}:
        raise Unsaid(name)
    if any(set(one) - {"name", "value"} for one in told.get("env", [])):
        raise Unsaid(name)
    made = Container(name, told["image"], replicas=replicas)
    made.variables = {one["name"]: str(one["value"]) for one in told.get("env", [])}
    words = [*told.get("command", []), *told.get("args", [])]
    made.command = words or None
    for mount in told.get("volumeMounts", []):
        if set(mount) - {"name", "mountPath"}:
            raise Unsaid(mount)
        kept = mount["name"] in claims or volumes[mount["name"]] != "emptyDir"
        kind = ("named", mount["name"]) if kept else ("anonymous", "")
        made.mounts.append((*kind, mount["mountPath"]))
    if "memory" in limits:
        made.mebibytes = _whole(_MEMORY, limits["memory"], _MEBIBYTES)
    made.grace = spec.get("terminationGracePeriodSeconds")
    return made


def of_manifests(body: str) -> Declared | None:
    """The containers of Deployments and StatefulSets that say nothing else."""
    found = []
    try:
        for one in yaml.safe_load_all(body):
            if one["kind"] in ("Service", "PersistentVolumeClaim", "Namespace"):
                continue
            spec = one["spec"]
            if one["kind"] not in ("StatefulSet", "Deployment") or set(spec) - _SPEC:
                return None
            claims = {claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", [])}
            pod = spec["template"]["spec"]
            found.append(_pod(one["metadata"]["name"], pod, spec.get("replicas", 1), claims))
    except (yaml.YAMLError, Unsaid, AttributeError, KeyError, TypeError, ValueError):
        return None
    return {"containers": found} if found else None

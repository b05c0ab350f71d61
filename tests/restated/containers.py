"""Containers as compose files and manifests have them, and as their neighbours write them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from declared import Carrier, Declared, Files, documents

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


def as_compose(told: list[Container]) -> Files:
    """Containers in compose, the variables as a list."""
    services: dict[str, Any] = {}
    for one in told:
        made: dict[str, Any] = {"image": one.image}
        if one.variables:
            made["environment"] = [
                f"{key}={value.replace('$', '$$')}" for key, value in one.variables.items()
            ]
        if one.command is not None:
            made["command"] = (
                one.command.replace("$", "$$")
                if isinstance(one.command, str)
                else [word.replace("$", "$$") for word in one.command]
            )
        if one.mounts:
            made["volumes"] = [f"{source}:{at}" if source else at for _, source, at in one.mounts]
        if one.ports:
            made["ports"] = one.ports
        if one.mebibytes is not None:
            made["deploy"] = {"resources": {"limits": {"memory": f"{one.mebibytes}M"}}}
        if one.replicas != 1:
            made.setdefault("deploy", {})["replicas"] = one.replicas
        if one.grace is not None:
            made["stop_grace_period"] = f"{one.grace}s"
        if one.files is not None:
            made["ulimits"] = {"nofile": one.files}
        if one.probe is not None:
            made["healthcheck"] = {"test": ["CMD-SHELL", one.probe.replace("$", "$$")]}
        services[one.name] = made
    named = {source: None for one in told for kind, source, _ in one.mounts if kind == "named"}
    whole = {"services": services} | ({"volumes": named} if named else {})
    return {"compose.yaml": documents(whole)}


def _words(command: str | list[str] | None) -> list[str]:
    return shlex.split(command) if isinstance(command, str) else command or []


def as_pods(told: list[Container], *, kind: str) -> Files | None:
    """A StatefulSet or a Deployment with a Service for each container, which has its name."""
    made: list[Any] = []
    for one in told:
        labels = {"app": one.name}
        container: dict[str, Any] = {"name": one.name, "image": one.image}
        if one.command is not None:
            container["args"] = _words(one.command)
        container["env"] = [{"name": k, "value": v} for k, v in one.variables.items()]
        volumes: list[Any] = []
        claims: list[Any] = []
        mounts: list[Any] = []
        for number, (how, source, at) in enumerate(one.mounts):
            called = source if how == "named" else f"v{number}"
            mounts.append({"name": called, "mountPath": at})
            wanted = {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "10Gi"}},
            }
            if how == "named" and kind == "StatefulSet":
                claims.append({"metadata": {"name": called}, "spec": wanted})
            elif how == "named":
                volumes.append({"name": called, "persistentVolumeClaim": {"claimName": called}})
                made.append(
                    {
                        "apiVersion": "v1",
                        "kind": "PersistentVolumeClaim",
                        "metadata": {"name": called},
                        "spec": wanted,
                    }
                )
            elif how == "bind":
                host = "/srv" + source[1:] if source[0] == "." else source
                volumes.append({"name": called, "hostPath": {"path": host}})
            else:
                volumes.append({"name": called, "emptyDir": {}})
        if mounts:
            container["volumeMounts"] = mounts
        if one.mebibytes is not None:
            container["resources"] = {"limits": {"memory": f"{one.mebibytes}Mi"}}
        if one.files is not None:
            return None
        if one.probe is not None:
            container["livenessProbe"] = {"exec": {"command": ["sh", "-c", one.probe]}}
        pod: dict[str, Any] = {"enableServiceLinks": False, "containers": [container]}
        if volumes:
            pod["volumes"] = volumes
        if one.grace is not None:
            pod["terminationGracePeriodSeconds"] = one.grace
        spec: dict[str, Any] = {"serviceName": one.name} if kind == "StatefulSet" else {}
        spec |= {
            "replicas": one.replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        }
        if claims:
            spec["volumeClaimTemplates"] = claims
        made.append(
            {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": one.name}, "spec": spec}
        )
        made.append(
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": one.name},
                "spec": {"clusterIP": "None", "selector": labels},
            }
        )
    return {"deploy/kafka.yaml": documents(*made)}


def as_task(told: list[Container]) -> Files | None:
    """A task definition for each container."""
    files: Files = {}
    for one in told:
        if one.replicas != 1:
            return None
        made: dict[str, Any] = {"name": one.name, "image": one.image, "essential": True}
        made["environment"] = [{"name": k, "value": v} for k, v in one.variables.items()]
        volumes: list[Any] = []
        mounts = []
        for number, (kind, source, at) in enumerate(one.mounts):
            called = source if kind == "named" else f"v{number}"
            mounts.append({"sourceVolume": called, "containerPath": at})
            if kind == "named":
                volumes.append({"name": called, "efsVolumeConfiguration": {"fileSystemId": "fs-1"}})
            elif kind == "bind":
                volumes.append(
                    {"name": called, "host": {"sourcePath": "/srv" + source.lstrip(".")}}
                )
            else:
                volumes.append({"name": called})
        if mounts:
            made["mountPoints"] = mounts
        if one.command is not None:
            made["command"] = _words(one.command)
        if one.mebibytes is not None:
            made["memory"] = one.mebibytes
        if one.grace is not None:
            made["stopTimeout"] = one.grace
        if one.files is not None:
            made["ulimits"] = [{"name": "nofile", "softLimit": one.files, "hardLimit": one.files}]
        if one.probe is not None:
            made["healthCheck"] = {"command": ["CMD-SHELL", one.probe]}
        whole = {"family": one.name, "containerDefinitions": [made], "volumes": volumes}
        files[f"ecs/{one.name}.json"] = json.dumps(whole, indent=2)
    return files


def _hcl(value: str) -> str:
    return json.dumps(value).replace("${", "$${")


def as_job(told: list[Container]) -> Files | None:
    """A group of a Nomad job for each container."""
    lines = ['job "kafka" {']
    for one in told:
        if one.files is not None or one.probe is not None:
            return None
        named = [source for kind, source, _ in one.mounts if kind == "named"]
        lines += [f'  group "{one.name}" {{', f"    count = {one.replicas}"]
        for source in named:
            lines += [
                f'    volume "{source}" {{',
                '      type = "host"',
                f'      source = "{source}"',
                "    }",
            ]
        lines += [f'    task "{one.name}" {{', '      driver = "docker"', "      config {"]
        lines.append(f"        image = {_hcl(one.image)}")
        words = _words(one.command)
        if words:
            lines.append(f"        command = {_hcl(words[0])}")
            lines.append(f"        args = [{', '.join(map(_hcl, words[1:]))}]")
        bound = [f"{source}:{at}" for kind, source, at in one.mounts if kind == "bind"]
        if any(kind == "anonymous" for kind, _, _ in one.mounts):
            return None
        if bound:
            lines.append(f"        volumes = [{', '.join(map(_hcl, bound))}]")
        lines += ["      }", "      env {"]
        lines += [f"        {key} = {_hcl(value)}" for key, value in one.variables.items()]
        lines.append("      }")
        for kind, source, at in one.mounts:
            if kind == "named":
                lines += [
                    "      volume_mount {",
                    f'        volume = "{source}"',
                    f'        destination = "{at}"',
                    "      }",
                ]
        if one.mebibytes is not None:
            lines += ["      resources {", f"        memory = {one.mebibytes}", "      }"]
        if one.grace is not None:
            lines.append(f'      kill_timeout = "{one.grace}s"')
        lines += ["    }", "  }"]
    return {"kafka.nomad.hcl": "\n".join([*lines, "}"]) + "\n"}


def as_runs(told: list[Container]) -> Files | None:
    """``docker run`` in a script."""
    lines = ["#!/bin/bash", "docker network create kafka"]
    for one in told:
        if one.replicas != 1 or one.probe is not None:
            return None
        words = ["docker run -d", f"--name {one.name}", "--network kafka"]
        words += [f"-e {key}={shlex.quote(value)}" for key, value in one.variables.items()]
        words += [f"-v {source}:{at}" if source else f"-v {at}" for _, source, at in one.mounts]
        words += [f"-p {port}" for port in one.ports]
        if one.mebibytes is not None:
            words.append(f"-m {one.mebibytes}m")
        if one.grace is not None:
            words.append(f"--stop-timeout {one.grace}")
        if one.files is not None:
            words.append(f"--ulimit nofile={one.files}:{one.files}")
        words.append(one.image)
        words += map(shlex.quote, _words(one.command))
        lines.append(" \\\n  ".join(words))
    return {"scripts/start.sh": "\n".join(lines) + "\n"}


def carrier(write: Callable[[list[Container]], Files | None]) -> Carrier:
    return lambda declared: write(declared["containers"])


CONTAINERS: dict[str, Carrier] = {
    name: carrier(write)
    for name, write in {
        "compose": as_compose,
        "statefulset": lambda told: as_pods(told, kind="StatefulSet"),
        "deployment": lambda told: as_pods(told, kind="Deployment"),
        "ecs": as_task,
        "nomad": as_job,
        "docker-run": as_runs,
    }.items()
}

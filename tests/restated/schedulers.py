"""Containers as compose, Kubernetes, ECS, Nomad and shell scripts start them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from typing import Any

from containers import Container
from statements import Carrier, Files, documents


def _told(**parts: Any) -> dict[str, Any]:
    """The parts that say something; a trailing underscore is for names that Python has itself."""
    return {key.rstrip("_"): value for key, value in parts.items() if value not in (None, [], {})}


def _words(command: str | list[str] | None) -> list[str]:
    return shlex.split(command) if isinstance(command, str) else command or []


def _dollars(text: str) -> str:
    return text.replace("$", "$$")


def _service(one: Container) -> dict[str, Any]:
    memory = f"{one.mebibytes}M" if one.mebibytes is not None else None
    limits = {"limits": {"memory": memory}} if memory else None
    command = one.command
    return {"image": one.image} | _told(
        environment=[f"{key}={_dollars(value)}" for key, value in one.variables.items()],
        command=_dollars(command) if isinstance(command, str) else [*map(_dollars, command or [])],
        volumes=[f"{source}:{at}" if source else at for _, source, at in one.mounts],
        ports=one.ports,
        deploy=_told(resources=limits, replicas=one.replicas if one.replicas != 1 else None),
        stop_grace_period=f"{one.grace}s" if one.grace is not None else None,
        ulimits={"nofile": one.files} if one.files is not None else None,
        healthcheck={"test": ["CMD-SHELL", _dollars(one.probe)]} if one.probe else None,
    )


def as_compose(told: list[Container]) -> Files:
    """Containers in compose, the variables as a list."""
    services = {one.name: _service(one) for one in told}
    named = {source: None for one in told for kind, source, _ in one.mounts if kind == "named"}
    whole = {"services": services} | ({"volumes": named} if named else {})
    return {"compose.yaml": documents(whole)}


_WANTED = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}


def _volume(number: int, kind: str, source: str) -> dict[str, Any]:
    """A volume of a pod; those of named ones are claims."""
    if kind == "named":
        return {"name": source, "persistentVolumeClaim": {"claimName": source}}
    if kind == "bind":
        host = "/srv" + source[1:] if source[0] == "." else source
        return {"name": f"v{number}", "hostPath": {"path": host}}
    return {"name": f"v{number}", "emptyDir": {}}


def _container(one: Container) -> dict[str, Any]:
    limits = {"limits": {"memory": f"{one.mebibytes}Mi"}} if one.mebibytes is not None else None
    probe = {"exec": {"command": ["sh", "-c", one.probe]}} if one.probe else None
    return {"name": one.name, "image": one.image} | _told(
        args=_words(one.command),
        env=[{"name": key, "value": value} for key, value in one.variables.items()],
        volumeMounts=[
            {"name": source if kind == "named" else f"v{number}", "mountPath": at}
            for number, (kind, source, at) in enumerate(one.mounts)
        ],
        resources=limits,
        livenessProbe=probe,
    )


def _workload(one: Container, kind: str) -> Iterator[dict[str, Any]]:
    labels = {"app": one.name}
    named = [source for how, source, _ in one.mounts if how == "named"]
    claimed = kind == "StatefulSet"
    pod = {"enableServiceLinks": False, "containers": [_container(one)]} | _told(
        volumes=[
            _volume(number, how, source)
            for number, (how, source, _) in enumerate(one.mounts)
            if how != "named" or not claimed
        ],
        terminationGracePeriodSeconds=one.grace,
    )
    claims = [{"metadata": {"name": source}, "spec": _WANTED} for source in named]
    spec = _told(
        serviceName=one.name if claimed else None,
        replicas=one.replicas,
        selector={"matchLabels": labels},
        template={"metadata": {"labels": labels}, "spec": pod},
        volumeClaimTemplates=claims if claimed else None,
    )
    for claim in () if claimed else claims:
        yield {"apiVersion": "v1", "kind": "PersistentVolumeClaim"} | claim
    yield {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": one.name}, "spec": spec}
    service = {"clusterIP": "None", "selector": labels}
    yield {"apiVersion": "v1", "kind": "Service", "metadata": {"name": one.name}, "spec": service}


def as_pods(told: list[Container], *, kind: str) -> Files | None:
    """A workload with a headless Service for each container, which has its name."""
    if any(one.files is not None for one in told):
        return None
    return {
        "deploy/kafka.yaml": documents(*(made for one in told for made in _workload(one, kind)))
    }


_TASKS_VOLUMES = {
    "named": {"efsVolumeConfiguration": {"fileSystemId": "fs-1"}},
    "bind": {"host": {"sourcePath": "/srv/data"}},
    "anonymous": {},
}


def _task(one: Container) -> dict[str, Any]:
    names = [
        source if kind == "named" else f"v{number}"
        for number, (kind, source, _) in enumerate(one.mounts)
    ]
    limit = {"name": "nofile", "softLimit": one.files, "hardLimit": one.files}
    container = {"name": one.name, "image": one.image, "essential": True} | _told(
        environment=[{"name": key, "value": value} for key, value in one.variables.items()],
        mountPoints=[
            {"sourceVolume": name, "containerPath": at}
            for name, (_, _, at) in zip(names, one.mounts, strict=True)
        ],
        command=_words(one.command),
        memory=one.mebibytes,
        stopTimeout=one.grace,
        ulimits=[limit] if one.files is not None else None,
        healthCheck={"command": ["CMD-SHELL", one.probe]} if one.probe else None,
    )
    volumes = [
        {"name": name} | _TASKS_VOLUMES[kind]
        for name, (kind, _, _) in zip(names, one.mounts, strict=True)
    ]
    return {"family": one.name, "containerDefinitions": [container], "volumes": volumes}


def as_task(told: list[Container]) -> Files | None:
    """A task definition for each container."""
    if any(one.replicas != 1 for one in told):
        return None
    return {f"ecs/{one.name}.json": json.dumps(_task(one), indent=2) for one in told}


def _hcl(value: str) -> str:
    return json.dumps(value).replace("${", "$${")


def _list(name: str, words: list[str]) -> list[str]:
    return [f"{name} = [{', '.join(map(_hcl, words))}]"] if words else []


def _group(one: Container) -> Iterator[str]:
    named = [(source, at) for kind, source, at in one.mounts if kind == "named"]
    yield from (f'group "{one.name}" {{', f"count = {one.replicas}")
    for source, _ in named:
        yield from (f'volume "{source}" {{', 'type = "host"', f'source = "{source}"', "}")
    yield from (f'task "{one.name}" {{', 'driver = "docker"', "config {")
    yield f"image = {_hcl(one.image)}"
    words = _words(one.command)
    yield from [f"command = {_hcl(words[0])}"] if words else []
    yield from _list("args", words[1:])
    yield from _list("volumes", [f"{s}:{at}" for kind, s, at in one.mounts if kind == "bind"])
    yield from ("}", "env {")
    yield from (f"{key} = {_hcl(value)}" for key, value in one.variables.items())
    yield "}"
    for source, at in named:
        yield from ("volume_mount {", f'volume = "{source}"', f'destination = "{at}"', "}")
    if one.mebibytes is not None:
        yield from ("resources {", f"memory = {one.mebibytes}", "}")
    if one.grace is not None:
        yield f'kill_timeout = "{one.grace}s"'
    yield from ("}", "}")


def as_job(told: list[Container]) -> Files | None:
    """A group of a Nomad job for each container."""
    bare = any(kind == "anonymous" for one in told for kind, _, _ in one.mounts)
    if bare or any(one.files is not None or one.probe is not None for one in told):
        return None
    lines = ['job "kafka" {', *(line for one in told for line in _group(one)), "}"]
    return {"kafka.nomad.hcl": "\n".join(lines) + "\n"}


def _run(one: Container) -> str:
    words = ["docker run -d", f"--name {one.name}", "--network kafka"]
    words += [f"-e {key}={shlex.quote(value)}" for key, value in one.variables.items()]
    words += [f"-v {source}:{at}" if source else f"-v {at}" for _, source, at in one.mounts]
    words += [f"-p {port}" for port in one.ports]
    words += [f"-m {one.mebibytes}m"] if one.mebibytes is not None else []
    words += [f"--stop-timeout {one.grace}"] if one.grace is not None else []
    words += [f"--ulimit nofile={one.files}:{one.files}"] if one.files is not None else []
    return " \\\n  ".join([*words, one.image, *map(shlex.quote, _words(one.command))])


def as_runs(told: list[Container]) -> Files | None:
    """``docker run`` in a script."""
    if any(one.replicas != 1 or one.probe is not None for one in told):
        return None
    lines = ["#!/bin/bash", "docker network create kafka", *map(_run, told)]
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

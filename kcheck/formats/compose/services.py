"""The services of a compose file, each as the nodes and workers that its container is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.compose import addresses as compose_addresses
from kcheck.formats.compose import applications as compose_applications
from kcheck.formats.compose import build as compose_build
from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose import mounts as compose_mounts
from kcheck.formats.compose import servers as compose_servers
from kcheck.formats.compose import started as compose_started
from kcheck.formats.compose.environment import Environment, names
from kcheck.formats.compose.file import File, Service, joined
from kcheck.formats.compose.image import Image
from kcheck.formats.containers import environment_faults as faults
from kcheck.formats.containers.environment import Reading
from kcheck.formats.containers.jvm_options import names_jaas_file
from kcheck.formats.containers.variables import Variable, assign
from kcheck.images import AROUND, WORKER, Family, floor
from kcheck.model import (
    COMPOSE,
    KAFKA,
    WARNING,
    Document,
    Position,
    Problem,
    Release,
    Resource,
    Setting,
)
from kcheck.syntax import yaml
from kcheck.version import Version

DEAD = "KC0127"

#: Programs that run Kafka with the configuration file that they are given.
_BROKERS_STARTER = "kafka-server-start"
_STARTERS = re.compile(rf"({_BROKERS_STARTER}|connect-distributed|connect-standalone)(\.sh)?\b")
_PROPERTIES = re.compile(r"(?<![\w./${}-])[\w./${}-]+\.properties")
#: Variables that only a broker has: a service with one of them may be one.
_BROKER_SIGNS = re.compile(
    r"KAFKA_(CFG_)?(ADVERTISED_LISTENERS|PROCESS_ROLES|ZOOKEEPER_CONNECT|BROKER_ID|NODE_ID)"
)
_SERVERS = ("ZOOKEEPER_SERVERS", "ZOO_SERVERS")
#: Services with Kafka's image whose tools somebody runs in them: without a variable they start nothing.
_TOOLBOX = re.compile(r"(?:^|[-_])(?:tools?|cli|shell|utils?|toolbox)(?:$|[-_])")


def _is_beside(service: Service, family: Family) -> bool:
    """Whether nobody can tell that a service runs what its image is made for."""
    if family.guessed and _command(service)[1] is not None:
        # What a command makes of variables that it is given, only the image's own script would tell.
        return True
    return bool(_TOOLBOX.search(service.name)) and not (names(service) or service.get("ports"))


class Services:
    """Turns the services of one file into resources."""

    def __init__(self, document: Document, file: File) -> None:
        self.document = document
        self.file = file
        #: Whether a service may be a broker that is not among the resources.
        self.uncounted = False
        #: Whether some service runs Kafka by files that others hold.
        self.fetched = False
        self.zookeepers: list[tuple[list[str], str | None]] = []
        self.topics: list[tuple[Resource, Variable, str]] = []
        #: The Dockerfiles that images are built by.
        self.builds: set[str] = set()

    def _beside(self, service: Service, image: Image) -> None:
        """A service whose image is no Kafka's: what it tells of those that are."""
        written = Setting("image", image.text, image.path, image.at)
        if compose_started.read(self.document, service, written):
            return
        if "redpanda" in (image.text or "") and self._redpanda(service):
            return
        if image.fetched is not None and image.build is not None:
            self._files(service, image.build, image.fetched)
        compose_servers.clients(self.document, service, image.text or "")
        self._unread(service, image.text or "")
        run = compose_applications.built(service)
        if run is not None:
            self.document.extent.built += (run,)
        beside = compose_addresses.neighbour(service)
        if beside is not None:
            self.document.services += (beside,)
        given = names(service)
        self.uncounted = self.uncounted or any(map(_BROKER_SIGNS.match, given))
        asked = given.intersection(_SERVERS)
        for variable in map(Environment(service).variables.get, asked) if asked else ():
            servers = variable.known if variable is not None else None
            self.zookeepers.append((compose_facts.names_of(service), servers))

    def _redpanda(self, service: Service) -> bool:
        from kcheck.formats.redpanda import containers as redpanda  # few files have one

        words = compose_servers.words_of(service)
        return redpanda.read(self.document, service, words) or redpanda.worker(
            self.document, service
        )

    def _service(self, service: Service) -> None:
        image = Image(service)
        family = image.family
        if image.build is not None:
            self.builds.add(image.build.path)
        redpandas = "redpanda" in (image.text or "")
        if family is None or redpandas or _is_beside(service, family):
            self._beside(service, image)
            return
        environment = Environment(service)
        told = self._version(image)
        if image.build is not None:
            environment.variables = {**image.build.variables(), **environment.variables}
            # What an unknown image starts is what reads its variables.
            if not family.guessed and image.build.replaces(family):
                if told is not None:
                    self._files(service, image.build, told)
                self.uncounted = self.uncounted or family.role != WORKER
                return
        command, at = _command(service)
        scripted = family.started_by(command)
        if at is not None and not scripted and command.strip() != "start":
            if _STARTERS.search(command):
                self._mounts(service, told)
            self._started(service, family, command, at, environment)
            return
        mounted = compose_mounts.replacing(service, family)
        self._mounts(service, told)
        if not environment.complete or mounted is not None:
            self.uncounted = self.uncounted or family.role != WORKER
            if mounted is not None and mounted.endswith("!"):
                self._dead(service, family, environment, f"the mounted {mounted[:-1]}", service.at)
            return
        complete = (
            not scripted and not image.derived and not compose_mounts.patched(service, family)
        )
        assign(environment.variables, command, service.path, service.at)
        self._container(service, family, image, environment, complete)

    def _unread(self, service: Service, image: str) -> None:
        """Variables of a program around Kafka that its image does not read."""
        if not any(word in image for word in AROUND):
            return
        from kcheck.formats.containers import beside_images  # few services are one of them

        environment = Environment(service)
        command = "\0" if service.get("entrypoint") else _command(service)[0]
        if command != "\0":
            self.document.problems.extend(
                beside_images.faults(image, environment.variables, command, environment.complete)
            )

    def _process(self, service: Service, resources: list[Resource]) -> None:
        """The service as a process, where its memory, mounts, replicas or health are told."""
        text = service.text("image") or ""
        bound = any(key.endswith(_BY_JVM) for one in resources for key in one.settings)
        if not text or not (bound or _worth(service, text)):
            return
        from kcheck.formats.compose import running as compose_running

        derived = service.get("build") is not None
        process = compose_running.process(service, text, _command(service)[0], derived)
        if process is not None:
            self.document.processes += (process,)
            for resource in resources:
                resource.traits.process = process

    def _version(self, image: Image) -> Setting | None:
        """Kafka's version in the image of a service, where it stands."""
        if not image.version:
            return None
        return Setting("kafka_version", image.version, image.path, image.tag_at)

    def _files(self, service: Service, build: compose_build.Build, told: Setting) -> None:
        """Remember the version of the files that a container of a built image has."""
        self.fetched = True
        self._told(told, build.copied())
        self._told(told, [path for path, _ in self._mounted(service)])

    def _mounts(self, service: Service, told: Setting | None = None) -> None:
        """Remember which files and folders of the project the container has, and of what Kafka."""
        extent = self.document.extent
        found = [path for path, _ in self._mounted(service)]
        extent.mounts = (*extent.mounts, *found)
        if told is not None:
            self._told(told, found)

    def _mounted(self, service: Service) -> Iterator[tuple[str, str]]:
        """(path in the project, path in the container) of what the service mounts."""
        folder = self.file.folder
        volumes = compose_facts.volumes(service)
        for number, (source, target) in enumerate(compose_facts.mounted(service)):
            # A volume of a bare name is none of the project's, while the file of a config is.
            own = source.startswith(("./", "../")) or (number >= len(volumes) and source[:1] != "/")
            path = joined(folder, source) if source and own else ""
            if path and not f"{folder}/".startswith(f"{path}/"):
                yield path, target

    def _told(self, version: Setting, paths: list[str]) -> None:
        extent = self.document.extent
        extent.releases += tuple(Release(KAFKA, version, path) for path in paths)

    def _container(
        self,
        service: Service,
        family: Family,
        image: Image,
        environment: Environment,
        complete: bool,
    ) -> None:
        path = service.path
        version = Version(image.version)
        worker = family.role == WORKER
        resource = Resource(
            "worker" if worker else "broker",
            service.name,
            path,
            service.at,
            "connect-distributed" if worker else "broker",
        )
        resource.traits.deployer = COMPOSE
        least = floor(family, image.text)
        reading = Reading(resource, family, environment.variables, version, least)
        if "controller" in reading.conditions:
            resource.kind = "controller"
        _note_earlier(resource, environment)
        reading.add_base(image.at)
        faults.note(reading, service.at, complete)
        resource.traits.image_family = family.id
        resource.traits.partial = family.guessed
        if complete:
            # Nothing but the environment and the image has a say in its configuration.
            resource.traits.by_environment = True
            resource.traits.jaas_file = names_jaas_file(environment.variables)
        resource.facts["image"] = Setting("image", image.text, image.path, image.at)
        if image.version:
            fact = "client.version" if worker else "kafka_version"
            resource.facts[fact] = Setting(fact, image.version, image.path, image.tag_at)
        heap = environment.variables.get("KAFKA_HEAP_OPTS") or environment.variables.get(
            "HEAP_OPTS"
        )
        compose_facts.add(resource, service, heap.setting("heap", heap.known) if heap else None)
        if worker:
            resource.traits.instances = compose_facts.instances(service, path)
            self.document.services += (compose_addresses.of_worker(resource, service),)
        else:
            resource.traits.addresses = compose_addresses.of_node(resource, service)
            count = compose_facts.replicas(service, path)
            if count is None:
                self.uncounted = True
            else:
                resource.facts["replicas"] = count
        for variable, meaning in reading.effects:
            if meaning.effect == "topics":
                mark = environment.variables.get("KAFKA_CREATE_TOPICS_SEPARATOR")
                separator = "," if mark is None else (mark.known or "")
                self.topics.append((resource, variable, separator))
        self.document.resources.append(resource)

    def _started(
        self, service: Service, family: Family, command: str, at: Position, environment: Environment
    ) -> None:
        """A command of its own: Kafka with another file, or something else altogether."""
        found = _STARTERS.search(command)
        if found is None:
            return
        if _BROKERS_STARTER in command and family.role != WORKER:
            self.uncounted = True
        file = _PROPERTIES.search(command, found.end())
        name = file.group().rpartition("/")[2] if file else "another file"
        self._dead(
            service, family, environment, f"the command, which starts Kafka with {name},", at
        )

    def _dead(
        self, service: Service, family: Family, environment: Environment, by: str, at: Position
    ) -> None:
        """Report that the variables have no effect, if there are any that would."""
        unread = [n for n in environment.variables if family.key(n) and not family.meanings(n)]
        if not unread:
            return
        self.document.extent.weighed += tuple(
            environment.variables[name].setting(name, None) for name in unread
        )
        count = f"{len(unread)} {family.prefix}… variable{'s' if len(unread) > 1 else ''}"
        self.document.problems.append(
            Problem(
                f"service {service.name}: {by} bypasses {count}, for example {unread[0]}",
                at,
                DEAD,
                WARNING,
                "the variables have no effect: only the image's own start script reads them",
                "move the settings to the file, or start Kafka with the image's own script",
            )
        )


def _note_earlier(resource: Resource, environment: Environment) -> None:
    """Keep the settings that variables further down in the file replace."""
    for old, new in environment.earlier:
        for setting in list(resource.settings.values()):
            if setting.name == new.name:
                resource.earlier.append((old.setting(setting.key, old.known), setting))


#: How keys end, of listeners too, whose values the options of the JVM must allow, or its heap hold.
_BY_JVM = (
    "sasl.oauthbearer.token.endpoint.url",
    "sasl.oauthbearer.jwks.endpoint.url",
    "socket.request.max.bytes",
)
#: What a service has of which its process is made.
_RUNNING = ("mem_limit", "cpus", "deploy", "scale", "healthcheck", "stop_grace_period")
#: Ends of variables that name files or folders which the program opens.
_READS = ("STORE_LOCATION", "_QUERIES_FILE", "_PLUGIN_PATH", "_OPTS", "EXTRA_ARGS")


def _worth(service: Service, image: str) -> bool:
    """Whether there is anything to tell of the service as a process; asked before more is read."""
    return (
        "debezium" in image
        or any(
            yaml.child(layer.node, key) is not None for layer in service.layers for key in _RUNNING
        )
        or any(name.endswith(_READS) for name in names(service))
    )


def _command(service: Service) -> tuple[str, Position | None]:
    """All words of ``entrypoint`` and ``command``, and where they stand; None where none are."""
    words: list[str] = []
    at: Position | None = None
    for key in ("entrypoint", "command"):
        found = service.get(key)
        if found is None or yaml.is_null(found[1]):
            continue
        at = yaml.position(found[1])
        for node in yaml.items(found[1]) or [found[1]]:
            words.append(yaml.text(node) or "")
    return " ".join(words), at

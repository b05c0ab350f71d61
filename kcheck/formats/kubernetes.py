"""Plain Kubernetes: containers of known images, ``--override`` arguments, files in ConfigMaps and
in the plain part of Secrets.

What a volume, a secret or another file puts into a container is unknown: nothing is missing then.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import images
from kcheck.formats import (
    Lookup,
    asking,
    embedded,
    kubernetes_dollars,
    kubernetes_links,
    kubernetes_strings,
    neighbours,
    observer_signs,
    program_containers,
    started,
)
from kcheck.formats.containers import Image, amount, container
from kcheck.formats.environment import Variable, assigned, forget
from kcheck.formats.kubernetes_addresses import Services
from kcheck.formats.kubernetes_beside import (
    MAPS,
    WORKLOADS,
    Beside,
    Workload,
    cover,
    instances,
    pod_of,
    scaled,
)
from kcheck.formats.kubernetes_variables import Variables, variable
from kcheck.formats.scalars import documents, known, nothing, setting
from kcheck.model import (
    CONNECT,
    KUBERNETES,
    Asker,
    Document,
    Reference,
    Resource,
    Service,
    Setting,
)
from kcheck.syntax import yaml

_LIMITS = (("memory", "ram"), ("cpu", "cores"))

_Maps = dict[str, yaml.Node]


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes: list[yaml.Node] = []
    for node in documents(document, data):
        many = yaml.text(yaml.child(node, "kind")) == "List"
        nodes.extend(yaml.items(yaml.child(node, "items")) if many else [node])
    applied = _applied(nodes)
    _Reader(document, data, lookup).read(applied)
    if document.resources or document.references:
        for node in applied:
            kubernetes_strings.tell(document, node)
    nothing(document, "contains no Kafka container or file")


def _applied(nodes: list[yaml.Node]) -> list[yaml.Node]:
    """The objects that there are when all of a file is applied: of one name the last replaces others."""
    found: dict[tuple[object, ...], yaml.Node] = {}
    for node in nodes:
        meta = yaml.child(node, "metadata")
        name, namespace = known(yaml.child(meta, "name")), yaml.text(yaml.child(meta, "namespace"))
        key = (yaml.text(yaml.child(node, "kind")), namespace, name) if name else (id(node),)
        found.pop(key, None)
        found[key] = node
    return [*found.values()]


class _Reader:
    def __init__(self, document: Document, data: bytes, lookup: Lookup) -> None:
        self.document = document
        self.lookup = lookup
        self.lines = embedded.split_lines(data)
        #: The ConfigMaps and Secrets of this file by name, and those that a container's own file is made of.
        self.maps: _Maps = {}
        self.mounted: set[str] = set()
        #: The Services of this file: their names come into the variables of every pod.
        self.services: _Maps = {}
        #: The network policies of this file.
        self.policies: list[tuple[str, yaml.Node]] = []
        self.answering = Services(document.path, [], lookup)
        self.workloads: list[yaml.Node] = []
        #: The workloads that something in this file scales.
        self.scaled: set[str] = set()
        self.beside = Beside(document.path, lookup)
        self.variables = Variables(document, lookup, self.maps, self.beside)

    def read(self, nodes: list[yaml.Node]) -> None:
        self.answering = Services(self.document.path, nodes, self.lookup)
        for node in nodes:
            if yaml.text(yaml.child(node, "kind")) in MAPS:
                name = yaml.text(yaml.child(node, "metadata", "name")) or ""
                self.maps[name] = node
            elif yaml.text(yaml.child(node, "kind")) == "Service":
                self.services[yaml.text(yaml.child(node, "metadata", "name")) or ""] = node
        self.policies = [
            (self.document.path, n)
            for n in nodes
            if yaml.text(yaml.child(n, "kind")) == "NetworkPolicy"
        ]
        self.workloads = [n for n in nodes if yaml.text(yaml.child(n, "kind")) in WORKLOADS]
        self.scaled = scaled(nodes)
        for node in self.workloads:
            self._workload(node)
        for node in nodes:
            if yaml.text(yaml.child(node, "kind")) in (*WORKLOADS, "Job", "CronJob"):
                self._commands(node)
        for name, node in self.maps.items():
            if name not in self.mounted:
                self._files(node)
            self._scripts(node)

    # -- ConfigMaps -------------------------------------------------------------------------

    def _scripts(self, node: yaml.Node) -> None:
        """What scripts do with Kafka's tools that a map carries."""
        if any(
            "kafka-" in (yaml.text(value) or "")
            for _, _, value in yaml.pairs(yaml.child(node, "data"))
        ):
            from kcheck.formats import kubernetes_commands  # few maps have such scripts

            kubernetes_commands.scripts(self.document, node, self.lines)

    def _files(self, node: yaml.Node) -> None:
        # What a Secret has under data is encoded.
        secret = yaml.text(yaml.child(node, "kind")) == "Secret"
        held = yaml.pairs(yaml.child(node, "stringData" if secret else "data"))
        holder = known(yaml.child(node, "metadata", "name"))
        members = [(name, value) for name, _, value in held]
        found = embedded.files(self.document, holder, members, self.lines, self.lookup)
        self.document.resources.extend(found)
        drawn: list[Resource] = []
        if holder not in self.variables.drawn:
            variables = [variable(*member, self.document.path) for member in held]
            drawn = self._springs(holder or "?", variables)
        namespace = known(yaml.child(node, "metadata", "namespace"))
        for resource in drawn:
            resource.traits.holder = f"{self.document.path}#{holder}"
        for resource in (*found, *drawn) if namespace else ():
            resource.traits.namespace = namespace
        if holder and (found or drawn):
            self._run(found, drawn, holder, namespace)

    def _run(
        self, mounted: list[Resource], drawn: list[Resource], holder: str, namespace: str
    ) -> None:
        """Count the clients of a map's files and variables by the one workload that has the map."""
        everybody = [Workload(node, self.document.path) for node in self.workloads]
        from kcheck.formats.yaml_others import recognise

        paths: dict[str, str] = {}
        for path, data, one in self.beside.workloads():
            everybody.append(one)
            if recognise(path, data) is None:
                paths[one.name] = path
        using = [
            one
            for one in everybody
            if holder in one.mounts | one.draws and one.namespace in ("", namespace)
        ]
        if len(using) != 1 or self._scaled(using[0].name):
            return
        if mounted and using[0].name in paths:
            self._alone(paths[using[0].name], using[0].node)
        clients = [
            *(mounted if holder in using[0].mounts else ()),
            *(drawn if holder in using[0].draws else ()),
        ]
        for client in clients:
            if client.kind not in ("broker", "controller", "topic", "connector"):
                client.traits.instances = client.traits.instances or using[0].instances

    def _alone(self, path: str, workload: yaml.Node) -> None:
        """The processes of a workload whose file has nothing of Kafka's but the map's name."""
        from kcheck.formats import kubernetes_running, kubernetes_stores

        pod = pod_of(workload)
        for node in yaml.items(yaml.child(pod, "containers")):
            stores = tuple(kubernetes_stores.places(pod, node, lambda name: self._map(name, "")))
            made = stores and kubernetes_running.process(
                path,
                _name(workload, node),
                kubernetes_running.Pod(workload, pod, node),
                lambda: ({}, False),
                True,
            )
            if made:
                made.reads = stores
                self.document.processes += (made,)

    def _scaled(self, name: str) -> bool:
        """Whether something sets the replicas of a workload while it runs."""
        return name in self.scaled or name in self.beside.scaled()

    def _springs(self, name: str, variables: Iterable[Variable]) -> list[Resource]:
        """The clients of a program that has its settings from variables of Spring's."""
        told = list(variables)
        names = [variable.name for variable in told if variable.name.startswith("SPRING_")]
        if not names:
            return []
        from kcheck.formats import spring_variables

        if not spring_variables.speaks(names):
            return []
        return spring_variables.clients(self.document, name, told, KUBERNETES)

    # -- workloads --------------------------------------------------------------------------

    def _workload(self, node: yaml.Node) -> None:
        pod = pod_of(node)
        for item in yaml.items(yaml.child(pod, "containers")):
            self._container(node, pod, item)

    def _unread(self, image: str, workload: yaml.Node, node: yaml.Node) -> None:
        """Variables of a program around Kafka that its image does not read."""
        from kcheck.formats import beside_images  # few containers are one of them

        variables, complete = self.variables.of(workload, node)
        command = " ".join(
            str(part.value)
            for key in ("command", "args")
            for part in yaml.items(yaml.child(node, key))
            if isinstance(part, yaml.ScalarNode)
        )
        self.document.problems.extend(beside_images.faults(image, variables, command, complete))

    def _commands(self, node: yaml.Node) -> None:
        job = yaml.child(node, "spec", "jobTemplate")
        pod = pod_of(node if job is None else job)
        for kind in ("initContainers", "containers"):
            for item in yaml.items(yaml.child(pod, kind)):
                self._tools(node, item)

    def _tools(self, workload: yaml.Node, node: yaml.Node) -> None:
        """What the command of a container does with Kafka's tools."""
        parts = [
            part
            for key in ("command", "args")
            for part in yaml.items(yaml.child(node, key))
            if isinstance(part, yaml.ScalarNode)
        ]
        if not any("kafka-" in str(one.value) or "curl" in str(one.value) for one in parts):
            return
        from kcheck.formats import kubernetes_commands  # few containers have such commands

        kubernetes_commands.read(self.document, workload, node, parts, self.lines)

    def _container(self, workload: yaml.Node, pod: yaml.Node | None, node: yaml.Node) -> None:
        before = len(self.document.resources)
        self._program_of(workload, pod, node)
        image = known(yaml.child(node, "image"))
        self._observed(image, workload, node)
        if "kafka" in image or "zookeeper" in image or "console" in image or "kafdrop" in image:
            self._unread(image, workload, node)
        self._process(workload, pod, node, self.document.resources[before:])

    def _observed(self, image: str, workload: yaml.Node, node: yaml.Node) -> None:
        """The clients of a program that watches clusters."""
        variables, complete = self.variables.of(workload, node)
        if not observer_signs.program_of(image, variables):
            return
        from kcheck.formats import observer_containers  # few containers are one of them

        words = [
            (str(part.value), yaml.position(part))
            for key in ("command", "args")
            for part in yaml.items(yaml.child(node, key))
            if isinstance(part, yaml.ScalarNode)
        ]
        made = observer_containers.clients(
            self.document,
            _name(workload, node),
            image,
            variables,
            words,
            yaml.position(yaml.child(node, "name") or node),
            KUBERNETES,
            complete and yaml.child(node, "volumeMounts") is None,
            self.lines,
        )
        namespace = known(yaml.child(workload, "metadata", "namespace"))
        for client in made if namespace else ():
            client.traits.namespace = namespace

    def _process(
        self,
        workload: yaml.Node,
        pod: yaml.Node | None,
        node: yaml.Node,
        resources: list[Resource],
    ) -> None:
        """The container as a process, where its image, its command or its clients tell which."""
        from kcheck.formats import kubernetes_running, kubernetes_stores

        namespace = known(yaml.child(workload, "metadata", "namespace"))
        stores = tuple(kubernetes_stores.places(pod, node, lambda name: self._map(name, namespace)))
        made = kubernetes_running.process(
            self.document.path,
            _name(workload, node),
            kubernetes_running.Pod(workload, pod, node),
            lambda: self.variables.of(workload, node),
            bool(resources or stores),
        )
        if made is None:
            return
        if made.replicas is not None and self._scaled(
            known(yaml.child(workload, "metadata", "name"))
        ):
            made.replicas = None
        made.reads += stores
        self.document.processes += (made,)
        for resource in resources:
            resource.traits.process = made

    def _map(self, name: str, namespace: str) -> tuple[str, yaml.Node] | None:
        """A ConfigMap of this file, or of one beside it, with the path of its file."""
        if name in self.maps:
            return self.document.path, self.maps[name]
        return self.beside.map(name, namespace)

    def _program_of(self, workload: yaml.Node, pod: yaml.Node | None, node: yaml.Node) -> None:
        command = [
            part
            for key in ("command", "args")
            for part in yaml.items(yaml.child(node, key))
            if isinstance(part, yaml.ScalarNode)
        ]
        words = "\n".join(str(part.value) for part in command)
        starts = started.START.search(words)
        resource: Resource | None
        if starts is not None:
            resource = self._started(workload, pod, node, command, starts.group(1))
        elif words and not _runs(words):
            self._program(workload, node)
            return
        else:
            resource = self._image(workload, node, words)
            if resource is not None:
                links = kubernetes_links.Links(self.services, workload, pod, node)
                resource.notes.extend(
                    links.refused(self.document.path, lambda one: _refuser(node, one))
                )
            else:
                self._program(workload, node)
                self._alongside(workload, pod, node)
        if resource is None:
            return
        namespace = known(yaml.child(workload, "metadata", "namespace"))
        if namespace:
            resource.traits.namespace = namespace
        self._counted(resource, workload)
        self._limited(resource, node)
        if resource.kind == "worker":
            self._neighbour(CONNECT, neighbours.ports_of_worker(resource), workload, node)
        else:
            self.answering.of_node(resource, workload, node)
            told = resource.traits.addresses
            if any(one.port is not None for one in told) and not _resolves(pod):
                resource.traits.services = tuple(self.services)
            self.document.extent.whole = True
            self._quorum(resource, workload, node)
            self._reached(resource, workload, node)
        self.document.resources.append(resource)

    def _quorum(self, resource: Resource, workload: yaml.Node, node: yaml.Node) -> None:
        """What keeps the nodes of a quorum from each other."""
        if not any(key.startswith("controller.quorum.") for key in resource.settings):
            return
        from kcheck.formats import kubernetes_quorum  # few files have such nodes

        policies = self.policies or [
            *kubernetes_quorum.policies_beside(self.document.path, self.lookup)
        ]
        services = self.answering.selecting(workload)
        self.document.problems.extend(
            kubernetes_quorum.faults(resource, workload, node, services, policies)
        )

    def _reached(self, resource: Resource, workload: yaml.Node, node: yaml.Node) -> None:
        """What Services and probes ask of a broker's ports."""
        from kcheck.formats import kubernetes_ports  # few files have brokers

        services = self.answering.selecting(workload)
        self.document.problems.extend(kubernetes_ports.faults(resource, workload, node, services))

    def _image(self, workload: yaml.Node, node: yaml.Node, command: str) -> Resource | None:
        image_node = yaml.child(node, "image")
        if image_node is None:
            return None
        image = Image(yaml.text(image_node), yaml.position(image_node))
        name = _name(workload, node)
        variables, complete = self.variables.of(workload, node)
        forget(variables, assigned(command))
        at = yaml.position(yaml.child(node, "name") or node)
        made = container(
            name, self.document.path, at, image, variables, complete and not command, KUBERNETES
        )
        if made is not None and not command:
            kubernetes_dollars.note(made, node, complete)
        return made

    def _program(self, workload: yaml.Node, node: yaml.Node) -> None:
        """The clients of a container that nobody knows by its image."""
        variables, _ = self.variables.of(workload, node)
        # What each pod has of its own is no text that all have.
        own = [
            yaml.text(yaml.child(item, "name")) or ""
            for item in yaml.items(yaml.child(node, "env"))
            if yaml.child(item, "valueFrom", "fieldRef") is not None
        ]
        forget(variables, own)
        namespace = known(yaml.child(workload, "metadata", "namespace"))
        clients = self._springs(_name(workload, node), variables.values())
        count = instances(workload, self.document.path) if clients else None
        if count is not None and self._scaled(known(yaml.child(workload, "metadata", "name"))):
            count = None
        for client in clients:
            client.traits.instances = count
            if namespace:
                client.traits.namespace = namespace

    def _alongside(self, workload: yaml.Node, pod: yaml.Node | None, node: yaml.Node) -> None:
        """A program beside brokers as a neighbour, and whom it asks."""
        image = known(yaml.child(node, "image"))
        program = neighbours.program_of(image)
        if program is None and images.split(image)[0].rpartition("/")[2] not in asking.ASKERS:
            return
        variables, complete = self.variables.of(workload, node)
        if program_containers.program_of(image):
            self._server(workload, pod, node, variables, complete)
        if program is not None:
            self._neighbour(program.kind, program.ports(variables, complete), workload, node)
        at = yaml.position(yaml.child(node, "name") or node)
        asker = Asker("client", _name(workload, node), self.document.path, at)
        asker.traits.deployer = KUBERNETES
        namespace = known(yaml.child(workload, "metadata", "namespace"))
        if namespace:
            asker.traits.namespace = namespace
        self.document.references += tuple(
            Reference(asker, told, role, False)
            for told, role in asking.of_variables(variables.values())
        )

    def _server(
        self,
        workload: yaml.Node,
        pod: yaml.Node | None,
        node: yaml.Node,
        variables: dict[str, Variable],
        complete: bool,
    ) -> None:
        """The clients of a server that has its settings from variables."""
        at = yaml.position(yaml.child(node, "name") or node)
        image = known(yaml.child(node, "image"))
        made = program_containers.clients(
            self.document, _name(workload, node), image, variables, at, KUBERNETES, complete
        )
        name = known(yaml.child(workload, "metadata", "name"))
        namespace = known(yaml.child(workload, "metadata", "namespace"))
        for client in made:
            client.traits.instances = (
                None if self._scaled(name) else instances(workload, self.document.path)
            )
            if namespace:
                client.traits.namespace = namespace
        if made:
            links = kubernetes_links.Links(self.services, workload, pod, node)
            made[0].notes.extend(
                links.refused(
                    self.document.path,
                    lambda one: program_containers.refuses(image, one, variables),
                )
            )

    def _neighbour(
        self, kind: str, own: neighbours.Ports, workload: yaml.Node, node: yaml.Node
    ) -> None:
        at = yaml.position(yaml.child(node, "name") or node)
        found = self.answering.of_program(own, workload, node)
        namespace = known(yaml.child(workload, "metadata", "namespace"))
        made = Service(kind, _name(workload, node), at, found, namespace)
        self.document.services += (made,)

    def _started(
        self,
        workload: yaml.Node,
        pod: yaml.Node | None,
        node: yaml.Node,
        command: list[yaml.ScalarNode],
        file: str,
    ) -> Resource:
        """A broker with a file and what the command sets over it; its variables mean nothing."""
        base = self._mounted(pod, node, file) or self._beside(file)
        name = _name(workload, node)
        at = yaml.position(yaml.child(node, "name") or node)
        resource = base or Resource("broker", name, self.document.path, at)
        resource.name, resource.traits.deployer = name, KUBERNETES
        resource.path, resource.at = self.document.path, at
        if base is None:
            # The file is in the image, or comes from elsewhere: what is not here may be there.
            resource.traits.partial = True
            image = yaml.text(yaml.child(node, "image"))
            if image is not None:
                at = yaml.position(yaml.child(node, "image") or node)
                resource.facts["image"] = Setting("image", image, self.document.path, at)
        for made in started.overrides(command, self.lines, self.document.path):
            resource.settings[made.key] = started.plain(made)
        return resource

    def _mounted(self, pod: yaml.Node | None, node: yaml.Node, file: str) -> Resource | None:
        """The broker of the file, if a ConfigMap of this document holds it."""
        folder, _, name = file.rpartition("/")
        for mount in yaml.items(yaml.child(node, "volumeMounts")):
            path = (yaml.text(yaml.child(mount, "mountPath")) or "").rstrip("/")
            if path not in (folder, file):
                continue
            for volume in yaml.items(yaml.child(pod, "volumes")):
                if yaml.text(yaml.child(volume, "name")) != yaml.text(yaml.child(mount, "name")):
                    continue
                held = yaml.text(yaml.child(volume, "configMap", "name")) or ""
                text = yaml.child(self.maps.get(held), "data", name)
                made = embedded.file(self.document, name, text, self.lines, self.lookup)
                if made:
                    self.mounted.add(held)
                    return made[0]
        return None

    def _beside(self, file: str) -> Resource | None:
        """The broker of a file of that name in this folder, of which an image or a map is made."""
        from kcheck.formats import properties

        folder, name = self.document.path.rpartition("/")[0], file.rpartition("/")[2]
        path = f"{folder}/{name}".lstrip("/")
        data = self.lookup(path) if name.endswith(".properties") else None
        if data is None:
            return None
        inner = Document(path)
        inner.format = properties.recognise(path, data)
        if inner.format is not None:
            properties.read(inner, data, self.lookup)
        if len(inner.resources) != 1 or inner.resources[0].kind not in ("broker", "controller"):
            return None
        cover(self.document, path)
        return inner.resources[0]

    def _counted(self, resource: Resource, workload: yaml.Node) -> None:
        if resource.kind == "worker":
            resource.traits.instances = instances(workload, self.document.path)
            return
        node = yaml.child(workload, "spec", "replicas")
        text = yaml.text(node) if node is not None else "1"
        kind = yaml.text(yaml.child(workload, "kind"))
        if kind in ("StatefulSet", "Deployment") and text is not None and text.isdecimal():
            at = yaml.position(node) if node is not None else resource.at
            resource.facts["replicas"] = Setting("replicas", text, self.document.path, at)

    def _limited(self, resource: Resource, node: yaml.Node) -> None:
        for key, key_node, value in yaml.pairs(yaml.child(node, "resources", "limits")):
            for name, fact in _LIMITS:
                if key == name:
                    amount(resource, fact, setting(fact, key_node, value, self.document.path))


def _refuser(node: yaml.Node, variable: str) -> str:
    """The name of a node's image whose script exits where a variable is set; "" where it does not."""
    family = images.family_of(images.split(yaml.text(yaml.child(node, "image")) or "")[0])
    if family is None or all(one.effect != "refused" for one in family.meanings(variable)):
        return ""
    return family.name


def _resolves(pod: yaml.Node | None) -> bool:
    """Whether a pod has names of its own from elsewhere."""
    keys = ("hostAliases", "hostNetwork", "dnsConfig", "hostname", "subdomain")
    return any(yaml.child(pod, key) is not None for key in keys)


def _name(workload: yaml.Node, node: yaml.Node) -> str:
    name = known(yaml.child(workload, "metadata", "name"))
    return name or yaml.text(yaml.child(node, "name")) or "?"


def _runs(words: str) -> bool:
    """Whether a command seems to end in the image's own start script."""
    return any(
        start in words
        for start in (
            "/etc/confluent/docker/run",
            "/etc/kafka/docker/run",
            "/opt/bitnami/scripts/kafka/",
            "start-kafka.sh",
            "docker-entrypoint.sh",
        )
    )

"""Containers of Kubernetes' workloads: brokers and workers by their image or command, programs with
clients by their variables, each as a process.
"""

from __future__ import annotations

from kcheck import images
from kcheck.formats import asking
from kcheck.formats.containers import neighbours, started, zookeeper_data
from kcheck.formats.containers import programs as program_containers
from kcheck.formats.containers.container import Image, beside, container
from kcheck.formats.containers.variables import Variable, assign, forget
from kcheck.formats.kubernetes import dollars as kubernetes_dollars
from kcheck.formats.kubernetes import links as kubernetes_links
from kcheck.formats.kubernetes import nodes as kubernetes_nodes
from kcheck.formats.kubernetes.beside import instances, pod_of
from kcheck.formats.kubernetes.objects import Objects, name_of
from kcheck.formats.observers import signs as observer_signs
from kcheck.formats.scalars import known
from kcheck.formats.strimzi import drain_cleaner, gates
from kcheck.model import CONNECT, KUBERNETES, Asker, Reference, Resource, Service, Setting
from kcheck.model.processes import A_ZOOKEEPER, EMPTY, Process
from kcheck.syntax import yaml
from kcheck.version import Version

#: With it wurstmeister's script takes KAFKA_PORT for itself.
_LISTENER_MAP = "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"


def workload(objects: Objects, node: yaml.Node) -> None:
    """Add what the containers of a workload declare to the document."""
    pod = pod_of(node)
    for item in yaml.items(yaml.child(pod, "containers")):
        _container(objects, node, pod, item)


def _container(
    objects: Objects, workload: yaml.Node, pod: yaml.Node | None, node: yaml.Node
) -> None:
    before = len(objects.document.resources)
    _program_of(objects, workload, pod, node)
    image = known(yaml.child(node, "image"))
    _observed(objects, image, workload, node)
    if drain_cleaner.IMAGE in image:
        at = yaml.position(yaml.child(node, "name") or node)
        variables, _ = objects.variables.of(workload, node)
        drain_cleaner.read(objects.document, name_of(workload, node), at, variables)
    if gates.IMAGE in image:
        gates.read(objects.document, image, objects.variables.of(workload, node)[0])
    if any(word in image for word in images.AROUND):
        _unread(objects, image, workload, node)
    _process(objects, workload, pod, node, objects.document.resources[before:])


def _unread(objects: Objects, image: str, workload: yaml.Node, node: yaml.Node) -> None:
    """Variables of a program around Kafka that its image does not read."""
    variables, complete = objects.variables.of(workload, node)
    command = " ".join(
        str(part.value)
        for key in ("command", "args")
        for part in yaml.items(yaml.child(node, key))
        if isinstance(part, yaml.ScalarNode)
    )
    at = yaml.position(yaml.child(node, "image") or node)
    beside(objects.document, Image(image, at), variables, command, complete)


def _observed(objects: Objects, image: str, workload: yaml.Node, node: yaml.Node) -> None:
    """The clients of a program that watches clusters."""
    variables, complete = objects.variables.of(workload, node)
    if not observer_signs.program_of(image, variables):
        return
    from kcheck.formats.observers import (
        containers as observer_containers,  # few containers are one of them
    )

    words = [
        (str(part.value), yaml.position(part))
        for key in ("command", "args")
        for part in yaml.items(yaml.child(node, key))
        if isinstance(part, yaml.ScalarNode)
    ]
    made = observer_containers.clients(
        objects.document,
        name_of(workload, node),
        image,
        variables,
        words,
        yaml.position(yaml.child(node, "name") or node),
        KUBERNETES,
        complete and yaml.child(node, "volumeMounts") is None,
        objects.lines,
    )
    namespace = known(yaml.child(workload, "metadata", "namespace"))
    for client in made if namespace else ():
        client.traits.namespace = namespace


def _process(
    objects: Objects,
    workload: yaml.Node,
    pod: yaml.Node | None,
    node: yaml.Node,
    resources: list[Resource],
) -> None:
    """The container as a process, where its image, its command or its clients tell which."""
    from kcheck.formats.kubernetes import running as kubernetes_running
    from kcheck.formats.kubernetes import stores as kubernetes_stores

    namespace = known(yaml.child(workload, "metadata", "namespace"))
    stores = tuple(kubernetes_stores.places(pod, node, lambda name: objects.map(name, namespace)))
    made = kubernetes_running.process(
        objects.document.path,
        name_of(workload, node),
        kubernetes_running.Pod(workload, pod, node, objects.claim),
        lambda: objects.variables.of(workload, node),
        bool(resources or stores),
    )
    if made is None:
        return
    made.replicas = objects.replicas(known(yaml.child(workload, "metadata", "name")), made.replicas)
    if made.replicas is not None:
        told = made.replicas
        made.replicas = Setting("replicas", told.text, told.path, told.at, told.key_at, told.name)
    made.reads += stores
    objects.document.processes += (made,)
    if made.program == A_ZOOKEEPER:
        _bare(objects, made, workload, node)
    for resource in resources:
        resource.traits.process = made


def _bare(objects: Objects, made: Process, workload: yaml.Node, node: yaml.Node) -> None:
    """Note a ZooKeeper whose data goes with its pod, by the names of its Services."""
    path = zookeeper_data.folder(known(yaml.child(node, "image")))
    variables, complete = objects.variables.of(workload, node)
    started = any(yaml.child(node, key) is not None for key in ("command", "args"))
    if (
        not path
        or started
        or not complete
        or made.mounts is None
        or zookeeper_data.moved(variables)
    ):
        return
    if not zookeeper_data.kept(path, [one.path for one in made.mounts if one.kind != EMPTY]):
        names = [
            known(yaml.child(one, "metadata", "name"))
            for _, one in objects.answering.selecting(workload)
        ]
        objects.bare.update(dict.fromkeys(names, (made.name, path)))


def _program_of(
    objects: Objects, workload: yaml.Node, pod: yaml.Node | None, node: yaml.Node
) -> None:
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
        resource = kubernetes_nodes.of_command(
            objects, workload, pod, node, command, starts.group(1)
        )
    elif words and not _runs(words):
        _program(objects, workload, node)
        return
    else:
        resource = _image(objects, workload, node, words)
        if resource is not None:
            links = kubernetes_links.Links(objects.services, workload, pod, node)
            resource.notes.extend(
                links.refused(objects.document.path, lambda one: _refuser(node, one))
            )
        else:
            _program(objects, workload, node)
            _alongside(objects, workload, pod, node, words)
    if resource is None:
        return
    namespace = known(yaml.child(workload, "metadata", "namespace"))
    if namespace:
        resource.traits.namespace = namespace
    kubernetes_nodes.counted(objects, resource, workload)
    kubernetes_nodes.limited(objects, resource, node)
    if resource.kind == "worker":
        _neighbour(objects, CONNECT, neighbours.ports_of_worker(resource), workload, node)
    else:
        objects.answering.of_node(resource, workload, node)
        told = resource.traits.addresses
        if any(one.port is not None for one in told) and not kubernetes_nodes.has_names(pod):
            resource.traits.services = tuple(objects.services)
        objects.document.extent.whole = True
        kubernetes_nodes.quorum(objects, resource, workload, node)
        kubernetes_nodes.reached(objects, resource, workload, node)
    objects.document.resources.append(resource)


def _image(objects: Objects, workload: yaml.Node, node: yaml.Node, command: str) -> Resource | None:
    image_node = yaml.child(node, "image")
    if image_node is None:
        return None
    image = Image(yaml.text(image_node), yaml.position(image_node))
    name = name_of(workload, node)
    variables, complete = objects.variables.of(workload, node)
    at = yaml.position(yaml.child(node, "name") or node)
    assign(variables, command, objects.document.path, at)
    made = container(
        name, objects.document.path, at, image, variables, complete and not command, KUBERNETES
    )
    if made is not None and not command:
        others = not complete or yaml.child(node, "envFrom") is not None
        kubernetes_dollars.note(made, yaml.items(yaml.child(node, "env")), others)
    return made


def _program(objects: Objects, workload: yaml.Node, node: yaml.Node) -> None:
    """The clients of a container that nobody knows by its image."""
    variables, _ = objects.variables.of(workload, node)
    # What each pod has of its own is no text that all have.
    own = [
        yaml.text(yaml.child(item, "name")) or ""
        for item in yaml.items(yaml.child(node, "env"))
        if yaml.child(item, "valueFrom", "fieldRef") is not None
    ]
    forget(variables, own)
    namespace = known(yaml.child(workload, "metadata", "namespace"))
    clients = objects.springs(name_of(workload, node), variables.values())
    count = None
    if clients:
        count = objects.replicas(
            known(yaml.child(workload, "metadata", "name")),
            instances(workload, objects.document.path),
        )
    for client in clients:
        client.traits.instances = count
        if namespace:
            client.traits.namespace = namespace


def _alongside(
    objects: Objects, workload: yaml.Node, pod: yaml.Node | None, node: yaml.Node, command: str
) -> None:
    """A program beside brokers as a neighbour, and whom it asks."""
    image = known(yaml.child(node, "image"))
    program = neighbours.program_of(image)
    if program is None and images.split(image)[0].rpartition("/")[2] not in asking.ASKERS:
        return
    variables, complete = objects.variables.of(workload, node)
    at = yaml.position(yaml.child(node, "name") or node)
    assign(variables, command, objects.document.path, at)
    if program_containers.program_of(image):
        _server(objects, workload, pod, node, variables, complete)
    if program is not None:
        _neighbour(objects, program.kind, program.ports(variables, complete), workload, node)
    asker = Asker("client", name_of(workload, node), objects.document.path, at)
    asker.traits.deployer = KUBERNETES
    namespace = known(yaml.child(workload, "metadata", "namespace"))
    if namespace:
        asker.traits.namespace = namespace
    objects.document.references += tuple(
        Reference(asker, told, role, False)
        for told, role in asking.of_variables(variables.values())
    )


def _server(
    objects: Objects,
    workload: yaml.Node,
    pod: yaml.Node | None,
    node: yaml.Node,
    variables: dict[str, Variable],
    complete: bool,
) -> None:
    """The clients of a server that has its settings from variables."""
    at = yaml.position(yaml.child(node, "name") or node)
    image = known(yaml.child(node, "image"))
    scripted = any(yaml.child(node, key) is not None for key in ("command", "args"))
    made = program_containers.clients(
        *(objects.document, name_of(workload, node), image, variables, at, KUBERNETES, complete),
        starts=not scripted,
    )
    name = known(yaml.child(workload, "metadata", "name"))
    namespace = known(yaml.child(workload, "metadata", "namespace"))
    count = objects.replicas(name, instances(workload, objects.document.path)) if made else None
    for client in made:
        client.traits.instances = count
        if namespace:
            client.traits.namespace = namespace
    if made or not scripted:
        links = kubernetes_links.Links(objects.services, workload, pod, node)
        refused = links.refused(
            objects.document.path, lambda one: program_containers.refuses(image, one, variables)
        )
        program_containers.refuse(objects.document, made, refused)


def _neighbour(
    objects: Objects, kind: str, own: neighbours.Ports, workload: yaml.Node, node: yaml.Node
) -> None:
    at = yaml.position(yaml.child(node, "name") or node)
    found = objects.answering.of_program(own, workload, node)
    namespace = known(yaml.child(workload, "metadata", "namespace"))
    made = Service(kind, name_of(workload, node), at, found, namespace)
    objects.document.services += (made,)


def _refuser(node: yaml.Node, variable: str) -> str:
    """What a node's image makes of an address in a variable, as words; "" where the node starts.

    Some scripts exit. Others write port, which Kafka had up to 2.8 and takes for a number only.
    """
    image = Image(yaml.text(yaml.child(node, "image")), yaml.position(node))
    family = image.family
    if family is None:
        return ""
    if any(one.effect == "refused" for one in family.meanings(variable)):
        return f"{family.name} exits if {variable} is set"
    own = [yaml.text(yaml.child(one, "name")) for one in yaml.items(yaml.child(node, "env"))]
    rewritten = yaml.child(node, "envFrom") is not None or _LISTENER_MAP in own
    if family.key(variable) != "port" or rewritten or not Version(image.version).below("3.0"):
        return ""
    return f"{family.name} hands {variable} to Kafka as port, a number"


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

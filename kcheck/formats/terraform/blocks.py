"""The blocks of a Terraform file → topics, connectors, workers, quotas, consumers and users.

``terraform`` recognises such files, ``terraform_brokers`` has the clusters, ``terraform_modules`` what
modules make.
"""

from __future__ import annotations

from kcheck.formats import Lookup, requirements, unknown_fields, unknown_words
from kcheck.formats.provisioned import table as provisioned
from kcheck.formats.provisioned.facts import Blocks
from kcheck.formats.provisioned.resources import Resources, cluster_of, resource
from kcheck.formats.terraform import acls as terraform_acls
from kcheck.formats.terraform.addresses import Providers
from kcheck.formats.terraform.brokers import Brokers, tiers_of
from kcheck.formats.terraform.modules import Modules
from kcheck.formats.terraform.names import FolderNames
from kcheck.formats.terraform.references import References
from kcheck.formats.terraform.turns import switch, turns
from kcheck.formats.text import overgrown, unrendered
from kcheck.lexicon import fields
from kcheck.model import PASSED_OVER, SKIPPED, Document, Problem
from kcheck.syntax.hcl import MOST_EVALUATED, Block, File, Scalar

#: The services whose resources ask something of each other.
_SERVED = ("aws_msk", "confluent_", "azurerm_eventhub", "google_managed_kafka")
#: Resources that hold an object of Kubernetes, or values of a chart.
_RUN = ("aws_ecs_task_definition", "docker_container")
_HOLDERS = ("kubectl_manifest", "kubernetes_", "k8s_manifest", "helm_release")
#: Types whose topics may be blocks of them, and the type that such a topic has by itself.
_INSIDE = {"yandex_mdb_kafka_cluster": "yandex_mdb_kafka_topic"}
#: What every block may have.
_META = frozenset(
    ("count", "for_each", "depends_on", "provider", "lifecycle", "provisioner", "connection")
    + ("dynamic", "timeouts")
)


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    folder = document.path.rpartition("/")[0]
    names = FolderNames(folder, lookup, document.path)
    file = File(data, document.path, names)
    reader = _Reader(document, file, lookup, names)
    reader.read(data)
    if file.overgrown:
        document.problems.append(overgrown(f"{MOST_EVALUATED:,} steps"))
    faulty(document, file, data)
    if document.resources or document.problems:
        return
    if reader.called:
        document.extent.called = True
        document.reason = "a module, read where it is called"
    else:
        document.status = SKIPPED if file.faulty else PASSED_OVER
        document.reason = (
            "not readable as HCL" if file.faulty else "contains no topic, connector or broker"
        )


def faulty(document: Document, file: File, data: bytes) -> None:
    """Report the first syntax error, which Terraform refuses, unless a template makes the file."""
    if file.faulty and not unrendered(data):
        found = file.fault()
        if found is not None:
            message, at = found
            document.problems.append(Problem(f"not valid HCL: {message}", at))


class _Reader:
    """Turns the blocks of one file into resources."""

    def __init__(self, document: Document, file: File, lookup: Lookup, names: FolderNames) -> None:
        self.document = document
        self.file = file
        #: One root of Terraform's: labels mean something in it only.
        self.folder = document.path.rpartition("/")[0]
        #: Whether it has resources that are made where others call the folder as a module.
        self.called = False
        self._lookup = lookup
        self._names = names
        self._brokers = Brokers(document, self.folder)
        self._tiers = tiers_of(file.blocks)
        self._providers = Providers(file, self.folder, lookup)
        self._modules = Modules(document, file, self.folder, lookup)
        self._references = References(file, self.folder, lookup)

    def read(self, data: bytes) -> None:
        rows = provisioned.rows()
        made: list[tuple[Block, provisioned.Row]] = []
        for block in self.file.blocks:
            self._arguments(block)
            if block.type == "module":
                self._module(block)
            row = rows.get(block.labels[0]) if len(block.labels) == 2 else None
            if block.type == "resource" and row is not None:
                made.append((block, row))
        elsewhere = self._elsewhere([row.kind for _, row in made])
        for block, row in made:
            if row.kind not in provisioned.MADE:
                continue
            if elsewhere:
                self.called = True
                continue
            names: set[str] = set()
            for turn, conditional in turns(block):
                self._resource(turn, row, conditional, names)
        own = [block for block, row in made if row.kind == provisioned.ACL]
        self._users([] if elsewhere else own)
        self._within(made)
        self._brokers.read(made)
        self._asking(data)
        self._held(data)
        self._containers(data)

    def _module(self, block: Block) -> None:
        """What a module makes; its cluster goes by the name of the block, where inputs tell of it."""
        resources = self.document.resources
        before = len(resources)
        if self._modules.read(block):
            return
        made = resources[before:]
        self._brokers.of_module(block)
        for one in made if len(resources) > before + len(made) else ():
            if one.cluster and one.traits.namespace != self.folder:
                one.cluster, one.traits.namespace = block.labels[-1], self.folder

    def _elsewhere(self, kinds: list[str]) -> bool:
        """Whether the folder is a module, and what it makes is read where it is called."""
        if any(kind in provisioned.MADE or kind == provisioned.ACL for kind in kinds):
            return bool(self._names.callers(self.file)) and self._names.repeated
        return False

    def _resource(
        self, block: Block, row: provisioned.Row, conditional: bool, names: set[str]
    ) -> None:
        """Add what one turn of a block makes, unless an earlier one has made it under that name."""
        made = resource(Resources(self.document, self.folder), block, row)
        if made is None or (conditional and row.kind != provisioned.TOPIC) or made.name in names:
            return
        names.add(made.name)
        made.traits.conditional = conditional
        if row.kind == provisioned.TOPIC:
            made.traits.tier = self._tiers.get(made.cluster or "")
            if row.type == "kafka_topic":
                self._providers.ask(made, block)
        self.document.resources.append(made)

    def _held(self, data: bytes) -> None:
        """What resources of Kubernetes' and Helm's providers hold."""
        kinds = {block.labels[0] for block in self.file.blocks if block.labels}
        if not any(kind.startswith(_HOLDERS) for kind in kinds):
            return
        from kcheck.formats.terraform import manifests as terraform_manifests  # few files have them

        terraform_manifests.Reader(self.document, self.file, data, self._lookup).read()

    def _containers(self, data: bytes) -> None:
        """What tasks of ECS and containers of Docker's provider run."""
        if not any(block.labels[:1] and block.labels[0] in _RUN for block in self.file.blocks):
            return
        from kcheck.formats.terraform import (
            containers as terraform_containers,  # few files have them
        )

        terraform_containers.read(self.document, self.file, data, self._lookup)

    def _asking(self, data: bytes) -> None:
        """Report what resources of a service ask of each other, and do not get."""
        kinds = [label for block in self.file.blocks for label in block.labels[:1]]
        problems, path = self.document.problems, self.document.path
        if any(kind.startswith("aws_msk") for kind in kinds):
            from kcheck.formats.terraform import (
                msk_access as terraform_msk_access,  # few files have such clusters
            )

            problems.extend(terraform_msk_access.faults(self.file.blocks, path))
        if any(kind.startswith(_SERVED) for kind in kinds):
            from kcheck.formats.terraform import (
                services as terraform_services,  # only resources of these services
            )

            problems.extend(terraform_services.faults(self.file, data, self.folder, self._lookup))

    def _arguments(self, block: Block) -> None:
        """Report the arguments that a resource or a provider of Kafka's does not have."""
        if block.type not in ("resource", "provider") or not block.labels:
            return
        kind = block.labels[0]
        holder = kind if block.type == "resource" else f"provider {kind}"
        entries = [*block.attributes().values()]
        worded = [
            (entry.key, entry.value.text, entry.value.at)
            for entry in entries
            if isinstance(entry.value, Scalar) and entry.value.path == self.document.path
        ]
        given = [(entry.key, entry.key_at) for entry in entries]
        given += [(inner.type, inner.at) for inner in block.blocks()]
        given = [one for one in given if one[0] not in _META]
        owner = ".".join(block.labels[:2]) if block.type == "resource" else holder
        if fields.of(fields.TERRAFORM, holder) is not None:
            unknown_fields.of_names(
                self.document, fields.TERRAFORM, holder, owner, "argument", given
            )
        unknown_words.words_of_names(self.document, fields.TERRAFORM, holder, owner, worded)
        if requirements.has(holder):
            made = Blocks(block, None if switch(block) else self._follow)
            requirements.check(self.document, holder, owner, made)

    def _follow(self, kind: str, label: str) -> Block | None:
        """The resource of that type and label in the folder; None where it may not be made.

        Of ``provider`` the default one of that name, if there is one.
        """
        if kind == "provider":
            found = [
                block
                for file in self._references.files(self.folder, b"provider")
                for block in file.blocks
                if (block.type, block.labels) == (kind, [label])
                and "alias" not in block.attributes()
            ]
            return found[0] if len(found) == 1 else None
        for file in self._references.files(self.folder, kind.encode()):
            for block in file.blocks:
                if block.labels == [kind, label]:
                    return None if switch(block) else block
        return None

    def _within(self, made: list[tuple[Block, provisioned.Row]]) -> None:
        """Topics that are blocks of their cluster's own resource."""
        for block, row in made:
            kind = _INSIDE.get(row.type)
            for inner in block.blocks() if kind else ():
                if inner.type == "topic":
                    inner.labels = [kind or "", block.labels[1]]
                    makes = Resources(self.document, self.folder)
                    topic = makes.make("topic", inner, provisioned.rows()[inner.labels[0]])
                    topic.cluster = block.labels[1]
                    self.document.resources.append(topic)

    def _users(self, blocks: list[Block]) -> None:
        acls = [(turn, block.at) for block in blocks for turn, _ in turns(block)]
        acls += self._modules.acls
        for user, block in terraform_acls.users(acls, self.document.path, self.folder):
            label, namespace = cluster_of(block, provisioned.rows()[block.labels[0]])
            user.cluster = label or None
            if namespace is not None:
                user.traits.namespace = namespace
            if block.labels[0] == "kafka_acl":
                self._providers.ask(user, block)
            self.document.resources.append(user)

"""Charts that GitOps installs with values: Flux' HelmRelease, Argo CD's Application and
ApplicationSet, Crossplane's Release.

Values lie over each other as each of them has it. Those of Secrets and of other repositories are
not read: as in a file of values, what is not said here is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.formats import Lookup
from kcheck.formats.helm import application_sets
from kcheck.formats.helm import misplaced as helm_misplaced
from kcheck.formats.helm.values import take_values
from kcheck.formats.kubernetes.beside import Beside, cover
from kcheck.formats.origins import Origins, within
from kcheck.formats.scalars import documents, known, nothing
from kcheck.model import Document, Resource
from kcheck.syntax import trees, yaml

#: More single settings than this of one release are not read.
MOST_SET = 500


class Release:
    """A chart that is installed with ``values``, a mapping; ``chart``, ``origin`` and ``version``
    are what it is called, where it comes from and which it is, each "" where that is not told."""

    __slots__ = ("chart", "covers", "name", "namespace", "open", "origin", "values", "version")

    def __init__(
        self, name: str, namespace: str, chart: str = "", origin: str = "", version: str = ""
    ) -> None:
        self.name = name
        self.namespace = namespace
        self.chart = chart
        self.origin = origin
        self.version = version
        self.values: yaml.Node | None = None
        #: The files that its values come from, and whether there are values that cannot be read.
        self.covers: list[str] = []
        self.open = False

    @property
    def bitnami(self) -> str | None:
        """The version of Bitnami's chart of Kafka, "" where it is not told; None where it is another one."""
        path, _, chart = f"{self.origin}/{self.chart}".rpartition("/")
        return self.version if chart == "kafka" and "bitnami" in path else None

    @property
    def confluent(self) -> bool:
        """Whether it is Confluent's chart itself, and no fork with defaults of its own."""
        return self.chart == "cp-helm-charts" and "confluentinc" in self.origin

    def lay(self, values: yaml.Node | None) -> None:
        """Lay more values over those that there are."""
        if isinstance(values, yaml.MappingNode):
            self.values = trees.merged(self.values, values)

    def lay_file(self, path: str, origins: Origins) -> None:
        """Lay the values of a file over those that there are."""
        found = origins.values(path) if path else None
        if isinstance(found, yaml.MappingNode):
            self.lay(found)
            self.covers.append(path)
        self.open = self.open or origins.open or not isinstance(found, yaml.MappingNode)


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    origins = Origins(document, data, lookup)
    reader = _Reader(document, lookup, origins)
    take(document, lookup, reader.releases(documents(document, data)), origins)
    nothing(document, "contains no known value for a broker, worker or topic")


def take(document: Document, lookup: Lookup, releases: Iterable[Release], origins: Origins) -> None:
    """What the values of releases say of the brokers, workers and programs that they install."""
    made: list[tuple[Release, list[Resource]]] = []
    for release in releases:
        if release.values is None:
            continue
        text = origins.parsed([release.values])
        problems, processes = len(document.problems), len(document.processes)
        document.problems.extend(helm_misplaced.below_the_name(release))
        told = release.name, release.bitnami, release.confluent
        found = take_values(document, text, lookup, release.values, *told)
        made.append((release, found))
        document.problems[problems:] = origins.own(document.problems[problems:])
        origins.relocate([*found, *document.processes[processes:]])
        if found:
            for path in release.covers:
                cover(document, path)
    several = len([1 for _, found in made if any(one.kind == "broker" for one in found)]) > 1
    for release, found in made:
        for resource in found:
            resource.traits.namespace = resource.traits.namespace or release.namespace
            resource.traits.partial = resource.traits.partial or release.open
            if several and resource.kind in ("broker", "controller"):
                resource.cluster = release.name or None


class _Reader:
    """Finds the releases of a file."""

    def __init__(self, document: Document, lookup: Lookup, origins: Origins) -> None:
        self.document = document
        self.lookup = lookup
        self.origins = origins
        self.maps: dict[tuple[str, str], yaml.Node] = {}

    def releases(self, nodes: list[yaml.Node]) -> list[Release]:
        for node in nodes:
            if known(yaml.child(node, "kind")) == "ConfigMap":
                name = known(yaml.child(node, "metadata", "name"))
                self.maps[name, known(yaml.child(node, "metadata", "namespace"))] = node
        found: list[Release] = []
        for node in nodes:
            kind, spec = known(yaml.child(node, "kind")), yaml.child(node, "spec")
            meta = yaml.child(node, "metadata")
            if kind == "HelmRelease":
                found.append(self._flux(meta, spec))
            elif kind == "Application":
                found += self._argo(meta, spec)
            elif kind == "ApplicationSet":
                for one in application_sets.templates(spec, self.origins):
                    found += self._argo(yaml.child(one, "metadata"), yaml.child(one, "spec"))
            elif kind == "Release" and yaml.child(spec, "forProvider") is not None:
                found.append(self._crossplane(meta, yaml.child(spec, "forProvider")))
        return found

    # -- Flux -------------------------------------------------------------------------------

    def _flux(self, meta: yaml.Node | None, spec: yaml.Node | None) -> Release:
        own, space = known(yaml.child(meta, "name")), known(yaml.child(meta, "namespace"))
        target = yaml.child(spec, "targetNamespace")
        told = yaml.child(spec, "releaseName")
        name = known(told) if told is not None else own
        if told is None and target is not None:
            name = f"{known(target)}-{own}" if known(target) and own else ""
        chart = yaml.child(spec, "chart", "spec")
        made = Release(
            name,
            known(target) if target is not None else space,
            known(yaml.child(chart, "chart")),
            known(yaml.child(chart, "sourceRef", "name")),
            known(yaml.child(chart, "version")),
        )
        for source in yaml.items(yaml.child(spec, "valuesFrom")):
            self._mapped(made, source, space)
        made.lay(yaml.child(spec, "values"))
        return made

    def _mapped(self, release: Release, source: yaml.Node, namespace: str) -> None:
        """Lay the values in a ConfigMap of the same file, or in a generated one of the folder."""
        name = known(yaml.child(source, "name"))
        held = self.maps.get((name, namespace)) or self.maps.get((name, ""))
        key = known(yaml.child(source, "valuesKey")) or "values.yaml"
        if held is None and name:
            held = self._beside(name, namespace, key, release)
        target = yaml.child(source, "targetPath")
        if known(yaml.child(source, "kind")) != "ConfigMap" or not name:
            release.open = True
        elif held is None:
            release.lay_file(self._generated(name, key) if target is None else "", self.origins)
        elif target is None:
            release.lay(self._text(yaml.child(held, "data", key)))
        elif (text := yaml.child(held, "data", key)) is not None:
            release.lay(trees.planted(known(target), target, text))

    def _beside(self, name: str, namespace: str, key: str, release: Release) -> yaml.Node | None:
        """A ConfigMap of a file beside this one, whose values are judged here."""
        found = Beside(self.document.path, self.lookup).map(name, namespace)
        if found is None or found[0] == self.document.path:
            return None
        for node in self.origins.documents(found[0]):
            meta = yaml.child(node, "metadata")
            told = yaml.child(node, "data", key)
            if known(yaml.child(meta, "name")) == name and told is not None:
                release.covers.append(found[0])
                return node
        return None

    def _generated(self, name: str, key: str) -> str:
        """The file of which a kustomization makes a ConfigMap's member."""
        told = Beside(self.document.path, self.lookup).kustomization()
        if told is None:
            return ""
        from kcheck.formats.kustomize import (
            generators as kustomize_generators,  # few releases have one
        )

        return kustomize_generators.file_of(*told, name, key)

    def _text(self, node: yaml.Node | None) -> yaml.Node | None:
        found = self.origins.texts(node, self.document)
        return found[0] if len(found) == 1 else None

    # -- Argo CD ----------------------------------------------------------------------------

    def _argo(self, meta: yaml.Node | None, spec: yaml.Node | None) -> list[Release]:
        own = known(yaml.child(meta, "name"))
        space = known(yaml.child(spec, "destination", "namespace"))
        found: list[Release] = []
        for source in (yaml.child(spec, "source"), *yaml.items(yaml.child(spec, "sources"))):
            helm = yaml.child(source, "helm")
            if helm is None:
                continue
            told = yaml.child(helm, "releaseName")
            made = Release(
                known(told) if told is not None else own,
                space,
                known(yaml.child(source, "chart")),
                known(yaml.child(source, "repoURL")),
                known(yaml.child(source, "targetRevision")),
            )
            self._files(made, source, helm)
            # An object goes over a text, and a parameter over both.
            whole = yaml.child(helm, "valuesObject")
            made.lay(whole if whole is not None else self._text(yaml.child(helm, "values")))
            self._parameters(made, yaml.child(helm, "parameters"))
            found.append(made)
        return found

    def _files(self, release: Release, source: yaml.Node | None, helm: yaml.Node) -> None:
        """The values in files of this repository: of the chart itself, and those that are named.

        ``$name/…`` is a path of another source, which mostly is the repository of the Application.
        """
        folder = known(yaml.child(source, "path"))
        named = yaml.items(yaml.child(helm, "valueFiles"))
        if folder and not release.chart and named:
            own = f"{within('', folder)}/values.yaml"
            if self.origins.has(own):
                release.lay_file(own, self.origins)
        for item in named:
            path = known(item)
            if path.startswith("$"):
                release.lay_file(within("", path.partition("/")[2]), self.origins)
            else:
                release.lay_file(within(folder, path) if folder else "", self.origins)

    def _parameters(self, release: Release, node: yaml.Node | None) -> None:
        """Values that are set one by one, by their routes."""
        for item in yaml.items(node)[:MOST_SET]:
            name, value = yaml.child(item, "name"), yaml.child(item, "value")
            if name is not None and value is not None and known(name):
                release.lay(trees.planted(known(name), name, value))

    # -- Crossplane -------------------------------------------------------------------------

    def _crossplane(self, meta: yaml.Node | None, told: yaml.Node | None) -> Release:
        external = yaml.child(meta, "annotations", "crossplane.io/external-name")
        made = Release(
            known(external) if external is not None else known(yaml.child(meta, "name")),
            known(yaml.child(told, "namespace")),
            known(yaml.child(told, "chart", "name")),
            known(yaml.child(told, "chart", "repository")),
            known(yaml.child(told, "chart", "version")),
        )
        made.lay(yaml.child(told, "values"))
        self._parameters(made, yaml.child(told, "set"))
        return made

"""Argo CD's ApplicationSets: what their generators put into the template, as far as it is written.

Lists, files of this repository (``git``) and what crosses two of these (``matrix``) are read. What clusters, pull requests or other services
give is unknown, and so is what a template works out of a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from kcheck.formats.folders import names_in
from kcheck.formats.kustomize.filling import Filler
from kcheck.formats.origins import Origins, within
from kcheck.formats.scalars import known
from kcheck.syntax import yaml

#: So many Applications of one set are looked at, and so deep values of a file.
_MOST, _DEEPEST = 50, 4
_REFERENCE = re.compile(r"\{\{-?[ \t]*\.?([A-Za-z_][\w.-]{0,200})[ \t]*-?\}\}")

Values = dict[str, yaml.Node]


def templates(spec: yaml.Node | None, origins: Origins) -> Iterator[yaml.Node]:
    """The template of a set with the values of each of its Applications; as it is written where
    these are unknown."""
    template = yaml.child(spec, "template")
    if template is None:
        return
    each: list[Values] = []
    for generator in yaml.items(yaml.child(spec, "generators")):
        found = _values(generator, origins)
        if found is None:
            yield template
            return
        each += found
    for values in each[:_MOST]:
        made = Filler(lambda text, values=values: _filled(text, values), "{{").filled(template)  # type: ignore[misc]
        yield made if made is not None else template


def _filled(text: str, values: Values) -> str:
    def value(match: re.Match[str]) -> str:
        told = values.get(match[1])
        text = yaml.text(told) if told is not None else None
        return match[0] if text is None or len(text) > 500 or "\n" in text else text

    return _REFERENCE.sub(value, text)


def _values(generator: yaml.Node, origins: Origins) -> list[Values] | None:
    """The values of each Application that a generator makes; None where that is not told here."""
    crossed = yaml.items(yaml.child(generator, "matrix", "generators"))
    if crossed:
        return _crossed(crossed, origins)
    listed = yaml.child(generator, "list", "elements")
    if listed is not None:
        return [_flat(one, "", _DEEPEST) for one in yaml.items(listed)]
    files = yaml.child(generator, "git", "files")
    if files is None:
        return None
    made: list[Values] = []
    for item in yaml.items(files):
        for path in _paths(known(yaml.child(item, "path")), origins):
            held = origins.values(path)
            made += [_flat(held, "", _DEEPEST)] if held is not None else []
    return made or None


#: What generators of clusters and services call what they give.
_GIVEN = ("name", "nameNormalized", "server", "path", "branch")


def _crossed(generators: list[yaml.Node], origins: Origins) -> list[Values] | None:
    """Each of one generator with each of the other, which may be told by what the first gives.

    Where one of them is unknown, all that the other gives holds all the same.
    """
    first = _values(generators[0], origins) if len(generators) == 2 else None
    made: list[Values] = []
    for one in first or [{}]:
        filled = Filler(lambda text, one=one: _filled(text, one), "{{").filled(generators[-1])  # type: ignore[misc]
        second = _values(filled or generators[-1], origins)
        if second is None and first is None:
            return None
        if second is None or first is None:
            known = [{**one, **other} for other in second or [{}]]
            made += [{key: held[key] for key in held if key not in _GIVEN} for held in known]
        else:
            made += [{**one, **other} for other in second]
        if len(made) > _MOST:
            break
    return made[:_MOST] or None


def _paths(pattern: str, origins: Origins) -> list[str]:
    """The files of this repository that a pattern of paths means, in which the last step alone, or
    the one before it, is open."""
    path = within("", pattern)
    folder, _, name = path.rpartition("/")
    if "*" not in path:
        return [path] if path else []
    folders = [folder]
    if "*" in folder:
        above, _, open_step = folder.rpartition("/")
        folders = (
            []
            if "*" in above
            else [
                f"{above}/{one}".lstrip("/")
                for one in _names(above, origins)
                if fnmatchcase(one, open_step)
            ]
        )
    return [
        f"{one}/{found}".lstrip("/")
        for one in folders[:_MOST]
        for found in _names(one, origins)
        if fnmatchcase(found, name)
    ][:_MOST]


def _names(folder: str, origins: Origins) -> list[str]:
    return [one for one in names_in(folder, origins.lookup) or () if one]


def _flat(node: yaml.Node, before: str, depth: int) -> Values:
    """The scalars of a mapping by the names under which a template has them: ``kafka.replicas``."""
    found: Values = {}
    for key, _, value in yaml.pairs(node) if depth else ():
        if isinstance(value, yaml.ScalarNode):
            found[before + key] = value
        else:
            found |= _flat(value, f"{before}{key}.", depth - 1)
    return found

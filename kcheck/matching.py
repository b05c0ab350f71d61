"""Findings of two times: which one of then is which one of now.

Both are multisets: one of then is at most one of now. What has the same fingerprint is the same,
but for a number that twins have by their order, so among twins the other end decides first: the
topic that a producer's setting is weighed against. What is left is known again after a rename, by
rule, key and other end: of a file where git tells it or where the old file is gone, of a resource
where the old name is gone from its file. A value decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from kcheck import ends, fingerprint
from kcheck.model import Document, Finding

#: (key, kind, name) of the values that other resources have part with.
Others = tuple[tuple[str, str, str], ...]

#: Path, kind and name of a resource.
Owner = tuple[str, str, str]

_Key = Callable[["Mark"], Hashable]
_Test = Callable[["Mark"], bool]


class Mark:
    """What a finding is known again by; paths start at the repository's root.

    ``name`` is empty where the resource is called like this file. ``others`` is None where nobody
    wrote it down.
    """

    __slots__ = ("fingerprint", "key", "kind", "name", "occurrence", "others", "path", "rule")

    def __init__(
        self,
        fingerprint: str,
        rule: str,
        path: str,
        kind: str = "",
        name: str = "",
        key: str = "",
        occurrence: object = 0,
        others: Others | None = None,
    ) -> None:
        self.fingerprint = fingerprint
        self.rule = rule
        self.path = path
        self.kind = kind
        self.name = name
        self.key = key
        self.occurrence = occurrence
        self.others = others

    def resource(self) -> Owner:
        return self.path, self.kind, self.name

    def identity(self) -> tuple[str, ...]:
        """All of the fingerprint but the number."""
        return self.rule, self.path, self.kind, self.name, self.key


def mark(finding: Finding, prefix: str = "") -> Mark:
    """The mark of a finding; ``prefix`` leads from the repository's root to its path."""
    path = fingerprint.from_root(finding.path, prefix)
    name = finding.resource.name
    if name == finding.resource.path:
        name = "" if name == finding.path else fingerprint.from_root(name, prefix)
    return Mark(
        fingerprint.of(finding, prefix),
        finding.code,
        path,
        finding.resource.kind,
        name,
        fingerprint.primary_key(finding),
        finding.occurrence,
        others(finding),
    )


def others(finding: Finding) -> Others:
    """The other ends of a finding: values of its evidence that are another resource's."""
    return tuple(end for end in ends.others(finding) if end[1])


class Places:
    """What there is, and what there was: by that a rename is told from something new.

    ``exists`` tells which files there are, read or not. Without ``before``, the documents of then,
    there was what the marks of then name.
    """

    def __init__(
        self,
        now: Iterable[Document],
        prefix: str,
        exists: Callable[[str], bool],
        before: Iterable[Document] | None = None,
    ) -> None:
        self._exists = exists
        self._now = _resources(now, prefix)
        self._names = {resource[1:] for resource in self._now}
        self._read = {path for path, _, _ in self._now}
        self._before = None if before is None else _resources(before, prefix)

    def file_is_gone(self, path: str) -> bool:
        return path not in self._read and not self._exists(path)

    def is_gone(self, resource: Owner) -> bool:
        """Whether its file is there and read, and does not hold it any more."""
        if resource[0] not in self._read or resource in self._now:
            return False
        # A finding may be told in another file than its resource's.
        was = self._before is not None and resource in self._before
        return was or self.is_nowhere(*resource[1:])

    def is_nowhere(self, kind: str, name: str) -> bool:
        return (kind, name) not in self._names

    def then(self, marks: Iterable[Mark]) -> set[Owner]:
        """The resources of then."""
        if self._before is None:
            return {mark.resource() for mark in marks}
        return self._before


def _resources(documents: Iterable[Document], prefix: str) -> set[Owner]:
    found: set[Owner] = set()
    for document in documents:
        path = fingerprint.from_root(document.path, prefix)
        found.add((path, "", ""))
        for resource in document.resources:
            name = "" if resource.name == document.path else resource.name
            found.add((path, resource.kind, name))
    return found


def same(
    then: Sequence[Mark],
    now: Sequence[Mark],
    places: Places | None = None,
    renamed: Callable[[], dict[str, str]] | None = None,
) -> list[tuple[Mark, Mark]]:
    """The pairs that are one finding. ``renamed`` gives the new paths of files by their old ones,
    and is asked only where one of then is missing.
    """
    left = _Left(then, now)
    left.pair(lambda m: (m.fingerprint, m.others), _knows_others)
    left.pair(lambda m: (m.identity(), m.others), _knows_others)
    left.pair(lambda m: m.fingerprint)
    left.pair(Mark.identity, lambda m: m.others is None)
    if places is not None and left.then and left.now:
        if renamed is not None and any(places.file_is_gone(m.path) for m in left.then):
            _moved_by_git(left, renamed())
        _renamed(left, places, places.then(then))
    return left.pairs


def _knows_others(mark: Mark) -> bool:
    return mark.others is not None


def _any(mark: Mark) -> bool:
    return True


class _Left:
    """What is not paired yet."""

    def __init__(self, then: Sequence[Mark], now: Sequence[Mark]) -> None:
        self.then = list(then)
        self.now = list(now)
        self.pairs: list[tuple[Mark, Mark]] = []

    def pair(
        self,
        key: _Key,
        old: _Test = _any,
        new: _Test = _any,
        old_key: _Key | None = None,
        decided: bool = False,
    ) -> None:
        """Pair marks with the same key, in their order, of those that ``old`` and ``new`` admit.

        ``decided``: only where all of now with that key find one, for else nobody knows which do.
        """
        if not (self.then and self.now):
            return
        wanted: dict[Hashable, list[Mark]] = {}
        for mark in self.now:
            if new(mark):
                wanted.setdefault(key(mark), []).append(mark)
        offered: dict[Hashable, list[Mark]] = {}
        for mark in self.then:
            if old(mark) and (at := (old_key or key)(mark)) in wanted:
                offered.setdefault(at, []).append(mark)
        taken: set[int] = set()
        for at, ones in offered.items():
            if decided and len(ones) < len(wanted[at]):
                continue
            for pair in zip(ones, wanted[at], strict=False):
                self.pairs.append(pair)
                taken.update(map(id, pair))
        if taken:
            self.then = [mark for mark in self.then if id(mark) not in taken]
            self.now = [mark for mark in self.now if id(mark) not in taken]

    def pair_by_end(self, key: _Key, old: _Test, new: _Test) -> None:
        """Pair marks with the same key and other ends, then those of then that tell no end."""
        self.pair(
            lambda m: (key(m), m.others), lambda m: _knows_others(m) and old(m), new, decided=True
        )
        self.pair(key, lambda m: not _knows_others(m) and old(m), new, decided=True)


def _moved_by_git(left: _Left, renamed: dict[str, str]) -> None:
    """Pair what lies in a file that has another path now."""
    if not renamed:
        return

    def moved(mark: Mark) -> tuple[str, ...]:
        name = renamed.get(mark.name, mark.name)
        return mark.rule, renamed[mark.path], mark.kind, name, mark.key

    def old(mark: Mark) -> bool:
        return mark.path in renamed

    left.pair(
        lambda m: (m.identity(), m.others),
        lambda m: old(m) and _knows_others(m),
        old_key=lambda m: (moved(m), m.others),
    )
    left.pair(
        lambda m: (m.identity(), m.occurrence), old, old_key=lambda m: (moved(m), m.occurrence)
    )


def _renamed(left: _Left, places: Places, then: set[Owner]) -> None:
    """Pair what has another name now, where the old one is gone and the new one was not there."""
    files = {path for path, _, _ in then}

    def other_is_gone(mark: Mark) -> bool:
        ends = mark.others or ()
        return bool(ends) and all(places.is_nowhere(kind, name) for _, kind, name in ends)

    # The other end is renamed: it has the same key and kind.
    left.pair(
        lambda m: (m.identity(), _nameless(m)), other_is_gone, lambda m: bool(m.others), None, True
    )
    # The file is moved: a resource with a name of its own is known by that.
    left.pair_by_end(
        lambda m: (m.rule, m.kind, m.name, m.key),
        lambda m: bool(m.name) and places.file_is_gone(m.path),
        lambda m: bool(m.name) and m.path not in files,
    )
    _moved_whole(left, places, files)
    left.pair_by_end(
        lambda m: (m.rule, m.path, m.kind, m.key),
        lambda m: places.is_gone(m.resource()),
        lambda m: m.resource() not in then,
    )


def _moved_whole(left: _Left, places: Places, files: set[str]) -> None:
    """Pair what lies in a file that is gone with what lies in a new one that has the same findings.

    Its resource has no name of its own, so one finding alone would not tell: all that the two files
    have must agree, and so must their names or their folders.
    """
    gone = _by_path(m for m in left.then if not m.name and places.file_is_gone(m.path))
    new = _by_path(m for m in left.now if not m.name and m.path not in files)
    for part in (2, 0):
        were, are = _alike(gone, part), _alike(new, part)
        for look, paths in are.items():
            old = were.get(look, [])
            if len(old) >= len(paths):
                for one, other in zip(sorted(old), sorted(paths), strict=False):
                    _pair_all(left, gone.pop(one), new.pop(other))


def _by_path(marks: Iterable[Mark]) -> dict[str, list[Mark]]:
    found: dict[str, list[Mark]] = {}
    for mark in marks:
        found.setdefault(mark.path, []).append(mark)
    return found


def _alike(files: dict[str, list[Mark]], part: int) -> dict[Hashable, list[str]]:
    """The paths by the findings of the files and a part of their paths: folder or name."""
    found: dict[Hashable, list[str]] = {}
    for path, marks in files.items():
        findings = tuple(sorted((mark.rule, mark.kind, mark.key) for mark in marks))
        found.setdefault((findings, path.rpartition("/")[part]), []).append(path)
    return found


def _pair_all(left: _Left, then: list[Mark], now: list[Mark]) -> None:
    taken = {id(mark) for mark in (*then, *now)}
    left.then = [mark for mark in left.then if id(mark) not in taken]
    left.now = [mark for mark in left.now if id(mark) not in taken]
    inner = _Left(then, now)
    inner.pair(lambda m: (m.rule, m.kind, m.key, m.others), _knows_others)
    inner.pair(lambda m: (m.rule, m.kind, m.key))
    left.pairs += inner.pairs


def _nameless(mark: Mark) -> tuple[tuple[str, str], ...]:
    return tuple((key, kind) for key, kind, _ in mark.others or ())

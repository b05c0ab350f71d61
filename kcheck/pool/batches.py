"""Files → batches of whole folders, each of which a worker lints as a project of its own.

Where a folder holds many folders, what lies below each of them is taken to belong together, and
so are folders of one name in several such places (``brokers/c1 topics/c1``). That is a guess about
speed alone: ``merge.py`` finds out which clusters it was right about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

#: No unit may hold more than one in so many files, or the others wait for whoever reads that one.
_SHARE = 2
#: Batches per worker, so that all end at about the same time.
_ROUNDS = 16
#: How many places a sample is taken from, each of two neighbours, and how many files of each.
_PLACES = 8
_TASTE = 6


class Split:
    """The numbers of files by unit; ``loose`` are in none."""

    def __init__(self, units: dict[str, list[int]], loose: list[int]) -> None:
        self.units = [units[name] for name in sorted(units)]
        self.loose = loose

    @property
    def even(self) -> bool:
        """Whether several workers would all have something to do."""
        total = len(self.loose) + sum(map(len, self.units))
        most = max(map(len, self.units), default=total)
        return max(most, len(self.loose)) * _SHARE <= total

    def sample(self) -> list[list[int]]:
        """A few files of some units, neighbours by name among them."""
        step = max(2, len(self.units) // _PLACES)
        starts = range(0, len(self.units), step)
        return [unit[:_TASTE] for at in starts for unit in self.units[at : at + 2]]

    def batches(self, weight: Callable[[int], int], workers: int) -> list[list[int]]:
        """Neighbouring units together, so that each batch is a small part of the whole; the
        heaviest first, the files of each in order."""
        weighed = [(sum(map(weight, unit)), unit) for unit in self.units]
        enough = sum(size for size, _ in weighed) // (_ROUNDS * workers)
        found: list[tuple[int, list[int]]] = []
        size, batch = 0, list[int]()
        for heft, unit in weighed:
            if batch and size + heft > enough:
                found.append((size, batch))
                size, batch = 0, []
            size += heft
            batch += unit
        if batch:
            found.append((size, batch))
        found.sort(key=lambda one: -one[0])
        return [sorted(batch) for _, batch in found]


def split(files: list[str], fans: Iterable[str]) -> Split:
    """The units of files below the ``fans``, the folders that hold many folders."""
    left = sorted(set(fans), key=len)
    used = set(_topmost(left))
    while True:
        names: dict[str, str] = {}
        units: dict[str, list[int]] = {}
        loose: list[int] = []
        for number, path in enumerate(files):
            name = _unit_of(path.rpartition("/")[0], used, names)
            (units.setdefault(name, []) if name else loose).append(number)
        largest = max(units, key=lambda name: len(units[name]), default="")
        if not largest or len(units[largest]) * _SHARE <= len(files):
            return Split(units, loose)
        # Hardly a cluster of its own: rather the folder of all clusters beside some others.
        inner = [fan for fan in left if _unit_of(fan, used, names) == largest]
        if not inner:
            return Split(units, loose)
        used.update(_topmost(inner))


def _unit_of(folder: str, fans: set[str], known: dict[str, str]) -> str:
    """The name of the folder in the innermost of the fans that holds this one; "" for none."""
    passed: list[str] = []
    place, name = folder, ""
    while place:
        if place in known:
            name = known[place]
            break
        passed.append(place)
        above, _, last = place.rpartition("/")
        if above in fans:
            name = last
            break
        place = above
    for one in passed:
        known[one] = name
    return name


def _topmost(folders: Iterable[str]) -> Iterator[str]:
    """Of folders that lie in each other the outermost; the shorter ones come first."""
    found: list[str] = []
    for folder in folders:
        if not any(_inside(folder, one) for one in found):
            found.append(folder)
            yield folder


def _inside(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")

"""How keys spread over partitions, and which of them move when partitions are added."""

from __future__ import annotations

from math import lcm

from kcheck.partition.partitioners import Partitioner


class Key:
    """One key: as written, its bytes, and how many records have it."""

    __slots__ = ("data", "records", "written")

    def __init__(self, written: str, data: bytes, records: int = 1) -> None:
        self.written = written
        self.data = data
        self.records = records


class Load:
    """One partition: its records and its keys, those with most records first."""

    __slots__ = ("keys", "partition", "records")

    def __init__(self, partition: int) -> None:
        self.partition = partition
        self.records = 0
        self.keys: list[Key] = []


class Spread:
    """All partitions with what the keys send to them; keys without a partition are ``anywhere``."""

    def __init__(self, keys: list[Key], partitioner: Partitioner, partitions: int) -> None:
        self.loads = [Load(number) for number in range(partitions)]
        self.anywhere = 0
        for key in keys:
            at = partitioner.partition(key.data, partitions)
            if at is None:
                self.anywhere += key.records
                continue
            self.loads[at].records += key.records
            self.loads[at].keys.append(key)
        for load in self.loads:
            load.keys.sort(key=lambda key: -key.records)
        self.records = sum(load.records for load in self.loads)

    @property
    def mean(self) -> float:
        return self.records / len(self.loads)

    @property
    def fullest(self) -> Load:
        return max(self.loads, key=lambda load: load.records)

    @property
    def skew(self) -> float:
        """The fullest partition's records ÷ the mean; 0 where there are no records."""
        # Multiplied first: the product of whole numbers is exact, a mean mostly is not.
        return self.fullest.records * len(self.loads) / self.records if self.records else 0.0

    @property
    def empty(self) -> list[int]:
        return [load.partition for load in self.loads if not load.records]


def moving(before: int, after: int) -> float:
    """The share of all keys that another number of partitions sends elsewhere.

    A hash stays where it is if both remainders are equal. By the Chinese remainder theorem that
    holds for one hash in ``lcm(before, after)`` for each partition that there is before and after.
    """
    return 1 - min(before, after) / lcm(before, after)

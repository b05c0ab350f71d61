"""What an estimate is made of: assumptions, facts of hosts, settings of brokers.

Whatever is taken leaves its trace in the line, and whatever is not there is told as missing.
"""

from __future__ import annotations

import math

from kcheck.limits.assumptions import assumed
from kcheck.limits.demand import Demand, first_host
from kcheck.limits.entry import Line
from kcheck.model import NAN, Value


def take(line: Line, demand: Demand, name: str) -> float:
    """An assumption's number; the line tells that it rests on it."""
    found = assumed(demand.cluster, name)
    line.assumed.append(found)
    return found.number


def fact(line: Line, demand: Demand, name: str) -> float:
    """A fact of the weakest broker's host; the line tells it, or that it is missing."""
    value = first_host(demand.cluster, name)
    if value.number == value.number:
        line.values.append(("", value))
    else:
        line.missing.append(name)
    return value.number


def setting(line: Line, demand: Demand, key: str) -> float:
    """A broker's value; the line tells it, or that no file tells of brokers."""
    brokers = demand.cluster.brokers
    if not brokers:
        line.missing.append("broker settings")
        return NAN
    value = max((broker[key] for broker in brokers), key=_by_number)
    line.values.append(("", value))
    return value.number


def _by_number(value: Value) -> float:
    return value.number if value.number == value.number else -math.inf


def counted(line: Line, demand: Demand) -> bool:
    """Whether there are topics and brokers to count; the line tells what is missing."""
    if not demand.topics:
        line.missing.append("partitions")
    if not demand.brokers.number >= 1:
        line.missing.append("brokers")
    line.least = bool(demand.uncounted) or any(not one.factor_known for one in demand.topics)
    if line.least and demand.topics:
        line.missing += ["partitions"] if demand.uncounted else ["replication_factor"]
    return bool(demand.topics) and demand.brokers.number >= 1


def of_all(part: int, demand: Demand) -> str:
    """``3 of 12 topics``."""
    return f"{part:,} of {len(demand.topics):,} topics"

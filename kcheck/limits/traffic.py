"""EMERGENT limits of rates: partitions, network cards, brokers for what is declared."""

from __future__ import annotations

from collections.abc import Callable

from kcheck.limits import derivations
from kcheck.limits.demand import Demand
from kcheck.limits.entry import Line
from kcheck.limits.format import RATE, about, exact, share
from kcheck.limits.inputs import counted, fact, of_all, take
from kcheck.wording import count


def partition_throughput(line: Line, demand: Demand) -> None:
    careful = take(line, demand, "partition_rate")
    each = take(line, demand, "most_partition_rate")
    line.share = derivations.over(careful, each)
    rated = demand.rated
    if not rated:
        line.missing += ["produce_rate"] if demand.topics else ["partitions", "produce_rate"]
        return
    tightest = max(rated, key=lambda one: one.rate / one.partitions)
    line.limit = tightest.partitions * each
    line.used = tightest.rate
    line.whose = tightest.topic.name
    needed = derivations.partitions_for(tightest.rate, careful)
    line.formula = (
        f"{count(tightest.partitions, 'partition')} × {exact(each, RATE)}; "
        f"at {exact(careful, RATE)} each its rate requires {needed:,.0f}"
    )
    _unrated(line, demand)


def _unrated(line: Line, demand: Demand) -> None:
    if demand.unrated:
        line.notes.append(f"{of_all(len(demand.unrated), demand)} declare no produce_rate")
        line.missing.append("produce_rate")


def _incoming(line: Line, demand: Demand) -> bool:
    """Whether there is a rate to weigh; the line tells what is missing."""
    known = counted(line, demand)
    if not demand.rated:
        line.missing.append("produce_rate")
        return False
    line.least = line.least or bool(demand.unrated)
    _unrated(line, demand)
    return known


def network_in(line: Line, demand: Demand) -> None:
    line.limit = fact(line, demand, "nic")
    line.share = take(line, demand, "nic_use")
    if not _incoming(line, demand):
        return
    line.used = derivations.network_in(demand.stored, demand.brokers.number)
    line.formula = (
        f"{about(demand.stored, RATE)} including replicas ÷ {demand.brokers.number:g} brokers"
    )


def network_out(line: Line, demand: Demand) -> None:
    line.limit = fact(line, demand, "nic")
    line.share = take(line, demand, "nic_use")
    fan_out = take(line, demand, "consumer_fan_out")
    if not _incoming(line, demand):
        return
    replicated, consumed = demand.stored - demand.produced, demand.consumed(fan_out)
    line.used = derivations.network_out(replicated, consumed, demand.brokers.number)
    line.formula = (
        f"({about(replicated, RATE)} to followers + "
        f"{about(consumed, RATE)} to consumers) ÷ {demand.brokers.number:g} brokers"
    )


def brokers_needed(line: Line, demand: Demand) -> None:
    card = fact(line, demand, "nic")
    use = take(line, demand, "nic_use")
    fan_out = take(line, demand, "consumer_fan_out")
    line.limit = demand.brokers.number
    if not _incoming(line, demand):
        return
    outgoing = demand.stored - demand.produced + demand.consumed(fan_out)
    factor = demand.largest_factor()
    line.used = derivations.brokers_needed(demand.stored, outgoing, card, use, factor)
    if line.used == line.used:
        ingress = derivations.usable_ingress(card, use, factor, fan_out)
        line.formula = (
            f"max(in, out) ÷ {share(use)} of the network card, at least {factor:g} (the replication factor); "
            f"each then receives {about(ingress, RATE)} of writes"
        )
        if demand.brokers.number == factor:
            line.notes.append(
                f"while one broker is down, no topic with {factor:g} replicas can be created: add one"
            )


LINES: tuple[Callable[[Line, Demand], None], ...] = (
    partition_throughput,
    network_in,
    network_out,
    brokers_needed,
)

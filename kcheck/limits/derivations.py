"""The formulas: pure functions of numbers. Sizes are in bytes, rates in bytes per second.

Unknown is NaN, as everywhere in kcheck: it goes in and comes out, and satisfies no comparison.
Unlimited is infinity. Every figure is an estimate, whatever is exact about its inputs.
"""

from __future__ import annotations

import math

NAN = math.nan

_SECOND = 1000


def up(number: float) -> float:
    """The next whole number from there on; NaN and infinity stay what they are."""
    return math.ceil(number) if math.isfinite(number) else number


def down(number: float) -> float:
    """The whole number up to there; NaN and infinity stay what they are."""
    return math.floor(number) if math.isfinite(number) else number


def over(part: float, whole: float) -> float:
    """``part ÷ whole``; nothing to divide by makes it unlimited, or unknown where ``part`` is 0."""
    if whole == 0:
        return math.inf if part > 0 else NAN
    return part / whole


def least(*bounds: float) -> float:
    """The smallest of the bounds that are known; NaN where none is."""
    return min((bound for bound in bounds if not math.isnan(bound)), default=NAN)


def most(*needs: float) -> float:
    """The largest of the needs; NaN where one is not known. Python's max hangs on their order."""
    return NAN if any(map(math.isnan, needs)) else max(needs)


# -- what topics put on brokers ---------------------------------------------------------------


def retained(rate: float, kept_ms: float, kept_bytes: float) -> float:
    """Bytes that one replica keeps: what retention by time and by size both leave.

    ``rate`` is the partition's, in bytes per second; negative retention is none (Kafka's -1).
    The smaller of the two holds where both are known: each deletes for itself (UnifiedLog,
    deleteRetentionMsBreachedSegments and deleteRetentionSizeBreachedSegments). With the size
    alone known it is that, which is the most that can be; with neither, unknown.
    """
    by_time = rate * kept_ms / _SECOND if kept_ms >= 0 else (math.inf if kept_ms < 0 else NAN)
    by_size = kept_bytes if kept_bytes >= 0 else (math.inf if kept_bytes < 0 else NAN)
    if math.isnan(by_time) and math.isinf(by_size):
        return NAN
    if math.isnan(by_size) and math.isinf(by_time):
        return NAN
    return least(by_time, by_size)


def segments(
    kept: float, segment_bytes: float, kept_ms: float = NAN, roll_ms: float = NAN
) -> float:
    """Segments of a replica: those that are kept, and the one that is written.

    ``max(⌈kept ÷ segment.bytes⌉, ⌈retention.ms ÷ segment.ms⌉) + 1``: a segment is rolled by size
    or by age, whichever comes first (LogSegment.shouldRoll). The second term holds for topics that
    are written all the time; leave it out for others. At least 1, which every replica has.
    """
    by_size = up(over(kept, segment_bytes)) if kept > 0 else NAN
    by_age = up(over(kept_ms, roll_ms)) if kept_ms > 0 else NAN
    known = [count for count in (by_size, by_age) if not math.isnan(count)]
    return max(known) + 1 if known else 1


def disk(kept: float, segment_bytes: float) -> float:
    """Bytes of a replica on disk: what is kept, and one segment more, since whole ones go."""
    return kept + segment_bytes


# -- memory maps and files --------------------------------------------------------------------


def memory_maps(segment_count: float, per_segment: float) -> float:
    """``segments × maps per segment`` (AbstractIndex maps both indexes of a segment, lazily)."""
    return segment_count * per_segment


def replicas_by_maps(max_map_count: float, per_segment: float) -> float:
    """Replicas with one segment each that fit: ``⌊vm.max_map_count ÷ maps per segment⌋``."""
    return down(over(max_map_count, per_segment))


def open_files(segment_count: float, per_segment: float, connections: float) -> float:
    """``segments × descriptors per segment + connections``.

    The planning formula of Kafka's makers, which counts three descriptors for a segment; one was
    counted on running brokers, since FileRecords alone stays open.
    """
    return up(segment_count) * per_segment + connections


# -- connections and memory -------------------------------------------------------------------


def replica_connections(brokers: float, fetchers: float) -> float:
    """Connections of the other brokers' fetchers: ``num.replica.fetchers × (brokers - 1)``.

    Each fetcher thread of a follower has a connection of its own (ReplicaFetcherBlockingSend).
    """
    return fetchers * most(brokers - 1, 0)


def tls_memory(connections: float, per_connection: float) -> float:
    """``connections × bytes per TLS connection`` (SslTransportLayer's buffers and session)."""
    return connections * per_connection


def fetch_buffers(brokers: float, fetchers: float, response_bytes: float) -> float:
    """Responses that a broker's own fetchers may hold at once.

    ``(brokers - 1) × num.replica.fetchers × replica.fetch.response.max.bytes``: one fetcher
    thread per peer and number, each with one response (AbstractFetcherManager).
    """
    return replica_connections(brokers, fetchers) * response_bytes


def queued_bytes(requests: float, request_size: float, at_most: float = -1) -> float:
    """Requests that wait: ``queued.max.requests × size``, at most queued.max.request.bytes."""
    waiting = requests * request_size
    return min(waiting, at_most) if at_most > 0 else waiting


def page_cache_ms(memory: float, heap: float, written: float) -> float:
    """How long what a broker writes stays in memory: ``(memory - heap) ÷ bytes per second``.

    The kernel keeps the pages that were written last; readers behind them read from the disks.
    """
    return over(most(memory - heap, 0), written) * _SECOND


# -- recovery ---------------------------------------------------------------------------------


def election_ms(leaders: float, per_leader: float) -> float:
    """``leaders × time per election``: partitions of a lost broker get their leaders in turn.

    A planning formula from ZooKeeper's controller; KRaft's makes the records of many at once.
    """
    return leaders * per_leader


def recovery_ms(unflushed: float, disks: float, disk_rate: float) -> float:
    """``unflushed bytes ÷ (disks × rate of a disk)``: LogManager.loadLogs reads them all again.

    Threads of one directory share its disk, so that their number does not divide this bound.
    """
    return over(unflushed, disks * disk_rate) * _SECOND


# -- throughput -------------------------------------------------------------------------------


def partitions_for(rate: float, partition_rate: float) -> float:
    """``⌈T ÷ p⌉`` partitions carry the rate T at p each: a partition is written by one leader."""
    return up(over(rate, partition_rate))


def network_in(produced: float, brokers: float) -> float:
    """Bytes per second into an average broker, ``produced`` being Σ rate × replication factor.

    A leader receives a record once, and each follower fetches it again.
    """
    return over(produced, brokers)


def network_out(replicated: float, consumed: float, brokers: float) -> float:
    """Bytes per second out of an average broker.

    ``replicated`` is Σ rate × (replication factor - 1), what leaders send to followers;
    ``consumed`` what readers fetch.
    """
    return over(replicated + consumed, brokers)


def usable_ingress(nic: float, use: float, factor: float, fan_out: float) -> float:
    """Bytes per second that producers may write to each broker of a cluster.

    ``nic × use ÷ max(RF, RF - 1 + F)``: the card is full duplex, so that each direction is for
    itself: RF bytes come in and RF - 1 + F go out for each byte produced, F readers fetching it.
    """
    return over(nic * use, most(factor, factor - 1 + fan_out))


def brokers_needed(
    incoming: float, outgoing: float, nic: float, use: float, most_replicas: float
) -> float:
    """Brokers that carry the cluster's traffic, and hold the replicas of a partition.

    ``max(⌈in ÷ (nic × use)⌉, ⌈out ÷ (nic × use)⌉, RF)``. One more than RF keeps topics with RF
    replicas creatable while a broker is being restarted; that is advice, not part of the sum.
    """
    carried = nic * use
    return most(up(over(incoming, carried)), up(over(outgoing, carried)), most_replicas)

"""The findings in a report: as many as there is room for, the gravest and newest first.

They are read once to be counted and once per severity and state to be written, and never held.
Where not all of one severity and state fit, those of the worst clusters do.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from kcheck.fleet import arrow_columns as arrow
from kcheck.fleet.html_clusters import Clusters
from kcheck.fleet.html_rules import Rules
from kcheck.fleet.lifecycle import NEW, PERSISTING
from kcheck.fleet.tables import Tables, Where
from kcheck.model import SEVERITY_RANK
from kcheck.report.page import PART, Columns, Page, narrow, packed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa

#: What the keys of one finding take at most in the page, which are written last.
_KEY_BYTES = 9
#: What the rest of one takes, until a few thousand of them tell.
_GUESS = 60.0

_COLUMNS = [
    *("unit", "cluster", "rule", "severity", "first_seen", "message", "path", "line", "column"),
    *("resource", "keys", "consequence", "fix", "evidence", "fingerprint", "cause", "also"),
    *("kafka", "inferred"),
]


def write(
    page: Page, tables: Tables, groups: pa.Table, clusters: Clusters, rules: Rules, limit: int
) -> int:
    """Write findings while the page has fewer than ``limit`` bytes; gives how many."""
    keys = _Keys()
    spent = 0
    for severity, rank in sorted(SEVERITY_RANK.items(), key=lambda item: -item[1]):
        for new in (True, False):
            counts = _per_cluster(groups, rank, new, len(clusters))
            row_bytes = spent / len(keys) if len(keys) >= PART else _GUESS
            room = limit - page.size - len(keys) * _KEY_BYTES
            last = _reach(counts, int(room / (row_bytes + _KEY_BYTES)))
            if not any(counts):
                continue
            where = {"severity": severity, "status": NEW if new else PERSISTING}
            for part in _parts(tables, clusters, rules, where, last):
                text, more = packed(_text(part)), packed(_more(part))
                size = page.size + len(text) + len(more)
                if size + (len(keys) + len(part)) * _KEY_BYTES > limit:
                    return keys.into(page)
                page.block("findings.text", text, len(part))
                page.block("findings.more", more, len(part))
                spent += len(text) + len(more)
                keys.add(part, rank, new)
            if last < len(counts) - 1:
                return keys.into(page)
    return keys.into(page)


def _per_cluster(groups: pa.Table, rank: int, new: bool, clusters: int) -> list[int]:
    """For each cluster its findings of one severity that are new, or are not."""
    import pyarrow.compute as pc

    rows = groups.filter(pc.and_(pc.equal(groups["rank"], rank), pc.equal(groups["new"], new)))
    counts = [0] * clusters
    for row in rows.group_by(["at"]).aggregate([("count", "sum")]).to_pylist():
        counts[row["at"]] = row["count_sum"]
    return counts


def _reach(counts: list[int], room: int) -> int:
    """The last cluster up to which all findings fit, but the first one in any case."""
    for at, count in enumerate(counts):
        room -= count
        if room < 0 and at:
            return at - 1
    return len(counts) - 1


def _parts(
    tables: Tables, clusters: Clusters, rules: Rules, where: Where, last: int
) -> Iterator[pa.Table]:
    """The findings of the clusters up to ``last``, in parts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held: list[pa.Table] = []
    count = 0
    for rows in tables.batches("findings", _COLUMNS, where):
        rows = rows.append_column("at", clusters.places(rows["unit"], rows["cluster"]))
        if last < len(clusters) - 1:
            rows = rows.filter(pc.less_equal(rows["at"], last))
        held.append(rows)
        count += len(rows)
        while count >= PART:
            whole = pa.concat_tables(held)
            yield _alike(whole.slice(0, PART), rules)
            held, count = [whole.slice(PART)], count - PART
    if count:
        yield _alike(pa.concat_tables(held), rules)


def _alike(rows: pa.Table, rules: Rules) -> pa.Table:
    """Like beside like, which packs well."""
    rows = rows.append_column("rule_at", rules.places(rows["rule"]))
    return rows.sort_by([(name, "ascending") for name in ("rule_at", "message", "at", "path")])


def _text(rows: pa.Table) -> Columns:
    """What a row shows and the search looks at."""
    import pyarrow.compute as pc

    made = arrow.table(
        rows,
        ("message", "path", "kind=resource.kind", "resource=resource.name"),
        ("line", "column"),
    )
    arrow.texts(made, "keys", pc.binary_join(arrow.field(rows, "keys"), ", "))
    return made


def _more(rows: pa.Table) -> Columns:
    """What is shown of a finding when it is opened."""
    import pyarrow as pa
    import pyarrow.compute as pc

    made = arrow.table(rows, ("consequence", "fix=fix.text", "kafka", "inferred"), ())
    made.numbers(
        "safe", arrow.numbers(pc.fill_null(pc.cast(arrow.field(rows, "fix.safe"), pa.int8()), 2))
    )
    lengths, evidence = arrow.lists(arrow.field(rows, "evidence"))
    texts = ("key", "value", "origin", "from", "kind=resource.kind", "resource=resource.name")
    inner = arrow.table(evidence, (*texts, "path", "kafka_version"), ("line", "column"))
    made.lists("evidence", lengths, inner)
    lengths, edits = arrow.lists(arrow.field(rows, "fix.edits"))
    made.lists("edits", lengths, arrow.table(edits, ("path", "text"), ("line", "column")))
    lengths, others = arrow.lists(arrow.field(rows, "also"))
    inner = arrow.table(others, ("rule", "name", "message", "path"), ("line", "column"))
    made.lists("also", lengths, inner)
    return made


def _short(fingerprint: str) -> int:
    """A fingerprint in eight bytes, for as long as the page is written."""
    return hash(fingerprint) & (1 << 64) - 1


class _Keys:
    """What the page filters by, of all findings that it carries."""

    def __init__(self) -> None:
        self._cluster, self._rule = array("I"), array("I")
        self._severity, self._new, self._seen = array("B"), array("B"), array("I")
        self._runs: dict[str, int] = {}
        #: Each row's fingerprint in short, and the row's cause where another row leads it.
        self._own = array("Q")
        self._led: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._cluster)

    def add(self, rows: pa.Table, rank: int, new: bool) -> None:
        self._cluster.extend(array("I", arrow.numbers(rows["at"])))
        self._rule.extend(array("I", arrow.numbers(rows["rule_at"])))
        self._severity.extend(array("B", [rank]) * len(rows))
        self._new.extend(array("B", [new]) * len(rows))
        runs = arrow.one(rows["first_seen"].dictionary_encode())
        places = [
            self._runs.setdefault(run, len(self._runs)) for run in runs.dictionary.to_pylist()
        ]
        self._seen.extend(array("I", [places[at] for at in runs.indices.to_pylist()]))

        own, causes = rows["fingerprint"].to_pylist(), rows["cause"].to_pylist()
        for fingerprint, cause in zip(own, causes, strict=True):
            if cause is not None and cause != fingerprint:
                self._led[len(self._own)] = _short(cause)
            self._own.append(_short(fingerprint))

    def _leads(self) -> array[int]:
        """For each row that of the same cluster which leads its cause, where the page has it."""
        wanted = {(self._cluster[row], cause) for row, cause in self._led.items()}
        causes = {cause for _, cause in wanted}
        found: dict[tuple[int, int], int] = {}
        for row, own in enumerate(self._own):
            if own in causes and (self._cluster[row], own) in wanted:
                found.setdefault((self._cluster[row], own), row)
        leads = array("I", range(len(self)))
        for row, cause in self._led.items():
            leads[row] = found.get((self._cluster[row], cause), row)
        return leads

    def into(self, page: Page) -> int:
        made = Columns(len(self))
        made.numbers("cluster", narrow(self._cluster))
        made.numbers("rule", narrow(self._rule))
        made.numbers("severity", self._severity)
        made.numbers("new", self._new)
        if self._led:
            made.numbers("lead", narrow(self._leads()))
        made.strings("seen", list(self._runs), narrow(self._seen))
        page.table("findings", made)
        return len(self)

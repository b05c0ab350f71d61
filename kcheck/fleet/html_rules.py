"""The rules of a report: what they are called, and what was counted of each."""

from __future__ import annotations

from kcheck import rules
from kcheck.fleet.lifecycle import RESOLVED
from kcheck.fleet.tables import Tables
from kcheck.model import SEVERITY_RANK
from kcheck.report.page import Columns, narrow
from kcheck.rule import Rule, family_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa


class Rules:
    """The rows of a page's rules: those that found something, in this run or in the one before."""

    def __init__(self, tables: Tables, groups: pa.Table) -> None:
        """``groups`` are findings by cluster (``at``), rule, rank and ``new``, with ``count``."""
        self._groups = groups
        self._named: dict[str, tuple[str, str]] = {}
        found = tables.counted("findings", ["rule", "name", "url"])
        # Of several addresses of one rule the most frequent, of equals the first.
        for row in found.sort_by([("count", "descending"), ("url", "ascending")]).to_pylist():
            self._named.setdefault(row["rule"], (row["name"] or "", row["url"] or ""))
        gone = tables.counted("lifecycle", ["rule"], {"status": RESOLVED})
        self._resolved = {row["rule"]: row["count"] for row in gone.to_pylist()}
        self.codes = sorted({*self._named, *self._resolved})

    def places(self, codes: pa.ChunkedArray) -> pa.ChunkedArray:
        """Codes as rows of the table."""
        import pyarrow as pa
        import pyarrow.compute as pc

        return pc.index_in(codes, pa.array(self.codes, pa.string()))

    def columns(self) -> Columns:
        counts = self._counts()
        ours = rules.load()
        made = Columns(len(self.codes))
        made.texts("code", self.codes)
        known = [ours.get(code) for code in self.codes]
        made.texts(
            "name", [self._name(code, rule) for code, rule in zip(self.codes, known, strict=True)]
        )
        made.texts("url", [self._named.get(code, ("", ""))[1] for code in self.codes])
        made.texts("family", [family_of(code) for code in self.codes])
        made.texts("summary", [rule.summary if rule else "" for rule in known])
        for name in ("severity", *SEVERITY_RANK, "new", "clusters"):
            made.numbers(name, narrow(counts[code].get(name, 0) for code in self.codes))
        made.numbers("resolved", narrow(self._resolved.get(code, 0) for code in self.codes))
        return made

    def _name(self, code: str, rule: Rule | None) -> str:
        return self._named.get(code, ("", ""))[0] or (rule.name if rule else "")

    def _counts(self) -> dict[str, dict[str, int]]:
        severities = {rank: name for name, rank in SEVERITY_RANK.items()}
        counts: dict[str, dict[str, int]] = {code: {"severity": 0, "new": 0} for code in self.codes}
        sums = self._groups.group_by(["rule", "rank", "new"]).aggregate([("count", "sum")])
        for row in sums.to_pylist():
            of, name = counts[row["rule"]], severities[row["rank"]]
            of[name] = of.get(name, 0) + row["count_sum"]
            of["new"] += row["count_sum"] if row["new"] else 0
            of["severity"] = max(of["severity"], row["rank"])
        whose = self._groups.group_by(["rule", "at"]).aggregate([])
        for row in whose.group_by(["rule"]).aggregate([([], "count_all")]).to_pylist():
            counts[row["rule"]]["clusters"] = row["count_all"]
        return counts

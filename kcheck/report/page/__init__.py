"""Findings as one HTML file that needs nothing else: no network, no other file, no framework.

The page knows nothing of where its data comes from. Who writes one gives it facts (a dict) and
tables (``Columns``); a view whose table is absent is left out, so that one project and a fleet of
thousands of clusters make the same page.

Facts: ``title``; ``tool`` (name, version); ``run``, ``previous`` (ids or null; without a run there
is none to compare with), ``started`` (ISO 8601), ``seconds`` (or null); ``inputs``, a list of texts; ``findings`` and ``new``, numbers by severity;
``lifecycle``, numbers by state; ``failed``, inputs that could not be judged; ``elsewhere``, what
holds all that the page has no room for; ``totals``, rows by table where the table is cut short;
``heat_clusters``, how many of the clusters ``heat`` covers; ``opens``, the view that comes first,
if that is not the overview.

Tables, of which only ``clusters``, ``rules`` and those of findings must be there. Numbers called
``cluster`` and ``rule`` are rows of these tables, ``severity`` is 2 (error), 1 or 0 (info); lines
and columns count from 1 and are 0 where there are none.

``clusters``       name, environment, owner, region, version, status, service: texts; brokers,
                   topics, error, warning, info, new, strays: numbers; the worst comes first
``rules``          code, name, family, summary, url: texts; severity (its gravest), error, warning,
                   info, new, resolved, clusters: numbers
``heat``           cluster, rule, severity, count, new, by cluster
``findings``       cluster, rule, severity, new (1 or 0), seen (text: the run that saw it first);
                   where findings have addresses of their own, id: text
``findings.text``  in parts of ``PART`` rows: message, path, kind, resource, keys: texts; line,
                   column
``findings.more``  in the same parts: consequence, fix: texts; safe (2 where there is no fix);
                   lists ``evidence`` (key, value, origin, from, kind, resource, path,
                   kafka_version, line, column) and ``edits`` (path, text, line, column); where
                   source lines are shown, in it and in evidence, source: text; mark, marked
                   (the first column of what is marked, from 0, and its width)
``norms``          dimension, group, key, value: texts; support, of, confidence (per mille),
                   strays: numbers
``strays``         cluster, norm (1 + its row; 0 within a cluster), support, of, line: numbers;
                   key, value, usual, resource, origin, path: texts
``resolved``       cluster, rule, severity: numbers; path, message, seen: texts
``errors``         cluster, fatal: numbers; path, stage, error, reason: texts
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import zlib
from importlib import resources

from kcheck.drafts import Draft
from kcheck.report.page.columns import Columns, narrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, BinaryIO

__all__ = ["PART", "Columns", "Page", "PageFile", "narrow", "packed"]

#: Findings in one part of the tables that are read piece by piece.
PART = 8192

#: The page's program, in the order in which it is put together.
_PROGRAM = (
    "store.js",
    "dom.js",
    "grid.js",
    "filters.js",
    "detail.js",
    "findings.js",
    "clusters.js",
    "heat.js",
    "drift.js",
    "changes.js",
    "overview.js",
    "main.js",
)


def packed(columns: Columns) -> bytes:
    """A block as the page carries it: deflated (zlib), then base64."""
    return base64.b64encode(zlib.compress(columns.encoded(), 6))


class Page:
    """A page that is being written to ``out``: tables as they come, the facts last."""

    def __init__(self, out: BinaryIO, title: str) -> None:
        self._file = out
        program = "\n".join(map(_own, _PROGRAM))
        self._program = f'"use strict";(()=>{{\n{program}}})();\n'.encode()
        style = _own("page.css").encode()
        self._put(
            _own("page.html")
            .replace("{title}", html.escape(title))
            .replace("{style_hash}", _digest(style))
            .replace("{program_hash}", _digest(self._program))
            .replace("{style}", style.decode())
            .encode()
        )

    @property
    def size(self) -> int:
        """The bytes of the page so far, with what is written in the end apart from the facts."""
        return self._file.tell() + len(self._program)

    def table(self, name: str, columns: Columns) -> None:
        """Add a table, or the next part of one."""
        self.block(name, packed(columns), columns.rows)

    def block(self, name: str, data: bytes, rows: int) -> None:
        """The same with a block that is ``packed`` already."""
        kind = f'type="application/x-kcheck" data-table="{name}" data-rows="{rows}"'
        self._put(f"<script {kind}>".encode())
        self._put(data)
        self._put(b"</script>\n")

    def facts(self, facts: dict[str, Any]) -> None:
        """Add the facts, and with them the end of the page."""
        text = json.dumps(facts, ensure_ascii=False).encode("utf-8", "replace")
        self.block("facts", base64.b64encode(zlib.compress(text, 6)), 1)
        self._put(b"<script>" + self._program + b"</script>\n</body>\n</html>\n")

    def _put(self, data: bytes) -> None:
        self._file.write(data)


class PageFile(Page):
    """A page in a file.

    It takes the place of what was at ``path`` when it is whole; after an exception nothing is
    left behind.
    """

    def __init__(self, path: str, title: str) -> None:
        self._draft = Draft(path)
        file = self._draft.__enter__()
        try:
            super().__init__(file, title)
        except BaseException as error:
            self._draft.__exit__(type(error), error, None)
            raise

    def __enter__(self) -> PageFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._draft.__exit__(kind, error, trace)


def _own(name: str) -> str:
    """A file of this package, read through its loader, so that it may lie in a zip."""
    return resources.files(__name__).joinpath(name).read_text("utf-8")


def _digest(text: bytes) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text).digest()).decode()

"""``kcheck explain … --in PATH``: what the rules that are named there find in a configuration."""

from __future__ import annotations

from kcheck import report
from kcheck.cli import explain_key
from kcheck.cli.configure import require_rules
from kcheck.cli.options import LINT, Options
from kcheck.cli.project import circumstances, complain, linted, opened, prefix_of
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal, width
from kcheck.explain.errors import Match
from kcheck.explain.keys import Key
from kcheck.explain.metrics import Metric
from kcheck.report import Run
from kcheck.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def rules_of(meant: object, known: dict[str, Rule]) -> list[str]:
    """The codes of the rules that an explanation names, of what was meant."""
    if isinstance(meant, Rule):
        codes = [meant.code]
    elif isinstance(meant, Key):
        codes = [one.rule.code for one in explain_key.weighed(meant, known)]
    elif isinstance(meant, tuple):
        metric: Metric = meant[1]
        codes = metric.rules
    else:
        assert isinstance(meant, list)
        first: Match = meant[0]
        codes = first.error.rules if first.error is not None else []
    return [code for code in codes if code in known]


class Looked:
    """A configuration in which the rules have looked. Raises Stop where none was named."""

    def __init__(self, options: Options, codes: list[str]) -> None:
        if not codes:
            raise Stop("--in: no rule finds this in a configuration")
        given = {option.name: option.default for option in LINT} | vars(options)
        asked = Options({**given, "paths": options.project, "select": tuple(codes)})
        settings, inputs = opened(asked)
        about = circumstances(asked, inputs)
        require_rules(settings, about.changes)
        project = linted(asked, settings, inputs, None, about)
        self.code = complain(asked, inputs, project)
        self.color, links = terminal(options.color)
        self.run = Run(
            project,
            inputs.source,
            fail_on=settings.fail_on,
            prefix=prefix_of(inputs.root),
            root=inputs.root,
            own=settings.own,
            formats=("text",),
            links=links,
            width=width(),
        )
        self._where = ", ".join(options.project)

    def text(self) -> str:
        """The findings as lint prints them, below a heading."""
        told = report.render("text", self.run, self.color)
        return f"\nIn {self._where}:\n\n" + (told or "Found nothing.\n")

    def record(self) -> list[dict[str, Any]]:
        """The findings as JSON has them."""
        from kcheck.report.record import Records

        return Records(self.run).all()

"""How ``kcheck explain`` prints a metric: what it measures, what leads to a bad value."""

from __future__ import annotations

from collections.abc import Callable

from kcheck.cli.explain_error import cause, find_it, item, wrapped
from kcheck.explain.metrics import Metric
from kcheck.rule import Rule


def text(name: str, metric: Metric, known: dict[str, Rule], heading: Callable[[str], str]) -> str:
    """The metric under the name that was asked for, with the rules that find its causes."""
    also = [other for other in metric.names if other != name]
    lines = [heading(name), f"metric of {metric.of}"]
    lines += [wrapped(f"with it: {', '.join(also)}").rstrip("\n")] if also else []
    parts = ["\n".join(lines) + "\n", wrapped(metric.means), wrapped(f"Act when: {metric.bad}.")]
    parts.append(
        f"{heading('Likely causes')}:\n" + "".join(cause(one, known) for one in metric.causes)
    )
    if metric.look:
        parts.append(f"{heading('Where to look')}:\n" + "".join(map(item, metric.look)))
    return "\n".join(parts + find_it(metric.rules, known, heading))


def record(name: str, metric: Metric, known: dict[str, Rule]) -> dict[str, object]:
    """The metric as JSON has it."""
    return {
        "name": name,
        "also": [other for other in metric.names if other != name],
        "bean": metric.of,
        "means": metric.means,
        "bad": metric.bad,
        "causes": [
            {
                "text": one.text,
                "rules": [
                    {"code": code, "name": known[code].name} for code in one.rules if code in known
                ],
            }
            for one in metric.causes
        ],
        "look": list(metric.look),
    }

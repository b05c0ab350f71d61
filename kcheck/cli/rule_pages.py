"""The reference of the rules as pages: one for each rule, and an index by family."""

from __future__ import annotations

from importlib import import_module

from kcheck import catalogue
from kcheck.cli.rule_view import blocks, option_lines
from kcheck.editor import weighing
from kcheck.editor.planes import PLANES
from kcheck.examples import explanation
from kcheck.rule import CHANGED, DEFAULT_SET, FAILED, FAMILIES, REFUSED, Rule

_KAFKA = {
    REFUSED: "Kafka refuses the configuration when it reads it.",
    FAILED: "Kafka accepts the configuration and fails at run time.",
    CHANGED: "Kafka changes or ignores the value and continues.",
}
#: So many keys and rules are named; whoever weighs more weighs everything.
_FEW = 12


class Reference:
    """The pages of some rules."""

    def __init__(self, rules: dict[str, Rule]) -> None:
        self._rules = rules
        tables = {table for tables in PLANES.values() for table in tables}
        keys = {key for table in tables for key in catalogue.plane(table).keys()}  # noqa: SIM118
        self._keys: dict[str, list[str]] = {}
        for key, weighing_it in weighing.by_key(rules, keys).items():
            for rule in weighing_it:
                self._keys.setdefault(rule.code, []).append(key)

    def pages(self) -> dict[str, str]:
        """The text of each page by the name of its file, the index included."""
        found = {f"{code}.md": self._page(rule) for code, rule in self._rules.items()}
        return {"README.md": self._index(), **found}

    def stub(self) -> str:
        """What stands where all rules were on one page: its anchors, each with its page."""
        parts = [
            "# Rules of kcheck",
            "The rules have pages of their own: [docs/rules](../../docs/rules/README.md). The "
            "headings below keep old links alive for one release.",
        ]
        parts += (
            f"### {rule.code} {rule.name}\n\n[{rule.summary}](../../docs/rules/{rule.code}.md)"
            for rule in self._rules.values()
        )
        return "\n\n".join(parts) + "\n"

    def _index(self) -> str:
        parts = [
            "# Rules of kcheck",
            "Written by `python ci/generate.py`; the examples on the pages are what the tests "
            "execute. `--select` and `--ignore` take a code, a prefix such as `KC03`, a name or a "
            "family. `kcheck explain RULE` shows a page in the terminal.",
        ]
        for digits, family in FAMILIES.items():
            members = [rule for rule in self._rules.values() if rule.code[2:4] == digits]
            about = (import_module(f"kcheck.rules.{family}").__doc__ or "").partition(": ")[2]
            last = max(rule.code for rule in members)
            following = f"KC{int(last[2:]) + 1:04}"
            rows = [
                f"| [{rule.code}]({rule.code}.md) | `{rule.name}` | {_level(rule)} | {rule.summary} |"
                for rule in members
            ]
            parts += (
                f"## KC{digits} {family}",
                f"{about[:1].upper()}{about[1:]} {members[0].code} to {last}; the next free code is "
                f"{following}.",
                "\n".join(("| code | name | severity | |", "|---|---|---|---|", *rows)),
            )
        return "\n\n".join(parts) + "\n"

    def _page(self, rule: Rule) -> str:
        parts = [
            f"# {rule.code} {rule.name}",
            f"**{rule.summary}**",
            f"{_level(rule).capitalize()}; family [{rule.family}](README.md#kc{rule.code[2:4]}-"
            f"{rule.family}). {_KAFKA.get(rule.kafka, '')}".rstrip(),
            *body(rule),
        ]
        keys = self._keys.get(rule.code, ())
        if 0 < len(keys) <= _FEW:
            parts.append(f"Keys: {', '.join(f'`{key}`' for key in sorted(keys))}.")
        related = self._related(rule)
        if related:
            links = (f"[{other.code} {other.name}]({other.code}.md)" for other in related)
            parts.append(f"Related: {', '.join(links)}.")
        parts.append(
            f"Suppress a finding with `# kcheck: ignore[{rule.name}] reason` at its line, the rule "
            f'with `ignore = ["{rule.name}"]` in `kcheck.toml`.'
        )
        return "\n\n".join(part for part in parts if part) + "\n"

    def _related(self, rule: Rule) -> list[Rule]:
        """Rules on the same invariant, and those of its family that weigh the same keys."""
        mine = set(self._keys.get(rule.code, ()))
        if len(mine) > _FEW:
            mine = set()
        found = [
            other
            for other in self._rules.values()
            if other is not rule
            and (
                set(other.invariants) & set(rule.invariants)
                or (other.family == rule.family and mine & set(self._keys.get(other.code, ())))
            )
        ]
        return found if len(found) <= _FEW else []


def body(rule: Rule) -> list[str]:
    """Reason, versions, examples, options and references of a rule, as Markdown."""
    parts = [explanation(rule)]
    if rule.versions:
        parts.append(f"Versions: {rule.versions}.")
    for heading, files in blocks(rule):
        parts.append(f"{heading}:")
        for name, text in files.items():
            fence = "~~~" if "```" in text else "```"
            parts.append(f"{fence}{_language(name)}\n# {name}\n{text}{fence}")
    if rule.options:
        lines = "\n".join(option_lines(rule))
        parts.append(f"Options, in `kcheck.toml`:\n\n```toml\n{lines}\n```")
    if rule.refs:
        parts.append(f"References: {', '.join(rule.refs)}.")
    return parts


def _level(rule: Rule) -> str:
    return rule.severity if rule.set == DEFAULT_SET else f"{rule.severity}, in `{rule.set}`"


def _language(name: str) -> str:
    ending = name.rpartition(".")[2]
    return {"yaml": "yaml", "yml": "yaml", "properties": "properties", "json": "json"}.get(
        ending, ""
    )

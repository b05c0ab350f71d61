"""A finding as every format may show it: the JSON of the contract, secrets hidden.

All formats are made from these records and from nothing else, so that what is hidden in one is
hidden in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kcheck import catalogue, ends, fingerprint, owners, secrets
from kcheck.lexicon.planes import TABLES
from kcheck.model import DEFAULT, Change, Finding, Former, Resource, Setting, Value
from kcheck.owners import Owners
from kcheck.report.links import url
from kcheck.report.run import Run, repeats
from kcheck.report.shown import (
    LONG,
    LONGEST,
    named,
    readable,
    secrets_in,
    secrets_of,
    sentence,
    short,
    texts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Facts about the whole cluster that a verdict may hang on without being about them.
NO_KEYS = frozenset(
    {"brokers", "kafka_version", "client_version", "client.version", "environment", "service"}
)


class Records:
    """Makes the records of one run; remembers the secrets of the resources that it met."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._secrets: dict[int, list[str]] = {}
        self._owners: Owners | None = None
        if run.root:
            self._owners = owners.load(run.root)

    def all(self) -> list[dict[str, Any]]:
        """One record for each finding that is shown, in their order."""
        return [self.one(finding) for finding in self.run.findings]

    def causes(self) -> dict[int, str]:
        """The cause of each finding by its ``id``: the fingerprint of the one that leads it."""
        return {
            id(finding): fingerprint.of(cause.lead, self.run.prefix)
            for cause in self.run.causes
            for finding in cause.findings
        }

    def placed(self) -> list[dict[str, Any]]:
        """The records of ``all``, then one for each repeat at a line of its own.

        For formats whose readers look at lines: each line that has to change bears an entry there.
        A repeat's record names in ``repeats`` the finding that it repeats.
        """
        return self.all() + self.repeats()

    def repeats(self, leads: list[Finding] | None = None) -> list[dict[str, Any]]:
        """The records of what findings (None: all) stand for at other lines than their own."""
        leads = self.run.findings if leads is None else leads
        return [self._repeat(other, lead) for lead in leads for other in repeats(lead)]

    def _repeat(self, finding: Finding, lead: Finding) -> dict[str, Any]:
        record = self.one(finding)
        path = readable(lead.path)
        line, column, end_line, end_column = lead.at
        what = "repeats" if finding.code == lead.code else f"same cause as {lead.code},"
        record["message"] += f" ({what} {path}:{line})"
        record["repeats"] = {
            "rule": lead.code,
            "path": path,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
            "fingerprint": fingerprint.of(lead, self.run.prefix),
        }
        return record

    def one(self, finding: Finding) -> dict[str, Any]:
        """The record of a finding; its fields and their order are those of the contract."""
        hidden = self.secrets_near(finding)
        line, column, end_line, end_column = finding.at
        cluster = self._cluster(finding)
        evidence = [of_value(value, hidden, cluster) for value in finding.evidence]
        record = {
            "rule": finding.code,
            "name": finding.name,
            "severity": finding.severity,
            "message": sentence(finding.message, hidden),
            "consequence": sentence(finding.consequence, hidden),
            "keys": _keys(finding),
            "cluster": named(cluster),
            "cluster_id": named(self._cluster_id(finding)),
            "resource": _resource(finding.resource),
            "path": readable(finding.path),
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
            "evidence": evidence,
            "fix": _fix(finding, hidden),
            "fingerprint": fingerprint.of(finding, self.run.prefix),
            "url": finding.url or url(finding.code),
            "kafka": finding.kafka or None,
        }
        if finding.also:
            others = [self._also(other) for other in finding.also]
            record["also"] = others
            record["keys"] = [*dict.fromkeys(k for r in (record, *others) for k in r["keys"])]
        if finding.clusters:
            record["clusters"] = [named(name) for name in finding.clusters]
        if finding.inferred:
            record["inferred"] = readable(finding.inferred)
        if self._owners is not None:
            record["owners"] = self._owners.of(fingerprint.from_root(finding.path, self.run.prefix))
        if finding.change is not None:
            record["upgrade"] = self._change(finding.change, hidden)
        return record

    def _also(self, finding: Finding) -> dict[str, Any]:
        """A finding that another one of its cause stands for, in short."""
        return {
            "rule": finding.code,
            "name": finding.name,
            "severity": finding.severity,
            "message": self.message(finding),
            "keys": _keys(finding),
            "fix": sentence(finding.fix.text, self.secrets_near(finding)) if finding.fix else None,
            "path": readable(finding.path),
            "line": finding.at[0],
            "column": finding.at[1],
            "fingerprint": fingerprint.of(finding, self.run.prefix),
        }

    def _change(self, change: Change, hidden: Sequence[str]) -> dict[str, Any]:
        previous = change.previous
        return {
            "change": change.kind,
            "when": change.when,
            "side": change.side,
            "from": change.old,
            "to": change.new,
            "since": change.since,
            "stage": change.stage,
            "previous": previous
            and {
                "rule": previous.code,
                "severity": previous.severity,
                "message": sentence(previous.message, hidden),
            },
        }

    def message(self, finding: Finding) -> str:
        """The message alone, for formats that show no more."""
        return sentence(finding.message, self.secrets_near(finding))

    def secrets_near(self, finding: Finding) -> list[str]:
        """The secret texts that the finding's sentences might hold."""
        found = list(self._of(finding.resource))
        for value in finding.evidence:
            if value.resource is not finding.resource:
                found += self._of(value.resource)
            if value.setting is not None:
                found += self._in(value.setting)
                if secrets.is_secret(value.key):
                    found += texts(value.key, value.text)
        return found

    def _of(self, resource: Resource) -> list[str]:
        known = self._secrets.get(id(resource))
        if known is None:
            known = self._secrets[id(resource)] = secrets_of(resource)
        return known

    def _in(self, setting: Setting) -> list[str]:
        """The secrets in one setting; long ones are searched once."""
        if len(setting.raw or "") < LONG:
            return secrets_in(setting)
        known = self._secrets.get(id(setting))
        if known is None:
            known = self._secrets[id(setting)] = secrets_in(setting)
        return known

    def _cluster_id(self, finding: Finding) -> str:
        """What tells the finding's cluster from others of its name."""
        homes = self.run.project.homes
        return finding.cluster_id or homes.cluster_id(finding.path) or self._cluster(finding)

    def _cluster(self, finding: Finding) -> str:
        """The cluster's name; for a finding about a file that of the file's resources."""
        if finding.cluster:
            return finding.cluster
        return (
            self.run.project.homes.cluster(finding.path) or finding.path.rpartition("/")[0] or "."
        )


def _keys(finding: Finding) -> list[str]:
    keys = dict.fromkeys(value.key for value in finding.evidence if value.key not in NO_KEYS)
    return [named(key) for key in keys]


def _resource(resource: Resource) -> dict[str, Any]:
    return {"kind": resource.kind, "name": named(resource.name)}


#: Kinds of resources that never own a setting of the brokers.
_CLIENTS = frozenset(
    (
        *("producer", "consumer", "admin", "client", "streams", "worker", "connector", "mirror"),
        "user",
    )
)
#: Facts that are never a client's.
_CLUSTERS = NO_KEYS - {"client_version", "client.version"}


def _owner(value: Value, cluster: str) -> dict[str, Any]:
    """The resource that a value is of.

    A default or a fact of brokers that no file describes is at hand through a client; it is the
    cluster's.
    """
    resource = value.resource
    if value.setting is None and resource.kind in _CLIENTS and cluster:
        brokers = value.key in _CLUSTERS
        if value.origin == DEFAULT and not brokers:
            brokers = value.key in catalogue.plane("broker") and not any(
                value.key in catalogue.plane(table) for table in TABLES.get(resource.plane, ())
            )
        if brokers:
            return {"kind": "cluster", "name": named(cluster)}
    return _resource(resource)


def of_value(value: Value, hidden: Sequence[str] = (), cluster: str = "") -> dict[str, Any]:
    """A value with its origin and place, as findings hold them in ``evidence``.

    ``hidden`` are secrets that might stand in it, besides those that its key makes one;
    ``cluster`` is the one that it is judged in.
    """
    path, at = ends.place(value)
    made = {
        "key": named(value.key),
        "value": _text(value, hidden),
        "origin": value.origin,
        "from": named(value.from_key),
        "resource": _owner(value, cluster),
        "path": path if path is None else readable(path),
        "line": at[0] if at else None,
        "column": at[1] if at else None,
        "end_line": at[2] if at else None,
        "end_column": at[3] if at else None,
        "kafka_version": value.kafka_version if value.origin == DEFAULT else None,
    }
    if isinstance(value, Former):
        made["revision"] = readable(value.revision)
    return made


def _text(value: Value, hidden: Sequence[str]) -> str | None:
    if not value.text:
        return value.text
    told = short(value.text)
    shown = _shown_before if len(told) > LONG else secrets.shown
    text = shown(value.key, told, *names_of(value))
    if not text or text == secrets.HIDDEN:
        return text
    return readable(secrets.without(text, hidden) if hidden else text)


#: Thousands of findings may tell of one long value.
_shown_before = lru_cache(maxsize=64)(secrets.shown)


def names_of(value: Value) -> tuple[str, ...]:
    """What a value is called besides its key: in its file, by the key that it comes from."""
    setting = value.setting
    others = (value.from_key,) if setting is None else (value.from_key, setting.key, setting.name)
    return tuple(name for name in others if name != value.key)


def _fix(finding: Finding, hidden: list[str]) -> dict[str, Any] | None:
    fix = finding.fix
    if fix is None:
        return None
    # An edit is shown whole or not at all: who makes it from a report shall not cut a value.
    whole = all(len(edit.text) <= LONGEST for edit in fix.edits)
    return {
        "text": sentence(fix.text, hidden),
        "safe": fix.safe,
        "edits": [
            {
                "path": readable(edit.path),
                "line": edit.at[0],
                "column": edit.at[1],
                "end_line": edit.at[2],
                "end_column": edit.at[3],
                "text": sentence(edit.text, hidden, prose=False),
            }
            for edit in (fix.edits if whole else ())
        ],
    }

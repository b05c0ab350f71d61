"""The ``@rule`` decorator: a rule is one small pure function with all that is said about it.

The annotation of its first parameter is its scope (what it looks at); keyword-only parameters are
its options; the docstring is its documentation and holds the examples that the tests run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from kcheck.model import ERROR, Finding

#: Families by the two digits after ``KC``; a family is a module in ``rules/``.
FAMILIES = {
    "00": "files",
    "01": "keys",
    "02": "versions",
    "03": "durability",
    "04": "security",
    "05": "message_size",
    "06": "topics",
    "07": "storage",
    "08": "connections",
    "09": "groups",
    "10": "listeners",
    "11": "quorum",
    "12": "ordering",
    "13": "batching",
    "14": "connect",
    "15": "streams",
    "16": "mirror",
    "17": "quotas",
    "18": "drift",
    "19": "change",
    "20": "capacity",
}

#: The rule sets beside the default one: advice that not everybody shares, and rules on trial.
DEFAULT_SET, ADVICE, PREVIEW = "default", "advice", "preview"

#: What Kafka does about it. It refuses the configuration as soon as it reads it: no start, no
#: client, no topic, wherever the finding is an error. It takes it and fails at run time. It changes
#: or ignores a value and goes on.
REFUSED, FAILED, CHANGED = "refuses", "fails", "changes"

#: What Kafka does about a finding (``kafka`` in JSON); SOME: that hangs on the version, or on what
#: no file tells.
REFUSES, FAILS, ALLOWS, SOME = "refuses", "fails", "allows", "some"
#: Families that say nothing of a configuration that Kafka would read: of files, of changes.
_NO_VERDICT = ("00", "19")

Check = Callable[..., Iterator[Finding]]


#: Scopes that are a cluster or a node, as far as something is there that the rules look at.
_NARROW = {
    "ClusterWithNodes": "Cluster",
    "ClusterWithClients": "Cluster",
    "Nodes": "Cluster",
    "Misnamed": "Node",
    "Misvalued": "Node",
    "Repeating": "Node",
    "Quota": "Node",
    "Running": "Document",
    "User": "Node",
    "Managed": "Node",
}


class Rule:
    """A rule and its metadata.

    ``scopes`` are the names of the node or edge classes it runs on. ``on`` are keys of which the
    resource must set at least one for the rule to be worth running (empty: always).
    ``by_name`` says that its verdict on a topic hangs on the topic's name or on other topics, so
    that topics with the same settings may differ in it. ``broker_side`` says that the remedy is a broker setting, so that the rule is silent where a
    managed service owns the brokers. ``kafka`` says what Kafka itself does about it; empty where
    it neither notices nor changes anything.
    """

    __slots__ = (
        "aliases",
        "broker_side",
        "by_name",
        "check",
        "code",
        "invariants",
        "kafka",
        "name",
        "on",
        "refs",
        "scopes",
        "set",
        "severity",
        "url",
        "versions",
    )

    def __init__(self, code: str, name: str, severity: str, check: Check) -> None:
        self.code = code
        self.name = name
        self.severity = severity
        self.check = check
        first = next(iter(check.__annotations__.values()))
        self.scopes = tuple(part.strip() for part in str(first).split("|"))
        self.on: frozenset[str] = frozenset()
        self.refs: tuple[str, ...] = ()
        self.invariants: tuple[str, ...] = ()
        self.set = DEFAULT_SET
        self.versions = ""
        self.broker_side = False
        self.by_name = False
        self.kafka = ""
        self.aliases: tuple[str, ...] = ()
        #: Where it is explained, if that is not kcheck's own reference.
        self.url = ""

    @property
    def family(self) -> str:
        return family_of(self.code)

    @property
    def doc(self) -> str:
        """The docstring of its check. Those of kcheck's own are a text of their own in a wheel."""
        return self.check.__doc__ or _packed().get(self.code, "")

    @property
    def looks_at(self) -> list[str]:
        """The kinds of what it runs on, as the reference names them."""
        return list(dict.fromkeys(_NARROW.get(scope, scope) for scope in self.scopes))

    @property
    def summary(self) -> str:
        """The first sentence of the documentation."""
        return self.doc.strip().split("\n")[0]

    @property
    def options(self) -> dict[str, object]:
        """The rule's options and their defaults: its keyword-only parameters."""
        return dict(self.check.__kwdefaults__ or {})

    def __repr__(self) -> str:
        return f"Rule({self.code} {self.name})"


def family_of(code: str) -> str:
    """The family of a rule; for rules that are not kcheck's own their prefix."""
    if code.startswith("KC") and code[2:4] in FAMILIES:
        return FAMILIES[code[2:4]]
    return code.rstrip("0123456789-_") or code


def verdict(rule: Rule, severity: str, conditional: bool) -> str:
    """What Kafka does about a finding of the rule: a word of JSON's ``kafka``, "" where unknown.

    ``severity`` is what the rule gave it, ``conditional`` whether facts that no file tells held it
    down. Other severities than the rule's own say that something else is the matter.
    """
    code, kafka = rule.code, rule.kafka
    if not code.startswith("KC") or code[2:4] in _NO_VERDICT or code.startswith("KC9"):
        return ""
    if rule.scopes == ("Upgrade",):
        return ""
    if kafka == REFUSED:
        return REFUSES if severity == ERROR else SOME if conditional else ""
    if kafka == FAILED:
        return FAILS if severity in (ERROR, rule.severity) else ""
    return "" if severity == ERROR and not kafka else ALLOWS


_rules: dict[str, Rule] = {}


@cache
def _packed() -> dict[str, str]:
    """The docstrings that ``ci/wheel_hook.py`` takes out of the code, by rule; none in a checkout."""
    from kcheck import data

    try:
        parts = data.read("rules.txt").split("\f")[1:]
    except FileNotFoundError:
        return {}
    return {code: text for code, _, text in (part.partition("\n") for part in parts)}


def rule(
    code: str,
    name: str,
    severity: str,
    *,
    kafka: str = "",
    on: tuple[str, ...] = (),
    refs: tuple[str, ...] = (),
    invariants: tuple[str, ...] = (),
    set: str = DEFAULT_SET,
    versions: str = "",
    broker_side: bool = False,
    by_name: bool = False,
    aliases: tuple[str, ...] = (),
) -> Callable[[Check], Check]:
    """Register a check function as a rule. ``versions`` says in words where the verdict holds,
    ``kafka`` what Kafka does: REFUSED, FAILED or CHANGED.
    """

    def register(check: Check) -> Check:
        made = Rule(code, name, severity, check)
        made.on = frozenset(on)
        made.refs, made.invariants = refs, invariants
        made.by_name = by_name
        made.kafka = kafka
        made.set, made.versions, made.broker_side, made.aliases = (
            set,
            versions,
            broker_side,
            aliases,
        )
        if code in _rules:
            raise ValueError(f"rule code {code} is already used by {_rules[code].name}")
        _rules[code] = made
        return check

    return register


def registered() -> dict[str, Rule]:
    """The rules registered so far, by code; ``rules.load`` registers kcheck's own."""
    return _rules

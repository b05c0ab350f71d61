"""``[[require]]``: rules that an organisation writes into its settings, without any code.

A requirement names a kind of resource and a key, and what its effective value must be. It is a
rule like kcheck's own: with a code, a severity, findings with evidence, and silence where a value
is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, units
from kcheck.globs import Match, nothing
from kcheck.graph.nodes import Node
from kcheck.graph.topics import Topic
from kcheck.model import ABSENT, FACT, Finding, Setting, Value
from kcheck.rule import Rule
from kcheck.secrets import shown

#: What a requirement can be on: the rules' scopes for it.
KINDS = {
    "topic": "Topic",
    "broker": "Broker",
    "controller": "Controller",
    "producer": "Producer",
    "consumer": "Consumer",
    "streams": "Streams",
    "worker": "Worker",
    "client": "Client",
    "connector": "Connector",
}
#: The catalogue's tables for keys of each kind; of what has none any key will do.
PLANES = {
    "topic": ("topic",),
    "broker": ("broker",),
    "controller": ("broker",),
    "producer": ("producer",),
    "consumer": ("consumer",),
    "streams": ("streams", "producer", "consumer"),
    "worker": ("connect-distributed", "connect-standalone"),
    "client": ("producer", "consumer", "streams", "admin"),
}
#: What is known of a resource besides Kafka's keys.
FACTS = frozenset(
    {"name", "partitions", "replication.factor", "instances", "produce_rate", "consume_rate"}
    | {"record_size", "max_record_size", "keyed", "ordering", "client.version"}
)
#: The operators, in the order in which a message tells them.
OPERATORS = ("equals", "one-of", "min", "max", "matches", "present")


class Wrong(ValueError):
    """A requirement that means nothing; ``key`` is the one at fault."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class Requirement:
    """The check of such a rule; a class, because a function that closes over a table cannot travel.

    ``names`` matches the names of resources that it is for, ``environment`` is that of their
    cluster; empty: all.
    """

    def __init__(self, table: dict[str, object], names: Match) -> None:
        kind = str(table["on"])
        self.__annotations__ = {"node": KINDS[kind]}
        self.__kwdefaults__ = None
        self.__doc__ = str(table.get("message") or _described(table))
        self.code = str(table["code"])
        self.key = str(table["key"])
        self.names = names
        self.environment = str(table.get("environment") or "")
        self.message = str(table.get("message") or "")
        self.breaks = str(table.get("breaks") or "")
        self.fix = str(table.get("fix") or "")
        self.equals = _text(table.get("equals"))
        options = table.get("one-of")
        self.one_of = tuple(map(_text, options)) if isinstance(options, list) else ()
        self.least, self.most = (_number(self.key, k, table.get(k)) for k in ("min", "max"))
        self.pattern = str(table.get("matches") or "")
        present = table.get("present")
        self.present = present if isinstance(present, bool) else None

    def __call__(self, node: Node) -> Iterator[Finding]:
        if self.names is not nothing and not self.names(node.name):
            return
        if self.environment and node.cluster.environment != self.environment:
            return
        value = _value(node, self.key)
        fault = self._fault(value)
        if fault is None:
            return
        wanted = self._right()
        told = self.message or f"{self.key} must be {fault}"
        yield node.finding(
            f"{node}: {told} ({_said(value)})",
            at=value,
            breaks=self.breaks,
            fix=self.fix or f"set {self.key} to {fault}" + (f": {wanted}" if wanted else ""),
            set_to=wanted if value.explicit or value.origin == FACT else None,
        )

    def _fault(self, value: Value) -> str | None:
        """What the value should be and is not; None where it is, or is not known."""
        if self.present is not None:
            if value.written == self.present:
                return None
            return "set" if self.present else "not set"
        if not value.known:
            return None
        text = _text(value.value) if not isinstance(value.value, list) else value.text or ""
        if self.equals and text != self.equals and value.text != self.equals:
            return self.equals
        if self.one_of and text not in self.one_of and value.text not in self.one_of:
            return f"one of {', '.join(self.one_of)}"
        if self.least is not None and value.number < self.least:
            return f"at least {_in_units(self.key, self.least)}"
        unlimited = value.number == -1 and self.key in _UNLIMITED
        if self.most is not None and (value.number > self.most or unlimited):
            return f"at most {_in_units(self.key, self.most)}"
        if self.pattern:
            from kcheck import expressions

            # A text that is too long to be looked through may be right.
            if expressions.found(self.pattern, value.text or "") is False:
                return f"a match of {self.pattern}"
        return None

    def _right(self) -> str | None:
        """The one text that would be right, where there is one."""
        if self.equals:
            return self.equals
        if len(self.one_of) == 1:
            return self.one_of[0]
        bounds = [bound for bound in (self.least, self.most) if bound is not None]
        if len(bounds) == 1 and bounds[0] == int(bounds[0]) and self.key in _UNBOUND_BY_OTHERS:
            return str(int(bounds[0]))
        return None


#: Where -1 means that there is no bound.
_UNLIMITED = frozenset(
    {"retention.ms", "retention.bytes", "log.retention.ms", "log.retention.bytes"}
    | {"log.retention.hours", "log.retention.minutes"}
)
#: Where the nearest value that is allowed is the one that is meant.
_UNBOUND_BY_OTHERS = _UNLIMITED | {"min.insync.replicas", "linger.ms"}


def rule(table: dict[str, object], names: Match) -> Rule:
    """The rule that one entry makes. Raises Wrong.

    The types of the entry's values are right already.
    """
    kind, key = str(table["on"]), str(table["key"])
    if kind not in KINDS:
        raise Wrong("on", f"on must be one of {', '.join(KINDS)}, not {kind}")
    if not any(operator in table for operator in OPERATORS):
        raise Wrong("key", f"[[require]] requires one of {', '.join(OPERATORS)}")
    _known(kind, key)
    pattern = table.get("matches")
    if pattern is not None:
        from kcheck import expressions

        try:
            expressions.check(str(pattern))
        except expressions.ExpressionError as error:
            raise Wrong("matches", f"matches is not a valid regular expression: {error}") from None
    severity = str(table.get("severity") or "warning")
    code = str(table["code"])
    made = Rule(code, str(table.get("name") or code.lower()), severity, Requirement(table, names))
    made.by_name = True
    made.url = str(table.get("url") or "")
    return made


def _known(kind: str, key: str) -> None:
    """Raises Wrong for a key that no such resource has."""
    if key in FACTS or kind not in PLANES:
        return
    tables = [catalogue.plane(plane) for plane in PLANES[kind]]
    if any(table.history(key) for table in tables):
        return
    if key.startswith(("listener.name.", "producer.", "consumer.", "admin.", "main.consumer.")):
        return
    from kcheck.selection import nearest

    every = [known for table in tables for known in table.keys()]  # noqa: SIM118 - no dict
    near = nearest(key, [*FACTS, *every])
    hint = f"; did you mean {near}?" if near else ""
    raise Wrong("key", f"no {kind} has a key {key}{hint}")


def _value(node: Node, key: str) -> Value:
    if key == "name":
        own = node.resource.facts.get("name")
        if own is None:
            own = Setting("name", node.name, node.resource.path, node.resource.at)
        return Value(key, node.resource, FACT, node.name, node.name, True, own)
    if isinstance(node, Topic) and key == "replication.factor":
        return node.replication_factor
    if key in FACTS or key in node.resource.facts:
        return node.fact(key)
    return node[key]


def _said(value: Value) -> str:
    if value.origin == ABSENT and value.setting is None:
        return f"{value.key} is not set"
    text = shown(value.key, value.text if value.text is not None else _text(value.value))
    default = f", the default of Kafka {value.kafka_version}" if value.kafka_version else ""
    return f"{value.key} is {text or 'empty'}{default}"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


#: Kafka's largest number is a double.
_LARGEST = 1.7e308


def _number(key: str, operator: str, value: object) -> float | None:
    """The bound as the key counts it; a text may have a unit: ``"7d"``, ``"1GiB"``."""
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if abs(value) <= _LARGEST:
            return float(value)
        raise Wrong(operator, f"{operator} is not a number that Kafka supports")
    text = str(value)
    number = units.duration(text) if key.endswith(".ms") else units.size(text)
    if number is None:
        raise Wrong(operator, f"{operator} must be a number, or one with a unit such as 7d or 1GiB")
    return float(number)


def _in_units(key: str, number: float) -> str:
    if key.endswith(".ms"):
        return units.in_ms(number)
    if key.endswith(".bytes"):
        return units.in_bytes(number)
    return f"{number:,.0f}" if number == int(number) else str(number)


def _described(table: dict[str, object]) -> str:
    wanted = ", ".join(f"{o} {table[o]}" for o in OPERATORS if o in table)
    return f"{table['key']} of a {table['on']}: {wanted}."

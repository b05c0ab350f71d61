"""What clients of Amazon MSK need beside the cluster: secrets that it accepts, ports that are open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.managed_hosts import IAM, SCRAM
from kcheck.model import ERROR, WARNING, Problem, Setting
from kcheck.syntax.hcl import Block, Entry, Scalar
from kcheck.units import whole

SECRET, PORT = "KC0249", "KC1094"

_ASSOCIATIONS = {
    "aws_msk_scram_secret_association": "secret_arn_list",
    "aws_msk_single_scram_secret_association": "secret_arn",
}
_SECRET = re.compile(r"aws_secretsmanager_secret\.([\w-]+)\.(?:arn|id)")
_GROUP = re.compile(r"aws_security_group\.([\w-]+)\.id")
_PREFIX = "AmazonMSK_"
_RULES = ("aws_security_group_rule", "aws_vpc_security_group_ingress_rule")
_LOGINS = {"scram": SCRAM, "iam": IAM}


def faults(blocks: list[Block], path: str) -> Iterator[Problem]:
    """What keeps clients from the MSK clusters of a file."""
    resources: dict[tuple[str, str], Block] = {
        (block.labels[0], block.labels[1]): block
        for block in blocks
        if block.type == "resource" and len(block.labels) == 2
    }
    for (kind, _), block in resources.items():
        if kind in _ASSOCIATIONS:
            yield from _secrets(block, _ASSOCIATIONS[kind], resources, path)
        elif kind == "aws_msk_cluster":
            yield from _ports(block, resources, path)


def _secrets(
    association: Block, key: str, resources: dict[tuple[str, str], Block], path: str
) -> Iterator[Problem]:
    entry = association.attributes().get(key)
    for label in _SECRET.findall(entry.source) if entry is not None else ():
        secret = resources.get(("aws_secretsmanager_secret", label))
        if secret is None:
            continue
        own = secret.attributes()
        for named in ("name", "name_prefix"):
            told = own.get(named)
            text = _text(told)
            if told is None or text is None:
                continue
            start = re.split(r"[$%]\{", text)[0]
            if not start.startswith(_PREFIX) and (start == text or not _PREFIX.startswith(start)):
                yield Problem(
                    f"secret {label} is named {text}, but Amazon MSK accepts secrets named "
                    f"{_PREFIX}… only",
                    told.at,
                    SECRET,
                    ERROR,
                    "MSK rejects the association: the user of the secret cannot log in",
                    f"begin the {named} with {_PREFIX}",
                    setting=Setting(named, text, path, told.at, told.key_at),
                )
        if own and "kms_key_id" not in own:
            yield Problem(
                f"secret {label} has no kms_key_id, so it is encrypted with the default key, which Amazon "
                "MSK does not accept",
                secret.at,
                SECRET,
                ERROR,
                "MSK rejects the association: the user of the secret cannot log in",
                "set kms_key_id to a key of your own",
                setting=Setting("kms_key_id", None, path, secret.at),
            )


def _ports(cluster: Block, resources: dict[tuple[str, str], Block], path: str) -> Iterator[Problem]:
    brokers = next((b for b in cluster.blocks() if b.type == "broker_node_group_info"), None)
    groups = brokers.attributes().get("security_groups") if brokers is not None else None
    if groups is None or any(kind in _RULES for kind, _ in resources):
        return
    labels = _GROUP.findall(groups.source)
    if not labels or re.sub(r"[\s,\[\]]", "", _GROUP.sub("", groups.source)):
        return
    opened: list[tuple[int, int]] = []
    for label in labels:
        group = resources.get(("aws_security_group", label))
        found = _opened(group) if group is not None else None
        if found is None:
            return
        opened += found
    for word, port in _enabled(cluster):
        if opened and not any(first <= port <= last for first, last in opened):
            yield Problem(
                f"security group {labels[0]} opens no port {port}, at which the brokers of MSK cluster "
                f"{cluster.labels[1]} accept {word.upper()}",
                groups.at,
                PORT,
                WARNING,
                f"clients that log in by {word.upper()} cannot connect",
                f"open port {port} to the clients",
                setting=Setting("security_groups", None, path, groups.at, groups.key_at),
            )


def _enabled(cluster: Block) -> Iterator[tuple[str, int]]:
    """The logins that are on, with their ports."""
    for login in cluster.blocks():
        for sasl in login.blocks() if login.type == "client_authentication" else ():
            own = sasl.attributes() if sasl.type == "sasl" else {}
            for word, port in _LOGINS.items():
                if word in own and _text(own[word]) == "true":
                    yield word, port


def _opened(group: Block) -> list[tuple[int, int]] | None:
    """The ranges of ports that a security group lets in; None where not all are known."""
    if "ingress" in group.attributes():
        return None
    found: list[tuple[int, int]] = []
    for inner in group.blocks():
        if inner.type == "dynamic":
            return None
        if inner.type != "ingress":
            continue
        own = inner.attributes()
        protocol, first, last = (_text(own.get(k)) for k in ("protocol", "from_port", "to_port"))
        if protocol in ("-1", "all"):
            return [(0, 65535)]
        if protocol is None or first is None or last is None:
            return None
        low, high = whole(first), whole(last)
        if low is None or high is None:
            return None
        found.append((int(low), int(high)))
    return found or None


def _text(entry: Entry | None) -> str | None:
    value = entry.value if entry is not None else None
    if isinstance(value, Scalar):
        return None if value.text.startswith(("${", "%{")) else value.text
    return None

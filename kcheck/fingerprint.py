"""What a finding is called from run to run: the same through line shifts and reformatting.

The fingerprint is made of the rule, the file (from the repository's root), the resource, the
first key of the evidence, and a number among findings that agree in all of that. No line, no
message, no value: a *new* wrong value at a known place stays the known finding.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.model import Finding

_LENGTH = 32


def number(findings: Iterable[Finding]) -> None:
    """Number the findings that have all of the rest in common, in the order in which they come.

    To be done once, with all findings in order of line, before any of them is hidden.
    """
    counts: dict[tuple[str, ...], int] = {}
    for finding in findings:
        identity = _identity(finding)
        finding.occurrence = counts.get(identity, 0)
        counts[identity] = finding.occurrence + 1


def primary_key(finding: Finding) -> str:
    """The key that the finding is about first; nothing for findings about a file."""
    return finding.evidence[0].key if finding.evidence else ""


def _identity(finding: Finding) -> tuple[str, ...]:
    resource = finding.resource
    return finding.code, finding.path, resource.kind, resource.name, primary_key(finding)


def of(finding: Finding, prefix: str = "") -> str:
    """The fingerprint; ``prefix`` leads from the repository's root to where paths start."""
    import hashlib

    code, path, kind, name, key = _identity(finding)
    # A resource without a name of its own is called like its file.
    name = from_root(name, prefix) if name == finding.resource.path else name
    parts = (code, from_root(path, prefix), kind, name, key, str(finding.occurrence))
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:_LENGTH]


def from_root(path: str, prefix: str) -> str:
    """The path from the repository's root; absolute paths stay as they are."""
    if not prefix or path.startswith("/"):
        return path
    parts: list[str] = []
    for part in f"{prefix.rstrip('/')}/{path}".split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)

"""Claims of texts on Kafka, each with what answers it: an example that breaks it, or a command.

They stand in ``schemas/claims/``, a file per text, with these fields:

id         of the claim
says       the claim in few words, as far as it is true
rule       the rule that speaks up when ``files`` break the claim
key        a key that its finding rests on; ``severity`` is the finding's
explained  parts of what the explanation of the rule has to say
asked      a command whose answer states the claim, instead of a rule (on ``files``, if any)
text       parts of what the finding or the command has to say
files      the smallest files that break the claim, by path
mended     texts in them and what stands there instead, so that the rule has nothing to say
not_shown  why no configuration shows it
missed     why nothing answers it though something should

Several entries may answer one claim in parts.
"""

from __future__ import annotations

from kcheck import data

#: The texts that claims are from, as their ids begin.
TEXTS = ("S000", "S001", "S002", "S003", "S004")


class Claim:
    """One claim; what its file does not say is empty."""

    __slots__ = (
        "asked",
        "explained",
        "files",
        "id",
        "key",
        "mended",
        "missed",
        "not_shown",
        "rule",
        "says",
        "severity",
        "text",
    )

    def __init__(self, row: dict[str, object]) -> None:
        self.id = str(row["id"])
        self.says = str(row["says"])
        self.rule = str(row.get("rule", ""))
        self.key = str(row.get("key", ""))
        self.severity = str(row.get("severity", ""))
        self.asked = str(row.get("asked", ""))
        self.not_shown = str(row.get("not_shown", ""))
        self.missed = str(row.get("missed", ""))
        self.text = _parts(row.get("text"))
        self.explained = _parts(row.get("explained"))
        self.files = _texts(row.get("files"))
        self.mended = _texts(row.get("mended"))

    @property
    def mended_files(self) -> dict[str, str]:
        """The files with what breaks the claim replaced; empty where nothing is said of that.

        Raises ValueError where a text to replace does not stand there exactly once.
        """
        files = dict(self.files) if self.mended else {}
        for old, new in self.mended.items():
            at = [path for path, text in files.items() if old in text]
            if len(at) != 1 or files[at[0]].count(old) != 1:
                raise ValueError(f"{self.id}: {old!r} does not stand in its files exactly once")
            files[at[0]] = files[at[0]].replace(old, new)
        return files

    def __repr__(self) -> str:
        return f"Claim({self.id})"


def _parts(value: object) -> list[str]:
    return [str(part) for part in value] if isinstance(value, list) else []


def _texts(value: object) -> dict[str, str]:
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}


_claims: list[Claim] = []


def claims() -> list[Claim]:
    """All claims in the order of the files. Raises FileNotFoundError where one is not installed."""
    if not _claims:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        for name in TEXTS:
            rows = yaml.load(data.read(f"claims/{name}.yaml"), Loader=loader)
            _claims.extend(map(Claim, rows))
    return _claims


def of(code: str) -> tuple[str, ...]:
    """The ids of the claims that a rule answers."""
    return tuple(dict.fromkeys(claim.id for claim in claims() if claim.rule == code))

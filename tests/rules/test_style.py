"""How findings speak: Kafka's terms, a subject that can be searched for, numbers that agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kcheck import rules

SAID = Path(__file__).resolve().parent / "said"

#: Words of stories, and words that say in a roundabout way what Kafka has a term for.
BANNED = re.compile(
    r"\b(told|tells?|whoever|nobody|somebody|(?:by|of) (?:itself|themselves)|(?:is|are) to be|"
    r"asks? for|asked|is dear|too dear|for good|without a word|goes on|go on|gives? up|"
    r"hands? (?:down|on)|leads over|stands? (?:in|at|there|still)|strays?|weighs?|"
    r"passed over|of today|wants? (?:to be|\d)|copies of (?:a|the) (?:record|partition)|"
    r"belongs? with)\b"
)
#: One of a thing with the plural of what follows, several with the singular, a folder as a name.
DISAGREE = re.compile(
    r"(?<![\w.:,=-])1 (?:brokers|replicas|partitions|records|voters|controllers|clients|consumers|"
    r"members|topics|groups|tasks|instances|listeners|keys|files|clusters)\b|"
    r"(?<![\w.:,=-])(?:[2-9]|\d\d+) (?:broker|replica|partition|record|voter|controller|consumer|"
    r"member|topic|task|instance|listener|cluster)\b(?! [a-z]+s\b)(?!\.)|"
    r"\b(?:cluster|broker|worker) \.(?=[ ,:]|$)"
)
#: A number with separators can not be pasted.
NOT_PASTED = re.compile(r"[a-z]=\d{1,3}(?:,\d{3})+\b(?!,)")
#: Characters of a summary, and of a message; names, classes and lists are as long as they are.
SUMMARY, MESSAGE = 110, 240
LONG = re.compile(r"\S{40,}|: [^;]*(?:; [^;]*){3,}$")


def sentences(path: Path) -> list[tuple[str, str]]:
    """(kind, text) of what is said in a recorded file: message, breaks and fix."""
    found: list[tuple[str, str]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if at := re.match(r"\S.*? (?:error|warning|info): ", line):
            found.append(("message", line[at.end() :]))
        elif at := re.match(r"  (breaks|fix) ", line):
            found.append((at.group(1), line[at.end() :]))
    return found


def fault(text: str) -> str:
    """The first of a sentence's words that it should not have; "" if it has none."""
    for pattern in (BANNED, DISAGREE, NOT_PASTED):
        if at := pattern.search(text):
            return at.group()
    return ""


FILES = sorted(SAID.rglob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SAID)))
def test_sentences_keep_the_style(path: Path) -> None:
    said = sentences(path)
    assert said
    assert [(bad, text) for _, text in said if (bad := fault(text))] == []
    messages = [text for kind, text in said if kind == "message"]
    assert [text for text in messages if len(LONG.sub("…", text)) > MESSAGE] == []


def test_summaries_keep_the_style() -> None:
    wrong = {
        rule.code: rule.summary
        for rule in rules.load().values()
        if fault(rule.summary) or len(rule.summary) > SUMMARY or rule.summary.endswith(" ")
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("1 tasks never gets a record", "1 tasks"),
        ("topic orders needs 3 broker", "3 broker"),
        ("cluster . has 1 broker", "cluster ."),
        ("whoever comes second cannot join", "whoever"),
        ("max.message.bytes=5,242,880 is too much", "s=5,242,880"),
        ("broker 1 listens on 3 partitions", ""),
        ("topic orders has 3 partitions, but the cluster has 1 broker", ""),
    ],
)
def test_the_style_notices(text: str, bad: str) -> None:
    assert fault(text) == bad

"""The documentation of a rule, taken apart: why, and the examples that the tests execute.

A docstring is a first sentence, paragraphs, and blocks headed ``Bad:`` or ``Good:`` (a caption may
follow the colon) whose lines are indented by four; ``--- NAME`` lines in a block start a file.
"""

from __future__ import annotations

from kcheck.rule import Rule


class Example:
    """One example: ``bad`` must draw a finding of the rule, a good one must not."""

    __slots__ = ("bad", "caption", "files")

    def __init__(self, bad: bool, caption: str, files: dict[str, str]) -> None:
        self.bad = bad
        self.caption = caption
        self.files = files


def cleaned(doc: str) -> list[str]:
    """The docstring's lines without their common indentation (the first line has none)."""
    lines = doc.strip("\n").split("\n")
    rest = [line for line in lines[1:] if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return [lines[0].strip(), *(line[indent:].rstrip() for line in lines[1:])]


def explanation(rule: Rule) -> str:
    """The prose of the documentation after its first sentence, paragraphs kept."""
    text: list[str] = []
    for line in cleaned(rule.doc)[1:]:
        if _heading(line):
            break
        text.append(line)
    return "\n".join(text).strip()


def examples(rule: Rule) -> list[Example]:
    """The examples of a rule in their order."""
    return blocks(cleaned(rule.doc)[1:])


def blocks(lines: list[str], first: str = "") -> list[Example]:
    """The examples in some lines; what comes before a block's first file is the file ``first``."""
    found: list[Example] = []
    current = (False, "")
    block: list[str] | None = None
    for line in [*lines, "Good:"]:
        heading = _heading(line)
        if heading is not None:
            if block is not None:
                bad, caption = current
                found.append(Example(bad, caption, _files(block, first)))
            current, block = heading, []
        elif block is not None:
            block.append(line[4:] if line.startswith("    ") else line)
    return found


def _heading(line: str) -> tuple[bool, str] | None:
    for word in ("Bad", "Good"):
        if line.startswith(f"{word}:"):
            return word == "Bad", line[len(word) + 1 :].strip()
    return None


def _files(block: list[str], first: str) -> dict[str, str]:
    files: dict[str, list[str]] = {first: []}
    name = first
    for line in block:
        if line.startswith("--- "):
            name = line[4:].strip()
            files[name] = []
        else:
            files[name].append(line)
    texts = {name: "\n".join(lines).strip("\n") for name, lines in files.items()}
    return {name: f"{text}\n" for name, text in texts.items() if name != first or (name and text)}

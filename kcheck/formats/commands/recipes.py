"""The texts for a shell in files that are no shell files: recipes of Makefiles and justfiles, the steps
of a Jenkinsfile, the provisioners of Terraform and Vagrant. None of their own languages is run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.syntax.shell_values import Piece, Word

#: A variable of make that is set to a text, and what of the line sets it.
_SET = re.compile(r"^(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*(?::{0,3}=|\?=)[ \t]*(.*?)[ \t]*$", re.M)
_ADDED = re.compile(r"^(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*\+=", re.M)
_USED = re.compile(r"\$(?:\$|\(([A-Za-z_]\w*)\)|\{([A-Za-z_]\w*)\}|\([^)\n]*\)|[@<^*%?+])")
_LINE = re.compile(r"[^\n]*\n?")
_SIGNS = re.compile(r"[@+-]*")
#: Variables in variables.
_DEEPEST = 5
#: A step of a pipeline: ``sh '''…'''``, ``sh(script: "…")``.
_STEP = re.compile(
    r"\bsh[ \t]*\(?\s*(?:[\w]+[ \t]*:[ \t]*\w+[ \t]*,\s*)?(?:script[ \t]*:[ \t]*)?"
    r"('''|\"\"\"|'|\")"
)
#: Texts of several lines in Terraform's language and in Ruby: ``<<-EOF``, ``<<~'SHELL'``.
_HEREDOC = re.compile(r"<<[-~]?([\"']?)([A-Za-z_]\w*)\1[^\n]*\n")
#: Commands one by one: a list of strings of Terraform's, an argument of Vagrant's.
_INLINE = re.compile(r"\binline[ \t]*(?:=|:|=>)[ \t]*(?=[\[\"'])")
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|(\])|#[^\n]*|//[^\n]*")
_MOST_TEXTS, _MOST_LISTS = 2_000, 200
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_LONGEST = 100_000


def texts(path: str, text: str) -> Iterator[Word] | None:
    """The texts of a file with one of these names; None for any other."""
    name = path.rpartition("/")[2].lower()
    if name.startswith("jenkinsfile"):
        return _steps(text)
    if name == "justfile" or name.endswith(".just"):
        return _recipes(text, " \t", {})
    if name == "vagrantfile":
        return provisioners(text)
    if name in ("makefile", "gnumakefile") or name.endswith(".mk"):
        return _recipes(text, "\t", _variables(text))
    return None


def apart(path: str) -> bool:
    """Whether each text of a file with this name is for another machine."""
    return path.rpartition("/")[2].lower() == "vagrantfile"


def _variables(text: str) -> dict[str, Word | None]:
    """The variables of a Makefile by name; None for those that are not set to one text."""
    found: dict[str, Word | None] = {}
    for one in _SET.finditer(text):
        value, start = one[2], one.start(2)
        comment = value.find(" #")
        value = value[:comment].rstrip() if comment >= 0 else value
        known = one[1] not in found and not value.endswith("\\")
        made = Word([Piece(value, start, start + len(value), True)], start, start + len(value))
        found[one[1]] = made if known else None
    found.update({one[1]: None for one in _ADDED.finditer(text)})
    return found


def _recipes(text: str, indent: str, variables: dict[str, Word | None]) -> Iterator[Word]:
    """The lines of recipes, each with those that continue it."""
    pieces: list[Piece] = []
    going = False
    for found in _LINE.finditer(text):
        line, start = found[0], found.start()
        if not line:
            break
        if not going and (line[0] not in indent or not line.strip()):
            continue
        stripped = line.lstrip(indent if not going else "\t")
        begin = len(line) - len(stripped)
        if not going:
            begin += _SIGNS.match(stripped).end()  # type: ignore[union-attr]
        pieces += _filled(line[begin:], start + begin, variables, 0)
        going = line.rstrip("\r\n").endswith("\\")
        if not going:
            yield Word(pieces, pieces[0].start if pieces else start, found.end())
            pieces = []
    if pieces:
        yield Word(pieces, pieces[0].start, len(text))


def _filled(text: str, start: int, variables: dict[str, Word | None], depth: int) -> list[Piece]:
    """A text with the variables of make in it filled in."""
    pieces: list[Piece] = []
    at = 0
    for found in _USED.finditer(text):
        if found.start() > at:
            pieces.append(Piece(text[at : found.start()], start + at, start + found.start(), True))
        at = found.end()
        place = start + found.start(), start + at
        if found[0] == "$$":
            pieces.append(Piece("$", *place, False))
            continue
        name = found[1] or found[2] or ""
        value = variables.get(name)
        if value is not None and depth < _DEEPEST:
            pieces += _filled(value.text, value.start, variables, depth + 1)
        else:
            pieces.append(Piece(f"${{{name or 'MAKE'}}}", *place, False, known=False))
    if at < len(text):
        pieces.append(Piece(text[at:], start + at, start + len(text), True))
    return pieces


def _steps(text: str) -> Iterator[Word]:
    """What the steps of a pipeline give to a shell."""
    at = 0
    while (found := _STEP.search(text, at)) is not None:
        quote = found[1]
        at = end = found.end()
        while True:
            end = text.find(quote, end, found.end() + _LONGEST)
            if end < 0 or not _is_escaped(text, end):
                break
            end += 1
        if end < 0 or (len(quote) == 1 and "\n" in text[at:end]):
            continue
        yield _unescaped(text[at:end], at, quote[0] == '"')
        at = end + len(quote)


def provisioners(text: str) -> Iterator[Word]:
    """What Terraform or Vagrant has machines run: texts of several lines, and commands in a list."""
    at = 0
    for _ in range(_MOST_TEXTS):
        found = _HEREDOC.search(text, at)
        if found is None:
            break
        start = found.end()
        closing = re.compile(rf"^[ \t]*{found[2]}\b", re.MULTILINE).search(text, start)
        if closing is None:
            break
        at = closing.end()
        yield _lined(text, start, closing.start(), found[0].startswith(("<<-", "<<~")))
    for number, found in enumerate(_INLINE.finditer(text)):
        if number >= _MOST_LISTS:
            return
        yield _commands(text, found.end())


def _lined(text: str, start: int, end: int, outdented: bool) -> Word:
    """A text of several lines; ``outdented``: without the indent that all of them have."""
    lines = text[start:end].splitlines(keepends=True)
    depths = [len(line) - len(line.lstrip(" \t")) for line in lines if line.strip()]
    margin = min(depths, default=0) if outdented else 0
    pieces: list[Piece] = []
    at = start
    for line in lines:
        cut = min(margin, len(line) - len(line.lstrip(" \t")))
        pieces += _unescaped(line[cut:], at + cut, True, plain=True).pieces
        at += len(line)
    return Word(pieces, start, end)


def _commands(text: str, at: int) -> Word:
    """The strings of a list, each on a line of its own, or a single one."""
    pieces: list[Piece] = []
    start, listed = at, text.startswith("[", at)
    for found in _STRING.finditer(text, at, at + _LONGEST):
        if found[3] and listed:
            break
        group = 1 if found[1] is not None else 2
        if found[group] is None:
            continue
        pieces += _unescaped(found[group], found.start(group), group == 1).pieces
        pieces.append(Piece("\n", found.end(), found.end(), False))
        if not listed:
            break
    return Word(pieces, start, pieces[-1].end if pieces else start)


def _is_escaped(text: str, at: int) -> bool:
    count = 0
    while text[at - 1 - count] == "\\":
        count += 1
    return count % 2 == 1


def _unescaped(text: str, start: int, filled: bool, plain: bool = False) -> Word:
    """A string of Groovy, Terraform or Ruby; ``filled``: with variables, which are unknown;
    ``plain``: a backslash is one, and a name without braces is the shell's."""
    pieces: list[Piece] = []
    at = 0
    pattern = r"\\(.|\n)|\$(?:\{([^}\n]*)\}|([A-Za-z_]\w*))" if filled else r"\\(.|\n)"
    if plain:
        pattern = (
            r"(\$)\$(?=\{)|[$#](?:\{([^{}\n]{0,300}[.(][^{}\n]{0,300})\})|%(\{)[^{}\n]{0,300}\}"
        )
    for found in re.finditer(pattern, text):
        if found.start() > at:
            pieces.append(Piece(text[at : found.start()], start + at, start + found.start(), True))
        at = found.end()
        place = start + found.start(), start + at
        if found[1] is None:
            pieces.append(Piece("${GROOVY}", *place, False, known=False))
        elif found[1] != "\n":
            pieces.append(Piece(_ESCAPED.get(found[1], found[1]), *place, False))
    if at < len(text):
        pieces.append(Piece(text[at:], start + at, start + len(text), True))
    return Word(pieces, start, start + len(text))

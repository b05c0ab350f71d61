"""The commands of a shell's text, each with its words as far as the text tells them.

Loops over literal words are gone through, functions are entered with the words of their calls, and
texts that a command gets as one word (``bash -c "…"``) are read as texts of their own.
"""

from __future__ import annotations

from kcheck.syntax import shell_builtins
from kcheck.syntax import shell_tree as tree
from kcheck.syntax.shell import statements
from kcheck.syntax.shell_command import Call, Export
from kcheck.syntax.shell_tree import Part
from kcheck.syntax.shell_values import Filler, Piece, Scope, Word, joined, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: So many commands are made of one text, and rounds of its loops and calls of its functions.
_MOST_CALLS = 20_000
_MOST_ROUNDS = 500
#: Functions in functions; texts in texts, and how long these are.
_DEEPEST = 8
_MOST_INNER = 3
_LONGEST_INNER = 50_000

#: What runs the text that it reads.
_SHELLS = ("sh", "bash", "zsh", "dash", "ash", "ssh")
_TO_FILE = (">", ">|", ">>")


def calls(
    text: str | Word,
    inside: Callable[[str], bool],
    given: Mapping[str, Word] | None = None,
    exported: dict[str, Export] | None = None,
) -> list[Call]:
    """The commands that a text makes, in their order, also those of texts that a command gets as one
    word (``bash -c "…"``) for which ``inside`` is true. ``given`` are the variables with which it is
    run, as far as they are known; without it nothing but the text sets any, so that defaults count.
    ``exported`` takes the variables that the text exports.
    """
    runner = _Runner(inside, given or {})
    runner.exported = exported
    word = source(text) if isinstance(text, str) else text
    runner.text(word, Scope(given is not None, given or {}), 0)
    return runner.calls


def listed(
    words: list[Word], inside: Callable[[str], bool], given: Mapping[str, Word] | None = None
) -> list[Call]:
    """The same of a command that is given as its words."""
    runner = _Runner(inside, given or {})
    runner.call(Call(words), 0)
    return runner.calls


class _Runner(Filler):
    def __init__(self, inside: Callable[[str], bool], given: Mapping[str, Word]) -> None:
        super().__init__()
        self._given = given
        self.calls: list[Call] = []
        self.inside = inside
        self._rounds = 0
        self._seen: set[tuple[int, str]] = set()
        self._called: set[str] = set()
        self._inner = self._doubts = 0
        self._within: Call | None = None
        #: The file that the output of the block around goes to, and whether that of the command does not.
        self._outer: Word | None = None
        self._piped = False
        self.exported: dict[str, Export] | None = None

    def text(self, text: Word, scope: Scope, depth: int) -> None:
        outer, self.origin = self.origin, text
        made = statements(text.text)
        self._run(made, scope, depth)
        for name, body in list(scope.functions.items()):
            if name not in self._called and depth < _DEEPEST:
                self._called.add(name)
                self._apart(body, scope, depth + 1)
        self.origin = outer

    def call(self, call: Call, depth: int) -> None:
        """Take a command, and what it runs."""
        texts = [word.text for word in call.words]
        if call.output is not None:
            texts += (call.output.text, call.input.text if call.input is not None else "")
        key = (call.words[0].start if call.words else -1, "\0".join(texts))
        if key in self._seen or len(self.calls) >= _MOST_CALLS:
            return
        self._seen.add(key)
        call.conditional, call.within = self._doubts > 0, self._within
        self.calls.append(call)
        if call.prints or depth >= _DEEPEST:
            return
        shells = any(word.text.rpartition("/")[2] in _SHELLS for word in call.words)
        given = [call.input] if shells and call.input is not None else []
        for word in (*call.words, *given):
            if self._inner < _MOST_INNER and _runs(word.text) and self.inside(word.text):
                self._inner += 1
                self._within = call
                self.text(word, Scope(True, self._given), depth + 1)
                self._within = call.within
                self._inner -= 1

    def _run(self, body: list[tree.Statement], scope: Scope, depth: int) -> None:
        before: Call | None = None
        for number, one in enumerate(body, 1):
            if len(self.calls) >= _MOST_CALLS:
                return
            if isinstance(one, tree.Simple):
                after = body[number] if number < len(body) else None
                self._piped = isinstance(after, tree.Simple) and after.piped
                before = self._simple(one, scope, before if one.piped else None, depth)
                continue
            before = None
            if isinstance(one, tree.Function):
                scope.functions[one.name] = one.body
                self._called.discard(one.name)
                continue
            outer = self._outer
            self._redirect(one, scope, depth)
            if isinstance(one, tree.Loop):
                self._loop(one, scope, depth)
            else:
                self._block(one, scope, depth)
            self._outer = outer

    def _redirect(self, one: tree.Block | tree.Loop, scope: Scope, depth: int) -> None:
        """Let the commands of a block print into the file that its output goes to."""
        for operator, parts in one.redirects:
            if operator in _TO_FILE:
                self._outer = self.word(parts, scope, depth)
                if operator != ">>":
                    self._empty(self._outer, depth)

    def _empty(self, file: Word, depth: int) -> None:
        """Take what makes a file empty as a command that prints nothing."""
        made = Call([Word([Piece(":", file.start, file.start, False)], file.start, file.start)])
        made.output = file
        self.call(made, depth)

    def _apart(self, body: list[tree.Statement], scope: Scope, depth: int) -> None:
        """Statements that may be run: what they set is unknown behind them."""
        names: set[str] = set()
        scope.doubtful.append(names)
        self._doubts += 1
        self._run(body, scope, depth)
        self._doubts -= 1
        scope.doubtful.pop()
        for name in names:
            scope.set(name, None)

    def _block(self, block: tree.Block, scope: Scope, depth: int) -> None:
        if block.always:
            for body in block.parts:
                self._run(body, scope, depth)
            return
        lines = self._lines(block, scope, depth)
        if lines is not None:
            self._rounds += len(lines)
            names: set[str] = set()
            scope.doubtful.append(names)
            for line in lines:
                self._round(block.parts[0], line, scope, depth)
            scope.doubtful.pop()
            for name in names:
                scope.set(name, None)
            return
        before = dict(scope.values)
        changed: dict[str, None] = {}
        for body in block.parts:
            scope.values = dict(before)
            self._apart(body, scope, depth)
            changed.update({name: None for name, value in scope.values.items() if value is None})
        scope.values = before | changed

    def _lines(self, block: tree.Block, scope: Scope, depth: int) -> list[Word] | None:
        """The lines of a here-document that ``while read`` goes over; None for all else."""
        body = block.parts[0] if len(block.parts) == 1 else []
        first = body[0] if body else None
        if not isinstance(first, tree.Simple) or not first.words or first.words[0].bare != "read":
            return None
        for operator, parts in block.redirects:
            told = self.word(parts, scope, depth) if operator in ("<<", "<<<") else None
            if told is not None and told.known:
                lines = [line for line in told.split("\n") if line.text.strip()]
                return lines if self._rounds + len(lines) <= _MOST_ROUNDS else None
        return None

    def _round(self, body: list[tree.Statement], line: Word, scope: Scope, depth: int) -> None:
        first = body[0]
        assert isinstance(first, tree.Simple)
        made = Call(self.fields(first.words, scope, depth))
        made.input = line
        separator = scope.get("IFS")
        for assigned in first.assigned:
            self._assign(assigned, scope, False, depth)
        shell_builtins.read(made, scope)
        scope.set("IFS", separator)
        self._run(body[1:], scope, depth)

    def _loop(self, loop: tree.Loop, scope: Scope, depth: int) -> None:
        words = self.fields(loop.words, scope, depth) if loop.words is not None else []
        known = bool(words) and all(word.known and not _globs(word) for word in words)
        if not known or self._rounds + len(words) > _MOST_ROUNDS:
            scope.set(loop.name, None)
            self._apart(loop.body, scope, depth)
            return
        self._rounds += len(words)
        names: set[str] = set()
        scope.doubtful.append(names)
        for word in words:
            scope.set(loop.name, word)
            self._run(loop.body, scope, depth)
        scope.doubtful.pop()
        for name in names:
            scope.set(name, None)

    def _simple(
        self, one: tree.Simple, scope: Scope, before: Call | None, depth: int
    ) -> Call | None:
        """Take a command, which reads what the one before prints; None for a function's."""
        words = self.fields(one.words, scope, depth)
        # What stands before a command is set for that alone.
        own = one.assigned if words and not one.declares else []
        kept = {each.name: scope.get(each.name) for each in own}
        made = Call(words)
        if before is not None:
            made.before, made.input = before, before.printed
        self._streams(one, made, scope, depth)
        for assigned in one.assigned:
            self._assign(assigned, scope, one.conditional, depth)
            if one.declares == "export" and self.exported is not None:
                self._export(assigned, scope)
        name = words[0].text if words else ""
        shell_builtins.run(name, made, scope)
        if name == "unset":
            self._keep(made)
        for assigned_name, value in kept.items():
            scope.set(assigned_name, value)
        if name in scope.functions and words[0].known:
            self._enter(name, made, scope, depth)
            return None
        if words and not one.declares:
            self.call(made, depth)
        elif not words and made.output is not None and not made.appends:
            self._empty(made.output, depth)
        return made

    def _streams(self, one: tree.Simple, made: Call, scope: Scope, depth: int) -> None:
        """Tell a command what it reads, and where its output goes."""
        for operator, parts in one.redirects:
            if operator in ("<<", "<<<"):
                made.input = self.word(parts, scope, depth)
            elif operator in _TO_FILE:
                made.output = self.word(parts, scope, depth)
                made.appends = operator == ">>"
        if made.output is None and not self._piped:
            made.output, made.appends = self._outer, self._outer is not None

    def _keep(self, made: Call) -> None:
        """Hand on no more what a command unsets, be it run or not."""
        for word in made.words[1:]:
            if self.exported is not None:
                self.exported.pop(word.text, None)

    def _export(self, assigned: tree.Assignment, scope: Scope) -> None:
        parts, value = assigned.value, scope.get(assigned.name)
        if self.exported is None or isinstance(parts, list):
            return
        begin = parts.start - len(assigned.name) - 1 - assigned.appended
        known = isinstance(value, Word) and value.known and not self._doubts
        told = value if known and isinstance(value, Word) else None
        place = self.span(begin, begin + len(assigned.name))
        self.exported[assigned.name] = Export(assigned.name, told, *place)

    def _enter(self, name: str, made: Call, scope: Scope, depth: int) -> None:
        """Run a function's body with the words of its call."""
        self._called.add(name)
        self._rounds += 1
        if depth >= _DEEPEST or self._rounds > _MOST_ROUNDS:
            return
        outer, before = scope.positional, dict(scope.values)
        scope.positional = made.words[1:]
        names: set[str] = set()
        scope.doubtful.append(names)
        self._run(scope.functions[name], scope, depth + 1)
        scope.doubtful.pop()
        scope.positional = outer
        # Whether it keeps a name to itself is not looked at.
        scope.values = before | dict.fromkeys(names)

    def _assign(
        self, assigned: tree.Assignment, scope: Scope, conditional: bool, depth: int
    ) -> None:
        made: Word | list[Word] | None
        if isinstance(assigned.value, list):
            made = self.fields(assigned.value, scope, depth)
            before = scope.get(assigned.name) if assigned.appended else []
            made = [*before, *made] if isinstance(before, list) else None
        else:
            made = self.word(assigned.value, scope, depth)
            if assigned.appended:
                first = scope.get(assigned.name)
                made = joined(first, made) if isinstance(first, Word) else None
        if conditional:
            made = None
        scope.set(assigned.name, made)

    def output(self, part: Part, scope: Scope, depth: int) -> list[Piece]:
        """What commands print: known of ``cat`` with a here-document, and of ``echo``."""
        inner = part.inner
        if not inner:  # nothing but a comment
            return []
        if depth < _DEEPEST:
            if len(inner) == 1 and isinstance(inner[0], tree.Simple):
                self._piped = True
                made = self._simple(inner[0], scope, None, depth + 1)
                told = made.printed if made is not None else None
                if told is not None:
                    return told.part(0, len(told.text.rstrip("\n"))).pieces
            else:
                self._apart(inner, scope, depth + 1)
        return [Piece("$(…)", *self.span(part.start, part.end), False, known=False)]


def _runs(text: str) -> bool:
    """Whether a word may be a text with commands: no name, and no JSON."""
    blank = " " in text or "\n" in text
    return blank and len(text) <= _LONGEST_INNER and text.lstrip()[:1] not in ("{", "[")


def _globs(word: Word) -> bool:
    """Whether a shell makes file names, or several words, of it."""
    return any(sign in word.text for sign in "*?{") and not word.text.startswith('{"')

"""Ignores: comments in the files and ``[[ignore]]`` entries of the settings hide single findings.

An ignore names its rules, may say why and until when, and is told when it is malformed, hides
nothing, or has expired: what nobody needs any more must not lie in wait for the next fault.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from kcheck import selection
from kcheck.circumstances import Circumstances
from kcheck.model import Comment, Document, Edit, Finding, Problem
from kcheck.rule import Rule
from kcheck.settings import Ignore, Settings

MALFORMED, UNUSED, EXPIRED = "KC0002", "KC0003", "KC0004"

#: For so many different words that mean no rule what may have been meant is looked for.
_GUESSES = 100

_ONE, _FILE = "ignore", "ignore-file"
_EXAMPLE = "# kcheck: ignore[min-isr-eq-rf] until=2027-01-31 reason"

#: Tells what is wrong with a directive and, where it is known, the fix.
Wrong = Callable[..., None]


class Directive:
    """One ignore, from a comment or from the settings.

    ``words`` maps each word that it names to the codes of the rules that the word means;
    ``used`` are the words that hid a finding.
    """

    __slots__ = ("_reach", "_single", "at", "comment", "document", "until", "used", "words")

    def __init__(
        self,
        document: Document,
        at: tuple[int, int, int, int],
        words: dict[str, frozenset[str]],
        until: str,
        reach: Comment | Ignore | None,
        comment: Comment | None = None,
    ) -> None:
        self.document = document
        self.at = at
        self.words = words
        self.until = until
        self.used: set[str] = set()
        #: The comment beside the finding, the entry of the settings, None for a whole file.
        self._reach = reach
        #: The comment that it is, if it is one.
        self.comment = comment
        self._single: bool | None = None

    def hides(self, finding: Finding) -> bool:
        """Whether the ignore speaks for that finding; remembers that it was of use."""
        words = [word for word, codes in self.words.items() if finding.code in codes]
        if not words or not self._reaches(finding):
            return False
        self.used.update(words)
        return True

    def without(self, word: str) -> tuple[Edit, ...]:
        """The edit that takes a word out of the comment, or the comment with its last word."""
        if self.comment is None:
            return ()
        before, _, rest = self.comment.text.partition("[")
        inside, _, behind = rest.partition("]")
        names = [name.strip() for name in inside.split(",") if name.strip()]
        kept = ", ".join(name for name in names if name != word)
        text = f"# kcheck: {before}[{kept}]{behind}" if kept else ""
        return (Edit(self.document.path, self.at, text),)

    def _reaches(self, finding: Finding) -> bool:
        reach = self._reach
        if reach is None:
            return True
        if isinstance(reach, Ignore):
            resource = finding.resource
            names = ("", resource.name, f"{resource.kind} {resource.name}")
            return reach.resource in names and (
                reach.matches(finding.path) or reach.matches(resource.path)
            )
        path = self.document.path
        if finding.path == path and reach.first <= finding.at[0] <= reach.last:
            return True
        resource = finding.resource
        if resource.path != path:
            return False
        line = resource.at[0]
        if reach.first <= line <= reach.last or line == reach.head:
            return True
        return reach.last <= line <= reach.until and self._alone(reach)

    def _alone(self, reach: Comment) -> bool:
        """Whether the YAML document that the comment heads holds one resource only."""
        if self._single is None:
            lines = [resource.at[0] for resource in self.document.resources]
            self._single = sum(reach.last <= line <= reach.until for line in lines) == 1
        return self._single


class Ignores:
    """All ignores of a run, and what is wrong with those that are none. No document changes."""

    def __init__(
        self,
        documents: list[Document],
        settings: Settings,
        rules: dict[str, Rule],
        circumstances: Circumstances,
    ) -> None:
        self._settings = settings
        self._circumstances = circumstances
        self._rules = rules
        self._by_path: dict[str, list[Directive]] = {}
        self._entries: list[Directive] = []
        #: The settings files, by what messages call them.
        self._files: dict[str, Document] = {}
        #: What is wrong with comments that ignore nothing, by the path of their file.
        self._malformed: dict[str, list[Problem]] = {}
        #: What is known of the words that ignores name.
        self._meant: dict[str, tuple[int, frozenset[str]] | selection.Unknown] = {}
        for document in documents:
            for comment in document.comments:
                made = self._directive(document, comment)
                if made is not None:
                    self._by_path.setdefault(document.path, []).append(made)
        if settings.ignores:
            self._files = {entry.file: Document(entry.file) for entry in settings.ignores}
            for entry in settings.ignores:
                if self._refuses(entry):
                    continue
                at = (entry.line, 1, entry.line, 1)
                words = {entry.rule: entry.codes - settings.not_ignorable}
                self._entries.append(
                    Directive(self._files[entry.file], at, words, entry.until, entry)
                )

    @property
    def count(self) -> bool:
        """Whether they hide anything in this run; what is malformed is told anyway."""
        return self._circumstances.use_ignores

    def judged(self, document: Document) -> Document:
        """The document with the problems of its ignores beside its own: a copy, if there are any.

        It is for the rules that tell problems; what is wrong with an ignore may itself be ignored.
        """
        malformed = self._malformed.get(document.path)
        if malformed is None:
            return document
        from copy import copy  # few documents have ignores that are at fault

        told = copy(document)
        told.problems = [*document.problems, *malformed]
        return told

    def apply(self, findings: list[Finding]) -> list[Finding]:
        """The findings that no ignore hides."""
        kept: list[Finding] = []
        for finding in findings:
            hidden = False
            near = {finding.path, finding.resource.path}
            directives = [d for path in near for d in self._by_path.get(path, ())]
            for directive in (*directives, *self._entries):
                if not self._expired(directive) and directive.hides(finding):
                    hidden = True
            if not hidden:
                kept.append(finding)
        return kept

    def used(self) -> list[int]:
        """The lines of the entries of the settings that hid something."""
        return [directive.at[0] for directive in self._entries if directive.used]

    def elsewhere(self, lines: Container[int]) -> None:
        """Take the entries of the settings in these lines as of use in another project."""
        for directive in self._entries:
            if directive.at[0] in lines:
                directive.used.update(directive.words)

    def remarks(self) -> list[Document]:
        """Documents that stand for those with useless ignores; their problems say which."""
        told = {path: file for path, file in self._files.items() if file.problems}
        directives = [d for found in self._by_path.values() for d in found]
        if not self._circumstances.shared:
            directives += self._entries
        for directive in directives:
            for problem in self._useless(directive):
                path = directive.document.path
                told.setdefault(path, Document(path)).problems.append(problem)
        return list(told.values())

    def _refuses(self, entry: Ignore) -> bool:
        """Whether the settings do not let the entry count; that becomes a problem of their file."""
        if self._settings.require_reason and not entry.reason:
            message = "[[ignore]] has no reason, which the settings require"
        elif entry.codes and entry.codes <= self._settings.not_ignorable:
            message = f"{entry.rule} cannot be ignored: the settings have ignorable = false"
        else:
            return False
        at = (entry.line, 1, entry.line, 1)
        fix = "remove the entry" if entry.reason else "add a reason"
        self._files[entry.file].problems.append(
            Problem(message, at, MALFORMED, consequence="it hides nothing", fix=fix)
        )
        return True

    # -- reading ----------------------------------------------------------------------------

    def _wrong(self, document: Document, comment: Comment) -> Wrong:
        """What keeps the faults of a comment."""

        def wrong(message: str, fix: str = "") -> None:
            self._malformed.setdefault(document.path, []).append(
                Problem(
                    message,
                    comment.at,
                    MALFORMED,
                    consequence="it hides nothing",
                    fix=fix or f"write {_EXAMPLE}",
                )
            )

        return wrong

    def _directive(self, document: Document, comment: Comment) -> Directive | None:
        wrong = self._wrong(document, comment)
        if comment.mistake:
            wrong(comment.mistake, "put the comment on the line above")
            return None
        word, bracket, rest = comment.text.partition("[")
        word = word.strip()
        inside, closed, rest = rest.partition("]")
        if word not in (_ONE, _FILE):
            given = word.split(" ")[0] or "(none)"
            wrong(f"unknown directive {given}, expected ignore or ignore-file")
            return None
        names = [name.strip() for name in inside.split(",") if name.strip()]
        if not bracket or not closed or not names:
            wrong(f"{word} names no rules: add their codes or names in brackets")
            return None
        if word == _FILE and not comment.top:
            wrong("ignore-file is not at the top of the file", "move it above the first line")
            return None
        until, reason = _until(rest)
        if until is None:
            wrong("until is not a date of the form YYYY-MM-DD", "write until=2027-01-31")
            return None
        if self._settings.require_reason and not reason:
            wrong(f"{word} has no reason, which the settings require")
            return None
        words = self._ignored(names, wrong)
        if not words:
            return None
        reach = None if word == _FILE else comment
        return Directive(document, comment.at, words, until, reach, comment)

    def _ignored(self, names: list[str], wrong: Wrong) -> dict[str, frozenset[str]]:
        """The codes that each of the names stands for, if it may be ignored."""
        words: dict[str, frozenset[str]] = {}
        for name in names:
            meant = self._meaning(name)
            if isinstance(meant, selection.Unknown):
                wrong(str(meant), f"write {meant.nearest}" if meant.nearest else "")
                continue
            exact, codes = meant
            if exact < selection.FAMILY:
                wrong(f"{name} is too broad for an ignore: name rules or a family")
            elif exact >= selection.ONE and codes & self._settings.not_ignorable:
                wrong(
                    f"{name} cannot be ignored: {self._settings.file} has ignorable = false",
                    "remove the comment",
                )
            else:
                words[name] = codes - self._settings.not_ignorable
        return words

    def _meaning(self, name: str) -> tuple[int, frozenset[str]] | selection.Unknown:
        """What ``selection.meant`` makes of a word, asked once for each."""
        found = self._meant.get(name)
        if found is None:
            try:
                found = selection.meant(name, self._rules, len(self._meant) < _GUESSES)
            except selection.Unknown as unknown:
                found = unknown
            self._meant[name] = found
        return found

    # -- telling ----------------------------------------------------------------------------

    def _expired(self, directive: Directive) -> bool:
        """Whether its last day, which still counts, has passed. ISO dates sort as text."""
        return bool(directive.until) and directive.until < self._circumstances.today

    def _useless(self, directive: Directive) -> list[Problem]:
        path = directive.document.path
        if self._expired(directive):
            return [
                Problem(
                    f"the ignore of {word} expired on {directive.until}",
                    directive.at,
                    EXPIRED,
                    consequence="the finding that it hid is reported again",
                    fix="resolve the finding, or set a new date",
                )
                for word, codes in directive.words.items()
                if any(self._runs(code, path) for code in codes)
            ]
        if self._circumstances.partial:
            return []
        return [
            Problem(
                f"the ignore of {word} hides nothing",
                directive.at,
                UNUSED,
                consequence="it would silently hide the next finding of that rule here",
                fix=f"remove {word} from the ignore",
                edits=directive.without(word),
            )
            for word, codes in directive.words.items()
            if word not in directive.used
            and codes
            and all(self._runs(code, path) for code in codes)
        ]

    def _runs(self, code: str, path: str) -> bool:
        """Whether a finding of that rule would be told in that file."""
        rule = self._rules[code]
        if rule.family == "change" and not self._circumstances.changes:
            return False
        return (
            self._settings.enabled(rule)
            and self._settings.severity(rule, path, rule.severity) is not None
        )


def _until(rest: str) -> tuple[str | None, str]:
    """(date or "", reason) of what follows the brackets; None for a date that is none."""
    from kcheck.settings_keys import is_date

    words = rest.split()
    until = ""
    for word in words:
        if word.startswith("until="):
            until = word.removeprefix("until=")
            if not is_date(until):
                return None, ""
            words.remove(word)
            break
    return until, " ".join(words)

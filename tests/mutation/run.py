"""Mutate every rule, and see whether its own examples notice.

    python tests/mutation/run.py [--module NAME] [--rule CODE] [--since REVISION] [--write]

Each comparison, bound and guard of ``kcheck/rules`` is made wrong by a little (``mutants.py`` says
how), in a process of its own; then the examples run that enter the changed function: those of the
rule's docstring and its further cases, for a helper those of all rules that call it. A mutant is
killed where a bad example draws the rule no more or a good one does (by its verdict), where the
rule raises or does not end, or where it says something else of a bad example: at another place, in
other words, with another fix (``tests/rules/said`` holds what it says).

What survives is listed in ``survivors.tsv`` with the reason; ``--write`` brings that list up to
date, and writes the table of ``docs/mutation.md``. Exits with 1 where a mutant survives that is not
listed, where one is listed that does not survive, or where fewer than 95% are killed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from types import FrameType, FunctionType, ModuleType

from mutants import Mutant, mutants

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rules")]

from trial import examples_of, module_of, said, tried  # noqa: E402

from kcheck import rules  # noqa: E402
from kcheck.examples import Example  # noqa: E402
from kcheck.rule import Rule  # noqa: E402

HERE = Path(__file__).resolve().parent
SURVIVORS = HERE / "survivors.tsv"
DOCUMENT = ROOT / "docs" / "mutation.md"
FOLDER = ROOT / "kcheck" / "rules"
_RULES = f"{FOLDER}{os.sep}"

GOAL = 0.95
#: Seconds of processor time that a mutant has for its examples, which take milliseconds.
LIMIT = 4.0

#: What became of a mutant; the numbers are exit codes of its process.
SURVIVED, VERDICT, WORDS, RAISED, ENDLESS = 0, 10, 11, 12, 13

#: Said of survivors that somebody has yet to find an example for, or a reason why there is none.
NEW = "no example tells"


class Case:
    """One example of a rule and what the rule says of it; ``alone`` where it needs no other rule."""

    __slots__ = ("alone", "entered", "example", "rule", "words")

    def __init__(self, rule: Rule, example: Example) -> None:
        self.rule = rule
        self.example = example
        self.alone = True
        self.words, self.entered = self._first()
        if bool(self.words) != example.bad:
            self.alone = False
            self.words, self.entered = self._first()
        if bool(self.words) != example.bad:
            kind = "bad" if example.bad else "good"
            raise SystemExit(f"{rule.code}: this is no {kind} example: {example.caption}")

    def _first(self) -> tuple[str, set[tuple[str, int]]]:
        """What the rule says, and the functions of rule modules that run, as module and line."""
        entered: set[tuple[str, int]] = set()

        def enter(frame: FrameType, event: str, argument: object) -> None:
            name = frame.f_code.co_filename
            if event == "call" and name.startswith(_RULES):
                module = name[len(_RULES) : -len(".py")].replace(os.sep, ".")
                entered.add((module, frame.f_code.co_firstlineno))

        sys.setprofile(enter)
        try:
            return self.now(), entered
        finally:
            sys.setprofile(None)

    def now(self) -> str:
        project = tried(self.rule, self.example, alone=self.alone)
        if project.failures:
            raise RuntimeError(project.failures[0])
        return said(self.rule, project)


class Run:
    """All mutants and all cases of a run, ready to be tried."""

    def __init__(self, modules: list[str]) -> None:
        known = rules.load()
        self.modules = {name: sys.modules[f"kcheck.rules.{name}"] for name in modules_of()}
        cold = {name: _values(module) for name, module in self.modules.items()}
        users = _users(modules)
        self.cases = [
            Case(rule, example)
            for rule in known.values()
            if module_of(rule) in users
            for example in examples_of(rule)
        ]
        # What the cases left behind there is put away: a mutant may have to fill it.
        for name, module in self.modules.items():
            vars(module).update(cold[name])
        self.owners = {rule.check.__name__: rule for rule in known.values()}
        self.mutants = [
            mutant
            for name in modules
            for mutant in mutants(name, path_of(name).read_text(encoding="utf-8"))
        ]

    def rule_of(self, mutant: Mutant) -> Rule | None:
        """The rule that the mutant is part of; None for helpers."""
        rule = self.owners.get(mutant.within)
        return rule if rule is not None and module_of(rule) == mutant.module else None

    def cases_for(self, mutant: Mutant) -> list[Case]:
        """The cases that can see a mutant: those that enter its function, or all of its module."""
        function = _function(self.modules[mutant.module], mutant.within)
        if function is not None:
            place = (mutant.module, function.__code__.co_firstlineno)
            found = [case for case in self.cases if place in case.entered]
        else:
            # A value is read wherever its module is, or what imports it.
            name = mutant.within
            users = {mutant.module} | {
                other for other, module in self.modules.items() if name in vars(module)
            }
            found = [c for c in self.cases if any(at in users for at, _ in c.entered)]
        # The nearest first: they are likelier to tell.
        return sorted(found, key=lambda case: module_of(case.rule) != mutant.module)

    def fate(self, mutant: Mutant) -> int:
        """Try a mutant in a process of its own."""
        cases = self.cases_for(mutant)
        if not cases:
            return SURVIVED
        child = os.fork()
        if not child:
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            try:
                self._put_in(mutant)
                os._exit(_outcome(cases))
            except BaseException:
                os._exit(RAISED)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            if os.WTERMSIG(status) == signal.SIGPROF:
                return ENDLESS
            raise RuntimeError(f"signal {os.WTERMSIG(status)} ended {mutant}")
        return os.WEXITSTATUS(status)

    def _put_in(self, mutant: Mutant) -> None:
        mutant.apply()
        module = self.modules[mutant.module]
        statement = mutant.statement
        if isinstance(statement, ast.FunctionDef):
            statement.decorator_list = []
        space = {**vars(module)}
        code = ast.Module([ast.fix_missing_locations(statement)], [])
        exec(compile(code, module.__file__ or "", "exec", flags=_ANNOTATIONS), space)
        function = _function(module, mutant.within)
        if function is not None:
            new = _within(space, mutant.within)
            assert new is not None
            function.__code__ = new.__code__
            function.__defaults__, function.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
            return
        for name in mutant.within.replace(",", " ").split():
            old = vars(module)[name]
            for other in self.modules.values():
                if vars(other).get(name) is old:
                    setattr(other, name, space[name])


#: The flag of ``from __future__ import annotations``.
_ANNOTATIONS = __import__("__future__").annotations.compiler_flag


def _outcome(cases: list[Case]) -> int:
    differs = False
    for case in cases:
        try:
            words = case.now()
        except RuntimeError:
            return RAISED
        if bool(words) != case.example.bad:
            return VERDICT
        differs = differs or words != case.words
    return WORDS if differs else SURVIVED


def modules_of() -> list[str]:
    """The rule modules by their names below the package: ``durability.acks``."""
    return sorted(
        ".".join(path.relative_to(FOLDER).with_suffix("").parts)
        for path in FOLDER.rglob("*.py")
        if path.stem not in ("__init__", "index")
    )


def path_of(module: str) -> Path:
    """The file of a rule module."""
    return FOLDER.joinpath(*module.split(".")).with_suffix(".py")


def _users(wanted: Iterable[str]) -> set[str]:
    """Those modules and all that import them, at one remove or several: no others get there."""
    imports = {name: _imported(path_of(name)) for name in modules_of()}
    found: set[str] = set()
    more = set(wanted)
    while more:
        found |= more
        more = {name for name, names in imports.items() if names & more} - found
    return found


def _imported(path: Path) -> set[str]:
    """The names of rule modules that a module imports, at its top or in a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = node.module.removeprefix("kcheck.rules.")
            found.add(module)
            found.update(f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            found.update(alias.name.removeprefix("kcheck.rules.") for alias in node.names)
    return found


def _values(module: ModuleType) -> dict[str, object]:
    """Copies of what a module fills while it is used."""
    return {
        name: copy.copy(value)
        for name, value in vars(module).items()
        if isinstance(value, (dict, list, set)) and not name.startswith("__")
    }


def _function(module: ModuleType, name: str) -> FunctionType | None:
    return _within(vars(module), name)


def _within(space: dict[str, object], name: str) -> FunctionType | None:
    """The function of a qualified name, if it is one."""
    owner, _, method = name.partition(".")
    found = space.get(owner)
    if method:
        found = vars(found).get(method)
        found = found.fget if isinstance(found, property) else found
    return found if isinstance(found, FunctionType) else None


def fates(run: Run, wanted: list[Mutant], jobs: int) -> list[int]:
    """What becomes of each mutant, found out by several processes."""
    gc.collect()
    gc.freeze()
    pipes = []
    for job in range(jobs):
        read, write = os.pipe()
        worker = os.fork()
        if not worker:
            os.close(read)
            try:
                mine = [run.fate(mutant) for mutant in wanted[job::jobs]]
                with os.fdopen(write, "wb") as pipe:
                    pickle.dump(mine, pipe)
                os._exit(0)
            except BaseException as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
                os._exit(1)
        os.close(write)
        pipes.append((worker, read))
    found = [SURVIVED] * len(wanted)
    for job, (worker, read) in enumerate(pipes):
        with os.fdopen(read, "rb") as pipe:
            data = pipe.read()
        if os.waitpid(worker, 0)[1]:
            raise SystemExit("a worker failed")
        found[job::jobs] = pickle.loads(data)
    return found


def changed_since(revision: str) -> set[str]:
    """The rule modules whose code or further cases differ from a revision."""
    command = ["git", "diff", "--name-only", revision, "--", "kcheck/rules", "tests/rules/cases"]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {
        ".".join(Path(line).with_suffix("").parts[-2:])
        for line in told.split()
        if line.endswith((".py", ".txt"))
    }


Key = tuple[str, str, str, str, int]


def listed() -> dict[Key, str]:
    """The survivors that are known, by their keys, with the reason of each."""
    if not SURVIVORS.exists():
        return {}
    found: dict[Key, str] = {}
    for line in SURVIVORS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            module, within, before, after, number, reason = line.split("\t")
            found[module, within, before, after, int(number)] = reason
    return found


HEADER = """\
# Mutants that survive, and why. run.py --write adds new ones and takes killed ones out.
# A reason begins with "equivalent:" where no configuration can tell the mutant from the rule.
# module	within	before	after	number	reason
"""


def write_survivors(reasons: dict[Key, str]) -> None:
    rows = ["\t".join((*key[:4], str(key[4]), reason)) for key, reason in sorted(reasons.items())]
    SURVIVORS.write_text(HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")


def shown(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def table(run: Run, told: Iterable[tuple[Mutant, int]], reasons: dict[Key, str]) -> list[list[str]]:
    """Per module: mutants, how many are killed how, the share, and the same of those that can be."""
    rows: list[list[str]] = []
    by_module: dict[str, list[tuple[Mutant, int]]] = {}
    for mutant, fate in told:
        by_module.setdefault(mutant.module, []).append((mutant, fate))
        by_module.setdefault("all", []).append((mutant, fate))
    total = by_module.pop("all", [])
    for name, part in [*sorted(by_module.items()), ("all", total)]:
        killed = sum(fate != SURVIVED for _, fate in part)
        words = sum(fate == WORDS for _, fate in part)
        same = sum(
            fate == SURVIVED and reasons.get(mutant.key, "").startswith("equivalent:")
            for mutant, fate in part
        )
        rows.append(
            [
                name,
                f"{len(part):,}",
                f"{killed - words:,}",
                f"{words:,}",
                f"{len(part) - killed:,}",
                f"{same:,}",
                f"{killed / max(len(part), 1):.1%}",
            ]
        )
    return rows


COLUMNS = ["module", "mutants", "by verdict", "by words", "survive", "equivalent", "killed"]


def in_columns(rows: list[list[str]]) -> str:
    widths = [max(len(row[i]) for row in [COLUMNS, *rows]) for i in range(len(COLUMNS))]
    return "\n".join(
        row[0].ljust(widths[0])
        + "".join(f"  {cell:>{w}}" for cell, w in zip(row[1:], widths[1:], strict=True))
        for row in [COLUMNS, *rows]
    )


def write_document(rows: list[list[str]]) -> None:
    """Put the modules' rows into the document's table, between its marks, and sum them up."""
    old = DOCUMENT.read_text(encoding="utf-8")
    head, _, rest = old.partition("<!-- table -->\n")
    kept, _, tail = rest.partition("<!-- end -->")
    cells = [line.strip("| ").split(" | ") for line in kept.splitlines()[2:]]
    merged = {row[0]: row for row in (*cells, *rows) if path_of(row[0]).exists()}
    numbers = [[int(cell.replace(",", "")) for cell in row[1:-1]] for row in merged.values()]
    sums = [sum(column) for column in zip(*numbers, strict=True)]
    total = ["all", *(f"{number:,}" for number in sums), f"{1 - sums[3] / sums[0]:.1%}"]
    lines = [COLUMNS, ["---"] * len(COLUMNS), *(merged[name] for name in sorted(merged)), total]
    text = "\n".join(f"| {' | '.join(row)} |" for row in lines)
    DOCUMENT.write_text(f"{head}<!-- table -->\n{text}\n<!-- end -->{tail}", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Mutate every rule; its own examples must notice.")
    parser.add_argument("--module", action="append", default=[], help="only this rule module")
    parser.add_argument("--rule", action="append", default=[], help="only this rule, by its code")
    parser.add_argument("--since", help="only modules that changed since that revision")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--survivors", action="store_true", help="list those with a reason too")
    parser.add_argument("--write", action="store_true", help="bring survivors.tsv up to date")
    options = parser.parse_args(arguments)

    began = time.monotonic()
    everything = not (options.module or options.rule or options.since)
    modules = modules_of()
    if options.module:
        modules = [name for name in modules if name in options.module]
    if options.since:
        modules = [name for name in modules if name in changed_since(options.since)]
    run = Run(modules)
    wanted = run.mutants
    if options.rule:
        wanted = [m for m in wanted if (rule := run.rule_of(m)) and rule.code in options.rule]
    told = list(zip(wanted, fates(run, wanted, options.jobs), strict=True))

    reasons = listed()
    alive = {mutant.key for mutant, fate in told if fate == SURVIVED}
    tried_keys = {mutant.key for mutant in wanted}
    stale = {
        key
        for key in reasons
        if (key not in alive and (key in tried_keys or (not options.rule and key[0] in modules)))
        or (everything and key not in tried_keys)
    }
    for mutant, fate in told:
        if fate == SURVIVED and (options.survivors or mutant.key not in reasons):
            print(shown(str(mutant)), f"[{reasons.get(mutant.key, NEW)}]", sep="  ")
    for key in sorted(stale):
        print("listed, but it does not survive:", shown(" | ".join(map(str, key))))
    rows = table(run, told, reasons)
    print(in_columns(rows))
    print(f"{time.monotonic() - began:.0f} s")
    if options.write:
        kept = {key: reason for key, reason in reasons.items() if key not in stale}
        write_survivors({**dict.fromkeys(alive, NEW), **kept})
        if not options.rule:
            # With the reasons of before: what is new has none yet.
            write_document(rows)
        return 0
    share = sum(fate != SURVIVED for _, fate in told) / max(len(told), 1)
    return 1 if stale or alive - set(reasons) or share < GOAL else 0


if __name__ == "__main__":
    raise SystemExit(main())

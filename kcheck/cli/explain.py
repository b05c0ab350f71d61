"""``kcheck explain``: a rule, a key of Kafka's, a metric, or an error, by name or by log lines."""

from __future__ import annotations

import sys

from kcheck import images, registry, selection
from kcheck.cli import explain_error, explain_key, explain_metric, rule_view, run
from kcheck.cli.configure import configured
from kcheck.cli.options import Options
from kcheck.cli.run import Stop
from kcheck.cli.terminal import bold, terminal, width
from kcheck.explain import errors, keys, metrics
from kcheck.report.printable import in_json
from kcheck.rule import Rule

RULE, KEY, ERROR, METRIC = "rule", "key", "error", "metric"
KINDS = (RULE, KEY, ERROR, METRIC)
_STDIN = "-"


class Meaning:
    """What a word was taken for. ``also`` are the other kinds of thing that it is, too."""

    def __init__(self, kind: str, of: object, said: str = "") -> None:
        self.kind = kind
        self.of = of
        #: How one thing was found by the name of another.
        self.said = said
        self.also: list[str] = []


def explain(options: Options) -> int:
    """Print what the words mean; gives the exit code."""
    words: tuple[str, ...] = options.subject
    if words == (_STDIN,):
        text = sys.stdin.buffer.read().decode("utf-8", "replace").strip()
        if not text:
            raise Stop("standard input is empty")
    else:
        text = " ".join(words).strip()
    if not text:
        raise Stop("name a rule, a Kafka key or an error, or give the text of a log line")
    known = registry.known(configured(options, "."))
    meaning = _meant(text, known, options.kind)
    looked = None
    if options.project:
        from kcheck.cli.explain_in import Looked, rules_of

        looked = Looked(options, rules_of(meaning.of, known))
    if options.output == "json":
        from json import dumps

        record = {"version": 1, "kind": meaning.kind, "asked": text, "also": meaning.also}
        record |= _record(meaning, known)
        if looked is not None:
            record["findings"] = looked.record()
        run.write(in_json(dumps(record, indent=2, ensure_ascii=False)) + "\n")
    else:
        run.write(_text(meaning, text, known, options))
        if looked is not None:
            run.write_report(looked.text())
    return run.CLEAN if looked is None else looked.code


def _text(meaning: Meaning, text: str, known: dict[str, Rule], options: Options) -> str:
    """What is said of it on a terminal."""
    color, _ = terminal(options.color)
    heading = bold if color else str
    parts = [meaning.said] if meaning.said else []
    parts += [f"{text} is {other}." for other in meaning.also]
    head = "\n".join(parts) + "\n\n" if parts else ""
    if isinstance(meaning.of, Rule):
        body = rule_view.text(meaning.of, errors.shown_by(meaning.of.code), heading, width())
    elif isinstance(meaning.of, keys.Key):
        body = explain_key.text(meaning.of, explain_key.weighed(meaning.of, known), heading)
    elif isinstance(meaning.of, tuple):
        name, metric = meaning.of
        body = explain_metric.text(name, metric, known, heading)
    else:
        assert isinstance(meaning.of, list)
        body = explain_error.text(meaning.of, known, _keys_in(text), heading)
    return head + body


def _record(meaning: Meaning, known: dict[str, Rule]) -> dict[str, object]:
    if isinstance(meaning.of, Rule):
        shows = {"errors": errors.shown_by(meaning.of.code)}
        return {"rule": rule_view.record(meaning.of) | shows}
    if isinstance(meaning.of, keys.Key):
        return {"key": explain_key.record(meaning.of, explain_key.weighed(meaning.of, known))}
    if isinstance(meaning.of, tuple):
        name, metric = meaning.of
        return {"metric": explain_metric.record(name, metric, known)}
    assert isinstance(meaning.of, list)
    return {"errors": [explain_error.record(match, known) for match in meaning.of]}


# -- what is meant --------------------------------------------------------------------------------


def _meant(text: str, known: dict[str, Rule], kind: str) -> Meaning:
    """The one meaning to tell: of the asked kind, else by the order of ``KINDS``."""
    found: list[Meaning] = []
    group = ""
    if " " not in text:
        if kind in ("", RULE):
            rule, group = _rule(text, known)
            found += [Meaning(RULE, rule)] if rule else []
        if kind in ("", KEY):
            key = _key(text)
            found += [key] if key else []
        if kind in ("", ERROR):
            named = errors.named(text)
            found += [Meaning(ERROR, [errors.Match(named.error, named, "", 1)])] if named else []
        if kind in ("", METRIC):
            metric = metrics.named(text)
            found += [Meaning(METRIC, metric)] if metric else []
    if not found and kind in ("", ERROR) and not group:
        matches = errors.matches(text)
        found += [Meaning(ERROR, matches)] if matches else []
    if not found and kind in ("", METRIC) and " " in text:
        metric = metrics.in_text(text)
        found += [Meaning(METRIC, metric)] if metric else []
    if not found:
        raise Stop(group or _nothing(text, known, kind))
    first, *others = found
    first.also += [
        f"also {'an' if other.kind == ERROR else 'a'} {other.kind}: kcheck explain --as "
        f"{other.kind} {text}"
        for other in others
    ]
    if group:
        first.also.append(f"also a family of rules: kcheck rules --select {text}")
    return first


def _rule(word: str, known: dict[str, Rule]) -> tuple[Rule | None, str]:
    """(the one rule that the word names, else what to say where it names several)."""
    try:
        exact, codes = selection.meant(word, known)
    except selection.Unknown:
        return None, ""
    if exact < selection.ONE:
        return (
            None,
            f"{word} selects {len(codes)} rules; list them with kcheck rules --select {word}",
        )
    return known[next(iter(codes))], ""


def _key(word: str) -> Meaning | None:
    """The key of that name, or of an image's variable, Spring's property or librdkafka's key."""
    key = keys.explained(word)
    if key is not None:
        meaning = Meaning(KEY, key)
        meaning.also = [
            f"also the name in {by} of {name}: kcheck explain {name}"
            for name, by in keys.other_meanings(word)
        ]
        return meaning
    if word.isupper() and "_" in word:
        for family in images.families().values():
            name = family.key(word)
            key = keys.explained(name) if name else None
            if key is not None:
                return Meaning(KEY, key, f"{word} is {name} in the image {family.name}.")
    for name, by in keys.other_names(word):
        key = keys.explained(name)
        if key is not None:
            return Meaning(KEY, key, f"{word} is the name in {by} of {name}.")
    return None


def _keys_in(text: str) -> list[str]:
    """The keys that a text speaks of, where it is more than a word."""
    if " " not in text:
        return []
    words = dict.fromkeys(word.strip("'\"`,;:()[].=") for word in text.replace("=", " ").split())
    every = set(keys.known())
    return [word for word in words if "." in word and word in every]


def _nothing(text: str, known: dict[str, Rule], kind: str) -> str:
    """That nothing is known, and what is nearest."""
    if " " in text or "\n" in text:
        near = errors.alike(text)
        told = "no known error matches this log line"
        if near:
            return f"{told}; similar: " + ", ".join(error.name for error in near)
        return f"{told}; try the name of an exception in it"
    candidates = {
        RULE: selection.words(known),
        KEY: keys.known(),
        ERROR: errors.all_names(),
        METRIC: metrics.all_names(),
    }
    what = {RULE: "rule", KEY: "Kafka key", ERROR: "error", METRIC: "metric"}.get(kind)
    told = f"no {what or 'rule, key, error or metric'} is named {text}"
    near_words = [selection.nearest(text, candidates[k]) for k in KINDS if kind in ("", k)]
    closest = selection.nearest(text, [word for word in near_words if word])
    return f"{told}; did you mean {closest}?" if closest else f"{told} (see kcheck rules)"

"""Topics that answer alike to all that a rule asks are judged by it once.

Ten thousand topics differ in a retention or a size, and most rules ask for something else. A rule
that goes by the settings of a topic alone is run on one that remembers what was asked of it. Where
it found nothing to say, it has nothing to say of others whose answers are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, KeysView
from operator import itemgetter

from kcheck.graph.topics import Topic
from kcheck.model import Resource, Setting, Value
from kcheck.rule import Rule

#: A rule that is on, with the options that the settings give it.
Enabled = tuple[Rule, dict[str, object]]
#: The texts of a topic's settings and facts, or of some of them.
_Answers = object

#: Runs a rule on a topic; whether it had anything to say.
_Speak = Callable[[Rule, dict[str, object], Topic], bool]

#: The rules on what is wrong with single settings of a topic, if anything is.
_OnSettings = Callable[[Topic], list[Enabled]]

#: So many different answers are remembered of those who ask alike.
_MOST_REMEMBERED = 10_000


class _Watched(Topic):
    """Topics that set the same keys, one after another, and which of those are asked for.

    Inherited values are resolved once for all of them. ``whole``: something looked at the resource
    itself, and may have seen all of it.
    """

    __slots__ = ("_inside", "_known", "_needed", "_now", "_own", "_shared", "asked", "whole")

    def __init__(self, topic: Topic) -> None:
        self.cluster = topic.cluster
        self.defaults = topic.defaults
        self._own = {*topic.resource.settings, *topic.resource.facts}
        #: What was asked for to resolve each value.
        self._needed: dict[str, set[str]] = {}
        self._shared: dict[str, Value] = {}
        self._inside = 0
        self.turn_to(topic)

    def turn_to(self, topic: Topic) -> None:
        """Be another one of these topics."""
        self._now = topic.resource
        self._values = {}
        self.begin()

    def begin(self, known: frozenset[str] = frozenset()) -> None:
        """Forget what was asked; what is ``known`` to be asked for is not worth remembering."""
        self._known = known
        self.asked: set[str] = set()
        self.whole = False

    @property
    def resource(self) -> Resource:  # type: ignore[override]
        if not self._inside:
            self.whole = True
        return self._now

    @property
    def name(self) -> str:
        return self._now.name

    @property
    def keys(self) -> KeysView[str]:
        # Alike, too.
        return self._now.settings.keys()

    def own(self, key: str) -> Setting | None:
        found = self._now.settings.get(key)
        if found is not None:
            self.asked.add(key)
        return found

    def sets(self, key: str) -> bool:
        # Which keys there are is alike already.
        return key in self._own

    def sets_any(self, keys: frozenset[str]) -> bool:
        return not keys.isdisjoint(self._own)

    def __getitem__(self, key: str) -> Value:
        found = self._shared.get(key) or self._values.get(key)
        if found is None:
            return self._made(key, key, super().__getitem__)
        if key not in self._known:
            self.asked |= self._needed[key]
        return found

    def fact(self, name: str) -> Value:
        key = f"fact {name}"
        found = self._shared.get(key) or self._values.get(key)
        if found is None:
            return self._made(key, name, super().fact)
        self.asked |= self._needed[key]
        return found

    @property
    def partitions(self) -> Value:
        return self.fact("partitions")

    @property
    def replication_factor(self) -> Value:
        key = "fact replication.factor of all"
        found = self._shared.get(key) or self._values.get(key)
        if found is None:
            return self._made(key, "replication.factor", lambda _: self._replication_factor())
        self.asked |= self._needed[key]
        return found

    def _made(self, key: str, name: str, make: Callable[[str], Value]) -> Value:
        """Resolve a value, which others may be asked for."""
        # What none of them sets is the same for all.
        before, self.asked = self.asked, {name} if name in self._own else set()
        self._inside += 1
        try:
            found = make(name)
        finally:
            self._inside -= 1
            needed, self.asked = self.asked, self.asked | before
        self._needed[key] = needed
        values = self._values if needed else self._shared
        values[key] = found
        return found


class _Group:
    """Rules that ask for the same, and the answers on which all of them were silent.

    ``asked`` is None for those that look at the whole resource.
    """

    __slots__ = ("answers", "asked", "rules", "silent")

    def __init__(self, asked: frozenset[str] | None, places: list[int]) -> None:
        self.asked = asked
        #: Takes what they ask for out of all that a topic answers.
        self.answers: Callable[[tuple[str | None, ...]], _Answers] = (
            itemgetter(*places) if places else _nothing
        )
        self.rules: list[Enabled] = []
        self.silent: set[_Answers] = set()


def _nothing(answers: tuple[str | None, ...]) -> _Answers:
    return ()


class Alike:
    """The rules for topics that set the same keys and inherit from the same brokers.

    ``first`` is one of them.
    """

    def __init__(self, first: Resource, rules: Iterable[Enabled]) -> None:
        self._keys = [*first.settings, *(name for name in first.facts if name != "name")]
        self._groups: list[_Group] = []
        #: All that topics answered on which no rule had anything to say.
        self._silent: set[_Answers] = set()
        self._watched: _Watched | None = None
        #: Rules that were found to ask for more, with their group and all that they ask for.
        self._moved: list[tuple[_Group, Enabled, frozenset[str] | None]] = []
        group = self._group(frozenset())
        group.rules = list(rules)
        self._groups.append(group)

    def _group(self, asked: frozenset[str] | None) -> _Group:
        return _Group(
            asked,
            [at for at, key in enumerate(self._keys) if asked is None or key in asked],
        )

    def judge(self, topic: Topic, speak: _Speak, on_settings: _OnSettings) -> None:
        """Let the rules that have something to say of the topic say it, by ``speak``."""
        resource = topic.resource
        whole = (
            *[setting.raw for setting in resource.settings.values()],
            *[fact.raw for name, fact in resource.facts.items() if name != "name"],
        )
        if whole in self._silent and not resource.earlier:
            return
        if self._watched is None:
            self._watched = _Watched(topic)
        else:
            self._watched.turn_to(topic)
        silent = True
        for rule, options in on_settings(topic):
            silent = not speak(rule, options, topic) and silent
        for group in self._groups:
            answers = group.answers(whole)
            if answers not in group.silent:
                silent = self._ask(group, answers, topic, self._watched, speak) and silent
        if silent and not resource.earlier:
            _remember(self._silent, whole)
        if self._moved:
            self._regroup()

    def _ask(
        self,
        group: _Group,
        answers: _Answers,
        topic: Topic,
        watched: _Watched,
        speak: _Speak,
    ) -> bool:
        """Run the rules of a group; whether none had anything to say."""
        silent = True
        if group.asked is None:
            # They are asked whenever something is new, and by nobody who notes what they ask.
            for rule, options in group.rules:
                silent = not speak(rule, options, topic) and silent
            return silent
        for pair in group.rules:
            rule, options = pair
            watched.begin(group.asked)
            if _speaks(rule, options, watched):
                silent = False
                speak(rule, options, topic)
            if watched.whole or not watched.asked <= group.asked:
                asked = None if watched.whole else group.asked | watched.asked
                self._moved.append((group, pair, asked))
        if silent and not topic.resource.earlier:
            _remember(group.silent, answers)
        return silent

    def _regroup(self) -> None:
        """Put the rules that ask for more where others ask for that, too."""
        by_asked = {group.asked: group for group in self._groups}
        for group, pair, asked in self._moved:
            group.rules.remove(pair)
            if asked not in by_asked:
                by_asked[asked] = self._group(asked)
            by_asked[asked].rules.append(pair)
            # On those answers the new one was not asked.
            by_asked[asked].silent.clear()
        self._groups = [group for group in by_asked.values() if group.rules]
        self._moved.clear()


def _remember(known: set[_Answers], answers: _Answers) -> None:
    if len(known) >= _MOST_REMEMBERED:
        known.clear()
    known.add(answers)


def _speaks(rule: Rule, options: dict[str, object], topic: Topic) -> bool:
    """Whether the rule has something to say, be it that it fails."""
    try:
        for _ in rule.check(topic, **options) if options else rule.check(topic):
            return True
    except Exception:
        return True
    return False

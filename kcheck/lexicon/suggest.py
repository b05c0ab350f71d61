"""Which known key was meant by an unknown one: misspelt, in another order, a word too few or many.

Two degrees: ``sure`` slips leave no doubt and are told in files that may hold anybody's keys;
``guesses`` help where the key is Kafka's business anyway.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.bounded_cache import BoundedCache

#: More suggestions than this say nothing.
_MOST = 4
#: Last words of keys that name a unit or a kind: the ones that people forget.
_ENDINGS = frozenset({"ms", "bytes", "class", "enable", "name", "location"})
#: So long words are seldom one letter away from another word.
_LONG = 5
#: Other names of the unit that Kafka calls ms.
_MS = frozenset({"msec", "msecs", "millis", "milliseconds"})


def tokens(key: str) -> tuple[str, ...]:
    """The words of a key: camelCase, blanks, ``_`` and ``-`` part them as dots do."""
    words: list[str] = []
    word = ""
    previous = ""
    for char in key.strip("\"':, "):
        if char in "._- \t":
            words.append(word)
            word = ""
        else:
            if char.isupper() and previous.islower():
                words.append(word)
                word = ""
            word += char
        previous = char
    words.append(word)
    return tuple("ms" if w.lower() in _MS else w.lower() for w in words if w)


_known: dict[str, tuple[str, ...]] = {}


def _words_of(known: str) -> tuple[str, ...]:
    """The words of one of Kafka's own keys, taken apart once."""
    words = _known.get(known)
    if words is None:
        words = _known[known] = tokens(known)
    return words


def distance(one: str, other: str, limit: int) -> int:
    """Edits between two texts, swapped neighbours counting once; ``limit + 1`` where it is more."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    one, other = _apart_in(one, other)
    if not one or not other:
        return min(len(one) + len(other), limit + 1)
    if limit <= 2:
        return _few(one, other, limit)
    older: list[int] = []
    previous = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, older[j - 2] + 1)
            row.append(best)
        if min(row) > limit:
            return limit + 1
        older, previous = previous, row
    return min(previous[-1], limit + 1)


def _few(one: str, other: str, limit: int) -> int:
    """The same of texts whose first characters differ, and their last ones: faster than a table."""
    swapped = one[:2] == other[1::-1]
    if limit < 2:
        single = len(one) == len(other) and len(one) == 1 + swapped
        return 1 if limit and single else limit + 1
    rest = [(one[1:], other[1:]), (one[1:], other), (one, other[1:])]
    if swapped and len(one) > 1:
        rest.append((one[2:], other[2:]))
    return 1 + min(distance(mine, theirs, limit - 1) for mine, theirs in rest)


def _apart_in(one: str, other: str) -> tuple[str, str]:
    """What two texts differ in: without the ends that they share, which cost no edits."""
    most = min(len(one), len(other))
    first = 0
    while first < most and one[first] == other[first]:
        first += 1
    last = 0
    while last < most - first and one[-1 - last] == other[-1 - last]:
        last += 1
    return one[first : len(one) - last], other[first : len(other) - last]


#: What was asked before: the keys of a file have most of their words in common with others.
_apart: dict[tuple[str, str, int], int] = BoundedCache(20_000)


def _distance(one: str, other: str, limit: int) -> int:
    """``distance``, remembered."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    asked = (one, other, limit)
    found = _apart.get(asked)
    if found is None:
        found = _apart[asked] = distance(one, other, limit)
    return found


#: (candidate, its words) of known keys by the number of their words.
_Shelves = dict[int, list[tuple[str, tuple[str, ...]]]]

#: By the identity of tables that live as long as the process; kept with them.
_shelved: dict[int, tuple[Iterable[str], _Shelves]] = BoundedCache(100)


def _shelves(known: Iterable[str]) -> _Shelves:
    kept = _shelved.get(id(known))
    if kept is not None and kept[0] is known:
        return kept[1]
    shelves: _Shelves = {}
    for candidate in known:
        theirs = _words_of(candidate) if isinstance(known, tuple) else tokens(candidate)
        shelves.setdefault(len(theirs), []).append((candidate, theirs))
    if isinstance(known, tuple):
        _shelved[id(known)] = known, shelves
    return shelves


def sure(key: str, known: Iterable[str]) -> list[str]:
    """The keys that the text can only be a slip of, best first; mostly none or one."""
    words = tokens(key)
    count = len(words)
    scored: list[tuple[int, str]] = []
    shelves = _shelves(known)
    for size in (count - 1, count, count + 1):
        for candidate, theirs in shelves.get(size, ()):
            score = _slip(words, theirs)
            if score is not None:
                scored.append((score, candidate))
    return _best(scored)


def only(key: str, known: Iterable[str]) -> str:
    """The one key that the text can only be a slip of; empty where there is none or a choice."""
    found = sure(key, known)
    return found[0] if len(found) == 1 else ""


def _slip(words: tuple[str, ...], theirs: tuple[str, ...]) -> int | None:
    """How far apart two names are as slips go, of about as many words; None where it is no slip."""
    if words == theirs:
        return 0
    if len(words) == len(theirs):
        if len(words) > 1 and sorted(words) == sorted(theirs):
            return 1
        return _word_slips(words, theirs)
    # A dot too many or too few: min.in.sync.replicas, log.retentionms.
    if _squeezed(words, theirs):
        return 2
    if len(words) >= 2 and len(theirs) == len(words) + 1 and theirs[:-1] == words:
        return 6 if theirs[-1] in _ENDINGS and len(words) >= 3 else None
    return None


def _squeezed(words: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    joined = "".join(words)
    return len(joined) > 7 and joined == "".join(theirs)


def _word_slips(words: tuple[str, ...], theirs: tuple[str, ...]) -> int | None:
    total = 0
    for mine, other in zip(words, theirs, strict=True):
        if mine != other:
            # One letter in a short word makes another word (min, max; acks, tasks).
            limit = 0 if len(other) < 4 else 1 if len(other) < 6 else 2
            if mine[0] != other[0] and len(other) < 6:
                limit = 0
            apart = _distance(mine, other, limit)
            if apart > limit and not _plural(mine, other):
                return None
            total += min(apart, 1 + limit)
    # logs.dir is log.dirs rather than log.dir: the same letters in other places.
    if sorted("".join(words)) == sorted("".join(theirs)):
        total -= 2
    # A word alone is too little to go by: retry need not mean retries.
    return 2 + total if total <= (3 if len(words) > 1 else 1) else None


def namesakes(name: str, given: Iterable[str]) -> list[str]:
    """The names that people gave to things of which a name can only be a slip.

    Things are numbered and come in pairs: what differs in a digit or in how a word begins is
    another one (core-1 and core-2, internal and external), and of short words that differ in one
    letter both may be meant (date and data).
    """
    return sure(name, [one for one in given if one != name and _akin(name, one)])


#: Words that people put behind the name of a cluster to say what it is.
_KINDS = ("cluster", "kafka", "connect", "kafka-cluster", "kafka-connect", "connect-cluster")


def relabelled(name: str, given: Iterable[str]) -> list[str]:
    """The names that a label means which is none of them: slips, and names with their kind more or
    less (``core-kafka`` for ``core``)."""
    others = [one for one in given if one != name]
    more = {f"{name}-{kind}" for kind in _KINDS}
    kinds = [one for one in others if one in more or any(f"{one}-{k}" == name for k in _KINDS)]
    return kinds or namesakes(name, others)


def _akin(one: str, other: str) -> bool:
    """Whether two names have the digits and the beginnings of their words in common."""
    if _digits(one) != _digits(other) or one[:1] != other[:1]:
        return False
    words, theirs = tokens(one), tokens(other)
    return len(words) != len(theirs) or all(map(_one_word, words, theirs))


def _one_word(one: str, other: str) -> bool:
    """Whether one of two words can only be a slip of the other."""
    long = min(len(one), len(other)) >= _LONG
    return one == other or (one[0] == other[0] and (long or _plural(one, other)))


def _digits(name: str) -> str:
    return "".join(filter(str.isdigit, name))


def _plural(one: str, other: str) -> bool:
    """Another form of one word, also of a short one: id and ids, enable and enabled, policies."""
    return other in _forms(one) or one in _forms(other)


def _forms(word: str) -> tuple[str, ...]:
    return word + "s", word + "d", word[:-1] + "ies" if word.endswith("y") else word


def guesses(key: str, known: Iterable[str]) -> list[str]:
    """The keys that differ by a word left out, put in or put in another's place, best first."""
    words = tokens(key)
    if len(words) < 2:
        return []
    scored: list[tuple[int, str]] = []
    for size, shelf in _shelves(known).items():
        if size > len(words) + 1:
            continue
        for candidate, theirs in shelf:
            score = _kin(words, theirs)
            if score is not None:
                scored.append((score, candidate))
    return _best(scored)


def _kin(words: tuple[str, ...], theirs: tuple[str, ...]) -> int | None:
    if len(theirs) == len(words) + 1:
        if len(words) == 2 and theirs[:2] != words:
            return None
        return 0 if _without_one(theirs, words) else None
    if len(words) == len(theirs) + 1 and len(theirs) >= 3:
        return 1 if _without_one(words, theirs) else None
    if len(words) == len(theirs) and len(words) >= 3:
        apart = [i for i, mine in enumerate(words) if mine != theirs[i]]
        if len(apart) == 1:
            mine, other = words[apart[0]], theirs[apart[0]]
            # A word that goes on: offsets.topicDatabase.replication.factor.
            return 0 if mine.startswith(other) or other.startswith(mine) else 2
    if len(words) > len(theirs) >= 4 and words[0] == theirs[0] and words[-1] == theirs[-1]:
        rest = iter(words)
        return 3 if len(words) - len(theirs) == 2 and all(t in rest for t in theirs) else None
    return None


def _without_one(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    """Whether the longer name is the shorter one with one word more, wherever it stands."""
    at = 0
    while at < len(shorter) and _alike(longer[at], shorter[at]):
        at += 1
    return all(map(_alike, longer[at + 1 :], shorter[at:]))


def _alike(one: str, other: str) -> bool:
    return one == other or (len(one) > 3 and _distance(one, other, 1) <= 1)


def _best(scored: list[tuple[int, str]]) -> list[str]:
    """The candidates with the lowest score, the shortest first; none where they are too many."""
    best = min(scored, default=(0, ""))[0]
    found = [candidate for score, candidate in scored if score == best]
    return sorted(found, key=lambda key: (len(key), key)) if len(found) <= _MOST else []

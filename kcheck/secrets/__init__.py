"""What may not be shown: passwords, keys and tokens, wherever a value or a source line is printed.

The one owner of secrecy. A key is secret by its name (``names``), a text by what it gives away
(``evidence``); what is nested in a text is found by reading it (``scrubber``). Every output passes
through here: whatever shows a value asks ``shown``, a sentence or a name ``scrubbed``, lines of a
file ``spans_of_lines``.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.secrets.names import is_secret
from kcheck.secrets.places import merged
from kcheck.secrets.signs import CHUNK, borne, reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model import Setting

__all__ = [
    "HIDDEN",
    "is_secret",
    "keeps",
    "merged",
    "reach",
    "replaced",
    "scrubbed",
    "shown",
    "spans",
]
__all__ += ["spans_of_lines", "texts", "without"]

HIDDEN = "[hidden]"

#: Shorter secrets are hidden where they stand, but not searched for in sentences.
_LEAST = 4

#: What sentences begin with: the kind of a resource, which is no secret even where somebody made
#: it a password.
_KINDS = frozenset(
    {"admin", "broker", "client", "cluster", "connector", "consumer", "controller", "producer"}
    | {"schema", "service", "streams", "topic", "user", "worker"}
)


def keeps(setting: Setting) -> bool:
    """Whether a setting holds a secret: by its key, or by the name that it has in its file."""
    return is_secret(setting.key) or (setting.name != setting.key and is_secret(setting.name))


def shown(key: str, text: str | None, *others: str) -> str | None:
    """The text of a setting as it may be shown; None and the empty text stay.

    ``others`` are more names of it: the one in its file, the key that it was converted from.
    """
    if not text:
        return text
    if is_secret(key) or (others and any(map(is_secret, others))):
        return text if _is_said(text) else HIDDEN
    if key.startswith("user_") and text[0] in "\"'":
        # A line that fell out of a JAAS text.
        return HIDDEN
    return scrubbed(text)


def _is_said(text: str) -> bool:
    from kcheck.secrets import evidence

    return evidence.is_said(text)


def scrubbed(text: str, prose: bool = False) -> str:
    """The text without its secrets: of URLs, of names and values, of keys in PEM, of tokens.

    In ``prose`` a colon after a word is punctuation; elsewhere it may part a key and its value.
    """
    found = spans(text, prose)
    return replaced(text, found) if found else text


def replaced(text: str, found: Sequence[tuple[int, int]]) -> str:
    """The text with ``[hidden]`` in place of each of the spans, which are sorted and apart."""
    parts: list[str] = []
    done = 0
    for start, end in found:
        parts += (text[done:start], HIDDEN)
        done = end
    return "".join((*parts, text[done:]))


def spans(text: str, prose: bool = False) -> list[tuple[int, int]]:
    """(start, end) of every secret that can be told by its surroundings, sorted and apart."""
    if len(text) < CHUNK and text.replace("-", "").replace(".", "").replace("_", "").isalnum():
        return []  # most values are a number or a word
    if not borne(text, prose):
        return []
    from kcheck.secrets import scrubber

    return scrubber.spans(text, prose)


def spans_of_lines(lines: Sequence[str], first: int, end: int) -> list[list[tuple[int, int]]]:
    """The spans of each of the lines from ``first`` up to ``end``, read in one with each other."""
    from kcheck.secrets import scrubber

    return scrubber.spans_of_lines(lines, first, end)


def texts(key: str, text: str | None) -> list[str]:
    """The secrets in a setting that must not turn up in a sentence: its text, passwords inside."""
    if not text:
        return []
    found = [text[start:end] for start, end in spans(text)]
    if is_secret(key) and not _is_said(text):
        found.append(text.strip())
    if not found:
        return found
    users = _users(text) if "user" in text else ()
    return [
        secret
        for secret in dict.fromkeys(found)
        if len(secret) >= _LEAST and not (secret in users and is_word(secret))
    ]


def is_word(secret: str) -> bool:
    """Whether a secret is a word, which may stand anywhere and mean something else."""
    return secret.isalpha()


def _users(text: str) -> set[str]:
    """Who logs in by a JAAS text: whoever chose his name as password has it told as a name."""
    import re

    return {
        name or user
        for name, user in re.findall(r"""username\s*=\s*\\?["']?([\w.-]+)|\buser_([\w.-]+)""", text)
    }


def without(sentence: str, secrets: Sequence[str]) -> str:
    """The sentence with every occurrence of the secrets hidden, the longest first."""
    held = [secret for secret in secrets if secret in sentence]
    for secret in sorted(held, key=len, reverse=True):
        sentence = _cut(sentence, secret)
    return sentence


def _cut(sentence: str, secret: str) -> str:
    """Hide a secret; one that is an ordinary word stays inside longer words.

    Who chose ``password`` as a password should still be able to read ``ssl.key.password``.
    """
    word = secret.isalpha()
    parts: list[str] = []
    done = 0
    at = sentence.find(secret, 1 if secret in _KINDS else 0)
    while at >= 0:
        end = at + len(secret)
        if not (word and (_in_word(sentence, at - 1) or _in_word(sentence, end))):
            parts += (sentence[done:at], HIDDEN)
            done = end
        at = sentence.find(secret, end)
    return "".join((*parts, sentence[done:]))


def _in_word(sentence: str, at: int) -> bool:
    if not 0 <= at < len(sentence):
        return False
    char = sentence[at]
    if char == "." and (at + 1 == len(sentence) or sentence[at + 1] == " "):
        return False
    return char.isalnum() or char in "_.-"

"""What may not be shown: passwords, keys and tokens, wherever a value or a source line is printed.

A secret is known by its key's name, whatever file or plane it stands in; the names cover every key
of type password in the catalogue (a test holds that). Texts are searched too: a URL may hold a
password, a JAAS line holds several.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.remembered import Remembered

HIDDEN = "[hidden]"

#: A key whose last part ends so holds a secret: ``ssl.key.password``, ``clientSecret``, ``api_token``.
_ENDS = (
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "credential",
    "credentials",
    "apikey",
    "jaas",
    "accountkey",
    "accesskey",
    "privatekey",
)
_SUFFIXES = (
    "jaas.config",
    "user.info",
    "userinfo",
    "truststore.certificates",
    "keystore.certificate.chain",
    "credentials.json",
    "key.pem",
    "secret.key",
    "secret.access.key",
    "private.key",
    "master.key",
    "account.key",
    "access.key",
    "api.key",
    "encryption.key",
    "license",
)
#: A part that starts with ``secret`` makes a key one, unless its last part names something public.
_PUBLIC = frozenset(
    {"class", "type", "location", "path", "file", "name", "enabled", "url", "uri", "provider"}
)

#: Shorter secrets are hidden where they stand, but not searched for in sentences.
_LEAST = 4

#: What sentences begin with: the kind of a resource, which is no secret even where somebody made
#: it a password.
_KINDS = frozenset(
    {"admin", "broker", "client", "cluster", "connector", "consumer", "controller", "producer"}
    | {"schema", "service", "streams", "topic", "user", "worker"}
)

_keys: dict[str, bool] = Remembered(20_000)


def is_secret(key: str) -> bool:
    """Whether the key (Kafka's, a connector's or a variable of the environment) holds a secret."""
    known = _keys.get(key)
    if known is None:
        known = _keys[key] = _judge(key.lower().replace("_", ".").replace("-", "."))
    return known


def _judge(key: str) -> bool:
    parts = key.split(".")
    last = parts[-1]
    if last.endswith(_ENDS) or key.endswith(_SUFFIXES):
        return True
    if last == "key" and any(part.startswith("ssl") for part in parts):
        return True
    return last not in _PUBLIC and any(part.startswith("secret") for part in parts[:-1])


def shown(key: str, text: str | None) -> str | None:
    """The text of a setting as it may be shown; None and the empty text stay."""
    if not text:
        return text
    return HIDDEN if is_secret(key) else scrubbed(text)


def scrubbed(text: str, prose: bool = False) -> str:
    """The text without passwords in URLs and without what follows ``password=`` and its like.

    In ``prose`` a colon after a word is punctuation; elsewhere it may part a key and its value.
    """
    found = spans(text, prose)
    return replaced(text, found) if found else text


def replaced(text: str, found: list[tuple[int, int]]) -> str:
    """The text with ``[hidden]`` in place of each of the spans, which are sorted and apart."""
    parts: list[str] = []
    done = 0
    for start, end in found:
        parts += (text[done:start], HIDDEN)
        done = end
    return "".join((*parts, text[done:]))


def spans(text: str, prose: bool = False) -> list[tuple[int, int]]:
    """(start, end) of every secret that can be told by its surroundings, sorted and apart."""
    found: list[tuple[int, int]] = []
    if "://" in text and "@" in text:
        found += _in_urls(text)
    if ("=" in text or ":" in text) and _may_name_a_secret(text.lower()):
        found += _assigned(text, prose)
    return merged(found) if found else found


def _may_name_a_secret(text: str) -> bool:
    """A cheap look before the regular expression: every name of a secret holds one of these."""
    return (
        "passw" in text
        or "key" in text
        or "secret" in text
        or "user" in text
        or "token" in text
        or "jaas" in text
        or "credential" in text
        or "passphrase" in text
        or "pwd" in text
        or "license" in text
    )


def merged(found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans sorted, those that touch or overlap made one."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        elif end > start:
            result.append((start, end))
    return result


def _in_urls(text: str) -> list[tuple[int, int]]:
    """Passwords of ``scheme://user:password@host``; they may hold any character but blanks.

    By hand, because a regular expression takes time without end for a hostile line.
    """
    found: list[tuple[int, int]] = []
    done = 0
    at = text.find("@")
    while at >= 0:
        start = max(text.rfind(blank, done, at) for blank in _BLANKS) + 1 or done
        scheme = text.find("://", start, at)
        if scheme >= 0:
            colon = text.find(":", scheme + 3, at)
            if colon >= 0 and "/" not in text[scheme + 3 : colon]:
                port, slash, _ = text[colon + 1 : at].partition("/")
                if not (slash and port.isdigit()):  # that is a host and a path with an @
                    found.append((colon + 1, at))
        elif found and found[-1][1] == done - 1 and start == done and "/" not in text[done:at]:
            found[-1] = (found[-1][0], at)
        done = at + 1
        at = text.find("@", done)
    return found


_BLANKS = " \t\n\"',"


def _assigned(text: str, prose: bool) -> list[tuple[int, int]]:
    """Values of ``name=value`` and ``name: value`` inside a line, a JAAS text, a query string."""
    import re

    found: list[tuple[int, int]] = []
    colon = r":(?=[\"'])" if prose else r":\s+|:(?=[\"'])"
    value = r""""[^"]*"?|'[^']*'?|[^\s"',;&}\])]+"""
    # Bounded and possessive: a line of a hostile file may be megabytes long.
    pattern = rf"""(?<![\w.-])([\w.-]++)["']?\s*(=\s*|{colon})({value})"""
    for match in re.finditer(pattern, text):
        name = match.group(1)
        if name.lower().endswith(("jaas.config", "jaas_config")):
            return [*found, (match.start(3), len(text))]
        # PLAIN and SCRAM servers list their users as user_NAME="password".
        if not is_secret(name) and not name.startswith("user_"):
            continue
        start, end = match.span(3)
        if text[start] in "\"'":
            closed = end - start > 1 and text[end - 1] == text[start]
            start, end = start + 1, end - closed
        if not text.startswith(HIDDEN, start):
            found.append((start, end))
    return found


def texts(key: str, text: str | None) -> list[str]:
    """The secrets in a setting that must not turn up in a sentence: its text, passwords inside."""
    if not text:
        return []
    found = [text[start:end] for start, end in spans(text)]
    if is_secret(key):
        found.append(text.strip())
    if not found:
        return found
    return [secret for secret in dict.fromkeys(found) if len(secret) >= _LEAST]


def without(sentence: str, secrets: Sequence[str]) -> str:
    """The sentence with every occurrence of the secrets hidden, the longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        if secret in sentence:
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

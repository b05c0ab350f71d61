"""Secrecy by name: which keys hold a secret, whatever file or plane they stand in.

Kafka's keys, a connector's, a tool's and variables of the environment are judged alike, and so are
their misspellings: whoever writes ``ssl.keystore.pasword`` means a password.
"""

from __future__ import annotations

import itertools

from kcheck.bounded_cache import BoundedCache

#: A key whose last word ends so holds a secret: ``ssl.key.password``, ``clientSecret``, ``api_token``.
_ENDS = (
    "password",
    "passwords",
    "passwd",
    "passwds",
    "passphrase",
    "passcode",
    "passkey",
    "pass",
    "pword",
    "pswd",
    "pwd",
    "pwds",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "jaas",
    "jaasconfig",
    "accountkey",
    "accesskey",
    "privatekey",
    "secretkey",
    "signingkey",
    "encryptionkey",
    "userinfo",
)
#: As the last words of a key.
_SUFFIXES = (
    ".pw",
    "jaas.config",
    "user.info",
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
    "api.keys",
    "auth.key",
    "encryption.key",
    "decryption.key",
    "signing.key",
    "shared.key",
    "hmac.key",
    "license.key",
    "confluent.license",
    "authorization.header",
    "auth.header",
    "session.cookie",
)
#: Words that end like a secret's.
_INNOCENT = frozenset(
    {"bypass", "compass", "trespass", "surpass", "oldpwd"}
    # What refers to secrets by name.
    | {"imagepullsecrets", "imagepullsecret", "pullsecrets", "pullsecret"}
)
#: Last words that say in which form a secret stands, and leave it one.
_FORMS = frozenset(
    {
        "value",
        "default",
        "new",
        "old",
        "previous",
        "current",
        "base64",
        "b64",
        "base",
        "b",
        "encoded",
    }
    | {"encrypted", "plain", "plaintext", "text", "string", "literal", "override"}
)
#: Last words that no secret's name ends with, however misspelt: ``credentials.source``, ``token.url``.
_HARMLESS = (
    "acks acls age alg algorithm algorithms alias alive arn assignor assignors aud audience "
    "backlog batch broker brokers bytes chains class classes cluster cmd codec command commit "
    "connect consumer controllers converter count database days delay depth deserializer dir "
    "dirs disable enable enabled env exclude factor field fields file files format formats "
    "from group groups handler headers host hostname hosts hours id idempotence ids "
    "image implementation in include inner instances interval iss issuer iterations jitter "
    "kind label level limit linger listener listeners location lookup mapping max mechanism "
    "mechanisms memory message messages metrics min minutes mode ms name names namespace num "
    "offset offsets on operations option options parallelism partition partitions path "
    "plugins policy poll port ports predicate prefix principal producer properties protocol "
    "protocols provider providers push query quota rack rate ratio records ref region relogin "
    "replicas reporter reporters requests reset retention retries role roles rules s samples "
    "scope sec seconds separator serde serializer server servers service sessions set size "
    "source storage store strategy suites table tables tags task tasks threads time timeout "
    "timezone tolerance topic topics transforms ttl type types unit uri url urls use user "
    "username users version volume volumes window workers zone "
)
_PUBLIC = frozenset(_HARMLESS.split())

#: Names of secrets that are known in spite of misspellings, and how many edits each may be away.
#: They are compared with a key's end, words run together. Short ones bear little: ``cluster.info``
#: is two edits away from ``user.info``.
_ALIKE = (
    ("password", 2),
    ("passphrase", 2),
    ("passwd", 1),
    ("credential", 2),
    ("credentials", 2),
    ("clientsecret", 2),
    ("encodersecret", 2),
    ("jaasconfig", 1),
    ("sasljaasconfig", 2),
    ("privatekey", 2),
    ("secretkey", 2),
    ("secretaccesskey", 2),
    ("accesskey", 1),
    ("accountkey", 1),
    ("masterkey", 1),
    ("tokenmasterkey", 2),
    ("encryptionkey", 2),
    ("keystorekey", 2),
    ("keystorecertificatechain", 2),
    ("truststorecertificates", 2),
    ("authuserinfo", 2),
    ("authorizationheader", 2),
    ("accesstoken", 2),
    ("authtoken", 1),
    ("bearertoken", 2),
)
#: The same for a key's last word alone.
_WORDS = (("secret", 2), ("secrets", 2), ("token", 1), ("passwd", 1), ("apikey", 1))
#: Words that are one of those for none but who counts edits.
_REAL = frozenset(
    {"secure", "secured", "socket", "sockets", "second", "seconds", "section", "select", "sector"}
    | {"server", "servers", "segment", "segments", "taken", "broken", "strict", "recent"}
)
_LONGEST = max(len(name) for name, _ in _ALIKE) + 2

#: What has been judged; bounded, for whoever reads file after file.
_MOST = 65536
_keys: dict[str, bool] = BoundedCache(_MOST)


def is_secret(key: str) -> bool:
    """Whether the key (Kafka's, a connector's or a variable of the environment) holds a secret."""
    known = _keys.get(key)
    if known is None:
        known = _keys[key] = _judge(key)
    return known


def _judge(key: str) -> bool:
    plain = key.lower().replace("_", ".").replace("-", ".")
    parts = plain.split(".")
    # Numbered variants: client.passwords.2, password1.
    while len(parts) > 1 and (not parts[-1] or parts[-1].isdecimal()):
        parts.pop()
    parts[-1] = parts[-1].rstrip("0123456789") or parts[-1]
    if _exact(parts):
        return True
    if parts[-1] in _FORMS and len(parts) > 1 and _exact(parts[:-1]):
        return True
    return parts[-1] not in _PUBLIC and _alike(parts, key)


def _exact(parts: list[str]) -> bool:
    last = parts[-1]
    if last in _INNOCENT:
        return False
    if last == "key":
        if any(part.startswith("ssl") for part in parts):
            return True
    elif last.endswith(_ENDS) or last == "pw":
        return True
    return ".".join(parts[-4:]).endswith(_SUFFIXES)


def _alike(parts: list[str], key: str) -> bool:
    """Whether the key's end is a misspelt name of a secret."""
    last = parts[-1]
    # Words may be told by capitals alone.
    at = _last_capital(key)
    capital = key[at:].lower() if at else ""
    if capital in _PUBLIC or last in _INNOCENT:
        return False
    if _word(last) or (capital and _word(capital)):
        return True
    if len(parts) > 1 and distance("".join(parts[-2:]), "userinfo", 1) <= 1:
        return True
    if len(parts) > 1 and parts[-2] == "jaas" and distance(last, "config", 2) <= 2:
        return True
    if len(parts) > 1 and _exact(parts[:-1]):
        # What follows on a secret's name in full is a word of its own: secret.santa.
        both = "".join(parts[-2:])
        return any(
            distance(last, name, edits) <= edits or distance(both, name, edits) <= edits
            for name, edits in _ALIKE
        )
    tail = "".join(parts)[-_LONGEST:].rjust(_LONGEST)
    for name, edits, pieces in _alike_pieces():
        for piece, first, end in pieces:
            if tail.find(piece, first, end) >= 0:
                if _ends_like(tail.lstrip(), name, edits):
                    return True
                break
    return False


def _last_capital(key: str) -> int:
    at = len(key) - 1
    least = max(0, at - _LONGEST)
    while at > least and not ("A" <= key[at] <= "Z" and "a" <= key[at - 1] <= "z"):
        at -= 1
    return at if at > least else 0


def _word(word: str) -> bool:
    """Whether a word is one of ``_WORDS`` or a misspelling of it."""
    if not 4 <= len(word) <= 9 or word in _REAL:
        return False
    letters = frozenset(word)
    for name, edits in _WORDS:
        # The first letter is seldom wrong, and tells most other words apart.
        most = edits if name[0] == word[0] else 1
        if len(frozenset(name) - letters) <= most and distance(word, name, most) <= most:
            return True
    return False


_pieces: list[tuple[str, int, list[tuple[str, int, int]]]] = []


def _alike_pieces() -> list[tuple[str, int, list[tuple[str, int, int]]]]:
    """The names of ``_ALIKE`` in one piece more than edits, and where in the tail each may stand.

    At least one of them stands near its place in whatever is alike.
    """
    if not _pieces:
        for name, edits in _ALIKE:
            size = len(name)
            cuts = [size * at // (edits + 1) for at in range(edits + 2)]
            start = _LONGEST - size
            places = [
                (name[a:b], max(0, start + a - edits), start + b + edits)
                for a, b in itertools.pairwise(cuts)
            ]
            _pieces.append((name, edits, places))
    return _pieces


def _ends_like(tail: str, name: str, edits: int) -> bool:
    """Whether some end of the tail is within so many edits of the name."""
    size = len(name)
    return any(
        distance(tail[-length:], name, edits) <= edits
        for length in range(max(1, size - edits), min(len(tail), size + edits) + 1)
    )


def distance(one: str, other: str, most: int) -> int:
    """Edits from one word to the other: letters put in, left out, changed, or two swapped.

    Gives up with a number above ``most``.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, 1):
        last, row_before = row, before
        row = [i]
        for j, wanted in enumerate(other, 1):
            if char == wanted:
                cost = last[j - 1]
            else:
                cost = 1 + min(last[j - 1], last[j], row[j - 1])
                if (
                    row_before
                    and j > 1
                    and char == other[j - 2]
                    and one[i - 2] == wanted
                    and row_before[j - 2] + 1 < cost
                ):
                    cost = row_before[j - 2] + 1
            row.append(cost)
        if min(row) > most and min(last) > most:
            return most + 1
        before = last
    return row[-1]

"""Whether a text bears any sign of a secret: a quick look, by hand, before it is read.

Most lines and sentences bear none. Reading them as ``scrubber`` does takes regular expressions,
and to make those takes longer than to lint a small file.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.bounded_cache import BoundedCache
from kcheck.secrets.names import is_secret

#: How tokens begin that say what they are.
MARKS = (
    *("AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox"),
    *("AIza", "sk_live_", "hvs.", "hvb.", "npm_", "dckr_pat_", "SG.", "dapi", "eyJ", "cflt"),
)
#: What announces a token.
_SCHEMES = frozenset(
    {"basic", "bearer", "digest", "negotiate", "token", "splunk", "sharedaccesssignature"}
    | {"aws4-hmac-sha256", "api-key", "apikey"}
)
#: Names that are a secret's only behind ``?`` or ``&`` of a URL.
QUERY = frozenset({"sig", "signature", "key", "auth", "code", "sas", "jwt", "hmac", "credential"})
_LOGINS = frozenset({"-u", "-U", "--user", "--proxy-user", "--basic"})
#: Names of what stands beside a name: ``{name: DB_PASSWORD, value: …}``.
_BESIDE = ("value", "default", "plaintext", "Value", "Default")

#: From this length on letters and digits may be a token.
CHUNK = 14

_PARTING = {ord(char): " " for char in "!\"#$%&'()*+,/:;<=>?@[\\]^`{|}~\n\r\t"}


#: What was asked before: most texts of a report are in it more than once.
_borne: dict[tuple[str, bool], bool] = BoundedCache(2_000)


def borne(text: str, prose: bool = False) -> bool:
    """Whether the text may hold a secret. In ``prose`` names of secrets are words like others."""
    asked = (text, prose)
    found = _borne.get(asked)
    if found is None:
        found = _borne[asked] = _bears(text, prose)
    return found


def _bears(text: str, prose: bool) -> bool:
    if "@" in text and ("://" in text or "jdbc:" in text):
        return True
    if "-----BEGIN " in text or _is_marked(text):
        return True
    asks = "=" in text and ("?" in text or "&" in text)
    named = not prose or "=" in text or ":" in text or "--" in text
    for word in text.translate(_PARTING).split():
        if len(word) >= CHUNK and _holds_token(word):
            return True
        lower = word.lower()
        if lower in _SCHEMES or word in _LOGINS or (asks and _in_query(lower)):
            return True
        if named and len(word) > 1 and (is_secret(word.strip("-._")) or _is_of_jaas(lower)):
            return True
    return False


def _is_marked(text: str) -> bool:
    for mark in MARKS:  # noqa: SIM110  a generator takes three times as long
        if mark in text:
            return True
    return False


def _in_query(lower: str) -> bool:
    return lower in QUERY or "signature" in lower


def _is_of_jaas(lower: str) -> bool:
    return lower.startswith("user_") or lower.endswith("authorization")


def _holds_token(word: str) -> bool:
    parts = word.replace(".", " ").replace("_", " ").replace("-", " ").split()
    return any(len(part) >= CHUNK and is_random(part) for part in parts)


def is_random(chunk: str) -> bool:
    """Whether letters and digits follow on each other as chance has it, not as in words."""
    size = len(chunk)
    digits = sum(map(str.isdecimal, chunk))
    if size < 16 or not digits:
        return False
    pieces = 0
    before = ""
    for char in chunk:
        kind = "d" if char.isdecimal() else "u" if char.isupper() else "l"
        # A capital begins a word; it is none of its own.
        pieces += kind != before and (before, kind) != ("u", "l")
        before = kind
    if any(map(str.islower, chunk)) and any(map(str.isupper, chunk)):
        return pieces > (0.33 if size < 28 else 0.26 if size < 40 else 0.22) * size
    return size >= 24 and digits >= 3 and pieces > 0.2 * size


#: How far above a line something may begin that goes on in it.
_FAR = 64
#: Of those lines no more is looked at.
_CLIPPED = 2_000


def reach(lines: Sequence[str], at: int) -> bool:
    """Whether a line, or what begins above it and may go on in it, bears the sign of a secret."""
    line = lines[at]
    if borne(line):
        return True
    column = _indent(line)
    beside = any(word in line for word in _BESIDE)
    for above in range(at - 1, max(-1, at - 1 - _FAR), -1):
        other = lines[above][:_CLIPPED]
        near = at - above
        if other.startswith("kind:") and "Secret" in other:
            return True
        if "-----BEGIN " in other or "<<" in other or '"""' in other or "'''" in other:
            return True
        glued = other.rstrip("\r").endswith("\\")
        opens = near == 1 or glued or (beside and near <= 8)
        indent = _indent(other)
        if indent < column and other.strip():
            column = indent
            opens = True
        if opens and borne(other):
            return True
    return beside and any(map(borne, lines[at + 1 : at + 5]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t-")) if line[:1] in (" ", "\t", "-") else 0

"""Secrecy by evidence: what the text of a value gives away, whatever its key is called.

What goes in is a text of any length, what comes out are spans of it; nothing here takes more than
a few passes over the text.
"""

from __future__ import annotations

from kcheck.secrets.patterns import Lazy
from kcheck.secrets.places import Span
from kcheck.secrets.signs import MARKS, is_random

#: What is said instead of a secret, or is filled in by something else; it hides nothing.
_FILLED = r"""(?: \$\{? [A-Za-z_][\w.]* :?-? \}?
    | \$\{ (?:env|file|dir|directory|vault|secret|secrets|secretsmanager|ssm|strimzi) : [^{}"']* \}
    | \{\{ [^{}"'()]* \}\}
    | \$\( \w+ \)
    | %\{? \w+ [%}]
    | <[\w. -]+> )"""
#: The words of listeners' security stand behind names that are anybody's choice; what Kafka's own
#: tools print for a secret is ``null sensitive=true``.
_SAID = Lazy(
    rf"""(?ix) true | false | null | ~ | [*]+ | x{{3,}}
    | \[hidden\] | \[redacted\] | <hidden> | <redacted>
    | (?:sasl_)?(?:plaintext|ssl) (?: ,[\w.-]+:(?:sasl_)?(?:plaintext|ssl) )* | null [ ] sensitive=true .*
    | {_FILLED} (?: [:,/ -]? {_FILLED})*"""
)


def is_said(text: str) -> bool:
    """Whether a text is no secret itself: a placeholder, a switch, or nothing."""
    text = text.strip(" \t\r\n\"'\\;,")
    return not text or _SAID().fullmatch(text) is not None


# -- URLs -----------------------------------------------------------------------------------

#: What ends a URL inside of a text.
_URL_END = Lazy(r"""[\s"'<>`]""")
_SCHEME = Lazy(r"[A-Za-z][A-Za-z0-9+.-]{0,30}\Z")
#: What parts the hosts of a URL from its path.
_PATH = Lazy(r"[/?#]")
_ORACLE = Lazy(r"jdbc:oracle:\w{1,10}:[^\s/@\"']{1,256}/")


def in_urls(text: str) -> list[Span]:
    """Passwords and tokens of ``scheme://user:password@host``, also of several hosts in one URL.

    A password may hold any character but blanks and quotes.
    """
    found: list[Span] = []
    at = text.find("://")
    while at >= 0:
        start = at + 3
        following = text.find("://", start)
        ended = _URL_END().search(text, start, following if following >= 0 else len(text))
        end = ended.start() if ended else len(text)
        if ended is None and following >= 0:
            scheme = _SCHEME().search(text, max(start, following - 31), following)
            end = scheme.start() if scheme else following
        if text.find("@", start, end) >= 0:
            found += _of_hosts(text, start, end)
        at = following
    if "jdbc:oracle:" in text:
        for match in _ORACLE().finditer(text):
            stop = text.find("@", match.end(), match.end() + 256)
            if stop >= 0:
                found.append((match.end(), stop))
    return found


def _of_hosts(text: str, start: int, end: int) -> list[Span]:
    """The secrets before the ``@`` of the hosts between the scheme and the end of a URL."""
    slash = _PATH().search(text, start, end)
    path = slash.start() if slash else end
    last = text.rfind("@", start, path)
    if last < 0:
        # Where no @ comes before the first slash, it is one of the password, or of the path.
        colon = text.find(":", start, path)
        if colon < 0 or text[colon + 1 : path].isdecimal():
            return []
        last = text.rfind("@", start, end)
    found: list[Span] = []
    while start < last:
        at = text.find("@", start, last + 1)
        if at < 0:
            break
        comma = text.find(",", at, last)
        stop = text.rfind("@", at, comma if comma >= 0 else last + 1)
        colon = text.find(":", start, stop)
        if colon >= 0:
            found.append((colon + 1, stop))
        elif _is_token(text[start:stop]):
            found.append((start, stop))
        start = (comma if comma >= 0 else last) + 1
    return found


def _is_token(user: str) -> bool:
    """Whether what stands alone before the ``@`` is no name of a user."""
    return len(user) >= 12 and any(map(str.isdigit, user)) and "." not in user


# -- tokens ---------------------------------------------------------------------------------

#: Tokens that say what they are by the way they begin.
_MARKED = Lazy(
    r"""(?x) (?<![A-Za-z0-9])
    (?: AKIA[0-9A-Z]{12,} | ASIA[0-9A-Z]{12,} | gh[pousr]_\w{10,} | github_pat_\w{10,}
    | glpat-[\w-]{10,} | xox[abeoprs]-[\w-]{8,} | AIza[\w-]{20,} | sk_live_\w{8,} | hv[sb]\.[\w-]{12,}
    | npm_\w{20,} | dckr_pat_[\w-]{10,} | SG\.[\w-]{10,}\.[\w-]{10,} | dapi[0-9a-f]{20,}
    | eyJ[\w-]{6,}(?:\.[\w-]+){1,2} | cflt[\w/+=-]{20,} )"""
)
#: ``Authorization: Basic dXNlcjpwYXNz`` and its like.
_SCHEMES = Lazy(
    r"(?i)\b(?:basic|bearer|digest|negotiate|apikey|api-key|token|splunk|"
    r"SharedAccessSignature|AWS4-HMAC-SHA256)[ \t]+([\w+/=.~:,&%-]{6,})"
)
_CHUNK = Lazy(r"[A-Za-z0-9]{14,}")
_AROUND = frozenset("+=_-")
#: What parts the letters that identify something, and are public: digests, ids, revisions.
_PUBLIC_NAME = Lazy(
    r"(?i)(?:id|ids|uuid|guid|digest|checksum|sha\d*|hash|fingerprint|thumbprint|revision|version|ref"
    r"|image|tag|commit|etag|integrity|arn|voters|sha256|sha512|md5)[\"']?(?:[,;]?\s*[\"']?value[\"']?)?\s*[=:@]\s*[\"']?[^\s\"',;]*\Z"
)
#: Kafka writes the ids of clusters, folders and topics with so many characters.
_KAFKA_ID = 22


def tokens(text: str) -> list[Span]:  # noqa: C901
    """What is a token by its look: by the way it begins, by what announces it, by its letters."""
    found: list[Span] = []
    if any(mark in text for mark in MARKS):
        found += [match.span() for match in _MARKED().finditer(text)]
    if " " in text or "\t" in text:
        for match in _SCHEMES().finditer(text):
            if not _plain(match.group(1)):
                found.append(match.span(1))
    done = 0
    for match in _CHUNK().finditer(text):
        start, end = match.span()
        if start < done or not is_random(match.group()):
            continue
        while start and text[start - 1] in _AROUND and start > match.start() - 40:
            start -= 1
        while end < len(text) and (text[end] in _AROUND or text[end].isalnum()):
            end += 1
        done = end
        while start < match.start() and text[start] in "=-":
            start += 1
        if end - start == _KAFKA_ID or _PUBLIC_NAME().search(text, max(0, start - 120), start):
            continue
        found.append((start, end))
    return found


def _plain(word: str) -> bool:
    """Whether a word is one of a language rather than a secret."""
    word = word.rstrip(".,:")
    return word.isalpha() and (word.islower() or word.istitle() or word.isupper())


# -- PEM ------------------------------------------------------------------------------------

_BEGIN = "-----BEGIN "


def pems(text: str) -> list[Span]:
    """What stands between the lines that begin and end a key or a certificate, those included."""
    found: list[Span] = []
    at = text.find(_BEGIN)
    while at >= 0:
        end = text.find("-----END ", at)
        if end >= 0:
            close = text.find("-----", end + 9, end + 80)
            end = close + 5 if close >= 0 else end + 9
        else:
            end = len(text)
        found.append((at, end))
        at = text.find(_BEGIN, end)
    return found

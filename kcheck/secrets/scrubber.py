"""The secrets inside of a text: a value, a sentence, a line or many lines of any format.

What is found are spans. A name that is no secret's hides nothing of what it is given: its value is
read on, as ``KAFKA_OPTS=-Djavax.net.ssl.keyStorePassword=…`` and a JAAS text in the values of a
chart are. Each text is read once from its beginning to its end, however hostile it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.secrets import evidence
from kcheck.secrets.names import is_secret
from kcheck.secrets.pairs import Pairs
from kcheck.secrets.patterns import Lazy
from kcheck.secrets.places import Span, merged

#: A flag of a command line and its value, also as two elements of a list.
_FLAG = Lazy(
    r"""(?<![^\s"'`(\[,=])(-{1,2}[A-Za-z][\w.-]*+)"""
    r"""(?=(?:[ \t]++|\\?["']?[ \t]*+,[ \t]*+(?=\\?["'])|["']?,?[ \t]*\n[ \t]*(?:-[ \t]+)?)"""
    r"""(?:\\?"([^"\n]++)|\\?'{1,2}+([^'\n]++)|([^\s"',-][^\s"']*+)))"""
)
#: ``-u user:password``.
_LOGIN = Lazy(
    r"""(?<![\w.-])(?:-u|-U|--user|--proxy-user|--basic)"""
    r"""(?:[ \t=]++|\\?["'][ \t]*+,[ \t]*+|\n[ \t]*-[ \t]+)\\?["']?([^\s:"',]++):([^\s"',]++)"""
)
#: How a flag begins that is not the first of a text.
_FLAGS = (" -", "\t-", "\n-", "'-", '"-', "`-", "(-", "[-", ",-", "=-")
_LOGINS = ("-u", "-U", "--user", "--proxy-user", "--basic")

#: Properties may part a name and its value by a blank, and so does ``ENV`` of a Dockerfile.
_BLANK = Lazy(r"""(?m)^(?:[ \t#]*+((?i:env|arg)[ \t]++)|[ \t]*+)([\w.-]++)[ \t]++([^\s=:].*)$""")
#: The data of a Kubernetes Secret, and what stands there in one line.
_MANIFEST = Lazy(r"""(?m)^kind:[ \t]*+["']?Secret["']?[ \t]*\r?$""")
_DATA = Lazy(r"""(?m)^(?:data|stringData):[ \t]*\r?\n((?:(?:[ \t]+[^\n]*+|[ \t\r]*)(?:\n|\Z))+)""")
_ENTRY = Lazy(r"""(?m)^[ \t]{1,4}["']?[\w.-]++["']?:[ \t]++(?![|>&*!])["']?([^\s"'][^\n"']*+)""")


def spans(text: str, prose: bool = False) -> list[Span]:
    """(start, end) of every secret of a text, sorted and apart.

    In ``prose`` a colon and a blank are punctuation; elsewhere they may part a key and its value,
    which then goes on to the line's end.
    """
    found = evidence.tokens(text) if len(text) > 11 else []
    if "://" in text or "jdbc:" in text:
        found += evidence.in_urls(text)
    if "-----BEGIN " in text:
        found += evidence.pems(text)
    if "=" in text or ":" in text:
        found += Pairs(text, prose).found
    if "-" in text:
        found += _flags(text, prose)
    if not prose and "kind" in text and "Secret" in text:
        found += _of_manifests(text)
    if not prose and (" " in text or "\t" in text):
        for match in _BLANK().finditer(text):
            told, name, value = match.groups()
            whole = told or "." in name or "_" in name
            if whole and is_secret(name) and not evidence.is_said(value):
                found.append(match.span(3))
    return merged(found) if found else found


#: What of a line says something about the lines around it.
_CLIPPED = 2_000


def spans_of_lines(lines: Sequence[str], first: int, end: int) -> list[list[Span]]:
    """The spans of each of the lines from ``first`` up to ``end``, read in one with each other.

    What begins above them is not seen; of a long line neither is its end.
    """
    clipped = [line[:_CLIPPED] for line in lines[first:end]]
    found: list[list[Span]] = [[] for _ in clipped]
    number, start = 0, 0
    for begin, stop in spans("\n".join(clipped)):
        while start + len(clipped[number]) < begin:
            start += len(clipped[number]) + 1
            number += 1
        at, below = number, start
        while below < stop:
            size = len(clipped[at])
            span = max(begin - below, 0), min(stop - below, size)
            # Of a line that is hidden as a whole its indentation stays.
            indent = len(clipped[at]) - len(clipped[at].lstrip()) if span[0] == 0 else 0
            if max(span[0], indent) < span[1]:
                found[at].append((max(span[0], indent), span[1]))
            below += size + 1
            at += 1
    return found


def _of_manifests(text: str) -> list[Span]:
    """The values of a Kubernetes Secret, whatever they are called; files in it are read on."""
    found: list[Span] = []
    start = 0
    while start < len(text):
        end = text.find("\n---", start)
        end = len(text) if end < 0 else end
        if _MANIFEST().search(text, start, end):
            for data in _DATA().finditer(text, start, end):
                for value in _ENTRY().finditer(text, *data.span(1)):
                    if not evidence.is_said(value.group(1)):
                        found.append(value.span(1))
        start = end + 1
    return found


def _flags(text: str, prose: bool) -> list[Span]:
    found: list[Span] = []
    flags = text[0] == "-" or any(mark in text for mark in _FLAGS)
    for match in _FLAG().finditer(text) if flags else ():
        flag = match.group(1)
        if prose and not flag.startswith("--"):
            continue
        value = match.lastindex or 0
        if is_secret(flag.lstrip("-")) and not evidence.is_said(match.group(value)):
            found.append(match.span(value))
    for match in _LOGIN().finditer(text) if any(flag in text for flag in _LOGINS) else ():
        user, password = match.groups()
        if not (user.isdecimal() and password.isdecimal()) and not evidence.is_said(password):
            found.append(match.span(2))
    return found

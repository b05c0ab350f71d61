"""Names and their values in a text of any format: the values that are secrets."""

from __future__ import annotations

import re

from kcheck.secrets import evidence
from kcheck.secrets.names import is_secret
from kcheck.secrets.patterns import Lazy
from kcheck.secrets.places import Span
from kcheck.secrets.signs import QUERY

#: A name and what parts it from its value, in any format: ``=``, ``:``, ``=>``, ``:=``, ``"a": b``.
_PAIR = Lazy(
    r"""(?<![\w.-])([\w.-]++)(?:\[[^\]\s]{0,40}\])?\\{0,3}["']?[ \t]*+(=>|[=:]++)([ \t]*+)"""
)
#: A header of HTTP with the scheme in front of the secret.
_HEADER = Lazy(
    r"""\\?["']?(?i:basic|bearer|digest|negotiate|token|apikey|splunk|aws4-hmac-sha256)"""
    r"""[ \t]++([^\s"'\\]++)"""
)
#: ``variable "db_password" {``: whose default and value stand below.
_LABEL = Lazy(r"""\bvariable[ \t]++"?([\w.-]++)"?[ \t]*+\{""")

#: What may stand on a line before a name whose value goes on to the line's end.
_LEAD = Lazy(r"""[\s"'+#>*!-]*(?:(?i:export|set|setx|env|arg|declare)[ \t]+|-e[ \t]+)?["']?""")
_INLINE_END = Lazy(r"""[\s"',;&}\])]""")
_FLAG_END = Lazy(r"""[\s"']""")
_QUERY_END = Lazy(r"""[\s"'&<>]""")
#: Where a block of text begins that goes on below: of YAML, of a heredoc.
_BLOCK = Lazy(r"""(?:![\w!/-]+[ \t]*)?[|>][-+\d]*[ \t]*(?:#.*)?$""")
_HEREDOC = Lazy(r"""<<[-~]?["']?(\w+)["']?[ \t]*$""")
_MAPPING = Lazy(r"""[ \t]*(?:-[ \t]+)?["']?[\w. /-]+["']?[ \t]*(?::(?:\s|$)|=|\{)""")

#: Names of users in a JAAS text are options: ``user_alice="…"``; these are no users.
_NO_USERS = frozenset(
    {"user_name", "user_id", "user_agent", "user_group", "user_data", "user_email", "user_role"}
)
#: A list of names and values: who names a secret here has it beside it.
_NAMING = frozenset(
    {"name", "key", "parameterkey", "parameter_key", "variable", "env", "parameter"}
)
_VALUING = frozenset({"value", "default", "parametervalue", "parameter_value"})
_BESIDE = 400
#: A block is not followed further than this.
_MOST = 20_000


def _goes_on(text: str, at: int) -> bool:
    """Whether a value goes on there, rather than that quotes have closed."""
    return text[at : at + 1] not in ("", "'", '"') and text[at] not in " \t\r\n,;:)}]"


class Pairs:
    """Reads names and their values in a text; ``found`` are the values that are secrets."""

    def __init__(self, text: str, prose: bool) -> None:
        self._text = text
        self._prose = prose
        self.found: list[Span] = []
        #: The line that was reached.
        self._start = 0
        self._end = -1
        #: Where a secret was named whose value stands beside it; a value that nobody named yet.
        self._named = -_BESIDE
        self._other = 0
        self._loose: Span | None = None
        self._logins = "LoginModule" in text
        labels: list[int] = []
        if "variable" in text:
            labels = [m.end() for m in _LABEL().finditer(text) if is_secret(m.group(1))]
        at = 0
        while match := _PAIR().search(text, at):
            while labels and labels[0] <= match.start():
                self._named = labels.pop(0)
            at = max(match.end(), self._pair(match))

    def _pair(self, match: re.Match[str]) -> int:
        """Weigh a name and what follows on it; gives where to read on."""
        raw, sep, blank = match.groups()
        start, at = match.start(), match.end()
        if self._prose and blank and sep == ":" and self._text[at : at + 1] not in ("'", '"'):
            return at
        if sep == ":" and not blank and self._is_path(start, at):
            return at
        name = raw.strip("-.")
        lower = name.lower()
        query = start > 0 and self._text[start - 1] in "?&"
        if not query and (lower in _NAMING or lower in _VALUING):
            return self._beside(lower, match)
        lead = self._leads(start)
        if lower.endswith("authorization"):
            return self._authorization(match, lead)
        secret = is_secret(name) or (query and (lower in QUERY or "signature" in lower))
        if not secret and not self._login(lower, at):
            return at
        if lower.endswith(("jaas.config", "jaas_config", "jaas-config", "jaasconfig")):
            lead = True
        span = self._value(raw, match.end(), start, lead, query)
        if span is None:
            return at
        if not evidence.is_said(self._text[span[0] : span[1]]):
            self.found.append(span)
        return span[1]

    def _is_path(self, start: int, at: int) -> bool:
        """Whether a colon parts no name and value: of ``TOKEN://host``, of two paths."""
        if self._text.startswith("//", at):
            return True
        return self._text[at : at + 1] == "/" and self._text[start - 1 : start] == "/"

    def _login(self, lower: str, at: int) -> bool:
        """Whether a name is a user's in a JAAS text, or in a line of one that fell out of it."""
        if not lower.startswith("user_") or lower in _NO_USERS:
            return False
        return self._logins or self._text[at : at + 1] in ("\\", '"', "'")

    def _authorization(self, match: re.Match[str], lead: bool) -> int:
        """A header is a secret, but not the name of the authorizer that a product calls so."""
        header = _HEADER().match(self._text, match.end())
        if header:
            self.found.append(header.span(1))
            return header.end()
        span = self._value("", match.end(), match.start(), lead, False)
        if span is None:
            return match.end()
        said = self._text[span[0] : span[1]].strip()
        if any(map(str.isdecimal, said)) and not evidence.is_said(said):
            self.found.append(span)
            return span[1]
        return match.end()

    def _beside(self, lower: str, match: re.Match[str]) -> int:
        """Names and values that stand beside each other: ``{name: DB_PASSWORD, value: …}``."""
        at = match.end()
        lead = self._leads(match.start())
        span = self._value("", at, match.start(), lead, False)
        if span is None:
            return at
        said = self._text[span[0] : span[1]].strip(" \t\"'\\,")
        if lower in _NAMING:
            if re.fullmatch(r"[\w.-]{2,200}", said) and is_secret(said):
                self._named = span[1]
                if self._loose is not None and span[0] - self._loose[1] < _BESIDE:
                    self.found.append(self._loose)
            else:
                self._named = -_BESIDE
                self._other = span[1]
            self._loose = None
            return span[1] if self._named >= 0 else at
        if span[0] - self._named < _BESIDE:
            if not evidence.is_said(said):
                self.found.append(span)
            self._named = -_BESIDE
            return span[1]
        self._loose = span if span[0] - self._other > _BESIDE or not self._other else None
        self._other = 0
        return at

    # -- values -----------------------------------------------------------------------------

    def _leads(self, start: int) -> bool:
        """Whether a name is the first of its line, and its value all of the rest."""
        if self._prose:
            return False
        self._line(start)
        size = start - self._start
        return size <= 200 and _LEAD().fullmatch(self._text, self._start, start) is not None

    def _line(self, at: int) -> None:
        """Go on to the line with this place."""
        while at > self._end:
            if self._end >= 0:
                self._start = self._end + 1
            end = self._text.find("\n", max(self._start, 0))
            self._end = len(self._text) if end < 0 else end

    def _value(self, raw: str, at: int, start: int, lead: bool, query: bool) -> Span | None:  # noqa: C901
        """Where the value stands that begins at a place; None where others stand in it."""
        text = self._text
        self._line(at)
        quote = at
        while quote - at < 3 and text[quote : quote + 1] == "\\":
            quote += 1
        if text[quote : quote + 1] in ("'", '"'):
            return self._quoted(at, quote, start)
        first = text[at : at + 1]
        if first in ("{", "") or text.startswith("[hidden]", at):
            return None
        if first in "\r\n":
            return self._below(start) if first == "\n" or text[at + 1 : at + 2] == "\n" else None
        if first == "[":
            close = text.find("]", at, self._end)
            if close >= 0:
                return at + 1, close
            return self._below(start, True)
        if raw.startswith("-") and not raw.startswith("-e"):
            return at, self._until(_FLAG_END(), at)
        if query:
            return at, self._until(_QUERY_END(), at)
        if not lead:
            return at, self._until(_INLINE_END(), at)
        rest = text[at : min(self._end, at + 200)]
        if _BLOCK().match(rest):
            return self._below(start, True)
        heredoc = _HEREDOC().match(rest)
        if heredoc:
            close = text.find(heredoc.group(1), self._end)
            return self._end, close if close >= 0 else len(text)
        return at, self._continued(self._end)

    def _until(self, pattern: re.Pattern[str], at: int) -> int:
        ended = pattern.search(self._text, at)
        return ended.start() if ended else len(self._text)

    def _continued(self, end: int) -> int:
        """The end of a line, or of the last one that a backslash glues to it."""
        text = self._text
        while 1 < end < len(text) and text[end - 1] == "\\" and text[end - 2] != "\\":
            following = text.find("\n", end + 1)
            end = len(text) if following < 0 else following
        while end and text[end - 1 : end] in ("\r", "\\"):
            end -= 1
        return end

    def _quoted(self, at: int, quote: int, start: int) -> Span:
        """A value in quotes, which may be escaped themselves; open ones go on to the line's end."""
        text = self._text
        opener = text[at : quote + 1]
        first = quote + 1
        if len(opener) == 1 and text[first : first + 1] == opener and _goes_on(text, first + 1):
            # Quotes are doubled inside of others: of YAML, of a table.
            first += 1
        triple = opener * 3
        if len(opener) == 1 and text.startswith(triple, at):
            close = text.find(triple, at + 3)
            return at + 3, close if close >= 0 else len(text)
        end = self._end
        close = text.find(opener, first, end)
        while close >= 0:
            if len(opener) == 1:
                slashes = 0
                while text[close - 1 - slashes] == "\\" and close - 1 - slashes >= first:
                    slashes += 1
                if opener == '"' and slashes % 2:
                    close = text.find(opener, close + 1, end)
                    continue
                if text[close + 1 : close + 2] == opener and close > first:
                    close = text.find(opener, close + 2, end)
                    continue
            return first, close
        below = self._below(start, True)
        return first, max(self._continued(end), below[1] if below else 0)

    def _below(self, start: int, block: bool = False) -> Span | None:
        """The lines below a name that are indented more than it; None where they are a mapping."""
        text = self._text
        self._line(start)
        column = start - self._start
        if "#" in text[self._start : start]:
            return None
        begin = end = self._end
        first = True
        while end < len(text) and end - begin < _MOST:
            following = text.find("\n", end + 1)
            following = len(text) if following < 0 else following
            line = text[end + 1 : min(following, end + 400)]
            stripped = line.lstrip(" \t")
            indent = len(line) - len(stripped)
            if stripped.rstrip() and not (first and not block and stripped.startswith("#")):
                item = stripped.startswith("- ") and indent >= column and not block
                if indent <= column and not item:
                    break
                if first and not block and _MAPPING().match(stripped):
                    return None
                first = False
            end = following
        return (begin + 1, end) if not first else None

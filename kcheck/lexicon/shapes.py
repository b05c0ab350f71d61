"""Texts that Kafka reads by a grammar of its own: validators that are code and no bounds."""

from __future__ import annotations

from kcheck.catalogue import Fact
from kcheck.lexicon import protocols

RESETS = ("latest", "earliest", "none")

_HOST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-%._:[]/")
#: What people put between addresses, and behind the id of a voter.
_BETWEEN = frozenset("; @")
_LAST_PORT = 65_535


def refusal(fact: Fact, minor: str | None, text: str) -> str:
    """Why the key's own grammar does not take the text in that minor; "" where it does."""
    for word in fact.valid.split(" "):
        read = _READERS.get(word) or (_NAMELESS.get(fact.key) if word == "name:lambda" else None)
        if read is not None:
            return read(fact, minor, text)
    return ""


def _offset_reset(fact: Fact, minor: str | None, text: str) -> str:
    """auto.offset.reset since 4.0: three words or ``by_duration:`` and an ISO 8601 duration."""
    return _reset(RESETS, text)


def _share_reset(fact: Fact, minor: str | None, text: str) -> str:
    """A share group's: it always starts somewhere, so there is no ``none``."""
    return _reset(RESETS[:2], text)


def _reset(words: tuple[str, ...], text: str) -> str:
    if text in words:
        return ""
    if text.startswith("by_duration:"):
        rest = text[len("by_duration:") :].upper()
        if rest.startswith("P") and len(rest) > 2 and not set(rest) - set("PDTHMS.0123456789"):
            return ""
        return "has no duration such as PT1H after by_duration:"
    return f"is not one of {', '.join(words)}, by_duration:DURATION"


def _protocol(fact: Fact, minor: str | None, text: str) -> str:
    """A version of the protocol or of the message format: none that is newer than the broker."""
    release = minor if minor and fact.covers(minor) else fact.until
    if protocols.known(text, release):
        return ""
    return f"is not a protocol version of Kafka {release}" if text else "is empty"


def _throttled(fact: Fact, minor: str | None, text: str) -> str:
    """``*`` or ``PARTITION:BROKER,…``."""
    if text == "*":
        return ""
    for item in text.split(","):
        partition, _, broker = item.strip().partition(":")
        if item.strip() and not (partition.isdecimal() and broker.isdecimal()):
            return f"contains {item.strip()}, which is not partition:broker"
    return ""


def _voters(fact: Fact, minor: str | None, text: str) -> str:
    """``ID@HOST:PORT,…``."""
    for item in _items(text):
        voter, _, endpoint = item.partition("@")
        if not item:
            return "has an empty element"
        doubled = endpoint.startswith("@") and "@" not in endpoint[1:]
        if voter.removeprefix("-").isdecimal() and doubled:
            return f"contains {item}, which is not id@host:port"
        if _is_to_be_replaced(endpoint):
            return ""
        several = "@" in endpoint
        if several or not voter.removeprefix("-").isdecimal() or not _is_address(endpoint, minor):
            return f"contains {item}, which is not id@host:port"
    return ""


def _endpoints(fact: Fact, minor: str | None, text: str) -> str:
    """``HOST:PORT,…``."""
    for item in _items(text):
        if not item:
            return "has an empty element"
        if _is_to_be_replaced(item):
            return ""
        if not _is_address(item, minor):
            return f"contains {item}, which is not host:port"
    return ""


def _items(text: str) -> list[str]:
    """The entries of a list of addresses; none where the text stands in for one."""
    return [*map(str.strip, text.split(","))] if text and not _stands_in(text) else []


def _is_to_be_replaced(entry: str) -> bool:
    """Whether an entry is a placeholder or words, as far as its letters tell."""
    if "${" in entry:
        # What is known to stay as it is; of what something fills in the text is not known.
        return False
    foreign = set(entry) - _HOST
    words = foreign == {" "} and ":" not in entry
    # ``@VOTERS@`` is one; only the number of a voter stands before its sign.
    ids = all(before[-1:].isdecimal() for before in entry.split("@")[:-1])
    return bool(foreign - _BETWEEN) or words or not ids


def _is_address(entry: str, minor: str | None) -> bool:
    """Whether Kafka takes the entry in that minor, or in some where it is unknown.

    Up to 3.9 it looks at the port at the end alone, but in 3.8.
    """
    lenient = minor is None or (minor != "3.8" and minor.startswith(("2.", "3.")))
    return _has_port(entry) and (lenient or not set(entry) - _HOST)


def _name(fact: Fact, minor: str | None, text: str) -> str:
    """A connector's name."""
    if not text:
        return "is empty"
    control = any(char < " " or "\x7f" <= char < "\xa0" for char in text)
    return "contains a control character" if control else ""


def _headers(fact: Fact, minor: str | None, text: str) -> str:
    """``ACTION HEADER:VALUE,…`` of a worker's answers; an action with commas has double quotes."""
    for item in _unquoted(text) if text.strip() else ():
        action, *header = item.strip().split(None, 1)[:2] or [""]
        if action.lower() not in _ACTIONS:
            return f"contains {item.strip() or 'an empty element'}, which begins with none of " + (
                ", ".join(sorted(_ACTIONS))
            )
        # Java drops what is empty at the end when it splits a text.
        parts = (header[0] if header else "").strip().rstrip(":").split(":")
        if len(parts) != 2 or len(parts[0].split()) != 1:
            return f"contains {item.strip()}, which is not an action and header:value"
    return ""


def _unquoted(text: str) -> list[str]:
    """The elements of a list as Jetty splits it: quotes keep commas, what follows them is dropped."""
    found: list[str] = []
    at, size = 0, len(text)
    while at < size:
        while at < size and text[at].isspace():
            at += 1
        if text[at : at + 1] != '"':
            end = text.find(",", at)
            end = size if end < 0 else end
            if end > at or end < size:
                found.append(text[at:end].rstrip())
            at = end + 1
            continue
        item, at = "", at + 1
        while at < size and text[at] != '"':
            at += text[at] == "\\"
            item += text[at : at + 1]
            at += 1
        found.append(item)
        comma = text.find(",", at)
        at = size if comma < 0 else comma + 1
    return found


_ACTIONS = frozenset({"add", "adddate", "set", "setdate"})


def _optimization(fact: Fact, minor: str | None, text: str) -> str:
    """Streams' optimizations: all, none, or those that are named."""
    # Java drops what is empty at the end when it splits a text.
    text = text.rstrip(",")
    for item in text.split(","):
        if text not in ("all", "none") and item.strip() not in _OPTIMIZATIONS:
            return (
                f"contains {item.strip() or 'an empty element'}, which is not one of "
                + ", ".join(("all", "none", *_OPTIMIZATIONS))
            )
    return ""


_OPTIMIZATIONS = (
    "merge.repartition.topics",
    "reuse.ktable.source.topics",
    "single.store.self.join",
)


def _server(fact: Fact, minor: str | None, text: str) -> str:
    """``HOST:PORT`` of a Streams application; empty where it has none."""
    return "" if not text or (_has_port(text) and text[0] != ":") else "is not host:port"


def _regex(fact: Fact, minor: str | None, text: str) -> str:
    return pattern(text)


def pattern(text: str) -> str:  # noqa: C901
    """What is wrong with a regular expression of Java, as far as it is plain; else ""."""
    if "\\Q" in text:
        return ""
    depth, at, inside = 0, 0, False
    if text[:1] in ("*", "+", "?"):
        return f"starts with {text[0]}, but has nothing to repeat"
    while at < len(text):
        char = text[at]
        if char == "\\":
            if at + 1 == len(text):
                return "ends with a backslash"
            at += 1
        elif inside:
            # Classes within classes are Java's own: whoever writes them is not judged.
            if char == "[":
                return ""
            inside = char != "]"
        elif char == "[":
            inside = True
            # A bracket right at the start is a member of the class.
            at += text[at + 1 : at + 2] == "^"
            at += text[at + 1 : at + 2] == "]"
        elif char == "{" and "}" not in text[at:]:
            return "has an unclosed {"
        elif char == "{" and text[:at][-2:-1] != "\\" and not text[at + 1 : at + 2].isdigit():
            return "has a { that repeats nothing so many times"
        else:
            depth += (char == "(") - (char == ")")
            if depth < 0:
                return "closes a parenthesis that is not open"
        at += 1
    if inside:
        return "has an unclosed ["
    return "has an unclosed (" if depth else ""


def _filled(fact: Fact, minor: str | None, text: str) -> str:
    """A list of Connect's that must have an element."""
    return "" if text else "is empty"


def _cast(fact: Fact, minor: str | None, text: str) -> str:
    """``FIELD:TYPE,…`` or one TYPE of the Cast transformation."""
    items = [item.strip() for item in text.split(",")]
    for item in items:
        field, colon, kind = item.rpartition(":")
        if kind.strip().lower() not in _CASTS or (colon and not field):
            return f"contains {item or 'an empty element'}, which is not field:type"
    return ""


_CASTS = frozenset(
    ("int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string", "bytes")
)


def _renames(fact: Fact, minor: str | None, text: str) -> str:
    """``OLD:NEW,…`` of the ReplaceField transformation."""
    for item in map(str.strip, text.split(",") if text else ()):
        if item.count(":") != 1:
            return f"contains {item or 'an empty element'}, which is not old:new"
    return ""


def _charset(fact: Fact, minor: str | None, text: str) -> str:
    """The name of a character set; Java knows more of some vendors' than are told here."""
    import codecs

    if not text or not text[0].isalnum() or set(text) - _CHARSET:
        return "is not the name of a character set"
    try:
        codecs.lookup(text)
    except LookupError:
        known = text.lower().startswith(_VENDORS)
        return "" if known else "is not a character set that Java knows"
    return ""


_CHARSET = _HOST - frozenset("%[]/") | frozenset("+")
_VENDORS = ("x-", "ibm", "cp", "windows", "iso", "jis", "big5", "euc", "gb", "koi8", "tis", "mac")


def _stands_in(text: str) -> bool:
    """Whether a text is there to be replaced before Kafka sees it: ``CONTROLLER_VOTERS``."""
    return text.isupper() and not set(text) & set("@:.,")


def _has_port(endpoint: str) -> bool:
    _, colon, port = endpoint.rpartition(":")
    return bool(colon) and port.isdecimal() and int(port[:9]) <= _LAST_PORT


_READERS = {
    "name:ApplicationServerConfigValidator": _server,
    "name:NonEmptyStringWithoutControlChars": _name,
    "name:ResponseHttpHeadersValidator": _headers,
    "name:ShareGroupAutoOffsetResetStrategy.Validator": _share_reset,
    "name:AutoOffsetResetStrategy.Validator": _offset_reset,
    "name:ApiVersionValidator": _protocol,
    "name:MetadataVersionValidator": _protocol,
    "name:ThrottledReplicaListValidator": _throttled,
    "name:RegexValidator": _regex,
    "name:Charset": _charset,
    "name:NonEmptyListValidator": _filled,
    "name:ControllerQuorumVotersValidator": _voters,
    "name:ControllerQuorumBootstrapServersValidator": _endpoints,
}

#: Validators that are a lambda, by the key that has it.
_NAMELESS = {
    "topology.optimization": _optimization,
    "Cast spec": _cast,
    "ReplaceField renames": _renames,
}

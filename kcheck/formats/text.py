"""Values that something else fills in later, and that are unknown until then."""

from __future__ import annotations

from kcheck.model import Framed, Position, Problem, Setting

_MARKS = ("{{", "${", "<%", "$(", "%{", "{%")
_CONTROL = (b"{{", b"{%", b"<%", b"%{")
#: No mark has any of these, and no placeholder is made of them alone.
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,-/"
#: Whole values in the place of others: $NAME, @NAME@, #NAME#, :NAME:, _name_, <name>, {A Name}, [a]:[b].
_PLACEHOLDER = (
    r"\$[A-Z][A-Z0-9_]*|@[\w.-]+@|#[A-Za-z][\w.-]*#|:\w+:|_[A-Za-z][\w-]*_|<.+>|\{[\w .-]+\}"
    r"|\[[A-Za-z][A-Za-z _!]*\](:\[?[A-Za-z]+\]?)?"
)
#: Placeholders that also stand inside a host name or a JAAS configuration.
_INSIDE = (
    r"##[A-Za-z][\w .-]*##|<[A-Za-z][\w .-]*>|__[A-Z][A-Z0-9_]*__|%[A-Z][A-Z_]{2}[A-Z0-9_]*%"
    r"|\{([A-Z][\w .-]*|[a-z][\w.]*)\}|@[a-z]\w*(\.[\w-]+)+@"
    r"|@[A-Z][A-Z0-9_]+@"
)

_DEFAULT = rb"\$\{(?:([A-Za-z_][\w.-]*+):-?|([A-Za-z_]\w*+)-)([^${}\r\n]*+)\}"


def defaults_of(data: bytes) -> dict[int, tuple[str, str]]:
    """The lines with a ``${NAME:-default}`` or ``${name:default}``: the name and the default of the first."""
    import re  # few files have any

    found: dict[int, tuple[str, str]] = {}
    line, done = 1, 0
    for match in re.finditer(_DEFAULT, data):
        line += data.count(b"\n", done, match.start())
        done = match.start()
        found.setdefault(
            line, ((match[1] or match[2]).decode(), match[3].decode("utf-8", "replace"))
        )
    return found


def unrendered(data: bytes) -> bool:
    """Whether the file holds marks of a template engine, so that it may be no YAML as it stands."""
    return any(mark in data for mark in _CONTROL)


def holds(data: bytes, words: tuple[bytes, ...]) -> bool:
    """Whether one of the words stands in a text: the first question, asked of every file."""
    for word in words:  # noqa: SIM110 - any() takes half as long again
        if word in data:
            return True
    return False


def outdented(data: bytes) -> bytes:
    """The text of a YAML file without the margin that all of its lines have; mostly there is none."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        line = data[start : end if end >= 0 else len(data)]
        bare = line.lstrip(b" ")
        if bare.strip() and not bare.startswith((b"#", b"---", b"%")):
            margin = line[: len(line) - len(bare)]
            return (b"\n" + data).replace(b"\n" + margin, b"\n") if margin else data
        if end < 0:
            break
        start = end + 1
    return data


def templated(text: str) -> bool:
    """Whether the text is to be filled in by something else, so that its value is unknown.

    Template marks of Helm, Jinja, ERB, shells and config providers anywhere, and placeholders as
    whole values.
    """
    if text.isdecimal():  # most values by far
        return False
    if not text.strip(_LETTERS):  # and most of the others
        kept = "CHANGEME" in text or "changeme" in text or "XXXXX" in text
        return kept or text.startswith("your-")
    for mark in _MARKS:
        if mark in text:
            return True
    stripped = text.strip()
    if not stripped:
        return False
    doubtful = stripped[0] in "$@#:[_" or any(
        mark in stripped for mark in ("<", "{", "__", "%", "##", "@")
    )
    if doubtful and _placeholder(stripped):
        return True
    if "CHANGEME" in stripped or "changeme" in stripped or "XXXXX" in stripped:
        return True
    if stripped[-4:].lower() == "port" and _ports_word(stripped):
        return True
    return stripped.startswith(("your-", "to be "))


def _ports_word(text: str) -> bool:
    """Whether words stand for host and port: ``HOST:PORT``, ``broker1:port,broker2:port``."""
    entries = [entry.rpartition(":") for entry in text.split(",")]
    return all(
        colon and port.lower().replace("_", "").isalpha() and port.lower().endswith("port")
        for _, colon, port in entries
    )


def _placeholder(text: str) -> bool:
    import re  # costs more than most files do, and few values come this far

    return bool(re.fullmatch(_PLACEHOLDER, text) or re.search(_INSIDE, text))


def written(
    key: str,
    text: str,
    path: str,
    at: Position,
    key_at: Position | None = None,
    name: str | None = None,
) -> Setting:
    """The setting of a text that a file writes; of a templated one only the frame is known."""
    kind = Framed if templated(text) else Setting
    return kind(key, text, path, at, key_at, name)


def overgrown(bound: str) -> Problem:
    """What tells that a file makes more of its references than kcheck works out."""
    return Problem(
        f"a value in this file expands to more than {bound}",
        code="KC0005",
        consequence="such values are unknown, and rules that need them are silent",
        fix="write the values without references, or exclude the file in kcheck.toml",
    )

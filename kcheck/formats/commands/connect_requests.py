"""Requests to Connect's REST API in shell files: what they send, and what the API reads there.

POST /connectors reads an object with name and config, PUT /connectors/NAME/config the config alone
(ConnectorsResource of Kafka). What only a shell can fill in is unknown, and nothing is said of it.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator

from kcheck.model import ERROR, Position, Problem, Setting
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word

CODE = "KC0179"
#: Of the text of a file: whether it may hold such a request at all.
SIGNS = (b"curl", b"/connectors")

_CURL = re.compile(r"(?:\S*/)?curl")
_CONFIG = re.compile(r"/connectors/([^/?\s]+)/config/?$")
_CREATE = re.compile(r"/connectors/?$")
_DATA = ("-d", "--data", "--data-binary", "--data-raw", "--data-ascii", "--json")
_UPLOAD = ("-T", "--upload-file")
_METHODS = ("-X", "--request")
#: Long options with a value that stand before the address or what is sent.
_LONG = frozenset(
    (
        *(*_METHODS, *_DATA, *_UPLOAD, "--header", "--user", "--output", "--write-out", "--url"),
        *("--max-time", "--connect-timeout", "--retry", "--retry-delay", "--cacert", "--cert"),
        *("--key", "--data-urlencode", "--form", "--user-agent", "--proxy", "--resolve"),
    )
)
#: Short options without a value, which can stand together: -sS.
_FLAGS = frozenset("sSfkLivnNgG#012346aBIjlMOpqRVZJ")
_FILLED = re.compile(r"[$`{}<>]")
_CLASS = "connector.class"

Found = Callable[[str], bytes | None]
Placed = Callable[[int, int], Position]


def faults(calls: list[Call], path: str, place: Placed, found: Found) -> Iterator[Problem]:
    """The requests that Connect refuses; ``found`` gives the files that they send."""
    for words in _commands(calls):
        request = _request(words)
        if request is None:
            continue
        method, url, data = request
        body = _body(path, data, found) if data is not None else None
        wrong = _wrong(method, url.text, body)
        if wrong is None:
            continue
        key, message, consequence, fix = wrong
        told = data if data is not None and key != "url" else url
        at = place(told.start, told.end)
        setting = Setting(key, None, path, at, name=key)
        yield Problem(message, at, CODE, ERROR, consequence, fix, setting=setting)


def _commands(calls: list[Call]) -> Iterator[list[Word]]:
    """The words behind curl."""
    for call in calls:
        at = next((n for n, word in enumerate(call.words) if _CURL.fullmatch(word.text)), -1)
        if at >= 0 and not call.prints:
            yield call.words[at + 1 :]


def _request(words: list[Word]) -> tuple[str, Word, Word | None] | None:
    """(method, address, what is sent) of a request for connectors that changes something."""
    method, data, url = "", None, None
    for name, told in _options(words):
        if name in _METHODS:
            method = told.text
        elif name in (*_DATA, *_UPLOAD):
            data = told
            method = method or ("PUT" if name in _UPLOAD else "POST")
        elif name in ("", "--url") and (_CONFIG.search(told.text) or _CREATE.search(told.text)):
            url = told
    if url is None or method.upper() not in ("POST", "PUT"):
        return None
    return method.upper(), url, data


def _options(words: list[Word]) -> Iterator[tuple[str, Word]]:
    """The options of curl with their values, and ("", word) for what is none."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        name, equals, _ = word.text.partition("=")
        if not word.text.startswith("-") or word.text == "-":
            yield "", word
        elif word.text.startswith("--"):
            if equals:
                yield name, word.part(len(name) + 1)
            elif name in _LONG and at < len(words):
                yield name, words[at]
                at += 1
        else:
            place = next((n for n, c in enumerate(word.text) if n and c not in _FLAGS), 0)
            if place and place + 1 < len(word.text):
                yield f"-{word.text[place]}", word.part(place + 1)
            elif place and at < len(words):
                yield f"-{word.text[place]}", words[at]
                at += 1


def _body(path: str, data: Word, found: Found) -> dict[str, object] | None:
    """What is sent, as an object; None where it is none, or unknown."""
    text = data.text
    raw: bytes | None = text.encode()
    if text.startswith("@") or not text.lstrip().startswith("{"):
        name = text.removeprefix("@")
        raw = None if not name or _FILLED.search(name) else _file(path, name, found)
    elif not data.known:
        return None
    try:
        body = json.loads(raw) if raw is not None else None
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _file(path: str, name: str, found: Found) -> bytes | None:
    """The file of that name, from the folder of the script or one above it."""
    folder = posixpath.dirname(path)
    while True:
        data = found(posixpath.normpath(posixpath.join(folder, name)))
        if data is not None or not folder:
            return data
        folder = posixpath.dirname(folder)


_REFUSED = "Connect answers {}: the connector is not created or changed"


def _wrong(
    method: str, url: str, body: dict[str, object] | None
) -> tuple[str, str, str, str] | None:
    """(key, message, consequence, fix) of a request that Connect refuses."""
    config = _CONFIG.search(url)
    allowed = "PUT" if config is not None else "POST"
    where = "/connectors/NAME/config" if config is not None else "/connectors"
    if method != allowed:
        return (
            "url",
            f"{method} {where} does not exist: {where} accepts {allowed}",
            _REFUSED.format("405 Method Not Allowed"),
            f"use {allowed} {where}, or "
            + ("POST /connectors" if config is not None else "PUT /connectors/NAME/config"),
        )
    if body is None:
        return None
    inner = body.get("config")
    if config is not None and isinstance(inner, dict) and _CLASS not in body:
        return (
            "config",
            "PUT /connectors/NAME/config reads the settings of the connector alone, but the file has "
            "name and config",
            _REFUSED.format("400 or 500, because a value is an object"),
            "send the object below config, or use POST /connectors",
        )
    if config is None and inner is None and _CLASS in body:
        return (
            _CLASS,
            "POST /connectors reads name and config, but the file has the settings of the connector "
            "alone",
            _REFUSED.format("400 or 500, because config is missing"),
            'send {"name": …, "config": …}, or use PUT /connectors/NAME/config',
        )
    named = body.get("name")
    other = config[1] if config is not None else None
    if config is None and isinstance(inner, dict):
        other = inner.get("name")
    if isinstance(named, str) and isinstance(other, str) and named != other:
        if _FILLED.search(other) or _FILLED.search(named):
            return None
        return (
            "name",
            f"the connector is called {named} in the file, but {other} "
            + ("in the URL" if config is not None else "in config"),
            _REFUSED.format("400 Bad Request"),
            "use one name",
        )
    return None

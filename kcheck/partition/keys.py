"""Keys as people write them → the bytes that Kafka's serializers make of them."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable

TEXT = "text"


class NotAKey(ValueError):
    """A text that is no key of its encoding; the message says why."""


def _text(written: str) -> bytes:
    # What is not UTF-8 on a command line stands for its bytes.
    return written.encode("utf-8", "surrogateescape")


def _hex(written: str) -> bytes:
    digits = written.removeprefix("0x")
    try:
        return binascii.unhexlify(digits)
    except (binascii.Error, ValueError):
        raise NotAKey(f"{written} is not hexadecimal: two digits for each byte") from None


def _base64(written: str) -> bytes:
    try:
        return b64decode(written, validate=True)
    except ValueError:
        raise NotAKey(f"{written} is not base64") from None


def _number(bits: int, written: str) -> bytes:
    digits = written[1:] if written[:1] in "+-" else written
    limit = 1 << (bits - 1)
    # Python itself refuses to read some thousand digits.
    number = int(written) if digits.isascii() and digits.isdigit() and len(digits) < 40 else None
    if number is None:
        raise NotAKey(f"{written or 'the empty text'} is not a whole number")
    if not -limit <= number < limit:
        raise NotAKey(f"{written} does not fit {bits} bits")
    return number.to_bytes(bits // 8, "big", signed=True)


#: How a key is written → its bytes. The numbers are those of ``IntegerSerializer`` and
#: ``LongSerializer``: big-endian, in two's complement.
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    TEXT: _text,
    "hex": _hex,
    "base64": _base64,
    "int": lambda written: _number(32, written),
    "long": lambda written: _number(64, written),
}


def lines(data: bytes) -> list[str]:
    """The lines of a file of keys, with neither their ends nor a byte-order mark."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    found = text.split("\n")
    if found[-1] == "":
        found.pop()
    return [line.removesuffix("\r") for line in found]

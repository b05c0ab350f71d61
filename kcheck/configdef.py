"""Texts as Kafka's ConfigDef reads them: types, and the validators that a fact names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.catalogue import Fact

_BOUNDS = {
    "int": (-(2**31), 2**31 - 1),
    "long": (-(2**63), 2**63 - 1),
    "short": (-(2**15), 2**15 - 1),
}
#: What Java's regular expressions take for a space.
_SPACES = " \t\n\v\f\r"


def convert(kind: str, text: str) -> tuple[object, str]:
    """Text → (typed value, "") as Kafka's ConfigDef reads it, or (None, what is wrong).

    Lists become lists of stripped items, the empty text the empty list. Rules: ConfigDef.parseType.
    """
    if kind == "boolean":
        lowered = text.lower()
        if lowered in ("true", "false"):
            return lowered == "true", ""
        return None, "is neither true nor false"
    if kind in _BOUNDS:
        digits = text[1:] if text[:1] in "+-" else text
        if not digits.isdecimal():
            return None, "is not a whole number" if text else "is empty, but must be a number"
        low, high = _BOUNDS[kind]
        # Python itself refuses to read some thousand digits.
        number = int(text) if len(digits) < 400 else None
        if number is None or not low <= number <= high:
            size = {"int": "32", "long": "64", "short": "16"}[kind]
            return None, f"is outside the {size}-bit range ({low} to {high})"
        return number, ""
    if kind == "double":
        return _double(text)
    if kind == "class" and not text:
        return None, "is empty, but must be a class"
    if kind == "list":
        return ([item.strip(_SPACES) for item in text.split(",")] if text else []), ""
    return text, ""


def _double(text: str) -> tuple[float | None, str]:
    """``Double.parseDouble``: it knows NaN and Infinity by these names alone, and no ``1_000``."""
    bare = text[1:] if text[:1] in "+-" else text
    try:
        if bare in ("NaN", "Infinity"):
            return float(text), ""
        if bare[:2] in ("0x", "0X") and "p" in bare.lower():
            return float.fromhex(text.rstrip("dDfF")), ""
        if bare[-1:] in "dDfF":
            bare = bare[:-1]
        if set(bare) <= _DECIMAL:
            number = float(bare)
            return -number if text[:1] == "-" else number, ""
    except (ValueError, OverflowError):
        pass
    return None, "is not a number"


_DECIMAL = frozenset("0123456789.eE+-")


_MANY_DIGITS = 20
#: The least and the greatest number, by type and what is valid.
_ranges: dict[tuple[str, str], tuple[float, float]] = {}


def _range(kind: str, valid: str) -> tuple[float, float]:
    """The numbers that are taken for sure: none where there is more to it than a range."""
    low, high = _BOUNDS.get(kind, _NO_NUMBER)
    least, most = float("-inf"), float("inf")
    for word in valid.split(" "):
        below, dots, above = word.partition("..")
        if (word and not dots) or word.count(":"):
            low, high = _NO_NUMBER
            break
        least = max(least, float(below or least))
        most = min(most, float(above or most))
    found = _ranges[kind, valid] = max(low, least), min(high, most)
    return found


_NO_NUMBER = (1, 0)


def refusal(row: Fact, text: str) -> str:
    """Why Kafka refuses this text for this key in these versions; "" where it accepts it."""
    if text.isdecimal() and len(text) < _MANY_DIGITS:
        low, high = _ranges.get((row.type, row.valid)) or _range(row.type, row.valid)
        if low <= int(text) <= high:
            return ""
    value, wrong = convert(row.type, text)
    if wrong:
        return wrong
    for word in row.valid.split(" "):
        wrong = _refuses(word, value)
        if wrong:
            return wrong
    return ""


def _refuses(word: str, value: object) -> str:  # noqa: C901
    if not word:
        return ""
    name, colon, rest = word.partition(":")
    if colon and name in ("enum", "enum-ci"):
        allowed = rest.split("|")
        given = str(value)
        if given in allowed or (
            name == "enum-ci" and given.upper() in [a.upper() for a in allowed]
        ):
            return ""
        return "is not one of " + ", ".join(repr_empty(a) for a in allowed)
    if colon and name == "list" and isinstance(value, list):
        allowed = rest.split("|")
        for item in value:
            if item not in allowed:
                return f"contains {item or 'an empty element'}, which is not one of " + ", ".join(
                    allowed
                )
        return ""
    if word == "nonempty":
        return "is empty" if value in ("", []) else ""
    if word == "nonzero":
        return "is 0" if value == 0 else ""
    if word == "noblank":
        return "has an empty element" if isinstance(value, list) and "" in value else ""
    if word == "distinct" and isinstance(value, str):
        value = [item.strip() for item in value.split(",")]
    if word == "distinct" and isinstance(value, list) and len(set(value)) < len(value):
        return "contains an element twice"
    if ".." in word and isinstance(value, (int, float)) and not isinstance(value, bool):
        low, _, high = word.partition("..")
        if low and value < float(low):
            return f"is below the minimum {low}"
        if high and value > float(high):
            return f"is above the maximum {high}"
    return ""


def repr_empty(text: str) -> str:
    return text or '""'

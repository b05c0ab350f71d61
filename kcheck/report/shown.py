"""Names, sentences and secrets as reports may show them: what is hidden in one is hidden in all of them."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck import secrets
from kcheck.model import Resource, Setting

#: Characters of a value, a name or a sentence that are shown.
LONGEST = 10_000
#: What is searched for secrets once and not with each finding.
LONG = 1_000
#: So many settings of a resource, and so much of each, are searched for what its sentences may
#: not hold; what is said of others is hidden by what stands in the sentence itself.
_SEARCHED = 5_000
_LONGEST_SEARCHED = 50_000


def secrets_of(resource: Resource) -> list[str]:
    """The secret texts of a resource, but for words that it says openly elsewhere."""
    settings = resource.stated[:_SEARCHED]
    found = [text for setting in settings for text in secrets_in(setting)]
    said = {setting.text for setting in _said(settings, found)}
    return [text for text in found if text not in said] if said else found


def _said(settings: list[Setting], found: list[str]) -> list[Setting]:
    """The settings that are no secrets, and whose text is one of the words that are."""
    words = {text for text in found if secrets.is_word(text)}
    return [s for s in settings if s.text in words and not secrets.keeps(s)] if words else []


def hidden_settings(resource: Resource) -> list[Setting]:
    """The settings of a resource by which reports tell what to hide, and what not to."""
    settings = resource.stated
    found = [setting for setting in settings if secrets.keeps(setting) or secrets_in(setting)]
    return found + _said(settings, [text for setting in found for text in secrets_in(setting)])


def secrets_in(setting: Setting) -> list[str]:
    """The secret texts in one setting."""
    key = setting.name if secrets.is_secret(setting.name) else setting.key
    return texts(key, setting.raw)


def texts(key: str, text: str | None) -> list[str]:
    """``secrets.texts`` of what is looked through of a text."""
    if text is None or len(text) <= _LONGEST_SEARCHED:
        return secrets.texts(key, text)
    found = secrets.texts(key, text[:_LONGEST_SEARCHED])
    return [*found, text] if secrets.is_secret(key) else found


def named(name: str) -> str:
    """The name of a resource, a cluster, a key, as it may be shown."""
    return readable(secrets.scrubbed(short(name), prose=True))


def safe(sentence: str) -> str:
    """A sentence about files rather than settings, as it may be shown."""
    return readable(secrets.scrubbed(short(sentence), prose=True))


def short(text: str) -> str:
    """The text up to about ``LONGEST`` characters: what is said of a value in thousands of
    findings shall not be thousands of times as long.

    It ends between two words, so that no secret stands there without what gives it away.
    """
    if len(text) <= LONGEST:
        return text
    cut = max(text.rfind(sign, 0, LONGEST) for sign in ", ;\n")
    return text[: cut + 1] + "…"


def readable(text: str) -> str:
    """The text as UTF-8 can hold it: paths and escapes may bring lone surrogates."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def sentence(text: str, hidden: Sequence[str], prose: bool = True) -> str:
    """A text as it may be shown, without the ``hidden`` secrets either."""
    text = short(text)
    return readable(secrets.scrubbed(secrets.without(text, hidden) if hidden else text, prose))

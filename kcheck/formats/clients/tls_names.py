"""Named TLS settings of frameworks to which Kafka's clients refer: Spring's bundles, Quarkus' configurations."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.formats.pairs import Pair, relaxed
from kcheck.formats.text import templated
from kcheck.lexicon import fields
from kcheck.model import WARNING, Document, Problem

CODE = "KC0485"

#: By the first words of what defines them: which of its words is the name, and what may stand there
#: for the settings without one (TlsConfig of quarkus-tls-registry; SslProperties of Spring Boot).
_DEFINED = {
    ("spring", "ssl", "bundle"): (4, frozenset[str]()),
    ("quarkus", "tls"): (
        2,
        frozenset(
            ("keystore", "truststore", "trustall", "alpn", "ciphersuites", "protocols")
            + ("handshaketimeout", "reloadperiod", "certificaterevocationlist", "letsencrypt")
            + ("hostnameverificationalgorithm",)
        ),
    ),
}


def tell(
    document: Document, pairs: Iterable[Pair], used: tuple[str, ...], by: tuple[str, ...]
) -> None:
    """Report uses of names that nothing defines, where an application defines others.

    ``used`` are the last words of the properties that refer, ``by`` the first ones of those that define.
    """
    told = [pair for pair in pairs if pair.text and tuple(pair.words[-len(used) :]) == used]
    defined: dict[str, str] = {}
    at, unnamed = _DEFINED[by]
    for pair in pairs if told else ():
        words = pair.words
        if tuple(words[: len(by)]) == by and len(words) > at + 1 and words[at] not in unnamed:
            defined[words[at]] = pair.parts[at]
    seen = {problem.at for problem in document.problems if problem.code == CODE}
    for pair in told:
        text = pair.text or ""
        unknown = defined and relaxed(text) not in defined and not templated(text)
        if not unknown or pair.at in seen or pair.path != document.path:
            continue
        names = tuple(sorted(defined.values()))
        near = fields.near(text, names) or (names[0] if len(names) == 1 else "")
        document.problems.append(
            Problem(
                f"{pair.name}={text} is not defined below {'.'.join(by)} ({', '.join(names)})",
                pair.at,
                CODE,
                WARNING,
                "the client cannot be created, unless another file or the code defines it",
                f"set {pair.name}={near}"
                if near
                else f"define {text}, or use one of {', '.join(names)}",
                setting=pair.setting(pair.name, text),
            )
        )

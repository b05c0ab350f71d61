"""Names that Schema Registry, the REST Proxy and ksqlDB do not have: in their files, and in the
variables of their images, which become keys of such a file.
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.formats import unknown_words
from kcheck.formats.pairs import Pair
from kcheck.formats.properties.signs import KSQLDB, REST_PROXY, SCHEMA_REGISTRY
from kcheck.formats.text import templated
from kcheck.lexicon import fields
from kcheck.model import ERROR, WARNING, Document, Problem, Setting

CODE, DEMANDS = "KC0136", "KC0184"

#: By format: the row of the table, what the program is called, the prefix of its image's variables.
_PROGRAMS = {
    KSQLDB: ("ksqldb", "ksqlDB", "KSQL_"),
    REST_PROXY: ("rest-proxy", "REST Proxy", "KAFKA_REST_"),
    SCHEMA_REGISTRY: ("schema-registry", "Schema Registry", "SCHEMA_REGISTRY_"),
}
#: Behind these stand keys of Kafka's clients, and plug-ins' own.
_HANDED_ON = (
    *(
        "kafkastore.",
        "client.",
        "producer.",
        "consumer.",
        "admin.",
        "ksql.streams.",
        "main.consumer.",
    ),
    *("restore.consumer.", "global.consumer.", "ksql.schema.registry.", "schema.registry."),
)
_OWN = "ksql."
#: The keys without which a program does not start, with the one that may take their place.
_REQUIRED = {"kafkastore.bootstrap.servers": "kafkastore.connection.url"}
_PLANES = ("admin", "producer", "consumer", "streams")


def program_of(image: str) -> str:
    """The format of the program that an image of Confluent's runs; "" for any other."""
    name = image.rpartition("/")[2].partition("@")[0].partition(":")[0]
    return _IMAGES.get(name, "")


_IMAGES = {
    "cp-ksqldb-server": KSQLDB,
    "ksqldb-server": KSQLDB,
    "cp-ksql-server": KSQLDB,
    "cp-schema-registry": SCHEMA_REGISTRY,
    "cp-kafka-rest": REST_PROXY,
}


def of_variables(
    document: Document, program: str, variables: list[Pair], complete: bool = False
) -> None:
    """Report the variables of a program's container; the pairs have the variables' own names.

    ``complete``: they are all that the container has.
    """
    prefix = _PROGRAMS[program][2]
    pairs = [
        Pair(_key(one.name[len(prefix) :]), one.text, one.path, one.at, one.key_at, one.name)
        for one in variables
        if one.name.startswith(prefix) and not templated(one.name)
    ]
    of_pairs(document, program, pairs)
    if complete:
        _demands(document, program, pairs)


#: What Control Center reads of its variables, and what it hands to its clients.
_CENTER, _CENTERS_CLIENTS = "CONTROL_CENTER_", "CONTROL_CENTER_STREAMS_"
_LOGINS = ("SECURITY_PROTOCOL", "SASL_MECHANISM", "SASL_JAAS_CONFIG")


def of_center(document: Document, variables: list[Pair]) -> None:
    """Report the security of clients in variables of Control Center's image that it does not hand on."""
    given = {one.name for one in variables}
    for one in variables:
        rest = one.name.removeprefix(_CENTER)
        right = f"{_CENTERS_CLIENTS}{rest}"
        if one.name == rest or rest not in _LOGINS or right in given:
            continue
        document.problems.append(
            Problem(
                f"Control Center does not read {one.name}; did you mean {right}?",
                one.key_at,
                CODE,
                WARNING,
                f"it is ignored: its clients have the default of {_key(rest)}",
                f"rename {one.name} to {right}",
                setting=Setting(one.name, None, one.path, one.key_at, one.key_at, one.name),
            )
        )


def of_file(document: Document, pairs: list[Pair]) -> None:
    """Report the keys of a program's own file."""
    if document.format in _PROGRAMS:
        of_pairs(document, document.format, pairs)
        _demands(document, document.format, pairs)


def _demands(document: Document, program: str, pairs: list[Pair]) -> None:
    """Report what a setting of the program demands and these, all that it has, do not."""
    from kcheck import musts  # few files are such a program's own

    row, called, _ = _PROGRAMS[program]
    given = {pair.name: pair for pair in pairs}
    for must, lacking in musts.broken(row, given):
        written = {one.name: one.written or one.name for one in pairs}
        prefix = _PROGRAMS[program][2] if any(map(str.isupper, written.values())) else ""
        cause = given[must.when[0].key]
        names = [_wanted(one, prefix) for one in lacking]
        document.problems.append(
            Problem(
                f"{called}: {written[cause.name]}={cause.text} without {' and '.join(names)}",
                cause.at,
                DEMANDS,
                WARNING,
                must.consequence or f"{called} refuses to start",
                f"set {' and '.join(names)}",
                setting=Setting(
                    written[cause.name],
                    cause.text,
                    cause.path,
                    cause.at,
                    cause.key_at,
                    cause.written,
                ),
            )
        )


def _wanted(condition: Condition, prefix: str) -> str:
    """What is to be set, as a variable of an image with that prefix or as a key."""
    key = f"{prefix}{condition.key.replace('.', '_').upper()}" if prefix else condition.key
    value = condition.values[0] if condition.values else ""
    return f"{key}={value}" if value else key


def of_pairs(document: Document, program: str, pairs: list[Pair]) -> None:
    """Report the keys of a program, of which the pairs may be a part."""
    given = {pair.name for pair in pairs}
    row, called, _ = _PROGRAMS[program]
    for pair in pairs:
        _word(document, row, called, pair)
        right = _meant(row, pair.name)
        if not right or right in given:
            continue
        written = pair.written or pair.name
        instead = _variable(written, pair.name, right)
        lacking = right in _REQUIRED and _REQUIRED[right] not in given
        told = Setting(written, None, pair.path, pair.key_at, pair.key_at, written)
        also = f" ({pair.name})" if written != pair.name else ""
        document.problems.append(
            Problem(
                f"{called} has no setting {written}{also}; did you mean {instead}?",
                pair.key_at,
                CODE,
                ERROR if lacking else WARNING,
                f"{called} fails to start: it has no {right}"
                if lacking
                else f"it is ignored, and {right} keeps its default",
                f"rename {written} to {instead}",
                setting=told,
            )
        )


def _word(document: Document, row: str, called: str, pair: Pair) -> None:
    """Report a value of a program's own key that has a closed list of words."""
    known = fields.words_of(fields.PROGRAM, f"{row} {pair.name}")
    text = (pair.text or "").strip()
    # Words in small letters are read in any; those in capitals have to be.
    if not known or pair.path != document.path or (known[0].islower() and text.lower() in known):
        return
    name = pair.written or pair.name
    refused = f"{called} fails to start: the value is rejected"
    unknown_words.word_of(document, known, f"{called}: {name}", name, text, pair.at, refused)


def _meant(row: str, key: str) -> str:
    """The key of a program that another, which it does not have, can only stand for."""
    names = fields.of(fields.PROGRAM, row)
    if names is None or key in names.known or "." not in key:
        return ""
    prefix = next((one for one in _HANDED_ON if key.startswith(one)), "")
    bare = key.removeprefix(prefix)
    if any(bare in catalogue.plane(plane) for plane in _PLANES):
        return ""
    if row == "ksqldb" and f"{_OWN}{key}" in names.known:
        return f"{_OWN}{key}"
    return fields.near(key, names.known) if not prefix or prefix == "kafkastore." else ""


def _variable(written: str, key: str, right: str) -> str:
    """The right key as it is written: an image's variable stays one."""
    if written == key:
        return right
    prefix = next(p for _, _, p in _PROGRAMS.values() if written.startswith(p))
    return prefix + right.upper().replace("_", "__").replace(".", "_").replace("-", "___")


def _key(rest: str) -> str:
    """As all images of Confluent's: _ is a dot, __ an underscore, ___ a dash."""
    return rest.lower().replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.musts import Condition

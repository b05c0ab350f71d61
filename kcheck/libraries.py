"""Client libraries: one row for each, with all that kcheck knows of it beside its keys.

A row that is added is known to declarations by its packages, and rules ask the row what the library
does; none compares names. The keys of a library with a ``catalogue`` are in ``schemas/clients``,
which ``dialects`` reads. A library without a row has what an empty one says.
"""

from __future__ import annotations

UNKNOWN = "unknown"

MURMUR2, CRC32, FNV_1A = "murmur2", "CRC32", "FNV-1a"


class ClientLibrary:
    """One client library.

    ``packages`` are its names in declarations, and ``wrappers`` packages around it that count
    releases of their own.

    Keys and values. ``java``: it is Kafka's own, so that Kafka's catalogue, versions and defaults
    hold. ``catalogue``: it has one of its own in ``schemas/clients``; ``assumed`` is the oldest
    release that a client may have which does not name its own ("" for the oldest there).
    ``separator`` parts the words of its keys. ``shared_keys``: one set of keys serves all kinds of
    clients, and of two names of one key the last in the file wins. ``reads_as_c``: it reads numbers
    as C does, and has words of its own. ``unknown_key`` is the error by which it rejects a key that
    it does not know, "" where it goes on. ``no_host_check`` are its words for certificates of
    any host, ``credentials`` its keys for the user name and the password of a login. ``request_limit`` bounds a producer's record, ``response_limit`` what
    a consumer reads, where a key of its own does.

    Checks when a client is created. ``checks_idempotence`` and ``checks_transactions``: of what an
    idempotent and a transactional producer need. ``identity_asks``: there a transactional.id asks
    for idempotence. ``checks_as_librdkafka`` and ``checks_as_kafka_python``: of options against
    each other, by the rules of these two.

    Behaviour. ``splits_batches``: a batch that is too large is split and sent again.
    ``sends_any_acks``: it hands any number of acks to the brokers. ``consumer_protocol`` is the
    first release whose consumers speak it ("" for none). ``least`` is the oldest release that
    brokers of Kafka 4.0 and newer understand (KIP-896; "" where that is not known).

    Addresses. ``schemes`` are those that may stand before a broker's address: None where any may.

    Partitions. ``hash`` is of a record's key ("" where that is not known); ``partitioner`` the name
    of the default one in ``kcheck partition``, where real clients' answers bear it out; ``partitioners``:
    it takes these names as values of its key partitioner.
    """

    __slots__ = (
        "assumed",
        "catalogue",
        "checks_as_kafka_python",
        "checks_as_librdkafka",
        "checks_idempotence",
        "checks_transactions",
        "consumer_protocol",
        "credentials",
        "hash",
        "identity_asks",
        "java",
        "least",
        "name",
        "no_host_check",
        "packages",
        "partitioner",
        "partitioners",
        "reads_as_c",
        "request_limit",
        "response_limit",
        "schemes",
        "sends_any_acks",
        "separator",
        "shared_keys",
        "splits_batches",
        "unknown_key",
        "wrappers",
    )

    def __init__(
        self,
        name: str,
        *,
        packages: tuple[str, ...] = (),
        wrappers: tuple[str, ...] = (),
        java: bool = False,
        catalogue: bool = False,
        assumed: str = "",
        separator: str = ".",
        shared_keys: bool = False,
        reads_as_c: bool = False,
        unknown_key: str = "",
        no_host_check: tuple[str, ...] = ("",),
        credentials: tuple[str, ...] = (),
        request_limit: str = "max.request.size",
        response_limit: str = "",
        checks_idempotence: bool = False,
        checks_transactions: bool = False,
        identity_asks: bool = False,
        checks_as_librdkafka: bool = False,
        checks_as_kafka_python: bool = False,
        splits_batches: bool = True,
        sends_any_acks: bool = False,
        consumer_protocol: str = "",
        least: str = "",
        hash: str = "",
        partitioner: str = "",
        partitioners: bool = False,
        schemes: tuple[str, ...] | None = None,
    ) -> None:
        self.name = name
        self.packages = packages
        self.wrappers = wrappers
        self.java = java
        self.catalogue = catalogue
        self.assumed = assumed
        self.separator = separator
        self.shared_keys = shared_keys
        self.reads_as_c = reads_as_c
        self.unknown_key = unknown_key
        self.no_host_check = no_host_check
        self.credentials = credentials
        self.request_limit = request_limit
        self.response_limit = response_limit
        self.checks_idempotence = checks_idempotence
        self.checks_transactions = checks_transactions
        self.identity_asks = identity_asks
        self.checks_as_librdkafka = checks_as_librdkafka
        self.checks_as_kafka_python = checks_as_kafka_python
        self.splits_batches = splits_batches
        self.sends_any_acks = sends_any_acks
        self.consumer_protocol = consumer_protocol
        self.least = least
        self.hash = hash
        self.partitioner = partitioner
        self.partitioners = partitioners
        self.schemes = schemes

    @property
    def refuses_unknown_keys(self) -> bool:
        """Whether no client is created with a key that the library does not know."""
        return bool(self.unknown_key)

    @property
    def default_of(self) -> str:
        """Whose default a value is, "" where it is Kafka's or nobody's in particular."""
        return "" if self.java or self.name == UNKNOWN else self.name

    def dotted(self, key: str) -> str:
        """Java's spelling of one of its keys."""
        return key if self.separator == "." else key.replace(self.separator, ".")

    def spelled(self, key: str) -> str:
        """Its spelling of one of Java's keys."""
        return key if self.separator == "." else key.replace(".", self.separator)


JAVA = ClientLibrary(
    "java",
    java=True,
    checks_idempotence=True,
    checks_transactions=True,
    consumer_protocol="3.7",
    least="2.1",
    hash=MURMUR2,
    partitioner="murmur2_random",
)

LIBRDKAFKA = ClientLibrary(
    "librdkafka",
    packages=(
        "confluent-kafka",
        "confluent-kafka-python",
        "confluent-kafka-go",
        "confluent-kafka-dotnet",
        "confluent.kafka",
    ),
    wrappers=(
        "confluent-kafka-javascript",
        "@confluentinc/kafka-javascript",
        "node-rdkafka",
        "rdkafka",
        "rust-rdkafka",
        "rdkafka-ruby",
        "php-rdkafka",
        "karafka",
        "cppkafka",
        "modern-cpp-kafka",
        "hw-kafka-client",
        "kcat",
        "kafkacat",
        "fluent-bit",
        "vector",
        "rsyslog",
    ),
    catalogue=True,
    # Older ones are met where somebody names them.
    assumed="1.5",
    shared_keys=True,
    reads_as_c=True,
    unknown_key="No such configuration property",
    no_host_check=("", "none"),
    credentials=("sasl.username", "sasl.password"),
    request_limit="message.max.bytes",
    response_limit="receive.message.max.bytes",
    # rd_kafka_broker_name_parse
    schemes=("plaintext", "ssl", "sasl_plaintext", "sasl_ssl"),
    checks_idempotence=True,
    checks_transactions=True,
    identity_asks=True,
    checks_as_librdkafka=True,
    splits_batches=False,
    sends_any_acks=True,
    consumer_protocol="2.4",
    least="1.8.2",
    hash=CRC32,
    partitioner="consistent_random",
    partitioners=True,
)

# It takes all before the last colon for the host.
KAFKAJS = ClientLibrary("kafkajs", least="1.15.0", schemes=())

# It dials what stands there.
SARAMA = ClientLibrary("sarama", checks_idempotence=True, least="1.30.1", hash=FNV_1A, schemes=())

KAFKA_PYTHON = ClientLibrary(
    "kafka-python",
    wrappers=("kafka-python-ng",),
    catalogue=True,
    separator="_",
    credentials=("sasl_plain_username", "sasl_plain_password"),
    unknown_key="Unrecognized configs",
    checks_idempotence=True,
    checks_as_kafka_python=True,
    least="2.0.2",
    hash=MURMUR2,
    partitioner="murmur2_random",
)

AIOKAFKA = ClientLibrary(
    "aiokafka",
    catalogue=True,
    separator="_",
    credentials=("sasl_plain_username", "sasl_plain_password"),
    unknown_key="TypeError",
    hash=MURMUR2,
    partitioner="murmur2_random",
)

FRANZ_GO = ClientLibrary("franz-go", hash=MURMUR2)

ROWS = (JAVA, LIBRDKAFKA, KAFKAJS, SARAMA, KAFKA_PYTHON, AIOKAFKA, FRANZ_GO)

#: What a row holds that is the name of a key.
KEYS = frozenset({"request_limit", "response_limit"})

_BY_NAME = {row.name: row for row in ROWS}
#: Package → (the library inside, whether both share their version numbers).
_BY_PACKAGE = {package: (row.name, True) for row in ROWS for package in (row.name, *row.packages)}
_BY_PACKAGE.update((package, (row.name, False)) for row in ROWS for package in row.wrappers)


def of(name: str) -> ClientLibrary:
    """The row of a library; one that says nothing where there is none."""
    return _BY_NAME.get(name) or ClientLibrary(name)


def binding(package: str) -> tuple[str, bool]:
    """(the library inside a package, whether both share their version numbers).

    A package that nobody here knows is a library of its own.
    """
    return _BY_PACKAGE.get(package.lower(), (package, True))

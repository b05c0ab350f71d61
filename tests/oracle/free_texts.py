"""Texts for one key, from its type, its bounds and its name alone: such that work, and slips.

``good`` gives what is likely to be taken, ``slip`` what somebody may write instead. Neither is sure:
Kafka alone decides. No rule of kcheck is asked, and none of its tables.
"""

from __future__ import annotations

from random import Random

from declared import Key, classes, types

_BITS = {"int": 31, "long": 63, "short": 15}
_JAAS = "org.apache.kafka.common.security"
_PLAIN = f'{_JAAS}.plain.PlainLoginModule required username="a" password="b";'
_SCRAM = f'{_JAAS}.scram.ScramLoginModule required username="a" password="b";'
_OAUTH = f"{_JAAS}.oauthbearer.OAuthBearerLoginModule required;"

#: Ending of a key (or all of it) → texts that work, and texts that look like them.
_PHRASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "security.protocol": (
        ("PLAINTEXT", "SASL_PLAINTEXT", "PLAINTEXT", "plaintext"),
        ("TLS", "SASL-SSL", "SASL_PLAIN", "PLAIN", "SSL ", "PLAINTEXT,SSL"),
    ),
    "security.inter.broker.protocol": (
        ("PLAINTEXT", "SSL", "SASL_SSL", "SASL_PLAINTEXT"),
        ("TLS", "ssl", "PLAIN", "SASL-SSL"),
    ),
    "sasl.mechanism": (
        ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI", "OAUTHBEARER"),
        ("plain", "SCRAM-SHA256", "SCRAM", "SASL_PLAIN", "PLAIN,GSSAPI", "nosuch"),
    ),
    "protocol": (("PLAINTEXT", "PLAIN", "GSSAPI"), ("plain", "PLAIN,GSSAPI")),
    "mechanisms": (
        ("PLAIN", "PLAIN,SCRAM-SHA-256", "GSSAPI"),
        ("PLAIN,PLAIN", "PLAIN,", "plain", ",PLAIN"),
    ),
    "jaas.config": (
        (_PLAIN, _SCRAM, _OAUTH),
        (
            _PLAIN.rstrip(";"),
            f"{_PLAIN} {_SCRAM}",
            "PlainLoginModule required;",
            'com.sun.security.auth.module.JndiLoginModule required user.provider.url="ldap://x";',
            _PLAIN.replace("required", ""),
            _PLAIN.replace("required", "needed"),
            _PLAIN.replace('"a"', "a"),
            _PLAIN.replace('"b"', '"b'),
            f"{_JAAS}.plain.PlainLogin required;",
            "KafkaClient { };",
        ),
    ),
    "compression.type": (
        ("gzip", "lz4", "zstd", "snappy"),
        ("GZIP", "none", "producer", "uncompressed", "lzo", "zstd,gzip", "brotli"),
    ),
    "listeners": (
        (
            "PLAINTEXT://localhost:9092",
            "PLAINTEXT://:9092",
            "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
            "PLAINTEXT://0.0.0.0:9092,SSL://0.0.0.0:9094",
            "http://localhost:8083",
            "INTERNAL://localhost:9092,EXTERNAL://localhost:9094",
        ),
        (
            "PLAINTEXT://localhost",
            "localhost:9092",
            "PLAINTEXT:9092",
            "PLAINTEXT://localhost:99999",
            "PLAINTEXT://localhost:9092,PLAINTEXT://localhost:9093",
            "PLAINTEXT://localhost:9092,SSL://localhost:9092",
            "PLAINTEXT://localhost:9092,",
            "plaintext://localhost:9092",
            "PLAINTEXT://local_host:9092",
            "PLAINTEXT//localhost:9092",
            "PLAINTEXT://[::1:9092",
            "https://localhost:8443,http://localhost:8443",
            "ftp://localhost:1",
        ),
    ),
    "protocol.map": (
        (
            "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL",
            "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT,EXTERNAL:SASL_PLAINTEXT",
        ),
        (
            "PLAINTEXT:PLAINTEXT",
            "CONTROLLER:PLAINTEXT",
            "PLAINTEXT:PLAIN,CONTROLLER:PLAINTEXT",
            "PLAINTEXT:PLAINTEXT,PLAINTEXT:SSL,CONTROLLER:PLAINTEXT",
            "PLAINTEXT,CONTROLLER",
            "PLAINTEXT=PLAINTEXT,CONTROLLER=PLAINTEXT",
        ),
    ),
    "listener.name": (("PLAINTEXT", "CONTROLLER"), ("INTERNAL", "plaintext", "PLAINTEXT,SSL")),
    "listener.names": (
        ("CONTROLLER", "CONTROLLER,SSL"),
        ("controller", "PLAINTEXT", "CONTROLLER,CONTROLLER", "CONTROLLER,", "CONTROLLER:9093"),
    ),
    "quorum.voters": (
        ("1@localhost:9093", "1@localhost:9093,3@localhost:9095", "3@localhost:9095"),
        (
            "1@localhost",
            "localhost:9093",
            "1@localhost:9093,1@localhost:9094",
            "1@localhost:9093;2@localhost:9094",
            "a@localhost:9093",
            "1@@localhost:9093",
            "1@localhost:99999",
            "-1@localhost:9093",
            "1@0.0.0.0:9093",
            "1@localhost:9093,",
        ),
    ),
    "bootstrap.servers": (
        ("localhost:1", "localhost:1,localhost:2", "PLAINTEXT://localhost:1", "127.0.0.1:1"),
        (
            "localhost",
            ":9092",
            "localhost:99999",
            "http://localhost:1/",
            "localhost:1,localhost:1",
            "localhost:1,",
            "localhost:1;localhost:2",
            "localhost:a",
            "[::1]:1",
            "localhost:-1",
            "localhost:0",
        ),
    ),
    "process.roles": (
        ("broker", "controller", "broker,controller", "controller,broker"),
        ("Broker", "broker,broker", "broker;controller", "brokers", "controller,"),
    ),
    "zookeeper.connect": (
        ("localhost:2181", "localhost:2181/kafka", "a:2181,b:2181"),
        ("localhost", "localhost:2181,", "http://localhost:2181"),
    ),
    "protocol.version": (
        ("3.0", "3.0-IV1", "2.8", "2.8-IV1", "3.9", "0.11.0"),
        ("3", "4.0", "4.4-IV0", "9.9", "2.8.2", "3.0-IV9", "V3.0"),
    ),
    "format.version": (("3.0", "2.8", "3.0-IV1"), ("0.10", "9.9", "2.8.1", "3")),
    "overrides": (
        ("127.0.0.1:5", "localhost:5,127.0.0.1:6"),
        ("127.0.0.1", "127.0.0.1:", ":5", "127.0.0.1:five", "127.0.0.1=5", "127.0.0.1:5,"),
    ),
    "mapping.rules": (
        ("DEFAULT", "RULE:^CN=(.*?),.*$/$1/", "RULE:^CN=(.*?),.*$/$1/L,DEFAULT"),
        ("RULE:^CN=(.*?)/$1", "default", "RULE", "RULE:[/$1/", "RULE:^CN=(.*?)$/$1/X", "^CN=(.*)$"),
    ),
    "local.rules": (
        ("DEFAULT", "RULE:[1:$1](.*)s/@.*//", "RULE:[2:$1@$0](x.*)s/x/y/,DEFAULT"),
        ("default", "RULE:[1:$1", "RULE", "RULE:[a:$1]", "DEFAULT,"),
    ),
    "identification.algorithm": (("https", "", "HTTPS"), ("http", "null", "none", " ")),
    "listener": (("http", "https"), ("HTTP", "PLAINTEXT", "")),
    "response.http.headers.config": (
        ("add X-A: b", "set X-A:b, add X-B: c", ""),
        ("X-A: b", "put X-A: b", "add X-A", "add X-A: b,", "add : b"),
    ),
    "auto.offset.reset": (
        ("earliest", "latest", "by_duration:PT1H"),
        ("none", "smallest", "Earliest", "by_duration:1h", "by_duration:", "by_duration:-PT1H"),
    ),
    "share.auto.offset.reset": (("earliest", "latest"), ("none", "by_duration:P")),
    "application.server": (("localhost:8080", ""), ("localhost", ":8080", "http://x", "x:99999")),
    "optimization": (
        ("all", "none", "reuse.ktable.source.topics", "merge.repartition.topics"),
        ("ALL", "optimize", "all,none", "reuse.ktable.source.topics,", ""),
    ),
    "throttled.replicas": (("*", "0:1,1:2", ""), ("0", "0:1,", "a:b", "0-1", "all", "*,0:1")),
    "generation.algorithm": (("HmacSHA256", "HmacSHA1"), ("HMACSHA256", "SHA256", "AES", "")),
    "signature.algorithm": (("HmacSHA256", "HmacSHA1"), ("SHA256", "HmacSHA255", "")),
    "verification.algorithms": (
        ("HmacSHA256", "HmacSHA256,HmacSHA1"),
        ("HmacSHA1", "SHA256", "HmacSHA256,", "HmacSHA256,HmacSHA256", ""),
    ),
    "connect.protocol": (("sessioned", "eager", "compatible"), ("Sessioned", "cooperative", "")),
    "override.policy": (
        ("All", "None", "Principal", "Allowlist"),
        ("all", "Any", "org.apache.kafka.connect.connector.policy.All", ""),
    ),
    "connector.class": (
        ("FileStreamSource", "org.apache.kafka.connect.file.FileStreamSinkConnector"),
        ("FileStreamSourceConnecter", "java.lang.String", "", "filestreamsource"),
    ),
    "clusters": (("a,b", "a, b", "b,a"), ("a", "a,b,c", "a,b,", "a;b", "")),
    "cluster.alias": (("a", "b"), ("", "a.b", "a,b")),
    "topics": (("orders", "orders,payments", ".*"), ("", "orders,,payments", "orders,orders", "[")),
    "regex": (("orders.*", ".*"), ("[", "(", "*", "")),
    "policy.separator": ((".", "-", "_"), ("", ",", "/")),
    "log.dirs": (("/data/a", "/data/a,/data/b"), ("", "/data/a,/data/a", "/data/a,", ",")),
    "log.dir": (("/data/a",), ("", "/data/a,/data/b")),
    "config.providers": (("", "env"), ("env,env", "env,", ",", "nosuch")),
    "ssl.protocol": (("TLS", "TLSv1.2", "TLSv1.3"), ("SSLv3", "TLSv1.4", "tls", "")),
    "ssl.provider": (("SunJSSE",), ("nosuch", "")),
    "enabled.protocols": (
        ("TLSv1.2", "TLSv1.2,TLSv1.3"),
        ("TLSv1.4", "tlsv1.2", "TLSv1.2,", "TLSv1.2,TLSv1.2", "TLSv1.2;TLSv1.3", "SSLv3"),
    ),
    "cipher.suites": (("TLS_AES_128_GCM_SHA256",), ("nosuch", "", ",")),
    "keymanager.algorithm": (("SunX509", "PKIX"), ("nosuch", "")),
    "trustmanager.algorithm": (("PKIX", "SunX509"), ("nosuch", "")),
    "store.type": (("JKS", "PKCS12", "PEM"), ("pem", "P12", "")),
    "keystore.type": (("JKS", "PKCS12", "PEM"), ("pem", "P12", "")),
    "truststore.type": (("JKS", "PKCS12", "PEM"), ("pem", "P12", "")),
    "random.implementation": (("SHA1PRNG",), ("nosuch", "")),
    "transforms": (("", "t"), ("t,t", "t,", "nosuch")),
    "predicates": (("",), ("p", "p,p")),
    "groups": (("", "extra"), ("extra,extra", "default", "a b")),
    "broker.rack": (("r1", ""), (" ", "null")),
    "codec": (("0", "1", "4"), ("5", "-1", "gzip", "none")),
    "assignors": (
        ("uniform", "range", "simple"),
        ("uniform,uniform", "Uniform", "sticky", "nosuch"),
    ),
    "protocols": (
        ("classic", "classic,consumer"),
        ("consumer", "Classic", "classic,classic", "kip"),
    ),
    "scope": (("a b",), ("",)),
    "url": (("http://localhost:1/token", "file:/no/such"), ("localhost", "", "token")),
}

#: Ending of a key → the interface that its class implements (as classes.tsv names it), and whether
#: the key holds several of them.
_INTERFACES: dict[str, tuple[str, bool]] = {
    "serializer": ("Serializer", False),
    "deserializer": ("Deserializer", False),
    "partitioner.class": ("Partitioner", False),
    "assignment.strategy": ("ConsumerPartitionAssignor", True),
    "metric.reporters": ("MetricsReporter", True),
    "metrics.reporters": ("MetricsReporter", True),
    "interceptor.classes": ("Interceptor", True),
    "extension.classes": ("ConnectRestExtension", True),
    "callback.handler.class": ("AuthenticateCallbackHandler", False),
    "login.class": ("Login", False),
    "builder.class": ("KafkaPrincipalBuilder", False),
    "converter": ("Converter", False),
    "authorizer.class.name": ("Authorizer", False),
    "serde": ("Serde", False),
    "inner": ("Serde", False),
    "class.serde": ("Serde", False),
    "extractor": ("TimestampExtractor", False),
    "exception.handler": ("ExceptionHandler", False),
    "replication.policy.class": ("ReplicationPolicy", False),
    "topic.filter.class": ("TopicFilter", False),
    "group.filter.class": ("GroupFilter", False),
    "filter.class": ("ConfigPropertyFilter", False),
    "override.policy": ("ConnectorClientConfigOverridePolicy", False),
    "connector.class": ("Connector", False),
    "consumer.assignors": ("ConsumerGroupPartitionAssignor", True),
    "share.assignors": ("ShareGroupPartitionAssignor", True),
    "task.assignor.class": ("TaskAssignor", False),
    "selector.class": ("ReplicaSelector", False),
    "security.providers": ("SecurityProviderCreator", True),
    "manager.class.name": ("Manager", False),
    "policy.class.name": ("Policy", False),
    "jwt.retriever.class": ("JwtRetriever", False),
    "jwt.validator.class": ("JwtValidator", False),
    "config.setter": ("RocksDBConfigSetter", False),
    "suppliers.class": ("DslStoreSuppliers", False),
    "supplier": ("KafkaClientSupplier", False),
    "wrapper.class": ("ProcessorWrapper", False),
    "admin.class": ("ForwardingAdmin", False),
    "factory.class": ("SslEngineFactory", False),
    "type": ("Transformation", False),
}
_FOREIGN = (
    *("java.lang.String", "java.lang.Object", "java.util.ArrayList", "java.lang.Runnable"),
    *("com.example.Missing", "nosuch", "Nosuch", "int", "", " ", "null", "x y"),
    *("org.apache.kafka.Missing", "org.apache.kafka.common.Missing"),
)
_UNITS = ("ms", "s", " ms", " seconds", "m", "h", "d", "KB", "MB", "GB", "k", "L", "%")
_NO_NUMBERS = ("", " ", "null", "none", "ten", "1.5", "1e3", "1_000", "1,000", "0x10", '"5"', "5;")
_FLAGS = ("yes", "no", "1", "0", "on", "off", "", "tru", "null", '"true"', "true,", "t", "enabled")
_TEXTS = ("", "a", "null", "none", "x y", "/no/such", "A,B", "1", "ü", "a" * 300, "true", "a.b-c_d")
_REFERENCES = (
    *("${env:HOME}", "${env:NOSUCH_VARIABLE}", "${file:/no/such:key}", "${file:/etc/hostname:x}"),
    *(
        "${dir:/no/such:key}",
        "${directory:/no:such}",
        "${secrets:db:password}",
        "${env:}",
        "${HOME}",
    ),
)


def reference(rng: Random) -> str:
    """A text with a reference to a provider of values."""
    text = rng.choice(_REFERENCES)
    return rng.choice((text, text, text, f"a{text}", f"{text}b"))


def _phrases(name: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    parts = name.split(".")
    for at in range(len(parts)):
        found = _PHRASES.get(".".join(parts[at:]))
        if found is not None and any(found):
            return found
    return None


def interface(key: Key) -> tuple[str, bool] | None:
    """(the interface of the classes that the key names, whether it names several)."""
    parts = key.name.split(".")
    for at in range(len(parts)):
        found = _INTERFACES.get(".".join(parts[at:]))
        if found is not None and (
            key.type in ("class", "list") or found[0] not in ("Transformation",)
        ):
            return found
    return ("", False) if key.type == "class" else None


def of_interface(kind: str) -> list[str]:
    """The classes of Kafka's that implement it, or an interface whose name ends so."""
    return [name for name, kinds in classes().items() if any(one.endswith(kind) for one in kinds)]


def good(rng: Random, key: Key, near: tuple[int, ...] = ()) -> str:
    """A text that is likely to be taken; a number may lie beside one of the near ones."""
    if key.samples and rng.random() < 0.6:
        return key.samples[0]
    if key.type in _BITS:
        return str(_number(rng, key, near))
    if key.type == "double":
        return rng.choice([*key.defaults, *key.ends, "0.5", "1", "0.25", "1.0"])
    if key.type == "boolean":
        return rng.choice(("true", "false"))
    named = interface(key)
    if named is not None and (key.type in ("class", "list") or not key.words):
        mine = [*of_interface(named[0]), *key.defaults]
        if mine:
            some = rng.sample(mine, min(len(mine), rng.choice((1, 1, 2)))) if named[1] else None
            return ",".join(some) if some else rng.choice(mine)
    if key.words:
        if key.type == "list" and len(key.words) > 1 and rng.random() < 0.4:
            return ",".join(rng.sample(key.words, 2))
        return rng.choice(key.words)
    phrases = _phrases(key.name)
    if phrases is not None and phrases[0]:
        return rng.choice(phrases[0])
    return rng.choice(key.defaults or ["a"])


def _number(rng: Random, key: Key, near: tuple[int, ...]) -> int:
    most = 2 ** _BITS[key.type] - 1
    low = min((int(end) for end in key.ends if "." not in end), default=0)
    if near and rng.random() < 0.5:
        # On this side or that of what the others hold, as far as the type goes.
        number = rng.choice(near) + rng.choice((-1, 0, 1))
        number = rng.choice((number, number, number * 2, number // 2))
        return max(low, min(most, number))
    pool = [int(text) for text in key.defaults if text.lstrip("-").isdigit()]
    pool += [low, low + 1, max(1, low) * 2]
    pool += [number * 2 for number in pool] + [number // 2 for number in pool]
    pool.append(rng.choice((1, 5, 10, 100, 1000, 30_000, 60_000, 2**20, 2**30, most)))
    number = rng.choice(pool)
    return number if low <= number <= most or rng.random() < 0.2 else max(low, 1)


def slip(rng: Random, key: Key) -> str:
    """A text that somebody may write by mistake: mostly one that is refused."""
    if rng.random() < 0.04:
        return reference(rng)
    if len(key.samples) > 1 and rng.random() < 0.6:
        return rng.choice(key.samples[1:])
    if key.type in _BITS:
        return _no_number(rng, key)
    if key.type == "double":
        ends = [float(end) for end in key.ends]
        return rng.choice(
            [*(str(end + step) for end in ends for step in (-0.01, 0.01))] * 2
            + [*_NO_NUMBERS, "NaN", "-1", "-0.5", "50%", "0,5", "1e400"]
        )
    if key.type == "boolean":
        return rng.choice(_FLAGS)
    named = interface(key)
    if named is not None and (key.type in ("class", "list") or not key.words):
        return _no_class(rng, key, *named)
    if key.words:
        return _no_word(rng, key)
    phrases = _phrases(key.name)
    if phrases is not None and phrases[1]:
        return rng.choice((*phrases[1], *phrases[1], "", "null", " "))
    if key.type == "list":
        return _odd_list(rng, good(rng, key))
    return rng.choice(_TEXTS)


def _no_number(rng: Random, key: Key) -> str:
    bits = _BITS[key.type]
    ends = [int(end) for end in key.ends if "." not in end]
    way = rng.randrange(8)
    if way < 3 and ends:
        return str(rng.choice(ends) + rng.choice((-1, -1, 1, -2)))
    if way == 3:
        return str(rng.choice((-1, -2, 0, -1000, -(2**bits))))
    if way == 4:
        return str(rng.choice((2**bits, 2**bits - 1, -(2**bits) - 1, 10**20)))
    if way == 5:
        return f"{rng.choice((1, 5, 10, 100))}{rng.choice(_UNITS)}"
    if way == 6:
        plain = (key.defaults or ["1"])[0].lstrip("-")
        return rng.choice(
            (f"{plain}.0", f"+{plain}", f"00{plain}", f"{plain} # c", f"{plain},", f"- {plain}")
        )
    return rng.choice(_NO_NUMBERS)


def _no_word(rng: Random, key: Key) -> str:
    word = rng.choice(key.words)
    ways = [
        *(word.upper(), word.lower(), word.title(), word[:-1], f"{word}s", f"{word},{word}"),
        *(
            "",
            " ",
            "null",
            "nosuch",
            f'"{word}"',
            f"{word} # c",
            word.replace("_", "-"),
            f"{word},",
        ),
        *(",".join(key.words[:2]), f"{word};{word}", f"{word} {word}"),
    ]
    return rng.choice(ways)


def _no_class(rng: Random, key: Key, kind: str, several: bool) -> str:
    """A class that is none, one of another kind, or a name that is nearly right."""
    mine = [*of_interface(kind), *key.defaults] if kind else [*key.defaults]
    others = [name for name in classes() if name not in mine]
    right = rng.choice(mine) if mine else rng.choice(others)
    way = rng.randrange(7)
    if way == 0:
        text = rng.choice(_FOREIGN)
    elif way == 1:
        text = rng.choice(others)
    elif way == 2:
        text = rng.choice(types())
    elif way == 3:
        # The bare name, as documentation and other languages have it.
        text = right.rpartition(".")[2]
    elif way == 4:
        package, _, name = right.rpartition(".")
        text = rng.choice(
            (
                f"{package}.{name[:-1]}",
                f"{package}.{name}s",
                f"{package}.{name[:1].lower()}{name[1:]}",
                right.replace("org.apache.kafka.", "org.apache.kafka.clients.", 1),
                right.replace("common", "commons", 1),
                right.replace(".", "/"),
                right.lower(),
                f"{right}.class",
                f"{package}.internals.{name}",
            )
        )
    elif way == 5 and several:
        text = _odd_list(rng, right)
    else:
        text = rng.choice(
            (f"{right} # c", f'"{right}"', f"{right},", f"{right};", f"{right},{right}")
        )
    return f"{right},{text}" if several and way < 5 and rng.random() < 0.2 else text


def _odd_list(rng: Random, text: str) -> str:
    first = text.split(",")[0] or "a"
    forms = (
        "{0},{0}",
        "{0},",
        ",{0}",
        "{0},,{0}b",
        "",
        ",",
        " ",
        "{0};{0}b",
        "[{0}]",
        "{0} {0}b",
        "null",
    )
    return rng.choice(forms).format(first)

"""No secret leaves kcheck, in no format, message or source line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kcheck import catalogue, data, report, secrets
from kcheck.__main__ import main
from kcheck.model import Finding, Resource
from kcheck.report.source import Shown

sys.path.insert(0, str(Path(__file__).resolve().parent / "report"))
from made import Files, found, inherited, run

PLANES = sorted(
    path.stem
    for path in (Path(__file__).resolve().parent.parent / "schemas" / "kafka").glob("*.tsv")
    if path.stem
    not in ("constants", "releases", "topic-fallback", "client-metrics", "protocols", "types")
)


@pytest.mark.parametrize("plane", PLANES)
def test_every_password_of_the_catalogue_is_known_by_its_name(plane: str) -> None:
    rows = data.rows(f"kafka/{plane}.tsv")
    assert rows
    for key, _versions, kind, *_ in rows:
        if kind == "password":
            assert secrets.is_secret(key), key


@pytest.mark.parametrize("plane", ["broker", "producer", "consumer", "topic", "streams", "admin"])
def test_ordinary_keys_are_shown(plane: str) -> None:
    hidden = {
        key
        for key in catalogue.plane(plane).keys()  # noqa: SIM118 - not a mapping
        if secrets.is_secret(key)
        and all(fact.type != "password" for fact in catalogue.plane(plane).history(key))
    }
    assert not hidden


@pytest.mark.parametrize(
    "key",
    [
        "sasl.jaas.config",
        "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config",
        "KAFKA_LISTENER_NAME_INTERNAL_PLAIN_SASL_JAAS_CONFIG",
        "KAFKA_SSL_KEY_PASSWORD",
        "producer.ssl.keystore.key",
        "sasl.password",
        "sasl_plain_password",
        "ssl.key.pem",
        "basic.auth.user.info",
        "aws.secret.access.key",
        "azure.account.key",
        "database.password",
        "connection.password",
        "clientSecret",
        "client.secret",
        "bearer.auth.token",
        "gcs.credentials.json",
        "confluent.license",
        "KAFKA_CLIENT_PASSWORDS_1_PASSWORD",
        "apiKey",
    ],
)
def test_secret_keys(key: str) -> None:
    assert secrets.shown(key, "swordfish") == "[hidden]"


@pytest.mark.parametrize(
    "key",
    [
        "basic.auth.credentials.source",
        "sasl.oauthbearer.token.endpoint.url",
        "delegation.token.max.lifetime.ms",
        "password.encoder.iterations",
        "ssl.keystore.location",
        "key.serializer",
        "key.converter",
        "transforms.insert.static.key",
        "config.providers.secrets.class",
        "message.key.columns",
        "errors.deadletterqueue.topic.name",
    ],
)
def test_harmless_keys(key: str) -> None:
    assert secrets.shown(key, "value") == "value"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://user:pw@host/x", "http://user:[hidden]@host/x"),
        ("http://user:p@w@host/x", "http://user:[hidden]@host/x"),
        ("mongodb://u:pw1@a:1,b:2/x?y=z", "mongodb://u:[hidden]@a:1,b:2/x?y=z"),
        (
            "jdbc:mysql://h/db?user=a&password=pw&x=1",
            "jdbc:mysql://h/db?user=a&password=[hidden]&x=1",
        ),
        (
            'PlainLoginModule required username="a" password="b c";',
            'PlainLoginModule required username="a" password="[hidden]";',
        ),
        (
            "required user_admin=\"pw\" user_bob='pw';",
            "required user_admin=\"[hidden]\" user_bob='[hidden]';",
        ),
        ("http://u:p/w@h", "http://u:[hidden]@h"),
        ("http://u:p@h1,http://u:q@h2", "http://u:[hidden]@h1,http://u:[hidden]@h2"),
        ("http://host:8080/a@b", "http://host:8080/a@b"),
        ("http://host/a:b@c", "http://host/a:b@c"),
        ("mail me@x and http://u:p@h", "mail me@x and http://u:[hidden]@h"),
        ("PLAINTEXT://:9092,SSL://host:9093", "PLAINTEXT://:9092,SSL://host:9093"),
        ("1@host:9093,2@host:9093", "1@host:9093,2@host:9093"),
        ("min.insync.replicas=2", "min.insync.replicas=2"),
        ("key=value", "key=value"),
        ("ssl.key.password=pw", "ssl.key.password=[hidden]"),
        ('{"database.password": "pw", "x": 1}', '{"database.password": "[hidden]", "x": 1}'),
        ("- SSL_KEY_PASSWORD=pw", "- SSL_KEY_PASSWORD=[hidden]"),
        ('password="never closed', 'password="[hidden]'),
        ("password=[hidden]", "password=[hidden]"),
        ("sasl.jaas.config=x y z", "sasl.jaas.config=[hidden]"),
    ],
)
def test_secrets_inside_a_text(text: str, shown: str) -> None:
    assert secrets.scrubbed(text) == shown


@pytest.mark.parametrize(
    "part", ["key", "a://b:", "key ", "user=", 'x="', "password:", "http://a:b/", "a://b:@", "@"]
)
def test_a_hostile_line_takes_no_time(part: str) -> None:
    import time

    line = "key://@=" + part * (200_000 // len(part))
    start = time.process_time()
    secrets.spans(line)
    assert time.process_time() - start < 3


def test_a_colon_in_a_sentence_is_no_assignment() -> None:
    sentence = "it connects without credentials: a listener closes, password: none"
    assert secrets.scrubbed(sentence, prose=True) == sentence
    assert secrets.scrubbed("password: none") == "password: [hidden]"
    assert secrets.scrubbed("set password=none", prose=True) == "set password=[hidden]"


def test_a_secret_that_is_a_word_leaves_the_words_of_a_sentence_alone() -> None:
    sentence = "ssl.key.password is password, and password."
    assert secrets.without(sentence, ["password"]) == (
        "ssl.key.password is [hidden], and [hidden]."
    )


def test_a_secret_that_is_a_kind_leaves_the_kind_that_opens_a_sentence() -> None:
    sentence = "admin admin.properties logs in as admin"
    assert secrets.without(sentence, ["admin"]) == "admin admin.properties logs in as [hidden]"
    assert secrets.without("swordfish is set", ["swordfish"]) == "[hidden] is set"


def test_the_longest_secret_goes_first() -> None:
    assert secrets.without("it is abc123def", ["abc123", "abc123def"]) == "it is [hidden]"


SECRET = "Sw0rdfish!"
JAAS = (
    f'org.x.PlainLoginModule required username="admin" password="{SECRET}" user_admin="{SECRET}2";'
)


def planted() -> tuple[Files, list[object]]:
    """Findings about secrets, beside secrets, and with secrets in every sentence."""
    files = Files(
        server_properties=(
            f"ssl.key.password={SECRET}\n"
            f"listener.name.a.plain.sasl.jaas.config={JAAS}\n"
            "broker.id=1\n"
            f"a=x, ssl.key.password {SECRET}\n"
        ),
        a_yaml=(
            f'config: {{ssl.key.password: "{SECRET}", acks: "1", u: "http://u:{SECRET}@h"}}\n'
            "sasl.jaas.config: |\n"
            "  required\n"
            f"  {SECRET}\n"
            "acks: 1\n"
        ),
    )
    broker = files.resource("broker", "1", "server.properties")
    client = files.resource("producer", "p", "a.yaml")
    password = files.set(broker, "ssl.key.password", SECRET)
    jaas = files.set(broker, "listener.name.a.plain.sasl.jaas.config", JAAS)
    near = files.set(broker, "a", f"x, ssl.key.password {SECRET}")
    files.set(client, "ssl.key.password", f'"{SECRET}"')
    block = files.set(client, "sasl.jaas.config", f"|\n  required\n  {SECRET}")
    acks = files.set(client, "acks", '"1"')
    url = files.set(client, "u", f'"http://u:{SECRET}@h"')
    wrong = f"the value {SECRET} of {JAAS} is wrong, http://u:{SECRET}@h too"
    findings = [
        found(wrong, value, acks, owner=owner, breaks=wrong, fix=wrong, set_to=f"{SECRET}x")
        for owner in (broker, client)
        for value in (password, jaas, near, block, acks, url)
    ]
    return files, list(findings)


@pytest.mark.parametrize("format", report.FORMATS)
def test_no_format_shows_a_secret(format: str) -> None:
    files, findings = planted()
    made = run(files, *findings)  # type: ignore[arg-type]
    for color in (False, True):
        out = report.render(format, made, color)
        assert out
        assert SECRET not in out
        assert "[hidden]" in out
    assert SECRET not in report.footer(made)


def test_carets_stand_under_what_hides_a_secret() -> None:
    files, _ = planted()
    password = files.documents["server.properties"].resources[0].settings["ssl.key.password"]
    from kcheck.model import SET, Value

    owner = files.documents["server.properties"].resources[0]
    value = Value("ssl.key.password", owner, SET, password.text, password.text, True, password)
    rows = report.render("text", run(files, found("m", value))).split("\n")
    assert rows[3:5] == ["1 | ssl.key.password=[hidden]", "  |                  ^^^^^^^^"]


def test_a_place_beside_a_secret_keeps_its_caret() -> None:
    files, _ = planted()
    client = files.documents["a.yaml"].resources[0]
    from kcheck.model import SET, Value

    setting = client.settings["acks"]
    value = Value("acks", client, SET, "1", "1", True, setting)
    rows = report.render("text", run(files, found("m", value))).split("\n")
    assert (
        rows[3] == '1 | config: {ssl.key.password: [hidden], acks: "1", u: "http://u:[hidden]@h"}'
    )
    assert rows[3][rows[4].index("^") : rows[4].rindex("^") + 1] == '"1"'


def test_the_field_that_a_secret_is_made_of_is_shown() -> None:
    """A reader makes sasl.jaas.config of a reference to a Secret, at the first field of its block."""
    files, _ = planted()
    client = files.documents["a.yaml"].resources[0]
    from kcheck.model import SET, Setting, Value

    setting = client.settings["acks"]
    made = Setting("sasl.jaas.config", None, setting.path, setting.at)
    client.image["sasl.jaas.config"] = made
    value = Value("acks", client, SET, "1", "1", True, setting)
    rows = report.render("text", run(files, found("m", value))).split("\n")
    assert 'acks: "1"' in rows[3]


def test_a_secret_that_another_resource_inherits() -> None:
    files = Files(server_properties=f"ssl.key.password={SECRET}\n", a_yaml="topics:\n")
    broker = files.resource("broker", "1", "server.properties")
    topic = files.resource("topic", "orders", "a.yaml", "topics")
    value = inherited(files.set(broker, "ssl.key.password", SECRET), topic, "x")
    made = found(f"{SECRET} is no good", value)
    for format in report.FORMATS:
        assert SECRET not in report.render(format, run(files, made))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (1, "1 | ssl.key.password: [hidden]"),
        (4, "4 |   [hidden]"),
        (5, "5 |   [hidden]"),
        (6, "6 | acks: 1"),
    ],
    ids=["in a file that nobody could parse", "in a block", "its last line", "below it"],
)
def test_secrets_in_a_source_line(line: int, shown: str) -> None:
    files = Files(
        a_yaml=f"ssl.key.password: {SECRET}\n---\nsasl.jaas.config: |\n  one {SECRET}\n"
        f"  two {SECRET}\nacks: 1\n"
    )
    client = files.resource("producer", "p", "a.yaml", "---")
    files.set(client, "sasl.jaas.config", f"|\n  one {SECRET}\n  two {SECRET}")
    owner = Resource("file", "a.yaml", "a.yaml")
    made = Finding("m", owner, (), "a.yaml", (line, 3, line, 4), severity="error")
    made.code, made.name = "KC0001", "unreadable-file"
    assert report.render("text", run(files, made)).split("\n")[3] == shown


def test_a_place_that_ends_inside_of_a_secret() -> None:
    line = Shown("a=bcdefg", 0, 8, [(4, 6)])
    assert line.text == "a=bc[hidden]fg"
    assert line.extent(2, 5) == (2, 10)
    assert line.extent(5, 8) == (4, 10)


KEYS = st.sampled_from(
    [
        "ssl.key.password",
        "sasl.jaas.config",
        "listener.name.x.ssl.keystore.password",
        "delegation.token.secret.key",
        "no.such.password",
    ]
)
# Long enough for the base64 of a page not to hold them by chance.
FIRST, LAST = "ZQXKZQXJ", "XQZJXQZK"
# Uppercase, so that no secret is a part of what kcheck itself writes.
WORDS = st.text("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789!$%&/()=?+*;.,_#-: \"'", max_size=20).map(
    lambda text: f"{FIRST}{text}{LAST}"
)


@given(key=KEYS, secret=WORDS, quote=st.sampled_from(["", '"', "'"]))
@example(key="sasl.jaas.config", secret=f'{FIRST} password="{FIRST} {LAST}";{LAST}', quote="")
def test_lint_of_files_with_secrets(
    tmp_path_factory: pytest.TempPathFactory, key: str, secret: str, quote: str
) -> None:
    folder = tmp_path_factory.mktemp("leak")
    (folder / "server.properties").write_text(
        f"broker.id=x\n{key}={secret}\nzookeeper.connect=zk:2181\nnum.io.threads=0\n"
        f"{key}={secret}\n"
    )
    scalar = (
        '"' + secret.replace('"', '\\"') + '"'
        if quote != "'"
        else ("'" + secret.replace("'", "''") + "'")
    )
    (folder / "kcheck.yaml").write_text(
        "kcheck: 1\n"
        "producers:\n"
        f"  - {{name: p, config: {{{key}: {scalar}, acks: yes, {key}: {scalar}}}, bogus: 1}}\n"
    )
    (folder / "broken.yaml").write_text(f"kcheck: 1\ncluster: {{{key}: {scalar}\n")
    reports = tmp_path_factory.mktemp("reports")
    out = _lint(folder, *(f"--output={format}={reports / format}" for format in report.FORMATS))
    written = [path.read_text() for path in reports.iterdir()]
    assert len(written) == len(report.FORMATS)
    for text in (out, *written):
        assert FIRST not in text
        assert LAST not in text


def _lint(folder: Path, *outputs: str) -> str:
    import contextlib
    import io
    import os

    before = os.getcwd()
    out = io.StringIO()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = main(["lint", *outputs, "--extend-select", "all", "."])
    finally:
        os.chdir(before)
    assert code in (0, 1, 2)
    return out.getvalue()


@pytest.mark.parametrize("format", ["text", "json"])
@pytest.mark.parametrize("what", [[], ["broker"], ["producer"]])
def test_show_hides_what_it_lists(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    format: str,
    what: list[str],
) -> None:
    (tmp_path / "kcheck.yaml").write_text(
        f"cluster: {{brokers: 1, config: {{ssl.key.password: {SECRET}}}}}\n"
        f"producers: [{{name: p, config: {{sasl.jaas.config: '{JAAS}'}}}}]\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["show", *what, "--output", format]) == 0
    out = "".join(capsys.readouterr())
    assert "[hidden]" in out
    assert SECRET not in out


@pytest.mark.parametrize(
    "part",
    [
        *('password="\n', "-u a:", "=-a b", '-a "', "A1b2C3d4E5f6G7h8_", "name: password\n", "[a]"),
        *(
            "kind: Secret\ndata:\n a: b\n",
            "-----BEGIN ",
            "password='''",
            "password: <<A\n",
            "?key=",
        ),
        *("password=\\\n", "--password\n- ", 'variable "a_password" {', "Bearer ", "eyJabcdefg."),
        *(
            "\n password: |\n  a",
            "passwords: [\n",
            'user_a="',
            "jdbc:oracle:thin:a/",
            "password:\n ",
        ),
        *("sasl.jaas.config=", "Authorization: ", " \t", "a.b.c.", "  - password:\n", "ENV a b\n"),
    ],
)
def test_a_hostile_text_takes_no_time(part: str) -> None:
    import time

    text = "key://@=" + part * (200_000 // len(part))
    lines = text.split("\n")
    start = time.process_time()
    secrets.spans(text)
    secrets.spans(text, prose=True)
    secrets.is_secret(text)
    for at in range(min(len(lines) - 1, 100)):
        secrets.reach(lines, at)
    assert time.process_time() - start < 3


MISSPELT = [
    *("ssl.keystore.pasword", "ssl.keystore.kye", "sasl.jaas.confg", "password.encoder.secrt"),
    *("KAFKA_SSL_TRUSTORE_PASWORD", "bearer.auth.tokn", "basic.auth.user.inf", "private.kye"),
]


@pytest.mark.parametrize("key", MISSPELT)
def test_a_misspelt_secret_is_one(key: str) -> None:
    assert secrets.shown(key, "swordfish") == "[hidden]"


@pytest.mark.parametrize("plane", PLANES)
def test_two_edits_hide_no_name_of_a_secret(plane: str) -> None:
    """Of each password of the catalogue, misspelt at random behind its first words."""
    import random
    import string

    chance = random.Random(plane)
    missed, tried = [], 0
    for key, _versions, kind, *_ in data.rows(f"kafka/{plane}.tsv"):
        if kind != "password":
            continue
        for _ in range(60):
            made = key
            for _ in range(chance.randrange(1, 3)):
                at = chance.randrange(len(made))
                letter = chance.choice(string.ascii_lowercase)
                swapped = made[:at] + made[at + 1 : at + 2] + made[at : at + 1] + made[at + 2 :]
                made = chance.choice(
                    [made[:at] + made[at + 1 :], made[:at] + letter + made[at:]]
                    + [made[:at] + letter + made[at + 1 :], swapped]
                )
            tried += 1
            if not secrets.is_secret(made):
                missed.append(made)
    # Two swaps, or a swap among other letters, are more edits than two by the plain measure.
    assert len(missed) <= tried * 0.02, missed


@pytest.mark.parametrize(
    "key",
    [
        *("tls.cipher.suites", "secretRef", "imagePullSecrets", "tokenEndpointUri", "cluster.info"),
        *("NUM_STREAM_THREADS_CONFIG", "secret.santa", "password.resets", "token.bucket"),
        *("config.providers.secret.param.kafkastore.topic", "max.poll.records", "socket", "bypass"),
        *("passwordFile", "secret.name", "credentials.provider", "ssl.keystore.type"),
    ],
)
def test_what_only_looks_alike_is_shown(key: str) -> None:
    assert secrets.shown(key, "value") == "value"


@pytest.mark.parametrize(
    "value",
    [
        *("${DB_PASSWORD}", "${env:DB_PASSWORD}", "${file:/run/secrets.properties:pw}", "true"),
        *("{{ vault_password }}", "$(PASSWORD)", "<password>", "********"),
    ],
)
def test_what_stands_for_a_secret_is_none(value: str) -> None:
    assert secrets.shown("ssl.key.password", value) == value


@pytest.mark.parametrize("value", ["${DB_PASSWORD:-sword}", "{{ pw | default('sword') }}"])
def test_the_default_of_a_placeholder_is_one(value: str) -> None:
    assert secrets.shown("ssl.key.password", value) == "[hidden]"


@pytest.mark.parametrize(
    "text",
    [
        *("TOKEN:SSL,INTERNAL:SASL_SSL", "TOKEN://0.0.0.0:9092", "1@host:9093,2@host:9093"),
        *("./data/aws_credentials:/root/.aws/credentials", "io.x.S3SinkConnectorV2Config"),
        *("CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qk", "image: kafka@sha256:" + "0a1b2c3d" * 8),
        *("logs in by basic authentication.", "orders-2024-v1-eu-west-1-retry"),
        *("User:alice@EXAMPLE.COM", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "user: 1000:1000"),
        *("org.apache.kafka.common.config.provider.FileConfigProvider", "authorization: simple"),
    ],
)
def test_what_is_no_secret_stays_in_a_text(text: str) -> None:
    assert secrets.scrubbed(text) == text


def test_a_name_is_scrubbed() -> None:
    from kcheck.report.shown import named

    assert named("orders") == "orders"
    assert named("http://u:pw@host") == "http://u:[hidden]@host"
    assert named("ssl.key.password=hunter2") == "ssl.key.password=[hidden]"


def test_a_secret_of_kubernetes_hides_what_it_holds() -> None:
    text = (
        "kind: Secret\ndata:\n  db: aHVudGVy\n  a.properties: |\n    acks=all\n---\ndata:\n  a: b\n"
    )
    assert secrets.scrubbed(text) == text.replace("aHVudGVy", "[hidden]")


def test_a_look_finds_what_reading_finds() -> None:
    """Whatever is hidden when a file is read as a whole bears a sign in reach of its line."""
    sys.path.insert(0, str(Path(__file__).resolve().parent / "secrecy"))
    import planted

    for text in planted.project(planted.Canaries(4)).values():
        lines = text.split("\n")
        for at, spans in enumerate(secrets.spans_of_lines(lines, 0, len(lines))):
            assert not spans or secrets.reach(lines, at), lines[at]

"""Reading ``.properties``: settings, places, identities, and what Java reads otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spans import properties_value, under

from kcheck import formats
from kcheck.model import ERROR, FAILED, INFO, PASSED_OVER, READ, WARNING, Document, Resource


def read(path: str, text: str | bytes) -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    return formats.read(path, data, lambda _: None)


def only(path: str, text: str | bytes) -> Resource:
    document = read(path, text)
    assert document.status == READ, document.reason
    assert len(document.resources) == 1
    return document.resources[0]


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def test_values_are_trimmed_and_keep_their_raw_text() -> None:
    broker = only("server.properties", "broker.id = 1 \nlog.dirs:/a, /b\nnum.partitions 3\n")
    assert texts(broker) == {"broker.id": "1", "log.dirs": "/a, /b", "num.partitions": "3"}
    assert broker.settings["broker.id"].raw == "1 "


def test_a_note_behind_a_value_is_part_of_it() -> None:
    broker = only("server.properties", "broker.id=1\ndefault.replication.factor=1  # for now\n")
    assert broker.settings["default.replication.factor"].text == "1  # for now"


def test_an_empty_value_is_a_value() -> None:
    client = only(
        "client.properties", "bootstrap.servers=k:9092\nssl.endpoint.identification.algorithm=\n"
    )
    assert client.settings["ssl.endpoint.identification.algorithm"].text == ""


def test_the_last_of_duplicates_wins_and_the_others_are_remembered() -> None:
    broker = only("server.properties", "broker.id=1\nlog.dirs=/a\nlog.dirs=/b\nlog.dirs=/c\n")
    assert broker.settings["log.dirs"].text == "/c"
    replaced = [(old.text, old.at[0], new.text, new.at[0]) for old, new in broker.earlier]
    assert replaced == [("/a", 2, "/b", 3), ("/b", 3, "/c", 4)]


def test_positions_of_a_value_over_several_lines() -> None:
    text = "broker.id=1\r\nsasl.jaas.config=a.Login required \\\r\n    user=\\u0062;\r\nlog.dirs=C\\:/k"
    broker = only("server.properties", text)
    jaas = broker.settings["sasl.jaas.config"]
    assert jaas.raw == "a.Login required user=b;"
    assert (jaas.at, jaas.key_at) == ((2, 18, 3, 17), (2, 1, 2, 17))
    assert properties_value(text, jaas) == jaas.raw
    assert broker.settings["log.dirs"].text == "C:/k"


@pytest.mark.parametrize(
    "value",
    [
        "${HOST}:9092",
        "{{ kafka_host }}:9092",
        "<%= @host %>",
        ":BOOTSTRAP_SERVERS:",
        "<your-namespace>.servicebus.windows.net:9093",
        "[host]:[port]",
        "__BROKERS__",
        "%BROKERS%",
        "SSL://%A_B%:9092",
        "$BROKERS",
        "@kafka.host@",
        "{API Key or Username}",
        "[CHANGEME!!!]",
        "{KAFKA.IP.1}:{KAFKA.PORT1},{KAFKA.IP.2}:9092,etc",
    ],
)
def test_a_placeholder_is_an_unknown_value(value: str) -> None:
    client = only("client.properties", f"bootstrap.servers={value}\nsecurity.protocol=SSL\n")
    assert client.settings["bootstrap.servers"].text is None
    assert client.settings["security.protocol"].text == "SSL"


@pytest.mark.parametrize(
    "value",
    [
        "$Default",
        "[::1]:9092",
        "a{2,3}",
        "RULE:^CN=(.*?),.*$/$1/L",
        "__consumer_offsets",
        "a%C3%A4",
        "%d%",
        "%AB%",
    ],
)
def test_what_only_looks_like_a_placeholder_is_known(value: str) -> None:
    client = only("client.properties", f"bootstrap.servers=k:9092\ngroup.id={value}\n")
    assert client.settings["group.id"].text == value


def test_a_connector_without_topics_is_a_form() -> None:
    text = "name=a\nconnector.class=FileStreamSink\ntasks.max=1\n"
    form = read("a.properties", f"{text}topics=\nfile=\n")
    assert (form.status, form.reason) == (PASSED_OVER, "a template: it has no topics yet")
    for more in ("file=/in\n", "topics=t\n", "topics=\ntopics.regex=t.*\n"):
        assert only("a.properties", text + more).kind == "connector"
    assert read("a.properties", f"{text}topics= \ntopics.regex=\n").status == PASSED_OVER
    sink = "name=a\nconnector.class=com.example.TableSink\ntasks.max=1\ntable=\n"
    assert read("sink-template.properties", sink).status == PASSED_OVER
    assert read("sink.properties", sink).status != PASSED_OVER


def test_the_class_of_a_connector_alone_tells_a_plugin() -> None:
    bare = read("a.properties", "connector.class=FileStreamSink\n")
    told = "the class of a connector without any setting of it"
    assert (bare.status, bare.reason) == (PASSED_OVER, told)


def test_a_source_may_call_what_it_writes_topics() -> None:
    text = "name=a\nconnector.class=com.example.{}\ntasks.max=1\ntopics=t\n"
    for name in ("ASourceConnector", "ASource"):
        source = only("a.properties", text.format(name))
        assert (source.plane, source.traits.topics) == ("source-connector", None)
    sink = only("a.properties", text.format("A"))
    assert (sink.plane, sink.traits.topics) == ("sink-connector", ("t",))


def test_a_dump_leaves_out_what_it_prints_as_null() -> None:
    dump = "broker.id=1\nbroker.rack=null\nlog.dir=null\nlog.roll.ms=null\nlog.dirs=/data\n"
    assert texts(only("kafka.conf", dump)) == {"broker.id": "1", "log.dirs": "/data"}
    # A single null is what somebody wrote, and Kafka reads it as that word.
    assert (
        only("kafka.conf", "broker.id=1\nlog.roll.ms=null\n").settings["log.roll.ms"].text == "null"
    )


def test_an_init_script_fills_in_what_looks_like_a_comment() -> None:
    broker = only("server.properties", "log.dirs=/data\n#init#broker.id=#init#\n#node.id=1\n")
    assert broker.settings["broker.id"].text is None
    assert broker.settings["broker.id"].at == (2, 1, 2, 23)
    assert "node.id" not in broker.settings


def test_a_number_that_is_left_to_a_script_is_unknown() -> None:
    broker = only("server.properties", "log.dirs=/data\n#node.id=\n#broker.rack=\n")
    number = broker.settings["node.id"]
    assert number.text is None
    assert number.at[0] == 2
    assert "broker.rack" not in broker.settings


def test_a_form_that_nobody_filled_in_says_nothing() -> None:
    document = read("producer.properties", "bootstrap.servers=\nacks=\nsecurity.protocol=\n")
    assert (document.status, document.resources) == (PASSED_OVER, [])


# -- bytes that Java reads otherwise --------------------------------------------------------


def problems(document: Document) -> list[tuple[str, str, int, int]]:
    return [(p.code, p.severity, p.at[0], p.at[1]) for p in document.problems]


def test_a_mark_in_front_of_a_key_unsets_it() -> None:
    document = read("server.properties", "\ufeffbroker.id=1\nlog.dirs=/data\n")
    assert problems(document) == [("KC0008", WARNING, 1, 1)]
    assert texts(document.resources[0]) == {"log.dirs": "/data"}


def test_a_mark_in_front_of_a_comment_does_no_harm() -> None:
    document = read("server.properties", "\ufeff# broker\nbroker.id=1\n")
    assert problems(document) == [("KC0008", INFO, 1, 1)]
    assert texts(document.resources[0]) == {"broker.id": "1"}


def test_letters_beyond_latin_are_reported_where_they_stand() -> None:
    document = read("server.properties", "# für\nbroker.id=1\nbroker.rack=Köln\n")
    assert problems(document) == [("KC0008", WARNING, 3, 14)]
    assert document.resources[0].settings["broker.rack"].text == "Köln"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_recognised_and_not_read(encoding: str) -> None:
    document = read("server.properties", "broker.id=1\nlog.dirs=/data\n".encode(encoding))
    assert (document.format, document.status) == ("broker-properties", FAILED)
    assert problems(document) == [("KC0008", ERROR, 1, 1)]
    assert document.resources == []


def test_a_malformed_escape_fails_the_whole_file_as_in_java() -> None:
    text = "password=\\user\nbroker.id=1\nlog.dirs=/data\n"
    document = read("server.properties", text)
    assert (document.format, document.status) == ("broker-properties", FAILED)
    assert [(p.code, p.at) for p in document.problems] == [("KC0001", (1, 10, 1, 11))]
    assert under(text, document.problems[0].at) == "\\"
    assert document.resources == []


# -- who it is ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "extra", "plane"),
    [
        ("w.properties", "offset.storage.file.filename=/o\n", "connect-standalone"),
        ("connect-standalone.properties", "", "connect-standalone"),
        ("w.properties", "", "connect-distributed"),
        # A leftover of the other mode: only a worker that is started alone needs the file.
        (
            "w.properties",
            "offset.storage.file.filename=/o\noffset.storage.topic=o\n",
            "connect-standalone",
        ),
        (
            "connect-distributed.properties",
            "offset.storage.file.filename=/o\noffset.storage.topic=o\n",
            "connect-distributed",
        ),
    ],
)
def test_the_mode_of_a_worker(path: str, extra: str, plane: str) -> None:
    text = f"bootstrap.servers=k:9092\nkey.converter=a.B\nvalue.converter=a.B\n{extra}"
    assert only(path, text).plane == plane


def test_an_embedded_debezium_is_no_worker() -> None:
    text = (
        "offset.storage=org.apache.kafka.connect.storage.FileOffsetBackingStore\n"
        "offset.storage.file.filename=/tmp/offsets\ndatabase.hostname=db\n"
        "bootstrap.servers=k:9092\nkey.serializer=a.B\n"
    )
    document = read("application.properties", text)
    assert document.resources == []
    assert document.reason.startswith("the settings of an embedded Debezium")


def test_dialects() -> None:
    assert only("a.properties", "bootstrap.servers=k:9092\n").dialect == "java"
    native = only("a.properties", "bootstrap.servers=k:9092\nssl.ca.location=/ca\n")
    assert native.dialect == "librdkafka"
    # Credentials under names of their own: for whatever program reads them.
    script = only("a.template", "bootstrap.servers=k:9092\nsasl.username=u\nsasl.password=p\n")
    assert script.dialect == "unknown"
    java = only("a.properties", "bootstrap.servers=k:9092\nsasl.mechanisms=X\nsasl.jaas.config=y\n")
    assert java.dialect == "java"


# -- any bytes ------------------------------------------------------------------------------

keys = st.sampled_from(["broker.id", "log.dirs", "listeners", "acks", "bootstrap.servers", "a.b"])
line = st.one_of(
    st.builds("{}={}".format, keys, st.text(max_size=12)),
    st.builds("{} : {}\\".format, keys, st.text(max_size=5)),
    st.text(max_size=12),
    st.sampled_from(["# note", "{% if x %}", "\\", "k=\\u00", "  continued", "#init#node.id=", ""]),
)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    formats.read("server.properties", data, lambda _: None)


@settings(deadline=None)
@given(st.lists(line, max_size=8), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_the_text_under_every_position_is_the_value(
    lines: list[str], newline: str, ended: bool
) -> None:
    body = [entry.replace("\r", "").replace("\n", "") for entry in lines]
    text = newline.join(["broker.id=1", *body]) + newline * ended
    document = read("server.properties", text)
    for resource in document.resources:
        for setting in resource.settings.values():
            if setting.raw is not None:
                assert properties_value(text, setting) == setting.raw

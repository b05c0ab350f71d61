"""XML: flows and templates of NiFi 1, routes of Camel."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.model import FAILED, PASSED_OVER, READ, SKIPPED, Document, Resource
from kcheck.syntax import xml

FLOW = """\
<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<flowController encoding-version="1.4">
  <parameterContexts><parameterContext>
    <name>p</name><parameter><name>brokers</name><value>k1:9092</value></parameter>
  </parameterContext></parameterContexts>
  <rootGroup><processGroup><processor>
    <id>a</id><name>in</name>
    <class>org.apache.nifi.processors.kafka.pubsub.ConsumeKafka_2_6</class>
    <property><name>bootstrap.servers</name><value>#{brokers}</value></property>
    <property><name>max.poll.records</name><value>
      500
    </value></property>
    <property><name>topic</name><value>orders</value></property>
    <property><name>group.id</name></property>
  </processor></processGroup></rootGroup>
</flowController>
"""
TEMPLATE = """\
<template><snippet><processors>
  <name>out</name>
  <config><properties>
    <entry><key>acks</key><value>0</value></entry>
    <entry><key>linger.ms</key></entry>
  </properties></config>
  <type>org.apache.nifi.processors.kafka.pubsub.PublishKafkaRecord_2_0</type>
</processors></snippet></template>
"""
ROUTES = """\
<camelContext xmlns="http://camel.apache.org/schema/spring">
  <endpoint id="x" uri="kafka:audit?requestRequiredAcks=1"/>
  <route>
    <from id="in"
          uri="kafka:orders?maxPollRecords=10"/>
    <to uri='kafka:out?brokers={{brokers}}&amp;lingerMs=5'/><to uri="log:x"/>
  </route>
</camelContext>
"""


def read(text: str | bytes, path: str = "conf/file.xml") -> Document:
    return formats.read(path, text.encode() if isinstance(text, str) else text, lambda _: None)


def only(document: Document) -> Resource:
    (found,) = document.resources
    return found


def test_a_flow_of_nifi_with_the_parameters_of_its_context() -> None:
    document = read(FLOW)
    assert (document.status, document.format) == (READ, "nifi-xml")
    found = only(document)
    assert (found.kind, found.name) == ("consumer", "in")
    texts = {key: (one.text, one.at[:2]) for key, one in found.settings.items()}
    assert texts["max.poll.records"] == ("500", (11, 7))
    assert texts["bootstrap.servers"] == ("k1:9092", (9, 52))

    assert "group.id" not in texts


def test_a_template_of_nifi() -> None:
    found = only(read(TEMPLATE))
    assert (found.kind, found.name) == ("producer", "out")
    assert {key: one.text for key, one in found.settings.items()} == {"acks": "0"}
    assert found.settings["acks"].at == (4, 34, 4, 35)


def test_routes_of_camel() -> None:
    document = read(ROUTES)
    assert (document.status, document.format) == (READ, "camel-xml")
    audit, source, sink = document.resources
    assert [one.kind for one in document.resources] == ["producer", "consumer", "producer"]
    assert audit.settings["acks"].text == "1"
    records = source.settings["max.poll.records"]
    assert (records.text, records.at) == ("10", (5, 44, 5, 46))
    assert (sink.settings["linger.ms"].text, sink.settings["bootstrap.servers"].text) == ("5", None)


@pytest.mark.parametrize(
    "text",
    [
        "<project><groupId>org.apache.kafka</groupId></project>",
        '<beans><bean class="KafkaTemplate"/></beans>',
        "<logger name='org.apache.kafka'/>",
    ],
)
def test_other_xml_is_nobodys(text: str) -> None:
    assert read(text).format is None


@pytest.mark.parametrize("text", [FLOW, TEMPLATE, ROUTES])
@pytest.mark.parametrize("at", [0.3, 0.6, 0.99])
def test_broken_xml_is_told_at_its_place(text: str, at: float) -> None:
    cut = text[: int(len(text) * at)] + "<&"
    document = read(cut)
    if document.format is not None:
        assert document.status in (FAILED, SKIPPED)
        if document.status == FAILED:
            (problem,) = document.problems
            assert problem.message.startswith("not valid XML: ")
            assert problem.at[0] >= 1


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n' + TEMPLATE
    document = read(bomb)
    assert document.status == FAILED
    assert document.problems[0].message == "not read as XML: it declares entities"


@pytest.mark.parametrize(
    "text",
    [
        "<a>" * 5_000 + TEMPLATE,
        "<a>" + "<b/>" * 310_000 + TEMPLATE + "</a>",
        TEMPLATE.replace("<template>", "<template " + "x='1' " * 3 + ">"),
        "<?xml version='1.0' encoding='no-such'?>" + TEMPLATE,
        TEMPLATE.replace("<key>acks</key>", "<key></key><key/>"),
        TEMPLATE.replace("<config>", "<config><config>").replace("</config>", "</config></config>"),
    ],
)
def test_other_shapes_are_survived(text: str) -> None:
    assert read(text).status in (FAILED, PASSED_OVER)


def test_utf_16_and_crlf() -> None:
    assert only(read(TEMPLATE.replace("\n", "\r\n"))).settings["acks"].at == (4, 34, 4, 35)
    top, problem = xml.document(
        ("<?xml version='1.0' encoding='UTF-16'?>" + TEMPLATE).encode("utf-16")
    )
    assert problem is None
    assert top is not None and top.tag == "template"


def test_many_attributes_take_no_time() -> None:
    many = " ".join(f"a{number}='{number}'" for number in range(100_000))
    top, problem = xml.document(f"<x {many}/>".encode())
    assert problem is None
    assert top is not None and top.attributes == {}

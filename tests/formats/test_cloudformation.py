"""Amazon MSK in CloudFormation's templates: YAML with its tags, JSON, the Serverless Framework."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.model import PASSED_OVER, SKIPPED, Document, Resource


def read(path: str, text: str) -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


TEMPLATE = """\
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Settings:
    Type: AWS::MSK::Configuration
    Properties:
      KafkaVersionsList: [3.5.1]
      ServerProperties: |
        min.insync.replicas=2
        # unclean.leader.election.enable=true
        num.partitions = 6
  Orders:
    Type: AWS::MSK::Cluster
    Properties:
      KafkaVersion: 3.7.x.kraft
      NumberOfBrokerNodes: 3
      ConfigurationInfo: {Arn: !GetAtt Settings.Arn, Revision: 1}
  Returns:
    Type: AWS::MSK::Cluster
    Properties:
      KafkaVersion: !Ref Version
      NumberOfBrokerNodes: !Ref Count
      ConfigurationInfo:
        Arn: !Ref Settings
  Alone:
    Type: AWS::MSK::Configuration
    Properties:
      KafkaVersionsList: [3.5.1, 3.6.0]
      ServerProperties: !Sub
        - |
          log.retention.hours=${Hours}
          num.partitions=4
        - Hours: 1
  Bucket: {Type: "AWS::S3::Bucket"}
"""


def test_clusters_with_their_configuration() -> None:
    document = read("msk.yaml", TEMPLATE)
    orders, returns, alone = document.resources
    assert [(r.name, r.cluster, r.traits.service) for r in document.resources] == [
        ("Orders", "Orders", "msk"),
        ("Returns", "Returns", "msk"),
        ("Alone", "Alone", "msk"),
    ]
    assert texts(orders) == texts(returns) == {"min.insync.replicas": "2", "num.partitions": "6"}
    assert {k: s.text for k, s in orders.facts.items()} == {"kafka_version": "3.7", "replicas": "3"}
    assert returns.facts == {}
    assert texts(alone) == {"log.retention.hours": None, "num.partitions": "4"}
    assert alone.facts == {}
    assert under(TEMPLATE, orders.settings["num.partitions"].at) == "6"
    assert under(TEMPLATE, orders.settings["num.partitions"].key_at) == "num.partitions"
    assert vars(document.extent) == {"whole": True}


def test_a_version_of_the_configuration_alone() -> None:
    text = TEMPLATE.partition("  Orders:")[0]
    (broker,) = read("msk.yaml", text).resources
    assert broker.facts["kafka_version"].text == "3.5.1"


def test_json_with_the_long_names_of_functions() -> None:
    text = """\
        {"Resources": {
          "C": {"Type": "AWS::MSK::Configuration", "Properties": {
            "ServerProperties": "num.partitions=6\\nmin.insync.replicas=2"}},
          "K": {"Type": "AWS::MSK::Cluster", "Properties": {"NumberOfBrokerNodes": "3",
            "ConfigurationInfo": {"Arn": {"Fn::GetAtt": ["C", "Arn"]}}}},
          "L": {"Type": "AWS::MSK::Cluster", "Properties": {
            "ConfigurationInfo": {"Arn": {"Ref": "C"}}}},
          "M": {"Type": "AWS::MSK::Cluster", "Properties": {
            "ConfigurationInfo": {"Arn": "arn:aws:kafka:x"}}},
          "D": {"Type": "AWS::MSK::Configuration", "Properties": {
            "ServerProperties": {"Fn::Sub": "num.partitions=${N}"}}}
        }}
        """
    k, l, m, d = read("msk.json", text).resources  # noqa: E741 - as they are called there
    assert texts(k) == texts(l) == {"num.partitions": "6", "min.insync.replicas": "2"}
    assert texts(m) == {} and texts(d) == {"num.partitions": None}
    assert k.facts["replicas"].text == "3"


@pytest.mark.parametrize(
    "made",
    ["!Ref Properties", "{'Fn::ImportValue': x}", "!Join [',', ['num.partitions=4']]"],
)
def test_properties_that_come_from_elsewhere(made: str) -> None:
    text = f"Resources:\n  C: {{Type: AWS::MSK::Configuration, Properties: {{ServerProperties: {made}}}}}\n"
    (broker,) = read("msk.yaml", text).resources
    assert texts(broker) == {}


def test_the_template_of_the_serverless_framework() -> None:
    text = """\
        service: shop
        resources:
          Resources:
            C:
              Type: AWS::MSK::Configuration
              Properties: {ServerProperties: !Join ["\\n", [num.partitions=4, !Ref More]]}
        """
    (broker,) = read("serverless.yml", text).resources
    assert texts(broker) == {"num.partitions": "4"}


def test_files_that_only_speak_of_msk() -> None:
    assert read("a.yaml", "about: AWS::MSK::Cluster\n").status == PASSED_OVER
    assert read("a.json", '{"about": "AWS::MSK::Cluster"').problems != []
    assert read("a.yaml", "{% if x %}\nResources: {AWS::MSK::Cluster\n").status == SKIPPED

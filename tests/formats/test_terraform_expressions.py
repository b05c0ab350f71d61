"""What expressions of Terraform come to: variables, loops, functions, modules, files that they read."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.model import Derived, Document, Resource

TOPIC = 'resource "kafka_topic" "orders" {{\n  name = "orders"\n  config = {{ "retention.ms" = {} }}\n}}\n'


def read(files: dict[str, str], path: str = "main.tf") -> Document:
    held = {name: dedent(text).encode() for name, text in files.items()}
    return formats.read(path, held[path], held.get)


def one(text: str, **files: str) -> Resource:
    (found,) = read({"main.tf": text, **files}).resources
    return found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("true ? 1 : 2", "1"),
        ("local.a == 7 ? 1 : 2", "1"),
        ("local.a != 7 || local.a > 9 ? 1 : 2", "2"),
        ("!local.no && local.a >= 7 && local.a <= 7 && local.a < 8 ? 1 : 2", "1"),
        ("local.a > local.word ? 1 : 2", None),
        ("var.nobody ? 1 : 2", None),
        ("local.a * 2 + 1", "15"),
        ("local.a % 4", "3"),
        ("local.a / 0", None),
        ("-local.a", "-7"),
        ("local.list[1]", "20"),
        ('local.map["b"]', "2"),
        ("local.map[local.key]", "2"),
        ("local.list[9]", None),
        ('"${local.a}000"', "7000"),
        ('"${local.a}${var.nobody}"', None),
        ("min(3, local.a, 9)", "3"),
        ("max(3, local.a)", "7"),
        ("abs(-3)", "3"),
        ("length(local.list)", "2"),
        ("length(local.map)", "2"),
        ('length("four")', "4"),
        ("element(local.list, 3)", "20"),
        ('contains(local.list, "20") ? 1 : 2', "1"),
        ('lookup(local.map, "a")', "1"),
        ('lookup(local.map, "z", 5)', "5"),
        ('coalesce("", 4)', None),
        ("coalesce(4, 5)", "4"),
        ("try(local.nothing, 6)", "6"),
        ('join("", ["1", "2"])', "12"),
        ('join("", [var.nobody])', None),
        ('split(",", "1,2")[1]', "2"),
        ('format("%d%s%%", 1, "2")', "12%"),
        ('format("%5d", 1)', None),
        ('format("%s", 1, 2)', None),
        ('upper("a")', "A"),
        ('lower("A")', "a"),
        ('replace("a-b", "-", "_")', "a_b"),
        ('replace("a-b", "/x/", "_")', None),
        ('trimprefix("ab", "a")', "b"),
        ('trimsuffix("ab", "b")', "a"),
        ('trimspace(" a ")', "a"),
        ('title("ab")', "Ab"),
        ("concat([1], [2])[1]", "2"),
        ("flatten([1, [[2], 3]])[2]", "3"),
        ("keys(local.map)[1]", "b"),
        ("values(local.map)[1]", "2"),
        ("merge(local.map, {b = 9}).b", "9"),
        ("merge([local.map, {b = 8}]...).b", "8"),
        ("[for x in local.list : x * 2][1]", "40"),
        ("[for i, x in local.list : i if x == 20][0]", "1"),
        ('{for k, v in local.map : "${k}x" => v}["bx"]', "2"),
        ("[for x in var.nobody : x][0]", None),
        ("[for x in local.list : x if var.nobody][0]", None),
        ('jsondecode("{\\"a\\": 3}").a', "3"),
        ("uuid()", None),
        ("kafka_topic.other.partitions", "12"),
        ("kafka_topic.many[0].partitions", "3"),
        ("kafka_topic.many[0].name", None),
        ("kafka_topic.many[0].config.name", None),
        ("kafka_topic.absent.partitions", None),
    ],
)
def test_expressions(expression: str, expected: str | None) -> None:
    text = TOPIC.format(expression)
    text += """
    locals {
      a    = 7
      no   = false
      word = "x"
      list = [10, 20]
      map  = { b = 2, a = 1 }
      key  = "b"
    }
    resource "kafka_topic" "other" {
      partitions = 12
    }
    resource "kafka_topic" "many" {
      count      = 2
      partitions = 3
      name       = "many${count.index}"
    }
    """
    first = read({"main.tf": text}).resources[0]
    setting = first.settings["retention.ms"]
    assert setting.text == expected


def test_what_is_put_together_is_no_text_to_edit() -> None:
    topic = one(TOPIC.format('"${1}000"'))
    made = topic.settings["retention.ms"]
    assert (type(made), made.text, made.at) == (Derived, "1000", (3, 32, 3, 39))


VARIABLE = 'variable "days" { default = 7 }\n' + TOPIC.format("var.days")


def test_a_variable_has_what_is_given_before_its_default() -> None:
    default = one(VARIABLE).settings["retention.ms"]
    assert (default.text, default.path, default.at) == ("7", "main.tf", (1, 29, 1, 30))
    given = one(VARIABLE, **{"terraform.tfvars": "days = 9\n"}).settings["retention.ms"]
    assert (given.text, given.path, given.at) == ("9", "terraform.tfvars", (1, 8, 1, 9))
    apart = one(
        TOPIC.format("var.days"), **{"variables.tf": 'variable "days" {\n default = 8\n}\n'}
    )
    assert apart.settings["retention.ms"].text == "8"


@pytest.mark.parametrize("default", ["", "default = null", 'default = ""', "default = {}"])
def test_an_empty_default_says_nothing(default: str) -> None:
    topic = one(f'variable "days" {{\n {default}\n}}\n' + TOPIC.format("var.days"))
    assert topic.settings["retention.ms"].text is None


def test_files_that_expressions_read() -> None:
    text = """\
    resource "kafka_topic" "all" {
      for_each   = yamldecode(file("${path.module}/topics.yaml"))
      name       = each.key
      partitions = each.value.partitions
      config     = lookup(each.value, "config", {})
    }
    resource "aws_msk_configuration" "core" {
      name              = "core"
      server_properties = templatefile("server.tftpl", { hours = 24 })
    }
    """
    topics = "orders:\n  partitions: 6\n  config: {retention.ms: '1000'}\naudit: {partitions: 3}\n"
    server = "log.retention.hours=${hours}\nnum.partitions=3\nmin.insync.replicas=${other}\n"
    found = read({"main.tf": text, "topics.yaml": topics, "server.tftpl": server}).resources
    assert [(one.name, one.kind) for one in found] == [
        ("orders", "topic"),
        ("audit", "topic"),
        ("core", "broker"),
    ]
    partitions = found[0].facts["partitions"]
    assert (partitions.text, partitions.path, partitions.at[:2]) == ("6", "topics.yaml", (2, 15))
    assert found[0].settings["retention.ms"].path == "topics.yaml"
    keys = {key: (one.text, one.path, one.at[0]) for key, one in found[2].settings.items()}
    assert keys == {
        "log.retention.hours": ("24", "server.tftpl", 1),
        "num.partitions": ("3", "server.tftpl", 2),
        "min.insync.replicas": (None, "server.tftpl", 3),
    }


@pytest.mark.parametrize(
    ("argument", "content"),
    [
        ('yamldecode(file("../../topics.yaml"))', None),
        ('yamldecode(file("/etc/topics.yaml"))', None),
        ('yamldecode(file("topics.yaml"))', "a: [1"),
        ('yamldecode(file("topics.yaml"))', "a: 1\n---\nb: 1\n"),
        ('yamldecode(file("absent.yaml"))', "a: 1"),
        ("yamldecode(var.text)", "a: 1"),
    ],
)
def test_files_that_cannot_be_read_are_unknown(argument: str, content: str | None) -> None:
    text = (
        f'resource "kafka_topic" "all" {{\n  for_each = {argument}\n  name = "${{each.key}}"\n}}\n'
    )
    files = {"main.tf": text} | ({"topics.yaml": content} if content is not None else {})
    (topic,) = read(files).resources
    assert topic.name == '${"${each.key}"}'


def test_lines_of_a_text_with_what_is_known() -> None:
    text = """\
    locals { zones = 3 }
    resource "aws_msk_configuration" "core" {
      server_properties = <<-EOT
        min.insync.replicas=${local.zones - 1}
        num.partitions=${local.zones}${local.zones}
        default.replication.factor=${var.zones}
        log.retention.hours=24
      EOT
    }
    """
    broker = one(text)
    assert {key: made.text for key, made in broker.settings.items()} == {
        "min.insync.replicas": "2",
        "num.partitions": "33",
        "default.replication.factor": None,
        "log.retention.hours": "24",
    }
    made = broker.settings["min.insync.replicas"]
    assert (type(made), made.at) == (Derived, (4, 25, 4, 43))


def test_count_and_its_index() -> None:
    text = """\
    locals { names = ["orders", "audit"] }
    resource "kafka_topic" "all" {
      count = length(local.names)
      name  = local.names[count.index]
    }
    """
    assert [one.name for one in read({"main.tf": text}).resources] == ["orders", "audit"]


def test_a_switch_may_be_turned() -> None:
    text = """\
    variable "enabled" { default = false }
    resource "kafka_topic" "orders" {
      count = var.enabled ? 1 : 0
      name  = "orders"
    }
    """
    topic = one(text)
    assert (topic.name, topic.traits.conditional) == ("orders", True)


MODULE = {
    "modules/topic/main.tf": """\
    variable "name" {}
    variable "retention" { default = 604800000 }
    resource "confluent_kafka_topic" "this" {
      topic_name       = var.name
      partitions_count = var.partitions
      kafka_cluster { id = var.cluster }
      config = { "retention.ms" = var.retention }
    }
    """,
    "modules/kafka/main.tf": 'resource "confluent_kafka_cluster" "this" {\n  basic {}\n}\n',
    "modules/kafka/outputs.tf": 'output "id" {\n  value = confluent_kafka_cluster.this.id\n}\n',
}
CALLS = """\
module "kafka" {
  source = "./modules/kafka"
}
module "topics" {
  source     = "./modules/topic"
  for_each   = { orders = 6, audit = 3 }
  name       = "eu.${each.key}"
  partitions = each.value
  cluster    = module.kafka.id
}
"""


def test_a_module_is_read_where_it_is_called() -> None:
    found = read(MODULE | {"main.tf": CALLS}).resources
    assert [(one.name, one.facts["partitions"].text, one.at[:2]) for one in found] == [
        ("eu.orders", "6", (4, 8)),
        ("eu.audit", "3", (4, 8)),
    ]
    assert {one.path for one in found} == {"main.tf"}
    assert {(one.cluster, one.traits.namespace) for one in found} == {("this", "modules/kafka")}
    kept = found[0].settings["retention.ms"]
    assert (kept.text, kept.path, kept.at[0]) == ("604800000", "modules/topic/main.tf", 2)
    module = read(MODULE | {"main.tf": CALLS}, "modules/topic/main.tf")
    assert (module.resources, module.reason) == ([], "a module, read where it is called")


def test_a_module_that_is_called_once_is_read_where_it_lies() -> None:
    once = CALLS.replace("for_each   = { orders = 6, audit = 3 }\n", "").replace("${each.key}", "x")
    files = MODULE | {"main.tf": once.replace("each.value", "9")}
    assert read(files).resources == []
    (topic,) = read(files, "modules/topic/main.tf").resources
    assert (topic.name, topic.facts["partitions"].text, topic.cluster) == ("eu.x", "9", "this")
    assert topic.facts["partitions"].path == "main.tf"


def test_modules_of_modules_and_circles() -> None:
    files = {
        "main.tf": 'module "a" {\n  source = "../a"\n  name = "x"\n}\n',
        "a/main.tf": 'module "b" {\n  source = "../b"\n  name = var.name\n}\n',
        "b/main.tf": 'resource "kafka_topic" "t" {\n  name = var.name\n}\nmodule "a" {\n  source = "../a"\n'
        "  name = var.name\n}\n",
    }
    moved = {f"r/{name}": text for name, text in files.items()}
    moved["r/env/main.tf"] = moved.pop("r/main.tf") + "# kafka\n"
    found = read(moved, "r/env/main.tf").resources
    assert {one.name for one in found} == {"x"}
    assert 1 <= len(found) < 10


def test_acls_of_a_module_are_of_who_is_given() -> None:
    files = {
        "main.tf": """\
        module "app" {
          source = "./app"
          count  = 1
          reads  = ["orders", "audit"]
          user   = "shipping"
          # kafka
        }
        """,
        "app/main.tf": """\
        resource "kafka_acl" "read" {
          for_each            = toset(var.reads)
          resource_type       = "Topic"
          resource_name       = each.value
          acl_principal       = "User:${var.user}"
          acl_host            = "*"
          acl_operation       = "Read"
          acl_permission_type = "Allow"
        }
        """,
    }
    (user,) = read(files).resources
    assert (user.name, user.at[0]) == ("shipping", 1)
    assert [str(right) for right in user.traits.rights] == [
        "Read on topic orders",
        "Read on topic audit",
    ]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("merge(local.known, var.nobody)", (None, None)),
        ("merge(var.nobody, local.known)", ("1", None)),
        ("merge(var.nobody, local.known, { b = 2 })", ("1", "2")),
        ("merge(merge(var.nobody, { b = 3 }), local.known)", ("1", "3")),
    ],
)
def test_an_unknown_part_may_replace_what_is_before_it(
    expression: str, expected: tuple[str | None, str | None]
) -> None:
    text = f"""\
    locals {{ known = {{ a = 1 }} }}
    resource "kafka_topic" "orders" {{
      name   = "orders"
      config = {expression}
    }}
    """
    topic = one(text)
    found = [topic.settings.get(key) for key in "ab"]
    assert tuple(made.text if made is not None else None for made in found) == expected
    assert topic.traits.partial


@pytest.mark.parametrize(
    "last",
    [
        '"${local.x30}${local.x30}"',
        "join(local.x30, [for i in local.many : local.x30])",
        "concat(local.y30, local.y30)",
        'replace(local.x12, "a", local.x12)',
        "[for a in local.many : [for b in local.many : [for c in local.many : [for d in local.many : a]]]]",
        'format("%s%s", local.x30, local.x30)',
    ],
)
def test_what_grows_without_end_is_unknown(last: str) -> None:
    lines = ['x0 = "aa"', "y0 = [1, 2]", f"many = [{', '.join(map(str, range(60)))}]"]
    lines += [f'x{n + 1} = "${{local.x{n}}}${{local.x{n}}}"' for n in range(30)]
    lines += [f"y{n + 1} = concat(local.y{n}, local.y{n})" for n in range(30)]
    text = "locals {\n" + "\n".join(lines) + f"\nlast = {last}\n}}\n"
    topic = one(text + TOPIC.format("local.last"))
    assert topic.settings["retention.ms"].text is None


def test_dynamic_blocks_are_what_they_make() -> None:
    text = """\
    locals {
      kind   = "standard"
      topics = { orders = 6, audit = 3 }
    }
    resource "confluent_kafka_cluster" "main" {
      dynamic "basic" {
        for_each = local.kind == "basic" ? [1] : []
        content {}
      }
      dynamic "standard" {
        for_each = local.kind == "standard" ? [1] : []
        content {}
      }
    }
    resource "yandex_mdb_kafka_cluster" "core" {
      name = "core"
      dynamic "topic" {
        for_each = local.topics
        iterator = one
        content {
          name       = one.key
          partitions = one.value
        }
      }
      dynamic "user" {
        for_each = var.users
        content { name = user.value }
      }
    }
    """
    orders, audit, main, core = read({"main.tf": text}).resources
    assert main.traits.tier is not None
    assert (main.traits.tier.text, core.name) == ("Standard", "core")
    found = [(one.name, one.facts["partitions"].text, one.cluster) for one in (orders, audit)]
    assert found == [("orders", "6", "core"), ("audit", "3", "core")]

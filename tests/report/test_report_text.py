"""The text format, golden: every caret under its character."""

from __future__ import annotations

import pytest
from made import Files, absent, default, fact, found, inherited, run

from kcheck import fingerprint, report
from kcheck.model import ERROR, INFO, Fix


def text(*args: object, **more: object) -> str:
    return report.render("text", run(*args, **more))  # type: ignore[arg-type]


def golden(expected: str) -> str:
    """The expected report without the indentation that it has in the test."""
    lines = expected.strip("\n").split("\n")
    cut = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[cut:].rstrip() for line in lines).rstrip() + "\n\n"


def test_one_value() -> None:
    files = Files(server_properties="broker.id=1\nnum.io.threads=0\n")
    broker = files.resource("broker", "1", "server.properties")
    threads = files.set(broker, "num.io.threads", "0")
    made = found("num.io.threads=0 is refused", threads, fix="set 8", severity=ERROR)
    assert text(files, made) == golden("""
        error[KC0307 acks-bypass-min-isr]: num.io.threads=0 is refused
          --> server.properties:2:16
          |
        2 | num.io.threads=0
          |                ^
          = fix: set 8
    """)


def test_values_of_several_files_and_a_default() -> None:
    files = Files(
        producers_yaml='producers:\n  - name: checkout\n    config: {acks: "1", linger.ms: 5}\n',
        server_properties="\n" * 9 + "min.insync.replicas=2\n",
    )
    producer = files.resource("producer", "checkout", "producers.yaml", "name")
    topic = files.resource("topic", "orders", "producers.yaml", "name")
    broker = files.resource("broker", "1", "server.properties")
    acks = files.set(producer, "acks", '"1"')
    linger = files.set(producer, "linger.ms", "5")
    min_isr = inherited(files.set(broker, "min.insync.replicas", "2"), topic, "min.insync.replicas")
    made = found(
        "producer checkout writes to orders with acks=1, so min.insync.replicas=2 protects nothing",
        acks,
        min_isr,
        linger,
        default(topic, "compression.type", "producer"),
        default(topic, "cleanup.policy", None, "2.8-4.4"),
        default(producer, "retries", "2147483647", ""),
        breaks="an acknowledged record is lost when the leader fails",
        fix="set acks=all on checkout",
    )
    assert text(files, made) == golden("""
        warning[KC0307 acks-bypass-min-isr]: producer checkout writes to orders with acks=1, so min.insync.replicas=2 protects nothing
           --> producers.yaml:3:20
           |
         3 |     config: {acks: "1", linger.ms: 5}
           |                    ^^^
           |                                    - linger.ms
           ::: server.properties:10:21
           |
        10 | min.insync.replicas=2
           |                     - min.insync.replicas of topic orders, inherited from server.properties:10
           = note: compression.type=producer of topic orders, default of Kafka 3.9
           = note: cleanup.policy of topic orders is not set, its default differs in Kafka 2.8-4.4
           = note: retries=2147483647, default of the client library
           = breaks: an acknowledged record is lost when the leader fails
           = fix: set acks=all on checkout
    """)


def test_what_is_absent_points_at_what_should_hold_it() -> None:
    files = Files(kcheck_yaml="topics:\n  - name: orders\n    partitions: 3\n")
    topic = files.resource("topic", "orders", "kcheck.yaml", "name: orders")
    partitions = fact(files.set(topic, "partitions", "3"))
    made = found("nobody says how often", absent(topic, "replication.factor"), partitions)
    assert text(files, made) == golden("""
        warning[KC0307 acks-bypass-min-isr]: nobody says how often
          --> kcheck.yaml:2:5
          |
        2 |   - name: orders
          |     ^^^^^^^^^^^^ replication.factor is not set
        3 |     partitions: 3
          |                 - partitions
    """)


def test_a_value_under_another_name_says_so() -> None:
    files = Files(server_properties="log.retention.hours=168\n")
    broker = files.resource("broker", "1", "server.properties")
    topic = files.resource("topic", "orders", "server.properties")
    hours = files.set(broker, "log.retention.hours", "168")
    made = found("kept for 7 d", inherited(hours, topic, "retention.ms"), severity=INFO)
    assert text(files, made) == golden("""
        info[KC0307 acks-bypass-min-isr]: kept for 7 d
          --> server.properties:1:21
          |
        1 | log.retention.hours=168
          |                     ^^^ retention.ms, inherited from log.retention.hours in server.properties:1
    """)


def test_lines_between_are_left_out_visibly() -> None:
    files = Files(a_properties="acks=1\n\n\nlinger.ms=5\n")
    producer = files.resource("producer", "p", "a.properties")
    acks = files.set(producer, "acks", "1")
    linger = files.set(producer, "linger.ms", "5")
    assert text(files, found("m", acks, linger)) == golden("""
        warning[KC0307 acks-bypass-min-isr]: m
          --> a.properties:1:6
          |
        1 | acks=1
          |      ^
          …
        4 | linger.ms=5
          |           - linger.ms
    """)


@pytest.mark.parametrize(
    ("line", "key", "value", "shown", "carets"),
    [
        ("\tacks=1", "acks", "1", "    acks=1", "         ^"),
        ("a\tacks=1", "acks", "1", "a   acks=1", "         ^"),
        ("日本=x acks=1", "acks", "1", "日本=x acks=1", "            ^"),
        ("acks=日本 # x", "acks", "日本", "acks=日本 # x", "     ^^^^"),
        ("é acks=1", "acks", "1", "é acks=1", "       ^"),
        ("e\u0301 acks=1", "acks", "1", "e\u0301 acks=1", "       ^"),
        ("\x1b[2Jx acks=1", "acks", "1", "␛[2Jx acks=1", "           ^"),
        ("a\u202eb acks=1", "acks", "1", "a·b acks=1", "         ^"),
        ("acks=", "acks=", "", "acks=", "     ^"),
    ],
)
def test_columns(line: str, key: str, value: str, shown: str, carets: str) -> None:
    files = Files(a_properties=f"{line}\n")
    producer = files.resource("producer", "p", "a.properties")
    made = found("m", files.set(producer, key, value))
    rows = text(files, made).split("\n")
    assert rows[3:5] == [f"1 | {shown}", f"  | {carets}"]


def test_a_long_line_is_cut_around_the_place() -> None:
    files = Files(a_properties="x" * 300 + " acks=1 " + "y" * 300 + "\n")
    producer = files.resource("producer", "p", "a.properties")
    rows = text(files, found("m", files.set(producer, "acks", "1"))).split("\n")
    source, carets = rows[3], rows[4]
    assert len(source) < 160
    assert source.startswith("1 | …x") and source.endswith("y…")
    assert source[carets.index("^")] == "1"


def test_two_far_places_of_a_long_line_are_shown_twice() -> None:
    files = Files(a_properties="acks=1 " + "x" * 300 + " linger.ms=5\n")
    producer = files.resource("producer", "p", "a.properties")
    acks = files.set(producer, "acks", "1")
    linger = files.set(producer, "linger.ms", "5")
    rows = text(files, found("m", acks, linger)).split("\n")
    assert rows[3].startswith("1 | acks=1 xxx")
    assert rows[3][rows[4].index("^")] == "1"
    assert rows[5].endswith(" linger.ms=5")
    assert rows[5][rows[6].index("-")] == "5"


def test_a_value_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    files = Files(a_properties="listeners=A://:1,\\\n  B://:2\n")
    broker = files.resource("broker", "1", "a.properties")
    made = found("m", files.set(broker, "listeners", "A://:1,\\\n  B://:2"))
    rows = text(files, made).split("\n")
    assert rows[3:5] == ["1 | listeners=A://:1,\\", "  |           ^^^^^^^^"]


def test_a_file_that_cannot_be_read_again_costs_the_snippet_only() -> None:
    files = Files(a_properties="acks=1\n", b_properties="x=2\n")
    producer = files.resource("producer", "p", "a.properties")
    broker = files.resource("broker", "1", "b.properties")
    made = found("m", files.set(producer, "acks", "1"), files.set(broker, "x", "2"), fix="f")
    files.texts.clear()
    assert text(files, made) == golden("""
        warning[KC0307 acks-bypass-min-isr]: m
          --> a.properties:1:6
          ::: b.properties:1:3
          = note: x of broker 1 at b.properties:1:3
          = fix: f
    """)


def test_a_yaml_file_with_a_byte_order_mark() -> None:
    files = Files(a_yaml="acks: 1\n")
    producer = files.resource("producer", "p", "a.yaml")
    made = found("m", files.set(producer, "acks", "1"))
    files.texts["a.yaml"] = "\ufeff" + files.texts["a.yaml"]
    rows = text(files, made).split("\n")
    assert rows[3:5] == ["1 | acks: 1", "  |       ^"]


def test_nothing_found_prints_nothing() -> None:
    assert text(Files(a_properties="")) == ""


def test_no_line_of_a_message_can_be_a_command_or_an_escape() -> None:
    files = Files(a_properties="acks=1\n")
    producer = files.resource("producer", "p", "a.properties")
    made = found("one\n::error::two\x1b[31m", files.set(producer, "acks", "1"))
    for format in ("text", "concise", "github"):
        out = report.render(format, run(files, made))
        assert "\x1b" not in out
        assert not any(line.startswith("::error::two") for line in out.split("\n"))


class TestColor:
    def made(self, **more: object) -> str:
        files = Files(a_properties="acks=1\n")
        producer = files.resource("producer", "p", "a.properties")
        made = found("m", files.set(producer, "acks", "1"), fix="f")
        return report.render("text", run(files, made, **more), color=True)

    def test_color_changes_nothing_but_color(self) -> None:
        import re

        plain = text_of(re.sub(r"\x1b\[[0-9;]*m", "", self.made()))
        assert plain.startswith("warning[KC0307 acks-bypass-min-isr]: m\n  --> a.properties:1:6\n")
        assert "\x1b[1;33m^\x1b[0m" in self.made()

    def test_links_only_where_asked(self) -> None:
        assert "\x1b]8;;" not in self.made()
        url = "https://github.com/kcheck/kcheck/blob/main/docs/rules/KC0307.md"
        assert f"\x1b]8;;{url}\x1b\\KC0307 acks-bypass-min-isr\x1b]8;;\x1b\\" in self.made(
            links=True
        )


def text_of(out: str) -> str:
    assert "\x1b" not in out
    return out


def test_github_log_groups_by_file() -> None:
    files = Files(a_properties="acks=1\nlinger.ms=1\n", b_properties="acks=1\n")
    one = files.resource("producer", "a", "a.properties")
    two = files.resource("producer", "b", "b.properties")
    findings = (
        found("m", files.set(one, "acks", "1")),
        found("m", files.set(one, "linger.ms", "1")),
        found("m", files.set(two, "acks", "1")),
    )
    commands = [line for line in text(files, *findings, fold=True).split("\n") if line[:2] == "::"]
    assert commands == [
        "::group::a.properties",
        "::endgroup::",
        "::group::b.properties",
        "::endgroup::",
    ]


def test_a_finding_says_what_fix_does_with_it() -> None:
    files = Files(a_properties="acks=1\n")
    acks = files.set(files.resource("producer", "p", "a.properties"), "acks", "1")
    made = found("m", acks, fix="set acks=all", set_to="all")
    assert text(files, made).startswith("warning[KC0307 acks-bypass-min-isr] [unsafe fix]: m\n")
    made.fix = Fix("set acks=all", made.fix.edits if made.fix else (), safe=True)
    assert text(files, made).startswith("warning[KC0307 acks-bypass-min-isr] [fix]: m\n")
    tried = text(files, made, refused=[fingerprint.of(made)])
    assert tried.startswith("warning[KC0307 acks-bypass-min-isr]: m\n")


@pytest.mark.parametrize("column", [0, 40])
def test_nothing_is_wider_than_the_terminal(column: int) -> None:
    line = " " * column + "min.insync.replicas=2"
    files = Files(server_properties=f"{line}\n", a_properties="acks=1 " + "# long " * 40 + "\n")
    producer = files.resource("producer", "checkout", "a.properties")
    broker = files.resource("broker", "1", "server.properties")
    acks = files.set(producer, "acks", "1")
    topic = files.resource("topic", "orders", "server.properties")
    min_isr = inherited(files.set(broker, "min.insync.replicas", "2"), topic, "min.insync.replicas")
    made = found(
        "a sentence of words " * 10, acks, min_isr, breaks="it breaks " * 20, fix="go " * 40
    )
    shown = text(files, made, width=60)
    assert all(len(row) <= 60 for row in shown.splitlines())
    assert "inherited from" in " ".join(shown.replace("|", "").split())

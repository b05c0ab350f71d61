"""Ignores: what they hide, where they may stand, and when they are told themselves."""

from __future__ import annotations

import pytest

from kcheck import rules
from kcheck.circumstances import Circumstances
from kcheck.engine import Project, lint_project
from kcheck.settings import Ignore, Settings

RULE = "min-isr-eq-rf"
CODE = "KC0303"
LAST_DAY = "2027-01-31"


def lint(text: str, path: str = "kcheck.yaml", **more: object) -> Project:
    told = {name: more.pop(name) for name in Circumstances.__slots__ if name in more}
    about = Circumstances(**{"today": LAST_DAY, **told})
    files = {path: text.encode()}
    project = lint_project(files.items(), Settings(**more), files.get, circumstances=about)
    assert not project.failures
    return project


def codes(project: Project) -> list[str]:
    """The codes found, without the families that these tests are not about."""
    return [f.code for f in project.findings if f.code == CODE or f.code.startswith("KC00")]


def topic(above: str = "", inside: str = "", behind: str = "", between: str = "") -> str:
    lines = [
        "cluster: {name: lab, brokers: 3}",
        "topics:",
        above and f"  {above}",
        "  - name: orders",
        "    partitions: 6",
        "    replication_factor: 3",
        between and f"    {between}",
        "    config:",
        inside and f"      {inside}",
        f"      min.insync.replicas: 3{behind}",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def ignore(words: str = RULE, rest: str = "", form: str = "ignore") -> str:
    return f"# kcheck: {form}[{words}]{rest}"


def test_the_fault_is_found_where_nobody_ignores_it() -> None:
    assert codes(lint(topic())) == [CODE]


@pytest.mark.parametrize(
    "words",
    [RULE, CODE, CODE.lower(), "KC03", "KC030", "durability", f"acks-bypass-min-isr, {RULE}"],
)
def test_words_that_mean_the_rule(words: str) -> None:
    project = lint(topic(inside=ignore(words)), partial=True)
    assert codes(project) == []
    assert project.ignored == 1


@pytest.mark.parametrize("words", ["KC0301", "KC04", "security", "acks-bypass-min-isr"])
def test_words_that_mean_other_rules(words: str) -> None:
    project = lint(topic(inside=ignore(words)), partial=True)
    assert codes(project) == [CODE]
    assert project.ignored == 0


class TestPlaces:
    @pytest.mark.parametrize(
        "text",
        [
            topic(inside=ignore()),
            topic(behind=f" {ignore()}"),
            topic(behind=f"  #kcheck:ignore[{RULE}]why"),
            topic(inside=f"{ignore()}\n      # another comment\n      # and one more"),
            topic(above=ignore()),
            topic(above=f"{ignore()}\n  # what this topic is for"),
            ignore(form="ignore-file") + "\n" + topic(),
            f"# licence\n\n---\n{ignore(form='ignore-file')}\n" + topic(),
        ],
        ids=[
            "above the value",
            "behind the value",
            "without blanks",
            "above other comments",
            "above the resource",
            "above the resource's comment",
            "for the file",
            "for the file, below a licence",
        ],
    )
    def test_hides(self, text: str) -> None:
        project = lint(text)
        assert codes(project) == []
        assert project.ignored == 1

    @pytest.mark.parametrize(
        "text",
        [
            topic(between=ignore()),
            ignore() + "\n" + topic(),
            topic() + ignore() + "\n",
            topic(inside=f"{ignore()}\n      retention.ms: 1000000"),
            topic().replace("topics:", f"{ignore()}\ntopics:"),
        ],
        ids=["above another key", "above the cluster", "below", "above the wrong value", "list"],
    )
    def test_hides_nothing_and_says_so(self, text: str) -> None:
        project = lint(text)
        assert sorted(codes(project)) == ["KC0003", CODE]
        assert project.ignored == 0

    def test_a_finding_about_a_whole_document(self) -> None:
        """A finding at ``metadata.name`` is ignored above the first line of its document."""
        text = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: one}
spec: {partitions: 1, replicas: 3, config: {min.insync.replicas: 3}}
---
%s
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: two
spec:
  partitions: 1
  replicas: 3
  config:
    min.insync.replicas: 3
"""
        assert codes(lint(text % "# x")) == [CODE, CODE]
        project = lint(text % ignore())
        assert [f.resource.name for f in project.findings if f.code == CODE] == ["one"]
        assert project.ignored == 1

    def test_above_the_key_of_a_mapping(self) -> None:
        text = (
            "topics: [{name: a, partitions: 1, replication_factor: 1}]\n%s\ncluster:\n"
            "  brokers: 1\n  config: {offsets.topic.replication.factor: 3}\n"
        )
        found = {f.code for f in lint(text % "# x").findings}
        assert found
        words = ", ".join(sorted(found))
        assert {f.code for f in lint(text % ignore(words), partial=True).findings} == set()

    def test_above_the_resource_in_another_file_than_the_value(self) -> None:
        """A topic that inherits the brokers' value may be ignored where the topic stands."""
        files = {
            "server.properties": b"broker.id=1\nzookeeper.connect=z:1\nmin.insync.replicas=3\n",
            "topics.yaml": (
                "topics:\n"
                f"  {ignore()}\n"
                "  - {name: a, partitions: 1, replication_factor: 3}\n"
                "  - {name: b, partitions: 1, replication_factor: 3}\n"
            ).encode(),
        }
        project = lint_project(files.items(), Settings(), files.get)
        told = [f.resource.name for f in project.findings if f.code == CODE]
        assert told == ["b"]

    def test_properties_take_the_line_above_only(self) -> None:
        text = "broker.id=1\nzookeeper.connect=z:1\n%snum.io.threads=0%s\n"
        found = {f.code for f in lint(text % ("", ""), "server.properties").findings}
        assert "KC0104" in found
        above = lint(text % (ignore("KC0104, KC0810") + "\n", ""), "server.properties")
        assert "KC0104" not in {f.code for f in above.findings}
        behind = lint(text % ("", " " + ignore("KC0104")), "server.properties")
        assert {"KC0103", "KC0002"} <= {f.code for f in behind.findings}
        assert behind.ignored == 0
        (told,) = [f for f in behind.findings if f.code == "KC0002"]
        assert told.at[:2] == (3, 18)
        assert "part of the value" in told.message

    def test_properties_know_the_exclamation_mark_and_continuations(self) -> None:
        text = "broker.id=1\nzookeeper.connect=z:1\n%s\nnum.io.threads=0\n"
        marked = lint(text % "! kcheck: ignore[KC0104, KC0810]", "server.properties")
        assert "KC0104" not in {f.code for f in marked.findings}
        joined = lint(text % f"log.dirs=/a,\\\n{ignore('KC0104')}", "server.properties")
        assert {"KC0104", "KC0002"} <= {f.code for f in joined.findings}

    def test_what_a_file_lacks_is_ignored_at_its_top(self) -> None:
        """Such findings point at line 1, wherever the first setting stands."""
        from kcheck.model import Comment, Resource
        from kcheck.syntax import comments

        text = f"# licence\n\n{ignore()}\n# more\nbroker.id=1\n".encode()
        (comment,) = comments.find("server.properties", text)
        assert isinstance(comment, Comment)
        assert (comment.first, comment.last, comment.top) == (1, 5, True)
        assert Resource("broker", "1", "server.properties").at[0] == 1

    @pytest.mark.parametrize(
        "line",
        [
            f'      min.insync.replicas: "3{ignore()}"',
            f"      min.insync.replicas: 3{ignore()}",
            f"      min.insync.replicas: '3 {ignore()}'",
            f"      min.insync.replicas: |\n        3 {ignore()}",
            f"      x: |\n        {ignore()}\n      min.insync.replicas: 3",
        ],
        ids=["double quotes", "no blank", "single quotes", "block", "a line of a block"],
    )
    def test_a_scalar_is_no_comment(self, line: str) -> None:
        text = topic().replace("      min.insync.replicas: 3", line)
        assert not {"KC0002", "KC0003"} & set(codes(lint(text)))
        assert lint(text).ignored == 0

    def test_a_comment_behind_the_sign_of_a_block(self) -> None:
        text = topic().replace(": 3\n", f": | {ignore()}\n        3\n")
        assert text != topic()
        assert lint(text, partial=True).ignored == 1

    def test_other_words_before_the_mark_make_it_none(self) -> None:
        assert codes(lint(topic(inside=f"# see kcheck: ignore[{RULE}]"))) == [CODE]

    def test_a_broken_file_may_be_ignored_too(self) -> None:
        text = "kcheck: 1\ntopics: [\n"
        assert codes(lint(text)) == ["KC0001"]
        assert codes(lint(ignore("KC0001", form="ignore-file") + "\n" + text)) == []


class TestMalformed:
    @pytest.mark.parametrize(
        ("comment", "message"),
        [
            ("# kcheck: ignore", "names no rules"),
            ("# kcheck: ignore[]", "names no rules"),
            ("# kcheck: ignore[ , ]", "names no rules"),
            (f"# kcheck: ignore[{RULE}", "names no rules"),
            ("# kcheck: ignore[all]", "too broad"),
            ("# kcheck: ignore[default]", "too broad"),
            ("# kcheck: ignore[KC]", "too broad"),
            ("# kcheck: ignore[*]", "named *"),
            ("# kcheck: ignore[min-isr-eq-fr]", "did you mean min-isr-eq-rf?"),
            ("# kcheck: disable[KC0303]", "disable"),
            ("# kcheck:", "unknown directive (none)"),
            (f"# kcheck: ignore[{RULE}] until=2027-02-30", "not a date"),
            (f"# kcheck: ignore[{RULE}] until=31.1.2027", "not a date"),
            (f"# kcheck: ignore[{RULE}] until=20270131", "not a date"),
            (f"# kcheck: ignore[{RULE}] until=", "not a date"),
            (f"# kcheck: ignore-file[{RULE}]", "not at the top"),
        ],
    )
    def test_is_an_error_and_hides_nothing(self, comment: str, message: str) -> None:
        project = lint(topic(inside=comment))
        assert codes(project) == ["KC0002", CODE]
        told = project.findings[[f.code for f in project.findings].index("KC0002")]
        assert told.severity == "error"
        assert message in told.message
        assert told.at == (7, 7, 7, 7 + len(comment))

    def test_the_good_words_of_a_list_still_count(self) -> None:
        project = lint(topic(inside=ignore(f"{RULE}, no-such-rule")))
        assert codes(project) == ["KC0002"]
        assert project.ignored == 1

    def test_a_reason_may_be_required(self) -> None:
        assert codes(lint(topic(inside=ignore()), require_reason=True)) == ["KC0002", CODE]
        assert codes(lint(topic(inside=ignore(rest=" why")), require_reason=True)) == []
        date_alone = topic(inside=ignore(rest=f" until={LAST_DAY}"))
        assert codes(lint(date_alone, require_reason=True)) == ["KC0002", CODE]

    def test_a_rule_that_may_not_be_ignored(self) -> None:
        kept = frozenset((CODE,))
        named = lint(topic(inside=ignore()), not_ignorable=kept)
        assert codes(named) == ["KC0002", CODE]
        family = lint(topic(inside=ignore("durability")), not_ignorable=kept)
        assert CODE in codes(family)


class TestUnused:
    def test_each_word_for_itself(self) -> None:
        project = lint(topic(inside=ignore(f"{RULE}, KC0302, acks-bypass-min-isr")))
        told = [f.message for f in project.findings if f.code == "KC0003"]
        assert told == [
            "the ignore of KC0302 hides nothing",
            "the ignore of acks-bypass-min-isr hides nothing",
        ]

    def test_not_where_only_a_part_was_looked_at(self) -> None:
        assert codes(lint(topic(inside=ignore("KC0302")), partial=True)) == [CODE]

    def test_not_of_rules_that_are_off(self) -> None:
        on = frozenset(rules.load()) - {"KC0302"}
        assert codes(lint(topic(inside=ignore("KC0302")), selected=on)) == [CODE]
        slack = topic(inside=ignore("durability")).replace(".replicas: 3", ".replicas: 2")
        assert codes(lint(slack, selected=on)) == []
        assert codes(lint(slack, selected=frozenset(rules.load()))) == ["KC0003"]

    def test_not_of_rules_that_are_off_in_that_file(self) -> None:
        from kcheck.settings import ClusterSettings, Override

        off = Override(lambda path: True, ClusterSettings(), frozenset(("KC0302",)), {}, "")
        assert codes(lint(topic(inside=ignore("KC0302")), overrides=(off,))) == [CODE]

    def test_a_file_ignore_too(self) -> None:
        text = ignore("KC0302", form="ignore-file") + "\n" + topic()
        assert codes(lint(text)) == ["KC0003", CODE]

    def test_where_kcheck_does_not_look_nothing_is_said(self) -> None:
        assert lint(ignore("nonsense") + "\na: 1\n", "values.yaml").findings == []


class TestExpiry:
    def test_the_last_day_counts(self) -> None:
        assert codes(lint(topic(inside=ignore(rest=f" until={LAST_DAY} why")))) == []

    def test_the_day_after_the_finding_is_back(self) -> None:
        text = topic(inside=ignore(rest=f" until={LAST_DAY} why"))
        project = lint(text, today="2027-02-01")
        assert codes(project) == ["KC0004", CODE]
        assert project.ignored == 0
        (told,) = [f for f in project.findings if f.code == "KC0004"]
        assert told.message == f"the ignore of {RULE} expired on {LAST_DAY}"
        assert told.severity == "warning"

    def test_expired_is_not_also_unused(self) -> None:
        text = topic(inside=ignore("KC0302", rest=" until=2020-01-01"))
        assert codes(lint(text)) == ["KC0004", CODE]

    def test_not_of_rules_that_are_off(self) -> None:
        text = topic(inside=ignore("KC0302", rest=" until=2020-01-01"))
        on = frozenset(rules.load()) - {"KC0302"}
        assert codes(lint(text, selected=on)) == [CODE]


class TestSettings:
    def entry(self, path: str = "kcheck.yaml", resource: str = "", until: str = "") -> Ignore:
        codes = frozenset((CODE,))
        matches = path.__eq__
        return Ignore(RULE, codes, path, matches, resource, until, "why", "kcheck.toml", 7)

    def lint(self, *entries: Ignore, **more: object) -> Project:
        return lint(topic(), ignores=entries, file="kcheck.toml", **more)

    @pytest.mark.parametrize("resource", ["", "orders", "topic orders"])
    def test_hides(self, resource: str) -> None:
        project = self.lint(self.entry(resource=resource))
        assert codes(project) == []
        assert project.ignored == 1

    @pytest.mark.parametrize(
        ("path", "resource"),
        [("other.yaml", ""), ("kcheck.yaml", "payments"), ("kcheck.yaml", "producer orders")],
    )
    def test_hides_nothing_and_is_told_where_it_stands(self, path: str, resource: str) -> None:
        project = self.lint(self.entry(path, resource))
        assert sorted(codes(project)) == ["KC0003", CODE]
        (told,) = [f for f in project.findings if f.code == "KC0003"]
        assert (told.path, told.at[0]) == ("kcheck.toml", 7)

    def test_expires(self) -> None:
        project = self.lint(self.entry(until="2020-01-01"))
        assert sorted(codes(project)) == ["KC0004", CODE]

    def test_no_ignores(self) -> None:
        project = self.lint(self.entry(), use_ignores=False)
        assert codes(project) == [CODE]
        comment = lint(topic(inside=ignore()), use_ignores=False)
        assert codes(comment) == [CODE]
        assert comment.ignored == 0


def test_ignoring_a_twin_leaves_the_fingerprint_of_the_other() -> None:
    from kcheck import fingerprint

    one, two = topic(), topic().replace("orders", "orders") + topic().split("topics:\n")[1]
    prints = [fingerprint.of(f) for f in lint(two).findings if f.code == CODE]
    assert len(set(prints)) == 2
    assert fingerprint.of(next(f for f in lint(one).findings if f.code == CODE)) == prints[0]
    hidden = topic(inside=ignore()) + topic().split("topics:\n")[1]
    assert [fingerprint.of(f) for f in lint(hidden).findings if f.code == CODE] == prints[1:]

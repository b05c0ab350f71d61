"""Java's .properties grammar: the pairs are Java's, the places are the file's."""

from __future__ import annotations

import json
import random
import re
import shutil

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from record_java_properties import RECORDING, ask_java, texts

from kcheck.share import Exceeded
from kcheck.syntax.entry import Entry, Position
from kcheck.syntax.properties import PropertiesError, decode, parse

JOINT = r"\\(?:\r\n|\r|\n)[ \t\f]*"


def pairs(text: str) -> list[tuple[str, str]]:
    return [(entry.key, entry.value) for entry in parse(text)]


def java_pairs(text: str) -> dict[str, str] | None:
    try:
        return dict(pairs(text))
    except PropertiesError:
        return None


def spanned(text: str, at: Position) -> str:
    starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]
    line, column, end_line, end_column = at
    return text[starts[line - 1] + column - 1 : starts[end_line - 1] + end_column - 1]


def unescaped(raw: str) -> str:
    """What a raw text means, read with one regular expression instead of the parser's loops."""

    def meaning(match: re.Match[str]) -> str:
        digits, char = match.groups()
        if digits:
            return chr(int(digits, 16))
        return {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}.get(char, char) if char else ""

    text = re.sub(rf"{JOINT}|\\u([0-9a-fA-F]{{4}})|\\(.)", meaning, raw, flags=re.DOTALL)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


# Each a trap of the grammar; the Java recording below holds thousands more.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1\nb:2\nc 3\nd\n", [("a", "1"), ("b", "2"), ("c", "3"), ("d", "")]),
        (" \t\fa = \t1 \t", [("a", "1 \t")]),
        ("a==1\nb:=2\nc = :3", [("a", "=1"), ("b", "=2"), ("c", ":3")]),
        ("a\t:\f1", [("a", "1")]),
        ("a\tb=1\nc\fd=2\ne:f=3", [("a", "b=1"), ("c", "d=2"), ("e", "f=3")]),
        ("heartbeats.topic replication.factor=1", [("heartbeats.topic", "replication.factor=1")]),
        ("=1\n:", [("", "1"), ("", "")]),
        ("#a=1\n  !b=2\n\f#c\na=1 # note", [("a", "1 # note")]),
        ("#a\\\nb=1", [("b", "1")]),
        (";a=1\n//b=2", [(";a", "1"), ("//b", "2")]),
        ("a\\=b\\:c\\ d=1", [("a=b:c d", "1")]),
        (r"a=C:\temp\new\x", [("a", "C:\temp\newx")]),
        (r"a\u003db=\u0041\u00e9", [("a=b", "Aé")]),
        (r"a=\ud83d\ude00", [("a", "😀")]),
        (r"a=\ud83d", [("a", "\ud83d")]),
        (r"a=\U0041", [("a", "U0041")]),
        (r"a=\\u0041", [("a", "\\u0041")]),
        ("a=1,\\\n   2,\\\r\n\t3\nb=4", [("a", "1,2,3"), ("b", "4")]),
        ("a=1\\\\\nb=2", [("a", "1\\"), ("b", "2")]),
        ("a=1\\\\\\\n b=2", [("a", "1\\b=2")]),
        ("a\\\n b\\\n =1", [("ab", "1")]),
        ("a=\\\n#1", [("a", "#1")]),
        ("a=1\\\n\nb=2", [("a", "1"), ("b", "2")]),
        ("a=1\\\n  \t\nb=2", [("a", "1"), ("b", "2")]),
        ("a=1\\", [("a", "1")]),
        ("a=1\\\n", [("a", "1")]),
        ("a=1\rb=2\r\nc=3\n\rd=4", [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]),
        ("a=1\x0bb=2\x85c=3\u2028d=4", [("a", "1\x0bb=2\x85c=3\u2028d=4")]),
        ("\xa0a=1", [("\xa0a", "1")]),
        ("\ufeff#a=1", [("\ufeff#a", "1")]),
        # A lone backslash joins an empty line to the next, which is then as good as the first …
        ("\\\n# no\na=1", [("a", "1")]),
        ("\\\n\n\\\r\n  a=1", [("a", "1")]),
        # … but at the end of the file it is an entry, unless \r\n follows.
        ("\\", [("", "")]),
        ("\\\n", [("", "")]),
        ("\\\r", [("", "")]),
        ("\\\r\n", []),
        ("\\\n  ", []),
        ("a=1\na=2", [("a", "1"), ("a", "2")]),
        ("", []),
    ],
)
def test_pairs(text: str, expected: list[tuple[str, str]]) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    ("text", "key_at", "at"),
    [
        ("a=1", (1, 1, 1, 2), (1, 3, 1, 4)),
        ("\n  key = value ", (2, 3, 2, 6), (2, 9, 2, 15)),
        ("# no\r\n\r\nkey:v", (3, 1, 3, 4), (3, 5, 3, 6)),
        ("é😀=ü", (1, 1, 1, 3), (1, 4, 1, 5)),
        ("\x85\u2028=1", (1, 1, 1, 3), (1, 4, 1, 5)),
        (r"a\=b = \t1", (1, 1, 1, 5), (1, 8, 1, 11)),
        ("k=1,\\\n  2,\\\n  3\n", (1, 1, 1, 2), (1, 3, 3, 4)),
        ("k=\\\n  1", (1, 1, 1, 2), (2, 3, 2, 4)),
        ("k\\\n  ey\\\n =1", (1, 1, 2, 5), (3, 3, 3, 4)),
        ("k\\\n =1", (1, 1, 1, 2), (2, 3, 2, 4)),
        ("\\\n k=1", (2, 2, 2, 3), (2, 4, 2, 5)),
        # An empty value: where text would have to be inserted.
        ("k=", (1, 1, 1, 2), (1, 3, 1, 3)),
        ("k =  ", (1, 1, 1, 2), (1, 6, 1, 6)),
        ("k", (1, 1, 1, 2), (1, 2, 1, 2)),
        ("k=\\\n  \n", (1, 1, 1, 2), (2, 3, 2, 3)),
        # A joint at the end of the file joins nothing and is no part of the value.
        ("k=1\\", (1, 1, 1, 2), (1, 3, 1, 4)),
        ("k=1\\\r\n", (1, 1, 1, 2), (1, 3, 1, 4)),
        ("k=\\\n", (1, 1, 1, 2), (1, 3, 1, 3)),
        ("\n \\\n", (2, 2, 2, 2), (2, 2, 2, 2)),
    ],
)
def test_places(text: str, key_at: Position, at: Position) -> None:
    (entry,) = parse(text)
    assert (entry.key_at, entry.at) == (key_at, at)
    assert (entry.line, entry.column, entry.end_line, entry.end_column) == at
    assert (entry.key_line, entry.key_column) == key_at[:2]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (r"a=\u12", 1, 3),
        (r"a=\u12g4", 1, 3),
        (r"a=\u", 1, 3),
        (r"a=\u+123", 1, 3),
        (r"a=\u1_23", 1, 3),
        ("a=\\u٣٣٣٣", 1, 3),
        ("a\\u12=34", 1, 2),
        ("b=1\r\n  a=x\\\r\n  y\\u00", 3, 4),
    ],
)
def test_malformed_escape(text: str, line: int, column: int) -> None:
    with pytest.raises(PropertiesError) as caught:
        parse("ok=1\r" + text + "\nlost=1")
    error = caught.value
    assert (error.line, error.column) == (line + 1, column)
    assert [entry.key for entry in error.entries] == ["ok"] + ["b"] * text.startswith("b")
    assert str(error).startswith(f"{line + 1}:{column}: malformed")


def test_joint_inside_an_escape() -> None:
    """The joint goes first, so the four digits may stand on two lines."""
    assert pairs("a=\\u00\\\n  41") == [("a", "A")]


def test_pairs_equal_the_java_recording() -> None:
    cases = [json.loads(line) for line in RECORDING.read_text("ascii").splitlines()]
    assert len(cases) > 2_500
    assert [case for case in cases if java_pairs(case[0]) != case[1]] == []


@pytest.mark.jvm
@pytest.mark.skipif(shutil.which("javac") is None, reason="no JDK on the path")
def test_pairs_equal_a_live_java(thorough: bool) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    asked = list(texts(seed, 5_000 if thorough else 1_000))
    # Java reads 8192 characters at a time: its joints and line ends shall lie on that edge too.
    asked += [
        ("#" * (8_190 + number % 4 - len(text) // 2)) + "\n" + text
        for number, text in enumerate(asked[:200])
    ]
    answers = zip(asked, ask_java(asked), strict=True)
    assert [(text, java) for text, java in answers if java_pairs(text) != java] == []


soup = st.lists(
    st.sampled_from(
        [*"\\\\\\\n\r= :#!\t\fabu", "\r\n", "\\\n", "\\\r\n", r"\u0041", r"\ud83d", "é"]
    )
).map("".join)
lines = st.lists(
    st.sampled_from(["a=1", "b : 2\\", "c", "# no", "#\\", "", " d=x\\", "\\"])
).flatmap(lambda rows: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(rows)))
anything = st.one_of(soup, lines, st.text())


def entries_of(text: str) -> list[Entry]:
    try:
        return parse(text)
    except PropertiesError as error:
        return error.entries


@given(anything)
def test_spans_hold_the_raw_texts(text: str) -> None:
    before = (1, 1)
    for entry in entries_of(text):
        assert unescaped(spanned(text, entry.key_at)) == entry.key
        assert unescaped(spanned(text, entry.at)) == entry.value
        order = [before, entry.key_at[:2], entry.key_at[2:], entry.at[:2], entry.at[2:]]
        assert order == sorted(order)
        assert entry.value or entry.at[:2] == entry.at[2:]
        before = entry.at[2:]


@given(anything)
@example("a=\\\n")
@example("a=1\\\n\nb=2")
@example("a=\\")
def test_writing_over_a_span_changes_that_value_only(text: str) -> None:
    entries = entries_of(text)
    for number, entry in enumerate(entries):
        separator = spanned(text, entry.key_at[2:] + entry.at[:2])
        if not re.sub(JOINT, "", separator):
            continue  # a key alone: a value needs a separator first
        starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]
        start = starts[entry.line - 1] + entry.column - 1
        end = start + len(spanned(text, entry.at))
        expected = [(each.key, each.value) for each in entries]
        expected[number] = (entry.key, "new")
        changed = entries_of(text[:start] + "new" + text[end:])
        assert [(each.key, each.value) for each in changed] == expected


@pytest.mark.parametrize(
    ("data", "text", "remarks"),
    [
        (b"", "", []),
        (b"# no\na=1\n", "# no\na=1\n", []),
        ("# né\r\n!ü\na=1".encode(), "# né\r\n!ü\na=1", []),
        ("a=1\nb=x é".encode(), "a=1\nb=x é", [(2, 5, "non-latin1")]),
        ("é=1\nü=2".encode(), "é=1\nü=2", [(1, 1, "non-latin1")]),
        ("a=1\\\n  # é".encode(), "a=1\\\n  # é", [(2, 5, "non-latin1")]),
        ("#\\\n#é\n\\\n#é".encode(), "#\\\n#é\n\\\n#é", []),
        ("a=1\\\\\n#é".encode(), "a=1\\\\\n#é", []),
        ("a=1\\\n\\\n#é".encode(), "a=1\\\n\\\n#é", [(3, 2, "non-latin1")]),
        ("a=é".encode("latin-1"), "a=é", []),
        (b"\xef\xbb\xbfa=1", "\ufeffa=1", [(1, 1, "bom")]),
        (b"\xef\xbb\xbf# \xc3\xa9", "\ufeff# é", [(1, 1, "bom"), (1, 4, "non-latin1")]),
        ("a=1\n\ufeffb=2".encode(), "a=1\n\ufeffb=2", [(2, 1, "non-latin1")]),
        ("a=1".encode("utf-16"), "", [(1, 1, "utf16")]),
        ("a=1".encode("utf-16-be"), "", [(1, 1, "utf16")]),
        (b"\xfe\xff" + "é".encode("utf-16-be"), "", [(1, 1, "utf16")]),
        ("a=1".encode("utf-32"), "", [(1, 1, "utf16")]),
        (b"\0\0\xfe\xff\0\0\0a", "", [(1, 1, "utf16")]),
    ],
)
def test_decode(data: bytes, text: str, remarks: list[tuple[int, int, str]]) -> None:
    decoded, found = decode(data)
    assert decoded == text
    assert [(remark.line, remark.column, remark.code) for remark in found] == remarks


def test_remark_tells_what_java_reads() -> None:
    (remark,) = decode("a=😀".encode())[1]
    assert "😀 becomes 'ð\\x9f\\x98\\x80'" in remark.message
    assert r"write \ud83d\ude00" in remark.message


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(PropertiesError) as caught:
        decode(b"a=1\r\nb=\xe9\0 and more")
    assert (caught.value.line, caught.value.column) == (2, 4)


@given(st.one_of(st.binary(), anything.map(lambda text: text.encode("utf-8", "replace"))))
def test_decode_raises_nothing_else(data: bytes) -> None:
    try:
        decode(data)
    except PropertiesError:
        assert b"\0" in data


@given(anything)
@example("\\\n#é\na=1")
@example("\ufeff#")
def test_remarks_mean_that_java_reads_other_pairs(text: str) -> None:
    data = text.replace("\0", "").encode("utf-8", "replace")
    text, remarks = decode(data)
    try:
        differ = pairs(text) != pairs(data.decode("latin-1"))
    except PropertiesError:
        return
    assert differ == bool(remarks)


def test_a_file_of_more_lines_than_anybody_writes_is_given_up() -> None:
    assert len(parse("\n".join(["a=b"] * 50_000))) == 50_000
    with pytest.raises(Exceeded, match="50,000 lines"):
        parse("\n".join(["a=b"] * 50_001))

"""Readers of the same files that share nothing with kcheck's own: pairs of a name and a text.

``java.util.Properties`` (Java itself where it is installed), PyYAML's pure-Python loader, ``json``,
python-hcl2, ``configparser``, and a few lines for what the tools of Kafka print. A tree becomes all
the names that somebody could call a leaf by: of ``a: {b: {c: x}}`` those are ``c``, ``b.c`` and
``a.b.c``. A text inside of a text (a ConfigMap's file, a chart's ``extraConfig``) is read again.
"""

from __future__ import annotations

import configparser
import contextlib
import json
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import yaml

HERE = Path(__file__).resolve().parent


class Leaf:
    """A name, its text, and the first and last line of it where the reader tells them (else 0)."""

    __slots__ = ("last", "line", "name", "value")

    def __init__(self, name: str, value: str, line: int = 0, last: int = 0) -> None:
        self.name = name
        self.value = value
        self.line = line
        self.last = last or line

    def __repr__(self) -> str:
        return f"{self.name}={self.value!r} at {self.line}"


# -- java.util.Properties -------------------------------------------------------------------------

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def properties(text: str, first: int = 1) -> list[Leaf]:
    """As the documentation of ``Properties.load`` has it; malformed escapes end the file.

    ``first`` is the line of the file where the text begins, 0 where nobody knows.
    """
    found: list[Leaf] = []
    lines = re.split(r"\r\n|\r|\n", text)
    at = 0
    while at < len(lines):
        line = lines[at].lstrip(" \t\f")
        start = at
        at += 1
        if not line or line[0] in "#!":
            continue
        while (len(line) - len(line.rstrip("\\"))) % 2 and at <= len(lines):
            line = line[:-1] + (lines[at].lstrip(" \t\f") if at < len(lines) else "")
            at += 1
        split = re.match(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*", line, re.S)
        assert split is not None
        try:
            key, value = _unescaped(split[1]), _unescaped(line[split.end() :])
        except ValueError:
            break
        place = (first + start, first + at - 1) if first else (0, 0)
        found.append(Leaf(key, value, *place))
    return found


def _unescaped(text: str) -> str:
    made: list[str] = []
    rest = iter(text)
    for char in rest:
        if char != "\\":
            made.append(char)
            continue
        escaped = next(rest, "")
        if escaped == "u":
            digits = "".join(next(rest, "") for _ in range(4))
            made.append(chr(int(digits, 16)))  # ValueError: Java refuses it, too
        else:
            made.append(_ESCAPES.get(escaped, escaped))
    return "".join(made)


def java(files: Iterable[Path]) -> list[list[tuple[str, str]] | None] | None:
    """What Java reads from each file, None for one that it refuses; None without a Java."""
    if shutil.which("java") is None:
        return None
    names = "\n".join(str(path) for path in files)
    done = subprocess.run(
        ["java", "-XX:TieredStopAtLevel=1", str(HERE / "ReadProperties.java")],
        input=names,
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        None if line == "null" else [(key, value) for key, value in json.loads(line)]
        for line in done.stdout.splitlines()
    ]


def java_of(texts: list[str]) -> list[list[tuple[str, str]] | None] | None:
    """The same of texts."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.properties" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text.encode())
        return java(paths)


# -- trees: YAML, JSON, HCL -----------------------------------------------------------------------


def _leaves(names: tuple[str, ...], value: str, line: int, last: int = 0) -> Iterator[Leaf]:
    for start in range(len(names)):
        name = ".".join(names[start:]).replace(".[", "[")  # Spring's: a[b.c]
        yield Leaf(name, value, line, last)
        if "\\\n" in value:  # an image writes it into a properties file
            yield Leaf(name, properties(f"k={value}")[0].value, line, last)


def _inside(value: str, line: int) -> Iterator[Leaf]:
    """What a text says that is a list of pairs, or a whole file, itself."""
    name, equals, rest = value.partition("=")
    if equals and "\n" not in value:  # of a list of pairs, where a backslash is a backslash
        yield Leaf(name.strip(), rest, line)
        yield from _listed(value, line)
    if "=" in value or ":" in value:
        yield from properties(value, line)
    if "\n" in value and ": " in value:
        yield from _yaml(value, line - 1 if line else -LOST)
    if value.lstrip().startswith("{"):
        yield from _json(value, line)
    if " " in value and "=" in value:
        yield from _words(value, line)
    if "?" in value and "\n" not in value:  # the options of an endpoint
        yield from (Leaf(name, text, line) for name, text in parse_qsl(urlsplit(value).query))


def _words(text: str, line: int) -> Iterator[Leaf]:
    """``--override a=b``, ``-e A=B`` of a command."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            yield Leaf(name, value, line)


class _Loader(yaml.SafeLoader):
    """Takes an anchor that is there twice for the later one, as Go's readers do."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()
        if not isinstance(event, yaml.AliasEvent):
            self.anchors.pop(event.anchor, None)
        return super().compose_node(parent, index)


#: So many lines above the first: of a text whose place is not known.
LOST = 10**9


def _yaml(text: str, before: int = 0) -> Iterator[Leaf]:
    try:
        for node in yaml.compose_all(text, Loader=_Loader):
            if node is not None:
                yield from _node((), node, before, 0)
    except (yaml.YAMLError, RecursionError):
        return


def _named(node: yaml.MappingNode, before: int) -> Iterator[Leaf]:
    """The value of a mapping that has a name, too."""
    own = {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}
    for label in ("value", "defaultValue", "default"):
        if "name" in own and isinstance(own.get(label), yaml.ScalarNode):
            where = before + own[label].start_mark.line + 1
            name = str(own["name"].value)
            yield Leaf(name, own[label].value, where)
            # A route of Helm's, in which dots of a key's own are escaped.
            yield Leaf(
                name.replace("\\.", "\0").split(".")[-1].replace("\0", "."), own[label].value, where
            )
    if all(isinstance(own.get(key), yaml.ScalarNode) for key in ("Name", "Value")):
        value = own["Value"]
        last = before + value.end_mark.line + 1
        line = before + value.start_mark.line + 1
        yield Leaf(str(own["Name"].value), str(value.value), line, last)
    if {"op", "path"} <= own.keys() and isinstance(own.get("value"), yaml.ScalarNode):
        pointer = str(own["path"].value).split("/")[-1].replace("~1", "/").replace("~0", "~")
        yield Leaf(pointer, own["value"].value, before + own["value"].start_mark.line + 1)


def _node(names: tuple[str, ...], node: yaml.Node, before: int, depth: int) -> Iterator[Leaf]:  # noqa: C901
    line = max(before + node.start_mark.line + 1, 0)
    if depth > 30:
        return
    if isinstance(node, yaml.ScalarNode):
        last = max(before + node.end_mark.line + 1, 0)
        yield from _leaves(names, node.value, line, last)
        if node.style == "|" and line:  # the text begins on the next line
            yield from _inside(node.value, line + 1)
        else:
            yield from _inside(node.value, line)
    elif isinstance(node, yaml.SequenceNode):
        scalars = [item for item in node.value if isinstance(item, yaml.ScalarNode)]
        if scalars and len(scalars) == len(node.value):
            joined = ",".join(item.value for item in scalars)
            yield from _leaves(names, joined, before + scalars[0].start_mark.line + 1)
            for option, argument in pairwise(scalars):
                if option.value in ("--override", "-e", "--env"):
                    yield from _inside(argument.value, before + argument.start_mark.line + 1)
        for number, item in enumerate(node.value):
            yield from _node((*names, str(number)), item, before, depth + 1)
            yield from _node(names, item, before, depth + 1)
    elif isinstance(node, yaml.MappingNode):
        yield from _named(node, before)
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                inner = names if key.value == "<<" else (*names, key.value)
                yield from _node(inner, value, before, depth + 1)


def _json(text: str, line: int = 0) -> Iterator[Leaf]:
    try:
        tree = json.loads(
            text, parse_int=str, parse_float=str, object_pairs_hook=lambda pairs: pairs
        )
    except ValueError:
        return
    yield from _tree((), tree, line)


def _tree(names: tuple[str, ...], tree: object, line: int) -> Iterator[Leaf]:
    if isinstance(tree, list) and tree and all(isinstance(pair, tuple) for pair in tree):
        own = dict(tree)
        for label in ("value",):
            if isinstance(own.get("name"), str) and isinstance(own.get(label), str):
                yield Leaf(own["name"], own[label], line)
        for key, value in tree:
            yield from _tree((*names, str(key)), value, line)
    elif isinstance(tree, dict):
        yield from _tree(names, list(tree.items()), line)
    elif isinstance(tree, list):
        if tree and all(isinstance(item, str) for item in tree):
            yield from _leaves(names, ",".join(tree), line)
        for item in tree:
            yield from _tree(names, item, line)
    elif tree is not None:
        text = str(tree).lower() if isinstance(tree, bool) else str(tree)
        yield from _leaves(names, text, line)
        yield from _inside(text, line)


def _hcl(text: str) -> Iterator[Leaf]:
    import hcl2

    try:
        tree = hcl2.loads(text)
    except Exception:
        return
    yield from _tree((), _unquoted(tree), 0)


def _unquoted(tree: object) -> object:
    if isinstance(tree, dict):
        return [(str(_unquoted(key)), _unquoted(value)) for key, value in tree.items()]
    if isinstance(tree, list):
        return [_unquoted(item) for item in tree]
    if isinstance(tree, str):
        encoded = re.fullmatch(r"\$\{(?:yaml|json)(?:en|de)code\((.*)\)\}", tree, re.S)
        if encoded is not None:
            import hcl2

            return _unquoted(hcl2.loads(f"it = {encoded[1]}\n"))
        heredoc = re.match(r'"?<<(-?)(\w+)\n(.*?)\n?[ \t]*\2"?$', tree, re.S)
        if heredoc is not None:
            return heredoc[3]
        if len(tree) > 1 and tree[0] == tree[-1] == '"':
            return tree[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
    return tree


# -- the rest ------------------------------------------------------------------------------------


def _environment(text: str) -> Iterator[Leaf]:
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*(.*?)\s*$", line)
        if match is None:
            continue
        value = match[2]
        if value[:1] in ("'", '"'):
            value = value[1:].partition(value[0])[0]
        else:
            value = re.split(r"\s+#", value)[0]
        yield Leaf(match[1], value, number)


def _dockerfile(text: str) -> Iterator[Leaf]:
    """What ENV sets, by a shell's words."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if not line.lstrip().upper().startswith("ENV "):
            continue
        last = number
        while lines[last].rstrip().endswith("\\") and last + 1 < len(lines):
            last += 1
        joined = " ".join(one.rstrip().rstrip("\\") for one in lines[number : last + 1])
        for word in shlex.split(joined)[1:]:
            if "=" in word:
                name, _, value = word.partition("=")
                yield Leaf(name, value, number + 1, last + 1)


def _described(text: str) -> Iterator[Leaf]:
    for number, line in enumerate(text.splitlines(), 1):
        entry = re.match(r"\s+([\w.-]+)=(.*?)(?: sensitive=.*)?$", line)
        if entry is not None:
            yield Leaf(entry[1], entry[2], number)
        configs = re.search(r"(?:Configs:[ \t]*| are:? )(\S.*)", line)
        if configs is not None:
            yield from _listed(configs[1], number)


def _options(text: str) -> Iterator[Leaf]:
    """``--config key=value``, ``-e NAME=value``, ``--partitions 3`` and JSON in the commands of a script,
    with the variables that it sets before."""
    variables: dict[str, str] = {}
    lines = text.splitlines()
    start = 0
    while start < len(lines):
        end, words = _command(lines, start)
        first, last = start + 1, end
        start = end
        for option, value in pairwise([*words, ""]):
            name, equals, given = option.partition("=")
            value = re.sub(r"\$(\w+)", lambda one: variables.get(one[1], one[0]), value)
            if equals and name.isidentifier():
                variables[name] = given
                yield Leaf(name, given, first, last)
            if option in ("--config", "-e", "--env") and "=" in value:
                yield Leaf(*value.split("=", 1), *_line_of(lines, value.split("=", 1)[1], first))
            elif option in ("--add-config", "--set", "--set-string"):
                for key, said in _assigned(option, value):
                    yield Leaf(key, said, first, last)
            elif name.startswith("--"):
                yield Leaf(name, given if equals else value, first, last)
            elif value.startswith("{"):
                inner = "\n".join(lines[first - 1 : last])
                for leaf in _json(value):
                    line = first + inner[: inner.find(f'"{leaf.name}"')].count("\n")
                    yield Leaf(leaf.name, leaf.value, line)


def _assigned(option: str, value: str) -> Iterator[tuple[str, str]]:
    """The assignments between the commas of an option."""
    for entry in re.split(r",(?=[\w.\\]+=)", value):
        key, _, said = entry.partition("=")
        if option == "--add-config":
            yield key, said.strip("[]")
            continue
        # Of a route, what stands behind each of its dots may be a key of Kafka's.
        parts = re.split(r"(?<!\\)\.", key)
        for at in range(len(parts)):
            yield ".".join(parts[at:]).replace("\\.", "."), said


_ECHO = re.compile(r"\becho[ \t]+[\"']?([\w-]+(?:\.[\w-]+)+)=(.*?)[\"']?[ \t]*>>?")
_HERE = re.compile(r"<<[-~]?[ \t]*([\"']?)(\w+)\1[^\n]*\n(.*?)\n[ \t]*\2\b", re.DOTALL)


def _script(text: str) -> Iterator[Leaf]:
    """A script's options, and the lines of its here-documents as those of properties."""
    yield from _options(text)
    for found in _HERE.finditer(text):
        yield from properties(found[3], text.count("\n", 0, found.start(3)) + 1)
    for number, line in enumerate(text.splitlines(), 1):
        for one in _ECHO.finditer(line):
            yield Leaf(one[1], one[2], number)


def _command(lines: list[str], start: int) -> tuple[int, list[str]]:
    """The words of the command that begins on a line, and the number of its last one."""
    for end in range(start + 1, len(lines) + 1):
        whole = "\n".join(lines[start:end])
        if whole.endswith("\\") and end < len(lines):
            continue
        with contextlib.suppress(ValueError):
            return end, shlex.split(whole.replace("\\\n", " "), comments=True)
    return start + 1, []


def _line_of(lines: list[str], value: str, number: int) -> tuple[int, int]:
    """The line that sets the value to a variable of the script, or any line of the command."""
    set_on = [n for n, line in enumerate(lines[: number - 1], 1) if line.endswith(f"={value}")]
    return (set_on[-1], set_on[-1]) if set_on else (number, number + 20)


def _listed(text: str, line: int) -> Iterator[Leaf]:
    """``a=b,c=d``, where values hold commas, too."""
    names = [*re.finditer(r"(?:^|,)[ \t]*([a-z][\w.]*)=", text)]
    ends = [*(match.start() for match in names[1:]), len(text)]
    for match, end in zip(names, ends, strict=bool(names)):
        yield Leaf(match[1], text[match.end() : end], line)


def _logstash(text: str) -> Iterator[Leaf]:
    for number, line in enumerate(text.splitlines(), 1):
        for match in re.finditer(r"(\w+) *=> *(?:\"([^\"]*)\"|'([^']*)'|([\w.]+))", line):
            yield Leaf(match[1], match[2] or match[3] or match[4] or "", number)


def _ini(text: str) -> Iterator[Leaf]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in parser.sections():
        for name, value in parser.items(section):
            yield Leaf(name, value)


def _template(text: str) -> Iterator[Leaf]:
    """What a template holds between its own lines."""
    kept = re.sub(r"^[ \t]*(\{%.*?%\}|<%.*?%>)[ \t]*$", "", text, flags=re.M)
    yield from properties(kept)


def _sql(text: str) -> Iterator[Leaf]:
    """The options of tables and connectors."""
    for number, line in enumerate(text.split("\n"), 1):
        for match in re.finditer(r"(?:['\"]([^'\"]*)['\"]|(\w+))\s*=\s*'([^']*)'", line):
            yield Leaf(match[1] or match[2], match[3], number)
        for match in re.finditer(r"Kafka\('([^']*)', '[^']*', '([^']*)'", line):
            yield Leaf("kafka_broker_list", match[1], number)
            yield Leaf("kafka_group_name", match[2], number)


def _toml(text: str) -> Iterator[Leaf]:
    import tomllib

    try:
        tree = tomllib.loads(text)
    except ValueError:
        return
    yield from _tree((), tree, 0)


def _hocon(text: str) -> Iterator[Leaf]:
    """The last word of a path, and all ends of it, with what stands on its line."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in re.finditer(r"([\w.\"-]+)\s*[:=]\s*(\"[^\"]*\"|\[[^\]]*\]|[^,{}#]+)", line):
            value = match[2].strip()
            if value[:1] == "[":
                value = ",".join(part.strip().strip('"') for part in value[1:-1].split(","))
            names = tuple(match[1].replace('"', "").split("."))
            yield from _leaves(names, value.strip('"'), number)


def _xml(text: str) -> Iterator[Leaf]:
    """Pairs of a name and a value below one element, and the options of URIs."""
    try:
        every = [*ElementTree.fromstring(text).iter()]
    except ElementTree.ParseError:
        return
    for one in every:
        parts = {part.tag.rpartition("}")[2]: part.text or "" for part in one}
        name = parts.get("key", parts.get("name"))
        if name is not None and "value" in parts:
            yield Leaf(name, parts["value"])
        for option, value in parse_qsl(one.get("uri", "").partition("?")[2]):
            yield Leaf(option, value)


def _manifest(text: str) -> Iterator[Leaf]:
    """``'name' => 'value',`` of Puppet, a pair on each line; what is no plain value is filled in."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*['\"]([\w.-]+)['\"]\s*=>\s*(.*?)\s*,?\s*(?:#.*)?$", line)
        if found is None:
            continue
        plain = re.fullmatch(r"'([^']*)'|\"([^\"$]*)\"|([\w.-]+)", found[2])
        if plain is None:
            yield Leaf(found[1], "${filled_in}")
        else:
            yield Leaf(found[1], next(one for one in plain.groups() if one is not None), number)


#: The readers by the endings of names.
_READERS: tuple[tuple[tuple[str, ...], Callable[[str], Iterable[Leaf]]], ...] = (
    ((".yml", ".yaml", ".sls"), _yaml),
    ((".json",), _json),
    ((".tf", ".tofu", ".tfvars", ".hcl", ".nomad"), _hcl),
    ((".env",), _environment),
    ((".ini",), _ini),
    ((".txt", ".out"), _described),
    ((".sql", ".ksql"), _sql),
    ((".toml",), _toml),
    ((".hocon", "application.conf"), _hocon),
    ((".sh",), _script),
    ((".xml",), _xml),
    ((".pp",), _manifest),
)


def leaves(path: str, data: bytes) -> list[Leaf]:
    """Everything that the readers of a file of this name find in it."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    name = path.rsplit("/", 1)[-1].lower()
    name = re.sub(r"\.(tpl|tmpl|ctmpl|gotmpl|tftpl|dist|example|sample|bak|b)$", "", name)
    if "=>" in text and "{" in text and name.endswith(".conf"):
        return [*_logstash(text)]
    if name.endswith((".j2", ".jinja", ".jinja2", ".erb")):
        return [*_template(text), *properties(text)]
    if name.startswith(("dockerfile", "containerfile")):
        return [*_dockerfile(text)]
    if name.startswith(".env"):
        return [*_environment(text)]
    for endings, reader in _READERS:
        if name.endswith(endings):
            return [*reader(text)]
    return properties(text)

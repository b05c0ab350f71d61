"""Kafka's processes, started from the released jars for one case after the other.

Steps of a case (``do``):

``start FILE …``        nodes of one cluster, formatted where they are KRaft's, until all have started
``stop``                all end; ``rename FILE`` then makes the folders those of another cluster
``work FILE [FILE]``    a Connect worker; with a second file a standalone one with that connector
``deploy FILE``         a connector of the worker that runs, until its tasks run
``mirror FILE``         MirrorMaker's driver
``create TOPIC``, ``alter TOPIC KEY=VALUE``, ``grow TOPIC COUNT``, ``configure NODE KEY=VALUE``,
``quota ENTITY LIMITS`` what an admin client does
``send PRODUCER BYTES [COUNT]``, ``transact PRODUCER``, ``read CONSUMER COUNT``, ``join CONSUMER …``
                        what clients of kcheck.yaml do
``stream FILE FROM TO`` an application that counts

Without ``start`` the nodes are those of the release that serve all such cases.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import jvm
from started import FOLDER, Case, text

#: Seconds until a process that neither ends nor works is given up.
PATIENCE = 60
_SMALL = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8")
_PORT = re.compile(r"(?<![\d.])(909\d|218\d|808\d)(?!\d)")
_HOST = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*):\d")
_THROWN = re.compile(r"([\w.$]+(?:Exception|Error)\b(?:: .*)?)")
_ID = "MkU3OEVBNTcwNTJENDM2Qg"
#: Keys whose values are names in the cluster that all cases share.
_NAMES = frozenset(
    ("group.id", "application.id", "transactional.id", "topic", "topics")
    + tuple(f"{kind}.storage.topic" for kind in ("config", "offset", "status"))
)
_LONGEST = 180
#: A release whose connectors of files Maven has.
_FILES = "4.0.2"


class Failed(Exception):
    """The outcome of a case that stops at this step."""


class Started:
    """One process and what it writes."""

    def __init__(self, command: list[str], folder: Path, name: str, env: dict[str, str]) -> None:
        self.log = folder / f"{name}.log"
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                ["nice", *command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=env,
                cwd=folder,
            )

    @property
    def lines(self) -> list[str]:
        return self.log.read_text(encoding="utf-8", errors="replace").splitlines()

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def reason(self) -> str:
        """The first exception that it tells, else its first error."""
        errors = [line for line in self.lines if line.startswith("ERROR\t")]
        for line in [*(one for one in errors if one.count("\t") > 2), *self.lines]:
            if line.startswith("ERROR\t") and line.count("\t") > 2:
                causes = line.split("\t")[3:]
                said = dict.fromkeys((causes[0], causes[-1]))
                return " <- ".join(_short(one) for one in said)
            if not line.startswith(("INFO\t", "WARN\t")) and (found := _THROWN.search(line)):
                return _short(found[1])
        return errors[0].split("\t")[2] if errors else " ".join(self.lines[-1:])

    def stop(self, *, gently: bool = False) -> None:
        if not self.ended and gently:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(30)
        if not self.ended:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Place:
    """A folder, ports and processes of one case, or of the nodes that cases share."""

    def __init__(self, release: str, classes: str, root: Path) -> None:
        self.release = release
        self.folder = Path(tempfile.mkdtemp(dir=root))
        self.ports: dict[str, str] = {}
        self.running: list[Started] = []
        jars = jvm.generator().jars_of(release, jvm.JARS)
        self.path = os.pathsep.join([classes, f"{jars}/*", f"{_file_connectors(release)}/*"])
        self.classes = classes

    def real(self, written: str) -> str:
        """Ports and folders that are free here, for those of the case."""
        written = written.replace("/data/", f"{self.folder}/data/")
        return _PORT.sub(lambda found: self.ports.setdefault(found[1], _free()), written)

    def plain(self, said: str) -> str:
        """The other way round."""
        said = said.replace(f"{self.folder}/data/", "/data/").replace(str(self.folder), "")
        for port, mine in self.ports.items():
            said = re.sub(rf"(?<!\d){mine}(?!\d)", port, said)
        return said

    def java(self, main: str, *arguments: str, heap: str = "256m") -> list[str]:
        hosts = self.folder / "hosts"
        if not hosts.exists():
            hosts.write_text("127.0.0.1 localhost\n", encoding="utf-8")
        return [
            *(jvm.generator().java_tool("java"), f"-Xmx{heap}", *_SMALL),
            *(f"-Djdk.net.hosts.file={hosts}", "-cp", self.path, main, *arguments),
        ]

    def launch(self, name: str, command: list[str], env: dict[str, str] | None = None) -> Started:
        one = Started(command, self.folder, name, {**os.environ, **(env or {})})
        self.running.append(one)
        return one

    def close(self) -> None:
        for one in reversed(self.running):
            one.stop()
        self.running.clear()
        if os.environ.get("KEEP"):
            print(self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


class Release:
    """What serves all cases of a release: its ZooKeeper, one node, one JVM with clients."""

    def __init__(self, release: str, classes: str, root: Path) -> None:
        self.release = release
        self.classes = classes
        self.root = root
        self.place = Place(release, classes, root)
        self._zookeeper = ""
        self._node = ""
        self._steps: subprocess.Popen[str] | None = None

    def zookeeper(self) -> str:
        """Its address."""
        if not self._zookeeper:
            port = _free()
            main = "org.apache.zookeeper.server.ZooKeeperServerMain"
            place = self.place
            place.launch("zookeeper", place.java(main, port, str(place.folder / "zookeeper")))
            _until(lambda: _listens(port), "ZooKeeper")
            self._zookeeper = f"localhost:{port}"
        return self._zookeeper

    def node(self) -> str:
        """The address of the node."""
        if not self._node:
            case = Case(
                {
                    "id": "node",
                    "plane": "zookeeper" if self.release.startswith("2.") else "combined",
                    "says": "silent",
                },
                bases(),
            )
            run = Run(case, self, self.place)
            run.start("server.properties")
            self._node = f"localhost:{self.place.ports['9092']}"
        return self._node

    def ask(self, *cells: str) -> str:
        """What the clients say of a step."""
        if self._steps is None or self._steps.poll() is not None:
            self._steps = subprocess.Popen(
                ["nice", *self.place.java("Steps", heap="400m")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=(self.place.folder / "clients.log").open("ab"),
                encoding="utf-8",
                start_new_session=True,
                cwd=self.place.folder,
            )
        assert self._steps.stdin is not None and self._steps.stdout is not None
        self._steps.stdin.write("\t".join(cells) + "\n")
        self._steps.stdin.flush()
        return self._steps.stdout.readline().rstrip("\n") or "the clients' process ended"

    def close(self) -> None:
        if self._steps is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._steps.pid, signal.SIGKILL)
            self._steps.wait()
        self.place.close()


class Run:
    """One case in one release."""

    def __init__(self, case: Case, release: Release, place: Place) -> None:
        self.case = case
        self.release = release
        self.place = place
        self.own = any(step.startswith("start ") for step in case.do)
        self.worker: Started | None = None
        hosts = {name for content in case.texts().values() for name in _HOST.findall(content)}
        hosts |= {"localhost", socket.gethostname()}
        lines = (f"127.0.0.1 {name}\n" for name in sorted(hosts) if not name.endswith(".invalid"))
        (place.folder / "hosts").write_text("".join(lines), encoding="utf-8")

    def outcome(self) -> str:
        last = ""
        for step in self.case.do:
            last, *arguments = step.split()
            try:
                getattr(self, last)(*arguments)
            except Failed as failed:
                return _cell(self.place.plain(str(failed)).replace(f"{self.case.name}-", ""))
        return "accepted" if last in ("create", "alter", "grow", "quota", "configure") else "runs"

    # Processes.

    def start(self, *paths: str) -> None:
        nodes = []
        for path in paths:
            keys = self._keys(path)
            if self.case.plane == "zookeeper":
                keys["zookeeper.connect"] = f"{self.release.zookeeper()}/{self.case.name}"
            file = self._file(path, keys)
            command = self.place.java("kafka.Kafka", str(file))
            formatted = self.place.folder / f"{path}.formatted"
            if "process.roles" in keys and not formatted.exists():
                formatted.touch()
                command = self.place.java("Node", str(file), _ID)
            nodes.append(self.place.launch(path, command))
        self._settled(nodes, lambda one: any(_STARTED.search(line) for line in one.lines))
        time.sleep(1)
        self._settled(nodes, lambda one: True)

    def stop(self) -> None:
        for one in self.place.running:
            one.stop(gently=True)
        self.place.running.clear()

    def rename(self, path: str) -> None:
        """The folders are of another cluster: whose data were mounted by mistake, say."""
        for file in self.place.folder.glob("data/**/meta.properties"):
            held = file.read_text(encoding="utf-8")
            file.write_text(re.sub("cluster.id=.*", "cluster.id=AAAAAAAAAAAAAAAAAAAAAg", held))

    def work(self, path: str, connector: str = "") -> None:
        worker = self._file(path, self._client(self._keys(path)))
        command = [str(worker)]
        if connector:
            command.append(str(self._file(connector, self._client(self._keys(connector)))))
        name = "ConnectStandalone" if connector else "ConnectDistributed"
        main = f"org.apache.kafka.connect.cli.{name}"
        # Each worker of a case has a place of its own for its plug-ins.
        one = self.place.launch(path, self.place.java(main, *command))
        self.worker = one
        # Only a worker that has read its topics and joined its group knows what it has not.
        self._settled([one], lambda _: '"error_code":404' in str(self._rest("connectors/none")))
        time.sleep(2)
        self._settled([one], lambda _: True)
        if connector:
            self._tasks(str(self._keys(connector)["name"]))

    def deploy(self, path: str) -> None:
        held = self.case.files[path]
        config = {
            key: value if key == "name" else self._named(key, self.place.real(str(value)))
            for key, value in dict(held["config"]).items()  # type: ignore[call-overload]
        }
        for _ in range(20):
            said = self._rest("connectors", {"name": held["name"], "config": config})
            # Until the worker has joined its group.
            if not (isinstance(said, str) and "rebalanc" in said.lower()):
                break
            time.sleep(1)
        if isinstance(said, str):
            raise Failed(f"rejected: {said}")
        self._tasks(str(held["name"]))

    def mirror(self, path: str) -> None:
        file = self._file(path, self._client(self._keys(path)))
        main = "org.apache.kafka.connect.mirror.MirrorMaker"
        one = self.place.launch(path, self.place.java(main, str(file)))
        self._settled(
            [one], lambda log: any("Kafka MirrorMaker started" in line for line in log.lines)
        )
        # The workers inside have begun by then; what ends one of them does not end the process.
        time.sleep(15)
        self._settled([one], lambda _: True)

    # Clients.

    def create(self, topic: str) -> None:
        entry = self._entry("topics", topic)
        count, copies = (str(entry.get(key, "")) for key in ("partitions", "replication_factor"))
        config = _pairs(dict(entry.get("config", {})))  # type: ignore[call-overload]
        self._admin("create", self._name(topic), count, copies, config)

    def alter(self, topic: str, *pairs: str) -> None:
        self._admin("alter", "TOPIC", self._name(topic), _pairs(_split(pairs)))

    def configure(self, node: str, *pairs: str) -> None:
        self._admin("alter", "BROKER", "" if node == "default" else node, _pairs(_split(pairs)))

    def grow(self, topic: str, count: str) -> None:
        self._admin("grow", self._name(topic), count)

    def quota(self, number: str) -> None:
        """The entry of kcheck.yaml with that number."""
        entry = dict(self.case.files["kcheck.yaml"]["quotas"][int(number)])  # type: ignore[index]
        kinds = {"user": "user", "client_id": "client-id", "ip": "ip"}
        who = {kinds[key]: str(entry.pop(key)) for key in kinds if key in entry}
        self._admin("quota", _pairs(who), _pairs(entry))

    def send(self, name: str, size: str, count: str = "1") -> None:
        topic, config = self._party("producers", name)
        self._ask("send", _pairs(config), topic, size, count)

    def transact(self, name: str) -> None:
        topic, config = self._party("producers", name)
        self._ask("transact", _pairs(config), topic)

    def read(self, name: str, count: str) -> None:
        topic, config = self._party("consumers", name)
        self._ask("read", _pairs(config), topic, count)

    def join(self, *names: str) -> None:
        parties = [self._party("consumers", name) for name in names]
        self._ask("join", parties[0][0], "30", *(_pairs(config) for _, config in parties))

    def stream(self, path: str, source: str, target: str) -> None:
        config = self._client(self._keys(path))
        config["state.dir"] = str(self.place.folder / "data" / "streams")
        self._ask("stream", _pairs(config), self._name(source), self._name(target))

    # What they share.

    def _admin(self, step: str, *cells: str) -> None:
        said = self.release.ask(step, _pairs({"bootstrap.servers": self._bootstrap()}), *cells)
        if said != "ok":
            raise Failed(f"rejected: {said}")

    def _ask(self, *cells: str) -> None:
        said = self.release.ask(*cells)
        if said != "ok":
            raise Failed(f"errors at run time: {said}")

    def _bootstrap(self) -> str:
        if self.own:
            return f"localhost:{self.place.ports['9092']}"
        return self.release.node()

    def _client(self, keys: dict[str, str]) -> dict[str, str]:
        """The same with the servers that run, and with names of its own."""
        held = {key: self._named(key, value) for key, value in keys.items()}
        for key in held:
            if key.endswith("bootstrap.servers") and ".invalid" not in held[key]:
                held[key] = self._bootstrap()
        return held

    def _named(self, key: str, value: str) -> str:
        return self._name(value) if key.rpartition("consumer.")[2] in _NAMES and value else value

    def _name(self, name: str) -> str:
        return name if self.own else f"{self.case.name}-{name}"

    def _party(self, kind: str, name: str) -> tuple[str, dict[str, str]]:
        entry = self._entry(kind, name)
        config = {key: str(value) for key, value in dict(entry["config"]).items()}  # type: ignore[call-overload]
        config.setdefault("bootstrap.servers", "localhost:9092")
        topic = self._name(str(entry["topics"][0]))  # type: ignore[index]
        return topic, self._client(config)

    def _entry(self, kind: str, name: str) -> dict[str, object]:
        entries = self.case.files["kcheck.yaml"][kind]
        (entry,) = (one for one in entries if one["name"] == name)  # type: ignore[attr-defined]
        return dict(entry)

    def _keys(self, path: str) -> dict[str, str]:
        held = self.case.files[path]
        return {key: self.place.real(str(value)) for key, value in held.items()}

    def _file(self, path: str, keys: dict[str, str]) -> Path:
        file = self.place.folder / path
        data = self.place.folder / "data"
        data.mkdir(exist_ok=True)
        # What connectors of files read.
        (data / "lines").write_text("one\ntwo\n", encoding="utf-8")
        file.write_text(text(path, dict(keys)), encoding="utf-8")
        return file

    def _settled(self, processes: list[Started], there: Callable[[Started], bool]) -> None:
        """Wait until all work; an end, or too long a time, fails the case."""
        end = time.monotonic() + PATIENCE
        while True:
            for one in processes:
                if one.ended or any(_HERDER.search(line) for line in one.lines):
                    raise Failed(f"exits: {one.reason()}")
            if all(there(one) for one in processes):
                return
            if time.monotonic() > end:
                told = next((one.reason() for one in processes if not there(one)), "")
                raise Failed(f"errors at run time: not up in {PATIENCE} s: {told}")
            time.sleep(0.3)

    def _tasks(self, name: str) -> None:
        end = time.monotonic() + PATIENCE
        said: object = ""
        while time.monotonic() < end:
            said = self._rest(f"connectors/{name}/status")
            if isinstance(said, dict):
                states = [said["connector"], *said["tasks"]]
                for one in states:
                    if one["state"] == "FAILED":
                        trace = str(one.get("trace", "")).split("\n")
                        causes = [line for line in trace if line and not line.startswith("\t")]
                        told = dict.fromkeys((causes[0], causes[-1]))
                        raise Failed("errors at run time: " + " <- ".join(map(_short, told)))
                if said["tasks"] and all(one["state"] == "RUNNING" for one in states):
                    time.sleep(3)
                    again = self._rest(f"connectors/{name}/status")
                    if again == said:
                        return
            time.sleep(0.5)
        raise Failed(f"errors at run time: no task runs in {PATIENCE} s: {said}")

    def _rest(self, path: str, body: object = None) -> object:
        """What the worker responds: JSON, or the text of an error."""
        url = f"http://localhost:{self.place.ports['8083']}/{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return error.read().decode("utf-8", "replace")
        except OSError as error:
            return f"no answer: {error}"


_HERDER = re.compile(r"^ERROR\t.*[Uu]ncaught exception")
_STARTED = re.compile(r"Kafka Server started|KafkaServer id=\d+\] started")


def bases() -> dict[str, dict[str, object]]:
    import yaml

    return yaml.safe_load((FOLDER / "bases.yaml").read_text(encoding="utf-8"))


def run(chosen: Iterable[tuple[Case, str]]) -> Iterator[tuple[Case, str, str]]:
    """The cases with their outcomes; those of one release in a row."""
    chosen = [*chosen]
    # Whoever ends this ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    jvm.within_reach(dict.fromkeys(release for _, release in chosen))
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for number in dict.fromkeys(release for _, release in chosen):
            release = Release(number, _compiled(root, number), root)
            try:
                for case in (case for case, theirs in chosen if theirs == number):
                    place = Place(number, release.classes, root)
                    try:
                        yield case, number, Run(case, release, place).outcome()
                    finally:
                        place.close()
            finally:
                release.close()


def _compiled(root: Path, release: str) -> str:
    classes = root / f"classes-{release}"
    classes.mkdir()
    sources = [str(path) for path in sorted(FOLDER.glob("*.java"))]
    jars = jvm.generator().jars_of(release, jvm.JARS)
    with zipfile.ZipFile(jars / f"kafka-clients-{release}.jar") as clients:
        there = {*clients.namelist()}
    for moved in sorted((FOLDER / "moved").glob("*.java")):
        if f"org/apache/kafka/common/utils/{moved.stem}.class" not in there:
            sources.append(str(moved))
    path = f"{jars}/*"
    command = [jvm.generator().java_tool("javac"), "-nowarn", "-Xlint:none", "-cp", path]
    subprocess.run([*command, "-d", str(classes), *sources], check=True, stderr=subprocess.DEVNULL)
    return str(classes)


def _file_connectors(release: str) -> Path:
    """The folder with the connectors of files, which workers from 3.2 on do not bring along.

    Of the newest releases Maven has none: an older one's do the same.
    """
    for one in (release, _FILES):
        folder = jvm.JARS.parent / "connect-file" / one
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not folder.is_dir():
            jvm.generator().copy_dependencies(one, ["connect-file"], folder)
        if folder.is_dir():
            for jar in folder.glob("*.jar"):
                if not jar.name.startswith("connect-file"):
                    jar.unlink()
            break
    return folder


def _pairs(keys: dict[str, object] | dict[str, str]) -> str:
    return "\x01".join(f"{key}\x02{value}" for key, value in keys.items())


def _split(pairs: Iterable[str]) -> dict[str, str]:
    return {key: value for key, _, value in (pair.partition("=") for pair in pairs)}


def _short(said: str) -> str:
    """Without packages, caller and the words before a class."""
    said = said.removeprefix("Caused by: ")
    name, colon, message = said.partition(": ")
    return f"{name.rpartition('.')[2]}{colon}{message}"


def _cell(said: str) -> str:
    """One line, without what is another one each time."""
    said = re.sub(r"\b1[6-9]\d{11}\b|(?<=incarnation=)[\w-]+|@[0-9a-f]{6,8}\b", "…", said)
    said = re.sub(r"\s+", " ", said).strip()
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"


def _free() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def _listens(port: str) -> bool:
    with socket.socket() as one:
        one.settimeout(1)
        return one.connect_ex(("127.0.0.1", int(port))) == 0


def _until(there: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not there():
        if time.monotonic() > end:
            raise RuntimeError(f"{what} does not start")
        time.sleep(0.3)

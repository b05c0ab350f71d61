"""spark-submit to a real standalone cluster: a master and two workers of the installed package.

kcheck comes as docs/spark.md says it: as the zip that its wheel is, and with the entry script.
"""

from __future__ import annotations

import csv
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import ROOT, Lint, printed, records, table


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def bin_folder() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent / "bin"


def environment(**more: str) -> dict[str, str]:
    """What a node of a cluster has: Java and Python, nothing of kcheck's checkout."""
    kept = {name: os.environ[name] for name in ("PATH", "JAVA_HOME", "HOME") if name in os.environ}
    return {
        **kept,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_NO_DAEMONIZE": "1",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        **more,
    }


class Cluster:
    """A running master and its workers, whose folders lie in ``root``."""

    def __init__(self, url: str, root: Path) -> None:
        self.url = url
        self.root = root

    def logs(self) -> set[Path]:
        """What executors wrote, by now."""
        return {*self.root.glob("worker-*-work/*/*/stderr")}

    def processes(self, text: str) -> dict[int, int]:
        """process → parent of those below the workers whose command holds the text."""
        found: dict[int, int] = {}
        for entry in Path("/proc").iterdir():
            try:
                ours = entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(self.root)
                if ours and text in (entry / "cmdline").read_text():
                    parent = (entry / "stat").read_text().rpartition(") ")[2].split()[1]
                    found[int(entry.name)] = int(parent)
            except OSError:
                # It is gone by now.
                continue
        return found


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    import shutil

    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java")
    tmp_path = tmp_path_factory.mktemp("standalone")
    url = f"spark://127.0.0.1:{free_port()}"
    running: list[subprocess.Popen[bytes]] = []

    def start(name: str, *args: str) -> Path:
        log = tmp_path / f"{name}.log"
        with log.open("wb") as out:
            running.append(
                subprocess.Popen(
                    [str(bin_folder() / "spark-class"), *args],
                    env=environment(SPARK_WORKER_DIR=str(tmp_path / f"{name}-work")),
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    cwd=tmp_path,
                )
            )
        return log

    def wait_for(log: Path, text: str) -> None:
        end = time.monotonic() + 120
        while text not in log.read_text(errors="replace"):
            if time.monotonic() > end or running[-1].poll() is not None:
                raise AssertionError(log.read_text(errors="replace")[-3000:])
            time.sleep(0.2)

    deploy = "org.apache.spark.deploy"
    try:
        host = ("--host", "127.0.0.1", "--webui-port", "0")
        log = start("master", f"{deploy}.master.Master", *host, "--port", url.rpartition(":")[2])
        wait_for(log, "New state: ALIVE")
        for number in (1, 2):
            each = ("--cores", "1", "--memory", "1g", url)
            log = start(f"worker-{number}", f"{deploy}.worker.Worker", *host, *each)
            wait_for(log, "Successfully registered")
        yield Cluster(url, tmp_path)
    finally:
        for process in running:
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                continue
        for process in running:
            process.wait(60)


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """What ``--py-files`` takes: the wheel under a name that Spark knows."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "-w", str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    return wheel.rename(tmp_path / "kcheck.zip")


def test_spark_submit(
    cluster: Cluster,
    packed: Path,
    fleet: Path,
    lint: Lint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owners = tmp_path / "owners.csv"
    monkeypatch.chdir(fleet / "fleet")
    expected = lint(".")
    # Whose clusters they are, and nothing that lint would have to know for the same findings.
    with open(fleet / "inventory.csv", newline="") as lines, open(owners, "w", newline="") as kept:
        told = csv.writer(kept)
        told.writerow(("cluster", "owner"))
        told.writerows((row["cluster"], row["owner"]) for row in csv.DictReader(lines))
    before = cluster.logs()
    ran = subprocess.run(
        [
            str(bin_folder() / "spark-submit"),
            *("--master", cluster.url, "--executor-memory", "512m", "--executor-cores", "1"),
            *("--py-files", str(packed)),
            str(ROOT / "kcheck" / "fleet" / "entry" / "kcheck_submit.py"),
            *("fleet", "--out", str(tmp_path / "out"), "--run-id", "r", "--fail-on", "never"),
            *("--inventory", str(owners), "--partitions", "6"),
        ],
        env=environment(),
        cwd=fleet,
        capture_output=True,
        text=True,
        timeout=600,
    )
    said = ran.stdout + "\n".join(line for line in ran.stderr.splitlines() if " INFO " not in line)
    folder = str(tmp_path / "out/runs/run_id=r/1")
    assert os.path.isdir(folder), said
    assert {row["reason"] for row in table(folder, "errors") if row["fatal"]} == set()
    assert ran.returncode == 0, said
    assert records(table(folder, "findings")) == expected
    assert {row["owner"] for row in table(folder, "units")} > {"payments", "search"}
    # Both workers took part.
    logs = cluster.logs() - before
    assert len(logs) == 2
    assert all(
        "Running task" in log.read_text() or "Finished task" in log.read_text() for log in logs
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_an_executor_is_killed_and_a_worker_of_another(
    cluster: Cluster, thousand: Path, thousand_linted: list[str], tmp_path: Path
) -> None:
    before = cluster.logs()
    command = [sys.executable, "-m", "kcheck", "audit", "fleet", "--master", cluster.url]
    options = ["--out", str(tmp_path / "out"), "--run-id", "r", "--fail-on", "never"]
    with (tmp_path / "driver.log").open("wb") as log:
        driver = subprocess.Popen(
            [*command, *options],
            env=environment(PYTHONPATH=str(ROOT)),
            cwd=thousand,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    said = tmp_path / "driver.log"

    def at_work() -> list[tuple[int, int]]:
        """(executor, Python worker of it) where one is at work."""
        executors = cluster.processes("CoarseGrainedExecutorBackend")
        daemons = cluster.processes("pyspark.daemon")
        below = {daemon: parent for daemon, parent in daemons.items() if parent in executors}
        return [(below[parent], worker) for worker, parent in daemons.items() if parent in below]

    try:
        end = time.monotonic() + 300
        while len({executor for executor, _ in at_work()}) < 2:
            assert driver.poll() is None and time.monotonic() < end, said.read_text()
            time.sleep(0.05)
        (first, _), *others = at_work()
        os.kill(first, signal.SIGKILL)
        # Whichever of its workers has the task: the others wait for one.
        for executor, worker in others:
            if executor != first:
                os.kill(worker, signal.SIGKILL)
        assert driver.wait(1200) == 0, said.read_text()
    finally:
        driver.kill()
        driver.wait()
    folder = str(tmp_path / "out/runs/run_id=r/1")
    assert printed(records(table(folder, "findings"))) == thousand_linted
    units = table(folder, "units")
    assert {row["status"] for row in units} == {"audited"}
    assert len(units) == len({row["unit"] for row in units}) == 1000
    # The dead executor was replaced.
    assert len(cluster.logs() - before) > 2

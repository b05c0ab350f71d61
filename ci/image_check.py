"""What an image must be: of one architecture, without a shell, run by nobody, and it lints."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from image_root import PYTHON

ROOT = Path(__file__).resolve().parent.parent
USER = "65532:65532"

#: The number of the processor in an ELF file's head.
PROCESSORS = {"amd64": 62, "arm64": 183}
_SHELLS = ("sh", "bash", "dash", "ash", "busybox")

#: Imports all modules that a wheel brings, as far as their libraries are of the image.
_IMPORTS = """
import importlib, pkgutil, kcheck
for module in pkgutil.walk_packages(kcheck.__path__, "kcheck."):
    if not module.name.startswith(("kcheck.fleet", "kcheck.__main__")):
        importlib.import_module(module.name)
import ctypes, lzma, multiprocessing.synchronize, tree_sitter_hcl, rpds, yaml._yaml
"""
#: Only root may mount; what runs then is the image's user in the image's folder.
_ENTER = r"""
set -e
root=$1 mount=$2 source=$3; shift 3
mount --bind "$root" "$mount"
mount --bind "$source" "$mount/src"
mount --rbind /dev "$mount/dev"
mount -t proc proc "$mount/proc"
mount -o remount,bind,ro "$mount/src"
mount -o remount,bind,ro "$mount"
mount -t tmpfs -o mode=1777 tmpfs "$mount/tmp"
chroot=$(command -v chroot)
exec setpriv --no-new-privs env -i PATH=/usr/bin LANG=C.UTF-8 \
  "$chroot" --userspec=65532:65532 --groups= "$mount" "$@"
"""


def looked_at(root: Path, archive: Path, arch: str, shell: bool) -> list[str]:
    """What is wrong with the files of the image and with what it says of itself."""
    name = archive.name
    faults = [f"{name}: {path} is not of {arch}" for path in _of_others(root, arch)]
    there = [word for word in _SHELLS if os.path.lexists(root / "usr/bin" / word)]
    if bool(there) != shell:
        faults.append(f"{name}: shells: {there}")
    settable = [path for path in root.rglob("*") if path.lstat().st_mode & 0o6000]
    faults += [f"{name}: {path} runs as somebody else" for path in settable]
    told = _told(archive)
    config = told["config"]
    wanted = {
        "User": USER,
        "WorkingDir": "/src",
        "Entrypoint": None if shell else ["kcheck"],
        "Cmd": ["/bin/sh"] if shell else None,
    }
    for key, value in wanted.items():
        if config.get(key) != value:
            faults.append(f"{name}: {key} is {config.get(key)!r}, not {value!r}")
    if told["architecture"] != arch:
        faults.append(f"{name}: says that it is for {told['architecture']}")
    return faults


def _of_others(root: Path, arch: str) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            head = file.read(20)
        if head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "little") != PROCESSORS[arch]:
            yield path.relative_to(root)


def _told(archive: Path) -> dict[str, Any]:
    """The image's own account of itself, from its OCI archive."""
    with tarfile.open(archive) as tar:

        def blob(digest: str) -> dict[str, Any]:
            read: dict[str, Any] = json.load(
                tar.extractfile(f"blobs/{digest.replace(':', '/')}")  # type: ignore[arg-type]
            )
            return read

        index = json.load(tar.extractfile("index.json"))  # type: ignore[arg-type]
        return blob(blob(index["manifests"][0]["digest"])["config"]["digest"])


def tried(root: Path, work: Path) -> list[str]:
    """Run what the image holds as its user, with neither a network nor a place to write but /tmp."""
    source = work / "source"
    shutil.copytree(ROOT / "fixtures" / "payments", source)
    _committed(source)
    mount = work / "mount"
    mount.mkdir(exist_ok=True)

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        enter = ("unshare", "--mount", "--net", "bash", "-c", _ENTER, "-")
        return subprocess.run(
            [*enter, str(root), str(mount), str(source), *words],
            env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"},
            capture_output=True,
            text=True,
            check=False,
        )

    faults = []
    for words, code, said in (
        (("kcheck", "--version"), 0, "kcheck"),
        (("kcheck", "lint", "--output", "concise", "/src"), 1, "KC0307"),
        (("kcheck", "lint", "--output", "html", "/src"), 1, "</html>"),
        (("kcheck", "lint", "--jobs", "2", "--output", "concise", "/src"), 1, "KC0307"),
        # Nothing is new since the one commit: git was asked, and answered.
        (("kcheck", "lint", "--since", "HEAD", "/src"), 0, ""),
        (("kcheck", "explain", "acks-bypass-min-isr"), 0, "KC0307"),
        ((f"python{PYTHON}", "-IBc", f"{_IMPORTS}\nprint('all')"), 0, "all"),
        ((f"python{PYTHON}", "-IBc", "import os; print(os.getuid())"), 0, "65532"),
        ((f"python{PYTHON}", "-IBc", "open('/src/x', 'w')"), 1, ""),
        (
            (f"python{PYTHON}", "-IBc", "import _socket; print(_socket.if_nameindex())"),
            0,
            "[(1, 'lo')]",
        ),
    ):
        ended = ran(*words)
        if ended.returncode != code or said not in ended.stdout:
            faults.append(
                f"{' '.join(words)[:60]}: {ended.returncode}\n{ended.stdout}{ended.stderr}"
            )
    shutil.rmtree(source)
    return faults


def _committed(folder: Path) -> None:
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-m", "all")):
        subprocess.run([*git, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)

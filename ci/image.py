"""The container image: from nothing, with Debian's Python, kcheck's wheel and no shell.

    python ci/image.py WHEEL --out FOLDER [--arch amd64 --arch arm64] [--check]

Writes ``kcheck-<arch>.tar`` and ``kcheck-<arch>-shell.tar`` (OCI archives; the second holds busybox,
which GitLab's runners want), each with its bill of materials (``.cdx.json``). An image of another architecture is only put together, nothing of it
runs here. Fails above the sizes below, and where the image is not what it should be. ``--check``
builds it twice as well, and runs this machine's on fixtures/payments as its user, without a network
and without a place to write.

Needs apt, dpkg-deb and buildah, but no daemon and no registry; uv in the Python that runs it; and
root, since the files of an image belong to root. Exits with 2 where these are not there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import image_check
import image_root
import sbom

ROOT = Path(__file__).resolve().parent.parent
#: In bytes: unpacked, and as a registry holds it.
LARGEST, LARGEST_PACKED = 80_000_000, 30_000_000
USER = "65532:65532"
#: Of the layers and of the image: what is built from the same packages is the same.
TIMESTAMP = "0"

_LABELS = {
    "org.opencontainers.image.title": "kcheck",
    "org.opencontainers.image.description": "Lint and audit Kafka configuration",
    "org.opencontainers.image.licenses": "Apache-2.0",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--arch", action="append", choices=sorted(image_root.TRIPLETS))
    parser.add_argument("--snapshot", default="", help="Debian as of then: 20261101T000000Z")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    os.umask(0o022)
    if lacking := _lacking():
        print(f"the image needs {', '.join(lacking)}", file=sys.stderr)
        return 2
    given.out.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        try:
            debian = image_root.Debian(work / "apt", given.snapshot)
        except subprocess.CalledProcessError:
            print("the image needs Debian's archive, which cannot be reached", file=sys.stderr)
            return 2
        for arch in given.arch or [image_root.native()]:
            for shell in (False, True):
                faults += _image(debian, work, arch, shell, given)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _lacking() -> list[str]:
    needed = ("apt-get", "dpkg-deb", "buildah", "git", "unshare")
    lacking = [name for name in needed if not shutil.which(name)]
    if not image_root.keyring():
        lacking.append("debian-archive-keyring")
    return lacking + ([] if os.geteuid() == 0 else ["root"])


def _image(
    debian: image_root.Debian, work: Path, arch: str, shell: bool, given: argparse.Namespace
) -> list[str]:
    """Build one image; what is wrong with it."""
    name = f"kcheck-{arch}{'-shell' if shell else ''}"
    root = work / name
    version = image_root.make(root, debian, arch, given.wheel, shell)
    target = given.out / f"{name}.tar"
    digest = _built(root, work, arch, version, shell, target)
    size = sum(path.lstat().st_size for path in root.rglob("*") if not path.is_dir())
    bill = sbom.made(root / image_root.LIBRARIES.lstrip("/"), root / image_root.PACKAGES_SEEN)
    (given.out / f"{name}.cdx.json").write_text(f"{json.dumps(bill, indent=2)}\n", encoding="utf-8")
    print(f"{name}: {size:,} bytes, {target.stat().st_size:,} packed, {digest}", flush=True)
    faults = image_check.looked_at(root, target, arch, shell)
    if size > LARGEST or target.stat().st_size > LARGEST_PACKED:
        faults.append(f"{name}: more than {LARGEST:,} bytes, or {LARGEST_PACKED:,} packed")
    if given.check and not shell:
        other = work / "again" / name
        image_root.make(other, debian, arch, given.wheel, shell)
        again = _built(other, work, arch, version, shell, work / "again.tar")
        if again != digest:
            faults.append(f"{name}: two builds differ ({digest} and {again})")
        if arch == image_root.native():
            faults += image_check.tried(root, work)
        shutil.rmtree(other)
    shutil.rmtree(root)
    return faults


def _built(root: Path, work: Path, arch: str, version: str, shell: bool, target: Path) -> str:
    """Put the folder into an image of one layer and that into an OCI archive; gives its digest."""
    target.unlink(missing_ok=True)
    state = ("--storage-driver", "vfs", "--root", str(work / "s"), "--runroot", str(work / "r"))

    def buildah(*words: str) -> str:
        return subprocess.run(
            ["buildah", *state, *words], check=True, stdout=subprocess.PIPE, text=True
        ).stdout.strip()

    container = buildah("from", "--arch", arch, "scratch")
    buildah("copy", "--quiet", container, str(root), "/")
    labels = {**_LABELS, "org.opencontainers.image.version": version}
    # A runner starts its own shell in the image, and gives it the script.
    entry = ["--entrypoint", "[]", "--cmd", "/bin/sh"] if shell else ["--entrypoint", '["kcheck"]']
    buildah(
        *("config", "--arch", arch, "--os", "linux", "--user", USER, "--workingdir", "/src"),
        *("--env", "PATH=/usr/bin", "--env", "LANG=C.UTF-8", *entry),
        *(word for name, text in sorted(labels.items()) for word in ("--label", f"{name}={text}")),
        container,
    )
    image = buildah("commit", "--quiet", "--timestamp", TIMESTAMP, "--rm", container)
    buildah("push", "--quiet", image, f"oci-archive:{target}")
    buildah("rmi", image)
    with tarfile.open(target) as archive:
        index = json.load(archive.extractfile("index.json"))  # type: ignore[arg-type]
    return str(index["manifests"][0]["digest"])


if __name__ == "__main__":
    raise SystemExit(main())

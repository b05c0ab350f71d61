"""What the image holds: Debian's Python without what no command needs, the libraries, kcheck.

Debian's packages are fetched with an apt of its own, so that neither the machine's release nor its
architecture matters, and only unpacked: none of their scripts runs.
"""

from __future__ import annotations

import fnmatch
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASE, PYTHON = "trixie", "3.13"
TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
LIBRARIES = "/usr/lib/python3/dist-packages"
#: The control files of Debian's packages, where scanners of images without dpkg look.
PACKAGES_SEEN = "var/lib/dpkg/status.d"

#: What is taken of each package. OpenSSL is not among them: nothing here talks to a network, and
#: hashlib has its own. Of git the one binary is: --since asks it for objects, and for no more.
_PACKAGES = {
    f"libpython{PYTHON}-minimal": ("usr/lib/python*",),
    f"libpython{PYTHON}-stdlib": ("usr/lib/python*",),
    f"python{PYTHON}-minimal": (f"usr/bin/python{PYTHON}",),
    "libc6": tuple(
        f"usr/lib*/{name}"
        for name in (
            *("ld-linux*", "*/ld-linux*", "*/libc.so.*", "*/libm.so.*", "*/libdl.so.*"),
            *("*/libpthread.so.*", "*/librt.so.*", "*/libutil.so.*"),
        )
    ),
    "zlib1g": ("usr/lib/*/libz.so*",),
    "libexpat1": ("usr/lib/*/libexpat.so*",),
    "libffi8": ("usr/lib/*/libffi.so*",),
    "libbz2-1.0": ("usr/lib/*/libbz2.so*",),
    "liblzma5": ("usr/lib/*/liblzma.so*",),
    "libuuid1": ("usr/lib/*/libuuid.so*",),
    "libgcc-s1": ("usr/lib/*/libgcc_s.so*",),
    "git": ("usr/bin/git",),
    "libpcre2-8-0": ("usr/lib/*/libpcre2-8.so*",),
    "base-files": ("usr/lib/os-release", "etc/debian_version"),
}
_SHELL = {"busybox-static": ("usr/bin/busybox",)}

#: Parts of Python that want a display, a compiler, a network or a terminal to type into.
_LEFT_OUT = (
    *("test", "idlelib", "tkinter", "turtle*", "ensurepip", "venv", "lib2to3", "pydoc*", "sqlite3"),
    *("config-*", "_pyrepl", "curses", "dbm", "wsgiref", "xmlrpc", "site-packages", "__phello__"),
    *("lib-dynload/_ssl*", "lib-dynload/_hashlib*", "lib-dynload/_curses*", "lib-dynload/_dbm*"),
    *("lib-dynload/_sqlite3*", "lib-dynload/readline*", "lib-dynload/_test*", "lib-dynload/xx*"),
    *(
        "lib-dynload/_gdbm*",
        "lib-dynload/_xxtest*",
        "lib-dynload/_ctypes_test*",
        "lib-dynload/_tk*",
    ),
)
#: What GitLab's runner and the scripts of jobs call.
_APPLETS = (
    *(
        "sh",
        "ash",
        "awk",
        "base64",
        "basename",
        "cat",
        "chmod",
        "cp",
        "cut",
        "date",
        "diff",
        "dirname",
    ),
    *(
        "echo",
        "env",
        "expr",
        "false",
        "find",
        "grep",
        "head",
        "id",
        "ln",
        "ls",
        "mkdir",
        "mktemp",
        "mv",
    ),
    *(
        "od",
        "printf",
        "pwd",
        "rm",
        "rmdir",
        "sed",
        "sleep",
        "sort",
        "stat",
        "tail",
        "tar",
        "tee",
        "test",
    ),
    *("touch", "tr", "true", "uname", "uniq", "wc", "which", "xargs", "["),
)


def native() -> str:
    return _MACHINES.get(platform.machine(), platform.machine())


def keyring() -> str:
    """Where the keys of Debian's archive lie; "" where they do not."""
    found = sorted(Path("/usr/share/keyrings").glob("debian-archive-keyring.*"))
    return str(found[0]) if found else ""


class Debian:
    """Packages of one release, at one point of time: each is fetched once."""

    def __init__(self, folder: Path, snapshot: str = "") -> None:
        self._folder = folder
        state = folder / "state"
        for name in ("etc/apt.conf.d", "etc/preferences.d", "state/lists/partial", "cache", "debs"):
            (folder / name).mkdir(parents=True)
        (state / "status").touch()
        mirror = "http://deb.debian.org/debian"
        security = f"{mirror}-security"
        if snapshot:
            mirror = f"http://snapshot.debian.org/archive/debian/{snapshot}"
            security = f"http://snapshot.debian.org/archive/debian-security/{snapshot}"
        # The index of a snapshot is past its date.
        signed = f"[signed-by={keyring()} check-valid-until={'no' if snapshot else 'yes'}]"
        sources = folder / "sources.list"
        sources.write_text(
            f"deb {signed} {mirror} {RELEASE} main\n"
            f"deb {signed} {security} {RELEASE}-security main\n"
        )
        (folder / "conf").write_text(
            f'Dir::Etc "{folder}/etc"; Dir::Etc::sourcelist "{sources}"; Dir::Etc::sourceparts "-";\n'
            f'Dir::State "{state}"; Dir::State::status "{state}/status"; Dir::Cache "{folder}/cache";\n'
            f'APT::Architecture "{native()}"; APT::Architectures {{{_quoted(TRIPLETS)}}};\n'
            'Acquire::Languages "none"; APT::Sandbox::User "root"; Acquire::Retries "3";\n'
        )
        self._apt("update")

    def _apt(self, *words: str) -> None:
        subprocess.run(
            ["apt-get", "--quiet", "--quiet", *words],
            cwd=self._folder / "debs",
            env={**os.environ, "APT_CONFIG": str(self._folder / "conf")},
            check=True,
        )

    def archive(self, package: str, arch: str) -> Path:
        """The package's file."""
        folder = self._folder / "debs"
        pattern = f"{package}_*_{arch}.deb"
        if not list(folder.glob(pattern)):
            self._apt("download", f"{package}:{arch}")
        (found,) = folder.glob(pattern)
        return found


def _quoted(names: dict[str, str]) -> str:
    return " ".join(f'"{name}";' for name in names)


def make(root: Path, debian: Debian, arch: str, wheel: Path, shell: bool) -> str:
    """Fill the folder; gives kcheck's version. The times of files are not looked at."""
    root.mkdir(parents=True)
    _frame(root)
    for package, parts in {**_PACKAGES, **(_SHELL if shell else {})}.items():
        _unpack(debian.archive(package, arch), root, package, parts)
    library = root / "usr/lib" / f"python{PYTHON}"
    for pattern in _LEFT_OUT:
        for path in list(library.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    version = _install(root, wheel, arch)
    _compile(root, _interpreter(root, debian, arch))
    if shell:
        for name in _APPLETS:
            (root / "usr/bin" / name).symlink_to("busybox")
    return version


def _frame(root: Path) -> None:
    """The folders and links of a merged /usr, and who there is."""
    for name in ("usr/bin", "usr/lib", "usr/lib64", "etc", "src", "tmp", "dev", "proc"):
        (root / name).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    for name in ("bin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    (root / "etc/passwd").write_text(
        "root:x:0:0:root:/:/sbin/nologin\nkcheck:x:65532:65532:kcheck:/tmp:/sbin/nologin\n"
    )
    (root / "etc/group").write_text("root:x:0:\nkcheck:x:65532:\n")
    (root / "etc/os-release").symlink_to("../usr/lib/os-release")


def _unpack(archive: Path, root: Path, package: str, parts: tuple[str, ...]) -> None:
    """Take the files of a package, its licence, and the entry by which scanners know it."""
    folder = root.parent / f"unpacked-{package}"
    subprocess.run(["dpkg-deb", "-x", str(archive), str(folder)], check=True)
    copyright_of = (f"usr/share/doc/{package}/copyright",)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(("lib/", "bin/", "lib64/")):
            name = f"usr/{name}"
        if not any(_under(name, part) for part in (*parts, *copyright_of)):
            continue
        target = root / name
        if path.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(os.readlink(path))
        elif path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    shutil.rmtree(folder)
    status = root / PACKAGES_SEEN / package
    status.parent.mkdir(parents=True, exist_ok=True)
    status.write_bytes(
        subprocess.run(["dpkg-deb", "-f", str(archive)], check=True, stdout=subprocess.PIPE).stdout
    )


def _under(name: str, pattern: str) -> bool:
    return fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, f"{pattern}/*")


def _install(root: Path, wheel: Path, arch: str) -> str:
    """Put the libraries, by hash, and the wheel where Debian's Python looks for them."""
    target = root / LIBRARIES.lstrip("/")
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-cache"]
    command += ["--target", str(target), "--python-version", PYTHON, "--no-build"]
    command += ["--python-platform", f"{TRIPLETS[arch].partition('-')[0]}-manylinux_2_28"]
    command += ["--link-mode", "copy"]
    subprocess.run(
        [*command, "--require-hashes", "-r", str(ROOT / "ci" / "locked.txt")], check=True
    )
    subprocess.run([*command, "--no-deps", str(wheel.resolve())], check=True)
    shutil.rmtree(target / "bin", ignore_errors=True)
    for pattern in (
        "*.dist-info/direct_url.json",
        "*.dist-info/REQUESTED",
        ".lock",
        "*.dist-info/uv_*",
    ):
        for path in target.glob(pattern):
            path.unlink()
    (record,) = target.glob("kcheck-*.dist-info")
    command_file = root / "usr/bin/kcheck"
    # Isolated: no variable and no folder of the repository says what is imported.
    command_file.write_text(
        f"#!/usr/bin/python{PYTHON} -IB\n"
        "import sys\n\nfrom kcheck.__main__ import main\n\nsys.exit(main())\n"
    )
    command_file.chmod(0o755)
    return record.name.removeprefix("kcheck-").removesuffix(".dist-info")


def _interpreter(root: Path, debian: Debian, arch: str) -> list[str]:
    """A Python of the image's version that runs here: its own, else that of this machine's."""
    if arch != native():
        root = root.parent / "native"
        if not root.exists():
            root.mkdir()
            _frame(root)
            for package, parts in _PACKAGES.items():
                _unpack(debian.archive(package, native()), root, package, parts)
    (loader,) = root.glob("usr/lib*/ld-linux*")
    libraries = root / "usr/lib" / TRIPLETS[native()]
    return [str(loader), "--library-path", str(libraries), str(root / f"usr/bin/python{PYTHON}")]


def _compile(root: Path, interpreter: list[str]) -> None:
    """Compile all modules once; they never change, so that no start compares them with sources."""
    home = Path(interpreter[-1]).parent.parent
    command = [
        *interpreter,
        "-S",
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode",
        "unchecked-hash",
    ]
    for folder in (f"usr/lib/python{PYTHON}", LIBRARIES.lstrip("/")):
        subprocess.run(
            [*command, "-s", str(root), "-p", "/", str(root / folder)],
            env={"PYTHONHOME": str(home), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
            check=True,
        )

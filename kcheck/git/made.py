"""Objects that are made for a comparison."""

from __future__ import annotations

import os


class Made:
    """Objects of our own, in a folder that only the repository of our own reads."""

    def __init__(self, folder: str, hash: str) -> None:
        self.folder = folder
        self._hash = hash

    def lend(self, other: str) -> None:
        """Let what is in another folder of objects, seen from this one, be here as well."""
        os.makedirs(os.path.join(self.folder, "info"), exist_ok=True)
        with open(os.path.join(self.folder, "info", "alternates"), "w", encoding="utf-8") as file:
            file.write(f"{other}\n")

    def blob(self, data: bytes) -> str:
        return self._put("blob", data)

    def tree(self, files: dict[bytes, tuple[str, str]]) -> str:
        """The tree of these paths, each with its mode and its blob."""
        folders: dict[bytes, dict[bytes, tuple[str, str]]] = {}
        entries: dict[bytes, bytes] = {}
        for path, (mode, blob) in files.items():
            name, slash, rest = path.partition(b"/")
            if slash:
                folders.setdefault(name, {})[rest] = (mode, blob)
            else:
                entries[name] = mode.encode() + b" " + name + b"\0" + bytes.fromhex(blob)
        for name, inside in folders.items():
            there = bytes.fromhex(self.tree(inside))
            # Names of folders sort as if they ended with a slash.
            entries[name + b"/"] = b"40000 " + name + b"\0" + there
        return self._put("tree", b"".join(entries[name] for name in sorted(entries)))

    def _put(self, kind: str, data: bytes) -> str:
        import hashlib
        import zlib

        whole = f"{kind} {len(data)}\0".encode() + data
        name = hashlib.new(self._hash, whole, usedforsecurity=False).hexdigest()
        folder = os.path.join(self.folder, name[:2])
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name[2:]), "wb") as file:
            file.write(zlib.compress(whole, 1))
        return name

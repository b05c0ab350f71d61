"""The floor for 10,000 files: walk, read and ``yaml.compose`` with libyaml, nothing else."""

from __future__ import annotations

import os
import sys

import yaml


def main(root: str) -> None:
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(files):
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            if name.endswith(".yaml"):
                yaml.compose(data, Loader=yaml.CSafeLoader)


if __name__ == "__main__":
    main(sys.argv[1])

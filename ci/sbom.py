"""The software bill of materials of an installation: CycloneDX 1.6, as JSON.

    python ci/sbom.py SITE-PACKAGES --out FILE [--debian STATUS.D]

Lists every distribution in the folder, with its licence and what it asks for, and the Debian packages
of an image (the folder with their control files). The same installation gives the same bytes: no time,
and a serial number made from the content.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import uuid
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

ROOT_NAME = "kcheck"
_NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")  # of URLs, RFC 4122
#: Where a distribution names its licence by a classifier alone; identifiers of SPDX.
_CLASSIFIED = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("packages", type=Path)
    parser.add_argument("--debian", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    bill = made(given.packages, given.debian)
    if unnamed := [part["name"] for part in bill["components"] if not part["licenses"]]:
        print(f"no licence is told for {', '.join(unnamed)}", file=sys.stderr)
        return 1
    given.out.write_text(json.dumps(bill, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{given.out}: {len(bill['components'])} components")
    return 0


def made(packages: Path, debian: Path | None = None) -> dict[str, Any]:
    """The bill of what the folders hold. Raises ValueError where kcheck is not among it."""
    found = {
        normal(distribution.name): distribution
        for distribution in distributions(path=[str(packages)])
    }
    if ROOT_NAME not in found:
        raise ValueError(f"{packages} does not hold {ROOT_NAME}")
    components = {name: _component(found[name]) for name in sorted(found)}
    own = {**components.pop(ROOT_NAME), "type": "application"}
    system = sorted(_debian(debian), key=lambda part: str(part["name"])) if debian else []
    parts = [*components.values(), *system]
    references = {name: part["bom-ref"] for name, part in components.items()}
    needs = {ROOT_NAME: own["bom-ref"], **references}
    body: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": parts,
        "dependencies": [
            {"ref": needs[name], "dependsOn": sorted(_needed(found[name], needs))}
            for name in sorted(needs)
        ],
    }
    told = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return {**body, "serialNumber": f"urn:uuid:{uuid.uuid5(_NAMESPACE, told)}"}


def normal(name: str) -> str:
    """A distribution's name as the index compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _component(distribution: Distribution) -> dict[str, Any]:
    purl = f"pkg:pypi/{normal(distribution.name)}@{distribution.version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": distribution.name,
        "version": distribution.version,
        "licenses": _licences(distribution),
        "purl": purl,
    }


def _licences(distribution: Distribution) -> list[dict[str, Any]]:
    """By expression (PEP 639), else by classifier, else by what the field says."""
    metadata = distribution.metadata
    if expression := metadata.get("License-Expression"):
        return [{"expression": expression}]
    for classifier in metadata.get_all("Classifier") or ():
        if classifier.startswith("License :: ") and (
            name := _CLASSIFIED.get(classifier.rpartition(" :: ")[2])
        ):
            return [{"license": {"id": name}}]
    said = (metadata.get("License") or "").strip().partition("\n")[0]
    if said in _CLASSIFIED.values():
        return [{"license": {"id": said}}]
    return [{"license": {"name": said}}] if said else []


def _needed(distribution: Distribution, known: dict[str, str]) -> set[str]:
    """References of what the distribution requires, as far as it is there."""
    names = (
        normal(re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0])
        for text in distribution.requires or ()
        if "extra ==" not in text
    )
    return {known[name] for name in names if name in known}


def _debian(folder: Path) -> Iterator[dict[str, Any]]:
    """The packages whose control files lie in the folder."""
    for path in sorted(folder.iterdir()):
        fields = dict(_fields(path.read_text(encoding="utf-8").splitlines()))
        name, version, arch = fields["Package"], fields["Version"], fields["Architecture"]
        purl = f"pkg:deb/debian/{name}@{_quoted(version)}?arch={arch}"
        yield {
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": version,
            # Debian tells it in a text, which the image holds.
            "licenses": [{"license": {"name": f"see /usr/share/doc/{name}/copyright"}}],
            "purl": purl,
        }


def _fields(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if not line.startswith(" "):
            name, _, value = line.partition(":")
            yield name, value.strip()


def _quoted(version: str) -> str:
    return version.replace("%", "%25").replace(":", "%3A").replace("+", "%2B")


if __name__ == "__main__":
    raise SystemExit(main())

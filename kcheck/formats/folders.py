"""The names in a folder of the project, as formats ask for them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup


def names_in(folder: str, lookup: Lookup) -> list[str] | None:
    """The names in a folder, "" for the project's own, with or without a slash at its end; None where
    nobody lists folders, or there is none of that name."""
    listed = lookup(f"{folder.rstrip('/')}/" if folder else "./")
    return listed.decode("utf-8", "replace").split("\n") if listed else None


def files_in(folder: str, lookup: Lookup, most: int) -> list[str]:
    """The paths of the files in a folder and in the folders there, as far as their names tell files
    from folders; no more than ``most`` folders are looked into."""
    names = names_in(folder, lookup) or []
    found = [f"{folder.rstrip('/')}/{name}" for name in names if "." in name]
    for inner in [f"{folder.rstrip('/')}/{name}" for name in names if "." not in name][:most]:
        found += [f"{inner}/{name}" for name in names_in(inner, lookup) or ()]
    return found

"""Terraform's texts for machines: what ``user_data``, provisioners and the like write into Kafka's files."""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.commands import recipes, script_files
from kcheck.formats.commands import topics as topic_commands
from kcheck.model import Document


def add(document: Document, data: bytes, lookup: Lookup) -> None:
    """Add the files that the texts of a Terraform file write, each machine's by itself."""
    text = data.decode("utf-8", "replace")
    place = topic_commands.places(text)
    script_files.of_texts(document, recipes.provisioners(text), place, lookup)

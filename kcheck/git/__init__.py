"""What git says of a repository that nobody vouches for."""

from __future__ import annotations

from kcheck.git.blobs import Blobs
from kcheck.git.process import GitError
from kcheck.git.repository import Git

__all__ = ["Blobs", "Git", "GitError"]

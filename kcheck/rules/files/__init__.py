"""KC00: unreadable files, ignores without effect, and files that belong to no cluster."""

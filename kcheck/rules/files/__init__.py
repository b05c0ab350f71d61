"""KC00: files that cannot be read, ignores that do not hold, and files that join no cluster."""

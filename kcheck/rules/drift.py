"""KC18: what differs between nodes that should agree."""

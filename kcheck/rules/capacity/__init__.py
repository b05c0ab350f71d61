"""KC20: demand against what hosts and settings can carry."""

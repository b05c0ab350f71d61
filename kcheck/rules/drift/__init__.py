"""KC18: nodes of one cluster that are configured differently."""

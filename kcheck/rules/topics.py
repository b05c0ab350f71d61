"""KC06: names and partitions of topics."""

"""KC06: names, declarations and partitions of topics."""

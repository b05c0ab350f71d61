"""KC07: segments, retention, compaction, indexes."""

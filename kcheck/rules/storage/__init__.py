"""KC07: segments, retention, compaction, tiers, and the disks that hold them."""

"""Where a record's key sends it, and where a group's or a transaction's coordinator is."""

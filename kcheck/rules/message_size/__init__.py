"""KC05: the limits that a record meets on its way from producer to consumer."""

"""KC05: the message-size chain from the record to the consumer."""

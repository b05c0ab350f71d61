"""KC11: node identity, roles and the KRaft quorum."""

"""KC02: keys and values that the version in use no longer has, or does not have yet."""

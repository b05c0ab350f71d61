"""Files of ``.properties``."""

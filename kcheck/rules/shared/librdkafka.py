"""What librdkafka does with options that it refuses."""

from __future__ import annotations

REFUSED = "librdkafka cannot create the client"

"""Options of librdkafka that it refuses together, though it takes each of them alone."""

from __future__ import annotations

REFUSED = "librdkafka refuses to create the client"

"""The consequence of options that librdkafka rejects."""

from __future__ import annotations

REFUSED = "librdkafka cannot create the client"

"""What is worked out once per process and kept, by keys that inputs choose: never more than so much.

A process that reads the configuration of a hundred thousand clusters meets names without end, and
some that are megabytes long. Caches whose keys the fact tables or the code bound are plain dicts.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Texts of more characters, the key's or its parts', are not kept.
_LONGEST = 500


class BoundedCache(dict["Any", "Any"]):
    """A dict that is emptied when it is full, and does not take long keys.

    What was put in may be gone at the next look: who fills it goes on with what he put in.
    """

    __slots__ = ("most",)

    def __init__(self, most: int) -> None:
        self.most = most

    def __reduce__(self) -> tuple[type[BoundedCache], tuple[int]]:
        # What was found in one process says nothing to another.
        return BoundedCache, (self.most,)

    def __setitem__(self, key: object, value: object) -> None:
        for part in key if isinstance(key, tuple) else (key,):
            if isinstance(part, str) and len(part) > _LONGEST:
                return
        if len(self) >= self.most:
            self.clear()
        dict.__setitem__(self, key, value)

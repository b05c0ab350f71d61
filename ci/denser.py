"""A wheel with the same files, compressed as densely as its format allows.

hatchling compresses as Python does, in a second; zopfli looks half a minute for something shorter that
every unpacker reads as before. Nothing else changes: names, times, rights and order stay.
"""

from __future__ import annotations

import struct
import zlib

#: The headers of a zip: before each file, in the directory at the end, and after that.
_LOCAL = struct.Struct("<4s5H3L2H")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2L2x")
_DESCRIBED_LATER = 8


def denser(wheel: bytes) -> bytes:
    """The wheel with each of its files compressed anew. Raises ValueError for what hatchling does not write."""
    from zopfli.zlib import compress  # type: ignore[import-not-found]

    *end, entries, _, at = _END.unpack_from(wheel, len(wheel) - _END.size)
    files, directory = bytearray(), bytearray()
    for _ in range(entries):
        entry = list(_ENTRY.unpack_from(wheel, at))
        flags, method, packed, start = entry[3], entry[4], entry[8], entry[16]
        local = list(_LOCAL.unpack_from(wheel, start))
        data = start + _LOCAL.size + sum(local[9:])
        if flags & _DESCRIBED_LATER or method != zlib.DEFLATED:
            raise ValueError("the wheel's files are not compressed as expected")
        text = zlib.decompress(wheel[data : data + packed], -zlib.MAX_WBITS)
        # Without the header and the sum that a zip has in another place.
        made = min(wheel[data : data + packed], compress(text)[2:-4], key=len)
        local[7] = entry[8] = len(made)
        entry[16] = len(files)
        files += _LOCAL.pack(*local) + wheel[start + _LOCAL.size : data] + made
        after = at + _ENTRY.size + sum(entry[10:13])
        directory += _ENTRY.pack(*entry) + wheel[at + _ENTRY.size : after]
        at = after
    return bytes(files + directory + _END.pack(*end, entries, len(directory), len(files)))

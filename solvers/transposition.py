"""Which states have been seen: an open-addressing table of indices into an array of whole 128-bit keys.

A slot holds the index of a stored key, or -1. Two keys are the same only if both words are: no verdict rests on a hash.
"""

import numpy as np
from numba import njit

FREE = np.int32(-1)

_MIX_0 = np.uint64(0x9E37_79B9_7F4A_7C15)
_MIX_1 = np.uint64(0xC2B2_AE3D_27D4_EB4F)
_MIX_2 = np.uint64(0xD6E8_FEB8_6659_FD93)
_HALF = np.uint64(32)


@njit(cache=True, nogil=True)
def slot_of(key0, key1, bits):
    """Return the first slot (``int64``) to look at for a key in a table of ``2 ** bits`` slots."""
    mixed = key0 * _MIX_0
    mixed = (mixed ^ (mixed >> _HALF) ^ key1) * _MIX_1
    mixed = (mixed ^ (mixed >> _HALF)) * _MIX_2
    return np.int64(mixed >> np.uint64(64 - bits))


@njit(cache=True, nogil=True)
def find(table, bits, keys, key0, key1):
    """Return the slot (``int64``) that holds a key's index, or the free one where it belongs.

    Args:
        table: ``int32`` slots, of which the first ``2 ** bits`` are in use, at least one of them free.
        keys: ``uint64[n, 2]`` the stored keys.
    """
    mask = (1 << bits) - 1
    slot = slot_of(key0, key1, bits)
    while True:
        index = table[slot]
        if index == FREE or (keys[index, 0] == key0 and keys[index, 1] == key1):
            return slot
        slot = (slot + 1) & mask


@njit(cache=True, nogil=True)
def rebuild(table, bits, keys, count):
    """Make the first ``2 ** bits`` slots hold the first ``count`` keys and nothing else."""
    table[: 1 << bits] = FREE
    for index in range(count):
        table[find(table, bits, keys, keys[index, 0], keys[index, 1])] = index

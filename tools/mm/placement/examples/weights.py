#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Weights of this process's own, in Python: what it allocates from now on goes by them."""
import ctypes
import platform

SET_MEMPOLICY2 = 600  # x86-64, arm64 and most others; mempolicy2.h has all
SET_MEMPOLICY = 238 if platform.machine() == "x86_64" else 237  # arm64 and riscv64
INTERLEAVE, WEIGHTED_INTERLEAVE = 3, 6

libc = ctypes.CDLL(None)


class Param(ctypes.Structure):
    """struct mpol_param"""
    _fields_ = [("mode", ctypes.c_uint16), ("mode_flags", ctypes.c_uint16),
                ("home_node", ctypes.c_int32), ("pol_maxnodes", ctypes.c_uint16),
                ("resv", ctypes.c_uint8 * 6), ("pol_nodes", ctypes.c_uint64),
                ("il_weights", ctypes.c_uint64)]


def spread(weights):
    """weights: {node: weight}, nodes below 64; what becomes of it depends on the kernel"""
    nodes = ctypes.c_uint64(sum(1 << node for node in weights))
    array = (ctypes.c_uint8 * 64)(*(weights.get(node, 0) for node in range(64)))
    param = Param(mode=WEIGHTED_INTERLEAVE, pol_maxnodes=64,
                  pol_nodes=ctypes.addressof(nodes), il_weights=ctypes.addressof(array))
    if not libc.syscall(SET_MEMPOLICY2, ctypes.byref(param), ctypes.sizeof(param), 0):
        return "weights of their own"
    for mode, how in (WEIGHTED_INTERLEAVE, "the global weights"), (INTERLEAVE, "even shares"):
        if not libc.syscall(SET_MEMPOLICY, mode, ctypes.byref(nodes), 65):
            return how
    return "the default policy"


HOW = spread({0: 3, 1: 1})
data = bytearray(b"x") * (16 << 20)
print(f"{len(data) >> 20} MiB have {HOW}")

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes the body of an HMAT for QEMU's -acpitable, for machines whose tables its own options cannot describe.

usage: hmat.py "INITIATOR TARGET MBPS NS" ... > FILE
What each node with CPUs gets from each node with memory; every pair is there once. The tables are those of ACPI 6.3, 5.2.27.
"""
import struct
import sys

LATENCY, BANDWIDTH = 0, 3       # types of data: of reads and writes alike
PS, MB = 1000, 1024             # units of an entry: a ns is 1000 ps, and a GB 1024 MB, so that an entry has 16 bits


def proximity(target, initiator):
    """The initiator that a target is attached to."""
    return struct.pack('<HHIHHIIIQQ', 0, 0, 40, 1, 0, initiator, target, 0, 0, 0)


def locality(kind, unit, initiators, targets, entries):
    """One number for each pair, initiator by initiator."""
    length = 32 + 4 * (len(initiators) + len(targets)) + 2 * len(entries)
    return (struct.pack('<HHIBBBBIIIQ', 1, 0, length, 0, kind, 0, 0, len(initiators), len(targets), 0, unit) +
            struct.pack(f'<{len(initiators)}I', *initiators) + struct.pack(f'<{len(targets)}I', *targets) +
            struct.pack(f'<{len(entries)}H', *entries))


def main():
    speeds = {}
    for argument in sys.argv[1:]:
        initiator, target, mbps, ns = (int(word) for word in argument.split())
        speeds[initiator, target] = mbps, ns
    initiators = sorted({pair[0] for pair in speeds})
    targets = sorted({pair[1] for pair in speeds})
    pairs = [(initiator, target) for initiator in initiators for target in targets]
    if sorted(speeds) != pairs or any(speeds[pair][0] % MB for pair in pairs):
        sys.exit('hmat.py: every initiator needs a line for every target, whose bandwidth is a multiple of 1024 MB/s')
    body = bytes(4)
    for target in targets:
        body += proximity(target, min(initiators, key=lambda initiator, to=target: speeds[initiator, to][1]))
    body += locality(LATENCY, PS, initiators, targets, [speeds[pair][1] for pair in pairs])
    body += locality(BANDWIDTH, MB, initiators, targets, [speeds[pair][0] // MB for pair in pairs])
    sys.stdout.buffer.write(body)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lists a kernel's static keys: static_keys.py VMLINUX

Prints "FUNCTION KEY" for every branch in the section __jump_table: the function
that holds the no-operation or jump, and the variable that switches it. An entry
is 16 bytes: distances from themselves to the code and to the target, 32 bits
each, and to the key, 64 bits with two flags in the lowest.
"""
import bisect
import re
import struct
import subprocess
import sys

ENTRY = struct.Struct("<iiq")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def main():
    vmlinux = sys.argv[1]
    symbols = sorted((int(address, 16), name) for address, _, name in (
        line.split(maxsplit=2) for line in
        output("nm", "--defined-only", vmlinux).decode().splitlines())
        if len(address) == 16 and int(address, 16) >> 63)
    addresses = [address for address, _ in symbols]

    def name(address):
        """The symbol that an address lies in"""
        return symbols[bisect.bisect_right(addresses, address) - 1][1]

    bounds = {}
    for line in output("nm", "--defined-only", vmlinux).decode().splitlines():
        address, _, symbol = line.split(maxsplit=2)
        if symbol in ("__start___jump_table", "__stop___jump_table"):
            bounds[symbol] = int(address, 16)
    if len(bounds) != 2:
        return
    start, stop = bounds["__start___jump_table"], bounds["__stop___jump_table"]

    # The section that holds the table, its address and its place in the file
    for line in output("readelf", "--sections", "--wide",
                       vmlinux).decode().splitlines():
        match = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+PROGBITS\s+(\w+)\s+(\w+)"
                         r"\s+(\w+)", line)
        if match:
            address, offset, size = (int(n, 16) for n in match.groups()[1:])
            if address <= start < address + size:
                break
    else:
        sys.exit(f"{vmlinux}: the table of static keys lies in no section")
    with open(vmlinux, "rb") as f:
        f.seek(offset + start - address)
        table = f.read(stop - start)
    mask = (1 << 64) - 1
    for position in range(0, len(table), ENTRY.size):
        code, _, key = ENTRY.unpack_from(table, position)
        here = start + position
        print(name((here + code) & mask), name((here + 8 + (key & ~3)) & mask))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lists a kernel's functions for the counting plugin.

usage: symbols.py OBJECTS VMLINUX

OBJECTS is the kernel's build directory. Prints a line "START END GROUP NAME"
for every function of VMLINUX. The group is
  policy   code of mm/mempolicy.o or of an object in mm/interleave
  library  code of the bitmap helpers that the policy code calls
  rest     everything else
An object's functions are found in VMLINUX by their place, not by their name
alone: the linker keeps a section of an object in one piece, so that one number
added to its symbols' offsets gives all their addresses.
"""

import collections
import glob
import os
import subprocess
import sys

POLICY = ("mm/mempolicy.o", "mm/interleave/*.o")
LIBRARY = ("lib/find_bit.o", "lib/bitmap.o", "lib/nodemask.o", "lib/hweight.o",
           "arch/x86/lib/hweight.o")


def functions(path):
    """(section, value, name) of the functions that an ELF file defines."""
    out = subprocess.run(["readelf", "--syms", "--wide", path], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        field = line.split()
        if len(field) >= 8 and field[3] == "FUNC" and field[6].isdigit():
            yield field[6], int(field[1], 16), field[7]


def placed(path, by_name):
    """Addresses that the functions of object @path have in the kernel."""
    sections = collections.defaultdict(list)
    for section, offset, name in functions(path):
        sections[section].append((offset, name))
    addresses = set()
    for members in sections.values():
        votes = collections.Counter(
            address - offset for offset, name in members
            for address in by_name[name])
        if not votes:    # discarded by the linker
            continue
        base = votes.most_common(1)[0][0]
        for offset, name in members:
            if base + offset not in by_name[name]:
                sys.exit(f"error: {name} of {path} is not where its section "
                         "is; build this kernel again")
            addresses.add(base + offset)
    return addresses


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: symbols.py OBJECTS VMLINUX")
    objects, vmlinux = sys.argv[1:]

    names = {}
    ends = set()
    by_name = collections.defaultdict(set)
    out = subprocess.run(["nm", "--defined-only", vmlinux], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        address, kind, name = line.split(maxsplit=2)
        address = int(address, 16)
        if name in ("_etext", "_einittext"):
            ends.add(address)
        elif kind in "tTwW" and address >> 63:
            names.setdefault(address, name)
            by_name[name].add(address)

    group = {}
    for label, patterns in (("library", LIBRARY), ("policy", POLICY)):
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(objects, pattern))):
                for address in placed(path, by_name):
                    group[address] = label

    edges = sorted(set(names) | ends)
    for start, end in zip(edges, edges[1:]):
        if start in names:
            print(f"{start:x} {end:x} {group.get(start, 'rest')} {names[start]}")


if __name__ == "__main__":
    main()

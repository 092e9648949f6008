#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lists the static keys in a kernel's objects: static_keys.py OBJECTS

OBJECTS is a build directory. Prints "OBJECT KEY", sorted, for each branch that an entry of the section __jump_table describes: the
object that holds the no-operation or jump, and the variable that switches it. An entry is 16 bytes and has relocations for the code,
the target and, at offset 8, the key.
"""
import os
import re
import subprocess
import sys

ENTRY = 16
KEY = 8


def keys_of(path):
    table = subprocess.run(["readelf", "--relocs", "--wide", path], check=True, stdout=subprocess.PIPE,
                           text=True, errors="replace").stdout
    inside = False
    for line in table.splitlines():
        if line.startswith("Relocation section"):
            inside = "'.rela__jump_table'" in line
        match = re.match(r"([0-9a-f]{12,16}) +\S+ +R_\S+ +\S+ (\S+)", line)
        if inside and match and int(match.group(1), 16) % ENTRY == KEY:
            yield match.group(2)


def main():
    top = sys.argv[1]
    lines = []
    for directory, _, files in os.walk(top):
        for name in files:
            path = os.path.join(directory, name)
            # What is linked of several objects has their entries again.
            if name.endswith(".o") and os.path.exists(os.path.join(directory, f".{name}.cmd")):
                with open(os.path.join(directory, f".{name}.cmd"), errors="replace") as command:
                    if " -c -o " in command.readline():
                        lines += [f"{os.path.relpath(path, top)} {key}" for key in keys_of(path)]
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()

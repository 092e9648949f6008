#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the tables of run.sh: judge.py DIRECTORY TARGET "KERNEL ..."

The first two kernels are the base and the one with the series: what the latter adds to the former's structures and static keys
is judged, and the exit status is 1 when a structure takes more cache lines.
"""
import collections
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from figures import status, verdict, write_csv, write_text  # noqa: E402 - leaves nothing beside the sources

LINE = 64
STRUCTURES = ("task_struct", "mm_struct", "vm_area_struct", "mempolicy", "page", "zone", "pglist_data")

NOTES = """\
Machine: 2 nodes of 512 MiB, one processor; time is instructions, one a nanosecond, and goes on while the machine waits.
Boot: from power-on, firmware included, to the first program, which finds the memory that is told. Unit tests are built into the
kernels that are tested here, and into no other. Compile: cc1 and as of Debian's gcc on preprocessed files of the
base, two programs a file, with no policy set; the instructions of both and of the kernel, and the latter's in policy code."""


def read(directory, name):
    with open(os.path.join(directory, name), errors="replace") as f:
        return f.read().replace("\r", "")


class Kernel:
    def __init__(self, directory, name):
        self.title = {"default-base": "base", "default": "series"}.get(name) or name.replace("peer-", "")
        idle, compiled = (read(directory, f"{name}-{guest}.log") for guest in ("idle", "compile"))
        self.version = re.search(r"Linux version (\S+)", idle).group(1)
        self.figures = {"boot, million instructions": int(re.search(r"^boot instructions=(\d+)", idle, re.M).group(1)) / 1e6}
        memory = {key: int(value) for key, value in re.findall(r"^memory (\w+) (\d+)", idle, re.M)}
        self.figures["memory of the machine, KiB"] = memory["MemTotal"]
        self.figures["of it in use, KiB"] = memory["MemTotal"] - memory["MemFree"]
        self.figures["slab, KiB"] = memory["Slab"]
        sections = dict(re.findall(r"^(\.\S+) +(\d+) ", read(directory, f"{name}.sections"), re.M))
        self.figures["functions, KiB"] = sum(int(size, 16) for size in read(directory, f"{name}.functions").split()) / 1024
        for section in (".rodata", ".data", ".bss"):
            self.figures[f"{section}, KiB"] = int(sections[section]) / 1024
        self.figures["of all that only in the series, KiB"] = int(read(directory, f"{name}.code.size")) / 1024
        self.figures["and its unit tests, KiB"] = int(read(directory, f"{name}.tests.size")) / 1024
        self.figures["bzImage, KiB"] = os.path.getsize(os.path.join(directory, f"{name}.bzImage")) / 1024
        symbols = [line.split()[2:] for line in read(directory, f"{name}.symbols").splitlines()]
        counts = collections.defaultdict(list)
        for line in read(directory, f"{name}-compile.counts").splitlines():
            measurement, symbol, count = line.split()
            if symbol != "lines":
                counts[int(measurement)].append((symbols[int(symbol)][0], int(count)))
        for path, first, total in re.findall(r"^compile (\S+) first=(\d+) instructions=(\d+)", compiled, re.M):
            what = f"compile {os.path.basename(path)[:-2]}.c"
            entries = counts[int(first)]
            self.figures[f"{what}, million"] = int(total) / 1e6
            self.figures[f"{what}, kernel, million"] = sum(count for _, count in entries) / 1e6
            self.figures[f"{what}, policy code, thousand"] = sum(count for group, count in entries if group != "rest") / 1e3
        layout = dict(line.split() for line in read(directory, f"{name}.layout").splitlines())
        self.layout = {structure: int(layout[structure]) for structure in STRUCTURES}


def cache_lines(size):
    return -(-size // LINE)


def main():
    directory, target, names = sys.argv[1], sys.argv[2], sys.argv[3].split()
    kernels = [Kernel(directory, name) for name in names]
    base, series = kernels[:2]
    rows = []
    lines = [f"{'':36}" + "".join(f"{kernel.title:>14}" for kernel in kernels) + f"{'series/base':>14}",
             f"{'Linux':36}" + "".join(f"{kernel.version:>14}" for kernel in kernels)]

    def add(name, values):
        """A line of the table, and of the file"""
        rows.append([name] + [f"{value:.10g}" for value in values])
        change = 100 * (values[1] / values[0] - 1) if values[0] else None
        lines.append(f"{name:36}" + "".join(f"{value:14.1f}" if isinstance(value, float) else f"{value:14}" for value in values) +
                     (f"{change:+13.2f}%" if change is not None else ""))

    for name in base.figures:
        add(name, [kernel.figures[name] for kernel in kernels])
    lines += ["", "Sizes of structures, bytes (cache lines)"]
    for structure in STRUCTURES:
        sizes = [kernel.layout[structure] for kernel in kernels]
        rows.append([f"struct {structure}, bytes"] + sizes)
        lines.append(f"{structure:36}" + "".join(f"{f'{size} ({cache_lines(size)})':>14}" for size in sizes))
    keys = [collections.Counter(tuple(line.split()) for line in read(directory, f"{name}.keys").splitlines())
            for name in ("base", "series")]
    lines += ["", f"Static keys in mm, kernel/sched, kernel/cgroup and fs/proc: {sum(keys[0].values())} no-operations in the base, "
              f"{sum(keys[1].values())} in the series"]
    for word, other in (("more", keys[1] - keys[0]), ("fewer", keys[0] - keys[1])):
        lines += [f"  {word}: {key} in {where}" + (f", {count} times" if count > 1 else "")
                  for (where, key), count in sorted(other.items())] or [f"  {word}: none"]
    lines += [""] + NOTES.split("\n") + [""]
    larger = [structure for structure in STRUCTURES
              if cache_lines(series.layout[structure]) > cache_lines(base.layout[structure])]
    promise = not larger, "structures that take more cache lines than the base's: " + (", ".join(larger) or "none")
    lines.append(verdict(*promise))
    write_text(os.path.join(target, "system.txt"), lines)
    write_csv(os.path.join(target, "system.csv"), ["figure"] + [kernel.title for kernel in kernels], rows)
    print("\n".join(lines))
    return status([promise])


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the table of run.sh: judge.py DIRECTORY TARGET

The exit status is 1 when automatic migration does something while it is off, or leaves the memory of a long run far away.
"""
import glob
import os
import re
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "../../lib"))
from figures import Published, cell, status, verdict, write_csv, write_text  # noqa: E402 - leaves nothing beside the sources

WORKS = (("stream", "long run"), ("compile", "short programs"), ("pool", "thread pool"))
MODES = (("base", "base"), ("balancing", "base, numa_balancing=1"), ("off", "off"), ("direct", "direct"), ("lazy", "lazy"))
COLUMNS = ("moves", "migrated", "near", "instructions")
# Of a long run's accesses, at least so many percent are near when its memory follows it.
NEAR = 95
# What a gigabyte may cost, in millions of instructions; at one a nanosecond these are two seconds of the task's time.
GIGABYTE = 2000
GIGABYTE_PAGES = 1 << 18

NOTES = """\
Machine: 2 nodes of 512 MiB with a processor each. Long run: a[i] = b[i] + k * c[i] over 48 MiB by one task, 120 times; every 30
times another program takes the processor that it is on. Short programs: 48, three at a time, that fill 8 MiB and read them 8
times. Thread pool: 3 threads that take pieces of 32 MiB, 60 rounds with a pause between. auto_migrate_interval is 5 s.
Moves: of tasks from node to node, as the scheduler decided; short programs are also moved when they start. Pages: all that were
migrated, for whatever reason. Near: of the pages that were looked up while they were in use, those on the node of who used them.
Instructions: all of the kernel's, timer ticks and idle processors included, in millions. Each figure is the median of {runs}
runs, with the least and the most where these differ: time is the host's here, and no two runs are the same.
Published in 2006, a kernel's build on 4 sockets: allmodconfig {allmod[unpatched]} s unpatched, {allmod[off]} s off, \
{allmod[lazy]} s lazy; defconfig {default[unpatched]} s unpatched,
{default[off]} s off, {default[direct]} s direct, {default[lazy]} s lazy, with {default[moves]} moves between nodes, \
{default[unmapped]} pages unmapped and {default[migrated]} migrated."""


class Run:
    """What one machine said and executed"""
    def __init__(self, path):
        with open(path, errors="replace") as f:
            line = re.search(r"^\w+ \w+ (moves=.*)$", f.read().replace("\r", ""), re.M).group(1)
        said = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line)}
        with open(path[:-len(".log")] + ".counts", encoding="ascii") as f:
            rows = (row.split() for row in f)
            self.instructions = sum(int(count) for _, symbol, count in rows if symbol != "lines") / 1e6
        self.moves = said["moves"]
        self.migrated = said["migrated"]
        self.followed = said["followed"]
        self.near = 100 * said["near"] / said["of"]


def main():
    directory, target = sys.argv[1:]
    runs = {}
    for path in sorted(glob.glob(os.path.join(directory, "*-*-[0-9]*.log"))):
        mode, work, _ = os.path.basename(path).rsplit("-", 2)
        runs.setdefault((work, mode), []).append(Run(path))

    def figures(work, mode, column):
        return [getattr(run, column) for run in runs[work, mode]]

    lines, rows = [], []
    for work, title in WORKS:
        lines.append(f"{title:24}{'moves':>18}{'pages':>26}{'near, %':>24}{'instructions':>24}")
        for mode, name in MODES:
            lines.append(f"  {name:22}" + f"{cell(figures(work, mode, 'moves'), 0):>18}{cell(figures(work, mode, 'migrated'), 0):>26}"
                         f"{cell(figures(work, mode, 'near'), 1):>24}{cell(figures(work, mode, 'instructions'), 0):>24}")
            for number, run in enumerate(runs[work, mode], 1):
                rows.append([work, mode, number] + [f"{getattr(run, column):.6g}" for column in COLUMNS])
        lines.append("")
    published = Published(os.path.join(HERE, "../published.tsv"))
    lines += NOTES.format(runs=len(runs["stream", "off"]), allmod=published.below("migration/allmodconfig/"),
                          default=published.below("migration/defconfig/")).split("\n") + [""]
    promises = [(not any(sum(figures(work, mode, "followed")) for work, _ in WORKS for mode in ("base", "balancing", "off")),
                 "off: nothing is counted, and nothing follows")]
    for mode in ("direct", "lazy"):
        promises.append((statistics.median(figures("stream", mode, "near")) >=
                         max(NEAR, statistics.median(figures("stream", "off", "near"))),
                         f"{mode}: at least {NEAR} % of a long run's accesses are near, and more than when off"))
    taken, idle, moved = (statistics.median(figures("stream", mode, column)) for mode, column in
                          (("direct", "instructions"), ("off", "instructions"), ("direct", "migrated")))
    cost = (taken - idle) / max(moved, 1) * GIGABYTE_PAGES
    promises.append((cost <= GIGABYTE, f"direct: a gigabyte costs {cost:.0f} million instructions, at most {GIGABYTE}"))
    lines += [verdict(*promise) for promise in promises]
    write_text(os.path.join(target, "migration.txt"), lines)
    write_csv(os.path.join(target, "migration.csv"), ("program", "mode", "run") + COLUMNS, rows)
    print("\n".join(lines))
    return status(promises)


if __name__ == "__main__":
    sys.exit(main())

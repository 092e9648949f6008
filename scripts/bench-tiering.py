#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints what bench-tiering measured on two kernels as a table: bench-tiering.py BASE OURS CSV"""
import csv
import sys

HEAD = """Share of the touches that the fast node serves, over the second half of the run; best: of any placement; moved: pages promoted
and demoted, and for each percent of that share; hot: pages on the fast node that are among the hottest that fit there; wait: until
a new hot set serves nine tenths of the best, in s, for the distribution that shifts. Pages of 4 KiB.
"""
COLUMNS = ["run", "kernel", "share", "best", "of best", "promoted", "moved", "per %", "hot", "candidates", "faults", "stalls",
           "wait"]


def read(path):
    """RUN -> fields of its summary, as text"""
    runs = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            word, *fields = line.split() or [""]
            if word == "run":
                run = runs.setdefault(fields[0], {})
            elif word in ("summary", "counted"):
                run.update(field.split("=") for field in fields)
    return runs


def row(run, kernel, fields):
    share, best = float(fields["share"]), float(fields["best"])
    promoted, moved = int(fields["promoted"]), int(fields["promoted"]) + int(fields["demoted"])
    return [run, kernel, f"{share:.1f}", f"{best:.1f}", f"{100 * share / best:.1f}", promoted, moved,
            f"{moved / share:.0f}" if share else "", fields["hot"], fields["candidates"], fields["faults"], fields["stalls"],
            fields["arrived"] if run.startswith("shifting") else ""]


def main():
    base, ours = read(sys.argv[1]), read(sys.argv[2])
    rows = [row(run, name, runs[run]) for run in ours for name, runs in (("base", base), ("ours", ours))]
    with open(sys.argv[3], "w", encoding="ascii", newline="") as file:
        csv.writer(file).writerows([COLUMNS] + rows)
    width = max(len(run) for run in ours)
    print(HEAD)
    for fields in [COLUMNS] + rows:
        print(f"{fields[0]:<{width}}  {fields[1]:<6}" + "".join(f" {field:>10}" for field in fields[2:]))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints what bench-tiering measured on two kernels as a table, and leaves tiering.csv and, over time, tiering-time.csv:
bench-tiering.py BASE SERIES DIRECTORY"""
import csv
import os
import re
import sys

HEAD = """Share of the touches that the fast node serves, over the second half of the run; best: of any placement; moved: pages promoted
and demoted, and for each percent of that share; hot: pages on the fast node that are among the hottest that fit there; wait: until
a new hot set serves nine tenths of the best, in s, for the distribution that shifts. Pages of 4 KiB.
"""
COLUMNS = ["run", "kernel", "share", "best", "of best", "promoted", "moved", "per %", "hot", "candidates", "faults", "stalls",
           "wait"]


def read(path):
    """RUN -> fields of its summary, as text; and (RUN, seconds, share, best) as time goes on"""
    runs, times = {}, []
    with open(path, encoding="ascii") as file:
        for line in file:
            word, *fields = line.split() or [""]
            if word == "run":
                name = fields[0]
                run = runs.setdefault(name, {})
            elif word in ("summary", "counted"):
                run.update(field.split("=") for field in fields)
            elif match := re.match(r" *(\d+) s +([\d.]+) % +([\d.]+) %", line):
                times.append((name, *match.groups()))
    return runs, times


def write_csv(path, rows):
    with open(path, "w", encoding="ascii", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def row(run, kernel, fields):
    share, best = float(fields["share"]), float(fields["best"])
    promoted, moved = int(fields["promoted"]), int(fields["promoted"]) + int(fields["demoted"])
    return [run, kernel, f"{share:.1f}", f"{best:.1f}", f"{100 * share / best:.1f}", promoted, moved,
            f"{moved / share:.0f}" if share else "", fields["hot"], fields["candidates"], fields["faults"], fields["stalls"],
            fields["arrived"] if run.startswith("shifting") else ""]


def main():
    (base, base_times), (series, series_times) = read(sys.argv[1]), read(sys.argv[2])
    kernels = (("base", base), ("series", series))
    rows = [row(run, name, runs[run]) for run in series for name, runs in kernels]
    write_csv(os.path.join(sys.argv[3], "tiering.csv"), [COLUMNS] + rows)
    write_csv(os.path.join(sys.argv[3], "tiering-time.csv"), [["run", "kernel", "seconds", "share", "best"]] +
              [(run, name, *values) for name, times in (("base", base_times), ("series", series_times)) for run, *values in times])
    width = max(len(run) for run in series)
    print(HEAD)
    for fields in [COLUMNS] + rows:
        print(f"{fields[0]:<{width}}  {fields[1]:<6}" + "".join(f" {field:>10}" for field in fields[2:]))


main()

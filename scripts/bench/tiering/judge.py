#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints what bench-tiering measured on each kernel as a table, and leaves tiering.csv and, over time, tiering-time.csv:
bench/tiering/judge.py DIRECTORY KERNEL=FILE ..., one of them series, which is judged by each of the others"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from figures import status, verdict, write_csv  # noqa: E402 - leaves nothing beside the sources

HEAD = """Share of the touches that the fast node serves, over the second half of the run; best: of any placement; moved: pages promoted
and demoted, and for each percent of that share; hot: pages on the fast node that are among the hottest that fit there; wait: until
a new hot set serves nine tenths of the best, in s, for the distribution that shifts. Pages of 4 KiB.
"""
COURSE = "normal:8"  # the run that is printed as time goes on
PASS = 10  # seconds that scripts/machine/guest/bench-tiering gives the scan
COLUMNS = ["run", "kernel", "share", "best", "of best", "promoted", "moved", "per %", "hot", "candidates", "faults", "stalls",
           "wait"]


def read(path):
    """RUN -> fields of its summary, as text, and pages promoted as time goes on; and (RUN, seconds, share, best), too"""
    runs, times = {}, []
    with open(path, encoding="ascii") as file:
        for line in file:
            word, *fields = line.split() or [""]
            if word == "run":
                name = fields[0]
                run = runs.setdefault(name, {})
            elif word in ("summary", "counted"):
                run.update(field.split("=") for field in fields)
            elif match := re.match(r" *(\d+) s +([\d.]+) % +([\d.]+) % +\d+ +(\d+) ", line):
                times.append((name, *match.groups()[:3]))
                run.setdefault("course", []).append(int(match[4]))
    return runs, times


def row(run, kernel, fields):
    share, best = float(fields["share"]), float(fields["best"])
    promoted, moved = int(fields["promoted"]), int(fields["promoted"]) + int(fields["demoted"])
    return [run, kernel, f"{share:.1f}", f"{best:.1f}", f"{100 * share / best:.1f}", promoted, moved,
            f"{moved / share:.0f}" if share else "", fields["hot"], fields["candidates"], fields["faults"], fields["stalls"],
            fields["arrived"] if run.startswith("shifting") else ""]


def of_best(fields):
    return 100 * float(fields["share"]) / float(fields["best"])


def for_each(fields):
    share = float(fields["share"])
    return (int(fields["promoted"]) + int(fields["demoted"])) / share if share else 0


def goes_on(fields):
    course = fields["course"]
    return course[-1] - course[len(course) // 2] > int(fields["pages"]) / 1000


def beside(run, ours, name, theirs):
    """(holds or None, sentence) for a run, beside the same on another kernel"""
    yield float(ours["share"]) >= float(theirs["share"]), f"{run}: share {ours['share']} %, at least {theirs['share']} of {name}"
    cost = f"{run}: {for_each(ours):.0f} pages moved for a percent of the share"
    if goes_on(theirs):
        yield for_each(ours) <= for_each(theirs), f"{cost}, at most the {for_each(theirs):.0f} of {name}"
    else:
        yield None, f"{cost}; {name} ({for_each(theirs):.0f}) has stopped promoting, so these are not compared"


def promises(series, others):
    """(holds or None, sentence) for what is promised of the distributions, with the limit that they are measured at"""
    for run in ("normal:8", "zipf:8"):
        if run in series:
            yield of_best(series[run]) >= 90, f"{run}: {of_best(series[run]):.1f} % of the best share, at least 90"
    for run in (run for run in series if run.count(":") == 1 or run.endswith(":huge") or ":users" in run):
        for name, runs in others.items():
            yield from beside(run, series[run], name, runs[run])
        yield int(series[run]["stalls"]) == 0, f"{run}: {series[run]['stalls']} direct reclaims, none"
    if "groups:8" in series:
        yield float(series["groups:8"]["hot"]) >= 90, f"groups:8: {series['groups:8']['hot']} % of the pages are hot ones, at least 90"
    if "shifting:8" in series:
        wait = int(series["shifting:8"]["arrived"])
        yield 0 < wait <= 3 * PASS, f"shifting:8: {wait} s until a new hot set has come, at most {3 * PASS}"
    if "uniform:8" in series:
        ours = int(series["uniform:8"]["promoted"])
        for name, runs in others.items():
            theirs = int(runs["uniform:8"]["promoted"])
            yield ours < theirs, f"uniform:8: {ours} pages promoted, fewer than the {theirs} of {name}"


def over_time(kernels, times):
    """Lines with the share of each kernel and the best of this one as time goes on"""
    courses = {name: {seconds: (share, best) for run, seconds, share, best in times[name] if run == COURSE} for name in kernels}
    if not courses["series"]:
        return
    yield ""
    yield f"{COURSE} as time goes on: share of the touches that the fast node serves, %"
    yield "".join(f"{name:>8}" for name in ("s", *kernels, "best"))
    for seconds, (_, best) in courses["series"].items():
        cells = [courses[name].get(seconds, ("-",))[0] for name in kernels]
        yield "".join(f"{text:>8}" for text in (seconds, *cells, best))


def main():
    directory, *paths = sys.argv[1:]
    kernels, times = {}, {}
    for name, path in (word.split("=", 1) for word in paths):
        kernels[name], times[name] = read(path)
    series = kernels["series"]
    rows = [row(run, name, runs[run]) for run in series for name, runs in kernels.items()]
    write_csv(os.path.join(directory, "tiering.csv"), COLUMNS, rows)
    write_csv(os.path.join(directory, "tiering-time.csv"), ["run", "kernel", "seconds", "share", "best"],
              [(run, name, *values) for name in kernels for run, *values in times[name]])
    width = max(len(run) for run in series)
    print(HEAD)
    for fields in [COLUMNS] + rows:
        print((f"{fields[0]:<{width}}  {fields[1]:<6}" + "".join(f" {field:>10}" for field in fields[2:])).rstrip())
    print("\n".join(over_time(kernels, times)))
    print()
    results = list(promises(series, {name: runs for name, runs in kernels.items() if name != "series"}))
    for result in results:
        print(verdict(*result))
    sys.exit(status(results))


main()
